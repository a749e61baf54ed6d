//! The path calls of the standard (CanvasPath), each through the transform of its moment.

use super::{Path, Segment, arcs};
use crate::error::CanvasError;
use crate::matrix::{Matrix, Point};

/// The radii of one corner of a rounded rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radius {
    pub x: f64,
    pub y: f64,
}

/// The parameters of `ellipse`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    pub center: Point,
    pub radii: Point,
    pub rotation: f64,
    pub start: f64,
    pub end: f64,
    pub counterclockwise: bool,
}

fn finite(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}

/// The calls with an explicit transform, for a context's current path.
impl Path {
    pub(crate) fn move_to_in(&mut self, m: &Matrix, x: f64, y: f64) {
        if finite(&[x, y]) {
            self.push(Segment::Move(Point::new(x, y)), m);
        }
    }

    pub(crate) fn line_to_in(&mut self, m: &Matrix, x: f64, y: f64) {
        if !finite(&[x, y]) {
            return;
        }
        let p = Point::new(x, y);
        let step = if self.start.is_none() {
            Segment::Move(p)
        } else {
            Segment::Line(p)
        };
        self.push(step, m);
    }

    pub(crate) fn quadratic_curve_to_in(&mut self, m: &Matrix, cpx: f64, cpy: f64, x: f64, y: f64) {
        if !finite(&[cpx, cpy, x, y]) {
            return;
        }
        let control = Point::new(cpx, cpy);
        self.ensure_subpath(m, control);
        self.push(Segment::Quad(control, Point::new(x, y)), m);
    }

    pub(crate) fn bezier_curve_to_in(&mut self, m: &Matrix, c1: Point, c2: Point, end: Point) {
        if !(c1.is_finite() && c2.is_finite() && end.is_finite()) {
            return;
        }
        self.ensure_subpath(m, c1);
        self.push(Segment::Cubic(c1, c2, end), m);
    }

    pub(crate) fn ellipse_in(&mut self, m: &Matrix, e: &Ellipse) -> Result<(), CanvasError> {
        let all = [
            e.center.x, e.center.y, e.radii.x, e.radii.y, e.rotation, e.start, e.end,
        ];
        if !finite(&all) {
            return Ok(());
        }
        if e.radii.x < 0.0 || e.radii.y < 0.0 {
            return Err(CanvasError::NegativeRadius);
        }
        let frame = Matrix::translation(e.center.x, e.center.y)
            .multiply(Matrix::rotation(e.rotation))
            .multiply(Matrix::scaling(e.radii.x, e.radii.y));
        let sweep = arcs::sweep(e.start, e.end, e.counterclockwise);
        let begin = frame.apply(arcs::on_circle(e.start));
        self.line_to_in(m, begin.x, begin.y);
        for [c1, c2, end] in arcs::circle_arc(e.start, sweep) {
            self.push(
                Segment::Cubic(frame.apply(c1), frame.apply(c2), frame.apply(end)),
                m,
            );
        }
        Ok(())
    }

    pub(crate) fn arc_to_in(
        &mut self,
        m: &Matrix,
        p1: Point,
        p2: Point,
        radius: f64,
    ) -> Result<(), CanvasError> {
        if !finite(&[p1.x, p1.y, p2.x, p2.y, radius]) {
            return Ok(());
        }
        if radius < 0.0 {
            return Err(CanvasError::NegativeRadius);
        }
        self.ensure_subpath(m, p1);
        // The pen is kept in device space; the tangents are of user space.
        let Some(p0) = m.invert().map(|inverse| inverse.apply(self.last)) else {
            self.line_to_in(m, p1.x, p1.y);
            return Ok(());
        };
        match arcs::tangent_arc(p0, p1, p2, radius) {
            None => self.line_to_in(m, p1.x, p1.y),
            Some(arc) => self.ellipse_in(m, &arc)?,
        }
        Ok(())
    }

    pub(crate) fn rect_in(&mut self, m: &Matrix, x: f64, y: f64, w: f64, h: f64) {
        if !finite(&[x, y, w, h]) {
            return;
        }
        self.move_to_in(m, x, y);
        self.push(Segment::Line(Point::new(x + w, y)), m);
        self.push(Segment::Line(Point::new(x + w, y + h)), m);
        self.push(Segment::Line(Point::new(x, y + h)), m);
        self.push(Segment::Close, m);
        self.move_to_in(m, x, y);
    }

    pub(crate) fn round_rect_in(
        &mut self,
        m: &Matrix,
        [x, y, w, h]: [f64; 4],
        radii: &[Radius],
    ) -> Result<(), CanvasError> {
        if !finite(&[x, y, w, h]) {
            return Ok(());
        }
        let corners = match *radii {
            [all] => [all; 4],
            [a, b] => [a, b, a, b],
            [a, b, c] => [a, b, c, b],
            [a, b, c, d] => [a, b, c, d],
            _ => return Err(CanvasError::RadiusCount(radii.len())),
        };
        if corners.iter().any(|r| !finite(&[r.x, r.y])) {
            return Ok(());
        }
        if corners.iter().any(|r| r.x < 0.0 || r.y < 0.0) {
            return Err(CanvasError::NegativeCornerRadius);
        }
        let corners = arcs::fit_corners(corners, w.abs(), h.abs());
        if corners.iter().all(|r| r.x == 0.0 || r.y == 0.0) {
            self.rect_in(m, x, y, w, h);
            return Ok(());
        }
        for segment in arcs::rounded_rect([x, y, w, h], corners) {
            self.push(segment, m);
        }
        self.move_to_in(m, x, y);
        Ok(())
    }

    /// A curve without a subpath begins at its first control point.
    fn ensure_subpath(&mut self, m: &Matrix, p: Point) {
        if self.start.is_none() {
            self.move_to_in(m, p.x, p.y);
        }
    }
}

/// Path2D's own calls.
impl Path {
    pub fn close_path(&mut self) {
        self.push(Segment::Close, &Matrix::IDENTITY);
    }

    pub fn move_to(&mut self, x: f64, y: f64) {
        self.move_to_in(&Matrix::IDENTITY, x, y);
    }

    pub fn line_to(&mut self, x: f64, y: f64) {
        self.line_to_in(&Matrix::IDENTITY, x, y);
    }

    pub fn quadratic_curve_to(&mut self, cpx: f64, cpy: f64, x: f64, y: f64) {
        self.quadratic_curve_to_in(&Matrix::IDENTITY, cpx, cpy, x, y);
    }

    pub fn bezier_curve_to(&mut self, c1x: f64, c1y: f64, c2x: f64, c2y: f64, x: f64, y: f64) {
        let (c1, c2, end) = (Point::new(c1x, c1y), Point::new(c2x, c2y), Point::new(x, y));
        self.bezier_curve_to_in(&Matrix::IDENTITY, c1, c2, end);
    }

    pub fn arc(
        &mut self,
        x: f64,
        y: f64,
        radius: f64,
        start: f64,
        end: f64,
        counterclockwise: bool,
    ) -> Result<(), CanvasError> {
        self.ellipse_in(
            &Matrix::IDENTITY,
            &Ellipse::circle([x, y, radius], start, end, counterclockwise),
        )
    }

    pub fn arc_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, radius: f64) -> Result<(), CanvasError> {
        self.arc_to_in(&Matrix::IDENTITY, Point::new(x1, y1), Point::new(x2, y2), radius)
    }

    pub fn ellipse(&mut self, ellipse: &Ellipse) -> Result<(), CanvasError> {
        self.ellipse_in(&Matrix::IDENTITY, ellipse)
    }

    pub fn rect(&mut self, x: f64, y: f64, w: f64, h: f64) {
        self.rect_in(&Matrix::IDENTITY, x, y, w, h);
    }

    pub fn round_rect(
        &mut self,
        x: f64,
        y: f64,
        w: f64,
        h: f64,
        radii: &[Radius],
    ) -> Result<(), CanvasError> {
        self.round_rect_in(&Matrix::IDENTITY, [x, y, w, h], radii)
    }
}

impl Ellipse {
    /// The ellipse of an `arc` call; `circle` is x, y, radius.
    pub fn circle([x, y, radius]: [f64; 3], start: f64, end: f64, counterclockwise: bool) -> Ellipse {
        Ellipse {
            center: Point::new(x, y),
            radii: Point::new(radius, radius),
            rotation: 0.0,
            start,
            end,
            counterclockwise,
        }
    }
}
