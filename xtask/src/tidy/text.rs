//! Words that must not be in what we commit: work put off, tests switched off, prints left over.

use super::{Finding, Source, is_generated_or_fixture};

struct Rule {
    /// Matched as it stands, not inside a longer word.
    text: &'static str,
    /// Where it is looked for: endings of paths.
    ends: &'static [&'static str],
    /// Where it does not matter.
    except: &'static [&'static str],
    why: &'static str,
}

const CODE: &[&str] = &[".rs", ".ts", ".vue", ".js", ".mjs", ".py"];
const SCRIPT: &[&str] = &[".ts", ".vue", ".js", ".mjs"];

// Put together from halves, so that this file does not find itself.
const RULES: &[Rule] = &[
    Rule {
        text: concat!("TO", "DO"),
        ends: CODE,
        except: &[],
        why: "do it, or write an issue",
    },
    Rule {
        text: concat!("FIX", "ME"),
        ends: CODE,
        except: &[],
        why: "fix it, or write an issue",
    },
    Rule {
        text: concat!("db", "g!("),
        ends: CODE,
        except: &[],
        why: "left over",
    },
    Rule {
        text: concat!("#[ign", "ore"),
        ends: CODE,
        except: &[],
        why: "a test runs or goes",
    },
    Rule {
        text: concat!("it.sk", "ip("),
        ends: SCRIPT,
        except: &[],
        why: "a test runs or goes",
    },
    Rule {
        text: concat!("test.sk", "ip("),
        ends: SCRIPT,
        except: &[],
        why: "a test runs or goes",
    },
    Rule {
        text: concat!("it.on", "ly("),
        ends: SCRIPT,
        except: &[],
        why: "the other tests do not run",
    },
    Rule {
        text: concat!("describe.on", "ly("),
        ends: SCRIPT,
        except: &[],
        why: "the other tests do not run",
    },
    Rule {
        text: concat!("@ts-", "ignore"),
        ends: SCRIPT,
        except: &[],
        why: "say the type",
    },
    Rule {
        text: concat!("console", ".log("),
        ends: &[".ts", ".vue"],
        except: &["ui/scripts/"],
        why: "left over",
    },
    Rule {
        text: concat!("@tauri", "-apps/"),
        ends: &[".ts", ".vue"],
        except: &["ui/src/platform/"],
        why: "ui/src/platform is the only place that knows Tauri",
    },
];

/// Built-in tools and fixtures are programs of their own that talk about anything.
const EXEMPT: &[&str] = &["resources/tools/"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        if is_generated_or_fixture(&source.path) || EXEMPT.iter().any(|start| source.path.starts_with(start))
        {
            continue;
        }
        for rule in RULES {
            let applies = rule.ends.iter().any(|end| source.path.ends_with(end))
                && !rule.except.iter().any(|start| source.path.starts_with(start));
            if applies && let Some(line) = source.text.lines().position(|line| has(line, rule.text)) {
                findings.push(Finding::error(
                    format!("{}:{}", source.path, line + 1),
                    format!("{}: {}", rule.text, rule.why),
                ));
            }
        }
    }
    findings
}

fn has(line: &str, text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(text).any(|(at, found)| {
        let before = line[..at].chars().next_back();
        let after = line[at + found.len()..].chars().next();
        let opens = !text.starts_with(is_word) || !before.is_some_and(is_word);
        let closes = !text.ends_with(is_word) || !after.is_some_and(is_word);
        opens && closes
    })
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn every_rule_finds_its_text_with_its_line() {
        for rule in RULES {
            let path = format!("crates/a/file{}", rule.ends[0]);
            let found = check(&[source(&path, &format!("fine\n  {}\n", rule.text))]);
            assert_eq!(found.len(), 1, "{}", rule.text);
            assert_eq!(found[0].place, format!("{path}:2"));
        }
    }

    #[test]
    fn longer_words_other_files_and_exceptions_pass() {
        let put_off = concat!("TO", "DO");
        assert!(check(&[source("a.rs", &format!("{put_off}LIST and todo"))]).is_empty());
        assert!(check(&[source("notes.md", put_off)]).is_empty());
        assert!(check(&[source("tests/fixtures/a.js", put_off)]).is_empty());
        let import = concat!("import x from '@tauri", "-apps/api'");
        assert!(check(&[source("ui/src/platform/tauri.ts", import)]).is_empty());
        assert_eq!(check(&[source("ui/src/features/a.ts", import)]).len(), 1);
    }
}
