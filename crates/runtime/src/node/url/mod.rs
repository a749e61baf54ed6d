//! `URL` by the `url` crate, which follows the standard.

use rquickjs::{Ctx, Function, Object, Result};
use url::{Url, quirks};

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set(
        "parse",
        Function::new(ctx.clone(), |input: String, base: Option<String>| {
            parse(&input, base.as_deref()).map(|url| parts(&url))
        })?,
    )?;
    native.set(
        "change",
        Function::new(ctx.clone(), |href: String, part: String, value: String| {
            change(&href, &part, &value).map(|url| parts(&url))
        })?,
    )?;
    native.set(
        "toAscii",
        Function::new(ctx.clone(), |domain: String| quirks::domain_to_ascii(&domain))?,
    )?;
    native.set(
        "toUnicode",
        Function::new(ctx.clone(), |domain: String| quirks::domain_to_unicode(&domain))?,
    )?;
    Ok(native)
}

fn parse(input: &str, base: Option<&str>) -> Option<Url> {
    let base = match base {
        Some(base) => Some(Url::parse(base).ok()?),
        None => None,
    };
    Url::options().base_url(base.as_ref()).parse(input).ok()
}

/// In the order that url.js reads them.
fn parts(url: &Url) -> Vec<String> {
    let of: [fn(&Url) -> &str; 9] = [
        quirks::href,
        quirks::protocol,
        quirks::username,
        quirks::password,
        quirks::host,
        quirks::hostname,
        quirks::port,
        quirks::pathname,
        quirks::search,
    ];
    let mut parts: Vec<String> = of.iter().map(|part| part(url).to_owned()).collect();
    parts.push(quirks::hash(url).to_owned());
    parts.push(quirks::origin(url));
    parts
}

/// Setters of the standard ignore what they cannot take.
fn change(href: &str, part: &str, value: &str) -> Option<Url> {
    let mut url = Url::parse(href).ok()?;
    match part {
        "protocol" => drop(quirks::set_protocol(&mut url, value)),
        "username" => drop(quirks::set_username(&mut url, value)),
        "password" => drop(quirks::set_password(&mut url, value)),
        "host" => drop(quirks::set_host(&mut url, value)),
        "hostname" => drop(quirks::set_hostname(&mut url, value)),
        "port" => drop(quirks::set_port(&mut url, value)),
        "pathname" => quirks::set_pathname(&mut url, value),
        "search" => quirks::set_search(&mut url, value),
        "hash" => quirks::set_hash(&mut url, value),
        _ => {}
    }
    Some(url)
}
