//! Shadows: the alpha of what is drawn, moved, blurred by three box filters and coloured.

use super::state::Shadow;
use super::surface::{Ink, Shape, Surface};
use crate::blur::{MAX_SIGMA, blur_plane, box_sizes, reach_of};
use crate::geometry::IRect;
use crate::matrix::Point;
use crate::paint::composite::RowSource;
use crate::paint::pixel;
use crate::path::FillRule;
use crate::raster::Raster;

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
    let reach = reach_of(&boxes);
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
    cast(surface, &mut layer, &boxes, (shadow, alpha));
}

/// Blurs an alpha that is in its place, and paints it in the shadow's colour.
fn cast(surface: &mut Surface, layer: &mut Layer, boxes: &[usize; 3], (shadow, alpha): (&Shadow, f64)) {
    let clip = surface.clip.rect;
    blur_plane(&mut layer.alpha, layer.rect.width(), layer.rect.height(), boxes);
    let color = shadow.color.in_space(surface.canvas.space());
    let color = color.premultiplied(alpha as f32);
    let visible = layer.rect.intersect(clip);
    outside_of(surface, visible);
    for y in visible.y0..visible.y1 {
        let at = (y - layer.rect.y0) as usize * layer.rect.width() + (visible.x0 - layer.rect.x0) as usize;
        let cover = &layer.alpha[at..at + visible.width()];
        surface.row(visible.rows(y, y + 1), RowSource::Solid(color), Some(cover));
    }
}

/// Whole pixels, pinned where no shader can tell a difference and no sum overflows.
pub(super) fn whole(offset: f64) -> i32 {
    offset.round().clamp(-1e8, 1e8) as i32
}

/// The pixels whose shadow can fall into `rect`.
pub(super) fn sources(shadow: &Shadow, rect: IRect) -> IRect {
    let reach = reach_of(&box_sizes((shadow.blur / 2.0).min(MAX_SIGMA)));
    rect.shift(-whole(shadow.offset_x), -whole(shadow.offset_y))
        .outset(reach)
}

/// Casts the shadow of what is painted already: `alpha_of` is the layer's alpha in `rect`.
pub(super) fn of_layer(
    surface: &mut Surface,
    (rect, alpha_of): (IRect, Vec<u8>),
    (shadow, alpha): (&Shadow, f64),
) {
    let boxes = box_sizes((shadow.blur / 2.0).min(MAX_SIGMA));
    let reach = reach_of(&boxes);
    let placed = rect.shift(whole(shadow.offset_x), whole(shadow.offset_y));
    let wide = placed.outset(reach).intersect(surface.clip.rect.outset(reach));
    let mut layer = Layer {
        rect: wide,
        alpha: vec![0; wide.width() * wide.height()],
    };
    let common = wide.intersect(placed);
    for y in common.y0..common.y1 {
        let from = (y - placed.y0) as usize * placed.width() + (common.x0 - placed.x0) as usize;
        let to = (y - wide.y0) as usize * wide.width() + (common.x0 - wide.x0) as usize;
        layer.alpha[to..to + common.width()].copy_from_slice(&alpha_of[from..from + common.width()]);
    }
    if wide.is_empty() {
        outside_of(surface, IRect::EMPTY);
        return;
    }
    cast(surface, &mut layer, &boxes, (shadow, alpha));
}

/// Operations that reach outside treat all but `inside` as drawn with nothing.
pub(super) fn outside_of(surface: &mut Surface, inside: IRect) {
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
    raster.sweep(rule, |band| band.copy_to(&mut alpha, width, (rect.x0, rect.y0)));
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
