//! HTTP/1 messages out of bytes, a part at a time, as strictly as Node reads them. JavaScript gets
//! what was found as a flat list; bodies as places in the bytes that it gave.

mod framing;
mod parser;

use parser::{Found, Head, Kind, Parser};
use rquickjs::{Array, Ctx, Exception, Function, Object, Result, TypedArray};
use std::cell::RefCell;
use std::rc::Rc;

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("parser", Function::new(ctx.clone(), parser)?)?;
    Ok(native)
}

/// `kind`: what comes, `request` or `response`; `limit`: bytes of a head.
fn parser<'js>(ctx: Ctx<'js>, kind: String, limit: usize) -> Result<Object<'js>> {
    let kind = match kind.as_str() {
        "request" => Kind::Request,
        "response" => Kind::Response,
        other => return Err(Exception::throw_type(&ctx, other)),
    };
    let parser = Rc::new(RefCell::new(Parser::new(kind, limit)));
    let object = Object::new(ctx.clone())?;
    let own = parser.clone();
    // `[consumed, what, …]`; it stops behind a message.
    let execute = move |ctx: Ctx<'js>, bytes: TypedArray<'js, u8>, from: usize| {
        let mut found = Vec::new();
        let consumed = super::with_bytes(&bytes, |bytes| {
            let rest = bytes.get(from..).unwrap_or_default();
            own.borrow_mut().execute(rest, &mut found)
        });
        list(&ctx, from + consumed, from, found)
    };
    object.set("execute", Function::new(ctx.clone(), execute)?)?;
    let own = parser.clone();
    let finish = move |ctx: Ctx<'js>| {
        let mut found = Vec::new();
        own.borrow_mut().finish(&mut found);
        list(&ctx, 0, 0, found)
    };
    object.set("finish", Function::new(ctx.clone(), finish)?)?;
    let own = parser.clone();
    // Of the request that is answered: its answer has no body; it asks for a tunnel.
    let expect = move |head: bool, connect: bool| own.borrow_mut().expect(head, connect);
    object.set("expect", Function::new(ctx.clone(), expect)?)?;
    let upgrades = move |on: bool| parser.borrow_mut().set_upgrades(on);
    object.set("upgrades", Function::new(ctx, upgrades)?)?;
    Ok(object)
}

/// `0, head` · `1, start, end` of a part of the body · `2, trailers` at the end of a message ·
/// `3` where other bytes than HTTP follow · `4, code, reason`.
fn list<'js>(ctx: &Ctx<'js>, consumed: usize, base: usize, found: Vec<Found>) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    list.set(0, consumed)?;
    let mut at = 1;
    let mut push = |value: rquickjs::Value<'js>| {
        at += 1;
        list.set(at - 1, value)
    };
    let number = |number: usize| rquickjs::Value::new_number(ctx.clone(), number as f64);
    for one in found {
        match one {
            Found::Head(head) => {
                push(number(0))?;
                push(object(ctx, *head)?.into_value())?;
            }
            Found::Body(range) => {
                push(number(1))?;
                push(number(base + range.start))?;
                push(number(base + range.end))?;
            }
            Found::Complete(trailers) => {
                push(number(2))?;
                push(strings(ctx, trailers)?.into_value())?;
            }
            Found::Upgrade => push(number(3))?,
            Found::Failed(failure) => {
                push(number(4))?;
                push(rquickjs::String::from_str(ctx.clone(), failure.code)?.into_value())?;
                push(rquickjs::String::from_str(ctx.clone(), failure.reason)?.into_value())?;
            }
        }
    }
    Ok(list)
}

fn object<'js>(ctx: &Ctx<'js>, head: Head) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("minor", head.minor)?;
    object.set("method", head.method)?;
    object.set("url", head.url)?;
    object.set("status", head.status)?;
    object.set("reason", head.reason)?;
    object.set("raw", strings(ctx, head.headers)?)?;
    object.set("keepAlive", head.keep_alive)?;
    object.set("upgrade", head.upgrade)?;
    Ok(object)
}

/// Names and values by turns, as `rawHeaders` has them.
fn strings<'js>(ctx: &Ctx<'js>, pairs: Vec<(String, String)>) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (at, (name, value)) in pairs.into_iter().enumerate() {
        list.set(2 * at, name)?;
        list.set(2 * at + 1, value)?;
    }
    Ok(list)
}
