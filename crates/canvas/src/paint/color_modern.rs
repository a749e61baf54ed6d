//! Colours of CSS Color 4 and 5 beyond the notations of sRGB: lab(), lch(), oklab(), oklch(),
//! color(), color-mix() and colours relative to others.
//!
//! Spaces, conversions and the plain notations are the `color` crate's. Deliberately not here:
//! `light-dark()`, which asks a page.

use super::color::Color;
use crate::css::{self, Kind, Meanings, Value};
use color::{ColorSpaceTag, DynamicColor, Flags, HueDirection};

/// How deep colours may stand in colours.
const DEPTH: usize = 16;

/// `None` for what is none of these notations.
pub(super) fn parse(text: &str) -> Option<DynamicColor> {
    nested(text, DEPTH)
}

/// As it is given back: six decimals are more than a picture can show.
pub(super) fn serialize(color: DynamicColor) -> String {
    let rounded = |v: f32| ((f64::from(v) * 1e6).round() / 1e6) as f32;
    let [a, b, mut c, alpha] = color.components;
    if matches!(color.cs, ColorSpaceTag::Lch | ColorSpaceTag::Oklch) {
        c = c.rem_euclid(360.0);
    }
    DynamicColor {
        components: [rounded(a), rounded(b), rounded(c), rounded(alpha).clamp(0.0, 1.0)],
        ..color
    }
    .to_string()
}

fn nested(text: &str, depth: usize) -> Option<DynamicColor> {
    let depth = depth.checked_sub(1)?;
    let lower = text.trim().to_ascii_lowercase();
    let (name, arguments) = lower.strip_suffix(')')?.split_once('(')?;
    let arguments = arguments.trim();
    if name == "color-mix" {
        return mix(arguments, depth);
    }
    if let Some(rest) = arguments
        .strip_prefix("from")
        .filter(|rest| rest.starts_with([' ', '\t', '\n']))
    {
        return relative(name, rest, depth);
    }
    match name {
        "lab" | "lch" | "oklab" | "oklch" | "color" => color::parse_color(&full_chroma(name, arguments)?)
            .ok()
            .filter(|color| !matches!(color.cs, ColorSpaceTag::Aces2065_1 | ColorSpaceTag::AcesCg)),
        _ => None,
    }
}

/// The whole notation again. The crate's 100 % of lch()'s chroma are 125, those of CSS are 150.
fn full_chroma(name: &str, arguments: &str) -> Option<String> {
    let mut words = split(arguments, ' ')?;
    if name == "lch"
        && let Some(chroma) = words.get_mut(1)
        && let Some(percent) = chroma.strip_suffix('%')
    {
        *chroma = (percent.parse::<f64>().ok()? * 1.5).to_string();
    }
    Some(format!("{name}({})", words.join(" ")))
}

/// Any colour, also one of the old notations.
fn any(text: &str, depth: usize) -> Option<DynamicColor> {
    nested(text, depth).or_else(|| Color::parse_plain(text).map(|color| color.dynamic()))
}

fn space(name: &str) -> Option<ColorSpaceTag> {
    use ColorSpaceTag as Tag;
    Some(match name {
        "srgb" => Tag::Srgb,
        "srgb-linear" => Tag::LinearSrgb,
        "display-p3" => Tag::DisplayP3,
        "a98-rgb" => Tag::A98Rgb,
        "prophoto-rgb" => Tag::ProphotoRgb,
        "rec2020" => Tag::Rec2020,
        "xyz" | "xyz-d65" => Tag::XyzD65,
        "xyz-d50" => Tag::XyzD50,
        "lab" => Tag::Lab,
        "oklab" => Tag::Oklab,
        "lch" => Tag::Lch,
        "oklch" => Tag::Oklch,
        "hsl" => Tag::Hsl,
        "hwb" => Tag::Hwb,
        _ => return None,
    })
}

/// `[in SPACE [HUE hue],] COLOUR [P%], COLOUR [P%]`
fn mix(arguments: &str, depth: usize) -> Option<DynamicColor> {
    let parts = split(arguments, ',')?;
    let (how, first, second) = match parts.as_slice() {
        [how, first, second] => (how.as_str(), first, second),
        [first, second] => ("in oklab", first, second),
        _ => return None,
    };
    let mut words = how.strip_prefix("in")?.split_ascii_whitespace();
    let space = space(words.next()?)?;
    let polar = matches!(
        space,
        ColorSpaceTag::Hsl | ColorSpaceTag::Hwb | ColorSpaceTag::Lch | ColorSpaceTag::Oklch
    );
    let direction = match (words.next(), words.next(), words.next()) {
        (None, None, None) => HueDirection::Shorter,
        (Some(way), Some("hue"), None) if polar => match way {
            "shorter" => HueDirection::Shorter,
            "longer" => HueDirection::Longer,
            "increasing" => HueDirection::Increasing,
            "decreasing" => HueDirection::Decreasing,
            _ => return None,
        },
        _ => return None,
    };
    let ((a, p), (b, q)) = (weighted(first, depth)?, weighted(second, depth)?);
    let (p, q) = match (p, q) {
        (None, None) => (50.0, 50.0),
        (Some(p), None) => (p, 100.0 - p),
        (None, Some(q)) => (100.0 - q, q),
        (Some(p), Some(q)) => (p, q),
    };
    let sum = p + q;
    // Nothing of either: halfway between them, and transparent.
    let at = if sum > 0.0 { q / sum } else { 0.5 };
    let mixed = a.interpolate(b, space, direction).eval(at as f32);
    let mixed = mixed.multiply_alpha((sum / 100.0).min(1.0) as f32);
    Some(match space {
        // What the old notations write is given back in their space.
        ColorSpaceTag::Hsl | ColorSpaceTag::Hwb => mixed.convert(ColorSpaceTag::Srgb),
        _ => mixed,
    })
}

/// A colour with a percentage before or behind it.
fn weighted(text: &str, depth: usize) -> Option<(DynamicColor, Option<f64>)> {
    let words = split(text, ' ')?;
    let percent = |word: &str| -> Option<f64> {
        let value: f64 = word.strip_suffix('%')?.parse().ok()?;
        (0.0..=100.0).contains(&value).then_some(value)
    };
    match words.as_slice() {
        [color] => Some((any(color, depth)?, None)),
        [color, share] if share.ends_with('%') => Some((any(color, depth)?, Some(percent(share)?))),
        [share, color] => Some((any(color, depth)?, Some(percent(share)?))),
        _ => None,
    }
}

/// What a notation calls its channels, what 100 % of each is, and where it lives. Of `rgb()` a
/// channel goes to 255 but the space's to 1.
fn channels(space: ColorSpaceTag) -> ([&'static str; 3], [f64; 3]) {
    use ColorSpaceTag as Tag;
    match space {
        Tag::Hsl => (["h", "s", "l"], [f64::NAN, 100.0, 100.0]),
        Tag::Hwb => (["h", "w", "b"], [f64::NAN, 100.0, 100.0]),
        Tag::Lab => (["l", "a", "b"], [100.0, 125.0, 125.0]),
        Tag::Oklab => (["l", "a", "b"], [1.0, 0.4, 0.4]),
        Tag::Lch => (["l", "c", "h"], [100.0, 150.0, f64::NAN]),
        Tag::Oklch => (["l", "c", "h"], [1.0, 0.4, f64::NAN]),
        Tag::XyzD50 | Tag::XyzD65 => (["x", "y", "z"], [1.0; 3]),
        _ => (["r", "g", "b"], [1.0; 3]),
    }
}

/// `NAME(from COLOUR A B C [/ ALPHA])`
fn relative(name: &str, rest: &str, depth: usize) -> Option<DynamicColor> {
    let mut words = split(rest, ' ')?;
    let origin = any(words.first()?, depth)?;
    words.remove(0);
    let (name, unit) = match name {
        "rgb" | "rgba" => ("srgb".to_owned(), 255.0),
        "hsl" | "hsla" => ("hsl".to_owned(), 1.0),
        "color" if !words.is_empty() => (words.remove(0), 1.0),
        name => (name.to_owned(), 1.0),
    };
    let space = space(&name)?;
    let origin = origin.convert(space);
    let (names, full) = channels(space);
    let [x, y, z, alpha] = origin.components.map(f64::from);
    let values = [
        (names[0], x * unit),
        (names[1], y * unit),
        (names[2], z * unit),
        ("alpha", alpha),
    ];
    let channel = |at: usize| -> Option<f64> {
        let value = number(words.get(at)?, &values, full[at] * unit)?;
        Some(value / unit)
    };
    let components = [channel(0)?, channel(1)?, channel(2)?];
    let alpha = match words.get(3..)? {
        [] => alpha,
        [slash, word] if slash == "/" => number(word, &values, 1.0)?.clamp(0.0, 1.0),
        _ => return None,
    };
    let made = DynamicColor {
        cs: space,
        flags: Flags::default(),
        components: [
            components[0] as f32,
            components[1] as f32,
            components[2] as f32,
            alpha as f32,
        ],
    };
    made.components
        .iter()
        .all(|v| v.is_finite())
        .then_some(match space {
            ColorSpaceTag::Hsl | ColorSpaceTag::Hwb => made.convert(ColorSpaceTag::Srgb),
            _ => made,
        })
}

type Values<'a> = [(&'a str, f64)];

/// What the words and units in a relative colour stand for.
struct Channel<'a> {
    values: &'a Values<'a>,
    full: f64,
}

impl Meanings for Channel<'_> {
    fn word(&self, word: &str) -> Option<f64> {
        let named = self.values.iter().find(|(name, _)| *name == word);
        named.map(|(_, value)| *value).or((word == "none").then_some(0.0))
    }

    fn unit(&self, unit: &str) -> Option<Value> {
        let factor = match unit {
            "" => 1.0,
            "%" => self.full / 100.0,
            unit => css::degrees(unit)?,
        };
        Some((factor, Kind::Number))
    }
}

/// A number, a percentage of `full`, a channel's name, `none`, or a math function of them.
fn number(text: &str, values: &Values, full: f64) -> Option<f64> {
    css::evaluate(text, &Channel { values, full }).map(|(value, _)| value)
}

/// Parts between separators that stand in no parentheses; around a slash there is space.
fn split(text: &str, separator: char) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut open = 0usize;
    for c in text.chars() {
        match c {
            '(' => open += 1,
            ')' => open = open.checked_sub(1)?,
            _ => {}
        }
        let space = c.is_ascii_whitespace();
        let last = parts.last_mut()?;
        if open == 0 && (c == separator || (separator == ' ' && space)) {
            parts.push(String::new());
        } else if open == 0 && separator == ' ' && c == '/' {
            parts.extend(["/".to_owned(), String::new()]);
        } else {
            last.push(if space { ' ' } else { c });
        }
    }
    let parts = parts.iter().map(|part| part.trim().to_owned());
    Some(match separator {
        ' ' => parts.filter(|part| !part.is_empty()).collect(),
        _ => parts.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn given_back(css: &str) -> String {
        Color::parse(css).map_or_else(|| "none".to_owned(), |color| color.serialize())
    }

    #[test]
    fn notations_beyond_srgb_keep_their_space() {
        for (css, back) in [
            ("color(srgb 0 1 0)", "color(srgb 0 1 0)"),
            (
                "COLOR(display-p3 100% 0 0 / 50%)",
                "color(display-p3 1 0 0 / 0.5)",
            ),
            ("lab(50% 40 -20)", "lab(50 40 -20)"),
            ("oklch(0.7 0.1 200deg)", "oklch(0.7 0.1 200)"),
            ("lch(50% 30% 120deg)", "lch(50 45 120)"),
            ("lch(50 30 -90 / 50%)", "lch(50 30 270 / 0.5)"),
            ("color(srgb calc(1 / 4) 0 0)", "color(srgb 0.25 0 0)"),
            ("color-mix(in srgb, red 0%, blue 0%)", "color(srgb 0.5 0 0.5 / 0)"),
            (
                "color-mix(in srgb, rgb(calc(200 + 55) 0 0), calc(20% + 30%) blue)",
                "color(srgb 0.5 0 0.5)",
            ),
            (
                "rgb(from red min(r, 51) max(g, 25.5 * 2) calc(b + pow(2, 0) * 255))",
                "color(srgb 0.2 0.2 1)",
            ),
            ("rgb(from red g r b)", "color(srgb 0 1 0)"),
            (
                "color(from color(srgb 0.25 0.5 0.75 / 0.5) srgb r g b / alpha)",
                "color(srgb 0.25 0.5 0.75 / 0.5)",
            ),
            (
                "rgb(from #804020 calc(r / 2) calc(g + 10%) 0)",
                "color(srgb 0.25098 0.35098 0)",
            ),
            ("hsl(from red calc(h + 120) s l)", "color(srgb 0 1 0)"),
            ("color-mix(in srgb, #0f0, #00f)", "color(srgb 0 0.5 0.5)"),
            ("color-mix(in srgb, red 25%, blue)", "color(srgb 0.25 0 0.75)"),
            (
                "color-mix(in srgb, red 20%, blue 30%)",
                "color(srgb 0.4 0 0.6 / 0.5)",
            ),
            (
                "color-mix(in hsl longer hue, hsl(0 100% 50%), hsl(120 100% 50%))",
                "color(srgb 0 0 1)",
            ),
        ] {
            assert_eq!(given_back(css), back, "{css}");
        }
    }

    #[test]
    fn what_is_not_a_colour_stays_none() {
        for css in [
            "color(srgb 0 1)",
            "color(--acescg 0 1 0)",
            "color-mix(in srgb, red)",
            "color-mix(in srgb longer hue, red, blue)",
            "color-mix(in srgb, red, blue, lime)",
            "rgb(from red g r)",
            "rgb(from red g r x)",
            "rgb(from red g r b / )",
            "lab(50% 40 -20",
            "rgb(from red calc(r +) g b)",
        ] {
            assert_eq!(given_back(css), "none", "{css}");
        }
        let deep = "rgb(from ".repeat(500) + "red" + &" r g b)".repeat(500);
        assert_eq!(given_back(&deep), "none");
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(500))]
        #[test]
        fn no_text_breaks_the_parser(text in "(color-mix|rgb|color|lab|hsl)\\((in srgb|from| red|,|calc\\(|\\)|[a-z]|[0-9]|%|/| |-|\\.|é){0,14}\\)") {
            if let Some(color) = Color::parse(&text) {
                // What is given back is a colour again, and paints the same.
                let again = Color::parse(&color.serialize());
                prop_assert!(again.is_some(), "{text} -> {}", color.serialize());
            }
        }
    }
}
