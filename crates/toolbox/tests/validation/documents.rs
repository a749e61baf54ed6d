//! docs/validation.md lists the checks as they are in the table, in the words of the product.

use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;
use toolbox::validate::{Check, Layer, Level, Severity};

const BEGIN: &str = "<!-- checks: made from the table -->\n";
const END: &str = "<!-- end of checks -->\n";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn words() -> Value {
    let text = std::fs::read_to_string(root().join("resources/words/checks.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn heading(layer: Layer) -> &'static str {
    match layer {
        Layer::Files => "1. Files",
        Layer::Interface => "2. Interface",
        Layer::Metadata => "3. Metadata",
        Layer::Schema => "4. Schema",
        Layer::Methods => "5. Methods",
        Layer::Parameters => "6. Parameters",
        Layer::Results => "7. Results",
        Layer::Errors => "8. Errors",
        Layer::Dependencies => "9. Dependencies",
        Layer::Environment => "10. Environment",
        Layer::Integration => "11. Integration",
    }
}

fn tables() -> String {
    let words = words();
    let mut text = String::new();
    for layer in Layer::ALL {
        write!(text, "\n### {}\n\n", heading(layer)).unwrap();
        text.push_str(
            "| Code | Severity | Level | What it means | How to mend it |\n|---|---|---|---|---|\n",
        );
        for check in Check::ALL.iter().filter(|check| check.layer() == layer) {
            let said = |what: &str| {
                words[check.code()]["en"][what]
                    .as_str()
                    .unwrap()
                    .replace('|', "\\|")
            };
            let severity = match check.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            let level = match check.level() {
                Level::Basic => "basic",
                Level::Full => "full",
            };
            writeln!(
                text,
                "| `{}` | {severity} | {level} | {} | {} |",
                check.code(),
                said("message"),
                said("hint")
            )
            .unwrap();
        }
    }
    text
}

/// With `PM_WRITE_DOCS` set the page is written anew.
#[test]
fn the_page_of_checks_says_what_the_table_says() {
    let path = root().join("docs/validation.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(BEGIN).unwrap();
    let (_, tail) = rest.split_once(END).unwrap();
    let right = format!("{head}{BEGIN}{}\n{END}{tail}", tables());
    if std::env::var_os("PM_WRITE_DOCS").is_some() {
        return std::fs::write(&path, &right).unwrap();
    }
    assert!(
        page == right,
        "docs/validation.md: PM_WRITE_DOCS=1 cargo test -p toolbox --test validation"
    );
}

/// The page that maps the seed's boxes to tests names tests that there are.
#[test]
fn the_tests_that_boxes_name_are_there() {
    let page = std::fs::read_to_string(root().join("docs/tool-boxes.md")).unwrap();
    let mut named = 0;
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        for test in cells[1..].join(" ").split('`').skip(1).step_by(2) {
            let Some((file, test)) = test.split_once("::") else {
                continue;
            };
            let text = std::fs::read_to_string(root().join(file)).unwrap_or_else(|_| panic!("{file}"));
            let there = text.contains(&format!("fn {test}(")) || text.contains(&format!("'{test}'"));
            assert!(there, "{test} is not in {file}");
            named += 1;
        }
    }
    assert!(named > 40, "{named}");
}

#[test]
fn every_check_is_worded_in_both_languages_with_a_way_to_mend_it() {
    let words = words();
    for check in Check::ALL {
        for language in ["zh-CN", "en"] {
            for what in ["message", "hint"] {
                let text = words[check.code()][language][what].as_str();
                assert!(
                    text.is_some_and(|text| !text.is_empty()),
                    "{} {language} {what}",
                    check.code()
                );
            }
        }
    }
}
