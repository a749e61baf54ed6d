//! What stands here: the one place that says behind which walls processes are started.
//!
//! What the host promises ([`Facts`]) is not believed. The tiers that it could have are tried, the best
//! first, by a worker and by a command; the first that held is used, and with none of them nothing is
//! started. Whoever starts something gets the facts from here, and so waits until that is known; what
//! is not used is tried for who asks about it.
//!
//! Where nobody asked for the proof, as in a program that runs one script, the first worker tries its walls
//! itself before it is told anything ([`Walls::start`]), and waits only where they do not hold.

use crate::advice::{self, Advice};
use crate::error::SandboxError;
use crate::facts::{Facts, Namespaces, Tier, Weaker};
use crate::os::{Child, Launcher, detect, expected};
use crate::policy::Policy;
use crate::prepare::prepare;
use crate::selftest::{Check, self_test, tried};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::OnceCell;

/// The walls of this host. Cheap to clone: all clones share one proof.
#[derive(Clone, Debug)]
pub struct Walls {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    launcher: Launcher,
    promised: Option<Facts>,
    program: PathBuf,
    proof: OnceCell<Proof>,
    whole: OnceCell<Proof>,
    /// The proof is there or under way.
    asked: AtomicBool,
    /// What workers start with where nobody asks for it.
    early: OnceCell<Facts>,
}

/// What came of trying.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What the host promises; not believed.
    pub host: Vec<Check>,
    /// The tiers that were tried, the best first.
    pub tiers: Vec<TierProof>,
    pub advice: Vec<Advice>,
    facts: Facts,
}

/// What came of trying one tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TierProof {
    pub tier: Tier,
    pub checks: Vec<Check>,
    /// What this tier does not give to commands here.
    pub weaker: Vec<Weaker>,
}

impl TierProof {
    /// Processes behind these walls could not do what this process can.
    pub fn proved(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }

    /// The names of what failed.
    pub fn failed(&self) -> Vec<&'static str> {
        let failed = self.checks.iter().filter(|check| !check.ok);
        failed.map(|check| check.name).collect()
    }
}

impl Proof {
    /// The tier that everything gets.
    pub fn tier(&self) -> Tier {
        self.facts.tier()
    }

    /// Better tiers than that, whose walls did not hold.
    pub fn fallen(&self) -> impl Iterator<Item = &TierProof> {
        self.tiers.iter().filter(|tier| tier.tier > self.tier())
    }
}

impl Walls {
    /// `program`: one whose `main` begins with [`confine::enter`](crate::confine::enter). What the
    /// host promises is found out with the proof.
    pub fn new(launcher: Launcher, program: PathBuf) -> Self {
        Walls::with(launcher, None, program)
    }

    /// As if the host promised this: for tests.
    pub fn promised(launcher: Launcher, facts: Facts, program: PathBuf) -> Self {
        Walls::with(launcher, Some(facts), program)
    }

    fn with(launcher: Launcher, promised: Option<Facts>, program: PathBuf) -> Self {
        let inner = Inner {
            launcher,
            promised,
            program,
            proof: OnceCell::new(),
            whole: OnceCell::new(),
            asked: AtomicBool::new(false),
            early: OnceCell::new(),
        };
        Walls {
            inner: Arc::new(inner),
        }
    }

    pub fn launcher(&self) -> &Launcher {
        &self.inner.launcher
    }

    pub fn program(&self) -> &Path {
        &self.inner.program
    }

    /// Waits for the proof; the first who asks has it made.
    pub async fn proof(&self) -> &Proof {
        self.inner.asked.store(true, Ordering::Relaxed);
        // Boxed: everybody who starts something has this future in his own.
        self.inner
            .proof
            .get_or_init(|| Box::pin(self.inner.prove()))
            .await
    }

    /// The same, and the tiers that are not used have been tried, too.
    pub async fn every_tier(&self) -> &Proof {
        let proof = self.proof().await;
        self.inner
            .whole
            .get_or_init(|| Box::pin(self.inner.try_the_rest(proof)))
            .await
    }

    /// What may be counted on. To be asked for at each start: nothing else has been proved.
    pub async fn facts(&self) -> &Facts {
        &self.proof().await.facts
    }

    /// The tier that everything gets.
    pub async fn tier(&self) -> Tier {
        self.proof().await.tier()
    }

    /// Starts a worker. Where nobody asked for the proof the first one tries the walls of the best tier itself,
    /// and when they hold, the others have the same.
    pub async fn start(&self, policy: &Policy) -> Result<Child, SandboxError> {
        let inner = &*self.inner;
        let mut first = None;
        let facts = match inner.asked.load(Ordering::Relaxed) {
            true => self.facts().await,
            false => {
                let first = &mut first;
                let early = move || async move {
                    match Box::pin(inner.try_with(policy)).await {
                        Some((child, facts)) => {
                            *first = Some(child);
                            facts
                        }
                        None => self.facts().await.clone(),
                    }
                };
                inner.early.get_or_init(early).await
            }
        };
        match first {
            Some(child) => Ok(child),
            None => inner.launcher.spawn(prepare(policy, facts)?).await,
        }
    }
}

impl Inner {
    async fn promises(&self) -> Facts {
        match &self.promised {
            Some(facts) => facts.clone(),
            None => looked(expected).await,
        }
    }

    /// A worker that found the walls of the best tier to hold, and what that tier counts on.
    async fn try_with(&self, policy: &Policy) -> Option<(Child, Facts)> {
        let facts = self.promises().await;
        match tried(&self.launcher, &facts, policy).await {
            Ok((child, checks)) if checks.iter().all(|check| check.ok) => Some((child, facts)),
            Ok((_, checks)) => {
                tracing::warn!(?checks, "walls did not hold for the first worker");
                None
            }
            // The proof finds out why, and says it.
            Err(error) => {
                tracing::debug!(%error, "the first worker could not try its walls");
                None
            }
        }
    }

    async fn prove(&self) -> Proof {
        let mut promised = self.promises().await;
        let mut full = self.try_out(Tier::Full, &promised).await;
        if self.promised.is_none() && full.as_ref().is_some_and(|full| !full.proved()) {
            // Either the system does not let bubblewrap, and says why, or its walls do not hold.
            promised = looked(detect).await;
            full = full.filter(|_| promised.tier() == Tier::Full);
        }
        let mut tiers = Vec::from_iter(full);
        if !tiers.iter().any(TierProof::proved) {
            tiers.extend(self.try_out(Tier::Reduced, &promised).await);
        }
        let mut advice = advice::advice(&promised);
        advice.extend(advice::command_advice(&promised));
        let host = described(&promised);
        let facts = standing(promised, &tiers);
        self.launcher.settle(facts.tier());
        for tier in &mut tiers {
            if tier.tier == facts.tier() {
                tier.weaker = facts.weaker();
            }
        }
        Proof {
            host,
            tiers,
            advice,
            facts,
        }
    }

    async fn try_the_rest(&self, proof: &Proof) -> Proof {
        let mut whole = proof.clone();
        // Below any other all have been tried.
        if proof.tier() == Tier::Full {
            whole
                .tiers
                .extend(self.try_out(Tier::Reduced, &proof.facts).await);
            self.launcher.settle(Tier::Full);
        }
        whole
    }

    async fn try_out(&self, tier: Tier, promised: &Facts) -> Option<TierProof> {
        let facts = promised.clone().only(tier);
        if facts.tier() != tier {
            return None;
        }
        Some(TierProof {
            tier,
            checks: self_test(&self.launcher, &facts, &self.program).await,
            weaker: facts.weaker(),
        })
    }
}

/// Where it cannot be found out nothing is promised.
async fn looked(look: fn() -> Facts) -> Facts {
    tokio::task::spawn_blocking(look)
        .await
        .unwrap_or_else(|_| Facts::nothing())
}

/// The host as if it had nothing that did not hold.
fn standing(promised: Facts, tiers: &[TierProof]) -> Facts {
    let best = tiers.iter().find(|tier| tier.proved());
    let best = best.map_or(Tier::None, |tier| tier.tier);
    let unproved = promised.tier() > best;
    Facts {
        unproved,
        ..promised.only(best)
    }
}

fn described(facts: &Facts) -> Vec<Check> {
    let (works, said) = match &facts.namespaces {
        Namespaces::Work { bwrap } => (true, bwrap.display().to_string()),
        Namespaces::Forbidden { bwrap, said } => (false, format!("{}: {said}", bwrap.display())),
        Namespaces::NoBwrap => (false, "bubblewrap is not installed".to_owned()),
        Namespaces::Absent => (false, "not on this system".to_owned()),
    };
    vec![
        Check::new("namespaces", works, said),
        Check::new("landlock", facts.landlock > 0, format!("ABI {}", facts.landlock)),
        Check::new("seccomp", facts.seccomp, ""),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            namespaces: Namespaces::Work {
                bwrap: "/usr/bin/bwrap".into(),
            },
            landlock: 7,
            seccomp: true,
            ..Facts::nothing()
        }
    }

    fn tried(tier: Tier, ok: bool) -> TierProof {
        TierProof {
            tier,
            checks: vec![
                Check::new("canary_read", true, ""),
                Check::new("canary_connect", ok, ""),
            ],
            weaker: Vec::new(),
        }
    }

    #[test]
    fn the_best_tier_that_held_is_used() {
        for (full, reduced, tier) in [
            (true, true, Tier::Full),
            (true, false, Tier::Full),
            (false, true, Tier::Reduced),
            (false, false, Tier::None),
        ] {
            let tiers = [tried(Tier::Full, full), tried(Tier::Reduced, reduced)];
            let stands = standing(facts(), &tiers);
            assert_eq!((stands.tier(), stands.unproved), (tier, tier < Tier::Full));
            assert_eq!(stands.weaker().contains(&Weaker::Unproved), stands.unproved);
        }
        let stands = standing(Facts::nothing(), &[]);
        assert_eq!(
            (stands.tier(), stands.unproved),
            (Tier::None, false),
            "nothing was promised"
        );
    }
}
