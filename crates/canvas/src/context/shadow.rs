//! Shadows: the alpha of what is drawn, moved, blurred by three box filters and coloured.

use super::state::Shadow;
use super::surface::{Ink, Shape, Surface};
use crate::geometry::IRect;
use crate::matrix::Point;
use crate::paint::composite::{Row, RowSource, composite_row};
use crate::paint::pixel;
use crate::path::FillRule;
use crate::raster::Raster;

/// Blurs wider than this look the same and only cost time.
const MAX_SIGMA: f64 = 400.0;

/// Rows of alpha around a shape.
struct Layer {
    rect: IRect,
    alpha: Vec<u8>,
}

/// Casts the shadow of a shape. `look` is the shadow and globalAlpha.
pub(super) fn paint(
    surface: &mut Surface,
    raster: &mut Raster,
    (shape, rule): (Shape, FillRule),
    ink: &Ink,
    (shadow, alpha): (&Shadow, f64),
) {
    let sigma = (shadow.blur / 2.0).min(MAX_SIGMA);
    let boxes = box_sizes(sigma);
    let reach = boxes.iter().sum::<usize>() as i32 / 2 + 2;
    let clip = surface.clip.rect;
    raster.begin(clip.outset(reach));
    let (dx, dy) = (shadow.offset_x, shadow.offset_y);
    shape(&mut |a, b| raster.line(Point::new(a.x + dx, a.y + dy), Point::new(b.x + dx, b.y + dy)));
    let mut layer = cover(raster, rule, clip.outset(reach), reach);
    if layer.rect.is_empty() {
        outside_of(surface, IRect::EMPTY);
        return;
    }
    shade_alpha(&mut layer, ink, shadow, surface.shade);
    blur(&mut layer, &boxes);
    let color = shadow.color.premultiplied(alpha as f32);
    let visible = layer.rect.intersect(clip);
    outside_of(surface, visible);
    for y in visible.y0..visible.y1 {
        let at = (y - layer.rect.y0) as usize * layer.rect.width() + (visible.x0 - layer.rect.x0) as usize;
        let row = Row {
            source: RowSource::Solid(color),
            shape: Some(&layer.alpha[at..at + visible.width()]),
            clip: surface.clip.row(y, visible.x0, visible.x1),
        };
        let dst = surface
            .bitmap
            .row_mut(y as u32, visible.x0 as u32, visible.x1 as u32);
        composite_row(surface.op, dst, row);
    }
}

/// Operations that reach outside treat all but `inside` as drawn with nothing.
fn outside_of(surface: &mut Surface, inside: IRect) {
    if !surface.op.reaches_outside() {
        return;
    }
    let clip = surface.clip.rect;
    if inside.is_empty() {
        surface.outside(clip);
        return;
    }
    surface.outside(clip.rows(clip.y0, inside.y0));
    surface.outside(clip.rows(inside.y1, clip.y1));
    surface.outside(IRect {
        x0: clip.x0,
        x1: inside.x0,
        ..inside
    });
    surface.outside(IRect {
        x0: inside.x1,
        x1: clip.x1,
        ..inside
    });
}

/// The coverage of the shape with room for the blur around it.
fn cover(raster: &mut Raster, rule: FillRule, limit: IRect, reach: i32) -> Layer {
    let shape = raster.bounds();
    let rect = if shape.is_empty() {
        IRect::EMPTY
    } else {
        shape.outset(reach).intersect(limit)
    };
    let width = rect.width();
    let mut alpha = vec![0; width * rect.height()];
    raster.sweep(rule, |band| {
        for (i, row) in band.data.chunks_exact(band.rect.width()).enumerate() {
            let y = (band.rect.y0 - rect.y0) as usize + i;
            let at = y * width + (band.rect.x0 - rect.x0) as usize;
            alpha[at..at + row.len()].copy_from_slice(row);
        }
    });
    Layer { rect, alpha }
}

/// Multiplies the coverage with the alpha of the source.
fn shade_alpha(layer: &mut Layer, ink: &Ink, shadow: &Shadow, shade: &mut Vec<u8>) {
    if let Ink::Solid([.., a]) = ink {
        for v in &mut layer.alpha {
            *v = pixel::mul(*v, *a);
        }
        return;
    }
    // Pinned where no shader can tell a difference and no sum overflows.
    let whole = |offset: f64| offset.round().clamp(-1e8, 1e8) as i32;
    let (dx, dy) = (whole(shadow.offset_x), whole(shadow.offset_y));
    let width = layer.rect.width();
    let rows = (1 << 16) / width.max(1) + 1;
    let mut y = layer.rect.y0;
    for chunk in layer.alpha.chunks_mut(rows * width) {
        let end = y + (chunk.len() / width) as i32;
        ink.shade(layer.rect.rows(y, end), dx, dy, shade);
        for (v, p) in chunk.iter_mut().zip(shade.chunks_exact(4)) {
            *v = pixel::mul(*v, p[3]);
        }
        y = end;
    }
}

/// Widths of the three boxes whose sequence comes closest to a Gaussian.
fn box_sizes(sigma: f64) -> [usize; 3] {
    if sigma <= 0.0 {
        return [1; 3];
    }
    let ideal = (12.0 * sigma * sigma / 3.0 + 1.0).sqrt();
    let mut low = ideal.floor() as usize;
    if low.is_multiple_of(2) {
        low -= 1;
    }
    let l = low as f64;
    let small = ((12.0 * sigma * sigma - 3.0 * l * l - 12.0 * l - 9.0) / (-4.0 * l - 4.0)).round();
    std::array::from_fn(|i| if (i as f64) < small { low } else { low + 2 })
}

fn blur(layer: &mut Layer, boxes: &[usize; 3]) {
    if boxes.iter().all(|b| *b <= 1) {
        return;
    }
    let (w, h) = (layer.rect.width(), layer.rect.height());
    blur_rows(&mut layer.alpha, w, boxes);
    let mut turned = transpose(&layer.alpha, w, h);
    blur_rows(&mut turned, h, boxes);
    layer.alpha = transpose(&turned, h, w);
}

fn transpose(data: &[u8], w: usize, h: usize) -> Vec<u8> {
    let mut out = vec![0; w * h];
    for (y, row) in data.chunks_exact(w.max(1)).enumerate() {
        for (x, v) in row.iter().enumerate() {
            out[x * h + y] = *v;
        }
    }
    out
}

/// Three box filters on every row, in 8.8 fixed point so that roundings do not add up.
fn blur_rows(data: &mut [u8], width: usize, boxes: &[usize; 3]) {
    let mut from = vec![0u32; width];
    let mut to = vec![0u32; width];
    for row in data.chunks_exact_mut(width.max(1)) {
        if row.iter().all(|v| *v == 0) {
            continue;
        }
        for (wide, v) in from.iter_mut().zip(row.iter()) {
            *wide = u32::from(*v) << 8;
        }
        for size in boxes {
            box_row(&from, &mut to, *size);
            std::mem::swap(&mut from, &mut to);
        }
        for (v, wide) in row.iter_mut().zip(&from) {
            *v = ((wide + 128) >> 8).min(255) as u8;
        }
    }
}

/// A centred running mean over `size` (odd) values; beyond the ends lies zero.
fn box_row(from: &[u32], to: &mut [u32], size: usize) {
    let half = size / 2;
    let mut sum: u64 = from.iter().take(half).map(|v| u64::from(*v)).sum();
    let (round, size) = (size as u64 / 2, size as u64);
    for i in 0..from.len() {
        if let Some(v) = from.get(i + half) {
            sum += u64::from(*v);
        }
        to[i] = ((sum + round) / size) as u32;
        if i >= half {
            sum -= u64::from(from[i - half]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_boxes_have_the_variance_of_the_gaussian() {
        for sigma in [0.6, 1.0, 2.5, 5.0, 20.0, 100.0] {
            let variance: f64 = box_sizes(sigma)
                .iter()
                .map(|b| ((b * b) as f64 - 1.0) / 12.0)
                .sum();
            assert!(
                (variance.sqrt() - sigma).abs() < 0.3 + sigma * 0.02,
                "{sigma}: {}",
                variance.sqrt()
            );
        }
        assert_eq!(box_sizes(0.0), [1; 3]);
    }

    #[test]
    fn blurring_keeps_the_sum_and_the_symmetry() {
        let rect = IRect::new(0, 0, 41, 41);
        let mut layer = Layer {
            rect,
            alpha: vec![0; 41 * 41],
        };
        for y in 15..26 {
            layer.alpha[y * 41 + 15..y * 41 + 26].fill(255);
        }
        blur(&mut layer, &box_sizes(3.0));
        let sum: i64 = layer.alpha.iter().map(|v| i64::from(*v)).sum();
        assert!((sum - 121 * 255).abs() < 300, "{sum}");
        let mirrored: Vec<u8> = layer.alpha.iter().rev().copied().collect();
        assert!(layer.alpha == mirrored);
        let turned = transpose(&layer.alpha, 41, 41);
        assert!(turned.iter().zip(&layer.alpha).all(|(a, b)| a.abs_diff(*b) <= 1));
    }
}
