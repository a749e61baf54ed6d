//! Filter functions as text (Filter Effects 1, 5 and 9): each becomes a step of its own.

use super::{Filter, Filters};
use crate::blur::MAX_SIGMA;
use crate::css::{self, Basis};
use crate::paint::Color;
use crate::text::Length;

/// What CSS takes a font size for where there is no element: that of the context's default font.
const FONT_SIZE: f64 = 10.0;

impl Filters {
    /// `None` for what is no list of filter functions.
    pub fn parse(css: &str) -> Option<Filters> {
        let text = css.trim();
        if text.eq_ignore_ascii_case("none") {
            return Some(Filters::default());
        }
        let basis = Basis {
            em: Some(FONT_SIZE),
            percent: None,
        };
        let list = functions(text).or_else(|| functions(css::folded(text, basis)?.trim()))?;
        Some(Filters {
            text: text.to_owned(),
            list,
        })
    }
}

fn functions(text: &str) -> Option<Vec<Filter>> {
    let mut list = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let open = rest.find('(')?;
        let close = closing(rest, open)?;
        list.push(function(
            &rest[..open].to_ascii_lowercase(),
            rest[open + 1..close].trim(),
        )?);
        rest = rest[close + 1..].trim_start();
    }
    (!list.is_empty()).then_some(list)
}

/// The parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn function(name: &str, argument: &str) -> Option<Filter> {
    let amount = || amount(argument);
    let part = || amount().map(|v| v.min(1.0));
    let colors = |rows| Some(Filter::Colors { rows, alpha: 1.0 });
    match name {
        "blur" => {
            let sigma = if argument.is_empty() {
                0.0
            } else {
                pixels(argument).filter(|v| *v >= 0.0)?
            };
            Some(Filter::Blur([sigma.min(MAX_SIGMA); 2]))
        }
        "drop-shadow" => drop_shadow(argument),
        "brightness" => colors(scaled(amount()?, 0.0)),
        "contrast" => amount().and_then(|v| colors(scaled(v, 0.5 - 0.5 * v))),
        "invert" => part().and_then(|v| colors(scaled(1.0 - 2.0 * v, v))),
        "opacity" => Some(Filter::Colors {
            rows: scaled(1.0, 0.0),
            alpha: part()?,
        }),
        "grayscale" => part().and_then(|v| colors(saturated(1.0 - v))),
        "saturate" => amount().and_then(|v| colors(saturated(v))),
        "sepia" => part().and_then(|v| colors(toned(v))),
        "hue-rotate" => colors(turned(angle(argument)?)),
        _ => None,
    }
}

/// A number or a percentage that is not negative; nothing is one.
fn amount(text: &str) -> Option<f32> {
    if text.is_empty() {
        return Some(1.0);
    }
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let value = number.parse::<f32>().ok()? / whole;
    (value >= 0.0 && value.is_finite()).then_some(value)
}

fn pixels(text: &str) -> Option<f64> {
    Length::parse(text).map(|length| length.pixels(FONT_SIZE))
}

/// In radians.
fn angle(text: &str) -> Option<f32> {
    if text.is_empty() || text == "0" {
        return Some(0.0);
    }
    // The longer name first: `grad` ends with `rad`.
    let units = [
        ("deg", 1f32.to_radians()),
        ("grad", 0.9f32.to_radians()),
        ("rad", 1.0),
        ("turn", std::f32::consts::TAU),
    ];
    let (number, unit) = units
        .iter()
        .find_map(|(unit, radians)| Some((text.strip_suffix(unit)?, radians)))?;
    let value = number.parse::<f32>().ok()? * unit;
    value.is_finite().then_some(value)
}

/// `[COLOUR] X Y [BLUR] [COLOUR]`
fn drop_shadow(argument: &str) -> Option<Filter> {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = argument;
    while !rest.is_empty() {
        let end = match (rest.find(char::is_whitespace), rest.find('(')) {
            // A function goes to its own end, with the spaces inside.
            (space, Some(open)) if space.is_none_or(|space| open < space) => closing(rest, open)? + 1,
            (space, _) => space.unwrap_or(rest.len()),
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    let is_length = |word: &&str| pixels(word).is_some();
    let color = match (words.first(), words.last()) {
        (Some(first), _) if !is_length(first) => Some(words.remove(0)),
        (_, Some(last)) if !is_length(last) => words.pop(),
        _ => None,
    };
    let color = color.map_or(Some(Color::BLACK), Color::parse)?;
    let lengths: Vec<f64> = words.iter().map(|word| pixels(word)).collect::<Option<_>>()?;
    let (x, y, sigma) = match lengths[..] {
        [x, y] => (x, y, 0.0),
        [x, y, sigma] if sigma >= 0.0 => (x, y, sigma),
        _ => return None,
    };
    Some(Filter::DropShadow {
        x,
        y,
        sigma: [sigma.min(MAX_SIGMA); 2],
        color,
    })
}

/// Every channel times a factor, and something added.
fn scaled(factor: f32, added: f32) -> [[f32; 4]; 3] {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| match column {
            3 => added,
            column if column == row => factor,
            _ => 0.0,
        })
    })
}

/// The matrix of feColorMatrix "saturate".
fn saturated(s: f32) -> [[f32; 4]; 3] {
    [
        [0.213 + 0.787 * s, 0.715 - 0.715 * s, 0.072 - 0.072 * s, 0.0],
        [0.213 - 0.213 * s, 0.715 + 0.285 * s, 0.072 - 0.072 * s, 0.0],
        [0.213 - 0.213 * s, 0.715 - 0.715 * s, 0.072 + 0.928 * s, 0.0],
    ]
}

/// The matrix of "sepia" (Filter Effects 1, 9.3).
fn toned(amount: f32) -> [[f32; 4]; 3] {
    let rest = 1.0 - amount;
    [
        [
            0.393 + 0.607 * rest,
            0.769 - 0.769 * rest,
            0.189 - 0.189 * rest,
            0.0,
        ],
        [
            0.349 - 0.349 * rest,
            0.686 + 0.314 * rest,
            0.168 - 0.168 * rest,
            0.0,
        ],
        [
            0.272 - 0.272 * rest,
            0.534 - 0.534 * rest,
            0.131 + 0.869 * rest,
            0.0,
        ],
    ]
}

/// The matrix of feColorMatrix "hueRotate".
fn turned(radians: f32) -> [[f32; 4]; 3] {
    let (sin, cos) = radians.sin_cos();
    let part = |base: f32, c: f32, s: f32| base + c * cos + s * sin;
    [
        [
            part(0.213, 0.787, -0.213),
            part(0.715, -0.715, -0.715),
            part(0.072, -0.072, 0.928),
            0.0,
        ],
        [
            part(0.213, -0.213, 0.143),
            part(0.715, 0.285, 0.140),
            part(0.072, -0.072, -0.283),
            0.0,
        ],
        [
            part(0.213, -0.213, -0.787),
            part(0.715, -0.715, 0.715),
            part(0.072, 0.928, 0.072),
            0.0,
        ],
    ]
}
