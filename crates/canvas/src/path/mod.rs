//! Paths as the standard describes them: subpaths of lines and curves in f64.
//!
//! A [`Path`] is both Path2D (built with the identity) and a context's current path
//! (built through the transform that holds at each call). Not here: pixels and strokes.

mod arcs;
mod builder;
mod flatten;
mod hit;
mod svg;

pub use builder::{Ellipse, Radius};
pub(crate) use flatten::{Curve, flatten_curve};
pub(crate) use hit::Winding;

use crate::matrix::{Matrix, Point};

/// Which areas count as inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FillRule {
    #[default]
    NonZero,
    EvenOdd,
}

impl FillRule {
    pub fn parse(name: &str) -> Option<FillRule> {
        match name {
            "nonzero" => Some(FillRule::NonZero),
            "evenodd" => Some(FillRule::EvenOdd),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            FillRule::NonZero => "nonzero",
            FillRule::EvenOdd => "evenodd",
        }
    }
}

/// One step of a path. Every subpath begins with `Move`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Segment {
    Move(Point),
    Line(Point),
    Quad(Point, Point),
    Cubic(Point, Point, Point),
    Close,
}

/// Path2D, or the current path of a context in device space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    segments: Vec<Segment>,
    /// First point of the last subpath; `None` while there is no subpath.
    start: Option<Point>,
    /// The pen.
    last: Point,
}

/// Beyond this, coordinates are pinned: products with them must not overflow.
const FAR: f64 = 1e30;

impl Path {
    pub fn new() -> Path {
        Path::default()
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(crate) fn clear(&mut self) {
        self.segments.clear();
        self.start = None;
    }

    /// Appends `other` as seen through `matrix`; a matrix that is not finite adds nothing.
    pub fn add_path(&mut self, other: &Path, matrix: Matrix) {
        if !matrix.is_finite() || other.is_empty() {
            return;
        }
        self.segments.reserve(other.segments.len());
        for &segment in &other.segments {
            self.push(segment, &matrix);
        }
        // The standard begins a new subpath where the added ones ended.
        let end = self.last;
        self.push(Segment::Move(end), &Matrix::IDENTITY);
    }

    /// Appends `other` through `matrix` without beginning a new subpath after it.
    pub(crate) fn append(&mut self, other: &Path, matrix: &Matrix) {
        self.segments.reserve(other.segments.len());
        for &segment in &other.segments {
            self.push(segment, matrix);
        }
    }

    /// A copy through `matrix`.
    pub(crate) fn transformed(&self, matrix: &Matrix) -> Path {
        let mut path = Path {
            segments: Vec::with_capacity(self.segments.len()),
            ..Path::default()
        };
        for &segment in &self.segments {
            path.push(segment, matrix);
        }
        path
    }

    /// Adds one step, its points through `m`. Points that are not numbers drop the step.
    fn push(&mut self, segment: Segment, m: &Matrix) {
        let Some(segment) = map_segment(segment, m) else {
            return;
        };
        match segment {
            Segment::Move(p) => {
                // Consecutive moves leave only the last: a lone point never paints.
                if let Some(last @ Segment::Move(_)) = self.segments.last_mut() {
                    *last = segment;
                } else {
                    self.segments.push(segment);
                }
                self.start = Some(p);
                self.last = p;
            }
            Segment::Close => {
                let Some(start) = self.start else {
                    return;
                };
                if !matches!(self.segments.last(), Some(Segment::Close)) {
                    self.segments.push(segment);
                }
                self.last = start;
            }
            Segment::Line(p) | Segment::Quad(_, p) | Segment::Cubic(_, _, p) => {
                self.reopen(p);
                self.segments.push(segment);
                self.last = p;
            }
        }
    }

    /// A drawing step needs an open subpath: after a close it begins at the old start.
    fn reopen(&mut self, fallback: Point) {
        let begin = match self.segments.last() {
            None => fallback,
            Some(Segment::Close) => self.last,
            Some(_) => return,
        };
        self.segments.push(Segment::Move(begin));
        self.start = Some(begin);
        self.last = begin;
    }

    /// The subpaths whose boxes meet this one.
    pub(crate) fn near(&self, min: Point, max: Point) -> Path {
        let mut near = Path::new();
        let mut rest = self.segments.as_slice();
        while let Some((first, others)) = rest.split_first() {
            let more = others
                .iter()
                .take_while(|s| !matches!(s, Segment::Move(_)))
                .count();
            let (subpath, after) = rest.split_at(more + 1);
            let part = Path {
                segments: subpath.to_vec(),
                ..Path::default()
            };
            let meets = part
                .control_bounds()
                .is_some_and(|(a, b)| a.x <= max.x && b.x >= min.x && a.y <= max.y && b.y >= min.y);
            if meets && matches!(first, Segment::Move(_)) {
                near.append(&part, &Matrix::IDENTITY);
            }
            rest = after;
        }
        near
    }

    /// The box of all points and control points.
    pub(crate) fn control_bounds(&self) -> Option<(Point, Point)> {
        let mut min = Point::new(f64::INFINITY, f64::INFINITY);
        let mut max = Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut add = |p: Point| {
            min = Point::new(min.x.min(p.x), min.y.min(p.y));
            max = Point::new(max.x.max(p.x), max.y.max(p.y));
        };
        for segment in &self.segments {
            match *segment {
                Segment::Move(p) | Segment::Line(p) => add(p),
                Segment::Quad(c, p) => {
                    add(c);
                    add(p);
                }
                Segment::Cubic(c1, c2, p) => {
                    add(c1);
                    add(c2);
                    add(p);
                }
                Segment::Close => {}
            }
        }
        (min.x <= max.x).then_some((min, max))
    }
}

fn map_segment(segment: Segment, m: &Matrix) -> Option<Segment> {
    let map = |p: Point| {
        let q = m.apply(p);
        (!q.x.is_nan() && !q.y.is_nan()).then(|| Point::new(q.x.clamp(-FAR, FAR), q.y.clamp(-FAR, FAR)))
    };
    Some(match segment {
        Segment::Move(p) => Segment::Move(map(p)?),
        Segment::Line(p) => Segment::Line(map(p)?),
        Segment::Quad(c, p) => Segment::Quad(map(c)?, map(p)?),
        Segment::Cubic(c1, c2, p) => Segment::Cubic(map(c1)?, map(c2)?, map(p)?),
        Segment::Close => Segment::Close,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_after_close_begins_at_the_old_start() {
        let mut path = Path::new();
        path.move_to(1.0, 2.0);
        path.line_to(5.0, 2.0);
        path.close_path();
        path.line_to(9.0, 9.0);
        let p = Point::new;
        assert_eq!(
            path.segments(),
            [
                Segment::Move(p(1.0, 2.0)),
                Segment::Line(p(5.0, 2.0)),
                Segment::Close,
                Segment::Move(p(1.0, 2.0)),
                Segment::Line(p(9.0, 9.0)),
            ]
        );
    }

    #[test]
    fn a_line_without_subpath_only_sets_the_pen() {
        let mut path = Path::new();
        path.line_to(3.0, 4.0);
        assert_eq!(path.segments(), [Segment::Move(Point::new(3.0, 4.0))]);
        path.close_path();
        path.line_to(5.0, 5.0);
        assert_eq!(path.segments().len(), 4);
    }

    #[test]
    fn subpaths_that_lie_elsewhere_are_not_near() {
        let path = Path::from_svg("M0 0L5 5ZL9 1M90 90H99M-5 3H50");
        let near = path.near(Point::new(0.0, 0.0), Point::new(20.0, 20.0));
        assert_eq!(near, Path::from_svg("M0 0L5 5ZL9 1M-5 3H50"));
        assert!(
            path.near(Point::new(200.0, 0.0), Point::new(300.0, 9.0))
                .is_empty()
        );
    }

    #[test]
    fn add_path_maps_and_begins_anew() {
        let mut inner = Path::new();
        inner.move_to(1.0, 1.0);
        inner.line_to(2.0, 2.0);
        let mut path = Path::new();
        path.add_path(&inner, Matrix::scaling(10.0, 10.0));
        path.line_to(0.0, 0.0);
        let p = Point::new;
        assert_eq!(
            path.segments()[2..],
            [Segment::Move(p(20.0, 20.0)), Segment::Line(p(0.0, 0.0))]
        );
        let before = path.clone();
        path.add_path(&inner, Matrix::scaling(f64::NAN, 1.0));
        assert_eq!(path, before);
    }
}
