//! Path calls, filling, stroking, clipping and hit tests.

use super::recording::Drawn;
use super::surface::Ink;
use super::{Context2d, scratch};
use crate::error::CanvasError;
use crate::matrix::{Matrix, Point};
use crate::paint::Style;
use crate::path::{Ellipse, FillRule, Path, Radius};
use crate::stroke::Outline;

/// The current path.
impl Context2d {
    pub fn begin_path(&mut self) {
        self.path.clear();
    }

    pub fn close_path(&mut self) {
        self.path.close_path();
    }

    pub fn move_to(&mut self, x: f64, y: f64) {
        self.path.move_to_in(&self.state.ctm, x, y);
    }

    pub fn line_to(&mut self, x: f64, y: f64) {
        self.path.line_to_in(&self.state.ctm, x, y);
    }

    pub fn quadratic_curve_to(&mut self, cpx: f64, cpy: f64, x: f64, y: f64) {
        self.path.quadratic_curve_to_in(&self.state.ctm, cpx, cpy, x, y);
    }

    pub fn bezier_curve_to(&mut self, c1x: f64, c1y: f64, c2x: f64, c2y: f64, x: f64, y: f64) {
        let (c1, c2, end) = (Point::new(c1x, c1y), Point::new(c2x, c2y), Point::new(x, y));
        self.path.bezier_curve_to_in(&self.state.ctm, c1, c2, end);
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
        self.ellipse(&Ellipse::circle([x, y, radius], start, end, counterclockwise))
    }

    pub fn arc_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, radius: f64) -> Result<(), CanvasError> {
        self.path
            .arc_to_in(&self.state.ctm, Point::new(x1, y1), Point::new(x2, y2), radius)
    }

    pub fn ellipse(&mut self, ellipse: &Ellipse) -> Result<(), CanvasError> {
        self.path.ellipse_in(&self.state.ctm, ellipse)
    }

    pub fn rect(&mut self, x: f64, y: f64, w: f64, h: f64) {
        self.path.rect_in(&self.state.ctm, x, y, w, h);
    }

    pub fn round_rect(
        &mut self,
        x: f64,
        y: f64,
        w: f64,
        h: f64,
        radii: &[Radius],
    ) -> Result<(), CanvasError> {
        self.path.round_rect_in(&self.state.ctm, [x, y, w, h], radii)
    }
}

/// What is done with paths.
impl Context2d {
    pub fn fill(&mut self, rule: FillRule) {
        self.with_current_path(|context, path| context.fill_device_path(path, rule));
    }

    pub fn stroke(&mut self) {
        self.with_current_path(Context2d::stroke_device_path);
    }

    pub fn clip(&mut self, rule: FillRule) {
        self.with_current_path(|context, path| context.clip_device_path(path, rule));
    }

    pub fn fill_path(&mut self, path: &Path, rule: FillRule) {
        self.fill_device_path(&path.transformed(&self.state.ctm), rule);
    }

    pub fn stroke_path(&mut self, path: &Path) {
        self.stroke_device_path(&path.transformed(&self.state.ctm));
    }

    pub fn clip_path(&mut self, path: &Path, rule: FillRule) {
        self.clip_device_path(&path.transformed(&self.state.ctm), rule);
    }

    /// The point is in canvas pixels, untouched by the transform.
    pub fn is_point_in_path(&self, x: f64, y: f64, rule: FillRule) -> bool {
        x.is_finite() && y.is_finite() && self.path.contains(self.on_layer_point(x, y), rule)
    }

    pub fn is_point_in_stroke(&self, x: f64, y: f64) -> bool {
        self.stroke_contains(&self.path, x, y)
    }

    pub fn is_point_in_this_path(&self, path: &Path, x: f64, y: f64, rule: FillRule) -> bool {
        let path = path.transformed(&self.state.ctm);
        x.is_finite() && y.is_finite() && path.contains(self.on_layer_point(x, y), rule)
    }

    pub fn is_point_in_this_stroke(&self, path: &Path, x: f64, y: f64) -> bool {
        self.stroke_contains(&path.transformed(&self.state.ctm), x, y)
    }

    fn stroke_contains(&self, path: &Path, x: f64, y: f64) -> bool {
        let point = self.on_layer_point(x, y);
        if !point.is_finite() || x.abs() > 1e8 || y.abs() > 1e8 {
            return false;
        }
        let around = crate::geometry::IRect::around(point, point).outset(1);
        Outline::new(path, &self.state.ctm, &self.state.line, around)
            .is_some_and(|outline| outline.contains(point))
    }

    /// A point of the canvas, on what is drawn on.
    fn on_layer_point(&self, x: f64, y: f64) -> Point {
        Point::new(x - f64::from(self.origin.0), y - f64::from(self.origin.1))
    }

    /// Lends the current path out, so that drawing may borrow the rest.
    fn with_current_path(&mut self, draw: impl FnOnce(&mut Context2d, &Path)) {
        let path = std::mem::take(&mut self.path);
        draw(self, &path);
        self.path = path;
    }

    pub(super) fn fill_device_path(&mut self, path: &Path, rule: FillRule) {
        let style = self.state.fill.clone();
        self.fill_styled(path, rule, &style);
    }

    pub(super) fn fill_styled(&mut self, path: &Path, rule: FillRule, style: &Style) {
        self.recorded(&Drawn::Fill(path, rule, style), |context| {
            context.draw_styled(&|line| path.for_each_fill_line(line), rule, style);
        });
    }

    fn clip_device_path(&mut self, path: &Path, rule: FillRule) {
        scratch::with(|scratch| self.state.clip.intersect(path, rule, &mut scratch.raster));
        if self.records() {
            self.state.clip.said.narrow(path, rule);
        }
    }

    pub(super) fn stroke_device_path(&mut self, path: &Path) {
        let style = self.state.stroke.clone();
        self.recorded(&Drawn::Stroke(path, &style), |context| {
            context.stroke_styled(path, &style);
        });
    }

    pub(super) fn stroke_styled(&mut self, path: &Path, style: &Style) {
        let mut seen = self.state.clip.rect;
        if self.state.shadow.shows() {
            // What casts into the clip may itself lie beyond it.
            let shadow = &self.state.shadow;
            let reach = shadow.offset_x.abs().max(shadow.offset_y.abs()) + shadow.blur.min(1000.0) * 3.0;
            seen = seen.outset(reach.min(1e6) as i32);
        }
        let Some(outline) = Outline::new(path, &self.state.ctm, &self.state.line, seen) else {
            // An empty stroke still clears what lies outside of it.
            self.draw_styled(&|_| {}, FillRule::NonZero, style);
            return;
        };
        self.draw_styled(&|line| outline.for_each_line(line), FillRule::NonZero, style);
    }

    pub(super) fn draw_styled(&mut self, shape: super::surface::Shape, rule: FillRule, style: &Style) {
        let (smoothing, space) = (self.smoothing(), self.canvas.space());
        self.draw(shape, rule, |ctm: &Matrix, opacity| {
            Ink::of_style(style, ctm, (opacity, space), smoothing)
        });
    }
}
