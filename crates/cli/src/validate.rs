//! `pm tool validate`: checks of tools, as text, JSON or Markdown.

use crate::options::{Format, Level, Validate};
use crate::output::{self, Failed};
use crate::owner::Session;
use serde_json::json;
use std::process::ExitCode;
use wire::{
    CheckFinding, CheckLayer, CheckLevel, CheckSeverity, CheckState, CheckedLayer, Client, None,
    ToolValidate, ToolValidated,
};

pub async fn validate(session: &mut Session, options: Validate, json: bool) -> Result<ExitCode, Failed> {
    let level = match options.level {
        Level::Basic => CheckLevel::Basic,
        Level::Full => CheckLevel::Full,
    };
    let format = if json { Format::Json } else { options.format };
    let every = options.tool.is_none();
    let names = match options.tool {
        Some(tool) => vec![tool],
        Option::None => {
            let found = session.read(Client::tool_list, None {}).await?;
            found.tools.into_iter().map(|tool| tool.name).collect()
        }
    };
    let mut reports = Vec::new();
    for tool in names {
        let report = session
            .read(Client::tool_validate, ToolValidate { tool, level })
            .await?;
        match format {
            Format::Text => output::text(&as_text(&report)),
            Format::Markdown => output::text(&as_markdown(&report)),
            Format::Json => {}
        }
        reports.push(report);
    }
    match (format, reports.as_slice()) {
        (Format::Json, [report]) if !every => output::print(report),
        (Format::Json, reports) => output::print(&json!({"tools": reports})),
        (Format::Text | Format::Markdown, reports) if every => output::line(&altogether(reports)),
        (Format::Text | Format::Markdown, _) => {}
    }
    Ok(match reports.iter().any(|report| report.errors > 0) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

fn altogether(reports: &[ToolValidated]) -> String {
    let failed = reports.iter().filter(|report| report.errors > 0).count();
    let warned = reports
        .iter()
        .filter(|report| report.errors == 0 && report.warnings > 0)
        .count();
    let passed = reports.len() - failed - warned;
    format!(
        "{} tools: {passed} passed, {warned} with warnings, {failed} with errors",
        reports.len()
    )
}

fn as_text(report: &ToolValidated) -> String {
    let mut text = format!("{}: {}\n", report.tool, summary(report));
    for checked in &report.layers {
        text.push_str(&format!("  {}  {}\n", mark(checked.state), heading(checked)));
        for finding in of(report, checked.layer) {
            let place = place(finding)
                .map(|place| format!("{place}: "))
                .unwrap_or_default();
            let about = &finding.about;
            text.push_str(&format!(
                "      {} [{}] {place}{}\n",
                word(finding.severity),
                about.code,
                about.message
            ));
            if let Some(hint) = &about.hint {
                text.push_str(&format!("        -> {hint}\n"));
            }
        }
    }
    text
}

fn as_markdown(report: &ToolValidated) -> String {
    let mut text = format!("# {}\n\n{}\n\n", report.tool, summary(report));
    text.push_str("| Layer | State |\n|---|---|\n");
    for checked in &report.layers {
        text.push_str(&format!(
            "| {} | {} |\n",
            heading(checked),
            mark(checked.state).trim_end()
        ));
    }
    for layer in &report.layers {
        let findings: Vec<&CheckFinding> = of(report, layer.layer).collect();
        if findings.is_empty() {
            continue;
        }
        text.push_str(&format!("\n## {}\n\n", heading(layer)));
        text.push_str("| | Code | Place | What | How to mend it |\n|---|---|---|---|---|\n");
        for finding in findings {
            let about = &finding.about;
            let hint = about.hint.as_deref().unwrap_or_default();
            let cells = [
                word(finding.severity).trim_end().to_owned(),
                format!("`{}`", about.code),
                place(finding).unwrap_or_default(),
                cell(&about.message),
                cell(hint),
            ];
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
    }
    text.push('\n');
    text
}

/// What tools say of themselves must not end a row.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\r', '\n'], " ")
}

fn summary(report: &ToolValidated) -> String {
    match (report.errors, report.warnings) {
        (0, 0) => "no errors, no warnings".to_owned(),
        (errors, warnings) => format!("errors: {errors}, warnings: {warnings}"),
    }
}

fn of(report: &ToolValidated, layer: CheckLayer) -> impl Iterator<Item = &CheckFinding> {
    report
        .findings
        .iter()
        .filter(move |finding| finding.layer == layer)
}

fn place(finding: &CheckFinding) -> Option<String> {
    let place = finding.place.as_ref()?;
    Some(format!("{}:{}:{}", place.file, place.line, place.column))
}

fn heading(checked: &CheckedLayer) -> String {
    let (number, name) = match checked.layer {
        CheckLayer::Files => (1, "files"),
        CheckLayer::Interface => (2, "interface"),
        CheckLayer::Metadata => (3, "metadata"),
        CheckLayer::Schema => (4, "schema"),
        CheckLayer::Methods => (5, "methods"),
        CheckLayer::Parameters => (6, "parameters"),
        CheckLayer::Results => (7, "results"),
        CheckLayer::Errors => (8, "errors"),
        CheckLayer::Dependencies => (9, "dependencies"),
        CheckLayer::Environment => (10, "environment"),
        CheckLayer::Integration => (11, "integration"),
    };
    format!("{number}. {name}")
}

fn mark(state: CheckState) -> &'static str {
    match state {
        CheckState::Passed => "ok  ",
        CheckState::Warned => "warn",
        CheckState::Failed => "FAIL",
        CheckState::Unchecked => "-   ",
    }
}

fn word(severity: CheckSeverity) -> &'static str {
    match severity {
        CheckSeverity::Error => "error",
        CheckSeverity::Warning => "warning",
        CheckSeverity::Note => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> ToolValidated {
        let about = wire::WireError {
            code: "metadata_tags_type".to_owned(),
            message: "a | b\nc".to_owned(),
            hint: Some("mend".to_owned()),
            args: Default::default(),
        };
        let place = wire::CheckPlace {
            file: "t.tool.js".to_owned(),
            line: 3,
            column: 5,
        };
        ToolValidated {
            tool: "t".to_owned(),
            level: CheckLevel::Basic,
            layers: vec![CheckedLayer {
                layer: CheckLayer::Metadata,
                state: CheckState::Failed,
                checks: 14,
            }],
            findings: vec![CheckFinding {
                layer: CheckLayer::Metadata,
                severity: CheckSeverity::Error,
                about,
                place: Some(place),
            }],
            errors: 1,
            warnings: 0,
            took_ms: 1.0,
        }
    }

    #[test]
    fn a_report_says_where_and_how_in_both_forms() {
        let text = as_text(&report());
        assert!(text.contains("  FAIL  3. metadata\n"), "{text}");
        assert!(
            text.contains("error [metadata_tags_type] t.tool.js:3:5: a | b\nc\n        -> mend\n"),
            "{text}"
        );
        let markdown = as_markdown(&report());
        let row = "| error | `metadata_tags_type` | t.tool.js:3:5 | a \\| b c | mend |\n";
        assert!(markdown.contains(row), "{markdown}");
    }
}
