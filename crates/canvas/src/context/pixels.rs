//! getImageData and putImageData. No transform, no clip, no compositing: bytes only.

use super::Context2d;
use crate::canvas::byte_len;
use crate::error::CanvasError;
use crate::geometry::IRect;
use crate::image::ImageData;
use crate::paint::space::convert_straight;
use crate::paint::{ColorSpace, pixel};

impl Context2d {
    /// In the canvas's own space.
    pub fn get_image_data(&self, x: i32, y: i32, w: i32, h: i32) -> Result<ImageData, CanvasError> {
        self.get_image_data_in(self.canvas().space(), x, y, w, h)
    }

    /// Pixels beyond the canvas are transparent black; negative sizes reach back.
    pub fn get_image_data_in(
        &self,
        space: ColorSpace,
        x: i32,
        y: i32,
        w: i32,
        h: i32,
    ) -> Result<ImageData, CanvasError> {
        if w == 0 || h == 0 {
            return Err(CanvasError::EmptyArea);
        }
        let (width, height) = (w.unsigned_abs(), h.unsigned_abs());
        let mut data = vec![0; byte_len(width, height)?];
        let (x, y) = (
            i64::from(x) + i64::from(w.min(0)),
            i64::from(y) + i64::from(h.min(0)),
        );
        let bitmap = self.canvas().bitmap();
        let (x0, y0) = (x.max(0), y.max(0));
        let x1 = (x + i64::from(width)).min(i64::from(bitmap.width()));
        let y1 = (y + i64::from(height)).min(i64::from(bitmap.height()));
        if x0 < x1 {
            for row in y0..y1 {
                let from = bitmap.row(row as u32, x0 as u32, x1 as u32);
                let at = ((row - y) as usize * width as usize + (x0 - x) as usize) * 4;
                let to = &mut data[at..at + from.len()];
                to.copy_from_slice(from);
                pixel::unpremultiply_in_place(to);
                convert_straight(to, bitmap.space(), space);
            }
        }
        Ok(ImageData { width, height, data })
    }

    pub fn put_image_data(&mut self, image: &ImageData, dx: i32, dy: i32) {
        let space = self.canvas().space();
        self.put_pixels(&image.data, (image.width, image.height, space), (dx, dy), None);
    }

    /// `dirty` is x, y, width, height inside the image, as in the DOM call.
    pub fn put_image_data_dirty(&mut self, image: &ImageData, dx: i32, dy: i32, dirty: (i32, i32, i32, i32)) {
        let space = self.canvas().space();
        self.put_pixels(
            &image.data,
            (image.width, image.height, space),
            (dx, dy),
            Some(dirty),
        );
    }

    /// The same on borrowed straight RGBA bytes. A buffer of the wrong length changes
    /// nothing, nor does one while layers are open.
    pub fn put_pixels(
        &mut self,
        rgba: &[u8],
        (width, height, space): (u32, u32, ColorSpace),
        (dx, dy): (i32, i32),
        dirty: Option<(i32, i32, i32, i32)>,
    ) {
        if self.has_layers() || byte_len(width, height) != Ok(rgba.len()) {
            return;
        }
        let whole = IRect::from_size(0, 0, i64::from(width), i64::from(height));
        let part = match dirty {
            None => whole,
            Some((x, y, w, h)) => {
                let [x, y, w, h] = [x, y, w, h].map(i64::from);
                IRect::from_size(x + w.min(0), y + h.min(0), w.abs(), h.abs()).intersect(whole)
            }
        };
        let (opaque, own, bitmap) = (self.canvas.opaque, self.canvas.space(), &mut self.canvas.bitmap);
        let (cw, ch) = (i64::from(bitmap.width()), i64::from(bitmap.height()));
        let (dx, dy) = (i64::from(dx), i64::from(dy));
        let x0 = (i64::from(part.x0) + dx).max(0);
        let x1 = (i64::from(part.x1) + dx).min(cw);
        if x0 >= x1 {
            return;
        }
        let (y0, y1) = (
            (i64::from(part.y0) + dy).max(0),
            (i64::from(part.y1) + dy).min(ch),
        );
        if let Some(recording) = &mut self.recording {
            recording.lose(IRect::from_size(x0, y0, x1 - x0, y1 - y0));
        }
        for y in y0..y1 {
            let at = ((y - dy) as usize * width as usize + (x0 - dx) as usize) * 4;
            let to = bitmap.row_mut(y as u32, x0 as u32, x1 as u32);
            to.copy_from_slice(&rgba[at..at + to.len()]);
            convert_straight(to, space, own);
            match opaque {
                true => pixel::seal(to),
                false => pixel::premultiply_in_place(to),
            }
        }
    }
}
