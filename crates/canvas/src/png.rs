//! PNG out of a bitmap. Decoding is not here: pictures come in through a sandboxed reader.

use crate::canvas::{Bitmap, Canvas};
use crate::error::CanvasError;

/// The canvas as PNG (RGBA8, straight alpha), encoded for speed.
pub fn encode_png(canvas: &Canvas) -> Result<Vec<u8>, CanvasError> {
    encode_bitmap_png(canvas.bitmap())
}

/// A bitmap as PNG (RGBA8, straight alpha), encoded for speed.
pub fn encode_bitmap_png(bitmap: &Bitmap) -> Result<Vec<u8>, CanvasError> {
    if bitmap.is_empty() {
        return Err(CanvasError::NoPixels);
    }
    let mut out = Vec::with_capacity(4096);
    let mut encoder = png::Encoder::new(&mut out, bitmap.width(), bitmap.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(|_| CanvasError::Encoding)?;
    writer
        .write_image_data(&bitmap.to_straight())
        .map_err(|_| CanvasError::Encoding)?;
    writer.finish().map_err(|_| CanvasError::Encoding)?;
    Ok(out)
}
