//! The owner about itself.

use crate::app::App;
use base::Failure;
use wire::{BuildId, Doctor, DoctorCheck, Hello, Link};

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
    let report = app.report().await;
    Doctor {
        tier: report.tier.as_str().to_owned(),
        checks: report
            .checks
            .iter()
            .map(|check| DoctorCheck {
                name: check.name.to_owned(),
                ok: check.ok,
                detail: check.detail.clone(),
            })
            .collect(),
        advice: report
            .advice
            .iter()
            .map(|advice| words(app, advice.code, &advice.command))
            .collect(),
    }
}

fn words(app: &App, code: &str, command: &str) -> String {
    let error = crate::words::worded(&Failure::new(code).with("command", command), app.lang());
    [error.message, error.hint.unwrap_or_default()]
        .join(" ")
        .trim()
        .to_owned()
}
