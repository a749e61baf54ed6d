//! The text attributes beside `font`: spacing, kerning, width, capitals, rendering.

use super::shorthand::{DEFAULT_SIZE, absolute_unit, split_number};
use crate::stroke::keyword;
use std::sync::Arc;

keyword! {
    /// fontKerning.
    FontKerning { #[default] Auto = "auto", Normal = "normal", None = "none" }
}

keyword! {
    /// fontStretch.
    FontStretch {
        UltraCondensed = "ultra-condensed", ExtraCondensed = "extra-condensed", Condensed = "condensed",
        SemiCondensed = "semi-condensed", #[default] Normal = "normal", SemiExpanded = "semi-expanded",
        Expanded = "expanded", ExtraExpanded = "extra-expanded", UltraExpanded = "ultra-expanded"
    }
}

keyword! {
    /// fontVariantCaps.
    FontVariantCaps {
        #[default] Normal = "normal", SmallCaps = "small-caps", AllSmallCaps = "all-small-caps",
        PetiteCaps = "petite-caps", AllPetiteCaps = "all-petite-caps", Unicase = "unicase",
        TitlingCaps = "titling-caps"
    }
}

keyword! {
    /// textRendering.
    TextRendering {
        #[default] Auto = "auto", OptimizeSpeed = "optimizeSpeed",
        OptimizeLegibility = "optimizeLegibility", GeometricPrecision = "geometricPrecision"
    }
}

impl FontStretch {
    const PERCENTS: [(FontStretch, f32); 9] = [
        (FontStretch::UltraCondensed, 50.0),
        (FontStretch::ExtraCondensed, 62.5),
        (FontStretch::Condensed, 75.0),
        (FontStretch::SemiCondensed, 87.5),
        (FontStretch::Normal, 100.0),
        (FontStretch::SemiExpanded, 112.5),
        (FontStretch::Expanded, 125.0),
        (FontStretch::ExtraExpanded, 150.0),
        (FontStretch::UltraExpanded, 200.0),
    ];

    /// Percent of the normal width.
    pub(crate) fn percent(self) -> f32 {
        let named = Self::PERCENTS.iter().find(|(stretch, _)| *stretch == self);
        named.map_or(100.0, |(_, percent)| *percent)
    }

    pub(crate) fn of_percent(percent: f32) -> FontStretch {
        let named = Self::PERCENTS.iter().find(|(_, known)| *known == percent);
        named.map_or(FontStretch::Normal, |(stretch, _)| *stretch)
    }
}

impl FontVariantCaps {
    /// The OpenType features that make the capitals.
    pub(crate) fn features(self) -> &'static [&'static [u8; 4]] {
        match self {
            FontVariantCaps::Normal => &[],
            FontVariantCaps::SmallCaps => &[b"smcp"],
            FontVariantCaps::AllSmallCaps => &[b"smcp", b"c2sc"],
            FontVariantCaps::PetiteCaps => &[b"pcap"],
            FontVariantCaps::AllPetiteCaps => &[b"pcap", b"c2pc"],
            FontVariantCaps::Unicase => &[b"unic"],
            FontVariantCaps::TitlingCaps => &[b"titl"],
        }
    }
}

/// A CSS length as a script set it: relative units follow the font.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    value: f64,
    unit: &'static str,
}

impl Default for Length {
    fn default() -> Self {
        Length {
            value: 0.0,
            unit: "px",
        }
    }
}

const UNITS: [&str; 12] = [
    "px", "pt", "pc", "in", "cm", "mm", "q", "em", "rem", "ex", "ch", "ic",
];

impl Length {
    /// `None` for what is no length.
    pub fn parse(css: &str) -> Option<Length> {
        let word = css.trim().to_ascii_lowercase();
        let (value, unit) = split_number(&word)?;
        if unit.is_empty() {
            return (value == 0.0).then(Length::default);
        }
        let unit = UNITS.into_iter().find(|known| *known == unit)?;
        value.is_finite().then_some(Length { value, unit })
    }

    /// Pixels in a font of this size.
    pub(crate) fn pixels(self, font_size: f64) -> f64 {
        let unit = match self.unit {
            "em" | "ic" => font_size,
            // Of a typical font: half of its size.
            "ex" | "ch" => font_size / 2.0,
            // There is no root element; its font would be the default one.
            "rem" => DEFAULT_SIZE,
            unit => absolute_unit(unit).unwrap_or(1.0),
        };
        self.value * unit
    }

    pub fn serialize(self) -> String {
        format!("{}{}", self.value, self.unit)
    }
}

/// What shaping depends on besides the font and the direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextOptions {
    pub letter_spacing: Length,
    pub word_spacing: Length,
    pub kerning: FontKerning,
    pub stretch: FontStretch,
    pub caps: FontVariantCaps,
    pub rendering: TextRendering,
    /// A BCP 47 tag; empty is `inherit`. Kept and given back: the bundled fonts have no forms of a
    /// language to choose from.
    pub lang: Arc<str>,
}

impl TextOptions {
    /// Two that are equal shape equally.
    pub fn key(&self) -> String {
        if *self == TextOptions::default() {
            return String::new();
        }
        format!("{self:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written_as_css_has_them() {
        let again = |css: &str| Length::parse(css).map(Length::serialize);
        assert_eq!(again("3PX").as_deref(), Some("3px"));
        assert_eq!(again(" -0.1em ").as_deref(), Some("-0.1em"));
        assert_eq!(again("0").as_deref(), Some("0px"));
        for none in ["", "3", "px", "3 px", "3%", "1e400px", "normal"] {
            assert_eq!(again(none), None, "{none}");
        }
        assert_eq!(Length::parse("2em").unwrap().pixels(20.0), 40.0);
        assert_eq!(Length::parse("1in").unwrap().pixels(20.0), 96.0);
    }
}
