//! What stands between two lines of `---` at the start of a Markdown file, and what follows it.

/// The front matter without its lines of `---` (`None`: there is none), and the text after it.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let opened = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"));
    let Some(rest) = opened else { return (None, text) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (Some(&rest[..at]), &rest[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_whole_lines_of_three_dashes_divide() {
        assert_eq!(split("---\na: 1\n---\nbody\n"), (Some("a: 1\n"), "body\n"));
        assert_eq!(split("---\r\na: 1\r\n---\r\nbody"), (Some("a: 1\r\n"), "body"));
        assert_eq!(split("\u{feff}---\n---"), (Some(""), ""));
        assert_eq!(split("---\na: ---\n----\n"), (None, "---\na: ---\n----\n"));
        assert_eq!(split("text\n---\n---\n"), (None, "text\n---\n---\n"));
    }

    proptest! {
        #[test]
        fn nothing_but_the_dashes_is_lost(text in "(---\n)?(\\PC|[\n\r-]){0,60}") {
            let (front, body) = split(&text);
            let kept = front.map_or(0, str::len) + body.len();
            prop_assert!(kept <= text.len() && text.ends_with(body));
        }
    }
}
