//! drawImage, and the inks that come from styles and pictures.

use super::recording::Drawn;
use super::rects::outline;
use super::surface::Ink;
use super::{Context2d, Filters, SmoothingQuality};
use crate::canvas::Bitmap;
use crate::geometry::{IRect, RectF};
use crate::matrix::{Matrix, Point};
use crate::paint::rows;
use crate::paint::sampler::{Beyond, Sampler};
use crate::paint::{ColorSpace, Pattern, Repetition, Style};
use crate::path::FillRule;
use crate::text::box_of;
use crate::vector::Vector;
use std::borrow::Cow;
use tiny_skia::{FilterQuality, PixmapRef, Shader, SpreadMode};

impl Context2d {
    /// The nine-argument form. Parts of `src` outside of the picture are cut off, and `dst`
    /// with them. Pictures without pixels draw nothing (InvalidStateError is the caller's).
    pub fn draw_image(&mut self, image: &Bitmap, src: RectF, dst: RectF) {
        self.recorded(&Drawn::Picture(image, src, dst), |context| {
            context.draw_image_pixels(image, src, dst);
        });
    }

    fn draw_image_pixels(&mut self, image: &Bitmap, src: RectF, dst: RectF) {
        let Some((src, dst)) = clip_source((image.width(), image.height()), src, dst) else {
            return;
        };
        let place = placed(&src, &dst);
        let ctm = self.state.ctm;
        let corners = device_corners(&ctm, &dst);
        if ctm.invert().is_none() {
            return;
        }
        let (smoothing, quality) = (self.state.smoothing, self.state.quality);
        let to_device = ctm.multiply(place);
        let image = image.in_space(self.canvas.space());
        let (image, to_device) = reduce(&image, &src, to_device, smoothing);
        let shape = |line: &mut dyn FnMut(Point, Point)| outline(&corners, line);
        self.draw(&shape, FillRule::NonZero, |_, opacity| {
            if smoothing && quality == SmoothingQuality::High {
                return cubic(&image, &to_device, opacity).map(Ink::Shader);
            }
            let sampler = Sampler::new(&image, &to_device, Beyond::Pad, smoothing, opacity)?;
            let space = image.space();
            Some(Ink::Picture {
                sampler,
                extent: None,
                spaces: (space, space),
            })
        });
    }

    /// The same with a picture that is drawn anew in the size in which it is seen.
    pub fn draw_vector(&mut self, vector: &Vector, src: RectF, dst: RectF) {
        let size = (vector.width(), vector.height());
        let Some((src, dst)) = clip_source(size, src, dst) else {
            return;
        };
        self.recorded(&Drawn::Vector(vector, src, dst), |context| {
            context.draw_vector_pixels(vector, src, dst);
        });
    }

    fn draw_vector_pixels(&mut self, vector: &Vector, src: RectF, dst: RectF) {
        let ctm = self.state.ctm;
        if ctm.invert().is_none() {
            return;
        }
        let to_device = ctm.multiply(placed(&src, &dst));
        if !vector.fits(&to_device)
            && let Ok(pixels) = vector.to_bitmap()
        {
            return self.draw_image_pixels(&pixels, src, dst);
        }
        let corners = device_corners(&ctm, &dst);
        let (min, max) = box_of(corners);
        let area = IRect::around(min, max).intersect(self.layer_rect(&Filters::default()));
        let pixels = match area.is_empty() {
            true => None,
            false => vector.drawn(&to_device, area),
        };
        let shape = |line: &mut dyn FnMut(Point, Point)| outline(&corners, line);
        let place = Matrix::translation(f64::from(area.x0), f64::from(area.y0));
        let space = self.canvas.space();
        self.draw(&shape, FillRule::NonZero, |_, opacity| {
            let Some(pixels) = &pixels else {
                // Nothing of it is seen; what lies outside of it may be cleared.
                return Some(Ink::Solid([0; 4]));
            };
            Some(Ink::Picture {
                sampler: Sampler::new(pixels, &place, Beyond::Pad, false, opacity)?,
                extent: None,
                spaces: (pixels.space(), space),
            })
        });
    }

    /// drawImage with the context's own canvas as the picture.
    pub fn draw_own_image(&mut self, src: RectF, dst: RectF) {
        let copy = self.canvas().snapshot();
        self.draw_image(&copy, src, dst);
    }
}

/// From the pixels of a picture to where a part of it is placed.
pub(super) fn placed(src: &RectF, dst: &RectF) -> Matrix {
    let scale = Matrix::scaling(dst.w / src.w, dst.h / src.h);
    Matrix::translation(dst.x, dst.y)
        .multiply(scale)
        .multiply(Matrix::translation(-src.x, -src.y))
}

pub(super) fn device_corners(ctm: &Matrix, r: &RectF) -> [Point; 4] {
    [(0.0, 0.0), (r.w, 0.0), (r.w, r.h), (0.0, r.h)].map(|(x, y)| ctm.apply(Point::new(r.x + x, r.y + y)))
}

/// Cuts `src` to a picture of this size and `dst` in proportion; negative sizes are turned around.
pub(super) fn clip_source((width, height): (u32, u32), src: RectF, dst: RectF) -> Option<(RectF, RectF)> {
    if !src.is_finite() || !dst.is_finite() || width == 0 || height == 0 {
        return None;
    }
    let upright = |r: RectF| RectF::new(r.x + r.w.min(0.0), r.y + r.h.min(0.0), r.w.abs(), r.h.abs());
    // Turning a rectangle around does not mirror the picture.
    let (src, dst) = (upright(src), upright(dst));
    let (x0, y0) = (src.x.max(0.0), src.y.max(0.0));
    let x1 = (src.x + src.w).min(f64::from(width));
    let y1 = (src.y + src.h).min(f64::from(height));
    if !(x0 < x1 && y0 < y1) {
        return None;
    }
    let (kx, ky) = (dst.w / src.w, dst.h / src.h);
    let part = RectF::new(x0, y0, x1 - x0, y1 - y0);
    let place = RectF::new(
        dst.x + (x0 - src.x) * kx,
        dst.y + (y0 - src.y) * ky,
        part.w * kx,
        part.h * ky,
    );
    (place.is_finite() && place.w > 0.0 && place.h > 0.0).then_some((part, place))
}

/// Halves a picture that is drawn much smaller until sampling it hits every pixel.
fn reduce<'a>(
    image: &'a Bitmap,
    src: &RectF,
    to_device: Matrix,
    smoothing: bool,
) -> (Cow<'a, Bitmap>, Matrix) {
    let (sx, sy) = (to_device.a.hypot(to_device.b), to_device.c.hypot(to_device.d));
    if !smoothing || (sx > 0.5 && sy > 0.5) {
        return (Cow::Borrowed(image), to_device);
    }
    let (x, y) = (src.x.floor() as u32, src.y.floor() as u32);
    let right = ((src.x + src.w).ceil() as u32).min(image.width());
    let bottom = ((src.y + src.h).ceil() as u32).min(image.height());
    let Some(mut part) = image.crop(x, y, right.saturating_sub(x), bottom.saturating_sub(y)) else {
        return (Cow::Borrowed(image), to_device);
    };
    let mut matrix = to_device.multiply(Matrix::translation(f64::from(x), f64::from(y)));
    let (mut sx, mut sy) = (sx, sy);
    loop {
        let (fx, fy) = (factor(sx, part.width()), factor(sy, part.height()));
        if fx == 1 && fy == 1 {
            return (Cow::Owned(part), matrix);
        }
        let Some(half) = shrink(&part, fx, fy) else {
            return (Cow::Owned(part), matrix);
        };
        let kx = f64::from(part.width()) / f64::from(half.width());
        let ky = f64::from(part.height()) / f64::from(half.height());
        matrix = matrix.multiply(Matrix::scaling(kx, ky));
        sx *= kx;
        sy *= ky;
        part = half;
    }
}

fn factor(scale: f64, side: u32) -> u32 {
    if scale <= 0.5 && side > 1 { 2 } else { 1 }
}

/// The mean of `fx`x`fy` pixels each, of which both are one or two; where a side is odd, its last pixels
/// have fewer.
fn shrink(image: &Bitmap, fx: u32, fy: u32) -> Option<Bitmap> {
    let (w, h) = (image.width().div_ceil(fx), image.height().div_ceil(fy));
    let row_bytes = w as usize * 4;
    let mut data = vec![0; row_bytes * h as usize];
    let row = |y: u32| image.row(y.min(image.height() - 1), 0, image.width());
    for (y, out) in (0..h).zip(data.chunks_exact_mut(row_bytes)) {
        // A row without another below it is its own mean with itself; so is a column.
        let (above, below) = (row(y * fy), row(y * fy + fy - 1));
        if fx == 2 {
            let pairs = above.len() / 8 * 8;
            rows::mean_of_four(out, &above[..pairs], &below[..pairs]);
            if let (Some(a), Some(b)) = (above.get(pairs..pairs + 4), below.get(pairs..pairs + 4)) {
                let last = &mut out[pairs / 2..];
                last.copy_from_slice(a);
                rows::mix(last, b, 128);
            }
        } else {
            out.copy_from_slice(above);
            rows::mix(out, below, 128);
        }
    }
    Some(Bitmap::from_premultiplied(w, h, data)?.labelled(image.space()))
}

fn cubic<'a>(image: &'a Bitmap, to_device: &Matrix, opacity: f32) -> Option<Shader<'a>> {
    let pixmap = PixmapRef::from_bytes(image.data(), image.width(), image.height())?;
    let mut ts = to_device.to_skia()?;
    if ts.is_translate() && (ts.tx.fract() != 0.0 || ts.ty.fract() != 0.0) {
        // tiny-skia samples pure translations without a filter, even between pixels.
        ts.sx = 1.0 + 2.0 * f32::EPSILON;
    }
    let quality = FilterQuality::Bicubic;
    Some(tiny_skia::Pattern::new(
        pixmap,
        SpreadMode::Pad,
        quality,
        opacity,
        ts,
    ))
}

impl<'a> Ink<'a> {
    /// The ink of a style under a transform; `None` when it paints nothing.
    pub(super) fn of_style(
        style: &'a Style,
        ctm: &Matrix,
        (opacity, space): (f32, ColorSpace),
        smoothing: bool,
    ) -> Option<Ink<'a>> {
        match style {
            Style::Color(color) => Some(Ink::Solid(color.in_space(space).premultiplied(opacity))),
            Style::Gradient(gradient) => gradient.ramp(ctm, opacity, space).map(Ink::Gradient),
            Style::Pattern(pattern) => Ink::of_pattern(pattern, ctm, (opacity, space), smoothing),
        }
    }

    fn of_pattern(
        pattern: &'a Pattern,
        ctm: &Matrix,
        (opacity, space): (f32, ColorSpace),
        smoothing: bool,
    ) -> Option<Ink<'a>> {
        let image = pattern.image();
        let to_device = ctm.multiply(pattern.transform());
        let (beyond, extent) = match pattern.repetition() {
            Repetition::Repeat => (Beyond::Repeat, None),
            other => {
                /// Far beyond any canvas, yet harmless in the products that follow.
                const FAR: f64 = 1e9;
                let (w, h) = (f64::from(image.width()), f64::from(image.height()));
                let (x0, x1) = if other == Repetition::RepeatX {
                    (-FAR, FAR)
                } else {
                    (0.0, w)
                };
                let (y0, y1) = if other == Repetition::RepeatY {
                    (-FAR, FAR)
                } else {
                    (0.0, h)
                };
                let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
                let beyond = if other == Repetition::NoRepeat {
                    Beyond::Pad
                } else {
                    Beyond::Repeat
                };
                (
                    beyond,
                    Some(corners.map(|(x, y)| to_device.apply(Point::new(x, y)))),
                )
            }
        };
        let sampler = Sampler::new(image, &to_device, beyond, smoothing, opacity)?;
        Some(Ink::Picture {
            sampler,
            extent,
            spaces: (image.space(), space),
        })
    }
}
