//! beginLayer and endLayer: what is drawn between them is combined with the canvas as one picture,
//! under the alpha, the operation, the shadow, the filter and the clip of before.
//!
//! A layer is a canvas of its own, as large as what of it can come to be seen. Its first pixel is
//! `origin` on the real canvas; the transform, the path and the clip are moved there and back.

use super::clip::Clip;
use super::filter::Filters;
use super::recording::Drawn;
use super::rects::outline;
use super::state::{Shadow, State};
use super::surface::Ink;
use super::{Context2d, MAX_SAVED, filter, shadow};
use crate::canvas::{Bitmap, Canvas, byte_len};
use crate::error::CanvasError;
use crate::geometry::IRect;
use crate::matrix::{Matrix, Point};
use crate::paint::sampler::{Beyond, Sampler};
use crate::paint::{Color, CompositeOp};
use crate::path::FillRule;
use std::sync::Arc;

/// Layers inside of each other.
const MAX_OPEN: usize = 64;
/// A layer that would be larger is cut to what the clip shows.
const MAX_PIXELS: u64 = 1 << 26;

/// What waits below an open layer.
#[derive(Debug)]
pub(super) struct Layer {
    pub below: Canvas,
    origin: (i32, i32),
    /// Where the layer lies on what is below.
    rect: IRect,
    /// Saved states, with the one that the layer began with.
    depth: usize,
    filters: Arc<Filters>,
    /// A layer that began under a transform without inverse is never seen.
    seen: bool,
}

impl Context2d {
    /// Pixels that the next layer will hold.
    pub fn next_layer_pixels(&self, filters: &Filters) -> u64 {
        let rect = self.layer_rect(filters);
        rect.width() as u64 * rect.height() as u64
    }

    pub fn begin_layer(&mut self, filters: Filters) -> Result<(), CanvasError> {
        let rect = self.layer_rect(&filters);
        self.begin_layer_in(rect, filters)
    }

    /// The layer is combined with what was there before it.
    pub fn end_layer(&mut self) -> Result<(), CanvasError> {
        if self.unsaved > 0
            || self
                .layers
                .last()
                .is_none_or(|layer| layer.depth != self.saved.len())
        {
            return Err(CanvasError::NoLayer);
        }
        let (Some(layer), Some(state)) = (self.layers.pop(), self.saved.pop()) else {
            return Err(CanvasError::NoLayer);
        };
        let drawn = std::mem::replace(&mut self.canvas, layer.below).bitmap;
        let said = self
            .recording
            .as_mut()
            .map(|recording| recording.end_layer(&drawn));
        self.origin = layer.origin;
        self.state = state;
        let (x, y) = (layer.rect.x0, layer.rect.y0);
        self.move_path(x, y);
        if layer.seen {
            let own = Arc::clone(&self.state.filter);
            self.state.filter = Arc::new(layer.filters.then(&own));
            let said = match said {
                Some(Ok(Some(text))) => Drawn::Group(Some(text), (x, y)),
                Some(Ok(None)) => Drawn::Pixels(&drawn, (x, y)),
                Some(Err(_)) | None => Drawn::Group(None, (x, y)),
            };
            self.recorded(&said, |context| context.draw_pixels(&drawn, x, y));
            self.state.filter = own;
        }
        Ok(())
    }

    /// Whether layers are open: then the canvas is not to be read.
    pub fn has_layers(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Whether the last save() was a layer's beginning.
    pub(super) fn at_layer(&self) -> bool {
        let begin = self.layers.last().map(|layer| layer.depth);
        self.unsaved == 0 && begin == Some(self.saved.len())
    }

    /// Open layers are gone, and what is on them.
    pub(super) fn drop_layers(&mut self) {
        if !self.layers.is_empty() {
            self.canvas = self.layers.swap_remove(0).below;
            self.layers.clear();
            self.origin = (0, 0);
            if let Some(recording) = &mut self.recording {
                recording.drop_layers();
            }
        }
    }

    /// Runs `draw` on a layer of this extent; where there is no room for one, nothing is drawn.
    pub(super) fn on_layer(&mut self, extent: IRect, draw: impl FnOnce(&mut Context2d)) {
        let rect = self.layer_rect(&Filters::default()).intersect(extent);
        let was_unsaved = std::mem::take(&mut self.unsaved);
        if self.begin_layer_in(rect, Filters::default()).is_ok() {
            draw(self);
            // Just begun, so it can be ended.
            let _ended = self.end_layer();
        }
        self.unsaved = was_unsaved;
    }

    /// Draws pixels that are in device space already.
    pub(super) fn draw_pixels(&mut self, image: &Bitmap, x: i32, y: i32) {
        let (x0, y0) = (f64::from(x), f64::from(y));
        let (x1, y1) = (x0 + f64::from(image.width()), y0 + f64::from(image.height()));
        let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| Point::new(x, y));
        let shape = |line: &mut dyn FnMut(Point, Point)| outline(&corners, line);
        let place = Matrix::translation(x0, y0);
        self.draw(&shape, FillRule::NonZero, |_, opacity| {
            if image.is_empty() {
                // Nothing still clears what lies outside of it.
                return Some(Ink::Solid([0; 4]));
            }
            let sampler = Sampler::new(image, &place, Beyond::Pad, false, opacity)?;
            let space = image.space();
            Some(Ink::Picture {
                sampler,
                extent: None,
                spaces: (space, space),
            })
        });
    }

    fn begin_layer_in(&mut self, rect: IRect, filters: Filters) -> Result<(), CanvasError> {
        if self.saved.len() >= MAX_SAVED || self.unsaved > 0 || self.layers.len() >= MAX_OPEN {
            return Err(CanvasError::TooManyLayers);
        }
        let (width, height) = (rect.width() as u32, rect.height() as u32);
        let mut above = Canvas::new(width, height)?;
        above.set_space(self.canvas.space());
        if let Some(recording) = &mut self.recording {
            recording.begin_layer(self.canvas.bitmap())?;
        }
        let seen = self.state.ctm.invert().is_some();
        let inside = self.state.inside_layer(&above, (-rect.x0, -rect.y0));
        self.saved.push(std::mem::replace(&mut self.state, inside));
        self.layers.push(Layer {
            below: std::mem::replace(&mut self.canvas, above),
            origin: self.origin,
            rect,
            depth: self.saved.len(),
            filters: Arc::new(filters),
            seen,
        });
        self.origin = (self.origin.0 + rect.x0, self.origin.1 + rect.y0);
        self.move_path(-rect.x0, -rect.y0);
        Ok(())
    }

    /// What of a layer can be seen through the clip, the shadow and the filters.
    pub(super) fn layer_rect(&self, filters: &Filters) -> IRect {
        let clip = self.state.clip.rect;
        if clip.is_empty() {
            return IRect::EMPTY;
        }
        let mut rect = clip;
        if self.state.shadow.shows() {
            rect = shadow::sources(&self.state.shadow, rect).union(rect);
        }
        for filters in [&*self.state.filter, filters] {
            rect = filter::sources(filters, rect);
        }
        let pixels = rect.width() as u64 * rect.height() as u64;
        let fits = byte_len(rect.width() as u32, rect.height() as u32).is_ok();
        if fits && pixels <= MAX_PIXELS { rect } else { clip }
    }

    /// A context that draws the same on no pixels at all, as a layer would.
    pub(super) fn without_pixels(&self) -> Option<Context2d> {
        let canvas = Canvas::new(0, 0).ok()?;
        let state = self.state.inside_layer(&canvas, (0, 0));
        Some(Context2d {
            state,
            ..Context2d::with_fonts(canvas, self.fonts.clone())
        })
    }

    fn move_path(&mut self, dx: i32, dy: i32) {
        if (dx, dy) != (0, 0) {
            self.path = self
                .path
                .transformed(&Matrix::translation(f64::from(dx), f64::from(dy)));
        }
    }
}

impl State {
    /// The state that a layer begins with.
    fn inside_layer(&self, canvas: &Canvas, (dx, dy): (i32, i32)) -> State {
        State {
            ctm: Matrix::translation(f64::from(dx), f64::from(dy)).multiply(self.ctm),
            clip: Clip::whole(canvas.width(), canvas.height()),
            alpha: 1.0,
            op: CompositeOp::SourceOver,
            shadow: Shadow {
                color: Color::TRANSPARENT,
                blur: 0.0,
                offset_x: 0.0,
                offset_y: 0.0,
            },
            filter: Arc::default(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn context(width: u32, height: u32) -> Context2d {
        Context2d::new(Canvas::new(width, height).unwrap())
    }

    fn pixel(c: &Context2d, x: i32, y: i32) -> [u8; 4] {
        c.get_image_data(x, y, 1, 1).unwrap().data.try_into().unwrap()
    }

    #[test]
    fn a_layer_is_combined_as_one_picture() {
        let mut c = context(30, 10);
        c.set_global_alpha(0.5);
        c.begin_layer(Filters::default()).unwrap();
        assert_eq!(c.global_alpha(), 1.0);
        c.set_fill_color("red");
        c.fill_rect(0.0, 0.0, 20.0, 10.0);
        c.set_fill_color("blue");
        c.fill_rect(10.0, 0.0, 20.0, 10.0);
        assert_eq!(c.canvas().bitmap().data()[3], 0, "nothing is seen before the end");
        c.end_layer().unwrap();
        assert_eq!(c.global_alpha(), 0.5);
        assert_eq!(pixel(&c, 5, 5), [255, 0, 0, 128]);
        assert_eq!(pixel(&c, 15, 5), [0, 0, 255, 128]);
    }

    #[test]
    fn transform_path_and_clip_are_where_they_were() {
        let mut c = context(40, 40);
        let mut clip = crate::path::Path::new();
        clip.rect(10.0, 10.0, 20.0, 20.0);
        c.clip_path(&clip, FillRule::NonZero);
        c.translate(12.0, 12.0);
        c.begin_layer(Filters::parse("blur(2px)").unwrap()).unwrap();
        assert_eq!(c.get_transform(), Matrix::translation(12.0, 12.0));
        c.set_transform(Matrix::translation(3.0, 0.0));
        assert_eq!(c.get_transform(), Matrix::translation(3.0, 0.0));
        c.begin_path();
        c.rect(9.0, 12.0, 5.0, 5.0);
        assert!(c.is_point_in_path(13.0, 13.0, FillRule::NonZero));
        assert!(!c.is_point_in_path(3.0, 3.0, FillRule::NonZero));
        c.end_layer().unwrap();
        assert_eq!(c.get_transform(), Matrix::translation(12.0, 12.0));
        c.fill(FillRule::NonZero);
        assert_eq!(pixel(&c, 13, 13)[3], 255);
        assert_eq!(pixel(&c, 11, 13)[3], 0);
    }

    #[test]
    fn what_lies_outside_is_brought_in_by_filter_and_shadow() {
        let mut c = context(20, 20);
        c.begin_layer(Filters::parse("drop-shadow(-30px 0 0 lime)").unwrap())
            .unwrap();
        c.fill_rect(30.0, 0.0, 20.0, 20.0);
        c.end_layer().unwrap();
        assert_eq!(pixel(&c, 10, 10), [0, 255, 0, 255]);
        c.reset();
        c.set_shadow_color("lime");
        c.set_shadow_offset_x(40.0);
        c.begin_layer(Filters::default()).unwrap();
        c.fill_rect(-40.0, 0.0, 20.0, 20.0);
        c.end_layer().unwrap();
        assert_eq!(pixel(&c, 10, 10), [0, 255, 0, 255]);
    }

    #[test]
    fn layers_and_saves_nest_or_are_refused() {
        let mut c = context(5, 5);
        assert_eq!(c.end_layer(), Err(CanvasError::NoLayer));
        c.begin_layer(Filters::default()).unwrap();
        assert_eq!(c.restore(), Err(CanvasError::OpenLayer));
        c.save();
        assert_eq!(c.end_layer(), Err(CanvasError::NoLayer));
        c.restore().unwrap();
        c.begin_layer(Filters::default()).unwrap();
        c.end_layer().unwrap();
        c.end_layer().unwrap();
        c.restore().unwrap();
        for _ in 0..MAX_OPEN {
            c.begin_layer(Filters::default()).unwrap();
        }
        assert_eq!(c.begin_layer(Filters::default()), Err(CanvasError::TooManyLayers));
        c.reset();
        c.fill_rect(0.0, 0.0, 5.0, 5.0);
        assert_eq!(pixel(&c, 2, 2)[3], 255);
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(200))]
        /// A layer without anything of its own changes nothing of what is drawn in it, but the rounding.
        #[test]
        fn a_plain_layer_is_as_if_it_was_not_there(
            calls in prop::collection::vec((0u8..6, -20.0f64..60.0, -20.0f64..60.0), 1..12),
            clip in prop::option::of((0i32..20, 0i32..20, 1i32..40, 1i32..40)),
        ) {
            let run = |layered: bool| {
                let mut c = context(40, 40);
                if let Some((x, y, w, h)) = clip {
                    let mut path = crate::path::Path::new();
                    path.rect(x.into(), y.into(), w.into(), h.into());
                    c.clip_path(&path, FillRule::NonZero);
                }
                if layered { c.begin_layer(Filters::default()).unwrap(); }
                for (call, x, y) in &calls {
                    match call {
                        0 => c.translate(x / 4.0, y / 4.0),
                        1 => c.fill_rect(*x, *y, 13.0, 9.5),
                        2 => c.save(),
                        3 => c.line_to(*x, *y),
                        4 => c.stroke(),
                        _ => { c.set_fill_color("rgb(10 200 30)"); }
                    }
                }
                while layered && c.end_layer().is_err() { c.restore().unwrap(); }
                c.canvas().snapshot()
            };
            let (with, without) = (run(true), run(false));
            for (a, b) in with.data().iter().zip(without.data()) {
                prop_assert!(a.abs_diff(*b) <= 1);
            }
        }
    }
}
