//! Entries of servers as other clients of MCP have them in their files: Claude (`mcpServers`), VS Code
//! (`servers`), Cursor, Windsurf, Gemini. Comments and commas at ends are read over.
//!
//! Deliberately not here: what an entry may hold (`entry`).

use super::entry;
use super::error::ExternalError;
use base::name::ToolName;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Map, Value};
use wire::ExternalEntry;

/// Bytes of a text.
const TEXT: usize = 256 * 1024;
/// Where servers stand in a file.
const SECTIONS: &[&[&str]] = &[
    &["mcpServers"],
    &["servers"],
    &["mcp", "servers"],
    &["mcp"],
    &["context_servers"],
];

#[derive(Debug, PartialEq)]
pub(crate) struct Pasted {
    pub(crate) name: ToolName,
    pub(crate) entry: ExternalEntry,
    pub(crate) enabled: bool,
    /// Fields that mean nothing here.
    pub(crate) ignored: Vec<String>,
}

/// `name`: of a text that is one entry.
pub(crate) fn read(text: &str, name: Option<&str>) -> Result<Vec<Pasted>, ExternalError> {
    let Value::Object(top) = parse(text)? else {
        return Err(ExternalError::NoServers);
    };
    if is_entry(&top) {
        let name = name.ok_or(ExternalError::BadEntry { reason: "name" })?;
        return Ok(vec![pasted(entry::name(name)?, &top)?]);
    }
    let section = SECTIONS.iter().find_map(|path| {
        let first = top.get(path[0])?;
        path[1..]
            .iter()
            .try_fold(first, |value, key| value.get(key))?
            .as_object()
    });
    let servers = section.unwrap_or(&top);
    let entries: Vec<_> = servers
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_object().filter(|value| is_entry(value))?)))
        .collect();
    if entries.is_empty() {
        return Err(ExternalError::NoServers);
    }
    match (name, entries.as_slice()) {
        (Some(name), [(_, one)]) => Ok(vec![pasted(entry::name(name)?, one)?]),
        _ => entries
            .into_iter()
            .map(|(theirs, one)| pasted(entry::name_of(theirs)?, one))
            .collect(),
    }
}

fn is_entry(value: &Map<String, Value>) -> bool {
    ["command", "url", "serverUrl", "httpUrl"]
        .iter()
        .any(|key| value.get(*key).is_some_and(Value::is_string))
}

fn parse(text: &str) -> Result<Value, ExternalError> {
    if text.len() > TEXT {
        return Err(ExternalError::BadEntry { reason: "size" });
    }
    let options = ParseOptions {
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let value = |text: &str| {
        let root = CstRootNode::parse(text, &options).map_err(|error| error.to_string())?;
        root.value()
            .and_then(|value| value.to_serde_value())
            .ok_or_else(|| "empty".to_owned())
    };
    let bare = text.trim().trim_end_matches(',');
    value(bare).or_else(|reason| {
        // A piece of a file: `"name": {…}`.
        value(&format!("{{{bare}}}")).map_err(|_| ExternalError::BadText(base::text::cut(&reason, 300)))
    })
}

fn pasted(name: ToolName, value: &Map<String, Value>) -> Result<Pasted, ExternalError> {
    let mut made = ExternalEntry::default();
    let (mut enabled, mut ignored) = (true, Vec::new());
    for (key, value) in value {
        match key.as_str() {
            "command" => made.command = Some(text("command", value)?),
            "args" => {
                let all = value
                    .as_array()
                    .ok_or(ExternalError::BadEntry { reason: "args" })?;
                made.args = all
                    .iter()
                    .map(|one| text("args", one))
                    .collect::<Result<_, _>>()?;
            }
            "env" => made.env = texts("env", value)?,
            "url" | "serverUrl" | "httpUrl" => made.url = Some(text("url", value)?),
            "headers" => made.headers = texts("headers", value)?,
            "type" | "transport" => match value.as_str().unwrap_or_default() {
                "sse" => return Err(ExternalError::Sse),
                "stdio" | "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "local"
                | "remote" => {}
                _ => return Err(ExternalError::BadEntry { reason: "type" }),
            },
            "disabled" => enabled &= value != &Value::Bool(true),
            "enabled" => enabled &= value != &Value::Bool(false),
            "startSeconds" => made.start_seconds = seconds(value)?,
            "callSeconds" => made.call_seconds = seconds(value)?,
            "name" | "description" => {}
            other => ignored.push(base::text::cut(other, 80)),
        }
    }
    entry::check(&made)?;
    Ok(Pasted {
        name,
        entry: made,
        enabled,
        ignored,
    })
}

fn seconds(value: &Value) -> Result<Option<u32>, ExternalError> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number
        .map(Some)
        .ok_or(ExternalError::BadEntry { reason: "seconds" })
}

fn texts(
    field: &'static str,
    value: &Value,
) -> Result<std::collections::BTreeMap<String, String>, ExternalError> {
    let all = value
        .as_object()
        .ok_or(ExternalError::BadEntry { reason: field })?;
    all.iter()
        .map(|(name, value)| Ok((name.clone(), text(field, value)?)))
        .collect()
}

/// `${input:…}` and its like are asked for or filled in by the client whose file it is.
fn text(field: &'static str, value: &Value) -> Result<String, ExternalError> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) if field != "command" && field != "url" => value.to_string(),
        _ => return Err(ExternalError::BadEntry { reason: field }),
    };
    match text.find("${") {
        Some(at) => Err(ExternalError::Placeholder {
            what: base::text::cut(&text[at..], 80),
        }),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Coded;
    use proptest::prelude::*;

    fn one(text: &str) -> Pasted {
        let mut all = read(text, None).unwrap();
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    #[test]
    fn files_of_other_clients_are_read() {
        let entry = r#"{"command": "npx", "args": ["-y", "x"], "env": {"A": "1", "N": 2}}"#;
        for text in [
            format!(r#"{{"mcpServers": {{"My Server": {entry}}}}}"#),
            format!("// mine\n{{\"servers\": {{\"my-server\": {entry},}},\n}}"),
            format!(r#"{{"mcp": {{"servers": {{"my-server": {entry}}}}}, "editor.fontSize": 3}}"#),
            format!(r#"{{"my-server": {entry}}}"#),
            format!(r#""my-server": {entry},"#),
        ] {
            let read = one(&text);
            assert_eq!(read.name.as_str(), "my-server", "{text}");
            assert_eq!(read.entry.command.as_deref(), Some("npx"));
            assert_eq!(read.entry.args, ["-y", "x"]);
            assert_eq!(read.entry.env["N"], "2");
        }
        let named = read(entry, Some("it")).unwrap().remove(0);
        assert_eq!(named.name.as_str(), "it");
        let remote = one(
            r#"{"r": {"type": "http", "serverUrl": "https://x.example/mcp", "headers": {"X": "y"}, "disabled": true, "alwaysAllow": []}}"#,
        );
        assert_eq!(remote.entry.url.as_deref(), Some("https://x.example/mcp"));
        assert!(!remote.enabled);
        assert_eq!(remote.ignored, ["alwaysAllow"]);
    }

    #[test]
    fn what_cannot_be_is_told_by_a_code() {
        for (text, code) in [
            ("nonsense {", "external_bad_text"),
            ("[]", "external_no_servers"),
            (r#"{"mcpServers": {}}"#, "external_no_servers"),
            (r#"{"command": "x"}"#, "external_bad_entry"),
            (r#"{"a": {"command": "x", "args": "-y"}}"#, "external_bad_entry"),
            (
                r#"{"a": {"type": "sse", "url": "http://x.example"}}"#,
                "external_sse",
            ),
            (
                r#"{"a": {"command": "x", "args": ["${input:key}"]}}"#,
                "external_placeholder",
            ),
            (r#"{"服务": {"command": "x"}}"#, "external_bad_name"),
        ] {
            assert_eq!(read(text, None).unwrap_err().code(), code, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_pasted_ends_in_an_answer(text in ".{0,200}") {
            let _ = read(&text, Some("x"));
        }
    }
}
