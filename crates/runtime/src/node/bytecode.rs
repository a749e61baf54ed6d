//! The Node layer as bytecode (`build.rs`), read when it is first asked for. Sources are not here.

use rquickjs::{Ctx, Error, FromJs, Result, Value, qjs};

include!(concat!(env!("OUT_DIR"), "/layer.rs"));

/// The names of Node's modules, and those that are for the others alone.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(name, _)| *name)
}

/// The function around a module, or nothing.
pub(super) fn module<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Option<Value<'js>>> {
    find(MODULES, name).map(|code| evaluated(ctx, code)).transpose()
}

/// What one of our own scripts evaluates to.
pub(crate) fn script<'js, V: FromJs<'js>>(ctx: &Ctx<'js>, name: &str) -> Result<V> {
    let code = find(SCRIPTS, name).ok_or(Error::Unknown)?;
    V::from_js(ctx, evaluated(ctx, code)?)
}

fn find(table: &[(&str, &'static [u8])], name: &str) -> Option<&'static [u8]> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, code)| *code)
}

#[allow(unsafe_code, reason = "rquickjs reads modules alone")]
fn evaluated<'js>(ctx: &Ctx<'js>, code: &'static [u8]) -> Result<Value<'js>> {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the context is alive; the bytes were written by this very engine when it was built,
    // and no other bytes come here. Evaluating takes what was read.
    let value = unsafe {
        let function = qjs::JS_ReadObject(
            raw,
            code.as_ptr(),
            code.len() as _,
            qjs::JS_READ_OBJ_BYTECODE as _,
        );
        if qjs::JS_IsException(function) {
            return Err(Error::Exception);
        }
        let value = qjs::JS_EvalFunction(raw, function);
        if qjs::JS_IsException(value) {
            return Err(Error::Exception);
        }
        Value::from_raw(ctx.clone(), value)
    };
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::super::sources;

    #[test]
    fn every_source_has_its_bytecode_and_is_not_in_it() {
        for (sources, table) in [
            (sources::MODULES, super::MODULES),
            (sources::SCRIPTS, super::SCRIPTS),
        ] {
            assert_eq!(sources.len(), table.len());
            for ((name, text), (known, code)) in sources.iter().zip(table) {
                assert_eq!(name, known);
                // Strings of the code are in its bytecode; its first comment is not.
                let comment = text.lines().next().unwrap_or_default();
                if comment.starts_with("// ") {
                    assert!(memchr::memmem::find(code, comment.as_bytes()).is_none(), "{name}");
                }
            }
        }
    }
}
