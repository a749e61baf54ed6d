//! `pm assistant`: the browser assistant from the terminal.

use crate::options::assistant::{Act, Assistant, Browser, Set};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use serde_json::json;
use std::process::ExitCode;
use wire::{
    ApprovalQuery, ApprovalState, AssistantChange, AssistantMessage, AssistantMessageQuery,
    AssistantMessageType, AssistantSend, AssistantSettle, AssistantView, BrowserAct, BrowserElement,
    BrowserKind, BrowserNavigate, BrowserObserve, Client, None,
};

/// Between two looks at a wish that is worked on, in milliseconds.
const LOOK: u32 = 700;

pub async fn assistant(session: &mut Session, verb: Assistant, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Assistant::Ask { text } => return ask(session, text, json).await,
        Assistant::Show => {
            let view = session.read(Client::assistant_show, None {}).await?;
            shown(&view, json);
        }
        Assistant::Open { to } => {
            let at = session
                .change(Client::assistant_open, BrowserNavigate { to })
                .await?;
            match json {
                true => output::print(&at),
                false => output::line(&format!("{}  {}", tame(&at.title), tame(&at.url))),
            }
        }
        Assistant::Look { limit } => {
            let params = BrowserObserve {
                limit,
                picture: false,
            };
            let page = session.read(Client::assistant_look, params).await?;
            match json {
                true => output::print(&page),
                false => {
                    output::line(&format!("{}  {}", tame(&page.title), tame(&page.url)));
                    page.elements.iter().for_each(element);
                    if page.more > 0 {
                        output::aside(&format!("… {}", page.more));
                    }
                }
            }
        }
        Assistant::Act(Act {
            kind,
            id,
            value,
            wait_after,
        }) => {
            let params = BrowserAct {
                kind,
                id,
                value,
                wait_after,
                reason: Option::None,
            };
            let did = session.change(Client::browser_act, params).await?;
            match json {
                true => output::print(&did),
                false => {
                    let text = did.text.unwrap_or_default();
                    if !text.is_empty() {
                        output::text(&text);
                    }
                    output::aside(&format!("{} ms  {}", did.duration, tame(&did.url)));
                }
            }
        }
        Assistant::Stop => drop(session.change(Client::assistant_stop, None {}).await?),
        Assistant::Messages { limit } => {
            let params = AssistantMessageQuery {
                before: Option::None,
                limit,
            };
            let found = session.read(Client::assistant_messages, params).await?;
            match json {
                true => output::print(&found),
                false => found.messages.iter().for_each(message),
            }
        }
        Assistant::Clear => drop(session.change(Client::assistant_clear, None {}).await?),
        Assistant::Close => drop(session.change(Client::assistant_close, None {}).await?),
        Assistant::Set(set) => {
            let view = session.change(Client::assistant_change, change(set)).await?;
            shown(&view, json);
        }
        Assistant::Forget { site } => {
            let params = BrowserNavigate { to: site };
            session.change(Client::assistant_forget_site, params).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn change(set: Set) -> AssistantChange {
    AssistantChange {
        browser: set.browser.map(|browser| match browser {
            Browser::Window => BrowserKind::Window,
            Browser::Cdp => BrowserKind::Cdp,
            Browser::Webdriver => BrowserKind::WebDriver,
        }),
        address: set.address,
        service: set.service,
        ask_each: set.ask_each,
        offered: set.offered,
        debug: set.debug,
        elements: set.elements,
    }
}

/// Prints what is said and done until the wish has ended.
async fn ask(session: &mut Session, text: String, json: bool) -> Result<ExitCode, Failed> {
    let sent = session
        .change(Client::assistant_send, AssistantSend { text })
        .await?;
    let (mut seen, mut asked) = (String::new(), Vec::new());
    loop {
        let params = AssistantSettle { wait_ms: Some(LOOK) };
        let view = session.read(Client::assistant_settle, params).await?;
        let params = AssistantMessageQuery::default();
        let found = session.read(Client::assistant_messages, params).await?.messages;
        // Ids are in the order of time.
        let new = found.iter().filter(|one| one.id > seen);
        let mut ended = Option::None;
        for one in new.filter(|one| one.metadata.wish.as_deref() == Some(sent.wish.as_str())) {
            match json {
                true => output::print(one),
                false if one.is_me => {}
                false => message(one),
            }
            if one.metadata.part.as_deref() == Some("end") {
                ended = Some(one.metadata.clone());
            }
        }
        if let Some(last) = found.last() {
            seen.clone_from(&last.id);
        }
        if let Some(end) = ended {
            return match (end.success, end.error) {
                (Some(true), _) => Ok(ExitCode::SUCCESS),
                (_, Some(failure)) => Err(Failed::Work(Box::new(failure))),
                _ => Ok(ExitCode::FAILURE),
            };
        }
        if view.wish.is_none_or(|wish| wish.id != sent.wish) {
            // Somebody has cleared the conversation meanwhile.
            return Ok(ExitCode::FAILURE);
        }
        questions(session, &mut asked).await?;
    }
}

/// Says once of each question that it waits for `pm approve`.
async fn questions(session: &mut Session, asked: &mut Vec<String>) -> Result<(), Failed> {
    let query = ApprovalQuery {
        state: Some(ApprovalState::Waiting),
        page: wire::Page::default(),
    };
    let waiting = session.read(Client::approval_list, query).await?.approvals;
    for question in waiting {
        if question.subject.split(':').next() == Some("assistant") && !asked.contains(&question.id) {
            output::aside(&format!("pm approve {}  {}", question.id, tame(&question.value)));
            asked.push(question.id);
        }
    }
    Ok(())
}

fn shown(view: &AssistantView, json: bool) {
    if json {
        output::print(view);
        return;
    }
    let options = &view.options;
    output::line(&format!(
        "browser: {} {}",
        json!(options.browser),
        options.address
    ));
    if let Some(at) = &view.at {
        output::line(&format!(
            "page: {}  {}  {}",
            at.browser,
            tame(&at.title),
            tame(&at.url)
        ));
    }
    if let Some(wish) = &view.wish {
        output::line(&format!("works on: {}", tame(&wish.text)));
    }
    let counted = &view.statistics;
    output::line(&format!(
        "{} of {} wishes fulfilled, {} of {} steps done, a model answered in {:.0} ms (95 of 100: {:.0} ms)",
        counted.fulfilled, counted.wishes, counted.steps_done, counted.steps, counted.median, counted.p95
    ));
    for site in &view.sites {
        output::line(&format!("trusted: {}", tame(site)));
    }
}

fn element(one: &BrowserElement) {
    let label = if one.name.is_empty() { &one.text } else { &one.name };
    let state = match one.visible {
        true => "",
        false => "  …",
    };
    output::line(&format!(
        "{:>4}  <{}> {}{state}",
        one.id,
        tame(&one.tag_name),
        tame(label)
    ));
}

fn message(one: &AssistantMessage) {
    let about = &one.metadata;
    let line = match (one.kind, about.part.as_deref()) {
        (AssistantMessageType::User, _) => format!("> {}", one.content),
        (AssistantMessageType::Assistant, _) => one.content.clone(),
        (AssistantMessageType::System, Some("step")) => {
            let mark = if about.success == Some(true) { "✓" } else { "✗" };
            let kind = about.action_type.as_deref().unwrap_or_default();
            let label = about.label.as_deref().unwrap_or_default();
            let value = about.value.as_deref().unwrap_or_default();
            let error = about.error.as_ref().map_or("", |error| error.message.as_str());
            let words = [mark, kind, label, value, &one.content, error];
            words
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join("  ")
        }
        (AssistantMessageType::System, _) => format!("  {}", one.content),
    };
    output::text(&line);
}
