//! Text: the font shorthand, the fonts, shaping and measuring.
//!
//! Not here: pixels. Glyphs leave this module as outlines, or as the coverage of a line.

mod caps;
mod clusters;
mod color;
mod emoji;
mod fonts;
mod masks;
mod options;
mod shape;
mod shorthand;
mod spare;
mod subpixel;
mod svg_fonts;
mod vertical;
mod woff;

#[cfg(test)]
mod broken_tests;

pub use clusters::{MeasuredText, TextBox, TextCluster};
pub(crate) use color::{ColorGlyph, DrawnGlyph, Paint, PictureKey, Step};
pub use fonts::{FontDescriptors, Fonts};
pub(crate) use options::TextOptions;
pub use options::{FontKerning, FontStretch, FontVariantCaps, Length, TextRendering};
pub(crate) use shape::{Line, Placed, TextStyle, box_of, corners_of};
pub use shorthand::Font;
pub(crate) use shorthand::absolute_unit;
pub(crate) use subpixel::Subpixel;
pub(crate) use vertical::Vertical;

use crate::stroke::keyword;

keyword! {
    /// textAlign.
    TextAlign {
        #[default] Start = "start", End = "end", Left = "left", Right = "right", Center = "center"
    }
}

impl TextAlign {
    /// From the alignment point to where something of this width begins.
    pub(crate) fn lead(self, rtl: bool, width: f64) -> f64 {
        match (self, rtl) {
            (TextAlign::Left, _) | (TextAlign::Start, false) | (TextAlign::End, true) => 0.0,
            (TextAlign::Right, _) | (TextAlign::End, false) | (TextAlign::Start, true) => -width,
            (TextAlign::Center, _) => -width / 2.0,
        }
    }
}

keyword! {
    /// textBaseline.
    TextBaseline {
        Top = "top", Hanging = "hanging", Middle = "middle", #[default] Alphabetic = "alphabetic",
        Ideographic = "ideographic", Bottom = "bottom"
    }
}

keyword! {
    /// direction; without a document `inherit` is left to right.
    Direction { Ltr = "ltr", Rtl = "rtl", #[default] Inherit = "inherit" }
}

/// What measureText tells, in CSS pixels, relative to the alignment point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextMetrics {
    pub width: f64,
    pub actual_bounding_box_left: f64,
    pub actual_bounding_box_right: f64,
    pub font_bounding_box_ascent: f64,
    pub font_bounding_box_descent: f64,
    pub actual_bounding_box_ascent: f64,
    pub actual_bounding_box_descent: f64,
    pub em_height_ascent: f64,
    pub em_height_descent: f64,
    pub hanging_baseline: f64,
    pub alphabetic_baseline: f64,
    pub ideographic_baseline: f64,
}
