//! Single looks and steps, for MCP clients, agents and `pm`: the same walls as for a wish.

use super::person::{Asker, step_of};
use super::{session, settings, wish};
use crate::app::App;
use crate::browser::{Seen, Session};
use crate::calls::actor;
use agents::assistant::{ActionKind, Asked, Element, Instruction, Observation, Risk, carry_out};
use base::Failure;
use base::settings::AssistantSettings;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use wire::{Access, BrowserAct, BrowserDid, Caller};

/// Whether it is offered to this caller, and the page.
async fn opened(app: &App, caller: &Caller) -> Result<(AssistantSettings, Arc<Session>), Failure> {
    let settings = settings(app).await?;
    if caller.access < Access::Ui && !settings.offered {
        return Err(Failure::new("browser_not_offered"));
    }
    let session = session(app, &settings).await?;
    Ok((settings, session))
}

/// What is on the page, without the secrets of this data home.
pub(crate) async fn observe(
    app: &App,
    caller: &Caller,
    limit: Option<u32>,
    cancel: &CancellationToken,
) -> Result<(Observation, Arc<Session>), Failure> {
    let (settings, session) = opened(app, caller).await?;
    let turn = session.turn.try_lock().map_err(|_| Failure::new(wish::BUSY))?;
    let mut seen = session
        .look(limit.unwrap_or(settings.elements).clamp(1, 500))
        .await?;
    let asker = Asker::of_caller(app, actor(&caller.actor), settings.ask_each, cancel.clone());
    asker.site(&seen.url).await?;
    let secrets = app.learn_secrets().await?;
    let texts = seen.elements.iter_mut().flat_map(|one| {
        let Element {
            text, name, state, ..
        } = one;
        [Some(text), Some(name), state.value.as_mut()]
    });
    for text in texts.flatten().chain([&mut seen.title, &mut seen.url]) {
        *text = secrets.mask(text);
    }
    drop(turn);
    Ok((seen, session))
}

pub(crate) async fn act(
    app: &App,
    caller: &Caller,
    params: BrowserAct,
    cancel: &CancellationToken,
) -> Result<BrowserDid, Failure> {
    let invalid = |reason: &str| {
        Failure::new("invalid_args")
            .with("call", "browser.act")
            .with("reason", reason)
    };
    let kind = ActionKind::named(&params.kind)
        .filter(|kind| {
            !matches!(
                kind,
                ActionKind::Observe | ActionKind::Done | ActionKind::Navigate
            )
        })
        .ok_or_else(|| {
            invalid("type: click, input, select, scroll, hover, key, wait, extract, screenshot")
        })?;
    if kind.needs_id() && params.id.is_none() {
        return Err(invalid("id"));
    }
    if kind.needs_value() && params.value.is_none() {
        return Err(invalid("value"));
    }
    let wanted = Instruction {
        kind,
        id: params.id,
        value: params.value,
        reason: params.reason,
        wait_after: params.wait_after,
    };
    done(app, caller, &wanted, cancel).await
}

pub(crate) async fn navigate(
    app: &App,
    caller: &Caller,
    to: String,
    cancel: &CancellationToken,
) -> Result<BrowserDid, Failure> {
    let wanted = Instruction {
        kind: ActionKind::Navigate,
        id: None,
        value: Some(to),
        reason: None,
        wait_after: None,
    };
    done(app, caller, &wanted, cancel).await
}

async fn done(
    app: &App,
    caller: &Caller,
    wanted: &Instruction,
    cancel: &CancellationToken,
) -> Result<BrowserDid, Failure> {
    let (settings, session) = opened(app, caller).await?;
    let _turn = session.turn.try_lock().map_err(|_| Failure::new(wish::BUSY))?;
    let page = session.last();
    if let Some(id) = wanted.id.filter(|id| page.element(*id).is_none()) {
        return Err(Failure::new("assistant_element_missing").with("id", id));
    }
    let action = wanted.action(&page);
    let element = action.id.and_then(|id| page.element(id));
    let label = element.map_or("", |one| one.label());
    let asker = Asker::of_caller(app, actor(&caller.actor), settings.ask_each, cancel.clone());
    if action.kind != ActionKind::Navigate {
        asker.site(&page.url).await?;
    }
    let asked = Asked {
        action: &action,
        label,
        url: &page.url,
        risk: Risk::of(&action, &page),
    };
    if action.kind.changes() || asked.risk.is_some() {
        asker.step(&asked).await?;
    }
    let on = Seen {
        session: &session,
        elements: settings.elements,
    };
    let result = carry_out(&on, action, element, cancel).await;
    asker.end().await?;
    asker.audit(&result, label, &page.url).await?;
    if let Some(failure) = result.error {
        return Err(failure);
    }
    // What it is now; whether that may be seen is asked when it is.
    let now = session.look(settings.elements).await?;
    let known = super::origin(&now.url) == super::origin(&page.url);
    let secrets = app.learn_secrets().await?;
    let text = result.gave.words().collect::<Vec<_>>().join("\n");
    if !known && !text.is_empty() {
        // The page had left for another site by itself: what was read is that one's.
        asker.site(&now.url).await?;
    }
    super::tell(app).await?;
    Ok(BrowserDid {
        action: step_of(&result.action, label),
        success: true,
        duration: result.duration as f64,
        text: Some(secrets.mask(&text)).filter(|text| !text.is_empty()),
        picture: result.gave.picture,
        navigated: result.gave.navigated,
        synthetic: result.gave.synthetic,
        title: if known {
            secrets.mask(&now.title)
        } else {
            String::new()
        },
        url: secrets.mask(&now.url),
    })
}
