//! HTML Canvas 2D. Strokes and cubic filters are tiny-skia's; coverage and pixels are our own.
//!
//! Knows no JavaScript and no files: a binding turns values into calls, fonts are embedded
//! or handed over as bytes. Every call is total: whatever the numbers are, it returns.
//! Deliberately absent for now: more than eight bits a channel.

mod blur;
mod buffers;
mod canvas;
#[cfg(test)]
mod cases;
mod context;
mod css;
mod decode;
mod encode;
mod error;
mod geometry;
mod image;
mod matrix;
mod paint;
mod path;
mod raster;
mod stroke;
mod svg;
mod text;
mod vector;
mod wide;

pub use canvas::{Bitmap, Canvas};
pub use context::{Context2d, FilterPrimitive, Filters, Kernel, Shadow, SmoothingQuality, Turbulence};
pub use css::folded_css;
pub use decode::{Picture, decode};
pub use encode::{Format, encode};
pub use error::CanvasError;
pub use geometry::RectF;
pub use image::ImageData;
pub use matrix::{Matrix, Point};
pub use paint::{Color, ColorSpace, CompositeOp, Gradient, Pattern, Repetition, Style};
pub use path::{Ellipse, FillRule, Path, Radius};
pub use stroke::{LineCap, LineJoin};
pub use text::{
    Direction, Font, FontDescriptors, FontKerning, FontStretch, FontVariantCaps, Fonts, Length, MeasuredText,
    TextAlign, TextBaseline, TextBox, TextCluster, TextMetrics, TextRendering,
};
pub use vector::Vector;
