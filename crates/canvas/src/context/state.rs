//! The drawing state: what save and restore keep, and its attributes.
//!
//! Setters ignore what the standard ignores, so a binding may pass numbers as they come.

use super::Context2d;
use super::clip::Clip;
use super::filter::Filters;
use crate::matrix::Matrix;
use crate::paint::{Color, CompositeOp, Style};
use crate::stroke::{LineCap, LineJoin, StrokeStyle, keyword};
use crate::text::{
    Direction, Font, FontKerning, FontStretch, FontVariantCaps, Length, TextAlign, TextBaseline, TextOptions,
    TextRendering,
};
use std::sync::Arc;

keyword! {
    /// imageSmoothingQuality.
    SmoothingQuality { #[default] Low = "low", Medium = "medium", High = "high" }
}

/// The shadow attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    pub color: Color,
    pub blur: f64,
    pub offset_x: f64,
    pub offset_y: f64,
}

impl Shadow {
    /// Whether anything is cast.
    pub(super) fn shows(&self) -> bool {
        self.color.alpha() > 0.0 && (self.blur > 0.0 || self.offset_x != 0.0 || self.offset_y != 0.0)
    }
}

#[derive(Clone, Debug)]
pub(super) struct State {
    pub ctm: Matrix,
    pub clip: Clip,
    pub alpha: f64,
    pub op: CompositeOp,
    pub smoothing: bool,
    pub quality: SmoothingQuality,
    pub fill: Style,
    pub stroke: Style,
    pub shadow: Shadow,
    pub line: StrokeStyle,
    pub font: Arc<Font>,
    pub align: TextAlign,
    pub baseline: TextBaseline,
    pub direction: Direction,
    pub text: TextOptions,
    pub filter: Arc<Filters>,
}

impl State {
    pub fn new(width: u32, height: u32) -> State {
        State {
            ctm: Matrix::IDENTITY,
            clip: Clip::whole(width, height),
            alpha: 1.0,
            op: CompositeOp::SourceOver,
            smoothing: true,
            quality: SmoothingQuality::Low,
            fill: Style::default(),
            stroke: Style::default(),
            shadow: Shadow {
                color: Color::TRANSPARENT,
                blur: 0.0,
                offset_x: 0.0,
                offset_y: 0.0,
            },
            line: StrokeStyle::default(),
            font: Arc::default(),
            align: TextAlign::Start,
            baseline: TextBaseline::Alphabetic,
            direction: Direction::Inherit,
            text: TextOptions::default(),
            filter: Arc::default(),
        }
    }
}

/// Getter and setter of a plain attribute.
macro_rules! attribute {
    ($get:ident, $set:ident, $type:ty, $($field:ident).+) => {
        pub fn $get(&self) -> $type {
            self.state.$($field).+
        }

        pub fn $set(&mut self, value: $type) {
            self.state.$($field).+ = value;
        }
    };
    ($get:ident, $set:ident, $type:ty, $($field:ident).+, if $accept:expr) => {
        pub fn $get(&self) -> $type {
            self.state.$($field).+
        }

        pub fn $set(&mut self, value: $type) {
            let accept: fn($type) -> bool = $accept;
            if accept(value) {
                self.state.$($field).+ = value;
            }
        }
    };
}

impl Context2d {
    attribute!(global_alpha, set_global_alpha, f64, alpha, if |v| (0.0..=1.0).contains(&v));
    attribute!(composite_op, set_composite_op, CompositeOp, op);
    attribute!(smoothing, set_smoothing, bool, smoothing);
    attribute!(
        smoothing_quality,
        set_smoothing_quality,
        SmoothingQuality,
        quality
    );
    attribute!(line_width, set_line_width, f64, line.width, if |v| v > 0.0 && v.is_finite());
    attribute!(miter_limit, set_miter_limit, f64, line.miter_limit, if |v| v > 0.0 && v.is_finite());
    attribute!(line_dash_offset, set_line_dash_offset, f64, line.dash_offset, if f64::is_finite);
    attribute!(line_cap, set_line_cap, LineCap, line.cap);
    attribute!(line_join, set_line_join, LineJoin, line.join);
    attribute!(shadow_blur, set_shadow_blur, f64, shadow.blur, if |v| v >= 0.0 && v.is_finite());
    attribute!(shadow_offset_x, set_shadow_offset_x, f64, shadow.offset_x, if f64::is_finite);
    attribute!(shadow_offset_y, set_shadow_offset_y, f64, shadow.offset_y, if f64::is_finite);
    attribute!(text_align, set_text_align, TextAlign, align);
    attribute!(text_baseline, set_text_baseline, TextBaseline, baseline);
    attribute!(direction, set_direction, Direction, direction);
    attribute!(font_kerning, set_font_kerning, FontKerning, text.kerning);
    attribute!(text_rendering, set_text_rendering, TextRendering, text.rendering);
    attribute!(letter_spacing, set_letter_spacing, Length, text.letter_spacing);
    attribute!(word_spacing, set_word_spacing, Length, text.word_spacing);

    /// The filter as it was set.
    pub fn filter(&self) -> &str {
        self.state.filter.text()
    }

    /// `false`: not a list of CSS filter functions, nothing changed.
    pub fn set_filter(&mut self, css: &str) -> bool {
        Filters::parse(css)
            .map(|filters| self.state.filter = Arc::new(filters))
            .is_some()
    }

    pub fn filters(&self) -> &Arc<Filters> {
        &self.state.filter
    }

    /// Those of an object; `filter` has no text for them.
    pub fn set_filters(&mut self, filters: Arc<Filters>) {
        self.state.filter = filters;
    }

    /// A BCP 47 tag, or `inherit`.
    pub fn lang(&self) -> &str {
        match &*self.state.text.lang {
            "" => "inherit",
            lang => lang,
        }
    }

    pub fn set_lang(&mut self, lang: &str) {
        self.state.text.lang = match lang {
            "inherit" => Arc::default(),
            lang => Arc::from(lang),
        };
    }

    pub fn fill_style(&self) -> &Style {
        &self.state.fill
    }

    pub fn stroke_style(&self) -> &Style {
        &self.state.stroke
    }

    pub fn set_fill_style(&mut self, style: Style) {
        self.state.fill = style;
    }

    pub fn set_stroke_style(&mut self, style: Style) {
        self.state.stroke = style;
    }

    /// `false`: not a colour, nothing changed.
    pub fn set_fill_color(&mut self, css: &str) -> bool {
        Color::parse(css)
            .map(|color| self.state.fill = Style::Color(color))
            .is_some()
    }

    /// `false`: not a colour, nothing changed.
    pub fn set_stroke_color(&mut self, css: &str) -> bool {
        Color::parse(css)
            .map(|color| self.state.stroke = Style::Color(color))
            .is_some()
    }

    pub fn shadow_color(&self) -> Color {
        self.state.shadow.color
    }

    /// `false`: not a colour, nothing changed.
    pub fn set_shadow_color(&mut self, css: &str) -> bool {
        Color::parse(css)
            .map(|color| self.state.shadow.color = color)
            .is_some()
    }

    pub fn line_dash(&self) -> &[f64] {
        &self.state.line.dash
    }

    /// Ignored as a whole when a length is negative or not finite; an odd list is doubled.
    pub fn set_line_dash(&mut self, lengths: &[f64]) {
        if lengths.iter().any(|v| !v.is_finite() || *v < 0.0) {
            return;
        }
        let mut dash = lengths.to_vec();
        if dash.len() % 2 == 1 {
            dash.extend_from_slice(lengths);
        }
        self.state.line.dash = dash;
    }

    /// The font as the standard serialises it.
    pub fn font(&self) -> String {
        self.state.font.serialize()
    }

    /// `false`: not a font shorthand, nothing changed. The shorthand says capitals and width as well:
    /// what it does not name is normal, as in CSS.
    pub fn set_font(&mut self, css: &str) -> bool {
        let Some(font) = Font::parse(css) else {
            return false;
        };
        self.state.text.caps = match font.small_caps {
            true => FontVariantCaps::SmallCaps,
            false => FontVariantCaps::Normal,
        };
        self.state.text.stretch = FontStretch::of_percent(font.stretch);
        self.state.font = Arc::new(font);
        true
    }

    pub fn font_variant_caps(&self) -> FontVariantCaps {
        self.state.text.caps
    }

    pub fn set_font_variant_caps(&mut self, caps: FontVariantCaps) {
        self.state.text.caps = caps;
        let small = caps == FontVariantCaps::SmallCaps;
        if self.state.font.small_caps != small {
            Arc::make_mut(&mut self.state.font).small_caps = small;
        }
    }

    pub fn font_stretch(&self) -> FontStretch {
        self.state.text.stretch
    }

    pub fn set_font_stretch(&mut self, stretch: FontStretch) {
        self.state.text.stretch = stretch;
        if self.state.font.stretch != stretch.percent() {
            Arc::make_mut(&mut self.state.font).stretch = stretch.percent();
        }
    }
}
