//! Checks of tools.

use super::tools::name;
use crate::app::App;
use crate::words::worded;
use base::{Failure, Lang};
use toolbox::validate::{self, Check, Finding, Layer, Level, Severity, Validation};
use wire::{
    CheckFinding, CheckLayer, CheckLevel, CheckPlace, CheckSeverity, CheckState, CheckedLayer, ToolValidate,
    ToolValidated,
};

pub(super) async fn validate(app: &App, params: ToolValidate) -> Result<ToolValidated, Failure> {
    let level = match params.level {
        CheckLevel::Basic => Level::Basic,
        CheckLevel::Full => Level::Full,
    };
    let found = app.inner.toolbox.validate(&name(&params.tool)?, level).await?;
    let count = |severity| narrow(validate::count(&found.findings, severity));
    Ok(ToolValidated {
        tool: found.tool.to_string(),
        level: params.level,
        layers: Layer::ALL.iter().map(|one| checked(*one, &found)).collect(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        took_ms: found.took.as_secs_f64() * 1000.0,
        findings: found
            .findings
            .iter()
            .map(|one| finding(one, app.lang()))
            .collect(),
    })
}

fn checked(one: Layer, found: &Validation) -> CheckedLayer {
    let made = |check: &&Check| check.layer() == one && check.level() <= found.level;
    let checks = Check::ALL.iter().filter(made).count();
    let here = found
        .findings
        .iter()
        .filter(|finding| finding.check.layer() == one);
    // What could not be described, or tried, has nothing that the later layers could look at.
    let stopped = found.findings.iter().any(|finding| finding.check.ends(one));
    let state = match here.map(|finding| finding.check.severity()).min() {
        Some(Severity::Error) => CheckState::Failed,
        Some(Severity::Warning) => CheckState::Warned,
        _ if stopped || checks == 0 => CheckState::Unchecked,
        Some(Severity::Note) | None => CheckState::Passed,
    };
    CheckedLayer {
        layer: layer(one),
        state,
        checks: narrow(checks),
    }
}

fn finding(one: &Finding, lang: Lang) -> CheckFinding {
    CheckFinding {
        layer: layer(one.check.layer()),
        severity: match one.check.severity() {
            Severity::Error => CheckSeverity::Error,
            Severity::Warning => CheckSeverity::Warning,
            Severity::Note => CheckSeverity::Note,
        },
        about: worded(&one.failure(), lang),
        place: one.place.clone().map(|place| CheckPlace {
            file: place.file,
            line: place.line,
            column: place.column,
        }),
    }
}

fn layer(one: Layer) -> CheckLayer {
    match one {
        Layer::Files => CheckLayer::Files,
        Layer::Interface => CheckLayer::Interface,
        Layer::Metadata => CheckLayer::Metadata,
        Layer::Schema => CheckLayer::Schema,
        Layer::Methods => CheckLayer::Methods,
        Layer::Parameters => CheckLayer::Parameters,
        Layer::Results => CheckLayer::Results,
        Layer::Errors => CheckLayer::Errors,
        Layer::Dependencies => CheckLayer::Dependencies,
        Layer::Environment => CheckLayer::Environment,
        Layer::Integration => CheckLayer::Integration,
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
