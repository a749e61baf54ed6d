//! Where a command's input comes from and its output goes to, files that it wrote itself included.

use super::Run;
use crate::policy::ast::{Redirect, RedirectKind, Source};
use crate::policy::mark;
use crate::policy::state::Feed;
use crate::policy::word::Field;
use std::rc::Rc;

impl Run<'_> {
    /// Standard input, and the file that standard output goes to.
    pub(super) fn redirects(
        &mut self,
        source: &Rc<Source>,
        redirects: &[Redirect],
        stdin: &Feed,
    ) -> (Feed, Option<String>) {
        let mut input = stdin.clone();
        let mut output = None;
        for redirect in redirects {
            match redirect.kind {
                RedirectKind::HereString => {
                    input = Feed::Text(mark::data(&self.value(source, &redirect.word)) + "\n");
                }
                RedirectKind::HereDocument { literal, tabs } => {
                    let mut text = self.document(source, &redirect.word, literal);
                    if tabs {
                        let lines = text.split('\n').map(|line| line.trim_start_matches('\t'));
                        text = lines.collect::<Vec<_>>().join("\n");
                    }
                    input = Feed::Text(text);
                }
                RedirectKind::Duplicate => {
                    self.value(source, &redirect.word);
                }
                RedirectKind::Read => {
                    let path = self.value(source, &redirect.word);
                    input = self.contents(&path, &Feed::Nothing);
                }
                RedirectKind::Write => {
                    let path = self.value(source, &redirect.word);
                    let words = [Field::new(path.clone(), &source.span(&redirect.span))];
                    let span = source.span(&redirect.span);
                    for matched in self.judged(">", &words) {
                        self.matched(&matched, ">", &words, &span);
                    }
                    output = Some(path);
                }
            }
        }
        (input, output)
    }

    /// What is in a file, as far as this command has written it itself.
    pub fn contents(&self, path: &str, stdin: &Feed) -> Feed {
        if matches!(path, "/dev/stdin" | "-" | "/dev/fd/0" | "/proc/self/fd/0") {
            return stdin.clone();
        }
        match self.state.files.get(&self.state.key(path)) {
            Some(feed) => feed.clone(),
            None => Feed::File(path.to_owned()),
        }
    }

    /// Standard output that went to a file is not there for the next in line.
    pub(super) fn written(&mut self, file: Option<String>, feed: Feed) -> Feed {
        let Some(path) = file else {
            return feed;
        };
        let key = self.state.key(&path);
        if !key.starts_with("/dev/") && self.state.files.len() < 64 {
            let before = self.state.files.remove(&key).unwrap_or(Feed::Nothing);
            self.state.files.insert(key, joined(before, feed));
        }
        Feed::Nothing
    }
}

pub(super) fn joined(first: Feed, second: Feed) -> Feed {
    match (first, second) {
        (Feed::Nothing, other) | (other, Feed::Nothing) => other,
        (Feed::Text(one), Feed::Text(other)) if one.len() + other.len() < 200_000 => Feed::Text(one + &other),
        (Feed::Paths(mut one), Feed::Paths(other)) => {
            one.extend(other);
            one.truncate(64);
            Feed::Paths(one)
        }
        (Feed::Download, _) | (_, Feed::Download) => Feed::Download,
        _ => Feed::Unknown,
    }
}
