//! Fonts for scripts that most drawings have nothing of: packed, and unpacked into a set when the
//! first character asks for them.
//!
//! Not here: emoji, which are asked for by sequences and not by characters.

use super::fonts::{BUNDLED, CJK_REGULAR};
use super::{fonts::Library, woff};
use parley::fontique::{Blob, FontInfoOverride};
use skrifa::charmap::Charmap;
use skrifa::{FontRef, MetadataProvider};
use std::sync::{Arc, OnceLock};

pub(super) struct Spare {
    pub family: &'static str,
    file: &'static [u8],
    wanted: fn(char) -> bool,
}

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../resources/fonts/", $name))
    };
}

pub(super) static SPARES: [Spare; 6] = [
    Spare {
        family: "Noto Sans CJK SC Extra",
        file: file!("NotoSansCJKsc-Extra.subset.woff2"),
        wanted: is_rarer_han,
    },
    Spare {
        family: "Noto Sans CJK KR",
        file: file!("NotoSansCJKkr-Hangul.subset.woff2"),
        wanted: |c| matches!(c, '\u{3131}'..='\u{318e}' | '\u{ac00}'..='\u{d7a3}'),
    },
    Spare {
        family: "Noto Sans Arabic",
        file: file!("NotoSansArabic-Regular.woff2"),
        wanted: |c| matches!(c, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'),
    },
    Spare {
        family: "Noto Sans Hebrew",
        file: file!("NotoSansHebrew-Regular.woff2"),
        wanted: |c| matches!(c, '\u{591}'..='\u{5f4}' | '\u{fb1d}'..='\u{fb4f}'),
    },
    Spare {
        family: "Noto Sans Devanagari",
        file: file!("NotoSansDevanagari-Regular.woff2"),
        wanted: |c| matches!(c, '\u{900}'..='\u{97f}' | '\u{a8e0}'..='\u{a8ff}' | '\u{1cd0}'..='\u{1cf9}'),
    },
    Spare {
        family: "Noto Sans Thai",
        file: file!("NotoSansThai-Regular.woff2"),
        wanted: |c| matches!(c, '\u{e01}'..='\u{e5b}'),
    },
];

/// A Han character that the font which is always there does not have.
fn is_rarer_han(c: char) -> bool {
    static COMMON: OnceLock<Option<Charmap<'static>>> = OnceLock::new();
    if !matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}') {
        return false;
    }
    let common = COMMON.get_or_init(|| {
        FontRef::from_index(BUNDLED[CJK_REGULAR], 0)
            .ok()
            .map(|font| font.charmap())
    });
    common.as_ref().is_some_and(|map| map.map(c).is_none())
}

impl Library {
    /// Unpacks what the text needs and the set does not have yet.
    pub(super) fn load_spares(&mut self, text: &str) {
        if text.is_ascii() {
            return;
        }
        for (at, spare) in SPARES.iter().enumerate() {
            if !self.spares[at] && text.chars().any(spare.wanted) {
                self.spares[at] = true;
                self.load(spare.family, spare.file);
            }
        }
    }

    /// Our own file: a test reads it. Without it characters are boxes, and nothing else is lost.
    pub(super) fn load(&mut self, family: &'static str, file: &'static [u8]) {
        if let Ok(bytes) = woff::unpacked(file.to_vec()) {
            let rename = FontInfoOverride {
                family_name: Some(family),
                ..FontInfoOverride::default()
            };
            let bytes = Blob::new(Arc::new(bytes));
            self.fonts.collection.register_fonts(bytes.clone(), Some(rename));
            self.add_svg_font(family, bytes);
        }
    }

    pub(super) fn loaded_spares(&self) -> impl Iterator<Item = &'static str> {
        let loaded = SPARES.iter().zip(self.spares).filter(|(_, loaded)| *loaded);
        loaded.map(|(spare, _)| spare.family)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fonts;

    fn loaded(text: &str) -> Vec<&'static str> {
        let fonts = Fonts::isolated();
        let mut library = fonts.library();
        library.load_spares(text);
        library.loaded_spares().collect()
    }

    #[test]
    fn only_what_a_text_needs_is_unpacked() {
        assert!(loaded("Plain, é, 中文排版 かな → 😀").is_empty());
        assert_eq!(loaded("日本語"), ["Noto Sans CJK SC Extra"]);
        assert_eq!(loaded("한 שלום"), ["Noto Sans CJK KR", "Noto Sans Hebrew"]);
        assert_eq!(loaded("مرحبا नमस्ते สวัสดี").len(), 3);
    }

    /// None of these is a box, in no weight.
    #[test]
    fn every_script_has_its_glyphs() {
        for text in [
            "繁體中文語學",
            "日本語の漢字",
            "안녕하세요",
            "مرحبا بالعالم",
            "שלום עולם",
            "नमस्ते दुनिया",
            "สวัสดี",
        ] {
            for font in ["20px serif", "bold 20px Arial"] {
                let fonts = Fonts::isolated();
                let font = crate::text::Font::parse(font).unwrap();
                let style = crate::text::TextStyle {
                    font: &font,
                    direction: crate::text::Direction::Ltr,
                    options: &crate::text::TextOptions::default(),
                };
                let layout = super::super::Line::layout(&fonts, text, &style).unwrap();
                let glyphs: Vec<u32> = layout
                    .lines()
                    .flat_map(|line| line.runs().collect::<Vec<_>>())
                    .flat_map(|run| {
                        run.clusters()
                            .flat_map(|c| c.glyphs().collect::<Vec<_>>())
                            .collect::<Vec<_>>()
                    })
                    .map(|glyph| glyph.id)
                    .collect();
                assert!(
                    !glyphs.is_empty() && glyphs.iter().all(|id| *id != 0),
                    "{text}: {glyphs:?}"
                );
            }
        }
    }
}
