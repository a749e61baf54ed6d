//! How the window bears size, in Chromium: tests/browser/size.mjs measures, this words it.

use crate::{Outcome, node, proc, setup};
use serde_json::Value;
use std::fmt::Write as _;

/// A page and what it is called in the report.
const PAGES: &[(&str, &str)] = &[
    ("tools", "1,000 tools"),
    ("pictures", "5,000 pictures"),
    ("log", "log of 10 MB"),
    ("flood", "the same, 1,000 lines/s arriving"),
];

pub fn run() -> Outcome<String> {
    setup::ensure(setup::PICTURES)?;
    node::install("tests/browser")?;
    let script = proc::root().join("tests/browser/size.mjs");
    let mut command = proc::program("node");
    command.arg(script).env("PM_PROFILE", "release");
    let text = proc::capture(&mut command)?;
    let line = text.lines().last().ok_or("size.mjs printed nothing")?;
    report(&serde_json::from_str(line)?)
}

fn report(result: &Value) -> Outcome<String> {
    let mut text = String::from(
        "Headless Chromium, 1200 x 800, without a GPU. Open: from asking for the page until its rows are\n\
         painted, median of 7. Frames: of Chromium's trace while a wheel scrolls 1,500 px/s for 3 s; a dropped\n\
         one is one that Chromium counts against smoothness. Heap and nodes: after a collection.\n\n\
         | page | open, ms | frames shown | dropped | heap, MB | DOM nodes |\n|---|---|---|---|---|---|\n",
    );
    row(
        &mut text,
        "plain page of 1,000 static rows",
        None,
        &result["plain"],
    )?;
    for (key, name) in PAGES {
        let page = &result[*key];
        row(&mut text, name, Some(number(page, "/open")?), page)?;
    }
    writeln!(
        text,
        "\nCommand palette: {:.0} ms from the keys to its rows. Scratchpad: a chart is painted {:.0} ms after the keys that run\nit. `pm serve` with all of it: {:.0} ms to its address; first\n`tool.list` with 1,000 tools never seen before: {:.0} ms.",
        number(result, "/palette/open")?,
        number(result, "/scratchpad/painted")?,
        number(result, "/started")?,
        number(result, "/firstList")?,
    )?;
    Ok(text)
}

fn row(text: &mut String, name: &str, open: Option<f64>, page: &Value) -> Outcome {
    let open = open.map_or_else(|| "".to_owned(), |open| format!("{open:.0}"));
    writeln!(
        text,
        "| {name} | {open} | {} | {} | {:.1} | {} |",
        number(page, "/frames/presented")?,
        number(page, "/frames/dropped")?,
        number(page, "/memory/bytes")? / 1e6,
        number(page, "/memory/nodes")?,
    )?;
    Ok(())
}

fn number(of: &Value, at: &str) -> Outcome<f64> {
    of.pointer(at)
        .and_then(Value::as_f64)
        .ok_or_else(|| format!("size.mjs gave no {at}").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_page_has_a_row_and_a_missing_figure_is_an_error() {
        let page = json!({"open": 12.4, "frames": {"presented": 180, "partial": 0, "dropped": 1},
            "memory": {"bytes": 9.5e6, "nodes": 900}});
        let mut result = json!({"started": 50, "firstList": 20, "palette": {"open": 30},
            "scratchpad": {"painted": 80}, "plain": page});
        for (key, _) in PAGES {
            result[*key] = page.clone();
        }
        let text = report(&result).unwrap();
        assert!(
            text.contains("| 1,000 tools | 12 | 180 | 1 | 9.5 | 900 |"),
            "{text}"
        );
        result["log"] = json!({});
        assert!(report(&result).is_err());
    }
}
