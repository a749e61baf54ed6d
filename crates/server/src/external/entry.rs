//! One server as a person wrote it down: checked, and what of it is secret.
//!
//! Deliberately not here: how it is read from others' files (`paste`), how it is kept (`kept`).

use super::error::ExternalError;
use base::name::ToolName;
use std::collections::BTreeMap;
use std::time::Duration;
use toolbox::configure::MASK;
use toolbox::model::is_secret_name;
use wire::{ExternalEntry, ExternalValue};

/// Characters of a server's name: with a tool's it has to fit into what clients take.
const NAME: usize = 32;
/// Words of a command, variables, headers, and bytes of each.
const MOST: usize = 200;
const BYTES: usize = 32 * 1024;
const START: u32 = 30;
const CALL: u32 = 120;
/// The longest that either may be.
const LONGEST: u32 = 3600;

/// Characters of a command line that is shown.
const SHOWN: usize = 300;

/// Beginnings of values that are secrets whatever they are called.
const SECRET_LOOKS: &[&str] = &[
    "sk-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "pmt_",
    "hf_",
    "npm_",
    "Bearer ",
    "eyJ",
];

pub(crate) enum Way<'e> {
    Program(Vec<String>),
    Http(&'e str),
}

pub(crate) fn name(text: &str) -> Result<ToolName, ExternalError> {
    let bad = || ExternalError::BadName(base::text::cut(text, 80));
    match ToolName::parse(text) {
        Ok(name) if text.len() <= NAME && !text.contains("__") && !text.ends_with('_') => Ok(name),
        _ => Err(bad()),
    }
}

/// A name out of what somebody else's file calls it: `GitHub (work)` is `github-work`.
pub(crate) fn name_of(text: &str) -> Result<ToolName, ExternalError> {
    let mut made = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => made.push(c),
            _ if !made.is_empty() && !made.ends_with(['-', '_']) => {
                made.push(if c == '_' { '_' } else { '-' })
            }
            _ => {}
        }
    }
    let made: String = made.chars().take(NAME).collect();
    name(made.trim_end_matches(['-', '_'])).map_err(|_| ExternalError::BadName(base::text::cut(text, 80)))
}

pub(crate) fn check(entry: &ExternalEntry) -> Result<(), ExternalError> {
    let bad = |reason: &'static str| Err(ExternalError::BadEntry { reason });
    match (&entry.command, &entry.url) {
        (Some(_), Some(_)) => return bad("command, url"),
        (None, None) => return bad("command | url"),
        (Some(command), None) if command.trim().is_empty() => return bad("command"),
        (Some(_), None) if !entry.headers.is_empty() => return bad("headers"),
        (None, Some(_)) if !entry.args.is_empty() => return bad("args"),
        (None, Some(_)) if !entry.env.is_empty() => return bad("env"),
        (None, Some(url)) => check_url(url)?,
        (Some(_), None) => {}
    }
    let texts = entry.args.iter().chain(entry.command.iter());
    let pairs = entry.env.iter().chain(&entry.headers);
    let texts = texts.chain(pairs.flat_map(|(name, value)| [name, value]));
    let (count, mut texts) = (texts.clone().count(), texts);
    if count > MOST || texts.any(|text| text.len() > BYTES || text.contains('\0')) {
        return bad("size");
    }
    let plain = |name: &String| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
    };
    if !entry.env.keys().all(plain) {
        return bad("env");
    }
    if headers(entry).is_none() {
        return bad("headers");
    }
    let seconds = [entry.start_seconds, entry.call_seconds];
    if seconds
        .into_iter()
        .flatten()
        .any(|seconds| !(1..=LONGEST).contains(&seconds))
    {
        return bad("seconds");
    }
    Ok(())
}

fn check_url(url: &str) -> Result<(), ExternalError> {
    let parsed = reqwest::Url::parse(url).map_err(|_| ExternalError::BadEntry { reason: "url" })?;
    match parsed.scheme() {
        "http" | "https" if parsed.has_host() => Ok(()),
        _ => Err(ExternalError::BadEntry { reason: "url" }),
    }
}

/// As a request carries them; `None` where that is impossible.
pub(crate) fn headers(
    entry: &ExternalEntry,
) -> Option<std::collections::HashMap<reqwest::header::HeaderName, reqwest::header::HeaderValue>> {
    let pairs = entry.headers.iter().map(|(name, value)| {
        let name: reqwest::header::HeaderName = name.parse().ok()?;
        let mut value: reqwest::header::HeaderValue = value.parse().ok()?;
        value.set_sensitive(true);
        Some((name, value))
    });
    pairs.collect()
}

pub(crate) fn way(entry: &ExternalEntry) -> Way<'_> {
    match &entry.url {
        Some(url) => Way::Http(url),
        None => {
            let words = entry.command.iter().chain(&entry.args);
            Way::Program(words.cloned().collect())
        }
    }
}

pub(crate) fn start_time(entry: &ExternalEntry) -> Duration {
    Duration::from_secs(entry.start_seconds.unwrap_or(START).into())
}

pub(crate) fn call_time(entry: &ExternalEntry) -> Duration {
    Duration::from_secs(entry.call_seconds.unwrap_or(CALL).into())
}

/// The command line or the address, without what is secret in it.
pub(crate) fn target(entry: &ExternalEntry) -> String {
    match way(entry) {
        Way::Program(words) => {
            let secret = secret_words(&words);
            let shown = words
                .iter()
                .map(|word| match secret.iter().find(|one| word.ends_with(*one)) {
                    Some(value) => format!("{}{MASK}", &word[..word.len() - value.len()]),
                    None => word.clone(),
                });
            let line = shown.collect::<Vec<_>>().join(" ");
            base::text::cut(&line.split_whitespace().collect::<Vec<_>>().join(" "), SHOWN)
        }
        Way::Http(url) => match reqwest::Url::parse(url) {
            Ok(mut shown) => {
                // Both fail for addresses without a host alone.
                let _ = shown.set_username("");
                let _ = shown.set_password(None);
                let query = shown.query().is_some();
                shown.set_query(query.then_some(MASK));
                shown.set_fragment(None);
                shown.to_string()
            }
            Err(_) => MASK.to_owned(),
        },
    }
}

/// What must not stand in any record.
pub(crate) fn secrets(entry: &ExternalEntry) -> Vec<String> {
    let env = entry.env.iter().filter(|(name, value)| is_secret(name, value));
    let mut all: Vec<String> = env.map(|(_, value)| value.clone()).collect();
    for value in entry.headers.values() {
        all.push(value.clone());
        all.extend(value.split_once(' ').map(|(_, rest)| rest.to_owned()));
    }
    match way(entry) {
        Way::Program(words) => all.extend(secret_words(&words).into_iter().map(str::to_owned)),
        Way::Http(url) => {
            if let Ok(url) = reqwest::Url::parse(url) {
                all.extend(url.password().map(str::to_owned));
                all.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
                // As they are written as well: failures quote the address so.
                let pairs = url.query().unwrap_or_default().split('&');
                let values = pairs.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
                all.extend(values.map(str::to_owned));
            }
        }
    }
    all.retain(|value| !value.is_empty());
    all
}

pub(crate) fn shown(
    values: &BTreeMap<String, String>,
    hide: impl Fn(&str, &str) -> bool,
) -> Vec<ExternalValue> {
    let shown = values.iter().map(|(name, value)| ExternalValue {
        name: name.clone(),
        value: match hide(name, value) {
            true => MASK.to_owned(),
            false => value.clone(),
        },
    });
    shown.collect()
}

pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    is_secret_name(&name.to_ascii_uppercase().replace('-', "_"))
        || SECRET_LOOKS.iter().any(|look| value.starts_with(look))
}

/// Of `--token VALUE`, `--api-key=VALUE` and values that look like it.
fn secret_words(words: &[String]) -> Vec<&str> {
    let flag =
        |word: &str| word.starts_with('-') && is_secret_name(&word.to_ascii_uppercase().replace('-', "_"));
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.split_once('=') {
            Some((name, value)) if flag(name) || is_secret(name, value) => found.push(value),
            _ if at > 0 && flag(&words[at - 1]) && !word.starts_with('-') => found.push(word.as_str()),
            _ if is_secret("", word) => found.push(word.as_str()),
            _ => {}
        }
    }
    found.retain(|value| !value.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(words: &[&str]) -> ExternalEntry {
        ExternalEntry {
            command: Some(words[0].to_owned()),
            args: words[1..].iter().map(|word| (*word).to_owned()).collect(),
            ..ExternalEntry::default()
        }
    }

    #[test]
    fn names_of_others_become_ours() {
        for (theirs, ours) in [
            ("github", "github"),
            ("GitHub (work)", "github-work"),
            ("my__server", "my_server"),
            ("  @scope/name ", "scope-name"),
            (&*"x".repeat(80), &*"x".repeat(32)),
        ] {
            assert_eq!(name_of(theirs).unwrap().as_str(), ours, "{theirs}");
        }
        for bad in ["", "服务", "--"] {
            assert!(name_of(bad).is_err(), "{bad}");
        }
        for bad in ["a__b", "A", "a_", "../x", &"x".repeat(33)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_secret_is_neither_shown_nor_recorded() {
        let mut entry = program(&[
            "npx",
            "-y",
            "server",
            "--api-key=abcdef",
            "--token",
            "tttt1",
            "--port",
            "1",
        ]);
        entry.env.insert("GITHUB_TOKEN".to_owned(), "gggg1".to_owned());
        entry.env.insert("OTHER".to_owned(), "ghp_abc".to_owned());
        entry.env.insert("LEVEL".to_owned(), "debug".to_owned());
        let target = target(&entry);
        assert!(
            target.starts_with("npx -y server --api-key=") && target.ends_with("--port 1"),
            "{target}"
        );
        for secret in ["abcdef", "tttt1"] {
            assert!(!target.contains(secret), "{target}");
        }
        let all = secrets(&entry);
        for secret in ["abcdef", "tttt1", "gggg1", "ghp_abc"] {
            assert!(all.iter().any(|one| one == secret), "{secret}");
        }
        assert!(!all.iter().any(|one| one == "debug" || one == "1"));
        let remote = ExternalEntry {
            url: Some("https://u:pppp1@x.example/mcp?key=kkkk1".to_owned()),
            headers: [("Authorization".to_owned(), "Bearer bbbb1".to_owned())].into(),
            ..ExternalEntry::default()
        };
        assert!(check(&remote).is_ok());
        let (shown, all) = (super::target(&remote), secrets(&remote));
        for secret in ["pppp1", "kkkk1", "bbbb1"] {
            assert!(
                !shown.contains(secret) && all.iter().any(|one| one == secret),
                "{secret}"
            );
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut both = program(&["x"]);
        both.url = Some("http://x.example".to_owned());
        let remote = |url: &str| ExternalEntry {
            url: Some(url.to_owned()),
            ..ExternalEntry::default()
        };
        let mut late = program(&["x"]);
        late.start_seconds = Some(0);
        let mut named = program(&["x"]);
        named.env.insert("A=B".to_owned(), String::new());
        for bad in [
            both,
            ExternalEntry::default(),
            program(&[" "]),
            program(&["a\0b"]),
            remote("file:///etc/passwd"),
            remote("nothing"),
            late,
            named,
        ] {
            assert!(check(&bad).is_err(), "{bad:?}");
        }
    }
}
