//! Coverage of glyphs that are drawn often: by font, glyph, the transform's linear part, and the
//! quarter of a pixel on which they begin.
//!
//! Large glyphs are rare and cost little beside their pixels: they stay outlines.

use super::shape::{GlyphKey, Line, Placed};
use crate::geometry::IRect;
use crate::matrix::Matrix;
use crate::path::{FillRule, Path};
use crate::raster::{Cover, Raster};
use std::collections::HashMap;
use std::sync::Arc;

/// Places inside a pixel, in each direction.
const PHASES: f64 = 4.0;
/// Device pixels of an em square from which on glyphs are drawn as outlines.
const MAX_EM: f64 = 128.0;
/// Bytes of masks that are kept, and of the largest one.
const MAX_BYTES: usize = 8 << 20;
const MAX_MASK: usize = 1 << 16;

type MaskKey = (GlyphKey, [u32; 4], [u8; 2]);

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
        let linear = [device.a, device.b, device.c, device.d];
        let em = (device.a.abs() + device.c.abs()).max(device.b.abs() + device.d.abs());
        // NaN is no such number either.
        if !(em <= MAX_EM && device.e.abs() < 1e8 && device.f.abs() < 1e8) {
            return None;
        }
        let split = |v: f64| {
            let steps = (v * PHASES).round() as i64;
            let phases = PHASES as i64;
            (steps.div_euclid(phases) as i32, steps.rem_euclid(phases) as u8)
        };
        let ((x, phase_x), (y, phase_y)) = (split(device.e), split(device.f));
        let key = (font, linear.map(|v| (v as f32).to_bits()), [phase_x, phase_y]);
        if let Some(mask) = self.masks.get(&key) {
            return Some((Arc::clone(mask), mask.rect.shift(x, y)));
        }
        let place = |phase: u8| f64::from(phase) / PHASES;
        let place = Matrix {
            e: place(phase_x),
            f: place(phase_y),
            ..*device
        };
        let mask = Arc::new(self.draw(&glyph.outline, &place)?);
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
