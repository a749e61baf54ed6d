//! The owner about itself.

use crate::app::App;
use base::Failure;
use runtime::host::{Check, Proof, Tier, TierProof};
use wire::{BuildId, Doctor, DoctorCheck, DoctorTier, Hello, Link};

/// Says which walls stand, and so waits until that is known.
pub(super) async fn hello(app: &App) -> Hello {
    Hello {
        product: "prompt-manager".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: BuildId::current().to_string(),
        pid: std::process::id(),
        home: app.inner.home.root().display().to_string(),
        address: app.inner.address.get().cloned(),
        isolation: app.walls().tier().await.as_str().to_owned(),
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

pub(crate) async fn doctor(app: &App) -> Doctor {
    let proof = app.walls().every_tier().await;
    Doctor {
        tier: proof.tier().as_str().to_owned(),
        instead: instead(app, proof),
        checks: checks(&proof.host),
        tiers: proof.tiers.iter().map(|one| tier(app, proof, one)).collect(),
        advice: proof
            .advice
            .iter()
            .map(|advice| {
                words(
                    app,
                    Failure::new(advice.code).with("command", advice.command.as_str()),
                )
            })
            .collect(),
    }
}

/// What did not hold, and what is used in its place.
fn instead(app: &App, proof: &Proof) -> Option<String> {
    let (tiers, failed): (Vec<_>, Vec<_>) = proof
        .fallen()
        .map(|fallen| (fallen.tier.as_str(), fallen.failed()))
        .unzip();
    let failure = Failure::new(match proof.tier() {
        Tier::None => "sandbox_fallen_to_none",
        _ => "sandbox_fallen",
    });
    (!tiers.is_empty()).then(|| {
        let failure = failure
            .with("tiers", tiers.join(", "))
            .with("failed", failed.concat().join(", "))
            .with("used", proof.tier().as_str());
        words(app, failure)
    })
}

fn tier(app: &App, proof: &Proof, tier: &TierProof) -> DoctorTier {
    let (in_use, proved) = (tier.tier == proof.tier(), tier.proved());
    let code = match (proved, in_use) {
        (false, _) => "sandbox_tier_unproved",
        (true, true) => "sandbox_tier_in_use",
        (true, false) => "sandbox_tier_tried",
    };
    let weaker = tier.weaker.iter();
    DoctorTier {
        tier: tier.tier.as_str().to_owned(),
        in_use,
        proved,
        text: words(app, Failure::new(code)),
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

fn words(app: &App, failure: Failure) -> String {
    let error = crate::words::worded(&failure, app.lang());
    [error.message, error.hint.unwrap_or_default()]
        .join(" ")
        .trim()
        .to_owned()
}
