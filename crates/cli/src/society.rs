//! `pm society`: tasks of agents from the terminal.

use crate::options::Society;
use crate::options::society::Run;
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use base::Failure;
use serde_json::json;
use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use wire::{
    ApprovalQuery, ApprovalState, Client, None, SocietyAgent, SocietyAgentState, SocietyArtifactRef,
    SocietyBudget, SocietyBudgeted, SocietyMessage, SocietyMessageQuery, SocietyOpen, SocietyParty,
    SocietyPost, SocietyQuery, SocietyRef, SocietyReplay, SocietySettle, SocietyStanding, SocietyStop,
    SocietySubmit, SocietySubmitted, SocietyTeamRef, SocietyView,
};

/// Between two looks at a task that is at work, in milliseconds.
const LOOK: u32 = 700;
/// Bytes of a text that is read.
const TEXT: u64 = 1 << 20;

pub async fn society(session: &mut Session, verb: Society, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Society::Run(run) => submit(session, run, json).await,
        Society::Replay { task, workspace } => {
            let workspace_path = absolute(workspace)?;
            let params = SocietyReplay { task, workspace_path };
            let submitted = session.change(Client::society_replay, params).await?;
            begun(session, &submitted, json, true).await
        }
        // `main` handles it before there is a session.
        Society::Worker(_) => Ok(ExitCode::SUCCESS),
        Society::List { removed } => {
            let found = session
                .read(Client::society_list, SocietyQuery { removed })
                .await?;
            match json {
                true => output::print(&found),
                false => {
                    for row in &found.tasks {
                        let standing = standing(row.standing);
                        let title = tame(&row.title);
                        output::line(&format!("{}  {standing:8} {:>3}  {title}", row.id, row.agents));
                    }
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        Society::Status { task } => {
            let view = opened(session, task).await?;
            match json {
                true => output::print(&view),
                false => status(&view),
            }
            Ok(ExitCode::SUCCESS)
        }
        Society::Messages { task, agent, mine } => {
            let all = messages(session, &task, 0, agent, mine).await?;
            match json {
                true => output::print(&json!({"messages": all})),
                false => all.iter().for_each(show),
            }
            Ok(ExitCode::SUCCESS)
        }
        Society::Say { task, text, agent } => {
            let seen = last(session, &task).await?;
            let params = SocietyPost {
                task: task.clone(),
                agent,
                text,
            };
            session.change(Client::society_post, params).await?;
            see_through(session, &task, seen, json, true).await
        }
        Society::Pause { task } => {
            session.change(Client::society_pause, SocietyRef { task }).await?;
            Ok(ExitCode::SUCCESS)
        }
        Society::Resume { task, tokens, calls } => {
            if tokens.is_some() || calls.is_some() {
                let view = opened(session, task.clone()).await?;
                let mut budget = view.agents.first().map(|root| root.budget).unwrap_or_default();
                budget.tokens = tokens.or(budget.tokens);
                budget.calls = calls.or(budget.calls);
                let task = task.clone();
                session
                    .change(Client::society_budget, SocietyBudgeted { task, budget })
                    .await?;
            }
            let seen = last(session, &task).await?;
            let resumed = SocietyRef { task: task.clone() };
            session.change(Client::society_resume, resumed).await?;
            see_through(session, &task, seen, json, true).await
        }
        Society::Stop { task, agent } => {
            session
                .change(Client::society_stop, SocietyStop { task, agent })
                .await?;
            Ok(ExitCode::SUCCESS)
        }
        Society::Artifact { task, artifact } => {
            let params = SocietyArtifactRef { task, artifact };
            output::text(&session.read(Client::society_artifact, params).await?.text);
            Ok(ExitCode::SUCCESS)
        }
        Society::Export { task } => {
            output::text(
                &session
                    .read(Client::society_export, SocietyRef { task })
                    .await?
                    .text,
            );
            Ok(ExitCode::SUCCESS)
        }
        Society::Remove { task } => {
            session
                .change(Client::society_remove, SocietyRef { task })
                .await?;
            Ok(ExitCode::SUCCESS)
        }
        Society::Restore { task } => {
            session
                .change(Client::society_restore, SocietyRef { task })
                .await?;
            Ok(ExitCode::SUCCESS)
        }
        Society::Teams => {
            let found = session.read(Client::society_teams, None {}).await?;
            match json {
                true => output::print(&found),
                false => {
                    for team in &found.teams {
                        let about = team
                            .failure
                            .as_ref()
                            .map_or(&team.description, |failure| &failure.message);
                        output::line(&format!(
                            "{:16} {}: {}",
                            team.name,
                            tame(&team.title),
                            tame(about)
                        ));
                    }
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        Society::Team { name } => {
            let params = SocietyTeamRef { team: name };
            output::text(&session.read(Client::society_team, params).await?.text);
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn submit(session: &mut Session, run: Run, json: bool) -> Result<ExitCode, Failed> {
    let text = match run.text.as_str() {
        "-" => {
            let mut text = String::new();
            let read = std::io::stdin().take(TEXT).read_to_string(&mut text);
            read.map_err(|error| output::file("-".as_ref(), &error))?;
            text
        }
        text => text.to_owned(),
    };
    let workspace_path = absolute(run.workspace)?;
    let limited = run.tokens.is_some() || run.calls.is_some() || run.agents.is_some();
    let params = SocietySubmit {
        text,
        title: run.title,
        workspace_path,
        team: run.team,
        service: run.service,
        budget: limited.then(|| SocietyBudget {
            tokens: run.tokens,
            calls: run.calls,
            agents: run.agents,
            ..SocietyBudget::default()
        }),
    };
    let submitted = session.change(Client::society_submit, params).await?;
    begun(session, &submitted, json, run.once).await
}

fn absolute(folder: Option<PathBuf>) -> Result<Option<String>, Failed> {
    let Some(folder) = folder else {
        return Ok(Option::None);
    };
    let path = std::path::absolute(&folder).map_err(|error| output::file(&folder, &error))?;
    Ok(Some(path.to_string_lossy().into_owned()))
}

async fn begun(
    session: &mut Session,
    submitted: &SocietySubmitted,
    json: bool,
    once: bool,
) -> Result<ExitCode, Failed> {
    match json {
        true => output::print(submitted),
        false => output::aside(&format!("{}  {}", submitted.task_id, submitted.workspace_path)),
    }
    see_through(session, &submitted.task_id, 0, json, once).await
}

/// Prints what is said to the person until it is her turn, and says what she types, until she types nothing more.
async fn see_through(
    session: &mut Session,
    task: &str,
    mut seen: u32,
    json: bool,
    once: bool,
) -> Result<ExitCode, Failed> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut asked: Vec<String> = Vec::new();
    loop {
        let params = SocietySettle {
            task: task.to_owned(),
            wait_ms: Some(LOOK),
        };
        let view = session.read(Client::society_settle, params).await?;
        for message in messages(session, task, seen, Option::None, true).await? {
            seen = message.id;
            if message.to == SocietyParty::User {
                match json {
                    true => output::print(&message),
                    false => show(&message),
                }
            }
        }
        questions(session, task, &mut asked).await?;
        match view.task.standing {
            SocietyStanding::Working => continue,
            SocietyStanding::Stopped => return Ok(ExitCode::SUCCESS),
            SocietyStanding::Paused => {
                if let Some(failure) = view.failure {
                    return Err(Failed::Work(Box::new(failure)));
                }
                return Ok(ExitCode::SUCCESS);
            }
            SocietyStanding::Waiting => {}
        }
        if let Some(failure) = view.agents.first().and_then(|root| root.failure.clone()) {
            return Err(Failed::Work(Box::new(failure)));
        }
        if once || json || !std::io::stdin().is_terminal() {
            return Ok(ExitCode::SUCCESS);
        }
        output::aside("> …");
        let line = lines.next_line().await;
        let line = line.map_err(|error| output::file("-".as_ref(), &error))?;
        let Some(text) = line.filter(|line| !line.trim().is_empty()) else {
            return Ok(ExitCode::SUCCESS);
        };
        let params = SocietyPost {
            task: task.to_owned(),
            agent: Option::None,
            text,
        };
        session.change(Client::society_post, params).await?;
    }
}

/// Says once of each question that it waits for `pm approve`.
async fn questions(session: &mut Session, task: &str, asked: &mut Vec<String>) -> Result<(), Failed> {
    let query = ApprovalQuery {
        state: Some(ApprovalState::Waiting),
        page: wire::Page::default(),
    };
    let subject = format!("task:{task}");
    let waiting = session.read(Client::approval_list, query).await?.approvals;
    for question in waiting.iter().filter(|question| question.subject == subject) {
        if asked.contains(&question.id) {
            continue;
        }
        asked.push(question.id.clone());
        let failure = Failure::new("society_asks")
            .with("value", tame(&question.value))
            .with("id", question.id.clone());
        output::failed(&Failed::of(&failure), false);
    }
    Ok(())
}

async fn opened(session: &mut Session, task: String) -> Result<SocietyView, Failed> {
    let params = SocietyOpen {
        task,
        version: Option::None,
    };
    session.read(Client::society_open, params).await
}

/// The newest message of a task.
async fn last(session: &mut Session, task: &str) -> Result<u32, Failed> {
    Ok(opened(session, task.to_owned()).await?.task.messages)
}

/// All behind one, the oldest first.
async fn messages(
    session: &mut Session,
    task: &str,
    behind: u32,
    agent: Option<u32>,
    mine: bool,
) -> Result<Vec<SocietyMessage>, Failed> {
    let (mut all, mut before) = (Vec::new(), Option::None);
    loop {
        let params = SocietyMessageQuery {
            task: task.to_owned(),
            agent,
            person: mine,
            before,
            limit: Some(500),
            ..SocietyMessageQuery::default()
        };
        let page = session.read(Client::society_messages, params).await?;
        before = page.messages.first().map(|message| message.id);
        let more = page.more && before.is_some_and(|before| before > behind);
        all.splice(0..0, page.messages);
        if !more {
            all.retain(|message| message.id > behind);
            return Ok(all);
        }
    }
}

fn party(party: &SocietyParty) -> String {
    match party {
        SocietyParty::User => "user".to_owned(),
        SocietyParty::Society => "society".to_owned(),
        SocietyParty::Agent(id) => id.to_string(),
    }
}

fn show(message: &SocietyMessage) {
    let (from, to) = (party(&message.from), party(&message.to));
    output::line(&format!("── {from} → {to}"));
    for line in message.text.lines() {
        output::line(&tame(line));
    }
    for artifact in &message.artifacts {
        output::line(&format!("→ artifact:{artifact}"));
    }
}

fn standing(standing: SocietyStanding) -> &'static str {
    match standing {
        SocietyStanding::Working => "working",
        SocietyStanding::Waiting => "waiting",
        SocietyStanding::Paused => "paused",
        SocietyStanding::Stopped => "stopped",
    }
}

fn status(view: &SocietyView) {
    output::line(&format!(
        "{}  {}",
        standing(view.task.standing),
        tame(&view.task.title)
    ));
    if let Some(failure) = &view.failure {
        output::line(&tame(&failure.message));
    }
    for agent in &view.agents {
        output::line(&row(view, agent));
    }
    for artifact in &view.artifacts {
        let (id, by, size) = (artifact.id, artifact.by, artifact.size);
        let (kind, name) = (tame(&artifact.kind), tame(&artifact.name));
        output::line(&format!("artifact:{id}  {kind}  {name}  ({by}, {size} B)"));
    }
}

fn row(view: &SocietyView, agent: &SocietyAgent) -> String {
    let above = |id: Option<u32>| view.agents.iter().find(|one| Some(one.id) == id);
    let depth = std::iter::successors(above(agent.parent), |one| above(one.parent)).count();
    let state = match agent.state {
        SocietyAgentState::Thinking => "thinking",
        SocietyAgentState::Calling => agent.tool.as_deref().unwrap_or("calling"),
        SocietyAgentState::Resting => "resting",
        SocietyAgentState::Waiting => "waiting",
        SocietyAgentState::Failed => agent.failure.as_ref().map_or("failed", |failure| &failure.code),
        SocietyAgentState::Ended => "ended",
    };
    let role = agent.role.as_deref().unwrap_or("root");
    let (indent, id) = ("  ".repeat(depth), agent.id);
    let (tokens, calls) = (agent.spent.tokens, agent.spent.calls);
    format!(
        "{indent}{id} {} [{}] {tokens} tokens, {calls} calls",
        tame(role),
        tame(state)
    )
}
