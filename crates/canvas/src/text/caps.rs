//! Small capitals for fonts that have none of their own: capitals at seven tenths of the size, as
//! browsers make them.
//!
//! Deliberately not here: letters whose capitals are several (ß) or take other bytes than they do.
//! They stay as they are, because places in a text are counted in the text as it was given.

use super::fonts::Library;
use super::options::FontVariantCaps;
use super::shape::TextStyle;
use skrifa::raw::TableProvider;
use std::ops::Range;

/// Of the size of the text.
pub(super) const SMALL: f32 = 0.7;

#[derive(Clone, Copy, PartialEq)]
enum Letter {
    Small,
    Capital,
    Neither,
}

/// A text with capitals in place of small letters, and where they are drawn small.
pub(super) struct Capitals {
    pub text: String,
    pub small: Vec<Range<usize>>,
}

/// What the style asks for, the attribute before the shorthand.
fn wanted(style: &TextStyle) -> FontVariantCaps {
    match style.options.caps {
        FontVariantCaps::Normal if style.font.small_caps => FontVariantCaps::SmallCaps,
        caps => caps,
    }
}

/// `None` where there is nothing to be made.
pub(super) fn made(
    library: &mut Library,
    text: &str,
    style: &TextStyle,
    families: &[String],
) -> Option<Capitals> {
    let small = |letter| match wanted(style) {
        FontVariantCaps::SmallCaps | FontVariantCaps::PetiteCaps => letter == Letter::Small,
        FontVariantCaps::AllSmallCaps | FontVariantCaps::AllPetiteCaps => true,
        FontVariantCaps::Unicase => letter == Letter::Capital,
        FontVariantCaps::Normal | FontVariantCaps::TitlingCaps => false,
    };
    if !small(Letter::Small) && !small(Letter::Capital) || library.has_feature(style, families) {
        return None;
    }
    let mut capitals = Capitals {
        text: String::with_capacity(text.len()),
        small: Vec::new(),
    };
    for c in text.chars() {
        let (capital, letter) = match (capital_of(c), c.is_uppercase()) {
            (Some(capital), _) => (capital, Letter::Small),
            (None, true) => (c, Letter::Capital),
            (None, false) => (c, Letter::Neither),
        };
        let start = capitals.text.len();
        // Of unicase, small letters stay what they are.
        let changes = letter == Letter::Small && small(letter);
        capitals.text.push(if changes { capital } else { c });
        let end = capitals.text.len();
        if small(letter) {
            match capitals.small.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => capitals.small.push(start..end),
            }
        }
    }
    Some(capitals)
}

fn capital_of(c: char) -> Option<char> {
    let mut capitals = c.to_uppercase();
    let capital = capitals.next()?;
    let one = capitals.next().is_none() && capital.len_utf8() == c.len_utf8();
    (one && capital != c).then_some(capital)
}

impl Library {
    /// Whether the first font that there is can make the capitals itself.
    fn has_feature(&mut self, style: &TextStyle, families: &[String]) -> bool {
        let tags = wanted(style).features();
        let first = families
            .iter()
            .find_map(|name| self.fonts.collection.family_by_name(name));
        let font = first.and_then(|family| family.default_font().cloned());
        let Some((font, bytes)) =
            font.and_then(|font| Some((font.clone(), font.load(Some(&mut self.fonts.source_cache))?)))
        else {
            return false;
        };
        let Ok(font) = skrifa::FontRef::from_index(bytes.as_ref(), font.index()) else {
            return false;
        };
        let features = font.gsub().and_then(|gsub| gsub.feature_list());
        features.is_ok_and(|list| {
            let has = |tag: &[u8; 4]| {
                list.feature_records()
                    .iter()
                    .any(|record| record.feature_tag() == skrifa::Tag::new(tag))
            };
            tags.iter().all(|tag| has(tag))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Direction, Font, Fonts, Line, TextOptions};
    use super::*;
    use proptest::prelude::*;

    fn width(text: &str, font: &str, caps: FontVariantCaps) -> f64 {
        let options = TextOptions {
            caps,
            ..TextOptions::default()
        };
        let font = Font::parse(font).unwrap();
        let style = TextStyle {
            font: &font,
            direction: Direction::Ltr,
            options: &options,
        };
        Line::shape(&Fonts::bundled(), text, &style).width
    }

    #[test]
    fn small_letters_are_capitals_at_seven_tenths() {
        let plain = |text, size: &str| width(text, &format!("{size} Arial"), FontVariantCaps::Normal);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.01, "{a} {b}");
        let caps = |text, caps| width(text, "20px Arial", caps);
        near(caps("fix", FontVariantCaps::SmallCaps), plain("FIX", "14px"));
        near(
            width("fix", "small-caps 20px Arial", FontVariantCaps::Normal),
            plain("FIX", "14px"),
        );
        near(
            caps("Hé1", FontVariantCaps::SmallCaps),
            plain("H", "20px") + plain("É", "14px") + plain("1", "20px"),
        );
        near(caps("H1中", FontVariantCaps::AllSmallCaps), plain("H1中", "14px"));
        near(
            caps("Hi", FontVariantCaps::Unicase),
            plain("H", "14px") + plain("i", "20px"),
        );
        near(caps("Hi", FontVariantCaps::TitlingCaps), plain("Hi", "20px"));
        near(caps("ß", FontVariantCaps::SmallCaps), plain("ß", "20px"));
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(100))]
        /// Places in the text stay what they are.
        #[test]
        fn no_letter_takes_other_bytes(text in "\\PC{0,20}") {
            let font = Font::parse("small-caps 9px Arial").unwrap();
            let options = TextOptions::default();
            let style = TextStyle { font: &font, direction: Direction::Ltr, options: &options };
            let fonts = Fonts::isolated();
            let mut library = fonts.library();
            let names = library.stack(&font);
            let capitals = made(&mut library, &text, &style, &names).unwrap();
            prop_assert_eq!(capitals.text.len(), text.len());
            let lengths = |text: &str| text.chars().map(char::len_utf16).collect::<Vec<_>>();
            prop_assert_eq!(lengths(&capitals.text), lengths(&text));
        }
    }
}
