//! The fonts a context may draw with: the bundled ones, and those a host registers.
//!
//! System fonts are deliberately not asked for: the same script has to give the same
//! picture on every machine.

use super::color::PictureCache;
use super::masks::MaskCache;
use super::shape::{GlyphCache, LineCache};
use super::shorthand::{Family, Font, Slant};
use super::spare::SPARES;
use super::svg_fonts::SvgFont;
use super::vertical::Vertical;
use super::woff;
use crate::error::CanvasError;
use parley::fontique::{Blob, Collection, CollectionOptions, FontInfoOverride, SourceCache};
use parley::{FontContext, LayoutContext};
use resvg::usvg::fontdb::Database;
use skrifa::MetadataProvider;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

macro_rules! bundled {
    ($($file:literal),* $(,)?) => {
        [$((include_bytes!(concat!("../../../../resources/fonts/", $file)) as &[u8])),*]
    };
}

pub(super) static BUNDLED: [&[u8]; 10] = bundled!(
    "Arimo-Regular.subset.ttf",
    "Arimo-Bold.subset.ttf",
    "Arimo-Italic.subset.ttf",
    "Arimo-BoldItalic.subset.ttf",
    "Tinos-Regular.subset.ttf",
    "Tinos-Bold.subset.ttf",
    "Cousine-Regular.subset.ttf",
    "Cousine-Bold.subset.ttf",
    "NotoSansCJKsc-Regular.subset.otf",
    "NotoSansCJKsc-Bold.subset.otf",
);

/// Unpacked when the first emoji is to be drawn: most scripts have none.
static EMOJI_FILE: &[u8] = include_bytes!("../../../../resources/fonts/NotoColorEmoji.woff2");

pub(super) const EMOJI: &str = "Noto Color Emoji";
pub(super) const SANS: &str = "Arimo";
pub(super) const SERIF: &str = "Tinos";
pub(super) const MONO: &str = "Cousine";
pub(super) const CJK: &str = "Noto Sans CJK SC";
/// The regular CJK face once more: it alone has the rarer characters, and a family with a
/// bold face never offers its regular one for bold text.
const CJK_ALL: &str = "Noto Sans CJK SC Complete";
pub(super) const CJK_REGULAR: usize = 8;

/// Well-known names that look like a bundled family, lower case.
const ALIASES: [(&str, &str); 46] = [
    ("arial", SANS),
    ("helvetica", SANS),
    ("helvetica neue", SANS),
    ("verdana", SANS),
    ("tahoma", SANS),
    ("segoe ui", SANS),
    ("roboto", SANS),
    ("liberation sans", SANS),
    ("dejavu sans", SANS),
    ("times", SERIF),
    ("times new roman", SERIF),
    ("georgia", SERIF),
    ("liberation serif", SERIF),
    ("courier", MONO),
    ("courier new", MONO),
    ("consolas", MONO),
    ("menlo", MONO),
    ("monaco", MONO),
    ("liberation mono", MONO),
    ("noto sans sc", CJK),
    ("source han sans sc", CJK),
    ("microsoft yahei", CJK),
    ("微软雅黑", CJK),
    ("pingfang sc", CJK),
    ("hiragino sans gb", CJK),
    ("simhei", CJK),
    ("黑体", CJK),
    ("simsun", CJK),
    ("宋体", CJK),
    ("wenquanyi zen hei", CJK),
    ("noto sans tc", CJK),
    ("pingfang tc", CJK),
    ("microsoft jhenghei", CJK),
    ("noto sans jp", CJK),
    ("hiragino sans", CJK),
    ("hiragino kaku gothic pron", CJK),
    ("yu gothic", CJK),
    ("meiryo", CJK),
    ("ms pgothic", CJK),
    ("noto sans kr", CJK),
    ("malgun gothic", CJK),
    ("apple sd gothic neo", CJK),
    ("noto color emoji", EMOJI),
    ("apple color emoji", EMOJI),
    ("segoe ui emoji", EMOJI),
    ("emoji", EMOJI),
];

/// What is said of a font beside its file; what is not said, the file says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FontDescriptors {
    /// 1..=1000.
    pub weight: Option<f32>,
    pub italic: Option<bool>,
    /// Percent of the normal width.
    pub stretch: Option<f32>,
}

/// A set of fonts; clones share it.
#[derive(Clone)]
pub struct Fonts(Arc<Mutex<Library>>);

pub(crate) struct Library {
    pub fonts: FontContext,
    pub layouts: LayoutContext<()>,
    pub glyphs: GlyphCache,
    pub masks: MaskCache,
    pub pictures: PictureCache,
    pub lines: LineCache,
    /// By serialised font; as many as there are fonts in use.
    pub verticals: HashMap<String, Vertical>,
    /// Names that a host registered, lower case: they win over the aliases.
    registered: HashSet<String>,
    has_emoji: bool,
    /// Which of the packed fonts are unpacked.
    pub(super) spares: [bool; SPARES.len()],
    /// The files beside the bundled ones, for the text of SVG pictures, and all of them as it wants them.
    pub(super) svg_fonts: Vec<SvgFont>,
    pub(super) svg: Option<Arc<Database>>,
}

impl std::fmt::Debug for Fonts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fonts")
    }
}

impl Fonts {
    /// The bundled fonts, loaded once a process.
    pub fn bundled() -> Fonts {
        static SHARED: OnceLock<Fonts> = OnceLock::new();
        SHARED.get_or_init(Fonts::isolated).clone()
    }

    /// The bundled fonts in a set of their own, to register others in.
    pub fn isolated() -> Fonts {
        let options = CollectionOptions {
            shared: false,
            system_fonts: false,
        };
        let mut collection = Collection::new(options);
        for data in BUNDLED {
            collection.register_fonts(Blob::new(Arc::new(data)), None);
        }
        let alias = FontInfoOverride {
            family_name: Some(CJK_ALL),
            ..FontInfoOverride::default()
        };
        collection.register_fonts(Blob::new(Arc::new(BUNDLED[CJK_REGULAR])), Some(alias));
        Fonts(Arc::new(Mutex::new(Library {
            fonts: FontContext {
                collection,
                source_cache: SourceCache::default(),
            },
            layouts: LayoutContext::new(),
            glyphs: GlyphCache::default(),
            masks: MaskCache::default(),
            pictures: PictureCache::default(),
            lines: LineCache::default(),
            verticals: HashMap::new(),
            registered: HashSet::new(),
            has_emoji: false,
            spares: [false; SPARES.len()],
            svg_fonts: Vec::new(),
            svg: None,
        })))
    }

    /// Whether the bytes are a font file that can be registered.
    pub fn readable(bytes: &[u8]) -> bool {
        let has_map =
            |bytes: &[u8]| skrifa::FontRef::from_index(bytes, 0).is_ok_and(|font| font.charmap().has_map());
        has_map(bytes) || woff::unpacked(bytes.to_vec()).is_ok_and(|bytes| has_map(&bytes))
    }

    /// Adds a font file (TrueType, OpenType, a collection, WOFF 1) under a family name.
    pub fn register(
        &self,
        family: &str,
        bytes: Vec<u8>,
        descriptors: FontDescriptors,
    ) -> Result<(), CanvasError> {
        use parley::style::{FontStyle, FontWeight, FontWidth};
        let mut library = self.library();
        let rename = FontInfoOverride {
            family_name: Some(family),
            weight: descriptors.weight.map(FontWeight::new),
            style: descriptors.italic.map(|italic| match italic {
                true => FontStyle::Italic,
                false => FontStyle::Normal,
            }),
            width: descriptors.stretch.map(FontWidth::from_percentage),
            ..FontInfoOverride::default()
        };
        let bytes = Blob::new(Arc::new(woff::unpacked(bytes)?));
        let added = library
            .fonts
            .collection
            .register_fonts(bytes.clone(), Some(rename));
        if added.is_empty() {
            return Err(CanvasError::BadFont);
        }
        library.add_svg_font(family, bytes);
        library.registered.insert(family.to_lowercase());
        library.lines.clear();
        library.verticals.clear();
        Ok(())
    }

    pub(crate) fn library(&self) -> MutexGuard<'_, Library> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Library {
    /// The families to try for a font, best first, down to those that have what is left.
    pub fn stack(&self, font: &Font) -> Vec<String> {
        let mut stack: Vec<String> = Vec::with_capacity(font.families.len() + 5);
        let mut add = |name: &str| {
            if !stack.iter().any(|known| known == name) {
                stack.push(name.to_owned());
            }
        };
        for family in &font.families {
            match family {
                Family::Generic("serif" | "ui-serif" | "math") => add(SERIF),
                Family::Generic("monospace" | "ui-monospace") => add(MONO),
                Family::Generic("fangsong") => add(CJK),
                Family::Generic("emoji") => add(EMOJI),
                Family::Generic(_) => add(SANS),
                Family::Named(name) => {
                    let lower = name.to_lowercase();
                    let alias = ALIASES.iter().find(|(alias, _)| *alias == lower);
                    match alias.filter(|_| !self.registered.contains(&lower)) {
                        Some((_, bundled)) => add(bundled),
                        None => add(name),
                    }
                }
            }
        }
        for fallback in [SANS, CJK, CJK_ALL].into_iter().chain(self.loaded_spares()) {
            add(fallback);
        }
        for fallback in [SERIF, MONO, EMOJI] {
            add(fallback);
        }
        stack
    }
}

impl Library {
    /// The families for characters that are to be pictures: those that a host registered, as they
    /// may have some, then the emoji.
    pub fn emoji_stack(&self, stack: &[String]) -> Vec<String> {
        let mut stack: Vec<String> = stack.iter().filter(|name| *name != EMOJI).cloned().collect();
        let own = |name: &String| self.registered.contains(&name.to_lowercase());
        let at = stack.iter().take_while(|name| own(name)).count();
        stack.insert(at, EMOJI.to_owned());
        stack
    }

    pub(super) fn add_svg_font(&mut self, family: &str, bytes: Blob<u8>) {
        let family = family.to_owned();
        self.svg_fonts.push(SvgFont { bytes, family });
        self.svg = None;
    }

    pub fn load_emoji(&mut self) {
        if std::mem::replace(&mut self.has_emoji, true) {
            return;
        }
        self.load(EMOJI, EMOJI_FILE);
    }
}

impl Font {
    /// Whether an emoji font is asked for by name.
    pub(super) fn names_emoji(&self) -> bool {
        self.families.iter().any(|family| match family {
            Family::Generic(name) => *name == "emoji",
            Family::Named(name) => ALIASES
                .iter()
                .any(|(alias, font)| *font == EMOJI && name.eq_ignore_ascii_case(alias)),
        })
    }
}

/// A font's style in the words of the font matcher.
pub(super) fn attributes(font: &Font, stretch: f32) -> parley::fontique::Attributes {
    use parley::style::{FontStyle, FontWeight, FontWidth};
    let style = match font.slant {
        Slant::Normal => FontStyle::Normal,
        Slant::Italic => FontStyle::Italic,
        Slant::Oblique(degrees) => FontStyle::Oblique(degrees),
    };
    let width = FontWidth::from_percentage(stretch);
    parley::fontique::Attributes::new(width, style, FontWeight::new(font.weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(css: &str) -> Vec<String> {
        Fonts::isolated().library().stack(&Font::parse(css).unwrap())
    }

    #[test]
    fn known_names_lead_to_bundled_fonts() {
        assert_eq!(stack("1px Arial")[0], SANS);
        assert_eq!(stack("1px 'Times New Roman'")[0], SERIF);
        assert_eq!(stack("1px monospace, sans-serif")[..2], [MONO, SANS]);
        assert_eq!(stack("1px 微软雅黑")[0], CJK);
        assert_eq!(stack("1px Unheard")[..2], ["Unheard", SANS]);
    }

    #[test]
    fn every_bundled_file_registers_its_family() {
        let fonts = Fonts::isolated();
        let mut library = fonts.library();
        for name in [SANS, SERIF, MONO, CJK, CJK_ALL] {
            assert!(library.fonts.collection.family_by_name(name).is_some(), "{name}");
        }
    }

    #[test]
    fn registered_names_win_and_noise_is_no_font() {
        let fonts = Fonts::isolated();
        assert_eq!(
            fonts.register("X", vec![1, 2, 3], FontDescriptors::default()),
            Err(CanvasError::BadFont)
        );
        fonts
            .register("Arial", BUNDLED[6].to_vec(), FontDescriptors::default())
            .unwrap();
        assert_eq!(
            fonts.library().stack(&Font::parse("1px Arial").unwrap())[0],
            "Arial"
        );
    }
}
