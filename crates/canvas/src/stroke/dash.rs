//! Dashes along polylines. Lines far outside of the picture only move the phase on, so the
//! work is bounded by what can be seen.

use super::Pen;
use super::ribbon::Ribbons;
use crate::matrix::Point;

/// More visible dashes than this in one stroke are drawn as a solid line.
const MAX_DASHES: usize = 1 << 16;
/// Shortest dash that still has a direction after rounding to f32, in pixels.
const DOT: f64 = 0.02;

/// Lengths of ink and gap by turns, in pen space.
pub(super) struct Pattern {
    lengths: Vec<f64>,
    total: f64,
    offset: f64,
}

impl Pattern {
    /// `None` for a solid line.
    pub fn new(dash: &[f64], offset: f64, unit: f64) -> Option<Pattern> {
        let lengths: Vec<f64> = dash.iter().map(|d| d * unit).collect();
        let total: f64 = lengths.iter().sum();
        let usable = total > 0.0 && total.is_finite();
        let offset = (offset * unit).rem_euclid(total);
        usable.then(|| Pattern {
            lengths,
            total,
            offset: if offset.is_finite() { offset } else { 0.0 },
        })
    }
}

/// Where in the pattern a line is.
#[derive(Clone, Copy)]
struct Phase {
    index: usize,
    left: f64,
}

pub(super) struct Tracer<'a> {
    pattern: Option<Pattern>,
    guard: &'a [f64; 4],
    pen: &'a Pen,
    out: tiny_skia::PathBuilder,
    ribbons: Ribbons,
    piece: Vec<Point>,
    dashes: usize,
}

impl<'a> Tracer<'a> {
    pub fn new(pattern: Option<Pattern>, guard: &'a [f64; 4], pen: &'a Pen, ribbons: Ribbons) -> Self {
        let out = tiny_skia::PathBuilder::new();
        Tracer {
            pattern,
            guard,
            pen,
            out,
            ribbons,
            piece: Vec::new(),
            dashes: 0,
        }
    }

    /// What the stroker is to follow, and what is stroked already.
    pub fn finish(self) -> (Option<tiny_skia::Path>, Ribbons) {
        (self.out.finish(), self.ribbons)
    }

    /// Follows one subpath given in device space.
    pub fn follow(&mut self, points: &[Point], closed: bool) {
        let mut phase = self.phase(0.0);
        let mut first: Option<Vec<Point>> = None;
        let starts_inked = phase.index.is_multiple_of(2);
        let mut unbroken = true;
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let Some((c, d)) = visible(a, b, self.guard) else {
                self.end_piece(&mut first, &mut unbroken);
                phase = self.advance(phase, self.length(a, b));
                continue;
            };
            if c != a {
                self.end_piece(&mut first, &mut unbroken);
                phase = self.advance(phase, self.length(a, c));
            }
            let (from, to) = (self.pen.from_device.apply(c), self.pen.from_device.apply(d));
            let span = Span {
                from,
                to,
                length: self.length(c, d),
            };
            phase = self.walk(&span, phase, &mut first, &mut unbroken);
            if d != b {
                self.end_piece(&mut first, &mut unbroken);
                phase = self.advance(phase, self.length(d, b));
            }
        }
        self.close(closed && starts_inked, unbroken, first);
    }

    /// Ends a subpath; in a closed one, ink at its end runs on into ink at its start.
    fn close(&mut self, joins: bool, unbroken: bool, first: Option<Vec<Point>>) {
        if unbroken && first.is_none() {
            let piece = std::mem::take(&mut self.piece);
            self.emit(&piece, joins);
            return;
        }
        let mut last = std::mem::take(&mut self.piece);
        match first {
            Some(first) if joins && !last.is_empty() && last.last() == first.first() => {
                last.extend_from_slice(first.get(1..).unwrap_or_default());
                self.emit(&last, false);
            }
            first => {
                self.emit(&last, false);
                self.emit(first.as_deref().unwrap_or_default(), false);
            }
        }
    }

    /// The length of a device line in pen space.
    fn length(&self, a: Point, b: Point) -> f64 {
        let (a, b) = (self.pen.from_device.apply(a), self.pen.from_device.apply(b));
        (b.x - a.x).hypot(b.y - a.y)
    }

    fn walk(
        &mut self,
        span: &Span,
        mut phase: Phase,
        first: &mut Option<Vec<Point>>,
        unbroken: &mut bool,
    ) -> Phase {
        let (mut at, to) = (0.0, span.length);
        loop {
            let solid = self.pattern.is_none() || self.dashes > MAX_DASHES;
            let reach = at + phase.left;
            let ends = !solid && reach <= to;
            let end = if ends { reach } else { to };
            if solid || phase.index.is_multiple_of(2) {
                if self.piece.is_empty() {
                    self.piece.push(span.at(at));
                }
                // A dash of no length still wants its caps.
                let dot = if end == at { DOT } else { 0.0 };
                self.piece.push(span.at(end + dot));
            }
            if !ends {
                phase.left -= to - at;
                return phase;
            }
            self.end_piece(first, unbroken);
            self.dashes += 1;
            phase = self.next(phase);
            at = end;
            if at >= to {
                return phase;
            }
        }
    }

    fn next(&self, phase: Phase) -> Phase {
        match &self.pattern {
            None => phase,
            Some(pattern) => {
                let index = (phase.index + 1) % pattern.lengths.len();
                Phase {
                    index,
                    left: pattern.lengths[index],
                }
            }
        }
    }

    /// The phase after `distance` from the beginning of the pattern with its offset.
    fn phase(&self, distance: f64) -> Phase {
        let Some(pattern) = &self.pattern else {
            return Phase {
                index: 0,
                left: f64::INFINITY,
            };
        };
        let mut rest = (pattern.offset + distance).rem_euclid(pattern.total);
        if !rest.is_finite() {
            rest = 0.0;
        }
        for (index, &length) in pattern.lengths.iter().enumerate() {
            // A dash of no length at the very beginning is still a dot.
            if rest < length || (rest == 0.0 && length == 0.0) {
                return Phase {
                    index,
                    left: length - rest,
                };
            }
            rest -= length;
        }
        Phase {
            index: 0,
            left: pattern.lengths[0],
        }
    }

    fn advance(&self, phase: Phase, distance: f64) -> Phase {
        match &self.pattern {
            None => phase,
            Some(pattern) => {
                let before: f64 = pattern.lengths[..phase.index].iter().sum();
                let done = before + pattern.lengths[phase.index] - phase.left;
                self.phase(done - pattern.offset + distance)
            }
        }
    }

    /// The first piece waits: the last one may run into it.
    fn end_piece(&mut self, first: &mut Option<Vec<Point>>, unbroken: &mut bool) {
        if *unbroken {
            *unbroken = false;
            *first = Some(std::mem::take(&mut self.piece));
            return;
        }
        let piece = std::mem::take(&mut self.piece);
        self.emit(&piece, false);
        self.piece = piece;
        self.piece.clear();
    }

    fn emit(&mut self, piece: &[Point], closed: bool) {
        let [start, rest @ ..] = piece else {
            return;
        };
        if rest.is_empty() || (!closed && self.ribbons.add(piece)) {
            return;
        }
        self.out.move_to(start.x as f32, start.y as f32);
        for p in rest {
            self.out.line_to(p.x as f32, p.y as f32);
        }
        if closed {
            self.out.close();
        }
    }
}

/// A line in pen space.
struct Span {
    from: Point,
    to: Point,
    length: f64,
}

impl Span {
    fn at(&self, distance: f64) -> Point {
        if distance == self.length {
            self.to
        } else {
            self.from.lerp(self.to, distance / self.length)
        }
    }
}

/// The part of a line inside the guard. Where it is cut, that coordinate is the border's,
/// whatever rounding does to the other.
fn visible(a: Point, b: Point, [x0, y0, x1, y1]: &[f64; 4]) -> Option<(Point, Point)> {
    let cut_x = |x: f64| Point::new(x, a.y + (x - a.x) / (b.x - a.x) * (b.y - a.y));
    let cut_y = |y: f64| Point::new(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x), y);
    let cut = |p: Point| {
        let p = if p.x < *x0 || p.x > *x1 {
            cut_x(p.x.clamp(*x0, *x1))
        } else {
            p
        };
        if p.y < *y0 || p.y > *y1 {
            cut_y(p.y.clamp(*y0, *y1))
        } else {
            p
        }
    };
    let misses = (a.x < *x0 && b.x < *x0)
        || (a.x > *x1 && b.x > *x1)
        || (a.y < *y0 && b.y < *y0)
        || (a.y > *y1 && b.y > *y1);
    if misses {
        return None;
    }
    let (c, d) = (cut(a), cut(b));
    // A line that passes a corner outside is cut to points beyond it.
    let inside = |p: Point| p.x >= *x0 && p.x <= *x1 && p.y >= *y0 && p.y <= *y1;
    (inside(c) && inside(d)).then_some((c, d))
}

#[cfg(test)]
mod tests {
    use super::super::{LineCap, Outline, StrokeStyle};
    use crate::geometry::IRect;
    use crate::matrix::{Matrix, Point};
    use crate::path::Path;

    fn inked(path: &Path, style: &StrokeStyle, x: f64, y: f64) -> bool {
        let outline = Outline::new(path, &Matrix::IDENTITY, style, IRect::new(0, 0, 100, 100));
        outline.is_some_and(|outline| outline.contains(Point::new(x, y)))
    }

    fn dashed(dash: &[f64], offset: f64) -> StrokeStyle {
        StrokeStyle {
            width: 4.0,
            dash: dash.to_vec(),
            dash_offset: offset,
            ..StrokeStyle::default()
        }
    }

    fn horizontal(x0: f64) -> Path {
        let mut path = Path::new();
        path.move_to(x0, 50.0);
        path.line_to(90.0, 50.0);
        path
    }

    #[test]
    fn ink_and_gaps_take_turns_from_the_offset() {
        let path = horizontal(10.0);
        let at = |style: &StrokeStyle| [12.0, 22.0, 32.0].map(|x| inked(&path, style, x, 50.0));
        assert_eq!(at(&dashed(&[10.0, 10.0], 0.0)), [true, false, true]);
        assert_eq!(at(&dashed(&[10.0, 10.0], 10.0)), [false, true, false]);
        assert_eq!(at(&dashed(&[10.0, 10.0], -10.0)), [false, true, false]);
        assert_eq!(at(&dashed(&[0.0, 0.0], 0.0)), [true, true, true]);
    }

    #[test]
    fn the_phase_survives_a_far_start() {
        let style = dashed(&[10.0, 10.0], 0.0);
        for far in [-1e5, -1e9] {
            let path = horizontal(far + 10.0);
            assert_eq!(
                [12.0, 22.0, 32.0].map(|x| inked(&path, &style, x, 50.0)),
                [true, false, true]
            );
        }
    }

    #[test]
    fn dashes_without_length_leave_dots() {
        let style = StrokeStyle {
            cap: LineCap::Round,
            ..dashed(&[0.0, 20.0], 0.0)
        };
        let path = horizontal(10.0);
        assert_eq!(
            [10.0, 20.0, 30.0].map(|x| inked(&path, &style, x, 51.0)),
            [true, false, true]
        );
    }

    #[test]
    fn ink_runs_through_the_seam_of_a_closed_path() {
        let mut path = Path::new();
        path.rect(20.0, 20.0, 40.0, 40.0);
        // 160 around: ink 0..10 and 150..160, joined by a miter at the corner.
        let style = dashed(&[10.0, 140.0, 15.0, 5.0], 0.0);
        assert!(inked(&path, &style, 18.5, 18.5));
        let mut open = Path::new();
        for (i, (x, y)) in [
            (20.0, 20.0),
            (60.0, 20.0),
            (60.0, 60.0),
            (20.0, 60.0),
            (20.0, 20.0),
        ]
        .iter()
        .enumerate()
        {
            if i == 0 {
                open.move_to(*x, *y)
            } else {
                open.line_to(*x, *y)
            }
        }
        assert!(!inked(&open, &style, 18.5, 18.5));
    }

    #[test]
    fn millions_of_dashes_are_bounded() {
        assert!(inked(&horizontal(-1e30), &dashed(&[1e-9, 1e-9], 0.0), 50.0, 50.0));
    }
}
