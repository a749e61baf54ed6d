//! The recording: what calls draw, said as SVG beside the pixels.
//!
//! It begins when it is asked for and costs one look at an `Option` a call where it is not. Shapes,
//! text (as outlines), linear gradients, those from a circle to one around it, repeating patterns,
//! pictures, clips, shadows, filters, layers, the blend modes and `destination-over` stay what they
//! are. Other inks become pictures inside the shape. What has no words in SVG (the remaining
//! operations, putImageData) becomes a picture of the pixels that it left. Nothing is left out.

mod paints;

use super::Context2d;
use super::images::{clip_source, device_corners, placed};
use crate::blur::{MAX_SIGMA, box_sizes, reach_of};
use crate::canvas::Bitmap;
use crate::error::CanvasError;
use crate::geometry::{IRect, RectF};
use crate::matrix::{Matrix, Point};
use crate::paint::{Color, CompositeOp, Style};
use crate::path::{FillRule, Path};
use crate::stroke::{LineCap, LineJoin};
use crate::svg::{
    ClipSaid, ClipStep, FAR, Place, Recording, number, opacity_attribute, path_data, transform_attribute,
    whole_of,
};
use crate::text::Line;
use crate::vector::Vector;
use paints::Paint;
use std::borrow::Cow;

/// What a call draws, in device space.
pub(super) enum Drawn<'a> {
    Fill(&'a Path, FillRule, &'a Style),
    Stroke(&'a Path, &'a Style),
    /// Four corners in the fill style.
    Box([Point; 4]),
    /// A line of text through a matrix in the fill style.
    Text(&'a Line, &'a Matrix),
    /// A part of a picture in user space.
    Picture(&'a Bitmap, RectF, RectF),
    /// The same of shapes, of which there is something.
    Vector(&'a Vector, RectF, RectF),
    /// Pixels where they are.
    Pixels(&'a Bitmap, (i32, i32)),
    /// Parts that were recorded before; `None` when they cannot be said.
    Group(Option<String>, (i32, i32)),
}

impl Context2d {
    /// From now on what is drawn is kept as shapes too; what was drawn before is a picture below it.
    pub fn record(&mut self) {
        if self.recording.is_some() || self.has_layers() {
            return;
        }
        let mut recording = Recording::new();
        let whole = whole_of(self.canvas.bitmap());
        let blank = [0, 0, 0, if self.canvas.is_opaque() { 255 } else { 0 }];
        if self
            .canvas
            .bitmap()
            .data()
            .as_chunks::<4>()
            .0
            .iter()
            .any(|p| *p != blank)
        {
            recording.lose(whole);
        }
        for state in self.saved.iter_mut().chain([&mut self.state]) {
            if !state.clip.is_rect() || state.clip.rect != whole {
                state.clip.said = ClipSaid::Lost;
            }
        }
        self.recording = Some(Box::new(recording));
    }

    pub fn records(&self) -> bool {
        self.recording.is_some()
    }

    /// The drawing so far as an SVG document.
    pub fn to_svg(&mut self) -> Result<String, CanvasError> {
        if self.has_layers() {
            return Err(CanvasError::OpenLayer);
        }
        let recording = self.recording.as_mut().ok_or(CanvasError::NotRecorded)?;
        if self.canvas.bitmap().is_empty() {
            return Err(CanvasError::NoPixels);
        }
        recording.document(self.canvas.bitmap(), self.canvas.is_opaque())
    }

    /// After everything was cleared.
    pub(super) fn restart_recording(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.restart();
        }
    }

    /// Draws, and says what was drawn. Calls inside of `draw` say nothing.
    pub(super) fn recorded(&mut self, drawn: &Drawn, draw: impl FnOnce(&mut Context2d)) {
        let Some(mut recording) = self.recording.take() else {
            return draw(self);
        };
        let said = self.say(&mut recording, drawn);
        draw(self);
        if said.is_none() {
            recording.lose(self.state.clip.rect);
        }
        self.recording = Some(recording);
    }

    /// The same for clearRect.
    pub(super) fn say_cleared(&mut self, corners: &[Point; 4]) {
        let Some(mut recording) = self.recording.take() else {
            return;
        };
        if self.is_unclipped(&recording) && self.covers(corners) {
            recording.clear();
        } else {
            let black = Style::Color(Color::BLACK);
            let drawn = Drawn::Box(*corners);
            let text = self.element(&mut recording, &drawn, 1.0, Some(&black));
            let erased = text.and_then(|text| self.erase(&mut recording, &text));
            if erased.is_none() {
                recording.lose(self.state.clip.rect);
            }
        }
        self.recording = Some(recording);
    }

    /// What `draw` draws, as shapes without pixels: for what is drawn by pixels that were kept.
    pub(super) fn said_apart(&mut self, draw: impl FnOnce(&mut Context2d)) -> Option<String> {
        let recording = self.recording.as_mut()?;
        recording.settle(self.canvas.bitmap()).ok()?;
        let branch = recording.branch();
        let mut apart = self.without_pixels()?;
        apart.recording = Some(Box::new(branch));
        draw(&mut apart);
        let branch = apart.recording.take()?;
        self.recording.as_mut()?.join(*branch)
    }

    /// `None` when it cannot be said.
    fn say(&self, recording: &mut Recording, drawn: &Drawn) -> Option<()> {
        let state = &self.state;
        let hidden = state.clip.rect.is_empty() && !recording.is_branch();
        let opaque = self.canvas.is_opaque();
        let place = match state.op {
            CompositeOp::SourceOver if self.hides_all(recording, drawn) => Place::Alone,
            CompositeOp::SourceOver => Place::Over(None),
            CompositeOp::Copy if self.is_unclipped(recording) => Place::Alone,
            CompositeOp::DestinationOver if opaque => return Some(()),
            CompositeOp::DestinationOver => Place::Under,
            CompositeOp::DestinationOut => return self.say_rubbed_out(recording, drawn),
            CompositeOp::Lighter => Place::Over(Some("plus-lighter")),
            CompositeOp::SourceIn
            | CompositeOp::SourceOut
            | CompositeOp::SourceAtop
            | CompositeOp::DestinationIn
            | CompositeOp::DestinationAtop
            | CompositeOp::Copy
            | CompositeOp::Clear
            | CompositeOp::Xor => return None,
            blend => Place::Over(Some(blend.as_str())),
        };
        if hidden || (recording.is_picture() && place != Place::Alone) {
            return Some(());
        }
        if matches!(state.clip.said, ClipSaid::Lost) {
            return None;
        }
        // Before anything is named: this may forget what was named so far.
        match (place, drawn) {
            (Place::Alone, Drawn::Group(..)) => recording.clear_parts(),
            (Place::Alone, _) => recording.clear(),
            _ => recording.settle(self.canvas.bitmap()).ok()?,
        }
        let mut around = self.clip_attribute(recording)?;
        if let Place::Over(Some(blend)) = place {
            around.push_str(&format!(" style=\"mix-blend-mode:{blend}\""));
        }
        let pieces = self.pieces(recording, drawn)?;
        for piece in pieces {
            match around.as_str() {
                "" => recording.put(place, &piece),
                around => recording.put(place, &format!("<g{around}>{piece}</g>")),
            }
        }
        Some(())
    }

    /// destination-out takes alpha away, as a mask does; only that of a plain colour is known.
    fn say_rubbed_out(&self, recording: &mut Recording, drawn: &Drawn) -> Option<()> {
        if recording.is_picture() {
            return Some(());
        }
        let style = match drawn {
            Drawn::Fill(_, _, style) | Drawn::Stroke(_, style) => *style,
            Drawn::Box(_) | Drawn::Text(..) => &self.state.fill,
            Drawn::Picture(..) | Drawn::Vector(..) | Drawn::Pixels(..) | Drawn::Group(..) => return None,
        };
        let Style::Color(color) = style else {
            return None;
        };
        if !self.paints_plainly() {
            return None;
        }
        let black = Style::Color(Color::BLACK.faded(color.alpha()));
        let text = self.element(recording, drawn, self.state.alpha, Some(&black))?;
        self.erase(recording, &text)
    }

    /// Takes black shapes out of everything so far.
    fn erase(&self, recording: &mut Recording, text: &str) -> Option<()> {
        if recording.is_picture() || text.is_empty() {
            return Some(());
        }
        // What is lost has to be there before it can be erased.
        if recording.is_stale() {
            recording.settle(self.canvas.bitmap()).ok()?;
        }
        let clip = self.clip_attribute(recording)?;
        match clip.as_str() {
            "" => recording.erase(text),
            clip => recording.erase(&format!("<g{clip}>{text}</g>")),
        }
        Some(())
    }

    /// Whether every pixel can be drawn on.
    fn is_unclipped(&self, recording: &Recording) -> bool {
        let clip = &self.state.clip;
        !recording.is_branch() && clip.is_rect() && clip.rect == whole_of(self.canvas.bitmap())
    }

    /// Whether an upright box has every pixel in it.
    fn covers(&self, [a, _, c, _]: &[Point; 4]) -> bool {
        let (width, height) = (f64::from(self.canvas.width()), f64::from(self.canvas.height()));
        let around = |a: f64, b: f64, side: f64| a.min(b) <= 0.0 && a.max(b) >= side;
        self.state.ctm.keeps_rects() && around(a.x, c.x, width) && around(a.y, c.y, height)
    }

    /// Whether nothing of what was drawn before can be seen any more.
    fn hides_all(&self, recording: &Recording, drawn: &Drawn) -> bool {
        let (Drawn::Box(corners), Style::Color(color)) = (drawn, &self.state.fill) else {
            return false;
        };
        let solid = color.alpha() >= 1.0 && self.state.alpha >= 1.0 && self.paints_plainly();
        solid && self.is_unclipped(recording) && self.covers(corners)
    }

    fn clip_attribute(&self, recording: &mut Recording) -> Option<String> {
        match &self.state.clip.said {
            ClipSaid::Whole => Some(String::new()),
            ClipSaid::Step(step) => Some(format!(" clip-path=\"url(#d{})\"", recording.defs.clip(step))),
            ClipSaid::Lost => None,
        }
    }

    /// The shadow and what casts it, each as the operation takes it; nothing where nothing is drawn.
    fn pieces(&self, recording: &mut Recording, drawn: &Drawn) -> Option<Vec<String>> {
        let state = &self.state;
        if self.paints_plainly() {
            let text = self.element(recording, drawn, state.alpha, None)?;
            return Some(if text.is_empty() { vec![] } else { vec![text] });
        }
        let mut body = self.element(recording, drawn, 1.0, None)?;
        if body.is_empty() {
            return Some(vec![]);
        }
        let mut pieces = Vec::with_capacity(2);
        if !state.filter.is_none() {
            let region = self.region(state.filter.reach());
            let filters = state.filter.to_svg([self.canvas.width(), self.canvas.height()]);
            let id = recording
                .defs
                .define("filter", &format!("{region}>{filters}</filter>"));
            body = format!("<g filter=\"url(#d{id})\">{body}</g>");
        }
        let opacity = opacity_attribute("opacity", state.alpha);
        if state.shadow.shows() {
            let name = recording.defs.name();
            let id = recording.defs.define("filter", &self.shadow_filter());
            let (dx, dy) = (number(state.shadow.offset_x), number(state.shadow.offset_y));
            pieces.push(format!(
                "<g filter=\"url(#d{id})\"{opacity}><use href=\"#s{name}\" x=\"{dx}\" y=\"{dy}\"/></g>"
            ));
            body = format!("<g id=\"s{name}\">{body}</g>");
        }
        pieces.push(match opacity.as_str() {
            "" => body,
            opacity => format!("<g{opacity}>{body}</g>"),
        });
        Some(pieces)
    }

    /// Alpha, blurred and in the shadow's colour.
    fn shadow_filter(&self) -> String {
        let shadow = &self.state.shadow;
        let sigma = (shadow.blur / 2.0).min(MAX_SIGMA);
        let blur = match sigma > 0.0 {
            true => format!(
                "<feGaussianBlur in=\"SourceAlpha\" stdDeviation=\"{}\"/>",
                number(sigma)
            ),
            false => "<feOffset in=\"SourceAlpha\"/>".to_owned(),
        };
        let [r, g, b, _] = shadow.color.to_rgba8().map(|v| number(f64::from(v) / 255.0));
        let alpha = number(shadow.color.alpha().into());
        let region = self.region(reach_of(&box_sizes(sigma)));
        format!(
            "{region}>{blur}<feColorMatrix values=\"0 0 0 0 {r} 0 0 0 0 {g} 0 0 0 0 {b} 0 0 0 {alpha} 0\"/></filter>"
        )
    }

    /// The attributes of a filter that sees what lies so far beyond the pixels.
    fn region(&self, reach: i32) -> String {
        let all = whole_of(self.canvas.bitmap()).outset(reach);
        format!(
            " color-interpolation-filters=\"sRGB\" filterUnits=\"userSpaceOnUse\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            all.x0,
            all.y0,
            all.width(),
            all.height()
        )
    }

    /// The element of what is drawn; empty where that is nothing. `style` is painted with instead of
    /// the call's own.
    fn element(
        &self,
        recording: &mut Recording,
        drawn: &Drawn,
        opacity: f64,
        style: Option<&Style>,
    ) -> Option<String> {
        let fill = style.unwrap_or(&self.state.fill);
        match drawn {
            Drawn::Fill(path, rule, own) => {
                self.filled(recording, path, *rule, (style.unwrap_or(own), opacity))
            }
            Drawn::Box(corners) => {
                self.filled(recording, &path_of(corners), FillRule::NonZero, (fill, opacity))
            }
            Drawn::Text(line, matrix) => {
                let path = line.to_path(matrix);
                self.filled(recording, &path, FillRule::NonZero, (fill, opacity))
            }
            Drawn::Stroke(path, own) => self.stroked(recording, path, (style.unwrap_or(own), opacity)),
            Drawn::Picture(image, src, dst) => self.pictured(recording, image, (*src, *dst), opacity),
            Drawn::Vector(vector, src, dst) => {
                let rest = format!(
                    " width=\"{}\" height=\"{}\" href=\"{}\"/>",
                    vector.width(),
                    vector.height(),
                    vector.to_data_url()?
                );
                let id = recording.defs.define("image", &rest);
                let whole = RectF::new(0.0, 0.0, vector.width().into(), vector.height().into());
                self.placed_picture(recording, id, (*src, *dst, *src != whole), (0.0, 0.0), opacity)
            }
            Drawn::Pixels(pixels, (x, y)) => {
                let id = recording.defs.picture(pixels, true).ok()?;
                let opacity = opacity_attribute("opacity", opacity);
                Some(format!("<use href=\"#d{id}\" x=\"{x}\" y=\"{y}\"{opacity}/>"))
            }
            Drawn::Group(text, (x, y)) => Some(match text.as_ref()?.as_str() {
                "" => String::new(),
                text => {
                    let place = Matrix::translation(f64::from(*x), f64::from(*y));
                    let place = transform_attribute("transform", &place);
                    format!("<g{place}{}>{text}</g>", opacity_attribute("opacity", opacity))
                }
            }),
        }
    }

    /// What of a path can be seen: viewers lose their way in what lies far beyond the picture.
    fn seen<'p>(&self, recording: &Recording, path: &'p Path, reach: f64) -> Cow<'p, Path> {
        if recording.is_branch() || !self.paints_plainly() {
            return Cow::Borrowed(path);
        }
        let (width, height) = (f64::from(self.canvas.width()), f64::from(self.canvas.height()));
        let (min, max) = (
            Point::new(-reach, -reach),
            Point::new(width + reach, height + reach),
        );
        Cow::Owned(path.near(min, max))
    }

    fn filled(
        &self,
        recording: &mut Recording,
        path: &Path,
        rule: FillRule,
        (style, opacity): (&Style, f64),
    ) -> Option<String> {
        let seen = self.seen(recording, path, 0.0);
        let path = &*seen;
        let data = path_data(path)?;
        let Some((min, max)) = path.control_bounds().filter(|_| !data.is_empty()) else {
            return Some(String::new());
        };
        let area = IRect::around(min, max);
        let paint = self.paint(recording, (style, "fill", opacity), &Matrix::IDENTITY, area)?;
        let rule = match rule {
            FillRule::NonZero => "",
            FillRule::EvenOdd => " fill-rule=\"evenodd\"",
        };
        Some(match paint {
            Paint::Nothing => String::new(),
            Paint::Said(paint) => format!("<path d=\"{data}\"{paint}{rule}/>"),
        })
    }

    fn stroked(
        &self,
        recording: &mut Recording,
        path: &Path,
        (style, opacity): (&Style, f64),
    ) -> Option<String> {
        let (ctm, line) = (self.state.ctm, &self.state.line);
        let reach = (line.width * ctm.max_scale() * line.miter_limit.max(1.5)).min(FAR);
        let seen = self.seen(recording, path, reach);
        let path = &*seen;
        let (Some(inverse), Some((min, max))) = (ctm.invert(), path.control_bounds()) else {
            return Some(String::new());
        };
        let is_far = [min.x, min.y, max.x, max.y].iter().any(|v| v.abs() > FAR);
        if is_far && !line.dash.is_empty() {
            // A cut would move the dashes.
            return None;
        }
        // A pen that is no circle on the device is drawn in user space.
        let (unit, path, from_device, transform) = match ctm.linear().similarity() {
            Some(unit) => (unit, Cow::Borrowed(path), Matrix::IDENTITY, String::new()),
            None => {
                let transform = transform_attribute("transform", &ctm);
                (1.0, Cow::Owned(path.transformed(&inverse)), inverse, transform)
            }
        };
        let data = path_data(&path)?;
        if data.is_empty() {
            return Some(String::new());
        }
        let area = IRect::around(min, max).outset(reach as i32);
        let paint = match self.paint(recording, (style, "stroke", opacity), &from_device, area)? {
            Paint::Nothing => return Some(String::new()),
            Paint::Said(paint) => paint,
        };
        let width = number(line.width * unit);
        let cap = match line.cap {
            LineCap::Butt => "",
            LineCap::Round => " stroke-linecap=\"round\"",
            LineCap::Square => " stroke-linecap=\"square\"",
        };
        let join = match line.join {
            LineJoin::Miter => format!(" stroke-miterlimit=\"{}\"", number(line.miter_limit.max(1.0))),
            LineJoin::Round => " stroke-linejoin=\"round\"".to_owned(),
            LineJoin::Bevel => " stroke-linejoin=\"bevel\"".to_owned(),
        };
        let dash = match line.dash.iter().sum::<f64>() > 0.0 {
            true => {
                let dash: Vec<String> = line.dash.iter().map(|v| number(v * unit)).collect();
                let offset = number(line.dash_offset * unit);
                format!(
                    " stroke-dasharray=\"{}\" stroke-dashoffset=\"{offset}\"",
                    dash.join(" ")
                )
            }
            false => String::new(),
        };
        Some(format!(
            "<path d=\"{data}\" fill=\"none\"{paint} stroke-width=\"{width}\"{cap}{join}{dash}{transform}/>"
        ))
    }

    fn pictured(
        &self,
        recording: &mut Recording,
        image: &Bitmap,
        (src, dst): (RectF, RectF),
        opacity: f64,
    ) -> Option<String> {
        let Some((src, dst)) = clip_source((image.width(), image.height()), src, dst) else {
            return Some(String::new());
        };
        let (x0, y0) = (src.x.floor(), src.y.floor());
        let (x1, y1) = ((src.x + src.w).ceil(), (src.y + src.h).ceil());
        let (x1, y1) = (
            x1.min(f64::from(image.width())),
            y1.min(f64::from(image.height())),
        );
        let (width, height) = ((x1 - x0) as u32, (y1 - y0) as u32);
        let part = match (width, height) == (image.width(), image.height()) {
            true => Cow::Borrowed(image),
            false => Cow::Owned(image.crop(x0 as u32, y0 as u32, width, height)?),
        };
        let id = recording.defs.picture(&part, self.state.smoothing).ok()?;
        let cuts_pixels = [src.x, src.y, src.w, src.h].iter().any(|v| v.fract() != 0.0);
        self.placed_picture(recording, id, (src, dst, cuts_pixels), (x0, y0), opacity)
    }

    /// A defined picture, whose origin is (x, y) of the one that `src` is a part of; `cut` where it has
    /// more than that part.
    fn placed_picture(
        &self,
        recording: &mut Recording,
        id: usize,
        (src, dst, cut): (RectF, RectF, bool),
        (x, y): (f64, f64),
        opacity: f64,
    ) -> Option<String> {
        let ctm = self.state.ctm;
        if ctm.invert().is_none() {
            return Some(String::new());
        }
        let place = ctm
            .multiply(placed(&src, &dst))
            .multiply(Matrix::translation(x, y));
        if !place.is_finite() || place.e.abs().max(place.f.abs()) > FAR {
            return None;
        }
        let (place, opacity) = (
            transform_attribute("transform", &place),
            opacity_attribute("opacity", opacity),
        );
        let text = format!("<use href=\"#d{id}\"{place}{opacity}/>");
        if !cut {
            return Some(text);
        }
        let frame = path_of(&device_corners(&ctm, &dst));
        let frame = ClipStep::new(&frame, FillRule::NonZero, None)?;
        let clip = recording.defs.clip(&frame);
        Some(format!("<g clip-path=\"url(#d{clip})\">{text}</g>"))
    }
}

fn path_of(corners: &[Point; 4]) -> Path {
    let mut path = Path::new();
    for p in corners {
        path.line_to(p.x, p.y);
    }
    path.close_path();
    path
}
