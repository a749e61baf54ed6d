//! `crypto`: random values now; the rest comes with the complete Node layer.

use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray};

/// Bytes of one request, as Web Crypto has it for `getRandomValues`.
const LIMIT: usize = 65_536;

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set(
        "randomUUID",
        Function::new(ctx.clone(), || uuid::Uuid::new_v4().to_string())?,
    )?;
    native.set("randomBytes", Function::new(ctx.clone(), random_bytes)?)?;
    Ok(native)
}

fn random_bytes<'js>(ctx: Ctx<'js>, size: usize) -> Result<TypedArray<'js, u8>> {
    if size > LIMIT {
        return Err(Exception::throw_range(
            &ctx,
            &format!("at most {LIMIT} bytes at a time"),
        ));
    }
    let mut bytes = vec![0; size];
    getrandom::fill(&mut bytes).map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
    TypedArray::new(ctx, bytes)
}
