//! What a certificate says, for people who ask: names, dates, numbers. Nothing is decided by it but
//! whether a certificate that was named as trusted is still valid.

use rquickjs::{Array, Ctx, Object, Result, TypedArray};
use std::time::{SystemTime, UNIX_EPOCH};

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const OBJECT: u8 = 0x06;
const UTC_TIME: u8 = 0x17;

pub(super) struct Certificate {
    pub(super) subject: Vec<(String, String)>,
    pub(super) issuer: Vec<(String, String)>,
    /// Seconds since 1970, from and to.
    pub(super) valid: (i64, i64),
    serial: String,
    pub(super) alternative_names: String,
    is_ca: bool,
}

pub(super) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}

/// The next value of DER: its tag, its content, and what follows.
fn next(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = bytes.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = digits
                .iter()
                .fold(0_usize, |sum, digit| (sum << 8) | usize::from(*digit));
            (length, rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

fn all(mut bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (tag, content, rest) = next(bytes)?;
        bytes = rest;
        Some((tag, content))
    })
}

impl Certificate {
    pub(super) fn parse(der: &[u8]) -> Option<Self> {
        let (SEQUENCE, whole, _) = next(der)? else {
            return None;
        };
        let (SEQUENCE, body, _) = next(whole)? else {
            return None;
        };
        let mut parts = all(body).skip_while(|(tag, _)| *tag == 0xa0);
        let (INTEGER, serial) = parts.next()? else {
            return None;
        };
        let issuer = names(parts.nth(1)?.1);
        let mut times = all(parts.next()?.1).map(|(tag, text)| time(tag, text));
        let valid = (times.next()??, times.next()??);
        let subject = names(parts.next()?.1);
        let extensions = parts.find(|(tag, _)| *tag == 0xa3).and_then(|(_, all)| next(all));
        let mut alternative_names = String::new();
        let mut is_ca = false;
        for (_, extension) in extensions.iter().flat_map(|(_, list, _)| all(list)) {
            let mut parts = all(extension);
            let (Some((OBJECT, id)), Some((_, value))) = (parts.next(), parts.last()) else {
                continue;
            };
            match id {
                [0x55, 0x1d, 0x11] => alternative_names = alternatives(value),
                [0x55, 0x1d, 0x13] => {
                    is_ca = next(value).is_some_and(|(_, inner, _)| inner.starts_with(&[1, 1, 0xff]));
                }
                _ => {}
            }
        }
        let serial = serial.strip_prefix(&[0]).unwrap_or(serial);
        Some(Certificate {
            subject,
            issuer,
            valid,
            serial: serial.iter().map(|byte| format!("{byte:02X}")).collect(),
            alternative_names,
            is_ca,
        })
    }
}

fn names(name: &[u8]) -> Vec<(String, String)> {
    let pair = |attribute: &[u8]| {
        let mut parts = all(attribute);
        let (_, id) = parts.next()?;
        let (tag, value) = parts.next()?;
        let key = match id {
            [0x55, 4, 3] => "CN",
            [0x55, 4, 6] => "C",
            [0x55, 4, 7] => "L",
            [0x55, 4, 8] => "ST",
            [0x55, 4, 10] => "O",
            [0x55, 4, 11] => "OU",
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1] => "emailAddress",
            _ => return None,
        };
        let text = match tag {
            0x1e => {
                let units = value
                    .chunks_exact(2)
                    .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
                String::from_utf16_lossy(&units.collect::<Vec<_>>())
            }
            _ => String::from_utf8_lossy(value).into_owned(),
        };
        Some((key.to_owned(), text))
    };
    all(name)
        .flat_map(|(_, set)| all(set))
        .filter_map(|(_, attribute)| pair(attribute))
        .collect()
}

fn alternatives(value: &[u8]) -> String {
    let Some((_, list, _)) = next(value) else {
        return String::new();
    };
    let shown = all(list).filter_map(|(tag, name)| {
        let text = || String::from_utf8_lossy(name).into_owned();
        Some(match tag {
            0x81 => format!("email:{}", text()),
            0x82 => format!("DNS:{}", text()),
            0x86 => format!("URI:{}", text()),
            0x87 => match (<[u8; 4]>::try_from(name), <[u8; 16]>::try_from(name)) {
                (Ok(four), _) => format!("IP Address:{}", std::net::Ipv4Addr::from(four)),
                (_, Ok(sixteen)) => format!("IP Address:{}", std::net::Ipv6Addr::from(sixteen)),
                _ => return None,
            },
            _ => return None,
        })
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// `YYMMDDhhmmssZ` or `YYYYMMDDhhmmssZ`.
fn time(tag: u8, text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (year, rest) = text.split_at_checked(if tag == UTC_TIME { 2 } else { 4 })?;
    let year: i64 = year.parse().ok()?;
    let year = match (tag, year) {
        (UTC_TIME, 0..=49) => 2000 + year,
        (UTC_TIME, _) => 1900 + year,
        _ => year,
    };
    let part = |at: usize| rest.get(at..at + 2).and_then(|digits| digits.parse::<i64>().ok());
    let (month, day) = (part(0)?, part(2)?);
    // Days of the civil calendar: years begin in March, so that the leap day is their last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + part(4)?) * 60 + part(6)?) * 60 + part(8)?)
}

/// `{subject, issuer, from, to, serialNumber, names, ca, raw}`; times in milliseconds.
pub(super) fn view<'js>(ctx: Ctx<'js>, der: TypedArray<'js, u8>) -> Result<Option<Object<'js>>> {
    let Some(parsed) = super::super::with_bytes(&der, Certificate::parse) else {
        return Ok(None);
    };
    let view = Object::new(ctx.clone())?;
    for (name, pairs) in [("subject", &parsed.subject), ("issuer", &parsed.issuer)] {
        let list = Array::new(ctx.clone())?;
        for (at, (key, value)) in pairs.iter().enumerate() {
            list.set(at, vec![key.as_str(), value.as_str()])?;
        }
        view.set(name, list)?;
    }
    view.set("from", parsed.valid.0 as f64 * 1000.0)?;
    view.set("to", parsed.valid.1 as f64 * 1000.0)?;
    view.set("serialNumber", parsed.serial)?;
    view.set("names", parsed.alternative_names)?;
    view.set("ca", parsed.is_ca)?;
    view.set("raw", der)?;
    Ok(Some(view))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_seconds() {
        for (tag, text, wanted) in [
            (UTC_TIME, "700101000000Z", 0),
            (UTC_TIME, "000229120000Z", 951_825_600),
            (0x18, "20501231235959Z", 2_556_143_999),
            (0x18, "19991231235959Z", 946_684_799),
        ] {
            assert_eq!(time(tag, text.as_bytes()), Some(wanted), "{text}");
        }
        assert_eq!(time(UTC_TIME, b"7001010000"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn rubbish_is_no_certificate(bytes in proptest::collection::vec(any::<u8>(), 0..200), head in any::<bool>()) {
            let mut bytes = bytes;
            if head {
                bytes.splice(0..0, [0x30, 0x81, 0xc0, 0x30, 0x81, 0xb0, 2, 1, 1, 0x30, 0]);
            }
            let _ = Certificate::parse(&bytes);
        }
    }
}
