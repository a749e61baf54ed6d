//! The owner about itself.

use crate::app::App;
use base::Failure;
use runtime::host::{Check, CommandTier};
use wire::{BuildId, Doctor, DoctorCheck, DoctorCommands, Hello, Link};

pub(super) fn hello(app: &App) -> Hello {
    Hello {
        product: "prompt-manager".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: BuildId::current().to_string(),
        pid: std::process::id(),
        home: app.inner.home.root().display().to_string(),
        address: app.inner.address.get().cloned(),
        isolation: app.inner.host.tier().as_str().to_owned(),
        language: app.lang().tag().to_owned(),
    }
}

pub(super) fn link(app: &App) -> Result<Link, Failure> {
    let address = app
        .inner
        .address
        .get()
        .ok_or_else(|| Failure::new("no_web_address"))?;
    Ok(Link {
        url: format!("{address}/#code={}", app.inner.auth.new_code()?),
    })
}

pub(super) async fn doctor(app: &App) -> Doctor {
    let proof = app.proof().await;
    let advice = proof.workers.advice.iter().chain(&proof.advice);
    Doctor {
        tier: proof.workers.tier.as_str().to_owned(),
        checks: checks(&proof.workers.checks),
        commands: proof.commands.iter().map(|tier| commands(app, tier)).collect(),
        advice: advice
            .map(|advice| words(app, advice.code, "command", &advice.command))
            .collect(),
    }
}

fn commands(app: &App, tier: &CommandTier) -> DoctorCommands {
    let in_use = tier.tier == app.inner.host.tier();
    let code = match (tier.proved, in_use) {
        (false, _) => "sandbox_commands_unproved",
        (true, true) => "sandbox_commands_in_use",
        (true, false) => "sandbox_commands_tried",
    };
    let weaker = tier.weaker.iter();
    DoctorCommands {
        tier: tier.tier.as_str().to_owned(),
        in_use,
        proved: tier.proved,
        text: words(app, code, "tier", tier.tier.as_str()),
        checks: checks(&tier.checks),
        weaker: weaker
            .map(|what| {
                let failure = Failure::new(format!("sandbox_weaker_{}", what.code()));
                crate::words::worded(&failure, app.lang()).message
            })
            .collect(),
    }
}

fn checks(checks: &[Check]) -> Vec<DoctorCheck> {
    let shown = checks.iter().map(|check| DoctorCheck {
        name: check.name.to_owned(),
        ok: check.ok,
        detail: check.detail.clone(),
    });
    shown.collect()
}

fn words(app: &App, code: &str, name: &str, value: &str) -> String {
    let error = crate::words::worded(&Failure::new(code).with(name, value), app.lang());
    [error.message, error.hint.unwrap_or_default()]
        .join(" ")
        .trim()
        .to_owned()
}
