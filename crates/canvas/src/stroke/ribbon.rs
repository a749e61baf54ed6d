//! Strokes of lines that hardly turn, as dashes of curves are: two sides and two ends, without the joins that a
//! stroker puts at every corner and at its inner side. What turns more is the stroker's.

use super::{LineCap, LineJoin, StrokeStyle};
use crate::matrix::Point;

/// Of the cosine of a turn: about 18 degrees.
const STRAIGHT: f64 = 0.95;
/// By how much, in pen space, a corner may differ from what its join asks for.
const CLOSE: f64 = 0.02;

/// What is stroked so, and how.
pub(super) struct Ribbons {
    half: f64,
    cap: LineCap,
    /// The sides of corners meet in their point, which is just what is asked for.
    pointed: bool,
    points: Vec<Point>,
    /// Where in the points each outline ends.
    ends: Vec<usize>,
    /// The other side of the ribbon that is made, backwards.
    back: Vec<Point>,
}

impl Ribbons {
    /// `width` is the pen's.
    pub fn new(style: &StrokeStyle, width: f64) -> Ribbons {
        Ribbons {
            half: width / 2.0,
            cap: style.cap,
            pointed: style.join == LineJoin::Miter && style.miter_limit > 1.1,
            points: Vec::new(),
            ends: Vec::new(),
            back: Vec::new(),
        }
    }

    /// Strokes an open line. `false`: it is none for a ribbon.
    pub fn add(&mut self, line: &[Point]) -> bool {
        let begin = self.points.len();
        self.back.clear();
        let done = self.cap != LineCap::Round && self.sides(line).is_some();
        if done {
            self.points.extend(self.back.iter().rev());
            self.ends.push(self.points.len());
        } else {
            self.points.truncate(begin);
        }
        done
    }

    fn sides(&mut self, line: &[Point]) -> Option<()> {
        let [first, rest @ ..] = line else {
            return None;
        };
        let mut from = *first;
        let mut before: Option<Step> = None;
        for &to in rest {
            let step = Step::new(from, to)?;
            match &before {
                None => self.put(from, step.along, -self.cap_length()),
                Some(before) => self.turn(from, before, &step)?,
            }
            (from, before) = (to, Some(step));
        }
        self.put(from, before?.along, self.cap_length());
        Some(())
    }

    fn cap_length(&self) -> f64 {
        if self.cap == LineCap::Square {
            self.half
        } else {
            0.0
        }
    }

    /// An end, so far moved along the line.
    fn put(&mut self, at: Point, along: Point, by: f64) {
        let at = Point::new(at.x + along.x * by, at.y + along.y * by);
        self.pair(at, Point::new(along.y * self.half, -along.x * self.half));
    }

    fn pair(&mut self, at: Point, aside: Point) {
        self.points.push(Point::new(at.x + aside.x, at.y + aside.y));
        self.back.push(Point::new(at.x - aside.x, at.y - aside.y));
    }

    /// A corner, at which both sides meet in one point each.
    fn turn(&mut self, at: Point, before: &Step, after: &Step) -> Option<()> {
        let (a, b) = (before.along, after.along);
        let cosine = a.x * b.x + a.y * b.y;
        // By half the turn: how long the point is, and what of the steps is left of it on the inner side.
        let (sum, tangent) = (1.0 + cosine, ((1.0 - cosine) / (1.0 + cosine)).sqrt());
        let pointed = self.pointed || self.half * tangent * tangent < CLOSE;
        let roomy = before.length.min(after.length) > 2.0 * self.half * tangent;
        if !(cosine > STRAIGHT && pointed && roomy) {
            return None;
        }
        let scale = self.half / sum;
        self.pair(at, Point::new((a.y + b.y) * scale, -(a.x + b.x) * scale));
        Some(())
    }

    /// The outlines, each closed by its first point.
    pub fn outlines(&self) -> impl Iterator<Item = &[Point]> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let outline = &self.points[begin..end];
            begin = end;
            outline
        })
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// From one point to the next.
struct Step {
    /// Of length one.
    along: Point,
    length: f64,
}

impl Step {
    fn new(from: Point, to: Point) -> Option<Step> {
        let (x, y) = (to.x - from.x, to.y - from.y);
        let length = (x * x + y * y).sqrt();
        (length > 1e-9 && length.is_finite()).then(|| Step {
            along: Point::new(x / length, y / length),
            length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Outline, StrokeStyle};
    use super::*;
    use crate::geometry::IRect;
    use crate::matrix::Matrix;
    use crate::path::{FillRule, Path};
    use crate::raster::Raster;
    use proptest::prelude::*;

    const CLIP: IRect = IRect::new(0, 0, 60, 60);

    fn coverage(lines: impl FnOnce(&mut dyn FnMut(Point, Point))) -> Vec<u8> {
        let mut raster = Raster::default();
        raster.begin(CLIP);
        lines(&mut |a, b| raster.line(a, b));
        let mut out = vec![0; CLIP.width() * CLIP.height()];
        raster.sweep(FillRule::NonZero, |band| {
            band.copy_to(&mut out, CLIP.width(), (0, 0))
        });
        out
    }

    /// 16x16 samples a pixel.
    fn sampled(outline: &Outline, pixel: usize) -> f64 {
        let (x, y) = ((pixel % CLIP.width()) as f64, (pixel / CLIP.width()) as f64);
        let at = |i: u32| (f64::from(i) + 0.5) / 16.0;
        let samples = (0..256).map(|i| Point::new(x + at(i % 16), y + at(i / 16)));
        samples.filter(|p| outline.contains(*p)).count() as f64 / 256.0 * 255.0
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(200))]
        // Where the stroker's outline crosses itself, as at the inner side of a corner, areas are counted twice
        // (`raster`), so that samples of it judge there.
        #[test]
        fn ribbons_cover_what_the_stroker_covers(
            start in (10.0..50.0f64, 10.0..50.0f64), heading in 0.0..6.3f64,
            steps in prop::collection::vec((1.0..9.0f64, -0.3..0.3f64), 1..8), width in 0.3..6.0f64,
            square in any::<bool>(), join in 0usize..3
        ) {
            let style = StrokeStyle {
                width,
                cap: if square { LineCap::Square } else { LineCap::Butt },
                join: [LineJoin::Miter, LineJoin::Round, LineJoin::Bevel][join],
                ..StrokeStyle::default()
            };
            let (mut at, mut heading) = (Point::new(start.0, start.1), heading);
            let (mut line, mut path) = (vec![at], Path::new());
            path.move_to(at.x, at.y);
            for (length, turn) in steps {
                heading += turn;
                at = Point::new(at.x + length * heading.cos(), at.y + length * heading.sin());
                line.push(at);
                path.line_to(at.x, at.y);
            }
            let mut ribbons = Ribbons::new(&style, width);
            if ribbons.add(&line) {
                let own = coverage(|sink| {
                    for outline in ribbons.outlines() {
                        for i in 0..outline.len() {
                            sink(outline[i], outline[(i + 1) % outline.len()]);
                        }
                    }
                });
                let stroked = Outline::new(&path, &Matrix::IDENTITY, &style, CLIP).expect("an outline");
                let other = coverage(|sink| stroked.for_each_line(sink));
                for (pixel, (own, other)) in own.iter().zip(other).enumerate() {
                    if own.abs_diff(other) > 9 {
                        let truth = sampled(&stroked, pixel);
                        prop_assert!((f64::from(*own) - truth).abs() <= 9.0, "{own}, {other}, samples {truth}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_turns_sharply_or_is_too_short_is_the_strokers() {
        let style = StrokeStyle::default();
        let p = Point::new;
        let mut ribbons = Ribbons::new(&style, 4.0);
        assert!(!ribbons.add(&[p(0.0, 0.0), p(9.0, 0.0), p(9.0, 9.0)]));
        assert!(!ribbons.add(&[p(0.0, 0.0), p(9.0, 0.0), p(9.1, 0.02), p(19.0, 2.0)]));
        assert!(!ribbons.add(&[p(0.0, 0.0), p(0.0, 0.0)]));
        assert!(!ribbons.add(&[p(0.0, 0.0)]));
        assert!(ribbons.is_empty());
        assert!(ribbons.add(&[p(0.0, 0.0), p(9.0, 0.0)]));
        let sides: Vec<_> = ribbons.outlines().collect();
        assert_eq!(sides, [[p(0.0, -2.0), p(9.0, -2.0), p(9.0, 2.0), p(0.0, 2.0)]]);
    }
}
