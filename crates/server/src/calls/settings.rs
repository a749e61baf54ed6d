//! What a person can change, and how clients reach the server.

use super::{actor_of, tools};
use crate::app::App;
use crate::sizes::Size;
use crate::words::worded;
use crate::work::blocking;
use base::settings::SettingsError;
use base::{Event, Failure, Lang, Settings};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use store::AuditEntry;
use wire::{Caller, FavouriteChange, HomeBackedUp, SettingsChange, SettingsView, SizeRow, Sizes, Token};

/// Switches of the server, as the file names them.
const OPEN: &str = "openMcpOnLoopback";
const ASK: &str = "askInMcpClients";
const PAUSED: &str = "paused";

/// The favourite tools: where they stand in the file, and how many there may be. A menu shows them.
const TOOLS: &str = "tools";
const FAVOURITES: &str = "favourites";
const MOST_FAVOURITES: usize = 12;

/// Whatever shows words, the address or tools is stale.
const STALE: [&str; 3] = ["settings", "server", "tools"];

pub(super) fn token(app: &App) -> Token {
    Token {
        token: app.inner.auth.token().to_owned(),
    }
}

/// Without sizes: neither looking at settings nor changing them waits for a look through the whole
/// data home.
pub(super) async fn show(app: &App) -> SettingsView {
    let broken = app.inner.rules.broken().await;
    let server = &app.inner.settings.server;
    SettingsView {
        language: app.lang().tag().to_owned(),
        language_chosen: app.lang_is_chosen(),
        host: server.host.clone(),
        port: server.port,
        open_mcp_on_loopback: app.mcp_is_open(),
        ask_in_mcp_clients: app.asks_by_mcp(),
        paused: app.inner.live.is_paused(),
        favourites: favourites(app).await,
        rules_error: broken.map(|failure| worded(&failure, app.lang())),
    }
}

pub(super) async fn sizes(app: &App) -> Result<Sizes, Failure> {
    let sizes = app.inner.sizes.of(&app.inner.home).await?.into_iter();
    let row = |size: Size| SizeRow {
        kind: size.kind.to_owned(),
        bytes: size.bytes as f64,
        files: u32::try_from(size.files).unwrap_or(u32::MAX),
    };
    Ok(Sizes {
        sizes: sizes.map(row).collect(),
    })
}

pub(super) async fn back_up(app: &App, path: String) -> Result<HomeBackedUp, Failure> {
    let to = PathBuf::from(&path);
    let end = crate::backup::make(&app.inner.home, &app.inner.store, to.clone()).await?;
    let packed = blocking(move || std::fs::metadata(&to).map_or(0, |about| about.len())).await?;
    Ok(HomeBackedUp {
        path,
        files: end.files as f64,
        bytes: end.bytes as f64,
        packed: packed as f64,
    })
}

pub(super) async fn change(
    app: &App,
    caller: &Caller,
    params: SettingsChange,
) -> Result<SettingsView, Failure> {
    let lang = match params.language.as_deref() {
        None => None,
        Some(tag) => Some(Lang::of_tag(tag).ok_or_else(|| {
            Failure::new("invalid_args")
                .with("call", "settings.change")
                .with("reason", "language: zh-CN, en")
        })?),
    };
    let favourite = match params.favourite {
        None => None,
        Some(change) => Some(checked(app, change).await?),
    };
    let one = app.inner.changing.lock().await;
    if let Some(FavouriteChange { tool, on: true }) = &favourite {
        let favourites = favourites(app).await;
        if favourites.len() >= MOST_FAVOURITES && !favourites.contains(tool) {
            return Err(Failure::new("too_many_favourites").with("limit", MOST_FAVOURITES));
        }
    }
    let path = app.inner.home.settings();
    let changed = move || -> Result<_, SettingsError> {
        let mut detail = Map::new();
        if let Some(lang) = lang {
            detail.insert("language".to_owned(), lang.tag().into());
        }
        let switches = [
            (OPEN, params.open_mcp_on_loopback),
            (ASK, params.ask_in_mcp_clients),
            (PAUSED, params.paused),
        ];
        for (name, on) in switches {
            if let Some(on) = on {
                detail.insert(name.to_owned(), on.into());
            }
        }
        if let Some(FavouriteChange { tool, on }) = &favourite {
            detail.insert("favourite".to_owned(), json!({"tool": tool, "on": on}));
        }
        // What the file says, not what was read at the start: a person may have edited it since.
        if detail.is_empty() {
            return Ok((Settings::load(&path)?, detail));
        }
        let settings = Settings::change(&path, |fields| {
            if let Some(language) = detail.get("language") {
                fields.insert("language".to_owned(), language.clone());
            }
            for name in [OPEN, ASK, PAUSED] {
                if let Some(on) = detail.get(name) {
                    let server = fields.entry("server").or_insert_with(|| json!({}));
                    server[name] = on.clone();
                }
            }
            if let Some(change) = &favourite {
                // Both are what they should be: the file was read as settings before.
                let tools = fields.entry(TOOLS).or_insert_with(|| json!({}));
                let mut names = match tools[FAVOURITES].take() {
                    Value::Array(names) => names,
                    _ => Vec::new(),
                };
                names.retain(|name| *name != change.tool.as_str());
                if change.on {
                    names.push(change.tool.clone().into());
                }
                tools[FAVOURITES] = names.into();
            }
        })?;
        Ok((settings, detail))
    };
    let (settings, detail) = blocking(changed).await??;
    if !detail.is_empty() {
        app.follow(&settings);
        tell(app, caller, detail).await?;
    }
    drop(one);
    Ok(show(app).await)
}

/// Those that are there: one that is removed may come back, and is a favourite again then.
async fn favourites(app: &App) -> Vec<String> {
    let mut favourites = Vec::new();
    for tool in app.favourites() {
        if let Ok(name) = tools::name(&tool)
            && app.inner.toolbox.known(&name).await.is_ok()
        {
            favourites.push(tool);
        }
    }
    favourites
}

/// A favourite is a tool that is there; what is none any more may be gone.
async fn checked(app: &App, change: FavouriteChange) -> Result<FavouriteChange, Failure> {
    if change.on {
        app.inner.toolbox.known(&tools::name(&change.tool)?).await?;
    }
    Ok(change)
}

async fn tell(app: &App, caller: &Caller, detail: Map<String, Value>) -> Result<(), Failure> {
    let entry = AuditEntry {
        actor: actor_of(caller),
        action: "settings.change".to_owned(),
        subject: "settings".to_owned(),
        detail: Value::Object(detail),
    };
    app.inner.store.audit(entry).await?;
    let event = Event::new("settings.changed", json!({}));
    let event = STALE.iter().fold(event, |event, tag| event.tag(*tag));
    Ok(app.inner.store.announce(vec![event]).await?)
}
