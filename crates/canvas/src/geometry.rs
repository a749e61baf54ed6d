//! Integer and floating rectangles shared by the drawing stages.

use crate::matrix::Point;

/// A rectangle with a corner and a size; the size may be negative, as in the DOM calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RectF {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl RectF {
    pub const fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        RectF { x, y, w, h }
    }

    pub(crate) fn is_finite(&self) -> bool {
        [self.x, self.y, self.w, self.h].iter().all(|v| v.is_finite())
    }
}

/// Half-open pixel rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IRect {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
}

impl IRect {
    pub const EMPTY: IRect = IRect::new(0, 0, 0, 0);

    pub const fn new(x0: i32, y0: i32, x1: i32, y1: i32) -> Self {
        IRect { x0, y0, x1, y1 }
    }

    /// From a corner and a size in i64, so that no caller's arithmetic overflows.
    pub fn from_size(x: i64, y: i64, w: i64, h: i64) -> Self {
        let fit = |v: i64| v.clamp(i64::from(i32::MIN / 2), i64::from(i32::MAX / 2)) as i32;
        IRect::new(fit(x), fit(y), fit(x.saturating_add(w)), fit(y.saturating_add(h)))
    }

    /// The pixels that the box touches; saturating, NaN gives an empty rectangle.
    pub fn around(min: Point, max: Point) -> Self {
        if !(min.x <= max.x && min.y <= max.y) {
            return IRect::EMPTY;
        }
        let fit = |v: f64| v.clamp(-1e9, 1e9) as i32;
        IRect::new(
            fit(min.x.floor()),
            fit(min.y.floor()),
            fit(max.x.ceil()),
            fit(max.y.ceil()),
        )
    }

    pub fn is_empty(&self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    pub fn width(&self) -> usize {
        (self.x1 - self.x0).max(0) as usize
    }

    pub fn height(&self) -> usize {
        (self.y1 - self.y0).max(0) as usize
    }

    #[must_use]
    pub fn intersect(&self, other: IRect) -> IRect {
        let r = IRect::new(
            self.x0.max(other.x0),
            self.y0.max(other.y0),
            self.x1.min(other.x1),
            self.y1.min(other.y1),
        );
        if r.is_empty() { IRect::EMPTY } else { r }
    }

    /// The columns `from..to`, counted from its left side.
    #[must_use]
    pub fn columns(&self, from: usize, to: usize) -> IRect {
        IRect {
            x0: self.x0 + from as i32,
            x1: self.x0 + to as i32,
            ..*self
        }
    }

    /// The smallest rectangle around both, of which neither is empty.
    #[must_use]
    pub fn union(&self, other: IRect) -> IRect {
        IRect::new(
            self.x0.min(other.x0),
            self.y0.min(other.y0),
            self.x1.max(other.x1),
            self.y1.max(other.y1),
        )
    }

    #[must_use]
    pub fn outset(&self, by: i32) -> IRect {
        IRect::new(
            self.x0.saturating_sub(by),
            self.y0.saturating_sub(by),
            self.x1.saturating_add(by),
            self.y1.saturating_add(by),
        )
    }

    #[must_use]
    pub fn shift(&self, dx: i32, dy: i32) -> IRect {
        IRect::new(
            self.x0.saturating_add(dx),
            self.y0.saturating_add(dy),
            self.x1.saturating_add(dx),
            self.y1.saturating_add(dy),
        )
    }

    #[must_use]
    pub fn rows(&self, y0: i32, y1: i32) -> IRect {
        IRect::new(self.x0, y0, self.x1, y1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_boxes_are_empty_not_a_panic() {
        assert!(IRect::around(Point::new(f64::NAN, 0.0), Point::new(1.0, 1.0)).is_empty());
        assert!(IRect::around(Point::new(5.0, 0.0), Point::new(1.0, 1.0)).is_empty());
        let huge = IRect::around(Point::new(-1e308, -1e308), Point::new(1e308, 1e308));
        assert_eq!(huge.intersect(IRect::new(0, 0, 4, 4)), IRect::new(0, 0, 4, 4));
        assert_eq!(IRect::from_size(i64::MAX, 0, i64::MAX, 1).width(), 0);
    }
}
