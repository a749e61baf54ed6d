//! The 2D context: CanvasRenderingContext2D without its JavaScript.
//!
//! Split by what the calls are about: attributes in `state`, paths in `paths`, rectangles
//! in `rects`, pictures in `images`, bytes in `pixels`, text in `text`. `surface` is the one
//! place through which every one of them reaches the pixels, `clip` what limits them,
//! `shadow` what they cast.

mod clip;
mod filter;
mod images;
mod paths;
mod pixels;
mod rects;
mod shadow;
mod state;
mod surface;
mod text;

#[cfg(test)]
mod edges;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod scenes;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_tests;

use crate::canvas::{Bitmap, Canvas};
use crate::error::CanvasError;
use crate::matrix::Matrix;
use crate::path::Path;
use crate::raster::{Cover, Raster};
use crate::text::Fonts;

use state::State;
pub use state::{Shadow, SmoothingQuality};

/// Saved states beyond this are only counted: scripts that never restore stay in memory.
const MAX_SAVED: usize = 1 << 16;

/// A canvas with its drawing state.
#[derive(Debug)]
pub struct Context2d {
    canvas: Canvas,
    fonts: Fonts,
    state: State,
    saved: Vec<State>,
    /// Saves that found no room.
    unsaved: u64,
    /// The current path in device space.
    path: Path,
    scratch: Scratch,
}

/// Buffers that live from call to call.
#[derive(Default)]
struct Scratch {
    raster: Raster,
    /// The coverage of a line of text.
    cover: Cover,
    /// Source pixels of a band.
    shade: Vec<u8>,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scratch")
    }
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
            path: Path::new(),
            scratch: Scratch::default(),
        }
    }

    /// `alpha: false`: to be said before anything is drawn.
    pub fn make_opaque(&mut self) {
        self.canvas.make_opaque();
    }

    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// The pixels; blank ones stay.
    pub fn take_bitmap(&mut self) -> Bitmap {
        let copy = self.canvas.snapshot();
        self.canvas.clear();
        copy
    }

    pub fn into_canvas(self) -> Canvas {
        self.canvas
    }

    pub fn fonts(&self) -> &Fonts {
        &self.fonts
    }

    /// A new size: everything is cleared and back to its defaults, as when a script sets
    /// `width` or `height`.
    pub fn resize(&mut self, width: u32, height: u32) -> Result<(), CanvasError> {
        if (width, height) != (self.canvas.width(), self.canvas.height()) {
            let opaque = self.canvas.opaque;
            self.canvas = Canvas::new(width, height)?;
            self.canvas.opaque = opaque;
        }
        self.reset();
        Ok(())
    }

    pub fn reset(&mut self) {
        self.canvas.clear();
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

    /// Without a saved state this does nothing.
    pub fn restore(&mut self) {
        if self.unsaved > 0 {
            self.unsaved -= 1;
        } else if let Some(state) = self.saved.pop() {
            self.state = state;
        }
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
            self.state.ctm = matrix;
        }
    }

    pub fn get_transform(&self) -> Matrix {
        self.state.ctm
    }

    pub fn reset_transform(&mut self) {
        self.state.ctm = Matrix::IDENTITY;
    }
}
