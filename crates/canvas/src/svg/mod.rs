//! A drawing as SVG text: what was drawn, kept as shapes beside the pixels.
//!
//! Here is the document: its parts, its definitions and their bounds. What a call of the context
//! becomes is told in `context/recording.rs`. No text of a script gets in, only numbers, words of
//! our own and base64, so nothing is escaped.

mod defs;
mod write;

pub(crate) use defs::{ClipSaid, ClipStep, Defs};
pub(crate) use write::{FAR, number, opacity_attribute, path_data, transform_attribute};

use crate::canvas::Bitmap;
use crate::error::CanvasError;
use crate::geometry::IRect;

/// Text that a recording may hold; beyond it the drawing is one embedded picture.
const MAX_BYTES: usize = 32 << 20;
/// Groups around each other that hide parts of what they hold; beyond them the same.
const MAX_WRAPS: usize = 64;

/// Where a part goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Above all others; with `mix-blend-mode`.
    Over(Option<&'static str>),
    /// Below all others.
    Under,
    /// Above all others when they are gone.
    Alone,
}

/// The parts of a canvas, or of an open layer.
#[derive(Default)]
struct Frame {
    /// The lowest last.
    under: Vec<String>,
    over: String,
    /// Black shapes that are to be taken out of all parts before others come.
    holes: String,
    bytes: usize,
    wraps: usize,
    /// Some parts depend on what is below them.
    blends: bool,
    /// Pixels that no part tells of.
    stale: Option<IRect>,
    /// Parts are no longer kept: the pixels tell everything.
    picture: bool,
}

/// See the module.
pub(crate) struct Recording {
    pub defs: Defs,
    frames: Vec<Frame>,
    limit: usize,
    /// Of shapes that have no pixels behind them; `true` once some of it could not be said.
    branch: Option<bool>,
}

impl Recording {
    pub fn new() -> Recording {
        Recording {
            defs: Defs::default(),
            frames: vec![Frame::default()],
            limit: MAX_BYTES,
            branch: None,
        }
    }

    #[cfg(test)]
    pub fn with_limit(limit: usize) -> Recording {
        Recording {
            limit,
            ..Recording::new()
        }
    }

    /// For shapes that belong together and are drawn otherwise than they are recorded; it holds the
    /// definitions until it is joined again.
    pub fn branch(&mut self) -> Recording {
        Recording {
            defs: std::mem::take(&mut self.defs),
            frames: vec![Frame::default()],
            // Its bounds are looked at when it is joined and put.
            limit: usize::MAX,
            branch: Some(false),
        }
    }

    /// The shapes of a branch; `None` when some could not be said.
    pub fn join(&mut self, branch: Recording) -> Option<String> {
        let lost = branch.branch == Some(true) || branch.is_picture();
        let text = branch.frames.first().map(Frame::text);
        self.defs = branch.defs;
        text.filter(|_| !lost)
    }

    pub fn is_branch(&self) -> bool {
        self.branch.is_some()
    }

    /// Whether parts are not kept any more.
    pub fn is_picture(&self) -> bool {
        self.frames.last().is_none_or(|frame| frame.picture)
    }

    /// Blank again, with all layers gone.
    pub fn restart(&mut self) {
        self.frames.clear();
        self.frames.push(Frame::default());
        self.defs.clear();
    }

    /// Nothing is left of what was drawn on this frame, nor of what it named.
    pub fn clear(&mut self) {
        match self.frames.len() {
            1 => self.restart(),
            _ => self.clear_parts(),
        }
    }

    pub fn clear_parts(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            *frame = Frame::default();
        }
    }

    /// `pixels` are those of the frame before. They change no more until the layer ends.
    pub fn begin_layer(&mut self, pixels: &Bitmap) -> Result<(), CanvasError> {
        self.settle(pixels)?;
        self.frames.push(Frame::default());
        Ok(())
    }

    /// Layers are gone, and what was on them.
    pub fn drop_layers(&mut self) {
        self.frames.truncate(1);
    }

    /// The parts of the layer that ends, whose pixels are these; `None` when there are only pixels.
    pub fn end_layer(&mut self, pixels: &Bitmap) -> Result<Option<String>, CanvasError> {
        self.settle(pixels)?;
        let Some(frame) = self.frames.pop() else {
            return Ok(None);
        };
        if frame.picture {
            return Ok(None);
        }
        let text = frame.text();
        Ok(Some(match frame.blends {
            true => isolated(&text),
            false => text,
        }))
    }

    /// Pixels changed of which nothing more can be said.
    pub fn lose(&mut self, rect: IRect) {
        if let Some(lost) = &mut self.branch {
            *lost = true;
        }
        if let Some(frame) = self.frames.last_mut()
            && !rect.is_empty()
        {
            frame.stale = Some(frame.stale.map_or(rect, |stale| stale.union(rect)));
        }
    }

    /// What was lost becomes a picture, and what lies below it is hidden. `pixels` are those of the
    /// frame as they are now.
    pub fn settle(&mut self, pixels: &Bitmap) -> Result<(), CanvasError> {
        self.cut_holes(pixels);
        let whole = whole_of(pixels);
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let Some(rect) = frame.stale.map(|rect| rect.intersect(whole)) else {
            return Ok(());
        };
        if frame.picture || rect.is_empty() {
            self.forget_stale();
            return Ok(());
        }
        let (x, y) = (rect.x0, rect.y0);
        let (width, height) = (rect.width() as u32, rect.height() as u32);
        let part = pixels
            .crop(x as u32, y as u32, width, height)
            .ok_or(CanvasError::Encoding)?;
        if rect == whole {
            self.clear();
        } else {
            let hole = format!(
                "M0 0H{}V{}H0ZM{x} {y}H{}V{}H{x}Z",
                whole.x1, whole.y1, rect.x1, rect.y1
            );
            let text = format!("><path clip-rule=\"evenodd\" d=\"{hole}\"/></clipPath>");
            self.wrap("clip-path", ("clipPath", &text));
        }
        let picture = self.defs.picture(&part, true)?;
        self.forget_stale();
        self.put(
            Place::Over(None),
            &format!("<use href=\"#d{picture}\" x=\"{x}\" y=\"{y}\"/>"),
        );
        Ok(())
    }

    pub fn is_stale(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.stale.is_some())
    }

    fn forget_stale(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.stale = None;
        }
    }

    /// Takes a black shape out of everything so far; holes one after the other are one mask.
    pub fn erase(&mut self, text: &str) {
        if let Some(frame) = self.frames.last_mut().filter(|frame| !frame.picture) {
            frame.holes.push_str(text);
            frame.bytes += text.len();
        }
        self.check();
    }

    fn cut_holes(&mut self, pixels: &Bitmap) {
        let holes = match self.frames.last_mut() {
            Some(frame) if !frame.holes.is_empty() => std::mem::take(&mut frame.holes),
            _ => return,
        };
        let (width, height) = (pixels.width(), pixels.height());
        let text = format!(
            " maskUnits=\"userSpaceOnUse\" x=\"0\" y=\"0\" width=\"{width}\" height=\"{height}\"><path fill=\"#fff\" d=\"M0 0H{width}V{height}H0Z\"/>{holes}</mask>"
        );
        self.wrap("mask", ("mask", &text));
    }

    pub fn put(&mut self, place: Place, text: &str) {
        if place == Place::Alone {
            self.clear_parts();
        }
        let Some(frame) = self.frames.last_mut().filter(|frame| !frame.picture) else {
            return;
        };
        match place {
            Place::Over(blend) => {
                frame.blends |= blend.is_some();
                frame.over.push_str(text);
            }
            Place::Alone => frame.over.push_str(text),
            Place::Under => {
                if frame.blends {
                    let all = isolated(&frame.text());
                    frame.replace(all);
                    frame.blends = false;
                }
                frame.under.push(text.to_owned());
            }
        }
        frame.bytes += text.len();
        self.check();
    }

    /// Puts all parts so far into a group with an attribute that names this definition.
    fn wrap(&mut self, attribute: &str, (tag, rest): (&'static str, &str)) {
        let Some(frame) = self.frames.last_mut().filter(|frame| !frame.is_empty()) else {
            return;
        };
        let id = self.defs.define(tag, rest);
        // Some viewers isolate such groups for blending, some do not.
        let all = match frame.blends {
            true => isolated(&frame.text()),
            false => frame.text(),
        };
        frame.blends = false;
        frame.replace(format!("<g {attribute}=\"url(#d{id})\">{all}</g>"));
        self.check();
    }

    /// Where bounds are reached, the pixels tell the rest.
    fn check(&mut self) {
        if let Some(frame) = self.frames.last_mut()
            && frame.wraps > MAX_WRAPS
        {
            frame.become_picture();
        }
        let bytes: usize = self.frames.iter().map(|frame| frame.bytes).sum();
        if bytes + self.defs.bytes() > self.limit {
            self.frames.iter_mut().for_each(Frame::become_picture);
            self.defs.clear();
        }
    }

    /// The document of the first frame, whose pixels are these.
    pub fn document(&mut self, pixels: &Bitmap, opaque: bool) -> Result<String, CanvasError> {
        self.settle(pixels)?;
        let (width, height) = (pixels.width(), pixels.height());
        let Some(frame) = self.frames.first() else {
            return Err(CanvasError::NotRecorded);
        };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
        );
        if frame.picture {
            let mut defs = Defs::default();
            let picture = defs.picture(pixels, true)?;
            out.push_str("<desc>More was drawn than is kept as shapes: this is one picture.</desc>");
            defs.write(&mut out);
            out.push_str(&format!("<use href=\"#d{picture}\"/></svg>"));
            return Ok(out);
        }
        self.defs.write(&mut out);
        let ground = match opaque {
            true => format!("<path d=\"M0 0H{width}V{height}H0Z\"/>"),
            false => String::new(),
        };
        let all = ground + &frame.text();
        match frame.blends {
            // Whatever the picture is put into is not blended with.
            true => out.push_str(&isolated(&all)),
            false => out.push_str(&all),
        }
        out.push_str("</svg>");
        Ok(out)
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recording")
    }
}

impl Frame {
    fn is_empty(&self) -> bool {
        self.under.is_empty() && self.over.is_empty()
    }

    fn text(&self) -> String {
        let lowest_first = self.under.iter().rev().map(String::as_str);
        lowest_first.chain([self.over.as_str()]).collect()
    }

    /// All parts, put into one.
    fn replace(&mut self, all: String) {
        self.under.clear();
        self.bytes = all.len();
        self.wraps += 1;
        self.over = all;
    }

    fn become_picture(&mut self) {
        *self = Frame {
            picture: true,
            ..Frame::default()
        };
    }
}

pub(crate) fn whole_of(pixels: &Bitmap) -> IRect {
    IRect::from_size(0, 0, pixels.width().into(), pixels.height().into())
}

fn isolated(text: &str) -> String {
    format!("<g style=\"isolation:isolate\">{text}</g>")
}
