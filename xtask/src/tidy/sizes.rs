//! Files that are too long to read and files that are too heavy to commit.

use super::{Finding, Source, is_generated_or_fixture};

/// Split before it comes to this.
const LINES_MOST: usize = 800;
const LINES_WARN: usize = 500;
const BYTES_MOST: u64 = 5 * 1024 * 1024;

pub fn lines(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        let is_code = [".rs", ".ts", ".vue"]
            .iter()
            .any(|end| source.path.ends_with(end));
        if !is_code || is_generated_or_fixture(&source.path) {
            continue;
        }
        let lines = source.text.lines().count();
        if lines > LINES_MOST {
            findings.push(Finding::error(
                &source.path,
                format!("{lines} lines; at most {LINES_MOST}"),
            ));
        } else if lines > LINES_WARN {
            findings.push(Finding::warning(
                &source.path,
                format!("{lines} lines; better under {LINES_WARN}"),
            ));
        }
    }
    findings
}

pub fn bytes(weights: &[(String, u64)]) -> Vec<Finding> {
    weights
        .iter()
        .filter(|(_, bytes)| *bytes > BYTES_MOST)
        .map(|(path, bytes)| Finding::error(path, format!("{bytes} bytes; at most {BYTES_MOST}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Weight, source};
    use super::*;

    #[test]
    fn long_files_warn_and_then_fail() {
        let of = |path: &str, lines: usize| super::lines(&[source(path, &"x\n".repeat(lines))]);
        assert!(of("crates/a/src/lib.rs", 500).is_empty());
        assert_eq!(of("crates/a/src/lib.rs", 501)[0].weight, Weight::Warning);
        assert_eq!(of("ui/src/A.vue", 800)[0].weight, Weight::Warning);
        assert_eq!(of("ui/src/a.ts", 801)[0].weight, Weight::Error);
        assert!(of("ui/src/generated/calls.ts", 5000).is_empty());
        assert!(of("tests/fixtures/a.rs", 5000).is_empty());
        assert!(of("Cargo.lock", 5000).is_empty());
    }

    #[test]
    fn heavy_files_fail() {
        let found = bytes(&[
            ("a.png".to_owned(), BYTES_MOST),
            ("b.png".to_owned(), BYTES_MOST + 1),
        ]);
        assert_eq!(
            found
                .iter()
                .map(|finding| finding.place.as_str())
                .collect::<Vec<_>>(),
            ["b.png"]
        );
    }
}
