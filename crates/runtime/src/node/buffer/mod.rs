//! Text encodings of `Buffer`, `TextEncoder` and `TextDecoder`.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::general_purpose};
use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray};

/// Node takes both alphabets, with padding or without, and bits that do not matter.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("encode", Function::new(ctx.clone(), encode)?)?;
    native.set("decode", Function::new(ctx.clone(), decode)?)?;
    native.set(
        "utf8Length",
        Function::new(ctx.clone(), |text: rquickjs::String<'js>| {
            Ok::<_, rquickjs::Error>(lossy(&text)?.len())
        })?,
    )?;
    native.set("isUtf8", Function::new(ctx.clone(), is_utf8)?)?;
    native.set("compare", Function::new(ctx.clone(), compare)?)?;
    native.set("indexOf", Function::new(ctx.clone(), index_of)?)?;
    Ok(native)
}

/// UTF-8 of a text.
pub(super) fn encode_utf8<'js>(ctx: Ctx<'js>, text: rquickjs::String<'js>) -> Result<TypedArray<'js, u8>> {
    TypedArray::new_copy(ctx, lossy(&text)?.into_bytes())
}

fn compare(a: TypedArray<'_, u8>, b: TypedArray<'_, u8>) -> i32 {
    super::with_bytes(&a, |a| super::with_bytes(&b, |b| a.cmp(b) as i32))
}

/// The place of `needle` at `from` or after it, or, backwards, before it; -1 for none.
fn index_of(hay: TypedArray<'_, u8>, needle: TypedArray<'_, u8>, from: usize, backwards: bool) -> f64 {
    super::with_bytes(&hay, |hay| {
        super::with_bytes(&needle, |needle| {
            let found = if backwards {
                let end = from.saturating_add(needle.len()).min(hay.len());
                memchr::memmem::rfind(&hay[..end], needle)
            } else {
                hay.get(from..)
                    .and_then(|hay| memchr::memmem::find(hay, needle))
                    .map(|at| at + from)
            };
            found.map_or(-1.0, |at| at as f64)
        })
    })
}

/// Text to bytes.
fn encode<'js>(ctx: Ctx<'js>, text: rquickjs::String<'js>, encoding: String) -> Result<TypedArray<'js, u8>> {
    let bytes = match encoding.as_str() {
        "utf8" => lossy(&text)?.into_bytes(),
        // As in Node, of wider characters only the low byte counts.
        "base64" | "base64url" => from_base64(units(&text)?.into_iter().map(|unit| unit as u8)),
        "hex" => from_hex(&units(&text)?),
        "latin1" => units(&text)?.into_iter().map(|unit| unit as u8).collect(),
        "utf16le" => units(&text)?.into_iter().flat_map(u16::to_le_bytes).collect(),
        other => return Err(unknown(&ctx, other)),
    };
    TypedArray::new_copy(ctx, bytes)
}

/// Bytes to text.
fn decode<'js>(ctx: Ctx<'js>, bytes: TypedArray<'js, u8>, encoding: String) -> Result<String> {
    super::with_bytes(&bytes, |bytes| text_of(bytes, &encoding)).ok_or_else(|| unknown(&ctx, &encoding))
}

fn text_of(bytes: &[u8], encoding: &str) -> Option<String> {
    Some(match encoding {
        "utf8" => String::from_utf8_lossy(bytes).into_owned(),
        "base64" => general_purpose::STANDARD.encode(bytes),
        "base64url" => general_purpose::URL_SAFE_NO_PAD.encode(bytes),
        "hex" => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        "latin1" => bytes.iter().map(|byte| char::from(*byte)).collect(),
        "ascii" => bytes.iter().map(|byte| char::from(byte & 0x7f)).collect(),
        "utf16le" => {
            let units: Vec<u16> = bytes
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            String::from_utf16_lossy(&units)
        }
        _ => return None,
    })
}

fn is_utf8(bytes: TypedArray<'_, u8>) -> bool {
    super::with_bytes(&bytes, |bytes| std::str::from_utf8(bytes).is_ok())
}

/// UTF-16 as JavaScript has it; a lone surrogate becomes U+FFFD in UTF-8.
fn lossy(text: &rquickjs::String<'_>) -> Result<String> {
    match text.to_string() {
        Ok(text) => Ok(text),
        Err(rquickjs::Error::Utf8(_)) => Ok(String::from_utf16_lossy(&units(text)?)),
        Err(error) => Err(error),
    }
}

fn units(text: &rquickjs::String<'_>) -> Result<Vec<u16>> {
    // QuickJS gives WTF-8: surrogates as three bytes each.
    let text = rquickjs::CString::from_string(text.clone())?;
    let mut units = Vec::new();
    let mut bytes = text.as_bytes();
    while let Some((unit, rest)) = next_code_point(bytes) {
        match char::from_u32(unit) {
            Some(char) => units.extend(char.encode_utf16(&mut [0; 2]).iter()),
            None => units.push(unit as u16),
        }
        bytes = rest;
    }
    Ok(units)
}

/// The next code point of WTF-8; malformed bytes are taken one by one.
fn next_code_point(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    let (length, bits) = match first {
        0xc0..=0xdf => (1, u32::from(first & 0x1f)),
        0xe0..=0xef => (2, u32::from(first & 0x0f)),
        0xf0..=0xf7 => (3, u32::from(first & 0x07)),
        _ => return Some((u32::from(first), rest)),
    };
    match rest.split_at_checked(length) {
        Some((tail, rest)) => Some((
            tail.iter()
                .fold(bits, |code, byte| (code << 6) | u32::from(byte & 0x3f)),
            rest,
        )),
        None => Some((u32::from(first), rest)),
    }
}

/// As Node: white space and foreign characters are skipped, `=` ends the text.
fn from_base64(text: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut clean: Vec<u8> = Vec::with_capacity(text.size_hint().0);
    for byte in text {
        match byte {
            b'=' => break,
            b'-' => clean.push(b'+'),
            b'_' => clean.push(b'/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => clean.push(byte),
            _ => {}
        }
    }
    // A single left-over character carries no byte.
    if clean.len() % 4 == 1 {
        clean.pop();
    }
    GeneralPurpose::new(&alphabet::STANDARD, LENIENT)
        .decode(clean)
        .unwrap_or_default()
}

/// As Node: stops at the first pair that is not hexadecimal.
fn from_hex(units: &[u16]) -> Vec<u8> {
    let digit = |unit: u16| char::from(unit as u8).to_digit(16);
    let pairs = units.chunks_exact(2);
    pairs
        .map_while(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8))
        .collect()
}

fn unknown(ctx: &Ctx<'_>, encoding: &str) -> rquickjs::Error {
    Exception::throw_type(ctx, &format!("Unknown encoding: {encoding}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_base64(text: &str) -> Vec<u8> {
        super::from_base64(text.bytes())
    }

    fn from_hex(text: &str) -> Vec<u8> {
        super::from_hex(&text.encode_utf16().collect::<Vec<_>>())
    }

    #[test]
    fn base64_and_hex_are_lenient_as_in_node() {
        assert_eq!(from_base64("aGk="), b"hi");
        assert_eq!(from_base64("aG k\n"), b"hi");
        assert_eq!(from_base64("_-8"), [0xff, 0xef]);
        assert_eq!(from_base64("aGkxx"), b"hi1");
        assert_eq!(from_base64("a"), b"");
        assert_eq!(from_hex("6869zz"), b"hi");
        assert_eq!(from_hex("686"), b"h");
    }
}
