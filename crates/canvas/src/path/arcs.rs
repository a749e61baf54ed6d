//! Circles and corners as cubic curves.

use super::Segment;
use super::builder::{Ellipse, Radius};
use crate::matrix::Point;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Signed sweep from `start` to `end`, at most one full turn.
pub(super) fn sweep(start: f64, end: f64, counterclockwise: bool) -> f64 {
    let delta = end - start;
    if counterclockwise {
        if delta <= -TAU {
            -TAU
        } else if delta > 0.0 {
            -(TAU - delta % TAU)
        } else {
            delta
        }
    } else if delta >= TAU {
        TAU
    } else if delta < 0.0 {
        TAU - (-delta) % TAU
    } else {
        delta
    }
}

pub(super) fn on_circle(angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    Point::new(cos, sin)
}

/// The unit circle from `start` over `sweep`, in pieces of at most a quarter turn.
pub(super) fn circle_arc(start: f64, sweep: f64) -> impl Iterator<Item = [Point; 3]> {
    let pieces = (sweep.abs() / FRAC_PI_2 - 1e-9).ceil().clamp(0.0, 4.0) as u32;
    let step = if pieces == 0 {
        0.0
    } else {
        sweep / f64::from(pieces)
    };
    let k = 4.0 / 3.0 * (step / 4.0).tan();
    let full = sweep.abs() >= TAU;
    (0..pieces).map(move |i| {
        let a0 = start + step * f64::from(i);
        // A full turn must end exactly where it began.
        let last = i + 1 == pieces;
        let a1 = if last && full {
            start
        } else {
            start + step * f64::from(i + 1)
        };
        let (p0, p1) = (on_circle(a0), on_circle(a1));
        [
            Point::new(p0.x - k * p0.y, p0.y + k * p0.x),
            Point::new(p1.x + k * p1.y, p1.y - k * p1.x),
            p1,
        ]
    })
}

/// The arc of `arcTo`: touching both lines. `None` where the standard asks for a line to `p1`.
pub(super) fn tangent_arc(p0: Point, p1: Point, p2: Point, radius: f64) -> Option<Ellipse> {
    let (ax, ay) = (p0.x - p1.x, p0.y - p1.y);
    let (bx, by) = (p2.x - p1.x, p2.y - p1.y);
    let (la, lb) = (ax.hypot(ay), bx.hypot(by));
    if la == 0.0 || lb == 0.0 || radius == 0.0 {
        return None;
    }
    let (ax, ay, bx, by) = (ax / la, ay / la, bx / lb, by / lb);
    let cross = ax * by - ay * bx;
    let dot = ax * bx + ay * by;
    if cross.abs() < 1e-12 {
        return None;
    }
    // Distance from the corner to the tangent points, then along the bisector's normal.
    let tangent = radius * (1.0 + dot) / cross.abs();
    let t0 = Point::new(p1.x + ax * tangent, p1.y + ay * tangent);
    let t1 = Point::new(p1.x + bx * tangent, p1.y + by * tangent);
    let side = cross.signum();
    let center = Point::new(t0.x - ay * radius * side, t0.y + ax * radius * side);
    let finite = center.is_finite() && t0.is_finite() && t1.is_finite();
    finite.then(|| Ellipse {
        center,
        radii: Point::new(radius, radius),
        rotation: 0.0,
        start: (t0.y - center.y).atan2(t0.x - center.x),
        end: (t1.y - center.y).atan2(t1.x - center.x),
        counterclockwise: side > 0.0,
    })
}

/// Scales corner radii down so that neighbours do not overlap.
pub(super) fn fit_corners(mut corners: [Radius; 4], w: f64, h: f64) -> [Radius; 4] {
    let [a, b, c, d] = corners;
    let ratio = |side: f64, sum: f64| if sum > side { side / sum } else { 1.0 };
    let factor = ratio(w, a.x + b.x)
        .min(ratio(h, b.y + c.y))
        .min(ratio(w, c.x + d.x))
        .min(ratio(h, d.y + a.y));
    if factor < 1.0 {
        for corner in &mut corners {
            corner.x *= factor;
            corner.y *= factor;
        }
    }
    corners
}

/// A closed rounded rectangle; negative sizes mirror it, which turns its direction around.
pub(super) fn rounded_rect([x, y, w, h]: [f64; 4], [ul, ur, lr, ll]: [Radius; 4]) -> [Segment; 10] {
    /// Control points of a quarter circle lie this part of the radius from the corner.
    const REST: f64 = 1.0 - 0.552_284_749_830_793_4;
    let (sx, sy) = (if w < 0.0 { -1.0 } else { 1.0 }, if h < 0.0 { -1.0 } else { 1.0 });
    let (right, bottom) = (x + w, y + h);
    let left_of = |r: Radius, part: f64| right - sx * r.x * part;
    let right_of = |r: Radius, part: f64| x + sx * r.x * part;
    let below = |r: Radius, part: f64| y + sy * r.y * part;
    let above = |r: Radius, part: f64| bottom - sy * r.y * part;
    let p = Point::new;
    [
        Segment::Move(p(right_of(ul, 1.0), y)),
        Segment::Line(p(left_of(ur, 1.0), y)),
        Segment::Cubic(
            p(left_of(ur, REST), y),
            p(right, below(ur, REST)),
            p(right, below(ur, 1.0)),
        ),
        Segment::Line(p(right, above(lr, 1.0))),
        Segment::Cubic(
            p(right, above(lr, REST)),
            p(left_of(lr, REST), bottom),
            p(left_of(lr, 1.0), bottom),
        ),
        Segment::Line(p(right_of(ll, 1.0), bottom)),
        Segment::Cubic(
            p(right_of(ll, REST), bottom),
            p(x, above(ll, REST)),
            p(x, above(ll, 1.0)),
        ),
        Segment::Line(p(x, below(ul, 1.0))),
        Segment::Cubic(
            p(x, below(ul, REST)),
            p(right_of(ul, REST), y),
            p(right_of(ul, 1.0), y),
        ),
        Segment::Close,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn sweeps_follow_the_direction_and_stop_at_a_full_turn() {
        assert_eq!(sweep(0.0, 7.0, false), TAU);
        assert_eq!(sweep(0.0, -7.0, true), -TAU);
        assert!((sweep(0.0, PI, false) - PI).abs() < 1e-12);
        assert!((sweep(0.0, PI, true) + PI).abs() < 1e-12);
        assert!((sweep(0.0, -PI, false) - PI).abs() < 1e-12);
        assert_eq!(sweep(1.0, 1.0, false), 0.0);
    }

    #[test]
    fn pieces_stay_on_the_circle_and_a_full_turn_closes() {
        let pieces: Vec<_> = circle_arc(0.3, TAU).collect();
        assert_eq!(pieces.len(), 4);
        assert_eq!(pieces[3][2], on_circle(0.3));
        let [c1, c2, end] = pieces[0];
        let start = on_circle(0.3);
        let mid = Point::new(
            (start.x + 3.0 * c1.x + 3.0 * c2.x + end.x) / 8.0,
            (start.y + 3.0 * c1.y + 3.0 * c2.y + end.y) / 8.0,
        );
        assert!((mid.x.hypot(mid.y) - 1.0).abs() < 3e-4);
        assert_eq!(circle_arc(0.0, 0.0).count(), 0);
    }

    #[test]
    fn tangent_arc_touches_both_lines() {
        let p = Point::new;
        let arc = tangent_arc(p(0.0, 0.0), p(10.0, 0.0), p(10.0, 10.0), 4.0).unwrap();
        assert!((arc.center.x - 6.0).abs() < 1e-9 && (arc.center.y - 4.0).abs() < 1e-9);
        assert!(!arc.counterclockwise);
        assert_eq!(tangent_arc(p(0.0, 0.0), p(5.0, 0.0), p(9.0, 0.0), 4.0), None);
        assert_eq!(tangent_arc(p(0.0, 0.0), p(0.0, 0.0), p(9.0, 0.0), 4.0), None);
    }

    #[test]
    fn overlapping_corners_shrink_together() {
        let big = Radius { x: 100.0, y: 50.0 };
        let fitted = fit_corners([big; 4], 100.0, 100.0);
        assert_eq!(fitted[0], Radius { x: 50.0, y: 25.0 });
    }
}
