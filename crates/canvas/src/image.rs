//! ImageData: straight RGBA8 pixels outside of any canvas.

use crate::canvas::byte_len;
use crate::error::CanvasError;

/// Straight (not premultiplied) RGBA, 8 bits a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageData {
    pub width: u32,
    pub height: u32,
    pub data: Vec<u8>,
}

impl ImageData {
    /// Transparent black; a side of zero is an IndexSizeError, as in the DOM.
    pub fn new(width: u32, height: u32) -> Result<ImageData, CanvasError> {
        if width == 0 || height == 0 {
            return Err(CanvasError::EmptyArea);
        }
        let len = byte_len(width, height)?;
        Ok(ImageData {
            width,
            height,
            data: vec![0; len],
        })
    }
}
