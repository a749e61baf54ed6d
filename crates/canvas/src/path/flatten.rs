//! Curves into lines, with a bounded number of steps.

use super::{Path, Segment};
use crate::matrix::Point;

/// Largest distance in device pixels between a curve and its lines.
const TOLERANCE: f64 = 0.05;
const MAX_STEPS: f64 = 2048.0;

/// A curve that begins at a known point.
#[derive(Clone, Copy)]
pub(crate) enum Curve {
    Quad(Point, Point),
    Cubic(Point, Point, Point),
}

/// Calls `line` for every piece of `curve`; `scale` is device pixels per unit.
pub(crate) fn flatten_curve(from: Point, curve: Curve, scale: f64, mut line: impl FnMut(Point, Point)) {
    let bend = match curve {
        Curve::Quad(c, end) => second_difference(from, c, end) * 0.25,
        Curve::Cubic(c1, c2, end) => {
            second_difference(from, c1, c2).max(second_difference(c1, c2, end)) * 0.75
        }
    };
    let steps = (bend * scale / TOLERANCE).sqrt().ceil();
    let steps = if steps.is_nan() {
        1.0
    } else {
        steps.clamp(1.0, MAX_STEPS)
    };
    let (power, end) = curve.powers(from);
    let step = 1.0 / steps;
    let mut previous = from;
    for i in 1..(steps as u32) {
        let t = f64::from(i) * step;
        let next = Point::new(power.x.at(t), power.y.at(t));
        line(previous, next);
        previous = next;
    }
    line(previous, end);
}

/// One coordinate of a curve: `((a t + b) t + c) t + d`.
struct Power {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
}

impl Power {
    fn at(&self, t: f64) -> f64 {
        ((self.a * t + self.b) * t + self.c) * t + self.d
    }
}

/// Both coordinates.
struct Powers {
    x: Power,
    y: Power,
}

fn second_difference(a: Point, b: Point, c: Point) -> f64 {
    let (x, y) = (a.x - 2.0 * b.x + c.x, a.y - 2.0 * b.y + c.y);
    // Quicker than hypot; where it overflows, the steps are at their most either way.
    (x * x + y * y).sqrt()
}

impl Curve {
    /// The curve as powers of its parameter, and its end.
    fn powers(&self, from: Point) -> (Powers, Point) {
        match *self {
            Curve::Quad(c, end) => {
                let power = |p: f64, c: f64, e: f64| Power {
                    a: 0.0,
                    b: p - 2.0 * c + e,
                    c: 2.0 * (c - p),
                    d: p,
                };
                let (x, y) = (power(from.x, c.x, end.x), power(from.y, c.y, end.y));
                (Powers { x, y }, end)
            }
            Curve::Cubic(c1, c2, end) => {
                let power = |p: f64, c: f64, d: f64, e: f64| Power {
                    a: e - p + 3.0 * (c - d),
                    b: 3.0 * (p - 2.0 * c + d),
                    c: 3.0 * (c - p),
                    d: p,
                };
                let x = power(from.x, c1.x, c2.x, end.x);
                let y = power(from.y, c1.y, c2.y, end.y);
                (Powers { x, y }, end)
            }
        }
    }
}

impl Path {
    /// All lines of the path with every subpath closed, as filling sees it.
    pub(crate) fn for_each_fill_line(&self, mut line: impl FnMut(Point, Point)) {
        let (mut start, mut last) = (Point::default(), Point::default());
        for segment in self.segments() {
            match *segment {
                Segment::Move(p) => {
                    if last != start {
                        line(last, start);
                    }
                    start = p;
                    last = p;
                }
                Segment::Line(p) => {
                    line(last, p);
                    last = p;
                }
                Segment::Quad(c, p) => {
                    flatten_curve(last, Curve::Quad(c, p), 1.0, &mut line);
                    last = p;
                }
                Segment::Cubic(c1, c2, p) => {
                    flatten_curve(last, Curve::Cubic(c1, c2, p), 1.0, &mut line);
                    last = p;
                }
                Segment::Close => {
                    if last != start {
                        line(last, start);
                    }
                    last = start;
                }
            }
        }
        if last != start {
            line(last, start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_within_tolerance_and_closed() {
        let mut path = Path::new();
        path.arc(0.0, 0.0, 100.0, 0.0, 7.0, false).unwrap();
        let mut lines = Vec::new();
        path.for_each_fill_line(|a, b| lines.push((a, b)));
        assert_eq!(lines[0].0, lines[lines.len() - 1].1);
        for (a, b) in &lines {
            let mid = a.lerp(*b, 0.5);
            assert!((mid.x.hypot(mid.y) - 100.0).abs() < 0.1, "{mid:?}");
        }
        assert!(lines.len() < 200);
    }

    #[test]
    fn steps_are_bounded_for_any_curve() {
        let far = Point::new(1e30, -1e30);
        let mut count = 0;
        flatten_curve(
            Point::default(),
            Curve::Quad(far, Point::default()),
            1e30,
            |_, _| count += 1,
        );
        assert_eq!(count, 2048);
    }
}
