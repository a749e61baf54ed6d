//! The page of all figures. Each benchmark owns what stands between its two marks; what the figures mean stands outside
//! of them and is written by hand.

use crate::{Outcome, proc};
use std::fs;

const PAGE: &str = "docs/benchmarks.md";

pub fn write(name: &str, report: &str) -> Outcome {
    let path = proc::root().join(PAGE);
    let page = fs::read_to_string(&path)?;
    let page = put(&page, name, report).ok_or_else(|| format!("{PAGE} has no place for {name}"))?;
    Ok(fs::write(path, page)?)
}

fn put(page: &str, name: &str, report: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- measured: {name} -->"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{}\n\n{end}{after}", report.trim()))
}

#[cfg(test)]
mod tests {
    use super::super::BENCHES;
    use super::*;

    #[test]
    fn a_report_takes_the_place_of_the_one_before_and_remarks_stay() {
        let page = "# A\n<!-- measured: a -->\nold\n<!-- end of a -->\nremark\n<!-- measured: b --><!-- end of b -->\n";
        let written = put(page, "a", "new\n").unwrap();
        assert_eq!(
            written,
            "# A\n<!-- measured: a -->\n\nnew\n\n<!-- end of a -->\nremark\n<!-- measured: b --><!-- end of b -->\n"
        );
        assert_eq!(put(&written, "a", "new").unwrap(), written);
        assert_eq!(put(page, "c", "new"), None);
    }

    #[test]
    fn the_page_has_a_place_for_each() {
        let page = fs::read_to_string(proc::root().join(PAGE)).unwrap();
        for bench in BENCHES {
            assert!(put(&page, bench.name, "").is_some(), "{}", bench.name);
        }
    }
}
