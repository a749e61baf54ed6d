//! fillText, strokeText, measureText.

use super::color_text::Outlines;
use super::recording::Drawn;
use super::{Context2d, scratch};
use crate::matrix::{Matrix, Point};
use crate::path::FillRule;
use crate::text::{Direction, Line, MeasuredText, TextCluster, TextMetrics, TextStyle, Vertical};
use std::sync::Arc;

impl Context2d {
    pub fn fill_text(&mut self, text: &str, x: f64, y: f64, max_width: Option<f64>) {
        if let Some((line, place)) = self.place_text(text, x, y, max_width) {
            self.fill_placed(&line, place);
        }
    }

    fn fill_placed(&mut self, line: &Line, place: Matrix) {
        if line.colored {
            self.draw_colored(line, place, Outlines::Filled);
            return;
        }
        let matrix = self.state.ctm.multiply(place);
        self.recorded(&Drawn::Text(line, &matrix), |context| {
            context.fill_line(line, &matrix);
        });
    }

    fn fill_line(&mut self, line: &Line, matrix: &Matrix) {
        let clip = self.state.clip.rect;
        let plain = self.paints_plainly();
        let drawn = scratch::with(|scratch| {
            let covered = plain && line.cover(&self.fonts, matrix, clip, &mut scratch.cover);
            if covered {
                self.fill_cover(scratch);
            }
            covered
        });
        if drawn {
            return;
        }
        self.fill_device_path(&line.to_path(matrix), FillRule::NonZero);
    }

    pub fn stroke_text(&mut self, text: &str, x: f64, y: f64, max_width: Option<f64>) {
        if let Some((line, place)) = self.place_text(text, x, y, max_width) {
            self.stroke_placed(&line, place);
        }
    }

    fn stroke_placed(&mut self, line: &Line, place: Matrix) {
        if line.colored {
            self.draw_colored(line, place, Outlines::Stroked);
            return;
        }
        let path = line.to_path(&self.state.ctm.multiply(place));
        self.stroke_device_path(&path);
    }

    /// Draws the cluster of a measured text that begins at the code unit `cluster.start`, as it was shaped
    /// there and as it would be painted now.
    pub fn fill_text_cluster(&mut self, text: &MeasuredText, cluster: &TextCluster, x: f64, y: f64) {
        if let Some((line, place)) = self.place_cluster(text, cluster, x, y) {
            self.fill_placed(&line, place);
        }
    }

    pub fn stroke_text_cluster(&mut self, text: &MeasuredText, cluster: &TextCluster, x: f64, y: f64) {
        if let Some((line, place)) = self.place_cluster(text, cluster, x, y) {
            self.stroke_placed(&line, place);
        }
    }

    fn place_cluster(
        &self,
        text: &MeasuredText,
        cluster: &TextCluster,
        x: f64,
        y: f64,
    ) -> Option<(Line, Matrix)> {
        if ![x, y, cluster.x, cluster.y].iter().all(|v| v.is_finite()) {
            return None;
        }
        let at = (Point::new(x, y), Point::new(cluster.x, cluster.y));
        let (line, origin) = text.part(cluster.start, at, cluster.align, cluster.baseline)?;
        Some((line, Matrix::translation(origin.x, origin.y)))
    }

    /// The text as it is shaped and aligned now, for later.
    pub fn measured(&self, text: &str) -> MeasuredText {
        MeasuredText::new(
            &self.fonts,
            text,
            &self.style(),
            self.state.align,
            self.state.baseline,
        )
    }

    pub fn measure_text(&mut self, text: &str) -> TextMetrics {
        let line = self.shape(text);
        let vertical = Vertical::of(&self.fonts, &self.state.font);
        let rise = vertical.rise(self.state.baseline);
        let left = -self.lead(line.width);
        let ink = line.ink();
        let ink = |pick: fn((crate::matrix::Point, crate::matrix::Point)) -> f64| ink.map(pick);
        TextMetrics {
            width: line.width,
            actual_bounding_box_left: ink(|b| -b.0.x).map_or(0.0, |v| v + left),
            actual_bounding_box_right: ink(|b| b.1.x).map_or(0.0, |v| v - left),
            actual_bounding_box_ascent: ink(|b| -b.0.y).map_or(0.0, |v| v - rise),
            actual_bounding_box_descent: ink(|b| b.1.y).map_or(0.0, |v| v + rise),
            font_bounding_box_ascent: vertical.ascent - rise,
            font_bounding_box_descent: vertical.descent + rise,
            em_height_ascent: vertical.em_ascent - rise,
            em_height_descent: vertical.em_descent + rise,
            hanging_baseline: vertical.hanging - rise,
            alphabetic_baseline: -rise,
            ideographic_baseline: vertical.ideographic - rise,
        }
    }

    fn style(&self) -> TextStyle<'_> {
        TextStyle {
            font: &self.state.font,
            direction: self.state.direction,
            options: &self.state.text,
        }
    }

    fn shape(&self, text: &str) -> Arc<Line> {
        Line::shape(&self.fonts, text, &self.style())
    }

    /// Where a line of this width begins, relative to the alignment point.
    fn lead(&self, width: f64) -> f64 {
        let rtl = self.state.direction == Direction::Rtl;
        self.state.align.lead(rtl, width)
    }

    /// The shaped text and the way from its line to user space; `None` draws nothing.
    fn place_text(&self, text: &str, x: f64, y: f64, max_width: Option<f64>) -> Option<(Arc<Line>, Matrix)> {
        // A maximum that is not positive, or not a number, asks for nothing to be drawn.
        if !x.is_finite() || !y.is_finite() || max_width.is_some_and(|m| m.is_nan() || m <= 0.0) {
            return None;
        }
        let line = self.shape(text);
        let squeeze = match max_width {
            Some(max) if line.width > max => max / line.width,
            _ => 1.0,
        };
        let rise = Vertical::of(&self.fonts, &self.state.font).rise(self.state.baseline);
        let origin = Matrix::translation(x + self.lead(line.width * squeeze), y + rise);
        Some((line, origin.multiply(Matrix::scaling(squeeze, 1.0))))
    }
}
