//! Tasks of societies: what is asked of them, and what they are as wire types.

mod export;
mod shown;
mod teams;

use super::actor_of;
use crate::app::App;
use agents::society::{AgentId, Budget, Event, ROOT, Requirement, State, Wanted};
use base::Failure;
use shown::{budget_of, entry_of, message_of, row, view};
use std::path::PathBuf;
use std::time::Duration;
use store::{SocietyTask, StoreError};
use wire::{
    Caller, Done, SocietyArtifactRef, SocietyBudgeted, SocietyMessageQuery, SocietyMessages, SocietyOpen,
    SocietyPost, SocietyQuery, SocietyRef, SocietyRename, SocietyReplay, SocietySettle, SocietyStep,
    SocietyStepQuery, SocietySteps, SocietyStop, SocietyStory, SocietyStoryQuery, SocietySubmit,
    SocietySubmitted, SocietyTasks, SocietyView, Text,
};

pub(super) use teams::{team, teams};

/// Bytes of what a person says.
const TEXT: usize = 64 * 1024;
/// Characters of a title, which is the first line of the text where nobody says it.
const TITLE: usize = 120;
/// Parts of one page, when nothing is said and at most.
const PAGE: u32 = 100;
const LARGEST_PAGE: u32 = 5_000;
/// How long it is waited until nothing is done, in milliseconds.
const SETTLE: u32 = 20_000;
const LONGEST_SETTLE: u32 = 60_000;
/// Characters of a step.
const STEP: usize = 160;

pub(super) async fn list(app: &App, query: SocietyQuery) -> Result<SocietyTasks, Failure> {
    let found = app.inner.store.society_tasks(query.removed).await?;
    Ok(SocietyTasks {
        tasks: found.into_iter().map(row).collect(),
    })
}

fn said(text: &str) -> Result<&str, Failure> {
    let text = text.trim();
    match text.len() {
        0 => Err(Failure::new("society_empty")),
        1..=TEXT => Ok(text),
        _ => Err(Failure::new("society_too_long").with("limit", TEXT)),
    }
}

pub(super) async fn submit(
    app: &App,
    caller: &Caller,
    params: SocietySubmit,
) -> Result<SocietySubmitted, Failure> {
    let text = said(&params.text)?;
    let lang = app.lang();
    let team = match &params.team {
        Some(name) => Some(teams::named(app, name).await?),
        None => None,
    };
    // That it can be asked is known before a folder is bound.
    app.service(params.service.clone()).await?;
    let title = params
        .title
        .as_deref()
        .map(str::trim)
        .filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| text.lines().next().unwrap_or_default());
    let wanted = Requirement {
        title: base::text::cut(title, TITLE),
        text: team
            .as_ref()
            .map_or_else(|| text.to_owned(), |team| team.words(text)),
        lang,
        budget: params
            .budget
            .map_or_else(Budget::usual, |given| usual(budget_of(given))),
        service: params.service,
        roles: team.map(|team| team.roles).unwrap_or_default(),
        replays: None,
    };
    begin(app, caller, wanted, params.workspace_path).await
}

pub(super) async fn replay(
    app: &App,
    caller: &Caller,
    params: SocietyReplay,
) -> Result<SocietySubmitted, Failure> {
    let wanted = app.society()?.again(&params.task).await?;
    begin(app, caller, wanted, params.workspace_path).await
}

/// In this folder, or in one of its own.
async fn begin(
    app: &App,
    caller: &Caller,
    wanted: Requirement,
    workspace_path: Option<String>,
) -> Result<SocietySubmitted, Failure> {
    let id = id()?;
    let path = match workspace_path {
        Some(path) => PathBuf::from(path),
        None => app.inner.home.workspaces().join(&id),
    };
    let actor = actor_of(caller);
    let bound = app.inner.workspaces.bind(&id, &path, actor.clone()).await?;
    let submitted = app.society()?.submit(id.clone(), wanted, actor.clone()).await;
    if let Err(failure) = submitted {
        app.inner.workspaces.unbind(&id, actor).await?;
        return Err(failure);
    }
    Ok(SocietySubmitted {
        task_id: id,
        workspace_path: bound.path,
    })
}

/// Whoever names one limit does not take the others away.
fn usual(given: Budget) -> Budget {
    let usual = Budget::usual();
    Budget {
        tokens: given.tokens.or(usual.tokens),
        money: given.money.or(usual.money),
        time: given.time.or(usual.time),
        calls: given.calls.or(usual.calls),
        agents: given.agents.or(usual.agents),
        depth: given.depth.or(usual.depth),
    }
}

/// Short: agents write it in every address.
fn id() -> Result<String, Failure> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| Failure::new("internal").detail(error.to_string()))?;
    let letters = bytes
        .iter()
        .map(|byte| char::from(LETTERS[usize::from(byte % 32)]));
    Ok(letters.collect())
}

/// A task as it is, or as it was.
async fn looked<T>(
    app: &App,
    task: &str,
    version: Option<u32>,
    see: impl FnOnce(&State) -> T,
) -> Result<T, Failure> {
    let society = app.society()?;
    match version {
        None => society.look(task, see).await,
        Some(version) => {
            let versions = app.inner.store.society_task(task.to_owned()).await?.events;
            if version == 0 || u64::from(version) > versions {
                return Err(Failure::new("society_bad_version")
                    .with("version", version)
                    .with("versions", versions));
            }
            society.look_back(task, u64::from(version), see).await
        }
    }
}

pub(super) async fn open(app: &App, caller: &Caller, params: SocietyOpen) -> Result<SocietyView, Failure> {
    let gauges = match params.version {
        None => app.society()?.gauges(&params.task).await,
        Some(_) => std::collections::HashMap::new(),
    };
    let lang = app.lang();
    let row: SocietyTask = app.inner.store.society_task(params.task.clone()).await?;
    let mut shown = looked(app, &params.task, params.version, |state| {
        view(row, state, &gauges, lang)
    })
    .await?;
    if caller.access >= wire::Access::Ui
        && let Ok(workspace) = app.inner.workspaces.get(&params.task)
    {
        shown.workspace_path = Some(workspace.binding().path.clone());
    }
    Ok(shown)
}

pub(super) async fn settle(
    app: &App,
    caller: &Caller,
    params: SocietySettle,
) -> Result<SocietyView, Failure> {
    let most = params.wait_ms.unwrap_or(SETTLE).min(LONGEST_SETTLE);
    let society = app.society()?;
    let settled = society.settled(&params.task);
    tokio::select! {
        settled = tokio::time::timeout(Duration::from_millis(u64::from(most)), settled) => {
            if let Ok(settled) = settled {
                settled?;
            }
        }
        () = app.inner.ending.cancelled() => {}
    }
    let opened = SocietyOpen {
        task: params.task,
        version: None,
    };
    open(app, caller, opened).await
}

fn limit(limit: Option<u32>) -> usize {
    limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE) as usize
}

pub(super) async fn messages(app: &App, params: SocietyMessageQuery) -> Result<SocietyMessages, Failure> {
    let limit = limit(params.limit);
    looked(app, &params.task, params.version, |state| {
        let all = state.messages().iter().enumerate().rev();
        let all = all.map(|(at, posted)| (posted, shown::number(at as u64 + 1)));
        let before = params.before.unwrap_or(u32::MAX);
        let mut found = all
            .filter(|(_, id)| *id < before)
            .filter(|(posted, _)| shown::is_of(posted, params.agent, params.person))
            .map(|(posted, id)| message_of(posted, id));
        let mut messages: Vec<_> = found.by_ref().take(limit).collect();
        let more = found.next().is_some();
        messages.reverse();
        SocietyMessages { messages, more }
    })
    .await
}

pub(super) async fn story(app: &App, params: SocietyStoryQuery) -> Result<SocietyStory, Failure> {
    let limit = limit(params.limit);
    let agent = AgentId(u64::from(params.agent));
    looked(app, &params.task, params.version, |state| {
        let mind = state
            .mind(agent)
            .ok_or(agents::society::SocietyError::UnknownAgent)?;
        let entries = entry_of(state, mind.memory());
        let end = (params.before.unwrap_or(u32::MAX) as usize).min(entries.len());
        let first = end.saturating_sub(limit);
        Ok::<_, agents::society::SocietyError>(SocietyStory {
            entries: entries.into_iter().take(end).skip(first).collect(),
            first: u32::try_from(first).unwrap_or(u32::MAX),
        })
    })
    .await?
    .map_err(Failure::from)
}

pub(super) async fn artifact(app: &App, params: SocietyArtifactRef) -> Result<Text, Failure> {
    let found = looked(app, &params.task, None, |state| {
        state
            .artifact(u64::from(params.artifact))
            .map(|artifact| artifact.content.clone())
    });
    match found.await? {
        Some(text) => Ok(Text { text }),
        None => Err(Failure::new("society_no_artifact").with("artifact", params.artifact)),
    }
}

pub(super) async fn steps(app: &App, params: SocietyStepQuery) -> Result<SocietySteps, Failure> {
    let row = app.inner.store.society_task(params.task.clone()).await?;
    let limit = limit(params.limit) as u32;
    let events = app
        .inner
        .store
        .society_events(params.task, u64::from(params.from), limit)
        .await?;
    let mut steps = Vec::with_capacity(events.len());
    for (happened, before) in events.into_iter().zip(params.from..) {
        let event: Event = serde_json::from_str(&happened.event).map_err(StoreError::Json)?;
        let (kind, agent, text) = event.in_short();
        steps.push(SocietyStep {
            version: before + 1,
            kind: kind.to_owned(),
            agent: agent.map(|agent| shown::number(agent.0)),
            text: base::text::cut(text, STEP),
            at: happened.at as f64,
        });
    }
    Ok(SocietySteps {
        steps,
        versions: shown::number(row.events),
    })
}

fn agent(id: Option<u32>) -> AgentId {
    id.map_or(ROOT, |id| AgentId(u64::from(id)))
}

async fn want(app: &App, task: &str, wanted: Wanted) -> Result<Done, Failure> {
    app.society()?.want(task, wanted).await?;
    Ok(Done {})
}

pub(super) async fn post(app: &App, params: SocietyPost) -> Result<Done, Failure> {
    let text = said(&params.text)?.to_owned();
    let to = agent(params.agent);
    want(app, &params.task, Wanted::Post { to, text }).await
}

pub(super) async fn pause(app: &App, params: SocietyRef) -> Result<Done, Failure> {
    want(app, &params.task, Wanted::Pause).await
}

pub(super) async fn resume(app: &App, params: SocietyRef) -> Result<Done, Failure> {
    want(app, &params.task, Wanted::Resume).await
}

pub(super) async fn stop(app: &App, params: SocietyStop) -> Result<Done, Failure> {
    let agent = agent(params.agent);
    want(app, &params.task, Wanted::Stop { agent }).await
}

pub(super) async fn budget(app: &App, params: SocietyBudgeted) -> Result<Done, Failure> {
    want(app, &params.task, Wanted::Budget(budget_of(params.budget))).await
}

pub(super) async fn rename(app: &App, params: SocietyRename) -> Result<Done, Failure> {
    let title = params.title.trim();
    if title.is_empty() {
        return Err(Failure::new("society_empty"));
    }
    let title = base::text::cut(title, TITLE);
    app.inner.store.rename_society_task(params.task, title).await?;
    Ok(Done {})
}

pub(super) async fn export(app: &App, params: SocietyRef) -> Result<Text, Failure> {
    let row = app.inner.store.society_task(params.task.clone()).await?;
    let lang = app.lang();
    let text = looked(app, &params.task, None, |state| {
        export::markdown(&row, state, lang)
    })
    .await?;
    Ok(Text { text })
}

/// What it runs is ended; its workspace stays as it is.
pub(super) async fn remove(app: &App, caller: &Caller, params: SocietyRef) -> Result<Done, Failure> {
    let (society, store) = (app.society()?, &app.inner.store);
    store
        .remove_society_task(params.task.clone(), actor_of(caller))
        .await?;
    // Nobody opens it again behind this.
    society.close(&params.task).await;
    Ok(Done {})
}

pub(super) async fn restore(app: &App, caller: &Caller, params: SocietyRef) -> Result<Done, Failure> {
    let (society, store) = (app.society()?, &app.inner.store);
    store
        .restore_society_task(params.task.clone(), actor_of(caller))
        .await?;
    // What was to be done in it goes on.
    society.look(&params.task, |_| ()).await?;
    Ok(Done {})
}
