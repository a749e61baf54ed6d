//! The browser assistant (seed 003): a conversation, and one wish at a time that is worked on in the browser.
//!
//! Read [`wish`] for a wish from its beginning to its end, [`person`] for what is asked of the person, [`model`] for
//! what is asked of a model, [`steps`] for single steps of clients and agents.
//!
//! Deliberately not here: what is decided and how (`agents::assistant`), browsers (`crate::browser`).

mod model;
mod person;
mod steps;
mod wish;

pub(crate) use steps::{act, navigate, observe};
pub(crate) use wish::{BUSY, send};

use crate::app::App;
use crate::browser::{Gallery, Session};
use crate::work::blocking;
use agents::assistant::{Answers, Observation};
use async_trait::async_trait;
use base::settings::AssistantSettings;
use base::{Event, Failure, Settings};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Actor, NewArtifact, Store};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use wire::AssistantStep;

/// Subject of what is allowed whenever it is wished.
pub(crate) const SUBJECT: &str = "assistant";
/// By this name it stands in records.
const NAME: &str = "Ava";
/// Answers of models whose times are remembered.
const TIMES: usize = 1_000;
/// Characters of what a model is saying that are shown.
const THINKING: usize = 2_000;

pub(crate) struct Assistant {
    working: Mutex<Option<Working>>,
    /// Whether something is worked on.
    busy: watch::Sender<bool>,
    answers: Answers,
    asked: Mutex<Asked>,
    /// Sites that a client or an agent was allowed once: until the page is closed.
    once: Mutex<HashSet<(String, String)>>,
}

impl Default for Assistant {
    fn default() -> Self {
        Assistant {
            working: Mutex::default(),
            busy: watch::Sender::new(false),
            answers: Answers::default(),
            asked: Mutex::default(),
            once: Mutex::default(),
        }
    }
}

/// A wish that is worked on.
#[derive(Clone)]
pub(crate) struct Working {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Milliseconds since the epoch.
    pub(crate) since: i64,
    pub(crate) thinking: String,
    pub(crate) step: Option<AssistantStep>,
    stop: CancellationToken,
}

/// Questions to models since the program started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) count: u32,
    pub(crate) failed: u32,
    /// Milliseconds.
    times: VecDeque<f64>,
}

impl Asked {
    fn note(&mut self, ms: f64, success: bool) {
        self.count = self.count.saturating_add(1);
        self.failed = self.failed.saturating_add(u32::from(!success));
        if success {
            self.times.push_back(ms);
            if self.times.len() > TIMES {
                self.times.pop_front();
            }
        }
    }

    /// The median, and what 95 of 100 do not exceed.
    pub(crate) fn quantiles(&self) -> (f64, f64) {
        let mut sorted: Vec<f64> = self.times.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let last = sorted.len().saturating_sub(1);
            sorted
                .get((last as f64 * part).round() as usize)
                .copied()
                .unwrap_or_default()
        };
        (at(0.5), at(0.95))
    }
}

impl Assistant {
    pub(crate) fn working(&self) -> Option<Working> {
        self.lock().clone()
    }

    pub(crate) fn asked(&self) -> Asked {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers that were known already.
    pub(crate) fn known(&self) -> u32 {
        self.answers.used()
    }

    pub(crate) fn forget(&self) {
        self.answers.clear();
    }

    /// Whether something was worked on.
    pub(crate) fn stop(&self) -> bool {
        let working = self.lock();
        if let Some(working) = &*working {
            working.stop.cancel();
        }
        working.is_some()
    }

    /// Resolves when nothing is worked on.
    pub(crate) async fn idle(&self) {
        // The sender lives as long as this.
        let _ = self.busy.subscribe().wait_for(|busy| !busy).await;
    }

    /// What was allowed once holds no longer.
    pub(crate) fn closed(&self) {
        self.once().clear();
    }

    fn once(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.once.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, working: Working) -> Result<(), Failure> {
        let mut place = self.lock();
        if place.is_some() {
            return Err(Failure::new(BUSY));
        }
        *place = Some(working);
        self.busy.send_replace(true);
        Ok(())
    }

    fn change(&self, change: impl FnOnce(&mut Working)) {
        if let Some(working) = &mut *self.lock() {
            change(working);
        }
    }

    fn end(&self) {
        self.lock().take();
        self.busy.send_replace(false);
    }

    fn thinks(&self, piece: &str) {
        self.change(|working| {
            working.thinking.push_str(piece);
            let over = working.thinking.len().saturating_sub(THINKING);
            let over = working.thinking.ceil_char_boundary(over);
            working.thinking.drain(..over);
        });
    }

    fn note(&self, ms: f64, success: bool) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.note(ms, success);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Working>> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As the file says now: a person may have edited it.
pub(crate) async fn settings(app: &App) -> Result<AssistantSettings, Failure> {
    let path = app.inner.home.settings();
    let settings = blocking(move || Settings::load(&path)).await??;
    Ok(settings.assistant)
}

/// The page that is open, or a new one.
pub(crate) async fn session(app: &App, settings: &AssistantSettings) -> Result<Arc<Session>, Failure> {
    let store = app.inner.store.clone();
    let session = app
        .inner
        .browsers
        .session(settings, || Box::new(Pictures { store }))
        .await?;
    Ok(session)
}

/// Whoever looks at the assistant sees what is new.
pub(crate) async fn tell(app: &App) -> Result<(), Failure> {
    told(app, "assistant").await
}

/// Whoever watches what is worked on does.
async fn tell_now(app: &App) -> Result<(), Failure> {
    told(app, "assistant-now").await
}

async fn told(app: &App, tag: &str) -> Result<(), Failure> {
    let event = Event::new("assistant.step", serde_json::json!({})).tag(tag);
    Ok(app.inner.store.announce(vec![event]).await?)
}

pub(crate) fn ava() -> Actor {
    Actor {
        kind: "agent".to_owned(),
        name: NAME.to_owned(),
    }
}

/// The origin of a page, by which a site is known; nothing where there is nothing to be asked about.
fn origin(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    match url.origin() {
        origin @ url::Origin::Tuple(..) => Some(origin.ascii_serialization()),
        // `about:blank` says nothing; of whatever else has no origin the whole address is asked about.
        url::Origin::Opaque(_) if url.as_str() == "about:blank" => None,
        url::Origin::Opaque(_) => Some(base::text::cut(address, 200)),
    }
}

/// Pictures of pages, in the gallery.
struct Pictures {
    store: Store,
}

#[async_trait]
impl Gallery for Pictures {
    async fn keep(&self, png: Vec<u8>, page: &Observation) -> Result<String, Failure> {
        let (width, height) = size(&png)?;
        let title = if page.title.is_empty() {
            &page.url
        } else {
            &page.title
        };
        let new = NewArtifact {
            title: base::text::cut(title, 120),
            source: SUBJECT.to_owned(),
            actor: ava(),
            code: String::new(),
            width,
            height,
            png,
        };
        Ok(self.store.add_picture(new).await?.file_name())
    }
}

/// Of a PNG that a browser says it is.
fn size(png: &[u8]) -> Result<(u32, u32), Failure> {
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info();
    let reader = reader
        .map_err(|error| Failure::new("assistant_browser_protocol").with("reason", error.to_string()))?;
    Ok((reader.info().width, reader.info().height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_known_by_their_origin() {
        for (address, wanted) in [
            ("https://Shop.example/cart?x=1#y", Some("https://shop.example")),
            ("https://shop.example:443/", Some("https://shop.example")),
            ("http://127.0.0.1:8080/", Some("http://127.0.0.1:8080")),
            ("about:blank", None),
            ("data:text/html,x", Some("data:text/html,x")),
        ] {
            assert_eq!(origin(address).as_deref(), wanted, "{address}");
        }
    }

    #[test]
    fn times_of_models_are_told_by_their_quantiles() {
        let mut asked = Asked::default();
        assert_eq!(asked.quantiles(), (0.0, 0.0));
        (1..=2_000).for_each(|ms| asked.note(f64::from(ms), true));
        asked.note(1e9, false);
        assert_eq!((asked.count, asked.failed), (2_001, 1));
        assert_eq!(asked.times.len(), TIMES, "the last ones alone");
        assert_eq!(asked.quantiles(), (1501.0, 1950.0));
    }
}
