//! What is kept of a run beyond its row: what it was given and what it gave, within limits, with
//! secrets masked before anything is kept.

use super::Line;
use base::Failure;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// Bytes of parameters as JSON.
const PARAMETERS: usize = 16 * 1024;
/// Bytes of a result as JSON; of a larger one only the size is kept.
const RESULT: usize = 64 * 1024;
/// Bytes of each text about a failure.
const TEXT: usize = 16 * 1024;
/// The last lines: how many, and bytes of all.
const LINES: usize = 100;
const LINE_BYTES: usize = 32 * 1024;

/// Characters of what stands in a list about a run, and of one value there.
const ABOUT: usize = 160;
const VALUE: usize = 60;

/// The detail of one run, as JSON in its record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Detail {
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub parameters: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub result: Option<Value>,
    /// Bytes of a result that was too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<KeptLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptLine {
    pub at: i64,
    /// As `run.log` has it.
    pub level: String,
    pub text: String,
}

impl Detail {
    /// What it was given, `given` as JSON.
    pub fn given(&mut self, given: &str, mask: impl Fn(&str) -> String) {
        if given.len() > PARAMETERS {
            return;
        }
        self.parameters = serde_json::from_str(given).ok().and_then(|mut value| {
            crate::run_log::mask_named(&mut value);
            // A mask stands in the place of characters inside strings: it stays JSON.
            serde_json::from_str(&mask(&value.to_string())).ok()
        });
    }

    /// What it was given, in one line: `action: write, path: list.txt`.
    pub fn about(&self) -> Option<String> {
        let given = self.parameters.as_ref()?.as_object()?;
        let parts: Vec<_> = given
            .iter()
            .map(|(name, value)| format!("{name}: {}", one_line(value, VALUE)))
            .collect();
        Some(cut(&parts.join(", "), ABOUT)).filter(|text| !text.is_empty())
    }

    /// One thing that it was given, in one line.
    pub fn value_of(&self, name: &str) -> Option<String> {
        let value = self.parameters.as_ref()?.get(name)?;
        Some(one_line(value, ABOUT)).filter(|text| !text.is_empty())
    }

    /// What it gave, as JSON.
    pub fn gave(&mut self, result: &str, mask: impl Fn(&str) -> String) {
        if result.len() > RESULT {
            self.result_size = Some(result.len());
            return;
        }
        self.result = serde_json::from_str(&mask(result)).ok();
    }

    /// Why it failed; masked already. `help` is what models were told.
    pub fn failed(&mut self, failure: &Failure, help: Option<&str>) {
        let mut failure = failure.clone();
        failure.detail.truncate(failure.detail.floor_char_boundary(TEXT));
        if json!(failure.args).to_string().len() > TEXT {
            failure.args.clear();
        }
        self.failure = Some(failure);
        self.help = help.map(|help| help[..help.floor_char_boundary(TEXT)].to_owned());
    }

    /// The last of what it wrote.
    pub fn wrote(&mut self, lines: Vec<Line>) {
        let mut room = LINE_BYTES;
        let mut kept: Vec<KeptLine> = lines
            .into_iter()
            .rev()
            .take(LINES)
            .map_while(|line| {
                room = room.checked_sub(line.text.len())?;
                Some(KeptLine {
                    at: line.at,
                    level: line.level.name().to_owned(),
                    text: line.text,
                })
            })
            .collect();
        kept.reverse();
        self.lines = kept;
    }

    /// As it is kept.
    pub fn to_text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// What [`Detail::to_text`] wrote; nothing of what cannot be read.
    pub fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

fn one_line(value: &Value, most: usize) -> String {
    let text = match value {
        // No more than could be shown is looked at.
        Value::String(text) => text.chars().take(4 * most).collect(),
        other => other.to_string(),
    };
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// What is there is something, even `null`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_log::Level;

    fn hush(text: &str) -> String {
        text.replace("s3cret", "***")
    }

    fn line(n: usize, bytes: usize) -> Line {
        Line {
            at: n as i64,
            level: Level::Warn,
            stream: None,
            text: "x".repeat(bytes),
        }
    }

    #[test]
    fn small_things_are_kept_masked_and_read_back() {
        let mut detail = Detail::default();
        detail.given(r#"{"a": "my s3cret", "password": "p", "n": null}"#, hush);
        detail.gave(r#"["s3cret", null]"#, hush);
        detail.failed(&Failure::new("timeout").with("limit", 3), Some("# help"));
        detail.wrote(vec![line(1, 3), line(2, 4)]);
        let parameters = detail.parameters.clone().unwrap();
        assert_eq!(parameters["a"], "my ***");
        assert_ne!(parameters["password"], "p");
        assert_eq!(detail.result, Some(json!(["***", null])));
        assert_eq!(
            detail.lines.iter().map(|line| line.at).collect::<Vec<_>>(),
            [1, 2]
        );
        assert_eq!(Detail::read(&detail.to_text().unwrap()), detail);

        let mut nothing = Detail::default();
        nothing.gave("null", hush);
        assert_eq!(nothing.result, Some(Value::Null));
        assert_eq!(
            Detail::read(&nothing.to_text().unwrap()),
            nothing,
            "null is a result"
        );
        assert_eq!(Detail::read("rubbish"), Detail::default());
    }

    #[test]
    fn what_was_given_is_said_in_one_line() {
        let mut detail = Detail::default();
        detail.given(
            r#"{"action": "add", "title": "two\n  lines", "n": 3, "token": "t", "list": [1, "s3cret"]}"#,
            hush,
        );
        let about = detail.about().unwrap();
        assert!(about.starts_with("action: add, "), "{about}");
        assert!(
            about.contains("title: two lines, ") && about.contains("list: [1,\"***\"]"),
            "{about}"
        );
        assert!(!about.contains("token: t,"), "{about}");
        assert_eq!(detail.value_of("n").as_deref(), Some("3"));
        assert_eq!(detail.value_of("other"), None);

        detail.given(
            &json!({"a": "字".repeat(500), "b": "x".repeat(500), "c": "y".repeat(500)}).to_string(),
            hush,
        );
        let about = detail.about().unwrap();
        assert_eq!(about.chars().count(), ABOUT);
        assert!(about.contains("…, b: xx") && about.ends_with('…'), "{about}");
        detail.given("{}", hush);
        assert_eq!(detail.about(), None);
    }

    #[test]
    fn large_things_are_counted_or_cut() {
        let mut detail = Detail::default();
        let large = json!("x".repeat(RESULT)).to_string();
        detail.given(&large, hush);
        detail.gave(&large, hush);
        assert_eq!((&detail.parameters, &detail.result), (&None, &None));
        assert_eq!(detail.result_size, Some(RESULT + 2));
        let failure = Failure::new("worker_crashed")
            .with("stderr", "y".repeat(TEXT))
            .detail("字".repeat(TEXT));
        detail.failed(&failure, Some(&"字".repeat(TEXT)));
        let kept = detail.failure.clone().unwrap();
        assert!(kept.args.is_empty() && kept.detail.len() <= TEXT && !kept.detail.is_empty());
        detail.wrote((0..200).map(|n| line(n, 10)).collect());
        assert_eq!((detail.lines.len(), detail.lines[0].at), (LINES, 100));
        detail.wrote((0..20).map(|n| line(n, 10_000)).collect());
        assert_eq!(
            detail.lines.iter().map(|line| line.at).collect::<Vec<_>>(),
            [17, 18, 19]
        );
        assert!(detail.to_text().unwrap().len() < 2 * (PARAMETERS + RESULT));
    }
}
