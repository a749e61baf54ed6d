//! `git`: its settings name commands, its verbs run them.

use super::borrowed;
use crate::policy::rules::one_like;
use crate::policy::run::Run;
use crate::policy::state::Feed;
use crate::policy::word::Field;
use std::ops::Range;

impl Run<'_> {
    /// `git -c core.pager=… log`, `git config alias.x '!…'`, then the wrappers among its verbs.
    pub(super) fn git(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let mut at = 0;
        while let Some(argument) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
            at += 1;
            if matches!(
                argument.text.as_str(),
                "-C" | "--git-dir" | "--work-tree" | "--namespace"
            ) {
                at += 1;
            } else if argument.text == "-c" {
                if let Some((name, value)) = arguments.get(at).and_then(|word| word.text.split_once('=')) {
                    self.setting(name, value, span);
                }
                at += 1;
            }
        }
        let rest = &arguments[at.min(arguments.len())..];
        if rest.first().is_some_and(|verb| verb.text == "config") {
            let operands: Vec<&str> = borrowed(&rest[1..])
                .into_iter()
                .filter(|word| !word.starts_with('-') && *word != "set")
                .collect();
            if let [name, value, ..] = operands.as_slice() {
                self.setting(name, value, span);
            }
        }
        match self.rules.wrapper("git", &borrowed(rest)).cloned() {
            Some(wrapper) => self.wrapped(&wrapper, "git", &rest[wrapper.after.len()..], stdin, span),
            None => self.output("git", rest, stdin),
        }
    }

    fn setting(&mut self, name: &str, value: &str, span: &Range<usize>) {
        let name = name.to_ascii_lowercase();
        let is_alias = name.starts_with("alias.");
        if one_like(&self.rules.names.command_settings, &name) && (!is_alias || value.starts_with('!')) {
            self.guess(value.trim_start_matches('!').to_owned(), span);
        }
    }
}
