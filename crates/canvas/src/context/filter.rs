//! `filter`: the CSS filter functions (Filter Effects 1), applied to what a call draws before it
//! meets the canvas.
//!
//! A call with a filter is drawn into a layer that is as large as the clip and what the filters
//! can bring into it; the layer goes through the functions in turn, casts the shadow, and is
//! combined with globalAlpha. What CanvasFilter objects have beyond that is in `primitives`.
//! Deliberately not here: `url()`, which names filters of a page.

mod parse;
mod primitives;
mod svg;
mod turbulence;

pub use primitives::{FilterPrimitive, Kernel};
pub use turbulence::Turbulence;

use super::shadow;
use super::state::State;
use super::surface::{Ink, Shape, Surface};
use crate::blur::{blur_plane_by, box_sizes, reach_of};
use crate::geometry::IRect;
use crate::matrix::Matrix;
use crate::paint::composite::RowSource;
use crate::paint::{Color, ColorSpace};
use crate::paint::{pixel, rows};
use crate::path::FillRule;
use crate::raster::Raster;
use std::sync::Arc;

/// Pixels of a layer beyond the clip on each side; what is farther away is not brought in.
const MAX_REACH: i32 = 4096;

/// A parsed `filter`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    text: String,
    list: Vec<Filter>,
}

#[derive(Clone, Debug, PartialEq)]
enum Filter {
    /// Standard deviations across and down, pixels.
    Blur([f64; 2]),
    DropShadow {
        x: f64,
        y: f64,
        sigma: [f64; 2],
        color: Color,
    },
    /// Of straight colours 0..=1: three rows of four, the last column is added; and what alpha is
    /// multiplied with.
    Colors {
        rows: [[f32; 4]; 3],
        alpha: f32,
    },
    /// Of straight colours and alpha, the last column is added.
    Matrix(Arc<[[f32; 5]; 4]>),
    /// What becomes of each value of each channel, straight.
    Transfer(Arc<[[u8; 256]; 4]>),
    Convolve(Arc<Kernel>),
    Turbulence(Turbulence),
}

impl Filters {
    /// These, and others after them.
    pub(super) fn then(&self, next: &Filters) -> Filters {
        Filters {
            text: String::new(),
            list: self.list.iter().chain(&next.list).cloned().collect(),
        }
    }

    pub fn text(&self) -> &str {
        if self.is_none() { "none" } else { &self.text }
    }

    pub fn is_none(&self) -> bool {
        self.list.is_empty()
    }

    /// How far a pixel can be carried.
    pub(super) fn reach(&self) -> i32 {
        let far = |v: f64| v.abs().ceil().min(f64::from(MAX_REACH)) as i32;
        let one = |filter: &Filter| match filter {
            Filter::Blur(sigma) => reach(sigma).into_iter().max().unwrap_or(0),
            Filter::DropShadow { x, y, sigma, .. } => {
                far(*x).max(far(*y)) + reach(sigma).into_iter().max().unwrap_or(0)
            }
            Filter::Convolve(kernel) => kernel.columns.max(kernel.rows()) as i32,
            Filter::Colors { .. } | Filter::Matrix(_) | Filter::Transfer(_) | Filter::Turbulence(_) => 0,
        };
        self.list.iter().map(one).sum::<i32>().min(MAX_REACH)
    }
}

/// Premultiplied pixels in a rectangle of the device, which may reach beyond the canvas.
struct Layer {
    rect: IRect,
    data: Vec<u8>,
    space: ColorSpace,
    /// Width and height of the canvas.
    canvas: [u32; 2],
}

/// The pixels that the filters can bring into `rect`.
pub(super) fn sources(filters: &Filters, rect: IRect) -> IRect {
    filters
        .list
        .iter()
        .rev()
        .fold(rect, |rect, filter| filter.sources(rect))
}

/// How far a blur carries across and down.
fn reach(sigma: &[f64; 2]) -> [i32; 2] {
    sigma.map(|sigma| reach_of(&box_sizes(sigma)))
}

fn blurred(rect: IRect, sigma: &[f64; 2]) -> IRect {
    let [x, y] = reach(sigma);
    IRect::new(
        rect.x0.saturating_sub(x),
        rect.y0.saturating_sub(y),
        rect.x1.saturating_add(x),
        rect.y1.saturating_add(y),
    )
}

impl Filter {
    /// The pixels that can come into `rect`.
    fn sources(&self, rect: IRect) -> IRect {
        match self {
            Filter::Blur(sigma) => blurred(rect, sigma),
            Filter::DropShadow { x, y, sigma, .. } => {
                let cast = rect.shift(-shadow::whole(*x), -shadow::whole(*y));
                blurred(cast, sigma).union(rect)
            }
            Filter::Convolve(kernel) => kernel.sources(rect),
            Filter::Colors { .. } | Filter::Matrix(_) | Filter::Transfer(_) | Filter::Turbulence(_) => rect,
        }
    }

    /// The pixels that those in `rect` can come to.
    fn carried(&self, rect: IRect) -> IRect {
        /// Where nothing becomes something: every pixel there is.
        const EVERYWHERE: IRect = IRect::new(i32::MIN / 4, i32::MIN / 4, i32::MAX / 4, i32::MAX / 4);
        match self {
            Filter::Blur(sigma) => blurred(rect, sigma),
            Filter::DropShadow { x, y, sigma, .. } => {
                let cast = rect.shift(shadow::whole(*x), shadow::whole(*y));
                blurred(cast, sigma).union(rect)
            }
            Filter::Convolve(kernel) => kernel.carried(rect),
            Filter::Turbulence(_) => EVERYWHERE,
            Filter::Matrix(rows) if rows[3][4] > 0.0 => EVERYWHERE,
            Filter::Transfer(tables) if tables[3][0] > 0 => EVERYWHERE,
            Filter::Colors { .. } | Filter::Matrix(_) | Filter::Transfer(_) => rect,
        }
    }
}

/// What is wanted before each filter, and of the last one's result, for all of `clip` to be right.
fn wanted(state: &State, clip: IRect) -> Vec<IRect> {
    let most = clip.outset(MAX_REACH);
    let mut rect = clip;
    if state.shadow.shows() {
        rect = shadow::sources(&state.shadow, clip).union(clip).intersect(most);
    }
    let mut all = vec![rect];
    for filter in state.filter.list.iter().rev() {
        rect = filter.sources(rect).intersect(most);
        all.push(rect);
    }
    all.reverse();
    all
}

/// Draws a shape through the filters of the state.
pub(super) fn paint<'i>(
    surface: &mut Surface,
    raster: &mut Raster,
    (shape, rule): (Shape, FillRule),
    state: &State,
    mut ink: impl FnMut(&Matrix, f32) -> Option<Ink<'i>>,
) {
    let clip = surface.clip.rect;
    let Some(ink) = ink(&state.ctm, 1.0) else {
        return;
    };
    let wanted = wanted(state, clip);
    let (seen, later) = wanted.split_first().unwrap_or((&clip, &[]));
    raster.begin(*seen);
    shape(&mut |a, b| raster.line(a, b));
    let drawn = raster.bounds().intersect(*seen);
    if drawn.is_empty() {
        shadow::outside_of(surface, IRect::EMPTY);
        return;
    }
    // No larger than what is drawn comes to, step by step, where it is wanted.
    let (mut rect, mut now) = (drawn, drawn);
    for (filter, wanted) in state.filter.list.iter().zip(later) {
        now = filter.carried(now).intersect(*wanted);
        if !now.is_empty() {
            rect = rect.union(now);
        }
    }
    let mut layer = Layer {
        rect,
        data: vec![0; rect.width() * rect.height() * 4],
        space: surface.canvas.space(),
        canvas: [surface.canvas.width(), surface.canvas.height()],
    };
    let mut covered = vec![0; drawn.width() * drawn.height()];
    raster.sweep(rule, |band| {
        band.copy_to(&mut covered, drawn.width(), (drawn.x0, drawn.y0));
    });
    ink.shade(drawn, 0, 0, surface.shade);
    rows::fade_pixels(surface.shade, &covered);
    for (y, row) in (drawn.y0..).zip(surface.shade.chunks_exact(drawn.width() * 4)) {
        let at = layer.at(drawn.x0, y);
        layer.data[at..at + row.len()].copy_from_slice(row);
    }
    for filter in &state.filter.list {
        layer.apply(filter);
    }
    if state.shadow.shows() {
        shadow::of_layer(surface, (rect, layer.alpha()), (&state.shadow, state.alpha));
    }
    layer.combine(surface, state.alpha);
}

impl Layer {
    fn at(&self, x: i32, y: i32) -> usize {
        ((y - self.rect.y0) as usize * self.rect.width() + (x - self.rect.x0) as usize) * 4
    }

    fn alpha(&self) -> Vec<u8> {
        self.data.iter().skip(3).step_by(4).copied().collect()
    }

    fn apply(&mut self, filter: &Filter) {
        match filter {
            Filter::Blur(sigma) => self.blur(sigma),
            Filter::DropShadow { x, y, sigma, color } => self.drop_shadow([*x, *y], sigma, color),
            Filter::Colors { rows, alpha } => self.recolor(rows, *alpha),
            Filter::Matrix(rows) => self.multiply(rows),
            Filter::Transfer(tables) => self.transfer(tables),
            Filter::Convolve(kernel) => self.convolve(kernel),
            Filter::Turbulence(turbulence) => self.fill_with_noise(turbulence),
        }
    }

    fn blur(&mut self, sigma: &[f64; 2]) {
        let boxes = sigma.map(box_sizes);
        let (w, h) = (self.rect.width(), self.rect.height());
        for channel in 0..4 {
            let mut plane: Vec<u8> = self.data.iter().skip(channel).step_by(4).copied().collect();
            blur_plane_by(&mut plane, w, h, &boxes);
            for (to, from) in self.data.iter_mut().skip(channel).step_by(4).zip(plane) {
                *to = from;
            }
        }
        // Each channel was rounded by itself.
        for p in self.data.chunks_exact_mut(4) {
            let alpha = p[3];
            p[..3].iter_mut().for_each(|c| *c = (*c).min(alpha));
        }
    }

    fn drop_shadow(&mut self, offset: [f64; 2], sigma: &[f64; 2], color: &Color) {
        let [x, y] = offset.map(shadow::whole);
        let (w, h) = (self.rect.width(), self.rect.height());
        let local = IRect::new(0, 0, w as i32, h as i32);
        let moved = local.shift(x, y).intersect(local);
        let mut plane = vec![0; w * h];
        for row in moved.y0..moved.y1 {
            for column in moved.x0..moved.x1 {
                let from = ((row - y) as usize * w + (column - x) as usize) * 4 + 3;
                plane[row as usize * w + column as usize] = self.data[from];
            }
        }
        blur_plane_by(&mut plane, w, h, &sigma.map(box_sizes));
        let color = color.in_space(self.space).premultiplied(1.0);
        for (p, covered) in self.data.chunks_exact_mut(4).zip(plane) {
            let below = pixel::scale(color, covered);
            let left = 255 - p[3];
            let over: [u8; 4] = std::array::from_fn(|i| p[i].saturating_add(pixel::mul(below[i], left)));
            p.copy_from_slice(&over);
        }
    }

    fn recolor(&mut self, rows: &[[f32; 4]; 3], opacity: f32) {
        for p in self.data.chunks_exact_mut(4).filter(|p| p[3] != 0) {
            let alpha = f32::from(p[3]);
            let straight = [p[0], p[1], p[2]].map(|c| f32::from(c) / alpha);
            let alpha = alpha * opacity;
            for (to, row) in p.iter_mut().zip(rows) {
                let value = row[0] * straight[0] + row[1] * straight[1] + row[2] * straight[2] + row[3];
                *to = (value.clamp(0.0, 1.0) * alpha).round() as u8;
            }
            p[3] = alpha.round() as u8;
            let alpha = p[3];
            p[..3].iter_mut().for_each(|c| *c = (*c).min(alpha));
        }
    }

    fn combine(&mut self, surface: &mut Surface, alpha: f64) {
        let visible = self.rect.intersect(surface.clip.rect);
        shadow::outside_of(surface, visible);
        let opacity = (alpha * 255.0).round() as u8;
        for y in visible.y0..visible.y1 {
            let at = self.at(visible.x0, y);
            let source = &mut self.data[at..at + visible.width() * 4];
            if opacity < 255 {
                for p in source.chunks_exact_mut(4) {
                    let faded = pixel::scale([p[0], p[1], p[2], p[3]], opacity);
                    p.copy_from_slice(&faded);
                }
            }
            surface.row(visible.rows(y, y + 1), RowSource::Pixels(source), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::canvas::Canvas;
    use crate::context::Context2d;
    use proptest::prelude::*;

    fn context() -> Context2d {
        Context2d::new(Canvas::new(40, 40).unwrap())
    }

    fn pixel(c: &Context2d, x: i32, y: i32) -> [u8; 4] {
        c.get_image_data(x, y, 1, 1).unwrap().data.try_into().unwrap()
    }

    /// A square of this colour through this filter.
    fn colored(color: &str, filter: &str) -> [u8; 4] {
        let mut c = context();
        assert!(c.set_filter(filter), "{filter}");
        c.set_fill_color(color);
        c.fill_rect(10.0, 10.0, 10.0, 10.0);
        pixel(&c, 15, 15)
    }

    #[test]
    fn colours_go_through_the_functions_in_turn() {
        assert_eq!(colored("#ff0000", "invert(1)"), [0, 255, 255, 255]);
        assert_eq!(colored("#ff0000", "grayscale(100%)"), [54, 54, 54, 255]);
        assert_eq!(colored("#804020", "brightness(200%)"), [255, 128, 64, 255]);
        assert_eq!(colored("#804020", "contrast(0)"), [128, 128, 128, 255]);
        assert_eq!(colored("#804020", "saturate(0) invert(0)"), [75, 75, 75, 255]);
        assert_eq!(colored("#ffffff", "sepia(1)"), [255, 255, 239, 255]);
        assert_eq!(colored("#ff0000", "opacity(50%)"), [255, 0, 0, 128]);
        assert_eq!(colored("#ff0000", "hue-rotate(0deg)"), [255, 0, 0, 255]);
        assert_eq!(colored("#ff0000", "hue-rotate(180deg)"), [0, 109, 109, 255]);
        assert_eq!(
            colored("#ff0000", "hue-rotate(calc(90deg * 2))"),
            [0, 109, 109, 255]
        );
        assert_eq!(
            colored("#804020", "brightness(calc(50% + 150%))/* twice */"),
            [255, 128, 64, 255]
        );
    }

    #[test]
    fn blur_spreads_and_a_shadow_falls_behind() {
        let mut c = context();
        c.set_filter("blur(3px)");
        c.fill_rect(10.0, 10.0, 20.0, 20.0);
        let edge = pixel(&c, 10, 20)[3];
        assert!((100..156).contains(&edge), "{edge}");
        assert!(pixel(&c, 7, 20)[3] > 0 && pixel(&c, 20, 20)[3] > 250);
        let mut c = context();
        c.set_filter("drop-shadow(rgb(255, 0, 0) 10px 10px)");
        c.fill_rect(5.0, 5.0, 10.0, 10.0);
        assert_eq!(pixel(&c, 6, 6), [0, 0, 0, 255]);
        assert_eq!(pixel(&c, 20, 20), [255, 0, 0, 255]);
        assert_eq!(pixel(&c, 20, 6), [0; 4]);
    }

    #[test]
    fn what_lies_outside_is_brought_in_and_the_clip_holds() {
        let mut c = context();
        c.set_filter("drop-shadow(-50px 0 0 lime)");
        c.fill_rect(60.0, 10.0, 10.0, 10.0);
        assert_eq!(pixel(&c, 15, 15), [0, 255, 0, 255]);
        c.reset();
        c.rect(0.0, 0.0, 15.0, 40.0);
        c.clip(crate::path::FillRule::NonZero);
        c.set_filter("blur(2px)");
        c.fill_rect(10.0, 10.0, 10.0, 10.0);
        assert!(pixel(&c, 14, 15)[3] > 0);
        assert_eq!(pixel(&c, 15, 15), [0; 4]);
    }

    #[test]
    fn alpha_shadow_and_operation_apply_to_the_result() {
        let mut c = context();
        c.set_filter("invert(1)");
        c.set_global_alpha(0.5);
        c.set_shadow_color("blue");
        c.set_shadow_offset_x(20.0);
        c.set_fill_color("white");
        c.fill_rect(5.0, 5.0, 10.0, 10.0);
        assert_eq!(pixel(&c, 8, 8), [0, 0, 0, 128]);
        assert_eq!(pixel(&c, 28, 8), [0, 0, 255, 128]);
        let mut c = context();
        c.set_fill_color("red");
        c.fill_rect(0.0, 0.0, 40.0, 40.0);
        c.set_filter("invert(1)");
        c.set_composite_op(crate::paint::CompositeOp::Copy);
        c.fill_rect(5.0, 5.0, 10.0, 10.0);
        assert_eq!(pixel(&c, 8, 8), [0, 255, 255, 255]);
        assert_eq!(pixel(&c, 30, 30), [0; 4]);
    }

    #[test]
    fn what_is_no_filter_changes_nothing() {
        let mut c = context();
        assert!(c.set_filter(" blur(5px)  contrast(1.5) "));
        for none in [
            "",
            "blur(5)",
            "blur(-1px)",
            "blur(5px",
            "blur",
            "tint(1)",
            "url(#a)",
            "none none",
            "drop-shadow(1px)",
            "drop-shadow(1px 1px -1px)",
            "invert(-1)",
            "hue-rotate(90)",
            "blur(1px) x",
        ] {
            assert!(!c.set_filter(none), "{none}");
        }
        assert_eq!(c.filter(), "blur(5px)  contrast(1.5)");
        c.save();
        assert!(c.set_filter("None"));
        assert_eq!(c.filter(), "none");
        c.restore().unwrap();
        assert_eq!(c.filter(), "blur(5px)  contrast(1.5)");
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(100))]
        #[test]
        fn pixels_stay_premultiplied(
            filters in prop::collection::vec(prop::sample::select(vec![
                "blur(2px)", "blur(20px)", "contrast(3)", "brightness(9)", "hue-rotate(77deg)", "sepia(0.4)",
                "invert(0.3)", "opacity(0.4)", "saturate(5)", "drop-shadow(3px -4px 2px #8008)",
                "drop-shadow(1e6px 0 red)",
            ]), 1..4),
            x in -60f64..60.0, y in -60f64..60.0, w in 0f64..120.0, h in 0f64..120.0, alpha in 0f64..1.0,
        ) {
            let mut c = context();
            prop_assert!(c.set_filter(&filters.join(" ")));
            c.set_global_alpha(alpha);
            c.set_fill_color("rgba(200, 30, 90, 0.7)");
            c.fill_rect(x, y, w, h);
            prop_assert!(c.canvas().bitmap().data().chunks_exact(4).all(|p| p[..3].iter().all(|v| *v <= p[3])));
        }
    }
}
