//! A page as the assistant works on it, over any driver. Steps are done with the browser's own events where it has
//! them; what the page's script does instead is said to be synthetic.

use super::driver::{ANSWER, Asked, Driver, Hands, Point, To};
use super::error::{BrowserError, Refusal};
use super::keys::Key;
use agents::assistant::{Action, ActionKind, Gave, Observation, Page};
use async_trait::async_trait;
use base::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A page that has not changed for so long is quiet, in milliseconds.
const STILL: u64 = 300;
/// How often the pointer goes after an element that moves when it is met.
const CHASES: usize = 5;
/// Characters of an address.
const ADDRESS: usize = 2_000;

/// Keeps pictures for people.
#[async_trait]
pub(crate) trait Gallery: Send + Sync {
    /// The name of the file.
    async fn keep(&self, png: Vec<u8>, page: &Observation) -> Result<String, Failure>;
}

pub(crate) struct Session {
    driver: Box<dyn Driver>,
    script: String,
    gallery: Box<dyn Gallery>,
    /// Its own address: no page is sent there.
    own: Option<url::Url>,
    last: Mutex<Observation>,
    /// Where the browser's own pointer is.
    pointer: Mutex<Option<Point>>,
    /// One step at a time; a wish holds it from its beginning to its end.
    pub(crate) turn: tokio::sync::Mutex<()>,
}

/// What the page's script says of a step.
#[derive(Deserialize)]
#[serde(untagged)]
enum Outcome {
    Refused {
        refusal: Refusal,
    },
    Done {
        #[serde(default)]
        text: Option<String>,
    },
}

/// Where to point, or why not.
#[derive(Deserialize)]
#[serde(untagged)]
enum Prepared {
    Ready(Point),
    Refused(Refusal),
}

impl Session {
    pub(super) fn new(
        driver: Box<dyn Driver>,
        script: String,
        gallery: Box<dyn Gallery>,
        own: Option<url::Url>,
    ) -> Self {
        Session {
            driver,
            script,
            gallery,
            own,
            last: Mutex::default(),
            pointer: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn name(&self) -> String {
        self.driver.name()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.driver.is_open()
    }

    pub(crate) async fn close(&self) {
        self.driver.close().await;
    }

    /// What the last look saw.
    pub(crate) fn last(&self) -> Observation {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) async fn picture(&self) -> Result<Vec<u8>, BrowserError> {
        self.driver.picture().await
    }

    /// An address of http or https, or `back`, `forward`, `reload`.
    pub(crate) async fn go(&self, to: &str) -> Result<(), BrowserError> {
        let to = self.to(to)?;
        self.driver.go(&to).await
    }

    /// Whether and where it can be sent.
    pub(crate) fn to(&self, given: &str) -> Result<To, BrowserError> {
        match given.trim() {
            "back" => return Ok(To::Back),
            "forward" => return Ok(To::Forward),
            "reload" => return Ok(To::Reload),
            _ => {}
        }
        let wrong = || BrowserError::Address {
            address: base::text::cut(given, 200),
        };
        let given = given.trim();
        if given.len() > ADDRESS {
            return Err(wrong());
        }
        let url = match url::Url::parse(given) {
            Ok(url) => url,
            // Relative to the page that is open; without one, a name as people type it.
            Err(_) => match url::Url::parse(&self.last().url) {
                Ok(base) if base.has_host() => base.join(given).map_err(|_| wrong())?,
                _ => url::Url::parse(&format!("https://{given}")).map_err(|_| wrong())?,
            },
        };
        // Neither files of this machine nor the browser's own pages; and not what the browser is led by.
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        let is_own = self.own.as_ref().is_some_and(|own| {
            own.port_or_known_default() == url.port_or_known_default() && own.host() == url.host()
        });
        match is_web && !is_own {
            true => Ok(To::Address(url)),
            false => Err(wrong()),
        }
    }

    /// At most so many elements.
    pub(crate) async fn look(&self, most: u32) -> Result<Observation, BrowserError> {
        let expression = format!("globalThis.pmPage === undefined ? null : pmPage.scan({most})");
        let mut seen = self.patient(&expression).await?;
        if seen.is_null() {
            // A driver that cannot put it there before the page's own code, or a page that was there already.
            self.patient(&format!("(() => {{ {}; return null; }})()", self.script))
                .await?;
            seen = self.patient(&expression).await?;
        }
        if seen.is_null() {
            return Err(BrowserError::Script {
                reason: "the page cannot be looked into".to_owned(),
            });
        }
        let seen: Observation = serde_json::from_value(seen).map_err(|error| BrowserError::Script {
            reason: error.to_string(),
        })?;
        let seen = seen.tamed();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = seen.clone();
        Ok(seen)
    }

    /// What looks only may be asked again of the next page.
    async fn patient(&self, expression: &str) -> Result<Value, BrowserError> {
        let until = Instant::now() + super::driver::LOAD;
        loop {
            match self.driver.evaluate(expression, ANSWER).await {
                Err(BrowserError::Left) if Instant::now() < until => self.driver.loaded().await?,
                other => return other,
            }
        }
    }

    async fn step(&self, action: &Action, name: Option<&str>) -> Result<Gave, BrowserError> {
        let documents = self.driver.documents();
        self.driver.asked();
        self.driver
            .answer(action.kind == ActionKind::Click && action.value.as_deref() == Some("yes"));
        let mut gave = Gave::default();
        match action.kind {
            ActionKind::Navigate => self.go(action.value.as_deref().unwrap_or_default()).await?,
            ActionKind::Wait => self.wait(action).await?,
            ActionKind::Screenshot => {}
            ActionKind::Observe | ActionKind::Done => return Ok(gave),
            _ => {
                let by_hand = match self.driver.hands() {
                    Some(hands) => self.by_hand(hands, action, name).await,
                    None => Ok(false),
                };
                let done = match by_hand {
                    Ok(true) => Ok(None),
                    Ok(false) => {
                        gave.synthetic = action.kind.changes();
                        self.by_script(action, name).await
                    }
                    Err(error) => Err(error),
                };
                gave.text = match done {
                    Ok(text) => text,
                    // It was done, and the page is gone by it.
                    Err(BrowserError::Left) if action.kind.changes() => None,
                    Err(error) => return Err(error),
                };
            }
        }
        if action.kind.changes() {
            self.quiet(Duration::from_millis(u64::from(action.wait_after)))
                .await?;
        }
        gave.navigated = self.driver.documents() != documents;
        let asked = self.driver.asked();
        gave.asked = asked.iter().map(said).collect();
        Ok(gave)
    }

    /// With the browser's own events; `false` where the script must do it.
    async fn by_hand(
        &self,
        hands: &dyn Hands,
        action: &Action,
        name: Option<&str>,
    ) -> Result<bool, BrowserError> {
        let value = action.value.as_deref().unwrap_or_default();
        match (action.kind, action.id) {
            (ActionKind::Click, Some(id)) => {
                // At something that moves, where it was last: as a person would.
                let (at, _) = self.approach(hands, id, name).await?;
                hands.point(at, true).await?;
                Ok(true)
            }
            (ActionKind::Hover, Some(id)) => match self.approach(hands, id, name).await? {
                (_, true) => Ok(true),
                (_, false) => Err(refused(Refusal::GivesWay, name)),
            },
            (ActionKind::Input, Some(id)) => {
                self.prepared(id, name).await?;
                let typed = self.ask(&format!("pmPage.selectAll({id})")).await?;
                if typed != Value::Bool(true) {
                    return Ok(false);
                }
                match value {
                    "" => hands.press(&key("Delete")?).await?,
                    text => hands.type_text(text).await?,
                }
                Ok(true)
            }
            (ActionKind::Key, id) => {
                let key = key(value)?;
                if let Some(id) = id {
                    self.prepared(id, name).await?;
                    self.ask(&format!("pmPage.focus({id})")).await?;
                }
                hands.press(&key).await?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Brings the pointer to an element as a hand does: by steps, and after it where it gives way (a list that unfolds
    /// under the pointer). Where it is, and whether the pointer is over it.
    async fn approach(
        &self,
        hands: &dyn Hands,
        id: u32,
        name: Option<&str>,
    ) -> Result<(Point, bool), BrowserError> {
        let mut at = self.prepared(id, name).await?;
        let before = *self.pointer.lock().unwrap_or_else(PoisonError::into_inner);
        // What opened under the pointer hears of a move of it there first, and takes that one for no choice.
        if let Some(before) = before {
            hands.point(before.beside(), false).await?;
        }
        let mut over = false;
        for _ in 0..CHASES {
            hands.point(at, false).await?;
            // What it is called may change when a pointer is over it.
            let now = self.prepared(id, None).await?;
            over = now == at;
            if over {
                break;
            }
            at = now;
        }
        *self.pointer.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
        Ok((at, over))
    }

    async fn prepared(&self, id: u32, name: Option<&str>) -> Result<Point, BrowserError> {
        let expression = match name {
            Some(name) => format!("pmPage.prepare({id}, {})", json!(name)),
            None => format!("pmPage.prepare({id})"),
        };
        match serde_json::from_value(self.ask(&expression).await?) {
            Ok(Prepared::Ready(at)) if at.x.is_finite() && at.y.is_finite() => Ok(at),
            Ok(Prepared::Refused(refusal)) => Err(refused(refusal, name)),
            _ => Err(BrowserError::Script {
                reason: "prepare".to_owned(),
            }),
        }
    }

    async fn by_script(&self, action: &Action, name: Option<&str>) -> Result<Option<String>, BrowserError> {
        if action.kind == ActionKind::Key {
            key(action.value.as_deref().unwrap_or_default())?;
        }
        let step = json!({
            "type": action.kind.as_str(), "id": action.id, "value": action.value, "name": name,
        });
        // What is null is not there.
        let step = match step {
            Value::Object(mut fields) => {
                fields.retain(|_, value| !value.is_null());
                Value::Object(fields)
            }
            other => other,
        };
        match serde_json::from_value(self.ask(&format!("pmPage.perform({step})")).await?) {
            Ok(Outcome::Done { text }) => Ok(text),
            Ok(Outcome::Refused { refusal }) => Err(refused(refusal, name.or(action.value.as_deref()))),
            Err(error) => Err(BrowserError::Script {
                reason: error.to_string(),
            }),
        }
    }

    async fn ask(&self, expression: &str) -> Result<Value, BrowserError> {
        self.driver.evaluate(expression, ANSWER).await
    }

    /// Milliseconds, `quiet`, a text that is to appear, or an element that is to be usable.
    async fn wait(&self, action: &Action) -> Result<(), BrowserError> {
        let most = Duration::from_millis(u64::from(action.wait_after));
        let wanted = match (action.id, action.value.as_deref().map(str::trim)) {
            (Some(id), _) => json!({"id": id}),
            (None, None | Some("" | "quiet")) => return self.quiet(most).await,
            (None, Some(value)) => match value.parse::<u64>() {
                Ok(ms) => {
                    tokio::time::sleep(Duration::from_millis(ms.min(30_000))).await;
                    return Ok(());
                }
                Err(_) => json!({"text": value}),
            },
        };
        // Longer than the wait after a step: it is waited for on purpose.
        let most = most.max(Duration::from_secs(10));
        let until = Instant::now() + most;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let expression = format!("pmPage.until({wanted}, {})", left.as_millis());
            match self.driver.evaluate(&expression, left + ANSWER).await {
                Ok(Value::Bool(true)) => return Ok(()),
                Err(BrowserError::Left) if !left.is_zero() => self.driver.loaded().await?,
                Ok(_) | Err(BrowserError::Left) => {
                    let what = action.value.clone().unwrap_or_default();
                    return Err(BrowserError::NotCome {
                        what: base::text::cut(&what, 100),
                    });
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Until nothing changes any more, at most so long; a page that is being loaded meanwhile is waited for.
    async fn quiet(&self, most: Duration) -> Result<(), BrowserError> {
        let until = Instant::now() + most;
        loop {
            self.driver.loaded().await?;
            let left = until.saturating_duration_since(Instant::now());
            let still = STILL.min(u64::try_from(left.as_millis()).unwrap_or(STILL));
            let expression = format!(
                "globalThis.pmPage === undefined ? null : pmPage.quiet({still}, {})",
                left.as_millis()
            );
            let before = self.driver.documents();
            match self.driver.evaluate(&expression, left + ANSWER).await {
                Err(BrowserError::Left) => {}
                Ok(_) if self.driver.documents() != before => {}
                Ok(_) => {
                    // What it began to load just now.
                    return self.driver.loaded().await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn key(name: &str) -> Result<Key, BrowserError> {
    Key::named(name).ok_or_else(|| refused(Refusal::NotForThis, Some(name)))
}

fn refused(refusal: Refusal, what: Option<&str>) -> BrowserError {
    BrowserError::Refused {
        refusal,
        what: base::text::cut(what.unwrap_or_default(), 100),
    }
}

fn said(Asked { text, kind, yes }: &Asked) -> String {
    let answer = if *yes { "yes" } else { "no" };
    format!("{kind}: \"{text}\" ({answer})")
}

/// The page of a wish, which sees so many elements.
pub(crate) struct Seen<'s> {
    pub(crate) session: &'s Session,
    pub(crate) elements: u32,
}

#[async_trait]
impl Page for Seen<'_> {
    async fn observe(&self) -> Result<Observation, Failure> {
        Ok(self.session.look(self.elements).await?)
    }

    async fn act(&self, action: &Action, name: Option<&str>) -> Result<Gave, Failure> {
        let mut gave = self.session.step(action, name).await?;
        if action.kind == ActionKind::Screenshot {
            let png = self.session.picture().await?;
            let kept = self.session.gallery.keep(png, &self.session.last()).await?;
            gave.picture = Some(kept);
        }
        Ok(gave)
    }
}
