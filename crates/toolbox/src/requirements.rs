//! `requirements.txt` of a tool in Python: one package a line, by name and version, as PEP 508 has them.
//!
//! Options of installers, addresses, folders and other files are refused: a tool says what it needs, and the person
//! says where that comes from.
//! Deliberately not here: which version that is in the end (the installer's to find), and whether it is there.

#![allow(clippy::disallowed_methods, reason = "reads the tool's requirements.txt")]

use crate::plain_file;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::Path;

/// In the tool's folder.
pub const FILE: &str = "requirements.txt";

/// Bytes; more is no list that somebody wrote.
const MOST: usize = 256 * 1024;
/// What stands between a name and a version.
const OPERATORS: [&str; 8] = ["===", "==", "!=", "<=", ">=", "~=", "<", ">"];

/// One package that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// As packages are told apart: small letters, `-` alone between words.
    pub name: String,
    /// `[extras]`, versions and the condition, as they were written.
    pub range: String,
    /// The whole of it, for the installer.
    pub text: String,
    /// From 1.
    pub line: u32,
}

/// A line that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub line: u32,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    pub wanted: Vec<Requirement>,
    pub refused: Vec<Refused>,
}

impl Requirements {
    /// Of a tool without such a file there are none. Blocking.
    pub(crate) fn read(folder: &Path) -> io::Result<Requirements> {
        let file = match plain_file::open(&folder.join(FILE), OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Requirements::default()),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(MOST as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Requirements::parse(&String::from_utf8_lossy(&bytes)))
    }

    pub fn parse(text: &str) -> Requirements {
        let mut found = Requirements::default();
        if text.len() > MOST {
            let text = format!("> {MOST} bytes");
            found.refused.push(Refused { line: 1, text });
            return found;
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1..).zip(text.lines());
        while let Some((line, first)) = lines.next() {
            let mut whole = first.to_owned();
            // A comment ends with its line, whatever it ends with.
            while let Some(begun) = whole
                .strip_suffix('\\')
                .filter(|begun| !begun.trim_start().starts_with('#'))
            {
                let next = lines.next().map_or("", |(_, next)| next);
                whole = format!("{begun} {next}");
            }
            let text = without_comment(&whole);
            if text.is_empty() {
                continue;
            }
            match requirement(text, line) {
                Some(one) => found.wanted.push(one),
                None => found.refused.push(Refused {
                    line,
                    text: base::text::cut(text, 200),
                }),
            }
        }
        found
    }

    /// For whoever installs.
    pub fn text(&self) -> String {
        let lines = self.wanted.iter().map(|one| format!("{}\n", one.text));
        lines.collect()
    }

    /// As a report has it.
    pub(crate) fn to_report(&self) -> Value {
        let wanted = self.wanted.iter();
        let wanted = wanted
            .map(|one| json!({"name": one.name, "range": one.range, "text": one.text, "line": one.line}));
        let refused = self.refused.iter();
        let refused = refused.map(|one| json!({"line": one.line, "text": one.text}));
        json!({"wanted": wanted.collect::<Vec<_>>(), "refused": refused.collect::<Vec<_>>()})
    }

    /// Of a report that is ours.
    pub(crate) fn from_report(report: Option<&Value>) -> Requirements {
        let rows = |key: &str| {
            let rows = report.and_then(|report| report.get(key)?.as_array());
            rows.into_iter().flatten()
        };
        let text = |row: &Value, key: &str| {
            row.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let line = |row: &Value| {
            let line = row.get("line").and_then(Value::as_u64);
            line.and_then(|line| u32::try_from(line).ok()).unwrap_or(1)
        };
        Requirements {
            wanted: rows("wanted")
                .map(|row| Requirement {
                    name: text(row, "name"),
                    range: text(row, "range"),
                    text: text(row, "text"),
                    line: line(row),
                })
                .collect(),
            refused: rows("refused")
                .map(|row| Refused {
                    line: line(row),
                    text: text(row, "text"),
                })
                .collect(),
        }
    }
}

/// As the index of packages has it (PEP 503): `Typing_Extensions` is `typing-extensions`.
pub fn normal_name(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// A comment begins a line, or stands behind white space.
fn without_comment(line: &str) -> &str {
    let begins = |(at, _): &(usize, char)| *at == 0 || line[..*at].ends_with(char::is_whitespace);
    let comment = line.char_indices().filter(|(_, c)| *c == '#').find(begins);
    line[..comment.map_or(line.len(), |(at, _)| at)].trim()
}

/// `NAME [extras] VERSIONS ; CONDITION --hash=…`.
fn requirement(text: &str, line: u32) -> Option<Requirement> {
    let (wanted, hashes) = match text.find(" --") {
        Some(at) => (text[..at].trim(), &text[at..]),
        None => (text, ""),
    };
    // Whatever else begins so is an option for whoever installs.
    let is_option = |word: &str| word.starts_with('-');
    if !hashes.split_whitespace().all(is_hash) || wanted.split_whitespace().any(is_option) {
        return None;
    }
    let (versions, condition) = wanted.split_once(';').unwrap_or((wanted, ""));
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = versions.find(|c| !is_word(c)).unwrap_or(versions.len());
    let (name, rest) = versions.split_at(end);
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if !ends(name.chars().next()) || !ends(name.chars().next_back()) {
        return None;
    }
    let rest = match rest.trim_start().strip_prefix('[') {
        Some(extras) => {
            let (extras, rest) = extras.split_once(']')?;
            let plain = |extra: &str| !extra.trim().is_empty() && extra.trim().chars().all(is_word);
            if !extras.split(',').all(plain) {
                return None;
            }
            rest
        }
        None => rest,
    };
    let is_versions = rest.trim().is_empty() || rest.split(',').all(is_version);
    if !is_versions || !condition.chars().all(is_condition) {
        return None;
    }
    Some(Requirement {
        name: normal_name(name),
        range: wanted[name.len()..].trim().to_owned(),
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        line,
    })
}

fn is_version(text: &str) -> bool {
    let text = text.trim();
    let version = OPERATORS.iter().find_map(|operator| text.strip_prefix(operator));
    version.is_some_and(|version| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '*' | '+' | '!' | '-' | '_');
        !version.trim().is_empty() && version.trim().chars().all(plain)
    })
}

fn is_condition(c: char) -> bool {
    c.is_ascii_alphanumeric() || " \t_.-'\"<>=!~()".contains(c)
}

fn is_hash(text: &str) -> bool {
    let hash = text.strip_prefix("--hash=").and_then(|hash| hash.split_once(':'));
    hash.is_some_and(|(kind, digits)| {
        matches!(kind, "sha256" | "sha384" | "sha512")
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str) -> Option<Requirement> {
        let mut found = Requirements::parse(text);
        assert_eq!(found.wanted.len() + found.refused.len(), 1, "{text}");
        found.wanted.pop()
    }

    #[test]
    fn names_and_versions_are_read() {
        for (text, name, range) in [
            ("requests", "requests", ""),
            (
                "  Typing_Extensions >= 4.1, <5  # why",
                "typing-extensions",
                ">= 4.1, <5",
            ),
            ("zope.interface==6.*", "zope-interface", "==6.*"),
            ("httpx[http2, socks]~=0.27", "httpx", "[http2, socks]~=0.27"),
            (
                "tomli>=2; python_version < '3.11'",
                "tomli",
                ">=2; python_version < '3.11'",
            ),
            ("a===1!2.0+local-1", "a", "===1!2.0+local-1"),
        ] {
            let found = one(text).unwrap();
            assert_eq!(
                (found.name.as_str(), found.range.as_str()),
                (name, range),
                "{text}"
            );
        }
        let hashed = one("a==1 \\\n  --hash=sha256:00ff \\\n  --hash=sha512:aB").unwrap();
        assert_eq!(hashed.range, "==1");
        assert_eq!(hashed.text, "a==1 --hash=sha256:00ff --hash=sha512:aB");
    }

    #[test]
    fn a_file_is_read_that_is_one_and_no_list_without_end() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, file) = (dir.path(), dir.path().join(FILE));
        assert_eq!(Requirements::read(folder).unwrap(), Requirements::default());
        std::fs::write(&file, "a\n".repeat(MOST)).unwrap();
        let found = Requirements::read(folder).unwrap();
        assert_eq!((found.wanted.len(), found.refused.len()), (0, 1));
        std::fs::write(&file, "a\n").unwrap();
        assert_eq!(Requirements::read(folder).unwrap().wanted.len(), 1);
        std::fs::rename(&file, folder.join("other")).unwrap();
        std::os::unix::fs::symlink("other", &file).unwrap();
        assert!(Requirements::read(folder).is_err(), "a link");
    }

    #[test]
    fn what_is_no_name_with_versions_is_refused_with_its_line() {
        for text in [
            "-r other.txt",
            "-e .",
            "--index-url https://evil.example/simple",
            "a==1 --config-settings x",
            "a==1 --hash=md5:00",
            "a @ https://evil.example/a.whl",
            "git+https://evil.example/a",
            "https://evil.example/a.whl",
            "./a",
            "a/b",
            "a.whl file",
            "a==1 b==2",
            "a==",
            "a[",
            "a[]",
            "a; $(id)",
            "a`id`",
            "-a",
            "名字",
        ] {
            assert_eq!(one(text), None, "{text}");
        }
        let found = Requirements::parse("# of C:\\tools\\\na\n");
        assert_eq!(found.text(), "a\n", "a comment ends with its line");
        let found = Requirements::parse("a\n\n# b\n-r c\n");
        assert_eq!(
            found.refused,
            [Refused {
                line: 4,
                text: "-r c".to_owned()
            }]
        );
        assert_eq!(found.text(), "a\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        /// Whatever is written there, what goes to the installer names packages and nothing else.
        #[test]
        fn nothing_but_requirements_passes(text in "[-a-z0-9@/:.#;=<>\\[\\] \\\\\n\"'$]{0,60}") {
            for line in Requirements::parse(&text).text().lines() {
                prop_assert!(line.starts_with(|c: char| c.is_ascii_alphanumeric()), "{line}");
                prop_assert!(!line.contains(['@', '/', '\\', '$', '#']), "{line}");
                prop_assert!(!line.contains(" -") || line.contains(" --hash="), "{line}");
            }
            let found = Requirements::parse(&text);
            prop_assert_eq!(&Requirements::from_report(Some(&found.to_report())), &found);
        }
    }
}
