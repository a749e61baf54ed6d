//! `Intl`: what is not worth doing in JavaScript, or cannot be done there. Order and boundaries of
//! text and canonical tags are ICU4X's; offsets are the time zone database's; the rest of CLDR is in
//! `cldr.pack` (made by `vendor/intl/build.mjs`), of which a piece is unpacked when it is asked for.
//!
//! Absent on purpose: patterns of numbers and dates, which ICU4X has no steady interface for; they
//! are in the JavaScript half.

mod cuts;
mod order;
mod zone;

use crate::guest::State;
use icu_locale::{Locale, LocaleCanonicalizer, LocaleExpander};
use rquickjs::{Ctx, Exception, Function, Object, Result};
use std::io::Read;
use std::rc::Rc;

static PACK: &[u8] = include_bytes!("cldr.pack");
const MAGIC: &[u8] = b"PMCLDR01";

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("language", language(&state.env))?;
    native.set("index", Function::new(ctx.clone(), index)?)?;
    native.set("piece", Function::new(ctx.clone(), piece)?)?;
    native.set("canonical", Function::new(ctx.clone(), canonical)?)?;
    native.set(
        "maximized",
        Function::new(ctx.clone(), |tag: String| {
            likely(&tag, |expander, locale| expander.maximize(&mut locale.id))
        })?,
    )?;
    native.set(
        "minimized",
        Function::new(ctx.clone(), |tag: String| {
            likely(&tag, |expander, locale| expander.minimize(&mut locale.id))
        })?,
    )?;
    native.set("systemZone", Function::new(ctx.clone(), zone::system)?)?;
    native.set("zoneOf", Function::new(ctx.clone(), zone::named)?)?;
    native.set("offset", Function::new(ctx.clone(), zone::offset)?)?;
    native.set("collator", Function::new(ctx.clone(), order::collator)?)?;
    cuts::define(ctx, &native, state)?;
    Ok(native)
}

/// The language that the environment asks for, as it is written there.
fn language(env: &[(String, String)]) -> String {
    let of = |name| env.iter().find(|(key, value)| key == name && !value.is_empty());
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(of)
        .map_or_else(String::new, |(_, value)| value.clone())
}

/// Where the index ends and the pieces begin.
fn layout() -> Option<(&'static [u8], &'static [u8])> {
    let (length, rest) = PACK.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

fn unpacked(ctx: &Ctx<'_>, bytes: Option<&[u8]>) -> Result<String> {
    let mut text = String::new();
    let read = bytes.map(|bytes| brotli::Decompressor::new(bytes, 4096).read_to_string(&mut text));
    match read {
        Some(Ok(_)) => Ok(text),
        _ => Err(Exception::throw_internal(ctx, "no such piece of CLDR")),
    }
}

fn index(ctx: Ctx<'_>) -> Result<String> {
    unpacked(&ctx, layout().map(|(index, _)| index))
}

fn piece(ctx: Ctx<'_>, offset: usize, length: usize) -> Result<String> {
    let end = offset.checked_add(length);
    let bytes = layout().and_then(|(_, pieces)| pieces.get(offset..end?));
    unpacked(&ctx, bytes)
}

/// The tag in its canonical form, or nothing where it is no tag.
fn canonical(tag: String) -> Option<String> {
    let mut locale = Locale::try_from_str(&tag).ok()?;
    LocaleCanonicalizer::new_extended().canonicalize(&mut locale);
    Some(locale.to_string())
}

fn likely<R>(tag: &str, work: impl FnOnce(&LocaleExpander, &mut Locale) -> R) -> String {
    let Ok(mut locale) = Locale::try_from_str(tag) else {
        return tag.to_owned();
    };
    work(&LocaleExpander::new_extended(), &mut locale);
    locale.to_string()
}

#[cfg(test)]
mod tests {
    use super::{PACK, canonical, layout};
    use sha2::{Digest, Sha256};

    #[test]
    fn the_pack_is_of_the_packages_that_are_locked() {
        let mut hash = Sha256::new();
        hash.update(include_str!("../../../vendor/intl/package-lock.json"));
        hash.update(include_str!("../../../vendor/intl/build.mjs"));
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let built = include_str!("SOURCE.sha256").trim();
        assert_eq!(
            built, hash,
            "run npm ci and node build.mjs in crates/runtime/vendor/intl"
        );
    }

    #[test]
    fn the_pack_has_an_index_and_pieces() {
        let (index, pieces) = layout().expect("as the pack is laid out");
        assert_eq!(index.len() + pieces.len() + 12, PACK.len());
    }

    #[test]
    fn tags_are_made_canonical() {
        assert_eq!(canonical("EN-us".into()).as_deref(), Some("en-US"));
        assert_eq!(canonical("iw".into()).as_deref(), Some("he"));
        assert_eq!(
            canonical("zh-hans-cn-U-NU-hanidec".into()).as_deref(),
            Some("zh-Hans-CN-u-nu-hanidec")
        );
        assert_eq!(canonical("i".into()), None);
    }
}
