//! CSS colours: parsing, and the serialisation that `fillStyle` gives back.
//!
//! Each notation ends in [`Color`], sRGB with floating channels. Those beyond sRGB are in
//! `color_modern`; they are painted clipped to sRGB and given back as they were.

use super::ColorSpace;
use super::color_modern;
use super::color_names::{NAMED, SYSTEM};
use super::color_plain;
use crate::css::{self, Basis};
use color::{ColorSpaceTag, DynamicColor, Flags, HueDirection};

/// How deep `alpha()` may stand in itself.
const DEPTH: usize = 16;

/// A colour in sRGB; channels 0..=255 (not necessarily whole), alpha 0..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    rgb: [f32; 3],
    alpha: f32,
    /// What was given, where it is more than the old notations say.
    modern: Option<DynamicColor>,
}

impl Color {
    pub const BLACK: Color = Color {
        rgb: [0.0; 3],
        alpha: 1.0,
        modern: None,
    };
    pub const TRANSPARENT: Color = Color {
        rgb: [0.0; 3],
        alpha: 0.0,
        modern: None,
    };

    pub fn from_rgba8(r: u8, g: u8, b: u8, a: u8) -> Color {
        Color {
            rgb: [r, g, b].map(f32::from),
            alpha: f32::from(a) / 255.0,
            modern: None,
        }
    }

    /// Any CSS colour this module knows; `currentcolor` is black, as on a detached canvas.
    pub fn parse(css: &str) -> Option<Color> {
        color_plain::parse(css)
            .map(Color::of_channels)
            .or_else(|| Color::parse_folded(css, DEPTH))
            .or_else(|| Color::parse_folded(&css::folded(css, Basis::default())?, DEPTH))
    }

    /// Channels 0..=255 and alpha 0..=1.
    pub(super) fn of_channels([r, g, b, alpha]: [f32; 4]) -> Color {
        Color {
            rgb: [r, g, b],
            alpha,
            modern: None,
        }
    }

    /// Without comments and sums.
    fn parse_folded(css: &str, depth: usize) -> Option<Color> {
        Color::parse_plain(css)
            .or_else(|| color_modern::parse(css).map(Color::from_dynamic))
            .or_else(|| Color::parse_faded(css, depth.checked_sub(1)?))
    }

    /// `alpha(from COLOUR / ALPHA)`, which keeps the notation of the colour.
    fn parse_faded(css: &str, depth: usize) -> Option<Color> {
        let lower = css.trim().to_ascii_lowercase();
        let inner = lower.strip_prefix("alpha(")?.strip_suffix(')')?.trim();
        let (origin, alpha) = inner.strip_prefix("from ")?.rsplit_once('/')?;
        let alpha = match component(alpha.trim())? {
            Component::Number(v) => v,
            Component::Percent(v) => v / 100.0,
            Component::None => 0.0,
            Component::Angle(_) => return None,
        };
        let origin = Color::parse_folded(origin, depth)?;
        Some(origin.with_alpha(alpha.clamp(0.0, 1.0) as f32))
    }

    /// The notations of sRGB.
    pub(super) fn parse_plain(css: &str) -> Option<Color> {
        let text = css.trim_matches([' ', '\t', '\n', '\r', '\x0c']);
        if let Some(hex) = text.strip_prefix('#') {
            return parse_hex(hex);
        }
        if let Some(open) = text.find('(') {
            let arguments = text[open + 1..].strip_suffix(')').unwrap_or(&text[open + 1..]);
            return function(&text[..open].to_ascii_lowercase(), arguments);
        }
        let name = text.to_ascii_lowercase();
        match name.as_str() {
            "transparent" => Some(Color::TRANSPARENT),
            "currentcolor" => Some(Color::BLACK),
            _ => {
                let table = |table: &[(&str, u32)]| {
                    table
                        .binary_search_by_key(&name.as_str(), |e| e.0)
                        .ok()
                        .map(|i| table[i].1)
                };
                let [_, r, g, b] = table(&NAMED).or_else(|| table(&SYSTEM))?.to_be_bytes();
                Some(Color::from_rgba8(r, g, b, 255))
            }
        }
    }

    /// As the standard serialises it: `#rrggbb` when opaque, `rgba(r, g, b, a)` otherwise.
    pub fn serialize(&self) -> String {
        if let Some(modern) = self.modern {
            return color_modern::serialize(modern);
        }
        let [r, g, b] = self.rgb.map(|v| v.round() as u8);
        if self.alpha >= 1.0 {
            format!("#{r:02x}{g:02x}{b:02x}")
        } else {
            format!("rgba({r}, {g}, {b}, {})", alpha_text(self.alpha))
        }
    }

    pub fn alpha(&self) -> f32 {
        self.alpha
    }

    pub(crate) fn opaque(&self) -> Color {
        let [r, g, b] = self.rgb;
        Color::new([r, g, b].map(f64::from), 1.0)
    }

    /// The colour whose channels are those of `space`.
    pub(crate) fn in_space(&self, space: ColorSpace) -> Color {
        if space == ColorSpace::Srgb {
            return *self;
        }
        let [r, g, b, alpha] = self.dynamic().convert(ColorSpaceTag::DisplayP3).components;
        Color::new([r, g, b].map(|v| f64::from(v) * 255.0), alpha.into())
    }

    /// With its alpha multiplied.
    pub fn faded(&self, by: f32) -> Color {
        self.with_alpha((self.alpha * by).clamp(0.0, 1.0))
    }

    fn with_alpha(&self, alpha: f32) -> Color {
        Color {
            alpha,
            modern: self
                .modern
                .map(|modern| modern.map(|a, b, c, _| [a, b, c, alpha])),
            ..*self
        }
    }

    pub(super) fn dynamic(&self) -> DynamicColor {
        let [r, g, b] = self.rgb.map(|v| v / 255.0);
        self.modern.unwrap_or(DynamicColor {
            cs: ColorSpaceTag::Srgb,
            flags: Flags::default(),
            components: [r, g, b, self.alpha],
        })
    }

    fn from_dynamic(given: DynamicColor) -> Color {
        let [r, g, b, alpha] = given.convert(ColorSpaceTag::Srgb).components.map(f64::from);
        Color {
            modern: Some(given),
            ..Color::new([r, g, b].map(|v| v * 255.0), alpha)
        }
    }

    /// The colour between two, where CSS says Oklab; `None` where it says sRGB, which is between
    /// colours of the old notations.
    pub(super) fn between(self, other: Color, at: f32) -> Option<Color> {
        self.modern.or(other.modern)?;
        let way = self
            .dynamic()
            .interpolate(other.dynamic(), ColorSpaceTag::Oklab, HueDirection::Shorter);
        Some(Color::from_dynamic(way.eval(at)))
    }

    /// Straight RGBA8.
    pub fn to_rgba8(&self) -> [u8; 4] {
        let [r, g, b] = self.rgb.map(|v| v.round() as u8);
        [r, g, b, (self.alpha * 255.0).round() as u8]
    }

    /// Premultiplied RGBA8 after another factor on its alpha.
    pub(crate) fn premultiplied(&self, opacity: f32) -> [u8; 4] {
        let alpha = (self.alpha * opacity).clamp(0.0, 1.0);
        let a = (alpha * 255.0).round();
        let [r, g, b] = self.rgb.map(|v| (v.round() * a / 255.0).round() as u8);
        [r, g, b, a as u8]
    }

    /// Between two in sRGB without regard to alpha, premultiplied with an opacity from 0 to 1.
    #[inline]
    pub(super) fn mixed(&self, other: &Color, at: f32, opacity: f32) -> [u8; 4] {
        let mix = |a: f32, b: f32| a + (b - a) * at;
        let alpha = mix(self.alpha, other.alpha) * opacity;
        let byte = |v: f32| (v + 0.5) as u8;
        let [r, g, b] = std::array::from_fn(|i| byte(mix(self.rgb[i], other.rgb[i]) * alpha));
        let a = byte(alpha * 255.0);
        [r.min(a), g.min(a), b.min(a), a]
    }

    fn new(rgb: [f64; 3], alpha: f64) -> Color {
        let byte = |v: f64| {
            if v.is_nan() {
                0.0
            } else {
                v.clamp(0.0, 255.0) as f32
            }
        };
        let alpha = if alpha.is_nan() {
            0.0
        } else {
            alpha.clamp(0.0, 1.0) as f32
        };
        Color {
            rgb: rgb.map(byte),
            alpha,
            modern: None,
        }
    }
}

/// Two digits when they give back the same 8-bit alpha, three otherwise.
fn alpha_text(alpha: f32) -> String {
    let byte = (alpha * 255.0).round();
    let short = (alpha * 100.0).round() / 100.0;
    let value = if (short * 255.0).round() == byte {
        short
    } else {
        (alpha * 1000.0).round() / 1000.0
    };
    format!("{value}")
}

fn parse_hex(hex: &str) -> Option<Color> {
    if !hex.is_ascii() {
        return None;
    }
    let digits: Vec<u8> = hex
        .chars()
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect::<Option<_>>()?;
    let pair = |i: usize| digits[2 * i] * 16 + digits[2 * i + 1];
    match digits.len() {
        3 => Some(Color::from_rgba8(
            digits[0] * 17,
            digits[1] * 17,
            digits[2] * 17,
            255,
        )),
        4 => Some(Color::from_rgba8(
            digits[0] * 17,
            digits[1] * 17,
            digits[2] * 17,
            digits[3] * 17,
        )),
        6 => Some(Color::from_rgba8(pair(0), pair(1), pair(2), 255)),
        8 => Some(Color::from_rgba8(pair(0), pair(1), pair(2), pair(3))),
        _ => None,
    }
}

/// A component of a colour function.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Component {
    Number(f64),
    Percent(f64),
    /// In degrees.
    Angle(f64),
    None,
}

/// The arguments of a colour function, split by the syntax they were written in.
struct Arguments {
    channels: [Component; 3],
    alpha: Option<Component>,
    legacy: bool,
}

fn function(name: &str, text: &str) -> Option<Color> {
    let arguments = arguments(text)?;
    let alpha = match arguments.alpha {
        None => 1.0,
        Some(Component::Number(v)) => v,
        Some(Component::Percent(v)) => v / 100.0,
        Some(Component::None) => 0.0,
        Some(Component::Angle(_)) => return None,
    };
    let rgb = match name {
        "rgb" | "rgba" => rgb(&arguments)?,
        "hsl" | "hsla" => hsl(&arguments)?,
        "hwb" if !arguments.legacy => hwb(&arguments)?,
        _ => return None,
    };
    Some(Color::new(
        rgb.map(|v| v.clamp(0.0, 255.0).round()),
        alpha.clamp(0.0, 1.0),
    ))
}

fn rgb(arguments: &Arguments) -> Option<[f64; 3]> {
    let percents = arguments
        .channels
        .iter()
        .filter(|c| matches!(c, Component::Percent(_)))
        .count();
    if arguments.legacy && percents != 0 && percents != 3 {
        return None;
    }
    let mut out = [0.0; 3];
    for (out, channel) in out.iter_mut().zip(arguments.channels) {
        *out = match channel {
            Component::Number(v) => v,
            Component::Percent(v) => v * 2.55,
            Component::None => 0.0,
            Component::Angle(_) => return None,
        };
    }
    Some(out)
}

fn hue(component: Component) -> Option<f64> {
    let degrees = match component {
        Component::Number(v) | Component::Angle(v) => v,
        Component::None => 0.0,
        Component::Percent(_) => return None,
    };
    let turn = degrees.rem_euclid(360.0);
    // Of what is without end nothing is left.
    Some(if turn.is_finite() && degrees.abs() < 1e15 {
        turn
    } else {
        0.0
    })
}

/// A saturation-like component as 0..=1; the comma syntax insists on percent signs.
fn part(component: Component, legacy: bool) -> Option<f64> {
    let value = match component {
        Component::Percent(v) => v,
        Component::Number(v) if !legacy => v,
        Component::None => 0.0,
        _ => return None,
    };
    Some((value / 100.0).clamp(0.0, 1.0))
}

fn hsl(arguments: &Arguments) -> Option<[f64; 3]> {
    let [h, s, l] = arguments.channels;
    Some(hsl_to_rgb(
        hue(h)?,
        part(s, arguments.legacy)?,
        part(l, arguments.legacy)?,
    ))
}

fn hsl_to_rgb(h: f64, s: f64, l: f64) -> [f64; 3] {
    let a = s * l.min(1.0 - l);
    [0.0, 8.0, 4.0].map(|n| {
        let k = (n + h / 30.0) % 12.0;
        (l - a * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)) * 255.0
    })
}

fn hwb(arguments: &Arguments) -> Option<[f64; 3]> {
    let [h, w, b] = arguments.channels;
    let (h, w, b) = (hue(h)?, part(w, false)?, part(b, false)?);
    if w + b >= 1.0 {
        return Some([w / (w + b) * 255.0; 3]);
    }
    Some(hsl_to_rgb(h, 1.0, 0.5).map(|v| v * (1.0 - w - b) + w * 255.0))
}

/// Splits `r, g, b, a` or `r g b / a`.
fn arguments(text: &str) -> Option<Arguments> {
    let text = text.trim_matches([' ', '\t', '\n', '\r', '\x0c']);
    let legacy = text.contains(',');
    let (channels, alpha): (Vec<&str>, Option<&str>) = if legacy {
        let mut parts: Vec<&str> = text.split(',').collect();
        let alpha = if parts.len() == 4 { parts.pop() } else { None };
        (parts, alpha)
    } else {
        let (channels, alpha) = match text.split_once('/') {
            Some((channels, alpha)) => (channels, Some(alpha)),
            None => (text, None),
        };
        (channels.split_ascii_whitespace().collect(), alpha)
    };
    let [a, b, c] = channels.as_slice() else {
        return None;
    };
    let read = |text: &str| component(text.trim()).filter(|c| !(legacy && *c == Component::None));
    let alpha = match alpha {
        Some(text) => Some(read(text)?),
        None => None,
    };
    Some(Arguments {
        channels: [read(a)?, read(b)?, read(c)?],
        alpha,
        legacy,
    })
}

fn component(text: &str) -> Option<Component> {
    let lower = text.to_ascii_lowercase();
    if lower == "none" {
        return Some(Component::None);
    }
    let end = number_len(lower.as_bytes());
    let value: f64 = lower.get(..end)?.parse().ok()?;
    match &lower[end..] {
        "" => Some(Component::Number(value)),
        "%" => Some(Component::Percent(value)),
        "deg" => Some(Component::Angle(value)),
        "grad" => Some(Component::Angle(value * 0.9)),
        "rad" => Some(Component::Angle(value.to_degrees())),
        "turn" => Some(Component::Angle(value * 360.0)),
        _ => None,
    }
}

/// Bytes of the CSS number at the beginning of `text`; 0 when there is none.
pub(crate) fn number_len(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    if text.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == 0 {
            return if whole == 0 { 0 } else { end };
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return 0;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = if end + 1 + sign <= text.len() {
            digits(end + 1 + sign)
        } else {
            0
        };
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_notation_of_the_same_green() {
        for text in [
            "lime",
            "LIME",
            " lime\n",
            "#0f0",
            "#0F0f",
            "#00ff00",
            "#00FF00FF",
            "rgb(0,255,0)",
            "RGB( 0 , 255 , 0 )",
            "rgb(0%,100%,0%)",
            "rgb(0 255 0)",
            "rgb(0 100% 0 / 1)",
            "rgba(0, 255, 0, 1)",
            "rgb(-9, 300, 0)",
            "hsl(120, 100%, 50%)",
            "hsl(480deg 100% 50%)",
            "hsla(-240,100%,50%,100%)",
            "hsl(.3333333333turn 100 50)",
            "hwb(120 0% 0%)",
            "rgb(0,255,0",
            "rgb(none 255 none)",
            "rgb(0,254.6,0.4)",
            "rgb(calc(1 - 1) calc(200 + 55) 0)",
            "rgb(min(0, 9), max(255, 3), clamp(0, -4, 2))",
            "rgb(0 calc(50% + 50%) 0)",
            "hsl(calc(120deg + 1turn) 100% 50%)",
            "hsl(calc(60 * 2) 100% 50%)",
            "rgb(/* red */ 0, 255 /* green */, 0)/**/",
            "rgb(calc(-infinity) calc(infinity) calc(NaN))",
            "alpha(from rgb(0 255 0 / 0.2) / 1)",
        ] {
            assert_eq!(
                Color::parse(text).map(|c| c.serialize()).as_deref(),
                Some("#00ff00"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_a_colour_is_refused() {
        for text in [
            "",
            "#",
            "#12",
            "#12345",
            "#1234567",
            "#gg0000",
            "#+12",
            "rgb(0,255)",
            "rgb(0,255,0,1,1)",
            "rgb(0%,255,0)",
            "rgb(0 255 0 1)",
            "rgb(0,255,0/1)",
            "rgb(1. 2 3)",
            "rgb(1px,2,3)",
            "hsl(120,100,50)",
            "hsl(10%, 1%, 1%)",
            "hwb(120,0%,0%)",
            "greenish",
            "rgb (0,0,0)",
            "rgb(none,0,0)",
            "rgb(0,0,0,1deg)",
            "# 0f0",
            "#é00",
            "rgb(calc(1 + 2%) 0 0)",
            "rgb(calc(1px) 0 0)",
            "alpha(from red / )",
            "alpha(red / 1)",
            "alpha(from red 1)",
        ] {
            assert_eq!(Color::parse(text), None, "{text}");
        }
    }

    #[test]
    fn alpha_is_written_with_as_few_digits_as_suffice() {
        for (text, expected) in [
            ("rgba(255,0,0,0.5)", "rgba(255, 0, 0, 0.5)"),
            ("#ff000080", "rgba(255, 0, 0, 0.5)"),
            ("#00000001", "rgba(0, 0, 0, 0.004)"),
            ("transparent", "rgba(0, 0, 0, 0)"),
            ("rgb(1 2 3 / 45%)", "rgba(1, 2, 3, 0.45)"),
            ("alpha(from red / 50%)", "rgba(255, 0, 0, 0.5)"),
        ] {
            assert_eq!(Color::parse(text).unwrap().serialize(), expected);
        }
    }

    #[test]
    fn premultiplying_rounds_on_the_8_bit_alpha() {
        assert_eq!(
            Color::parse("rgba(255,0,0,0.5)").unwrap().premultiplied(1.0),
            [128, 0, 0, 128]
        );
        assert_eq!(Color::parse("red").unwrap().premultiplied(0.0), [0; 4]);
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(300))]
        #[test]
        fn any_text_is_answered(text in "\\PC{0,40}") {
            let _ = Color::parse(&text);
        }

        #[test]
        fn odd_functions_are_answered(text in "(rgb|hsl|hwb)a?\\([-+0-9.e%, /a-z]{0,30}\\)?") {
            let _ = Color::parse(&text);
        }

        #[test]
        fn bytes_survive_serialisation(r: u8, g: u8, b: u8, a: u8) {
            let text = Color::from_rgba8(r, g, b, a).serialize();
            prop_assert_eq!(Color::parse(&text).unwrap().to_rgba8(), [r, g, b, a]);
        }
    }
}
