//! The pixels: a bitmap of premultiplied RGBA8 in sRGB or Display P3, and the canvas element around one.
//!
//! Not here: drawing. A canvas without a context is a transparent picture of its size.

use crate::buffers::Buffer;
use crate::error::CanvasError;
use crate::paint::{ColorSpace, pixel, space};
use std::borrow::Cow;

/// Sides beyond this are refused: all pixel arithmetic stays far inside i32.
const MAX_SIDE: u32 = 65_535;
/// One gibibyte of pixels; callers have stricter budgets of their own.
const MAX_PIXELS: u64 = 1 << 28;

/// Premultiplied RGBA, 8 bits a channel, rows without padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    width: u32,
    height: u32,
    data: Buffer,
    space: ColorSpace,
}

impl Bitmap {
    /// Transparent black. A side of zero is allowed.
    pub fn new(width: u32, height: u32) -> Result<Bitmap, CanvasError> {
        let len = byte_len(width, height)?;
        Ok(Bitmap {
            width,
            height,
            data: Buffer::zeroed(len),
            space: ColorSpace::Srgb,
        })
    }

    /// From straight (not premultiplied) RGBA.
    pub fn from_straight(width: u32, height: u32, rgba: &[u8]) -> Result<Bitmap, CanvasError> {
        let len = byte_len(width, height)?;
        if rgba.len() != len {
            return Err(CanvasError::WrongLength { width, height });
        }
        let mut data = Buffer::copy_of(rgba);
        pixel::premultiply_in_place(&mut data);
        Ok(Bitmap {
            width,
            height,
            data,
            space: ColorSpace::Srgb,
        })
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        self.height
    }

    /// Premultiplied RGBA.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    pub fn space(&self) -> ColorSpace {
        self.space
    }

    /// The same bytes, said to be in another space.
    #[must_use]
    pub fn labelled(self, space: ColorSpace) -> Bitmap {
        Bitmap { space, ..self }
    }

    /// The same colours in another space, as far as that has them.
    pub fn in_space(&self, space: ColorSpace) -> Cow<'_, Bitmap> {
        if space == self.space {
            return Cow::Borrowed(self);
        }
        let mut other = self.clone();
        space::convert(&mut other.data, self.space, space);
        Cow::Owned(other.labelled(space))
    }

    /// The pixels without premultiplication.
    pub fn to_straight(&self) -> Vec<u8> {
        let mut data = self.data.to_vec();
        pixel::unpremultiply_in_place(&mut data);
        data
    }

    /// Upside down.
    #[must_use]
    pub fn flipped(&self) -> Bitmap {
        let rows = self.data.rchunks_exact((self.width as usize * 4).max(1));
        Bitmap {
            width: self.width,
            height: self.height,
            data: rows.flatten().copied().collect::<Vec<u8>>().into(),
            space: self.space,
        }
    }

    /// The part `w`x`h` at (x, y), which must lie inside; used where a copy must be small.
    pub(crate) fn crop(&self, x: u32, y: u32, w: u32, h: u32) -> Option<Bitmap> {
        if x.checked_add(w)? > self.width || y.checked_add(h)? > self.height {
            return None;
        }
        let mut data = Vec::with_capacity(byte_len(w, h).ok()?);
        for row in y..y + h {
            data.extend_from_slice(self.row(row, x, x + w));
        }
        Some(Bitmap {
            width: w,
            height: h,
            data: data.into(),
            space: self.space,
        })
    }

    /// Pixels `x0..x1` of a row inside the bitmap.
    pub(crate) fn row(&self, y: u32, x0: u32, x1: u32) -> &[u8] {
        let start = (y as usize * self.width as usize + x0 as usize) * 4;
        &self.data[start..start + (x1 - x0) as usize * 4]
    }

    pub(crate) fn row_mut(&mut self, y: u32, x0: u32, x1: u32) -> &mut [u8] {
        let start = (y as usize * self.width as usize + x0 as usize) * 4;
        &mut self.data[start..start + (x1 - x0) as usize * 4]
    }

    /// Premultiplied RGBA, row by row.
    pub(crate) fn data_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }

    pub(crate) fn from_premultiplied(width: u32, height: u32, data: Vec<u8>) -> Option<Bitmap> {
        (byte_len(width, height).ok()? == data.len()).then(|| Bitmap {
            width,
            height,
            data: data.into(),
            space: ColorSpace::Srgb,
        })
    }
}

/// The canvas element: its size and its bitmap.
#[derive(Clone, Debug)]
pub struct Canvas {
    pub(crate) bitmap: Bitmap,
    /// Alpha is always 1, whatever is drawn (`alpha: false`).
    pub(crate) opaque: bool,
}

impl Canvas {
    /// The standard's default size is 300x150; the caller passes it.
    pub fn new(width: u32, height: u32) -> Result<Canvas, CanvasError> {
        Ok(Canvas {
            bitmap: Bitmap::new(width, height)?,
            opaque: false,
        })
    }

    /// To be said before anything is drawn.
    pub fn set_space(&mut self, space: ColorSpace) {
        self.bitmap.space = space;
    }

    pub fn space(&self) -> ColorSpace {
        self.bitmap.space
    }

    /// Black from now on where it would be transparent.
    pub fn make_opaque(&mut self) {
        self.opaque = true;
        pixel::seal(&mut self.bitmap.data);
    }

    pub fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// Blank again.
    pub(crate) fn clear(&mut self) {
        self.bitmap.data.fill(0);
        if self.opaque {
            pixel::seal(&mut self.bitmap.data);
        }
    }

    pub fn width(&self) -> u32 {
        self.bitmap.width
    }

    pub fn height(&self) -> u32 {
        self.bitmap.height
    }

    pub fn bitmap(&self) -> &Bitmap {
        &self.bitmap
    }

    pub fn into_bitmap(self) -> Bitmap {
        self.bitmap
    }

    /// A copy of the pixels as they are now.
    pub fn snapshot(&self) -> Bitmap {
        self.bitmap.clone()
    }
}

/// Bytes of a bitmap, or why it cannot be.
pub(crate) fn byte_len(width: u32, height: u32) -> Result<usize, CanvasError> {
    let pixels = u64::from(width) * u64::from(height);
    if width > MAX_SIDE || height > MAX_SIDE || pixels > MAX_PIXELS {
        return Err(CanvasError::TooLarge { width, height });
    }
    usize::try_from(pixels * 4).map_err(|_| CanvasError::TooLarge { width, height })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_kept_and_absurd_ones_refused() {
        assert_eq!(Canvas::new(0, 7).unwrap().height(), 7);
        assert!(Canvas::new(0, 7).unwrap().bitmap().is_empty());
        assert_eq!(Bitmap::new(65_536, 1).unwrap_err().dom_name(), "RangeError");
        assert!(Bitmap::new(65_535, 65_535).is_err());
        assert_eq!(
            Bitmap::from_straight(2, 1, &[0; 4]).unwrap_err(),
            CanvasError::WrongLength { width: 2, height: 1 }
        );
    }

    #[test]
    fn flipping_turns_rows_around() {
        let b = Bitmap::from_straight(1, 2, &[1, 2, 3, 255, 4, 5, 6, 255]).unwrap();
        assert_eq!(b.flipped().data(), [4, 5, 6, 255, 1, 2, 3, 255]);
        assert_eq!(Bitmap::new(0, 5).unwrap().flipped().height(), 5);
    }

    #[test]
    fn straight_pixels_are_premultiplied() {
        let b = Bitmap::from_straight(1, 1, &[255, 128, 0, 128]).unwrap();
        assert_eq!(b.data(), [128, 64, 0, 128]);
        assert_eq!(b.to_straight(), [255, 128, 0, 128]);
    }
}
