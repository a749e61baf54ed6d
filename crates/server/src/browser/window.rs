//! The page window of the desktop program. It asks for orders, one at a time, and brings what came of them; this process
//! links no engine. Its page has no events of its own: the script makes them.

use super::driver::{ANSWER, Asked, Driver, LOAD, To};
use super::error::BrowserError;
use async_trait::async_trait;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, oneshot};
use wire::{BrowserDone, BrowserOrder, BrowserOrderKind};

/// How long a desktop program waits for an order before it asks again.
const PATIENCE: Duration = Duration::from_secs(25);
/// A desktop program that has not asked for so long is gone.
const GONE: Duration = Duration::from_secs(40);
/// Orders that wait.
const ORDERS: usize = 64;
/// Bytes of what a page gives.
const BYTES: usize = 4 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Window {
    state: Mutex<State>,
    more: Notify,
}

#[derive(Default)]
struct State {
    /// Of the desktop program that asked last, and when.
    window: String,
    asked: Option<Instant>,
    /// It is asking now.
    asking: usize,
    orders: VecDeque<BrowserOrder>,
    waiting: std::collections::HashMap<String, oneshot::Sender<BrowserDone>>,
}

impl Window {
    /// Whether a desktop program is there.
    pub(crate) fn is_there(&self) -> bool {
        let state = self.lock();
        state.asking > 0 || state.asked.is_some_and(|at| at.elapsed() < GONE)
    }

    /// Of the desktop program: takes what came of the last order, gives the next, or nothing after a while.
    pub(crate) async fn work(&self, window: &str, done: Option<BrowserDone>) -> Option<BrowserOrder> {
        let _asking = {
            let mut state = self.lock();
            if state.window != window {
                // Orders of another program are nobody's: whoever waits for them sees it.
                window.clone_into(&mut state.window);
                state.orders.clear();
                state.waiting.clear();
            }
            if let Some(done) = done
                && let Some(waits) = state.waiting.remove(&done.order)
            {
                // Whoever asked may have gone.
                let _ = waits.send(done);
            }
            state.asking += 1;
            state.asked = Some(Instant::now());
            Asking(self)
        };
        let next = async {
            loop {
                let more = self.more.notified();
                {
                    let mut state = self.lock();
                    if state.window != window {
                        return None;
                    }
                    if let Some(order) = state.orders.pop_front() {
                        return Some(order);
                    }
                }
                more.await;
            }
        };
        tokio::time::timeout(PATIENCE, next).await.unwrap_or_default()
    }

    async fn order(
        &self,
        kind: BrowserOrderKind,
        text: &str,
        script: Option<String>,
        most: Duration,
    ) -> Result<BrowserDone, BrowserError> {
        if !self.is_there() {
            return Err(BrowserError::NoWindow);
        }
        let (tell, answer) = oneshot::channel();
        let id = uuid::Uuid::new_v4().to_string();
        {
            let mut state = self.lock();
            if state.orders.len() >= ORDERS {
                return Err(BrowserError::Gone);
            }
            state.waiting.insert(id.clone(), tell);
            state.orders.push_back(BrowserOrder {
                id: id.clone(),
                kind,
                text: text.to_owned(),
                script,
            });
        }
        self.more.notify_waiters();
        let answered = tokio::time::timeout(most, answer).await;
        let mut state = self.lock();
        state.waiting.remove(&id);
        state.orders.retain(|order| order.id != id);
        drop(state);
        match answered {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) => Err(BrowserError::Gone),
            Err(_) => Err(BrowserError::Timeout(most)),
        }
    }

    /// A page window with nothing in it.
    pub(super) async fn open(self: &Arc<Self>, script: String) -> Result<Windowed, BrowserError> {
        let done = self
            .order(BrowserOrderKind::Open, "about:blank", Some(script.clone()), LOAD)
            .await?;
        if let Some(reason) = done.error {
            return Err(BrowserError::Protocol { reason });
        }
        Ok(Windowed {
            window: self.clone(),
            script,
            documents: AtomicU64::new(0),
            document: Mutex::default(),
            closed: AtomicU64::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Asking<'w>(&'w Window);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.asking -= 1;
        state.asked = Some(Instant::now());
    }
}

/// A page in it.
pub(super) struct Windowed {
    window: Arc<Window>,
    script: String,
    documents: AtomicU64,
    /// The document that answered last, by its mark.
    document: Mutex<String>,
    closed: AtomicU64,
}

/// What the wrapped expression gives.
#[derive(serde::Deserialize)]
struct Given {
    /// A mark that each document has.
    document: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    thrown: Option<String>,
    /// It is not settled yet.
    #[serde(default)]
    waits: bool,
}

impl Windowed {
    /// Once: what waits is asked about again.
    async fn given(&self, code: &str, most: Duration) -> Result<Given, BrowserError> {
        let done = self
            .window
            .order(BrowserOrderKind::Evaluate, code, None, most)
            .await?;
        if let Some(reason) = done.error {
            return Err(match done.url.as_str() {
                // The person has closed it.
                "" => {
                    self.closed.store(1, Ordering::Relaxed);
                    BrowserError::Gone
                }
                _ => BrowserError::Protocol { reason },
            });
        }
        let json = done.json.unwrap_or_default();
        if json.len() > BYTES {
            return Err(BrowserError::Protocol {
                reason: format!("a page says more than {BYTES} bytes"),
            });
        }
        // Nothing comes of a document that ended while it was asked.
        let given: Given = serde_json::from_str(&json).map_err(|_| BrowserError::Left)?;
        let mut known = self.document.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != given.document {
            self.documents.fetch_add(1, Ordering::Relaxed);
            known.clone_from(&given.document);
        }
        drop(known);
        Ok(given)
    }
}

#[async_trait]
impl Driver for Windowed {
    fn name(&self) -> String {
        "Prompt Manager".to_owned()
    }

    /// A promise is asked about again and again: a webview gives values, no promises.
    async fn evaluate(&self, expression: &str, most: Duration) -> Result<Value, BrowserError> {
        let until = tokio::time::Instant::now() + most;
        let key = uuid::Uuid::new_v4().simple().to_string();
        let script = &self.script;
        let first = format!(
            "(() => {{
               if (globalThis.pmPage === undefined) {{ {script} }}
               return pmPage.ask('{key}', () => ({expression}));
             }})()"
        );
        let again = format!("(() => globalThis.pmPage?.asked('{key}') ?? {{ document: '' }})()");
        let mut given = self.given(&first, ANSWER).await?;
        let document = given.document.clone();
        let mut pause = Duration::from_millis(15);
        while given.waits {
            if tokio::time::Instant::now() > until {
                return Err(BrowserError::Timeout(most));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(200));
            given = self.given(&again, ANSWER).await?;
        }
        if given.document != document {
            return Err(BrowserError::Left);
        }
        match given.thrown {
            Some(reason) => Err(BrowserError::Script {
                reason: base::text::cut(&reason, 300),
            }),
            None => Ok(given.value),
        }
    }

    async fn go(&self, to: &To) -> Result<(), BrowserError> {
        let before = self.documents();
        match to {
            To::Address(url) => {
                let done = self
                    .window
                    .order(
                        BrowserOrderKind::Open,
                        url.as_str(),
                        Some(self.script.clone()),
                        LOAD,
                    )
                    .await?;
                if let Some(reason) = done.error {
                    return Err(BrowserError::Load {
                        url: url.to_string(),
                        reason,
                    });
                }
            }
            To::Back => drop(self.evaluate("history.back()", ANSWER).await?),
            To::Forward => drop(self.evaluate("history.forward()", ANSWER).await?),
            To::Reload => drop(self.evaluate("location.reload()", ANSWER).await?),
        }
        // The one before answers until the next is there.
        let until = tokio::time::Instant::now() + LOAD;
        while self.documents() == before && tokio::time::Instant::now() < until {
            match self.evaluate("null", ANSWER).await {
                Ok(_) | Err(BrowserError::Left) => {}
                Err(error) => return Err(error),
            }
            if let To::Address(url) = to
                && url.fragment().is_some()
            {
                // Within a document there is no other.
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.loaded().await
    }

    /// The page is asked again and again: nobody tells this process when it is loaded.
    async fn loaded(&self) -> Result<(), BrowserError> {
        let until = tokio::time::Instant::now() + LOAD;
        loop {
            match self
                .evaluate(
                    "document.readyState === 'complete' && !pmPage.isLeaving()",
                    ANSWER,
                )
                .await
            {
                Ok(Value::Bool(true)) => return Ok(()),
                Ok(_) | Err(BrowserError::Left) if tokio::time::Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Ok(_) | Err(BrowserError::Left) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn documents(&self) -> u64 {
        self.documents.load(Ordering::Relaxed)
    }

    fn answer(&self, _: bool) {}

    /// What it asks the person answers herself, in the window.
    fn asked(&self) -> Vec<Asked> {
        Vec::new()
    }

    fn is_open(&self) -> bool {
        self.closed.load(Ordering::Relaxed) == 0 && self.window.is_there()
    }

    async fn close(&self) {
        if let Err(error) = self.window.order(BrowserOrderKind::Close, "", None, ANSWER).await {
            tracing::debug!(%error, "the page window was not closed");
        }
        self.closed.store(1, Ordering::Relaxed);
    }
}
