//! The notations that scripts make by the thousand, `#rrggbb` and `rgba(r, g, b, a)` of plain decimals, read
//! where they stand. Whatever is written otherwise is `color`'s.

/// Channels 0..=255 and alpha 0..=1.
pub(super) fn parse(css: &str) -> Option<[f32; 4]> {
    match css.as_bytes() {
        [b'#', digits @ ..] => hex(digits),
        [b'r', b'g', b'b', b'a', b'(', rest @ ..] | [b'r', b'g', b'b', b'(', rest @ ..] => listed(rest),
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<[f32; 4]> {
    let digit = |i: usize| (digits[i] as char).to_digit(16);
    let channel = |i: usize| match digits.len() {
        3 => digit(i).map(|v| v * 17),
        6 => Some(digit(2 * i)? * 16 + digit(2 * i + 1)?),
        _ => None,
    };
    let [r, g, b] = [channel(0)?, channel(1)?, channel(2)?];
    Some([r as f32, g as f32, b as f32, 1.0])
}

/// `r, g, b)` or `r, g, b, a)`.
fn listed(mut text: &[u8]) -> Option<[f32; 4]> {
    let mut values = [0.0, 0.0, 0.0, 1.0];
    for count in 1..=4 {
        let (value, rest) = decimal(spaces(text))?;
        values[count - 1] = value;
        match (spaces(rest), count) {
            ([b')'], 3 | 4) => {
                let [r, g, b, alpha] = values;
                let [r, g, b] = [r, g, b].map(|v| v.min(255.0).round() as f32);
                return Some([r, g, b, alpha.min(1.0) as f32]);
            }
            ([b',', rest @ ..], _) => text = rest,
            _ => return None,
        }
    }
    None
}

fn spaces(text: &[u8]) -> &[u8] {
    let first = text.iter().position(|b| *b != b' ').unwrap_or(text.len());
    &text[first..]
}

/// A number without sign and exponent, and what stands behind it.
fn decimal(text: &[u8]) -> Option<(f64, &[u8])> {
    // So many digits are a whole number exactly, and their division by a power of ten is rounded once.
    const MOST: usize = 15;
    const TENS: [f64; MOST + 1] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let (mut digits, mut count, mut point) = (0u64, 0, None);
    let mut end = text.len();
    for (i, byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                count += 1;
                if count > MOST {
                    return None;
                }
            }
            b'.' if point.is_none() => point = Some(count),
            _ => {
                end = i;
                break;
            }
        }
    }
    // A point stands before digits.
    let behind = count - point.unwrap_or(count);
    (count > 0 && (point.is_none() || behind > 0)).then(|| (digits as f64 / TENS[behind], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::super::Color;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_otherwise_is_left_alone() {
        for css in [
            "",
            "#",
            "#1",
            "#12345",
            "#ggg",
            "#\u{e9}1",
            "#1234",
            "red",
            "rgb",
            "rgb(",
            "rgb()",
            "rgb(1,2)",
            "rgb(1,2,3",
            "rgb(1,2,3)x",
            "rgb(1 2 3)",
            "rgb(1,2,3,4,5)",
            "rgb(-1,2,3)",
            "rgb(1.,2,3)",
            "rgb(1e2,2,3)",
            "rgb(1%,2%,3%)",
            "rgb(1234567890123456,2,3)",
            " rgb(1,2,3)",
            "RGB(1,2,3)",
            "rgb(.,2,3)",
            "rgb(1.2.3,2,3)",
            "rgb(\t1,2,3)",
        ] {
            assert_eq!(parse(css), None, "{css}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(300))]
        #[test]
        fn it_says_what_the_long_way_says(
            css in "(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}))|(rgba?\\( ?([0-9]{1,3}|[0-9]{0,3}\\.[0-9]{1,4}) ?(, ?[0-9]{1,3}){2}(, ?[0-9]?\\.[0-9]{1,12})?\\))"
        ) {
            let quick = parse(&css).expect("a plain one");
            let long = Color::parse_plain(&css).expect("a colour");
            prop_assert_eq!(Color::of_channels(quick), long);
        }
    }
}
