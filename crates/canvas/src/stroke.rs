//! Strokes into outlines: pruning, dashes and the clipping of what is far away are done
//! here in f64; the offset curves, joins and caps are tiny-skia's.

mod dash;
mod ribbon;

use crate::geometry::IRect;
use crate::matrix::{Matrix, Point};
use crate::path::{Curve, FillRule, Path, Segment, Winding, flatten_curve};
use ribbon::Ribbons;
use tiny_skia::PathSegment;

macro_rules! keyword {
    ($(#[$doc:meta])* $name:ident { $($(#[$mark:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub enum $name {
            $($(#[$mark])* $variant),*
        }

        impl $name {
            /// Case-sensitive, as Web IDL enumerations are.
            pub fn parse(text: &str) -> Option<$name> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }

            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text),*
                }
            }
        }
    };
}
pub(crate) use keyword;

keyword! {
    /// lineCap.
    LineCap { #[default] Butt = "butt", Round = "round", Square = "square" }
}

keyword! {
    /// lineJoin.
    LineJoin { #[default] Miter = "miter", Round = "round", Bevel = "bevel" }
}

/// The line attributes of a context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StrokeStyle {
    pub width: f64,
    pub cap: LineCap,
    pub join: LineJoin,
    pub miter_limit: f64,
    pub dash: Vec<f64>,
    pub dash_offset: f64,
}

impl Default for StrokeStyle {
    fn default() -> Self {
        StrokeStyle {
            width: 1.0,
            cap: LineCap::Butt,
            join: LineJoin::Miter,
            miter_limit: 10.0,
            dash: Vec::new(),
            dash_offset: 0.0,
        }
    }
}

/// Device coordinates that go to the stroker without being clipped first.
const NEAR: f64 = 60_000.0;
/// Widest pen in device pixels; it covers any canvas from anywhere near it.
const MAX_PEN: f64 = 4_000_000.0;

/// A stroked outline and the way from its space to the device.
pub(crate) struct Outline {
    path: Option<tiny_skia::Path>,
    ribbons: Ribbons,
    to_device: Matrix,
}

impl Outline {
    /// The outline of `path` (in device space) drawn with a pen under `ctm`; only what
    /// can be seen inside `clip` is promised. `None` when nothing is drawn.
    pub fn new(path: &Path, ctm: &Matrix, style: &StrokeStyle, clip: IRect) -> Option<Outline> {
        let pen = Pen::new(ctm, style)?;
        let guard = pen.guard(style, clip);
        let (traced, ribbons) = pen.trace(path, style, &guard)?;
        let stroke = tiny_skia::Stroke {
            width: pen.width as f32,
            miter_limit: style.miter_limit.clamp(0.0, 1e6) as f32,
            line_cap: match style.cap {
                LineCap::Butt => tiny_skia::LineCap::Butt,
                LineCap::Round => tiny_skia::LineCap::Round,
                LineCap::Square => tiny_skia::LineCap::Square,
            },
            line_join: match style.join {
                LineJoin::Miter => tiny_skia::LineJoin::Miter,
                LineJoin::Round => tiny_skia::LineJoin::Round,
                LineJoin::Bevel => tiny_skia::LineJoin::Bevel,
            },
            dash: None,
        };
        let scale = pen.to_device.max_scale().clamp(1e-3, 1e3) as f32;
        let path = traced.and_then(|traced| traced.stroke(&stroke, scale));
        (path.is_some() || !ribbons.is_empty()).then_some(Outline {
            path,
            ribbons,
            to_device: pen.to_device,
        })
    }

    /// The closed lines of the outline in device space.
    pub fn for_each_line(&self, mut sink: impl FnMut(Point, Point)) {
        let mut line = |a: Point, b: Point| {
            if a != b {
                sink(a, b);
            }
        };
        for outline in self.ribbons.outlines() {
            let mut points = outline.iter().map(|p| self.to_device.apply(*p));
            let Some(start) = points.next() else { continue };
            let last = points.fold(start, |last, p| {
                line(last, p);
                p
            });
            line(last, start);
        }
        let map = |p: tiny_skia::Point| self.to_device.apply(Point::new(f64::from(p.x), f64::from(p.y)));
        let (mut start, mut last) = (Point::default(), Point::default());
        for segment in self.path.iter().flat_map(tiny_skia::Path::segments) {
            match segment {
                PathSegment::MoveTo(p) => {
                    line(last, start);
                    start = map(p);
                    last = start;
                }
                PathSegment::LineTo(p) => {
                    let p = map(p);
                    line(last, p);
                    last = p;
                }
                PathSegment::QuadTo(c, p) => {
                    let (c, p) = (map(c), map(p));
                    flatten_curve(last, Curve::Quad(c, p), 1.0, &mut line);
                    last = p;
                }
                PathSegment::CubicTo(c1, c2, p) => {
                    let (c1, c2, p) = (map(c1), map(c2), map(p));
                    flatten_curve(last, Curve::Cubic(c1, c2, p), 1.0, &mut line);
                    last = p;
                }
                PathSegment::Close => {
                    line(last, start);
                    last = start;
                }
            }
        }
        line(last, start);
    }

    /// Whether a point of the device is inside the stroke.
    pub fn contains(&self, point: Point) -> bool {
        let mut winding = Winding::new(point);
        self.for_each_line(|a, b| winding.line(a, b));
        winding.contains(FillRule::NonZero)
    }
}

/// The space in which the pen is a circle: the device itself when the transform only
/// turns and scales, otherwise user space without its translation, which keeps numbers
/// small enough for f32.
struct Pen {
    width: f64,
    to_device: Matrix,
    from_device: Matrix,
    /// Pen units per user unit.
    unit: f64,
}

impl Pen {
    fn new(ctm: &Matrix, style: &StrokeStyle) -> Option<Pen> {
        let linear = ctm.linear();
        ctm.invert()?;
        let (to_device, from_device, unit) = match linear.similarity() {
            Some(scale) => (Matrix::IDENTITY, Matrix::IDENTITY, scale),
            None => (linear, linear.invert()?, 1.0),
        };
        let width = (style.width * unit).min(MAX_PEN / to_device.max_scale());
        (width.is_finite() && width as f32 > 0.0).then_some(Pen {
            width,
            to_device,
            from_device,
            unit,
        })
    }

    /// The device area outside of which a line cannot reach into `clip`.
    fn guard(&self, style: &StrokeStyle, clip: IRect) -> [f64; 4] {
        let spread = match style.join {
            LineJoin::Miter => style.miter_limit.max(1.5),
            LineJoin::Round | LineJoin::Bevel => 1.5,
        };
        let reach = (self.width * self.to_device.max_scale() / 2.0 * spread).min(MAX_PEN) + 8.0;
        let [x0, y0, x1, y1] = [clip.x0, clip.y0, clip.x1, clip.y1].map(f64::from);
        [x0 - reach, y0 - reach, x1 + reach, y1 + reach]
    }

    /// What the stroker is to follow, in pen space, and what needs no stroker.
    fn trace(
        &self,
        path: &Path,
        style: &StrokeStyle,
        guard: &[f64; 4],
    ) -> Option<(Option<tiny_skia::Path>, Ribbons)> {
        let ribbons = Ribbons::new(style, self.width);
        let (min, max) = path.control_bounds()?;
        let pattern = dash::Pattern::new(&style.dash, style.dash_offset, self.unit);
        let near = min.x.min(min.y) > -NEAR && max.x.max(max.y) < NEAR;
        if pattern.is_none() && near {
            let whole = trace_whole(&path.transformed(&self.from_device))?;
            return Some((Some(whole), ribbons));
        }
        let mut tracer = dash::Tracer::new(pattern, guard, self, ribbons);
        for polyline in polylines(path) {
            tracer.follow(&polyline.points, polyline.closed);
        }
        Some(tracer.finish())
    }
}

/// Keeps curves; drops steps of no length, and subpaths that consist of nothing else.
fn trace_whole(path: &Path) -> Option<tiny_skia::Path> {
    let mut out = tiny_skia::PathBuilder::new();
    let (mut last, mut pending) = (Point::default(), None);
    for segment in path.segments() {
        match *segment {
            Segment::Move(p) => {
                last = p;
                pending = Some(p);
                continue;
            }
            Segment::Close => {
                if pending.is_none() {
                    out.close();
                }
                continue;
            }
            Segment::Line(p) if p == last => continue,
            Segment::Quad(c, p) if c == last && p == last => continue,
            Segment::Cubic(c1, c2, p) if c1 == last && c2 == last && p == last => continue,
            _ => {}
        }
        if let Some(p) = pending.take() {
            out.move_to(p.x as f32, p.y as f32);
        }
        match *segment {
            Segment::Line(p) => {
                out.line_to(p.x as f32, p.y as f32);
                last = p;
            }
            Segment::Quad(c, p) => {
                out.quad_to(c.x as f32, c.y as f32, p.x as f32, p.y as f32);
                last = p;
            }
            Segment::Cubic(c1, c2, p) => {
                let [a, b, c] = [c1, c2, p].map(|p| (p.x as f32, p.y as f32));
                out.cubic_to(a.0, a.1, b.0, b.1, c.0, c.1);
                last = p;
            }
            Segment::Move(_) | Segment::Close => {}
        }
    }
    out.finish()
}

struct Polyline {
    points: Vec<Point>,
    closed: bool,
}

/// The subpaths as lines in device space, without repeated points.
fn polylines(path: &Path) -> Vec<Polyline> {
    let mut all: Vec<Polyline> = Vec::new();
    let add = |line: &mut Polyline, p: Point| {
        if line.points.last() != Some(&p) {
            line.points.push(p);
        }
    };
    for segment in path.segments() {
        if let Segment::Move(p) = *segment {
            all.push(Polyline {
                points: vec![p],
                closed: false,
            });
            continue;
        }
        let Some(line) = all.last_mut() else {
            continue;
        };
        let Some(&last) = line.points.last() else {
            continue;
        };
        match *segment {
            Segment::Line(p) => add(line, p),
            Segment::Quad(c, p) => flatten_curve(last, Curve::Quad(c, p), 2.0, |_, p| add(line, p)),
            Segment::Cubic(c1, c2, p) => {
                flatten_curve(last, Curve::Cubic(c1, c2, p), 2.0, |_, p| add(line, p));
            }
            Segment::Close => {
                let first = line.points[0];
                add(line, first);
                line.closed = true;
            }
            Segment::Move(_) => {}
        }
    }
    all.retain(|line| line.points.len() > 1);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIP: IRect = IRect::new(0, 0, 100, 100);

    fn bounds(path: &Path, ctm: &Matrix, style: &StrokeStyle) -> Option<(Point, Point)> {
        let mut points = Path::new();
        Outline::new(path, ctm, style, CLIP)?.for_each_line(|_, p| points.line_to(p.x, p.y));
        points.control_bounds()
    }

    fn line(x0: f64, y0: f64, x1: f64, y1: f64) -> Path {
        let mut path = Path::new();
        path.move_to(x0, y0);
        path.line_to(x1, y1);
        path
    }

    #[test]
    fn the_pen_follows_the_transform() {
        let style = StrokeStyle {
            width: 2.0,
            ..StrokeStyle::default()
        };
        let (min, max) = bounds(&line(10.0, 50.0, 90.0, 50.0), &Matrix::scaling(1.0, 5.0), &style).unwrap();
        assert!((min.y - 45.0).abs() < 1e-3 && (max.y - 55.0).abs() < 1e-3);
        assert!((min.x - 10.0).abs() < 1e-3 && (max.x - 90.0).abs() < 1e-3);
        assert!(bounds(&line(0.0, 0.0, 9.0, 9.0), &Matrix::scaling(0.0, 1.0), &style).is_none());
    }

    #[test]
    fn nothing_of_no_length_is_drawn() {
        let round = StrokeStyle {
            width: 8.0,
            cap: LineCap::Round,
            ..StrokeStyle::default()
        };
        let mut path = line(50.0, 50.0, 50.0, 50.0);
        assert!(bounds(&path, &Matrix::IDENTITY, &round).is_none());
        path.close_path();
        assert!(bounds(&path, &Matrix::IDENTITY, &round).is_none());
    }

    #[test]
    fn far_ends_are_cut_without_losing_the_middle() {
        let style = StrokeStyle {
            width: 4.0,
            ..StrokeStyle::default()
        };
        for far in [1e6, 1e12, 1e30] {
            let (min, max) = bounds(&line(-far, 50.0, far, 50.0), &Matrix::IDENTITY, &style).unwrap();
            assert!(min.x < 0.0 && max.x > 100.0 && min.x > -1e5, "{min:?} {max:?}");
            assert!((min.y - 48.0).abs() < 1e-3 && (max.y - 52.0).abs() < 1e-3);
        }
    }
}
