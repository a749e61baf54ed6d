//! What parts of the document name: gradients, patterns, clips, filters, pictures. Each is said once.

use crate::canvas::Bitmap;
use crate::encode::{Format, encode};
use crate::error::CanvasError;
use crate::paint::ColorSpace;
use crate::path::{FillRule, Path};
use base64::Engine as _;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Clips inside of each other that are said.
const MAX_CLIPS: u32 = 32;

/// A clip that holds, on top of those before it. States share it.
#[derive(Debug)]
pub(crate) struct ClipStep {
    data: String,
    rule: FillRule,
    before: Option<Arc<ClipStep>>,
    depth: u32,
}

/// What a state's clip is to the recording.
#[derive(Clone, Debug, Default)]
pub(crate) enum ClipSaid {
    /// Everything, or nothing is recorded.
    #[default]
    Whole,
    Step(Arc<ClipStep>),
    /// It cannot be said.
    Lost,
}

impl ClipSaid {
    pub fn narrow(&mut self, path: &Path, rule: FillRule) {
        let before = match self {
            ClipSaid::Whole => None,
            ClipSaid::Step(step) => Some(Arc::clone(step)),
            ClipSaid::Lost => return,
        };
        *self = ClipStep::new(path, rule, before).map_or(ClipSaid::Lost, ClipSaid::Step);
    }
}

impl ClipStep {
    /// `None` when there are too many, or when the path cannot be said.
    pub fn new(path: &Path, rule: FillRule, before: Option<Arc<ClipStep>>) -> Option<Arc<ClipStep>> {
        let depth = before.as_ref().map_or(0, |step| step.depth + 1);
        let data = super::path_data(path)?;
        (depth < MAX_CLIPS).then(|| {
            Arc::new(ClipStep {
                data,
                rule,
                before,
                depth,
            })
        })
    }
}

/// See the module. An id is `d` and a number.
#[derive(Default)]
pub(crate) struct Defs {
    list: Vec<(&'static str, Arc<str>)>,
    /// By tag and text.
    ids: HashMap<(&'static str, Arc<str>), usize>,
    /// By address; the step is held so that it stays its own.
    clips: HashMap<usize, (Arc<ClipStep>, usize)>,
    /// By size, look and a hash of the pixels.
    pictures: HashMap<(u32, u32, bool, u64), usize>,
    bytes: usize,
    names: usize,
}

impl Defs {
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn clear(&mut self) {
        *self = Defs {
            names: self.names,
            ..Defs::default()
        };
    }

    /// The number of what stands between `<tag id="…"` and the end.
    pub fn define(&mut self, tag: &'static str, rest: &str) -> usize {
        let key = (tag, Arc::from(rest));
        if let Some(known) = self.ids.get(&key) {
            return *known;
        }
        let id = self.list.len();
        self.bytes += rest.len() + 32;
        self.list.push(key.clone());
        self.ids.insert(key, id);
        id
    }

    /// A number for an element outside of the definitions, whose id is `s` and it.
    pub fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    pub fn clip(&mut self, step: &Arc<ClipStep>) -> usize {
        let address = Arc::as_ptr(step) as usize;
        if let Some((_, known)) = self.clips.get(&address) {
            return *known;
        }
        // No deeper than MAX_CLIPS.
        let before = match &step.before {
            Some(before) => format!(" clip-path=\"url(#d{})\"", self.clip(before)),
            None => String::new(),
        };
        let path = match (step.data.as_str(), step.rule) {
            ("", _) => String::new(),
            (data, FillRule::NonZero) => format!("<path d=\"{data}\"/>"),
            (data, FillRule::EvenOdd) => format!("<path clip-rule=\"evenodd\" d=\"{data}\"/>"),
        };
        let id = self.define("clipPath", &format!("{before}>{path}</clipPath>"));
        self.clips.insert(address, (Arc::clone(step), id));
        id
    }

    /// A picture at the origin, a pixel a unit.
    pub fn picture(&mut self, pixels: &Bitmap, smooth: bool) -> Result<usize, CanvasError> {
        let pixels = pixels.in_space(ColorSpace::Srgb);
        let mut hasher = DefaultHasher::new();
        pixels.data().hash(&mut hasher);
        let key = (pixels.width(), pixels.height(), smooth, hasher.finish());
        if let Some(known) = self.pictures.get(&key) {
            return Ok(*known);
        }
        let png = base64::engine::general_purpose::STANDARD.encode(encode(&pixels, Format::Png)?);
        let look = match smooth {
            true => "",
            false => " style=\"image-rendering:pixelated\"",
        };
        let (width, height) = (pixels.width(), pixels.height());
        let rest =
            format!(" width=\"{width}\" height=\"{height}\"{look} href=\"data:image/png;base64,{png}\"/>");
        let id = self.define("image", &rest);
        self.pictures.insert(key, id);
        Ok(id)
    }

    pub fn write(&self, out: &mut String) {
        if self.list.is_empty() {
            return;
        }
        out.push_str("<defs>");
        for (id, (tag, rest)) in self.list.iter().enumerate() {
            out.push_str(&format!("<{tag} id=\"d{id}\"{rest}"));
        }
        out.push_str("</defs>");
    }
}
