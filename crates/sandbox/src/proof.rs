//! What stands here: the one place that says behind which walls processes are started.
//!
//! What the host promises ([`Facts`]) is not believed. The tiers that it could have are tried, the best
//! first, by a worker and by a command; the first that held for both is used, and with none of them nothing
//! is started. Who starts a command gets the facts from here, and so waits until that is known; what
//! is not used is tried for who asks about it.
//!
//! A worker needs no more than that the walls hold for workers. The first one, where nobody asked before,
//! tries those of the best tier itself before it is told anything, and only where they do not hold waits for
//! the whole proof.

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
use tokio::sync::{Mutex, OnceCell};

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
    /// What may be counted on for workers.
    of_workers: OnceCell<Facts>,
    /// One worker at a time tries.
    first: Mutex<()>,
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
    of_workers: Facts,
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
    /// The tier that commands get; workers get it, or a better one that held for them.
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
            of_workers: OnceCell::new(),
            first: Mutex::new(()),
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

    /// What may be counted on for everything. To be asked for at each start: nothing else has been proved.
    pub async fn facts(&self) -> &Facts {
        &self.proof().await.facts
    }

    /// The tier that commands get; workers get it, or a better one that held for them.
    pub async fn tier(&self) -> Tier {
        self.proof().await.tier()
    }

    /// Starts a worker behind walls that held for workers.
    pub async fn start(&self, policy: &Policy) -> Result<Child, SandboxError> {
        let inner = &self.inner;
        let facts = match inner.of_workers.get() {
            Some(facts) => facts,
            None => {
                let _turn = inner.first.lock().await;
                match inner.of_workers.get() {
                    Some(facts) => facts,
                    None => match Box::pin(inner.try_with(policy)).await {
                        Some(child) => return Ok(child),
                        None => &self.proof().await.of_workers,
                    },
                }
            }
        };
        inner.launcher.spawn(prepare(policy, facts)?).await
    }
}

impl Inner {
    async fn promises(&self) -> Facts {
        match &self.promised {
            Some(facts) => facts.clone(),
            None => looked(expected).await,
        }
    }

    /// A worker that found the walls of the best tier to hold.
    async fn try_with(&self, policy: &Policy) -> Option<Child> {
        let promised = self.promises().await;
        let facts = promised.clone().only(promised.tier());
        let (child, checks) = match tried(&self.launcher, &facts, policy).await {
            Ok(tried) => tried,
            Err(error) => {
                tracing::debug!(%error, "the first worker could not try its walls");
                return None;
            }
        };
        if !checks.iter().all(|check| check.ok) {
            return None;
        }
        // The proof may have found it out meanwhile.
        self.of_workers.get_or_init(|| async { facts }).await;
        Some(child)
    }

    async fn prove(&self) -> Proof {
        let mut promised = self.promises().await;
        let mut full = self.try_out(Tier::Full, &promised).await;
        if self.promised.is_none() && full.as_ref().is_some_and(|full| !full.proof.proved()) {
            // Either the system does not let bubblewrap, and says why, or its walls do not hold.
            promised = looked(detect).await;
            full = full.filter(|_| promised.tier() == Tier::Full);
        }
        let mut tried = Vec::from_iter(full);
        if !tried.iter().any(|tried| tried.proof.proved()) {
            tried.extend(self.try_out(Tier::Reduced, &promised).await);
        }
        let mut advice = advice::advice(&promised);
        advice.extend(advice::command_advice(&promised));
        let best = |held: fn(&Tried) -> bool| {
            let best = tried.iter().find(|tried| held(tried));
            best.map_or(Tier::None, |tried| tried.proof.tier)
        };
        let host = described(&promised);
        let of_workers = standing(promised.clone(), best(|tried| tried.for_workers));
        let facts = standing(promised, best(|tried| tried.proof.proved()));
        self.launcher.settle(facts.tier());
        // A worker may have found it out before.
        let of_workers = self.of_workers.get_or_init(|| async { of_workers }).await.clone();
        let mut tiers = Vec::from_iter(tried.into_iter().map(|tried| tried.proof));
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
            of_workers,
        }
    }

    async fn try_the_rest(&self, proof: &Proof) -> Proof {
        let mut whole = proof.clone();
        // Below any other all have been tried.
        if proof.tier() == Tier::Full {
            let reduced = self.try_out(Tier::Reduced, &proof.facts).await;
            whole.tiers.extend(reduced.map(|tried| tried.proof));
            self.launcher.settle(Tier::Full);
        }
        whole
    }

    async fn try_out(&self, tier: Tier, promised: &Facts) -> Option<Tried> {
        let facts = promised.clone().only(tier);
        if facts.tier() != tier {
            return None;
        }
        let [of_worker, of_command] = self_test(&self.launcher, &facts, &self.program).await;
        Some(Tried {
            for_workers: of_worker.iter().all(|check| check.ok),
            proof: TierProof {
                tier,
                checks: [of_worker, of_command].concat(),
                weaker: facts.weaker(),
            },
        })
    }
}

struct Tried {
    proof: TierProof,
    /// For workers they held, whatever came of the command.
    for_workers: bool,
}

/// Where it cannot be found out nothing is promised.
async fn looked(look: fn() -> Facts) -> Facts {
    tokio::task::spawn_blocking(look)
        .await
        .unwrap_or_else(|_| Facts::nothing())
}

/// The host as if it had nothing better than what held.
fn standing(promised: Facts, held: Tier) -> Facts {
    let unproved = promised.tier() > held;
    Facts {
        unproved,
        ..promised.only(held)
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

    #[test]
    fn what_did_not_hold_is_not_counted_on() {
        for held in [Tier::Full, Tier::Reduced, Tier::None] {
            let stands = standing(facts(), held);
            assert_eq!((stands.tier(), stands.unproved), (held, held < Tier::Full));
            assert_eq!(stands.weaker().contains(&Weaker::Unproved), stands.unproved);
        }
        let stands = standing(Facts::nothing(), Tier::None);
        assert_eq!(
            (stands.tier(), stands.unproved),
            (Tier::None, false),
            "nothing was promised"
        );
    }
}
