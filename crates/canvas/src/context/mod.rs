//! The 2D context: CanvasRenderingContext2D without its JavaScript.
//!
//! Split by what the calls are about: attributes in `state`, paths in `paths`, rectangles
//! in `rects`, pictures in `images`, bytes in `pixels`, text in `text`, layers in `layers`. `surface` is the one
//! place through which every one of them reaches the pixels, `clip` what limits them,
//! `shadow` what they cast, `recording` what is kept of them as SVG.

mod clip;
mod color_text;
mod filter;
mod images;
mod layers;
mod paths;
mod pixels;
mod recording;
mod rects;
mod scratch;
mod shadow;
mod state;
mod surface;
mod text;

#[cfg(test)]
mod cluster_tests;
#[cfg(test)]
mod color_text_tests;
#[cfg(test)]
mod edges;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod scenes;
#[cfg(test)]
mod svg_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_tests;

use crate::canvas::{Bitmap, Canvas};
use crate::error::CanvasError;
use crate::matrix::Matrix;
use crate::paint::ColorSpace;
use crate::path::Path;
use crate::svg::Recording;
use crate::text::Fonts;

pub use filter::{FilterPrimitive, Filters, Kernel, Turbulence};
use state::State;
pub use state::{Shadow, SmoothingQuality};

/// Saved states beyond this are only counted: scripts that never restore stay in memory.
const MAX_SAVED: usize = 1 << 16;

/// A canvas with its drawing state.
#[derive(Debug)]
pub struct Context2d {
    /// What is drawn on: the innermost layer, or the canvas itself.
    canvas: Canvas,
    fonts: Fonts,
    state: State,
    saved: Vec<State>,
    /// Saves that found no room.
    unsaved: u64,
    /// Layers that are open, the innermost last.
    layers: Vec<layers::Layer>,
    /// Where the first pixel of `canvas` lies on the real one.
    origin: (i32, i32),
    /// The current path in device space.
    path: Path,
    /// What was drawn, as shapes; only where that was asked for.
    recording: Option<Box<Recording>>,
}

impl Context2d {
    /// With the bundled fonts.
    pub fn new(canvas: Canvas) -> Context2d {
        Context2d::with_fonts(canvas, Fonts::bundled())
    }

    pub fn with_fonts(canvas: Canvas, fonts: Fonts) -> Context2d {
        let state = State::new(canvas.width(), canvas.height());
        Context2d {
            canvas,
            fonts,
            state,
            saved: Vec::new(),
            unsaved: 0,
            layers: Vec::new(),
            origin: (0, 0),
            path: Path::new(),
            recording: None,
        }
    }

    /// `alpha: false`: to be said before anything is drawn.
    pub fn make_opaque(&mut self) {
        self.canvas.make_opaque();
    }

    /// `colorSpace`: to be said before anything is drawn.
    pub fn set_space(&mut self, space: ColorSpace) {
        self.canvas.set_space(space);
    }

    /// Without what is on open layers.
    pub fn canvas(&self) -> &Canvas {
        self.layers.first().map_or(&self.canvas, |layer| &layer.below)
    }

    /// The pixels; blank ones stay.
    pub fn take_bitmap(&mut self) -> Bitmap {
        self.drop_layers();
        let copy = self.canvas.snapshot();
        self.canvas.clear();
        self.restart_recording();
        copy
    }

    pub fn into_canvas(mut self) -> Canvas {
        self.drop_layers();
        self.canvas
    }

    pub fn fonts(&self) -> &Fonts {
        &self.fonts
    }

    /// A new size: everything is cleared and back to its defaults, as when a script sets
    /// `width` or `height`.
    pub fn resize(&mut self, width: u32, height: u32) -> Result<(), CanvasError> {
        self.drop_layers();
        if (width, height) != (self.canvas.width(), self.canvas.height()) {
            let mut canvas = Canvas::new(width, height)?;
            canvas.opaque = self.canvas.opaque;
            canvas.set_space(self.canvas.space());
            self.canvas = canvas;
        }
        self.reset();
        Ok(())
    }

    pub fn reset(&mut self) {
        self.drop_layers();
        self.canvas.clear();
        self.restart_recording();
        self.state = State::new(self.canvas.width(), self.canvas.height());
        self.saved.clear();
        self.unsaved = 0;
        self.path.clear();
    }

    pub fn save(&mut self) {
        if self.saved.len() < MAX_SAVED {
            self.saved.push(self.state.clone());
        } else {
            self.unsaved += 1;
        }
    }

    /// Without a saved state this does nothing; a layer is not ended so.
    pub fn restore(&mut self) -> Result<(), CanvasError> {
        if self.at_layer() {
            return Err(CanvasError::OpenLayer);
        }
        if self.unsaved > 0 {
            self.unsaved -= 1;
        } else if let Some(state) = self.saved.pop() {
            self.state = state;
        }
        Ok(())
    }

    pub fn translate(&mut self, x: f64, y: f64) {
        self.transform(Matrix::translation(x, y));
    }

    pub fn scale(&mut self, x: f64, y: f64) {
        self.transform(Matrix::scaling(x, y));
    }

    pub fn rotate(&mut self, angle: f64) {
        if angle.is_finite() {
            self.transform(Matrix::rotation(angle));
        }
    }

    pub fn transform(&mut self, matrix: Matrix) {
        if matrix.is_finite() {
            self.state.ctm = self.state.ctm.multiply(matrix);
        }
    }

    pub fn set_transform(&mut self, matrix: Matrix) {
        if matrix.is_finite() {
            let (x, y) = (f64::from(self.origin.0), f64::from(self.origin.1));
            self.state.ctm = Matrix {
                e: matrix.e - x,
                f: matrix.f - y,
                ..matrix
            };
        }
    }

    pub fn get_transform(&self) -> Matrix {
        let ctm = self.state.ctm;
        let (x, y) = (f64::from(self.origin.0), f64::from(self.origin.1));
        Matrix {
            e: ctm.e + x,
            f: ctm.f + y,
            ..ctm
        }
    }

    pub fn reset_transform(&mut self) {
        self.set_transform(Matrix::IDENTITY);
    }
}
