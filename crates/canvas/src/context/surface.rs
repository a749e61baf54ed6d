//! From coverage to pixels: every drawing call ends here.

use super::clip::Clip;
use super::rects::outline;
use super::scratch::{self, Scratch};
use super::{Context2d, filter, shadow};
use crate::canvas::Canvas;
use crate::geometry::IRect;
use crate::matrix::{Matrix, Point};
use crate::paint::composite::{Row, RowSource, composite_row, erase_row};
use crate::paint::pixel;
use crate::paint::ramp::Ramp;
use crate::paint::rows;
use crate::paint::sampler::Sampler;
use crate::paint::space;
use crate::paint::{ColorSpace, CompositeOp};
use crate::path::FillRule;
use crate::raster::{Band, Cover, Raster, Run};
use tiny_skia::{BlendMode, Paint, PixmapMut, Rect, Shader, Transform};

/// What a shape is filled with during one call, in device space.
pub(super) enum Ink<'a> {
    /// Premultiplied.
    Solid([u8; 4]),
    Picture {
        sampler: Sampler<'a>,
        /// Where a pattern that does not repeat in all directions ends: four corners.
        extent: Option<[Point; 4]>,
        /// What the picture's colours mean, and what they are to mean.
        spaces: (ColorSpace, ColorSpace),
    },
    Gradient(Ramp),
    /// Slow to set up: shades many rows at once.
    Shader(Shader<'a>),
}

impl Ink<'_> {
    /// Source pixels of `rect`, moved by (-dx, -dy), into `out`.
    pub(super) fn shade(&self, rect: IRect, dx: i32, dy: i32, out: &mut Vec<u8>) {
        // Every ink writes every pixel.
        out.resize(rect.width() * rect.height() * 4, 0);
        let from = rect.shift(-dx, -dy);
        match self {
            Ink::Solid(color) => out.as_chunks_mut::<4>().0.fill(*color),
            Ink::Picture {
                sampler,
                extent,
                spaces: (own, wanted),
            } => {
                for (y, row) in (from.y0..).zip(out.chunks_exact_mut(rect.width().max(1) * 4)) {
                    sampler.row(from.x0, y, row);
                }
                space::convert(out, *own, *wanted);
                if let Some(corners) = extent {
                    limit(from, corners, out);
                }
            }
            Ink::Gradient(ramp) => {
                for (y, row) in (from.y0..).zip(out.chunks_exact_mut(rect.width().max(1) * 4)) {
                    ramp.row(from.x0, y, row);
                }
            }
            Ink::Shader(shader) => self.run_shader(shader, from, out),
        }
    }

    fn run_shader(&self, shader: &Shader, rect: IRect, out: &mut [u8]) {
        out.fill(0);
        let (w, h) = (rect.width() as u32, rect.height() as u32);
        let Some(mut pixmap) = PixmapMut::from_bytes(out, w, h) else {
            return;
        };
        let Some(area) = Rect::from_xywh(0.0, 0.0, w as f32, h as f32) else {
            return;
        };
        let mut shader = shader.clone();
        shader.transform(Transform::from_translate(-(rect.x0 as f32), -(rect.y0 as f32)));
        let paint = Paint {
            shader,
            blend_mode: BlendMode::Source,
            anti_alias: false,
            ..Paint::default()
        };
        pixmap.fill_rect(area, &paint, Transform::identity(), None);
        // Cubic filters overshoot: a channel above its alpha is no premultiplied colour.
        for p in out.chunks_exact_mut(4) {
            let alpha = p[3];
            p[..3].iter_mut().for_each(|c| *c = (*c).min(alpha));
        }
    }
}

/// Fades pixels out where they lie beyond the borders of a pattern.
fn limit(rect: IRect, corners: &[Point; 4], out: &mut [u8]) {
    let mut raster = Raster::default();
    raster.begin(rect);
    outline(corners, &mut |a, b| raster.line(a, b));
    let mut kept = vec![0u8; rect.width() * rect.height()];
    raster.sweep(FillRule::NonZero, |band| {
        band.copy_to(&mut kept, rect.width(), (rect.x0, rect.y0));
    });
    rows::fade_pixels(out, &kept);
}

/// The pixels and the rules under which they may change.
pub(super) struct Surface<'a> {
    pub canvas: &'a mut Canvas,
    pub clip: &'a Clip,
    pub op: CompositeOp,
    pub shade: &'a mut Vec<u8>,
}

impl Surface<'_> {
    /// Paints the outline that waits in `raster` (begun with the clip's rectangle).
    pub fn paint(&mut self, raster: &mut Raster, rule: FillRule, ink: &Ink) {
        let mut next = self.clip.rect.y0;
        raster.sweep(rule, |band| self.next_band(&band, ink, &mut next));
        self.rest(next);
    }

    /// Paints what is covered.
    fn paint_cover(&mut self, cover: &mut Cover, ink: &Ink) {
        let mut next = self.clip.rect.y0;
        if let Some(band) = cover.band() {
            self.next_band(&band, ink, &mut next);
        }
        self.rest(next);
    }

    /// A band, and what lies around it down from row `next`.
    fn next_band(&mut self, band: &Band, ink: &Ink, next: &mut i32) {
        if self.op.reaches_outside() {
            let (rect, clip) = (band.rect, self.clip.rect);
            self.outside(clip.rows(*next, rect.y0));
            self.outside(IRect {
                x0: clip.x0,
                x1: rect.x0,
                ..rect
            });
            self.outside(IRect {
                x0: rect.x1,
                x1: clip.x1,
                ..rect
            });
            *next = rect.y1;
        }
        self.band(band, ink);
    }

    /// What lies below the last band.
    fn rest(&mut self, next: i32) {
        if self.op.reaches_outside() {
            self.outside(self.clip.rect.rows(next, self.clip.rect.y1));
        }
    }

    /// Pixels beyond a shape, under an operation that reaches them: a transparent source
    /// leaves nothing there but what the clip protects.
    pub fn outside(&mut self, rect: IRect) {
        if rect.is_empty() {
            return;
        }
        for y in rect.y0..rect.y1 {
            for part in self.clip.parts(y, rect.x0, rect.x1) {
                let dst = self
                    .canvas
                    .bitmap
                    .row_mut(y as u32, part.x0 as u32, part.x1 as u32);
                erase_row(dst, None, part.cover);
                if self.canvas.opaque {
                    pixel::seal(dst);
                }
            }
        }
    }

    /// Combines pixels of one row, inside the clip's rectangle, with the canvas.
    pub fn row(&mut self, part: IRect, source: RowSource, shape: Option<&[u8]>) {
        combine(self.canvas, self.clip, self.op, part, source, shape);
    }

    /// Combines rows of coverage, all inside the clip's rectangle.
    pub fn band(&mut self, band: &Band, ink: &Ink) {
        let rect = band.rect;
        if let Ink::Solid(color) = ink
            && self.op == CompositeOp::SourceOver
            && self.clip.is_rect()
        {
            let width = self.canvas.width() as usize;
            rows::solid_over_band(self.canvas.bitmap.data_mut(), width, *color, band);
            return;
        }
        let at_once = matches!(ink, Ink::Shader(_) | Ink::Picture { extent: Some(_), .. });
        if at_once {
            ink.shade(rect, 0, 0, self.shade);
        }
        let outside = self.op.reaches_outside();
        for (y, runs, shape) in band.rows() {
            let line = rect.rows(y, y + 1);
            // Of which column the first source pixel is, where a row has its sources together.
            let mut shaded = None;
            if at_once {
                shaded = Some(0);
            } else if !matches!(ink, Ink::Solid(_))
                && let Some((from, to)) = together(runs)
            {
                ink.shade(line.columns(from, to), 0, 0, self.shade);
                shaded = Some(from);
            }
            let row = if at_once {
                (y - rect.y0) as usize * rect.width()
            } else {
                0
            };
            let mut next = 0;
            for run in runs {
                if outside {
                    self.outside(line.columns(next, run.from));
                    next = run.to;
                }
                let part = line.columns(run.from, run.to);
                let source = match (ink, shaded) {
                    (Ink::Solid(color), _) => RowSource::Solid(*color),
                    (_, Some(first)) => {
                        let (from, to) = (row + run.from - first, row + run.to - first);
                        RowSource::Pixels(&self.shade[from * 4..to * 4])
                    }
                    (_, None) => {
                        ink.shade(part, 0, 0, self.shade);
                        RowSource::Pixels(self.shade)
                    }
                };
                let shape = (!run.full).then(|| &shape[run.from..run.to]);
                combine(self.canvas, self.clip, self.op, part, source, shape);
            }
            if outside {
                self.outside(line.columns(next, rect.width()));
            }
        }
    }
}

/// Where a row's runs begin and end, if there is little between them: to shade them together then costs less
/// than to begin anew for each.
fn together(runs: &[Run]) -> Option<(usize, usize)> {
    let (first, last) = (runs.first()?, runs.last()?);
    let covered: usize = runs.iter().map(|run| run.to - run.from).sum();
    (2 * covered >= last.to - first.from).then_some((first.from, last.to))
}

/// Combines pixels of one row inside the clip's rectangle with the canvas.
fn combine(
    canvas: &mut Canvas,
    clip: &Clip,
    op: CompositeOp,
    part: IRect,
    source: RowSource,
    shape: Option<&[u8]>,
) {
    let mut put = |x0: i32, x1: i32, row: Row| {
        let dst = canvas.bitmap.row_mut(part.y0 as u32, x0 as u32, x1 as u32);
        composite_row(op, dst, row);
        if canvas.opaque && op != CompositeOp::SourceOver {
            pixel::seal(dst);
        }
    };
    // What `parts` would give, at less expense.
    if clip.is_rect() {
        let clip = None;
        return put(part.x0, part.x1, Row { source, shape, clip });
    }
    for through in clip.parts(part.y0, part.x0, part.x1) {
        let (from, to) = ((through.x0 - part.x0) as usize, (through.x1 - part.x0) as usize);
        let row = Row {
            source: source.columns(from, to),
            shape: shape.map(|shape| &shape[from..to]),
            clip: through.cover,
        };
        put(through.x0, through.x1, row);
    }
}

/// An outline in device space, told line by line.
pub(super) type Shape<'a> = &'a dyn Fn(&mut dyn FnMut(Point, Point));

impl Context2d {
    /// Paints a shape with its shadow. `ink` is made twice: the shadow takes the source
    /// before globalAlpha.
    pub(super) fn draw<'i>(
        &mut self,
        shape: Shape,
        rule: FillRule,
        ink: impl FnMut(&Matrix, f32) -> Option<Ink<'i>>,
    ) {
        scratch::with(|scratch| self.draw_with(scratch, shape, rule, ink));
    }

    fn draw_with<'i>(
        &mut self,
        Scratch { raster, shade, .. }: &mut Scratch,
        shape: Shape,
        rule: FillRule,
        mut ink: impl FnMut(&Matrix, f32) -> Option<Ink<'i>>,
    ) {
        let Context2d { canvas, state, .. } = self;
        let mut surface = Surface {
            canvas,
            clip: &state.clip,
            op: state.op,
            shade,
        };
        if surface.clip.rect.is_empty() {
            return;
        }
        if !state.filter.is_none() {
            filter::paint(&mut surface, raster, (shape, rule), state, ink);
            return;
        }
        if state.shadow.shows()
            && let Some(ink) = ink(&state.ctm, 1.0)
        {
            shadow::paint(
                &mut surface,
                raster,
                (shape, rule),
                &ink,
                (&state.shadow, state.alpha),
            );
        }
        let Some(ink) = ink(&state.ctm, state.alpha as f32) else {
            return;
        };
        raster.begin(state.clip.rect);
        shape(&mut |a, b| raster.line(a, b));
        surface.paint(raster, rule, &ink);
    }

    /// Whether calls paint what is covered and nothing else: no shadow, no filter.
    pub(super) fn paints_plainly(&self) -> bool {
        self.state.filter.is_none() && !self.state.shadow.shows()
    }

    /// Paints what waits in the cover with the fill style.
    pub(super) fn fill_cover(&mut self, Scratch { cover, shade, .. }: &mut Scratch) {
        let (smoothing, space) = (self.smoothing(), self.canvas.space());
        let Context2d { canvas, state, .. } = self;
        let mut surface = Surface {
            canvas,
            clip: &state.clip,
            op: state.op,
            shade,
        };
        let strength = (state.alpha as f32, space);
        if let Some(ink) = Ink::of_style(&state.fill, &state.ctm, strength, smoothing) {
            surface.paint_cover(cover, &ink);
        }
    }
}
