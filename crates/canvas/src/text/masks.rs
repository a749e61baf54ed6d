//! Coverage of glyphs that are drawn often: by font, glyph, the transform's linear part, and the
//! quarter of a pixel on which they begin.
//!
//! Large glyphs are rare and cost little beside their pixels: they stay outlines.

use super::shape::{GlyphKey, Line, Placed};
use super::subpixel::{PlaceKey, Subpixel};
use crate::geometry::IRect;
use crate::matrix::Matrix;
use crate::path::{FillRule, Path};
use crate::raster::{Cover, Raster};
use std::collections::HashMap;
use std::sync::Arc;

/// Device pixels of an em square from which on glyphs are drawn as outlines.
const MAX_EM: f64 = 128.0;
/// Bytes of masks that are kept, and of the largest one.
const MAX_BYTES: usize = 8 << 20;
const MAX_MASK: usize = 1 << 16;

type MaskKey = (GlyphKey, PlaceKey);

#[derive(Default)]
pub(crate) struct MaskCache {
    masks: HashMap<MaskKey, Arc<Mask>>,
    bytes: usize,
    raster: Raster,
    /// Of the line that is being drawn.
    line: Vec<(Arc<Mask>, IRect)>,
}

struct Mask {
    /// Relative to the pixel in which the glyph's origin is.
    rect: IRect,
    data: Vec<u8>,
}

impl MaskCache {
    /// The coverage of a line through `matrix` inside `clip`; `false` when it is to be drawn as
    /// outlines.
    pub fn cover(&mut self, line: &Line, matrix: &Matrix, clip: IRect, out: &mut Cover) -> bool {
        self.line.clear();
        let mut all: Option<IRect> = None;
        for glyph in line.glyphs() {
            let Some((mask, rect)) = self.mask(glyph, &matrix.multiply(glyph.place)) else {
                return false;
            };
            if !rect.intersect(clip).is_empty() {
                all = Some(all.map_or(rect, |all| all.union(rect)));
                self.line.push((mask, rect));
            }
        }
        out.begin(all.unwrap_or(IRect::EMPTY).intersect(clip));
        for (mask, rect) in self.line.drain(..) {
            out.add(rect, &mask.data);
        }
        true
    }

    /// A glyph's mask and where it lies.
    fn mask(&mut self, glyph: &Placed, device: &Matrix) -> Option<(Arc<Mask>, IRect)> {
        let font = glyph.key?;
        let at = Subpixel::of(device, MAX_EM)?;
        let ([x, y], key) = (at.pixel, (font, at.key));
        if let Some(mask) = self.masks.get(&key) {
            return Some((Arc::clone(mask), mask.rect.shift(x, y)));
        }
        let mask = Arc::new(self.draw(&glyph.outline, &at.place(device))?);
        if self.bytes > MAX_BYTES {
            self.masks.clear();
            self.bytes = 0;
        }
        self.bytes += mask.data.len() + size_of::<MaskKey>();
        self.masks.insert(key, Arc::clone(&mask));
        let rect = mask.rect.shift(x, y);
        Some((mask, rect))
    }

    fn draw(&mut self, outline: &Path, place: &Matrix) -> Option<Mask> {
        let mut path = Path::new();
        path.append(outline, place);
        let raster = &mut self.raster;
        let far = MAX_MASK as i32;
        raster.begin(IRect::new(-far, -far, far, far));
        path.for_each_fill_line(|a, b| raster.line(a, b));
        let rect = raster.bounds();
        if rect.width() * rect.height() > MAX_MASK {
            return None;
        }
        let mut data = vec![0; rect.width() * rect.height()];
        raster.sweep(FillRule::NonZero, |band| {
            band.copy_to(&mut data, rect.width(), (rect.x0, rect.y0));
        });
        Some(Mask { rect, data })
    }
}
