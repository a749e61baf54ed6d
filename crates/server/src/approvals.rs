//! Questions to a person: something waits until she allows it, denies it, or does not answer.
//!
//! The store decides which answer was first; here are only those who wait for it. None is a no: an
//! answer that does not come in time, a run that is called off, an owner that ends, too many
//! questions at once. What was allowed for a task is remembered as a grant, and the very same is
//! not asked again: same subject, same kind, same code, and the same value byte by byte. Whoever
//! asks therefore brings the value into one form first ([`Ask::value`]).
//!
//! Deliberately not here: what needs a question (policies are their rooms' affair), and any way
//! for a model to answer one.

use base::{Args, Coded, Failure, args};
use serde_json::Value;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Actor, Approval, ApprovalState, GrantKind, NewApproval, Resolution, Store};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Bytes of what is asked for, and of what is said about it.
const VALUE: usize = 16 * 1024;
const DETAIL: usize = 16 * 1024;

#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For an answer.
    pub time: Duration,
    /// Questions that wait at once.
    pub most: usize,
    /// Of these, of one subject, and of one who asks: nobody takes the places of all.
    pub each: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            time: Duration::from_secs(120),
            most: 100,
            each: 10,
        }
    }
}

/// A question.
#[derive(Clone, Debug)]
pub struct Ask {
    /// A tool's name, or `task:` and the id of a task.
    pub subject: String,
    pub kind: GrantKind,
    /// Compared byte by byte; kept and shown with masks where it holds secrets. A command: the whole line as it would be executed. A directory: the
    /// real path. A host: `sandbox::net::HostRules::normal_form`. A tool: its name.
    pub value: String,
    /// Of the tool's code; empty for a task.
    pub code_hash: String,
    /// What a person wants to know: why it is asked, in which folder, for how long…
    pub detail: Value,
    /// Who asks.
    pub actor: Actor,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Allowed(Allowed),
    Denied(Denied),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// By an earlier answer; nobody was asked.
    Remembered,
    Once(Actor),
    ForTask(Actor),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    By(Actor),
    NoAnswer,
    /// The run that asked was called off.
    Cancelled,
    /// The owner ends.
    Ending,
    /// So many wait already.
    TooMany(usize),
    /// The question is too long to be read.
    TooLong,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    AllowOnce,
    AllowForTask,
    Deny,
}

#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    #[error("not allowed: {reason}")]
    Denied { reason: &'static str },
    #[error("nobody answered in time")]
    Required,
    #[error("{limit} questions wait already")]
    TooMany { limit: usize },
    #[error("approval {id} is already {state}")]
    AlreadyResolved { id: String, state: &'static str },
}

impl Coded for ApprovalError {
    fn code(&self) -> &'static str {
        match self {
            ApprovalError::Denied { .. } => "approval_denied",
            ApprovalError::Required => "approval_required",
            ApprovalError::TooMany { .. } => "too_many_questions",
            ApprovalError::AlreadyResolved { .. } => "already_resolved",
        }
    }
    fn args(&self) -> Args {
        match self {
            ApprovalError::Denied { reason } => args! { reason: reason },
            ApprovalError::Required => Args::new(),
            ApprovalError::TooMany { limit } => args! { limit: limit },
            ApprovalError::AlreadyResolved { id, state } => args! { id: id, state: state },
        }
    }
}

impl Decision {
    /// For whoever only goes on when it is allowed.
    pub fn check(&self) -> Result<(), ApprovalError> {
        let reason = match self {
            Decision::Allowed(_) => return Ok(()),
            Decision::Denied(Denied::By(_)) => "denied",
            Decision::Denied(Denied::NoAnswer) => return Err(ApprovalError::Required),
            Decision::Denied(Denied::Cancelled) => "cancelled",
            Decision::Denied(Denied::Ending) => "ending",
            Decision::Denied(Denied::TooMany(limit)) => {
                return Err(ApprovalError::TooMany { limit: *limit });
            }
            Decision::Denied(Denied::TooLong) => "too_long",
        };
        Err(ApprovalError::Denied { reason })
    }
}

/// A way to the person besides the window and `pm approve`.
pub trait Elsewhere: Sync {
    /// Her answer and who brought it; never, when none comes by this way. Dropped when it is no
    /// longer needed.
    fn ask(&self, ask: &Ask) -> impl Future<Output = (Answer, Actor)> + Send;
}

/// There is no other way.
pub struct Nowhere;

impl Elsewhere for Nowhere {
    async fn ask(&self, _: &Ask) -> (Answer, Actor) {
        std::future::pending().await
    }
}

/// The open questions. Cheap to clone.
#[derive(Clone)]
pub struct Approvals {
    store: Store,
    waiting: Arc<Mutex<Waiting>>,
    ending: CancellationToken,
    patience: Patience,
}

type Waiting = HashMap<String, Waits>;

struct Waits {
    subject: String,
    actor: Actor,
    tell: oneshot::Sender<Approval>,
}

/// A place among those who wait. Dropped before there is an answer, it withdraws the question.
struct Place {
    approvals: Approvals,
    id: String,
    settled: bool,
}

impl Approvals {
    /// `ending`: cancelled when the owner ends; then nobody waits any more.
    pub fn new(store: Store, ending: CancellationToken, patience: Patience) -> Self {
        Approvals {
            store,
            waiting: Arc::default(),
            ending,
            patience,
        }
    }

    /// Waits for a person's answer. `cancel`: of the run that asks.
    pub async fn ask(&self, ask: Ask, cancel: &CancellationToken) -> Result<Decision, Failure> {
        self.ask_by(ask, cancel, &Nowhere).await
    }

    /// The same, with one more way by which the answer may come.
    pub async fn ask_by(
        &self,
        ask: Ask,
        cancel: &CancellationToken,
        elsewhere: &impl Elsewhere,
    ) -> Result<Decision, Failure> {
        let denied = |why| Ok(Decision::Denied(why));
        if ask.value.len() > VALUE || ask.detail.to_string().len() > DETAIL {
            return denied(Denied::TooLong);
        }
        let (subject, value, code) = (ask.subject.clone(), ask.value.clone(), ask.code_hash.clone());
        if self.store.is_granted(subject, ask.kind, value, code).await? {
            return Ok(Decision::Allowed(Allowed::Remembered));
        }
        if self.ending.is_cancelled() {
            return denied(Denied::Ending);
        }
        if cancel.is_cancelled() {
            return denied(Denied::Cancelled);
        }
        let (mut place, mut answer) = match self.place(&ask) {
            Ok(place) => place,
            Err(limit) => {
                tracing::warn!(
                    subject = ask.subject,
                    limit,
                    "too many questions wait for a person"
                );
                return denied(Denied::TooMany(limit));
            }
        };
        let asked = NewApproval {
            id: place.id.clone(),
            subject: ask.subject.clone(),
            kind: ask.kind,
            value: ask.value.clone(),
            code_hash: ask.code_hash.clone(),
            detail: ask.detail.clone(),
            actor: ask.actor.clone(),
        };
        let kept = self.store.add_approval(asked).await?.asked;
        // Whoever is asked sees what is kept: without secrets.
        let ask = Ask {
            value: kept.value,
            detail: kept.detail,
            ..ask
        };
        let brought = async {
            let (answer, by) = elsewhere.ask(&ask).await;
            // Somebody may have been quicker: then hers is the answer that comes below.
            if let Err(failure) = self.resolve(&place.id, answer, by).await {
                tracing::debug!(%failure, "an answer came too late");
            }
            std::future::pending().await
        };
        let why = tokio::select! {
            biased;
            Ok(approval) = &mut answer => {
                place.settled = true;
                return Ok(decision(approval, Denied::NoAnswer));
            }
            () = brought => Denied::NoAnswer,
            () = cancel.cancelled() => Denied::Cancelled,
            () = self.ending.cancelled() => Denied::Ending,
            () = tokio::time::sleep(self.patience.time) => Denied::NoAnswer,
        };
        let state = match why {
            Denied::Ending => ApprovalState::Denied,
            _ => ApprovalState::Expired,
        };
        // An answer may have come at the same moment; what the store says holds.
        let resolution = self.store.resolve_approval(place.id.clone(), state, None).await?;
        place.settled = true;
        Ok(match resolution {
            Resolution::Won { approval, .. } | Resolution::Already(approval) => decision(approval, why),
        })
    }

    /// A person's answer; the first one counts.
    pub async fn resolve(&self, id: &str, answer: Answer, resolver: Actor) -> Result<Approval, Failure> {
        let state = match answer {
            Answer::AllowOnce => ApprovalState::AllowedOnce,
            Answer::AllowForTask => ApprovalState::AllowedForTask,
            Answer::Deny => ApprovalState::Denied,
        };
        match self
            .store
            .resolve_approval(id.to_owned(), state, Some(resolver))
            .await?
        {
            Resolution::Won { approval, others } => {
                for one in others.into_iter().chain([approval.clone()]) {
                    self.wake(one);
                }
                Ok(approval)
            }
            Resolution::Already(approval) => Err(ApprovalError::AlreadyResolved {
                id: id.to_owned(),
                state: approval.state.as_str(),
            }
            .into()),
        }
    }

    /// How many wait now.
    pub fn waiting(&self) -> usize {
        self.lock().len()
    }

    /// Or the limit that is reached.
    fn place(&self, ask: &Ask) -> Result<(Place, oneshot::Receiver<Approval>), usize> {
        let Patience { most, each, .. } = self.patience;
        let mut waiting = self.lock();
        let of_subject = waiting.values().filter(|waits| waits.subject == ask.subject);
        let of_actor = waiting.values().filter(|waits| waits.actor == ask.actor);
        if of_subject.count() >= each || of_actor.count() >= each {
            return Err(each);
        }
        if waiting.len() >= most {
            return Err(most);
        }
        let id = uuid::Uuid::new_v4().to_string();
        let (tell, answer) = oneshot::channel();
        let waits = Waits {
            subject: ask.subject.clone(),
            actor: ask.actor.clone(),
            tell,
        };
        waiting.insert(id.clone(), waits);
        let place = Place {
            approvals: self.clone(),
            id,
            settled: false,
        };
        Ok((place, answer))
    }

    fn wake(&self, approval: Approval) {
        let waits = self.lock().remove(&approval.asked.id);
        if let Some(waits) = waits {
            // Whoever asked may have gone.
            let _ = waits.tell.send(approval);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `why`: what it means that nobody answered.
fn decision(approval: Approval, why: Denied) -> Decision {
    match (approval.state, approval.resolver) {
        (ApprovalState::AllowedOnce, Some(by)) => Decision::Allowed(Allowed::Once(by)),
        (ApprovalState::AllowedForTask, Some(by)) => Decision::Allowed(Allowed::ForTask(by)),
        (ApprovalState::Denied, Some(by)) => Decision::Denied(Denied::By(by)),
        _ => Decision::Denied(why),
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.approvals.lock().remove(&self.id);
        if self.settled {
            return;
        }
        // The future was dropped: a person must not be asked for nobody.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (store, id) = (self.approvals.store.clone(), std::mem::take(&mut self.id));
            runtime.spawn(async move {
                if let Err(error) = store.resolve_approval(id, ApprovalState::Expired, None).await {
                    tracing::debug!(%error, "a question was not withdrawn");
                }
            });
        }
    }
}

#[cfg(test)]
#[path = "approvals_tests.rs"]
mod tests;
