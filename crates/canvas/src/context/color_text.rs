//! Lines of text with glyphs that bring their own colours: the line becomes one picture on a
//! layer, so that shadow, filter, operation and alpha see it whole.
//!
//! A colour glyph takes the alpha of the fill style and none of its colour. Small ones are kept as
//! they were drawn.

use super::Context2d;
use super::recording::Drawn;
use crate::canvas::Canvas;
use crate::geometry::{IRect, RectF};
use crate::matrix::{Matrix, Point};
use crate::paint::{Color, Style};
use crate::path::{FillRule, Path};
use crate::text::{
    ColorGlyph, DrawnGlyph, Line, Paint, PictureKey, Placed, Step, Subpixel, box_of, corners_of,
};
use std::sync::Arc;

/// Device pixels of an em square up to which a drawn glyph is kept.
const MAX_EM: f64 = 160.0;

/// What is done with the glyphs that have no colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlines {
    Filled,
    Stroked,
}

impl Context2d {
    pub(super) fn draw_colored(&mut self, line: &Line, place: Matrix, outlines: Outlines) {
        let matrix = self.state.ctm.multiply(place);
        let extent = match outlines {
            Outlines::Filled => bounds(line, &matrix),
            // Strokes reach as far as their joins.
            Outlines::Stroked => IRect::new(i32::MIN / 4, i32::MIN / 4, i32::MAX / 4, i32::MAX / 4),
        };
        let said = match self.records() {
            true => self.said_apart(|apart| apart.draw_line(line, place, outlines)),
            false => None,
        };
        self.recorded(&Drawn::Group(said, (0, 0)), |context| {
            context.on_layer(extent, |layer| layer.draw_line(line, place, outlines));
        });
    }

    fn draw_line(&mut self, line: &Line, place: Matrix, outlines: Outlines) {
        let matrix = self.state.ctm.multiply(place);
        let path = line.to_path(&matrix);
        let (style, draw): (_, fn(&mut Context2d, &Path)) = match outlines {
            Outlines::Filled => (&self.state.fill, |c, path| {
                c.fill_device_path(path, FillRule::NonZero)
            }),
            Outlines::Stroked => (&self.state.stroke, Context2d::stroke_device_path),
        };
        let text = match style {
            Style::Color(color) => *color,
            _ => Color::BLACK,
        };
        if !path.is_empty() {
            draw(self, &path);
        }
        for glyph in line.glyphs() {
            if let Some(color) = &glyph.color {
                self.draw_color_glyph(glyph, color, &matrix.multiply(glyph.place), text);
            }
        }
    }

    fn draw_color_glyph(&mut self, glyph: &Placed, color: &Arc<ColorGlyph>, device: &Matrix, text: Color) {
        if !device.is_finite() || device.invert().is_none() {
            return;
        }
        // What is recorded here are the shapes that the kept picture was made of.
        let kept = match self.records() {
            true => None,
            false => self.kept_picture(glyph, color, device, text),
        };
        self.state.alpha = f64::from(text.alpha());
        match kept {
            Some((picture, x, y)) => self.draw_pixels(&picture.pixels, x, y),
            None => {
                let extent = device_box(corners_of(color.bounds).map(|p| device.apply(p)));
                let before = self.state.ctm;
                self.state.ctm = *device;
                self.on_layer(extent, |layer| layer.follow(color, text));
                self.state.ctm = before;
            }
        }
        self.state.alpha = 1.0;
    }

    /// The glyph as a picture and where it belongs; `None` when it is too large to be kept.
    fn kept_picture(
        &self,
        glyph: &Placed,
        color: &ColorGlyph,
        device: &Matrix,
        text: Color,
    ) -> Option<(Arc<DrawnGlyph>, i32, i32)> {
        let at = Subpixel::of(device, MAX_EM)?;
        let seen = if color.foreground {
            u32::from_be_bytes(text.to_rgba8())
        } else {
            0
        };
        let space = self.canvas.space();
        let key: PictureKey = (glyph.key?, at.key, seen, space);
        let known = self.fonts.library().pictures.get(&key);
        let picture = match known {
            Some(known) => known,
            None => {
                let drawn = Arc::new(self.picture_of(color, &at.place(device), text)?);
                self.fonts.library().pictures.put(key, &drawn);
                drawn
            }
        };
        let ([x, y], [dx, dy]) = (at.pixel, picture.at);
        Some((picture, x.saturating_add(dx), y.saturating_add(dy)))
    }

    fn picture_of(&self, color: &ColorGlyph, place: &Matrix, text: Color) -> Option<DrawnGlyph> {
        let rect = device_box(corners_of(color.bounds).map(|p| place.apply(p)));
        // Bounds are the font's word.
        let most = 4 * MAX_EM as usize;
        if rect.width() > most || rect.height() > most {
            return None;
        }
        let mut canvas = Canvas::new(rect.width() as u32, rect.height() as u32).ok()?;
        canvas.set_space(self.canvas.space());
        let mut context = Context2d::with_fonts(canvas, self.fonts.clone());
        context.state.ctm = Matrix::translation(-f64::from(rect.x0), -f64::from(rect.y0)).multiply(*place);
        context.follow(color, text);
        Some(DrawnGlyph {
            pixels: context.into_canvas().into_bitmap(),
            at: [rect.x0, rect.y0],
        })
    }

    /// Takes the steps of a glyph, from the em square through the transform.
    fn follow(&mut self, glyph: &ColorGlyph, text: Color) {
        let mut steps = glyph.steps.as_slice();
        while let Some((step, rest)) = steps.split_first() {
            steps = rest;
            match step {
                Step::Clip(path) => {
                    if let Some(rest) = self.fill_at_once(path, rest, text) {
                        steps = rest;
                        continue;
                    }
                    self.save();
                    self.clip_path(path, FillRule::NonZero);
                }
                Step::Transform(matrix) => {
                    self.save();
                    self.state.ctm = self.state.ctm.multiply(*matrix);
                }
                Step::Layer(operation) => {
                    self.save();
                    match operation {
                        Some(operation) => self.state.op = *operation,
                        None => self.state.alpha = 0.0,
                    }
                    if self.begin_layer(super::Filters::default()).is_err() {
                        // Deeper than layers go: nothing of it can be right.
                        return;
                    }
                }
                Step::EndLayer => {
                    if self.end_layer().is_err() || self.restore().is_err() {
                        return;
                    }
                }
                Step::End => {
                    if self.restore().is_err() {
                        return;
                    }
                }
                Step::Paint(paint) => {
                    // More than any canvas.
                    let side = f64::from(1 << 17);
                    let mut all = Path::new();
                    all.rect(-side, -side, 2.0 * side, 2.0 * side);
                    self.fill_styled(&all, FillRule::NonZero, &style(paint, text));
                }
                Step::Picture(picture) => {
                    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
                    let whole = RectF::new(0.0, 0.0, width, height);
                    self.draw_image(picture, whole, RectF::new(0.0, 0.0, 1.0, 1.0));
                }
            }
        }
    }

    /// An outline that is filled and nothing else needs no clip. Returns the steps after it.
    fn fill_at_once<'s>(&mut self, path: &Path, steps: &'s [Step], text: Color) -> Option<&'s [Step]> {
        let (of_paint, paint, rest) = match steps {
            [Step::Paint(paint), Step::End, rest @ ..] => (None, paint, rest),
            [
                Step::Transform(matrix),
                Step::Paint(paint),
                Step::End,
                Step::End,
                rest @ ..,
            ] => (Some(*matrix), paint, rest),
            _ => return None,
        };
        let before = self.state.ctm;
        let path = path.transformed(&before);
        if let Some(matrix) = of_paint {
            self.state.ctm = before.multiply(matrix);
        }
        self.fill_styled(&path, FillRule::NonZero, &style(paint, text));
        self.state.ctm = before;
        Some(rest)
    }
}

/// The text's alpha counts for the glyph as a whole.
fn style(paint: &Paint, text: Color) -> Style {
    match paint {
        Paint::Color(color) => Style::Color(*color),
        Paint::Foreground(alpha) => Style::Color(text.opaque().faded(*alpha)),
        Paint::Gradient(gradient) => Style::Gradient(gradient.clone()),
    }
}

/// The pixels that a line can touch.
fn bounds(line: &Line, matrix: &Matrix) -> IRect {
    let mut all: Option<IRect> = None;
    let mut add = |rect: IRect| all = Some(all.map_or(rect, |all| all.union(rect)));
    if let Some((min, max)) = line.to_path(matrix).control_bounds() {
        add(IRect::around(min, max).outset(1));
    }
    for glyph in line.glyphs() {
        if let Some(color) = &glyph.color {
            let place = matrix.multiply(glyph.place);
            add(device_box(corners_of(color.bounds).map(|p| place.apply(p))));
        }
    }
    all.unwrap_or(IRect::EMPTY)
}

/// With room for the quarter of a pixel that a picture may be off.
fn device_box(corners: [Point; 4]) -> IRect {
    let (min, max) = box_of(corners);
    IRect::around(min, max).outset(1)
}
