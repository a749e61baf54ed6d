//! The browser assistant: its conversation, its page, its settings.

use super::actor_of;
use crate::app::App;
use crate::assistant::{self, SUBJECT, session, settings, tell};
use crate::auth::Size;
use crate::work::blocking;
use agents::assistant::{Element, Observation};
use base::settings::{AssistantSettings, BrowserIs};
use base::{Event, Failure, Settings};
use serde_json::{Map, Value, json};
use std::time::Duration;
use store::{AssistantSaid, AuditEntry, GrantKind};
use tokio_util::sync::CancellationToken;
use wire::{
    AssistantChange, AssistantMessage, AssistantMessageQuery, AssistantMessageType, AssistantMessages,
    AssistantOptions, AssistantSettle, AssistantStatistics, AssistantView, AssistantWish, BrowserAt,
    BrowserElement, BrowserKind, BrowserObserve, BrowserPage, BrowserRect, BrowserState, Caller, Done,
};

/// Messages of one page, when nothing is said and at most.
const PAGE: u32 = 200;
const LARGEST_PAGE: u32 = 5_000;
/// Milliseconds that are waited for a wish to end.
const SETTLE: u32 = 20_000;
const LONGEST_SETTLE: u32 = 60_000;
/// Elements of one look.
const ELEMENTS: std::ops::RangeInclusive<u32> = 10..=500;

pub(super) async fn show(app: &App) -> Result<AssistantView, Failure> {
    let inner = &app.inner;
    let settings = settings(app).await?;
    let at = inner.browsers.there().await.map(|session| {
        let last = session.last();
        BrowserAt {
            url: last.url,
            title: last.title,
            browser: session.name(),
        }
    });
    let has_model = app.service(settings.service.clone()).await.is_ok();
    let counts = inner.store.assistant_counts().await?;
    let asked = inner.assistant.asked();
    let (median, p95) = asked.quantiles();
    let mut sites = inner
        .store
        .grants(SUBJECT.to_owned(), GrantKind::Site, None)
        .await?;
    sites.sort();
    Ok(AssistantView {
        at,
        wish: wish(app),
        has_model,
        has_window: inner.browsers.window.is_there(),
        statistics: AssistantStatistics {
            wishes: counts.wishes,
            fulfilled: counts.fulfilled,
            steps: counts.steps,
            steps_done: counts.steps_done,
            asked: asked.count,
            ask_failed: asked.failed,
            known: inner.assistant.known(),
            median,
            p95,
        },
        sites,
        options: options(settings),
    })
}

/// What is worked on now.
pub(super) fn wish(app: &App) -> Option<AssistantWish> {
    app.inner.assistant.working().map(|working| AssistantWish {
        id: working.id,
        text: working.text,
        since: working.since as f64,
        thinking: working.thinking,
        step: working.step,
    })
}

fn options(settings: AssistantSettings) -> AssistantOptions {
    AssistantOptions {
        browser: match settings.browser {
            BrowserIs::Window => BrowserKind::Window,
            BrowserIs::Cdp => BrowserKind::Cdp,
            BrowserIs::WebDriver => BrowserKind::WebDriver,
        },
        address: settings.address,
        service: settings.service,
        ask_each: settings.ask_each,
        offered: settings.offered,
        debug: settings.debug,
        elements: settings.elements,
    }
}

pub(super) async fn change(
    app: &App,
    caller: &Caller,
    params: AssistantChange,
) -> Result<AssistantView, Failure> {
    let invalid = |reason: &str| {
        Failure::new("invalid_args")
            .with("call", "assistant.change")
            .with("reason", reason)
    };
    if params
        .elements
        .is_some_and(|elements| !ELEMENTS.contains(&elements))
    {
        return Err(invalid("elements: 10 to 500"));
    }
    if let Some(address) = params.address.as_deref().map(str::trim) {
        let web = url::Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        if web.is_none_or(|url| !url.has_host()) {
            return Err(invalid("address: http://HOST:PORT"));
        }
    }
    // A model that nobody has is not chosen.
    let service = params.service.as_deref().map(str::trim);
    if let Some(name) = service.filter(|name| !name.is_empty()) {
        app.service(Some(name.to_owned())).await?;
    }
    let fields = [
        ("browser", params.browser.map(|browser| json!(browser))),
        (
            "address",
            params.address.as_deref().map(|address| json!(address.trim())),
        ),
        (
            "service",
            service.map(|name| if name.is_empty() { Value::Null } else { json!(name) }),
        ),
        ("askEach", params.ask_each.map(Value::Bool)),
        ("offered", params.offered.map(Value::Bool)),
        ("debug", params.debug.map(Value::Bool)),
        ("elements", params.elements.map(|elements| json!(elements))),
    ];
    let given: Map<String, Value> = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();
    if given.is_empty() {
        return show(app).await;
    }
    // What is open belongs to the browser of before.
    let other_browser = params.browser.is_some() || params.address.is_some();
    if other_browser && app.inner.assistant.working().is_some() {
        return Err(Failure::new(assistant::BUSY));
    }
    let one = app.inner.changing.lock().await;
    let (path, changed) = (app.inner.home.settings(), given.clone());
    blocking(move || {
        Settings::change(&path, |fields| {
            let assistant = fields.entry("assistant").or_insert_with(|| json!({}));
            for (name, value) in changed {
                match (value.is_null(), assistant.as_object_mut()) {
                    (true, Some(fields)) => drop(fields.shift_remove(&name)),
                    (_, Some(fields)) => drop(fields.insert(name, value)),
                    (_, None) => {}
                }
            }
        })
    })
    .await??;
    let entry = AuditEntry {
        actor: actor_of(caller),
        action: "settings.change".to_owned(),
        subject: "settings".to_owned(),
        detail: json!({"assistant": given}),
    };
    app.inner.store.audit(entry).await?;
    drop(one);
    if other_browser {
        app.inner.browsers.close().await;
        app.inner.assistant.closed();
    }
    // Which tools clients and agents are offered may be others now.
    let event = Event::new("settings.changed", json!({}));
    let event = ["assistant", "settings", "tools"]
        .iter()
        .fold(event, |event, tag| event.tag(*tag));
    app.inner.store.announce(vec![event]).await?;
    show(app).await
}

pub(super) async fn messages(app: &App, query: AssistantMessageQuery) -> Result<AssistantMessages, Failure> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE);
    let (found, more) = app.inner.store.assistant_messages(query.before, limit).await?;
    Ok(AssistantMessages {
        messages: found.into_iter().map(message).collect::<Result<_, _>>()?,
        more,
    })
}

fn message(said: AssistantSaid) -> Result<AssistantMessage, Failure> {
    let kind = match said.kind.as_str() {
        "user" => AssistantMessageType::User,
        "assistant" => AssistantMessageType::Assistant,
        _ => AssistantMessageType::System,
    };
    let metadata = serde_json::from_value(said.metadata)
        .map_err(|error| Failure::new("internal").detail(error.to_string()))?;
    Ok(AssistantMessage {
        id: said.id,
        is_me: kind == AssistantMessageType::User,
        kind,
        content: said.content,
        timestamp: said.at as f64,
        metadata,
    })
}

pub(super) async fn settle(app: &App, params: AssistantSettle) -> Result<AssistantView, Failure> {
    let most = params.wait_ms.unwrap_or(SETTLE).min(LONGEST_SETTLE);
    tokio::select! {
        () = app.inner.assistant.idle() => {}
        () = tokio::time::sleep(Duration::from_millis(u64::from(most))) => {}
        () = app.inner.ending.cancelled() => {}
    }
    show(app).await
}

pub(super) async fn clear(app: &App, caller: &Caller) -> Result<Done, Failure> {
    if app.inner.assistant.working().is_some() {
        return Err(Failure::new(assistant::BUSY));
    }
    app.inner.store.clear_assistant().await?;
    app.inner.assistant.forget();
    let entry = AuditEntry {
        actor: actor_of(caller),
        action: "assistant.clear".to_owned(),
        subject: SUBJECT.to_owned(),
        detail: json!({}),
    };
    app.inner.store.audit(entry).await?;
    Ok(Done {})
}

pub(super) async fn forget_site(app: &App, caller: &Caller, site: String) -> Result<Done, Failure> {
    let (subject, actor) = (SUBJECT.to_owned(), actor_of(caller));
    let gone = app
        .inner
        .store
        .revoke(subject, GrantKind::Site, site.clone(), actor)
        .await?;
    match gone {
        true => {
            tell(app).await?;
            Ok(Done {})
        }
        false => Err(Failure::new("grant_not_found").with("directory", site)),
    }
}

/// Nobody changes the page under the hands of somebody else.
pub(super) async fn open(app: &App, to: &str) -> Result<BrowserAt, Failure> {
    let settings = settings(app).await?;
    let session = session(app, &settings).await?;
    let _turn = session
        .turn
        .try_lock()
        .map_err(|_| Failure::new(assistant::BUSY))?;
    session.go(to).await?;
    let seen = session.look(settings.elements).await?;
    tell(app).await?;
    Ok(BrowserAt {
        url: seen.url,
        title: seen.title,
        browser: session.name(),
    })
}

pub(super) async fn look(app: &App, params: BrowserObserve) -> Result<BrowserPage, Failure> {
    let Some(session) = app.inner.browsers.there().await else {
        return Err(Failure::new("assistant_no_page"));
    };
    let most = match params.limit {
        Some(limit) => limit,
        None => settings(app).await?.elements,
    };
    let seen = session.look(most.clamp(1, *ELEMENTS.end())).await?;
    let picture = match params.picture {
        true => pictured(app, &session).await?,
        false => None,
    };
    Ok(page(seen, picture))
}

/// What a caller that is no person sees; the site is asked about.
pub(super) async fn observe(
    app: &App,
    caller: &Caller,
    params: BrowserObserve,
    cancel: &CancellationToken,
) -> Result<BrowserPage, Failure> {
    let (seen, session) = assistant::observe(app, caller, params.limit, cancel).await?;
    let picture = match params.picture {
        true => pictured(app, &session).await?,
        false => None,
    };
    Ok(page(seen, picture))
}

/// The signed URL of a picture; none where the browser gives none.
async fn pictured(app: &App, session: &crate::browser::Session) -> Result<Option<String>, Failure> {
    match session.picture().await {
        Ok(png) => {
            let id = app.inner.browsers.show(png);
            Ok(Some(app.inner.auth.picture_url(&id, Size::Full)))
        }
        Err(crate::browser::BrowserError::NoPicture) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn page(seen: Observation, picture: Option<String>) -> BrowserPage {
    BrowserPage {
        url: seen.url,
        title: seen.title,
        elements: seen.elements.into_iter().map(element).collect(),
        more: seen.more,
        below: seen.below,
        width: seen.width,
        height: seen.height,
        picture,
    }
}

fn element(one: Element) -> BrowserElement {
    BrowserElement {
        id: one.id,
        tag_name: one.tag_name,
        class_name: one.class_name,
        kind: one.kind,
        role: one.role,
        text: one.text,
        name: one.name,
        rect: BrowserRect {
            x: one.rect.x,
            y: one.rect.y,
            width: one.rect.width,
            height: one.rect.height,
        },
        state: BrowserState {
            checked: one.state.checked,
            disabled: one.state.disabled,
            expanded: one.state.expanded,
            value: one.state.value,
        },
        visible: one.visible,
    }
}

pub(super) async fn close(app: &App) -> Result<Done, Failure> {
    app.inner.assistant.stop();
    app.inner.browsers.close().await;
    app.inner.assistant.closed();
    tell(app).await?;
    Ok(Done {})
}
