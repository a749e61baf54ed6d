//! The 2D affine transform of the canvas, in the precision of JavaScript numbers.

/// A point in user or device space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub const fn new(x: f64, y: f64) -> Self {
        Point { x, y }
    }

    pub(crate) fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }

    pub(crate) fn lerp(self, to: Point, t: f64) -> Point {
        Point::new(self.x + (to.x - self.x) * t, self.y + (to.y - self.y) * t)
    }
}

/// `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    pub a: f64,
    pub b: f64,
    pub c: f64,
    pub d: f64,
    pub e: f64,
    pub f: f64,
}

impl Default for Matrix {
    fn default() -> Self {
        Matrix::IDENTITY
    }
}

impl Matrix {
    pub const IDENTITY: Matrix = Matrix::new(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);

    pub const fn new(a: f64, b: f64, c: f64, d: f64, e: f64, f: f64) -> Self {
        Matrix { a, b, c, d, e, f }
    }

    pub const fn translation(x: f64, y: f64) -> Self {
        Matrix::new(1.0, 0.0, 0.0, 1.0, x, y)
    }

    pub const fn scaling(x: f64, y: f64) -> Self {
        Matrix::new(x, 0.0, 0.0, y, 0.0, 0.0)
    }

    pub fn rotation(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Matrix::new(cos, sin, -sin, cos, 0.0, 0.0)
    }

    /// `self` after `inner`: points go through `inner` first (DOMMatrix.multiply).
    #[must_use]
    pub fn multiply(&self, inner: Matrix) -> Matrix {
        Matrix {
            a: self.a * inner.a + self.c * inner.b,
            b: self.b * inner.a + self.d * inner.b,
            c: self.a * inner.c + self.c * inner.d,
            d: self.b * inner.c + self.d * inner.d,
            e: self.a * inner.e + self.c * inner.f + self.e,
            f: self.b * inner.e + self.d * inner.f + self.f,
        }
    }

    pub fn apply(&self, p: Point) -> Point {
        Point::new(
            self.a * p.x + self.c * p.y + self.e,
            self.b * p.x + self.d * p.y + self.f,
        )
    }

    pub fn determinant(&self) -> f64 {
        self.a * self.d - self.b * self.c
    }

    /// `None` when the plane collapses or the numbers overflow.
    pub fn invert(&self) -> Option<Matrix> {
        let det = self.determinant();
        if !self.is_finite() || !det.is_finite() || det == 0.0 {
            return None;
        }
        let inverse = Matrix {
            a: self.d / det,
            b: -self.b / det,
            c: -self.c / det,
            d: self.a / det,
            e: (self.c * self.f - self.d * self.e) / det,
            f: (self.b * self.e - self.a * self.f) / det,
        };
        inverse.is_finite().then_some(inverse)
    }

    pub fn is_finite(&self) -> bool {
        [self.a, self.b, self.c, self.d, self.e, self.f]
            .iter()
            .all(|v| v.is_finite())
    }

    /// The transform without its translation.
    pub(crate) fn linear(&self) -> Matrix {
        Matrix {
            e: 0.0,
            f: 0.0,
            ..*self
        }
    }

    /// Axis-parallel rectangles stay axis-parallel.
    pub(crate) fn keeps_rects(&self) -> bool {
        (self.b == 0.0 && self.c == 0.0) || (self.a == 0.0 && self.d == 0.0)
    }

    /// The factor of a uniform scale (with rotation or reflection), if it is one.
    pub(crate) fn similarity(&self) -> Option<f64> {
        let (x, y) = (self.a.hypot(self.b), self.c.hypot(self.d));
        let size = x.max(y);
        let square = (x - y).abs() <= size * 1e-9;
        let right_angle = (self.a * self.c + self.b * self.d).abs() <= size * size * 1e-9;
        (square && right_angle && size.is_finite()).then_some(size)
    }

    /// The largest factor by which a length can grow (an upper bound).
    pub(crate) fn max_scale(&self) -> f64 {
        self.a.hypot(self.b).max(self.c.hypot(self.d)) * std::f64::consts::SQRT_2
    }

    /// For tiny-skia's shaders; `None` when a value does not fit its arithmetic.
    pub(crate) fn to_skia(self) -> Option<tiny_skia::Transform> {
        let values = [self.a, self.b, self.c, self.d, self.e, self.f];
        if !values.iter().all(|v| v.is_finite() && v.abs() < 1e15) {
            return None;
        }
        let [a, b, c, d, e, f] = values.map(|v| v as f32);
        let ts = tiny_skia::Transform::from_row(a, b, c, d, e, f);
        ts.invert().filter(|inverse| inverse.is_finite()).map(|_| ts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_goes_first_and_the_inverse_undoes_it() {
        let m = Matrix::translation(10.0, 0.0).multiply(Matrix::scaling(2.0, 3.0));
        let p = m.apply(Point::new(1.0, 1.0));
        assert_eq!(p, Point::new(12.0, 3.0));
        assert_eq!(m.invert().unwrap().apply(p), Point::new(1.0, 1.0));
    }

    #[test]
    fn collapsed_and_overflowing_transforms_have_no_inverse() {
        assert_eq!(Matrix::scaling(0.0, 1.0).invert(), None);
        assert_eq!(Matrix::scaling(1e308, 1e308).invert(), None);
        assert_eq!(Matrix::new(1.0, 1.0, 1.0, 1.0, 0.0, 0.0).invert(), None);
    }

    #[test]
    fn similarity_sees_rotation_but_not_stretch() {
        let turned = Matrix::rotation(0.7).multiply(Matrix::scaling(-3.0, 3.0));
        assert!((turned.similarity().unwrap() - 3.0).abs() < 1e-9);
        assert_eq!(Matrix::scaling(1.0, 2.0).similarity(), None);
        assert_eq!(Matrix::new(1.0, 0.0, 1.0, 1.0, 0.0, 0.0).similarity(), None);
    }
}
