//! `TextDecoder`: every encoding of the web, with state between pieces.

use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding};
use rquickjs::{Ctx, Function, Object, Result, TypedArray};
use std::cell::RefCell;

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("encode", Function::new(ctx.clone(), super::buffer::encode_utf8)?)?;
    native.set(
        "encodingOf",
        Function::new(ctx.clone(), |label: String| {
            Encoding::for_label(label.as_bytes()).map(|encoding| encoding.name().to_lowercase())
        })?,
    )?;
    native.set("decoder", Function::new(ctx.clone(), decoder)?)?;
    Ok(native)
}

/// A function `(bytes, last, fatal)` that gives text, or nothing when the bytes are wrong and
/// `fatal`.
fn decoder<'js>(ctx: Ctx<'js>, label: String, keep_mark: bool) -> Result<Function<'js>> {
    let encoding = Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    let state = RefCell::new(if keep_mark {
        encoding.new_decoder_without_bom_handling()
    } else {
        encoding.new_decoder_with_bom_removal()
    });
    Function::new(ctx, move |bytes: TypedArray<'js, u8>, last: bool, fatal: bool| {
        super::with_bytes(&bytes, |bytes| {
            decode(&mut state.borrow_mut(), bytes, last, fatal)
        })
    })
}

fn decode(decoder: &mut Decoder, bytes: &[u8], last: bool, fatal: bool) -> Option<String> {
    if fatal {
        let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len())?;
        let mut text = String::with_capacity(room);
        return match decoder
            .decode_to_string_without_replacement(bytes, &mut text, last)
            .0
        {
            DecoderResult::InputEmpty => Some(text),
            DecoderResult::Malformed(..) | DecoderResult::OutputFull => None,
        };
    }
    let mut text = String::with_capacity(decoder.max_utf8_buffer_length(bytes.len())?);
    let (result, ..) = decoder.decode_to_string(bytes, &mut text, last);
    (result == CoderResult::InputEmpty).then_some(text)
}
