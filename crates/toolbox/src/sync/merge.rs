//! A text that two sides changed since they were one, brought together line by line. Where both changed the same
//! place, both are in the result, between marks.
//!
//! Deliberately not here: files.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// How the sides are named in the marks.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub yours: &'a str,
    pub before: &'a str,
    pub now: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Places where both sides changed the same.
    pub conflicts: usize,
}

const YOURS: &str = "<<<<<<< ";
const BEFORE: &str = "||||||| ";
const BETWEEN: &str = "=======";
const NOW: &str = ">>>>>>> ";

/// Whether a text has marks of places that nobody has decided about.
pub fn has_marks(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with(YOURS) || line.starts_with(NOW))
}

/// Brings `yours` and `now` together, which both come from `before`. Where nobody knows what was before, every
/// place where they differ is one to decide about.
pub fn merge(yours: &str, before: Option<&str>, now: &str, names: Names<'_>) -> Merged {
    let (yours, now) = (lines(yours), lines(now));
    let mut out = Out {
        text: String::new(),
        conflicts: 0,
        names,
    };
    let Some(before) = before else {
        let mut at = 0;
        for (hers, ours) in changes(&yours, &now) {
            out.plain(&yours[at..hers.start]);
            at = hers.end;
            out.conflict(&yours[hers], None, &now[ours]);
        }
        out.plain(&yours[at..]);
        return out.done();
    };
    let before = lines(before);
    let mut of_yours = Side::new(&before, &yours);
    let mut of_now = Side::new(&before, &now);
    let mut at = 0;
    loop {
        let starts = [of_yours.next_start(), of_now.next_start()];
        let Some(start) = starts.into_iter().flatten().min() else {
            out.plain(&before[at..]);
            return out.done();
        };
        out.plain(&before[at..start]);
        let (from_yours, from_now) = (of_yours.at, of_now.at);
        let mut end = start;
        // What only touches belongs together: between two changes at one place there is no order.
        while of_yours.take_until(&mut end) || of_now.take_until(&mut end) {}
        let place = start..end;
        let theirs = of_yours.text(from_yours, &place);
        let ours = of_now.text(from_now, &place);
        let old = &before[place];
        match () {
            () if theirs == ours || ours == old => out.plain(theirs),
            () if theirs == old => out.plain(ours),
            () => out.conflict(theirs, Some(old), ours),
        }
        at = end;
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Lines of one text and what is in the other instead, in their order, with something alike between any two.
fn changes(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    // Counted here: what an operation says of the other text's place is not always where that is.
    let (mut at_old, mut at_new) = (0, 0);
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (from, len_old, len_new) = ((at_old, at_new), op.old_range().len(), op.new_range().len());
        (at_old, at_new) = (at_old + len_old, at_new + len_new);
        match found.last_mut() {
            _ if matches!(op, DiffOp::Equal { .. }) => {}
            Some((old, new)) if (old.end, new.end) == from => (old.end, new.end) = (at_old, at_new),
            _ => found.push((from.0..at_old, from.1..at_new)),
        }
    }
    found
}

/// One side's changes, in their order.
struct Side<'t> {
    lines: &'t [&'t str],
    /// Lines of before, and what is there instead.
    changes: Vec<(Range<usize>, Range<usize>)>,
    /// How many are done.
    at: usize,
}

impl<'t> Side<'t> {
    fn new(before: &[&str], lines: &'t [&'t str]) -> Self {
        Side {
            lines,
            changes: changes(before, lines),
            at: 0,
        }
    }

    fn next_start(&self) -> Option<usize> {
        self.changes.get(self.at).map(|(old, _)| old.start)
    }

    /// Takes what begins before `end` or there, which moves with it. Whether there was any.
    fn take_until(&mut self, end: &mut usize) -> bool {
        let first = self.at;
        while let Some((old, _)) = self.changes.get(self.at).filter(|(old, _)| old.start <= *end) {
            *end = (*end).max(old.end);
            self.at += 1;
        }
        self.at > first
    }

    /// What this side has for a place of before that its changes since `first` lie in.
    fn text(&self, first: usize, place: &Range<usize>) -> &'t [&'t str] {
        match self.changes[first..self.at].split_first() {
            Some(((old, new), more)) => {
                let (last_old, last_new) = more.last().unwrap_or(&self.changes[first]);
                let start = new.start - (old.start - place.start);
                let end = last_new.end + (place.end - last_old.end);
                &self.lines[start..end]
            }
            None => {
                // Unchanged here: only moved by what came before.
                let (old, new) = match first.checked_sub(1) {
                    Some(before) => (self.changes[before].0.end, self.changes[before].1.end),
                    None => (0, 0),
                };
                &self.lines[new + (place.start - old)..new + (place.end - old)]
            }
        }
    }
}

struct Out<'a> {
    text: String,
    conflicts: usize,
    names: Names<'a>,
}

impl Out<'_> {
    fn plain(&mut self, lines: &[&str]) {
        self.text.extend(lines.iter().copied());
    }

    fn conflict(&mut self, yours: &[&str], before: Option<&[&str]>, now: &[&str]) {
        self.conflicts += 1;
        let names = self.names;
        self.mark(YOURS, names.yours);
        self.plain(yours);
        if let Some(before) = before {
            self.mark(BEFORE, names.before);
            self.plain(before);
        }
        self.mark(BETWEEN, "");
        self.plain(now);
        self.mark(NOW, names.now);
    }

    /// A mark has a line of its own, whatever the text ends with.
    fn mark(&mut self, mark: &str, name: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(mark);
        self.text.push_str(name);
        self.text.push('\n');
    }

    fn done(self) -> Merged {
        Merged {
            text: self.text,
            conflicts: self.conflicts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: Names<'static> = Names {
        yours: "yours",
        before: "before",
        now: "now",
    };

    #[test]
    fn changes_in_different_places_come_together() {
        let before = "a\nb\nc\nd\ne\n";
        let merged = merge("A\nb\nc\nd\ne\n", Some(before), "a\nb\nc\nd\nE\nf\n", NAMES);
        assert_eq!(
            merged,
            Merged {
                text: "A\nb\nc\nd\nE\nf\n".into(),
                conflicts: 0
            }
        );
    }

    #[test]
    fn what_both_changed_is_marked() {
        let merged = merge("a\nyou\nc", Some("a\nb\nc"), "a\nwe\nc", NAMES);
        let text = "a\n<<<<<<< yours\nyou\n||||||| before\nb\n=======\nwe\n>>>>>>> now\nc";
        assert_eq!(
            merged,
            Merged {
                text: text.into(),
                conflicts: 1
            }
        );
        assert!(has_marks(&merged.text) && !has_marks("a\n=======\nb <<<<<<< c\n"));
        // At the end of a text without a last line break.
        let merged = merge("a\nyou", Some("a\nb"), "a\nwe", NAMES);
        assert!(
            merged
                .text
                .ends_with("you\n||||||| before\nb\n=======\nwe\n>>>>>>> now\n")
        );
    }

    #[test]
    fn without_what_was_before_every_difference_is_one() {
        let merged = merge("a\nx\nc\n", None, "a\ny\nc\n", NAMES);
        assert_eq!(merged.text, "a\n<<<<<<< yours\nx\n=======\ny\n>>>>>>> now\nc\n");
        assert_eq!(merge("a\n", None, "a\n", NAMES).conflicts, 0);
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", ""]), 0..12)
            .prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_side_that_changed_nothing_has_no_say(before in text(), other in text()) {
            let plain = Merged { text: other.clone(), conflicts: 0 };
            prop_assert_eq!(merge(&before, Some(&before), &other, NAMES), plain.clone());
            prop_assert_eq!(merge(&other, Some(&before), &before, NAMES), plain.clone());
            prop_assert_eq!(merge(&other, Some(&before), &other, NAMES), plain);
        }

        /// Whichever side is taken at each mark, it is that side's lines and nothing is lost.
        #[test]
        fn nothing_of_either_side_is_lost(before in text(), yours in text(), now in text()) {
            let merged = merge(&yours, Some(&before), &now, NAMES);
            prop_assert_eq!(merged.conflicts, merged.text.matches(YOURS).count());
            for (text, mine) in [(&yours, true), (&now, false)] {
                let added = changes(&lines(&before), &lines(text)).into_iter();
                for line in added.flat_map(|(_, new)| lines(text)[new].to_vec()) {
                    prop_assert!(merged.text.contains(line), "{line:?} of {mine}");
                }
            }
        }

        #[test]
        fn without_what_was_before_each_side_is_in_it(yours in text(), now in text()) {
            let merged = merge(&yours, None, &now, NAMES);
            let mut of = [String::new(), String::new()];
            let mut side = None;
            for line in lines(&merged.text) {
                match line {
                    _ if line.starts_with(YOURS) => side = Some(0),
                    _ if line.trim_end() == BETWEEN => side = Some(1),
                    _ if line.starts_with(NOW) => side = None,
                    _ => match side {
                        Some(at) => of[at].push_str(line),
                        None => of.iter_mut().for_each(|text| text.push_str(line)),
                    },
                }
            }
            prop_assert_eq!(of, [yours, now]);
        }
    }
}
