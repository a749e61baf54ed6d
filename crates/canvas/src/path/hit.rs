//! Point-in-path by winding number, borders included as the standard asks.

use super::{FillRule, Path};
use crate::matrix::Point;

/// The winding number of closed lines around a point, told line by line.
pub(crate) struct Winding {
    point: Point,
    number: i64,
    on_edge: bool,
}

impl Winding {
    pub fn new(point: Point) -> Winding {
        Winding {
            point,
            number: 0,
            on_edge: false,
        }
    }

    pub fn line(&mut self, a: Point, b: Point) {
        let p = self.point;
        self.on_edge |= touches(a, b, p);
        if (a.y <= p.y) != (b.y <= p.y) {
            let x = a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x);
            if x > p.x {
                self.number += if b.y > a.y { 1 } else { -1 };
            }
        }
    }

    pub fn contains(&self, rule: FillRule) -> bool {
        self.on_edge
            || match rule {
                FillRule::NonZero => self.number != 0,
                FillRule::EvenOdd => self.number % 2 != 0,
            }
    }
}

impl Path {
    /// Whether `p` lies inside the path or on its outline.
    pub(crate) fn contains(&self, p: Point, rule: FillRule) -> bool {
        let mut winding = Winding::new(p);
        self.for_each_fill_line(|a, b| winding.line(a, b));
        winding.contains(rule)
    }
}

/// Whether `p` is on the line from `a` to `b`, but for rounding.
fn touches(a: Point, b: Point, p: Point) -> bool {
    const NEAR: f64 = 1e-7;
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let len2 = dx * dx + dy * dy;
    if len2 == 0.0 {
        return false;
    }
    let t = (((p.x - a.x) * dx + (p.y - a.y) * dy) / len2).clamp(0.0, 1.0);
    let (ex, ey) = (a.x + t * dx - p.x, a.y + t * dy - p.y);
    ex * ex + ey * ey <= NEAR * NEAR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_depend_on_the_rule_and_borders_count() {
        let mut path = Path::new();
        path.rect(0.0, 0.0, 10.0, 10.0);
        path.rect(2.0, 2.0, 6.0, 6.0);
        let inside = |x, y, rule| path.contains(Point::new(x, y), rule);
        assert!(inside(5.0, 5.0, FillRule::NonZero));
        assert!(!inside(5.0, 5.0, FillRule::EvenOdd));
        assert!(inside(0.0, 0.0, FillRule::NonZero));
        assert!(inside(10.0, 4.0, FillRule::EvenOdd));
        assert!(!inside(10.1, 4.0, FillRule::NonZero));
    }
}
