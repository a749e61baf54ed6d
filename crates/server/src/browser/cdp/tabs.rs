//! The pages of our context: which is in front, whether it is being loaded, what it asked.

use super::super::driver::{Asked, Questions};
use super::super::error::BrowserError;
use super::connection::{Connection, Told};
use serde_json::{Value, json};
use std::sync::Weak;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// How long the news of a document that ended may lag behind an answer that says so.
const SOON: Duration = Duration::from_millis(500);
/// Pages open at once; the oldest is closed for another.
const TABS: usize = 16;

#[derive(Clone, Debug, Default)]
struct State {
    /// The last is in front: a page that opens another is behind it until that one is closed.
    tabs: Vec<Tab>,
    /// Documents that any of them had.
    documents: u64,
    yes: bool,
    asked: Questions,
    ended: bool,
}

#[derive(Clone, Debug)]
struct Tab {
    /// Also of its main frame.
    target: String,
    session: String,
    loading: bool,
}

pub(super) struct Tabs {
    context: String,
    script: String,
    state: watch::Sender<State>,
}

impl Tabs {
    pub(super) fn new(context: String, script: String) -> Self {
        Tabs {
            context,
            script,
            state: watch::Sender::new(State::default()),
        }
    }

    /// Until the connection is gone.
    pub(super) async fn follow(
        self: std::sync::Arc<Self>,
        connection: Weak<Connection>,
        mut events: mpsc::Receiver<Told>,
    ) {
        while let Some(told) = events.recv().await {
            let Some(connection) = connection.upgrade() else {
                break;
            };
            self.hear(&connection, &told);
        }
        self.state.send_modify(|state| state.ended = true);
    }

    fn hear(&self, connection: &Connection, told: &Told) {
        let session = told.session.as_deref();
        match told.method.as_str() {
            "Target.attachedToTarget" => self.attached(connection, &told.params),
            "Target.detachedFromTarget" => {
                let gone = told.params["sessionId"].as_str().unwrap_or_default();
                self.state.send_modify(|state| {
                    let before = state.tabs.len();
                    state.tabs.retain(|tab| tab.session != gone);
                    if state.tabs.len() != before {
                        // Whatever is in front now is another document.
                        state.documents += 1;
                    }
                });
            }
            "Page.frameStartedLoading" | "Page.frameStartedNavigating" => {
                self.loading(session, &told.params["frameId"], true)
            }
            "Page.frameStoppedLoading" | "Page.navigatedWithinDocument" => {
                self.loading(session, &told.params["frameId"], false)
            }
            "Page.frameNavigated" if told.params["frame"]["parentId"].is_null() => {
                self.state.send_modify(|state| state.documents += 1);
            }
            "Inspector.targetCrashed" => {
                if let Some(session) = session {
                    self.state
                        .send_modify(|state| state.tabs.retain(|tab| tab.session != session));
                }
            }
            "Page.javascriptDialogOpening" => self.dialog(connection, session, &told.params),
            "Browser.downloadWillBegin" => {
                let name = told.params["suggestedFilename"].as_str().unwrap_or_default();
                self.note("download", name, false);
            }
            _ => {}
        }
    }

    fn attached(&self, connection: &Connection, params: &Value) {
        let Some(session) = params["sessionId"].as_str() else {
            return;
        };
        let info = &params["targetInfo"];
        let ours = info["browserContextId"].as_str() == Some(&self.context);
        let is_page = info["type"].as_str() == Some("page");
        if ours && is_page {
            connection.send(Some(session), "Page.enable", json!({}));
            let script = json!({"source": self.script, "runImmediately": true});
            connection.send(Some(session), "Page.addScriptToEvaluateOnNewDocument", script);
        }
        connection.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
        if !(ours && is_page) {
            // Pages of others are not looked at.
            connection.send(None, "Target.detachFromTarget", json!({"sessionId": session}));
            return;
        }
        let target = info["targetId"].as_str().unwrap_or_default();
        self.state.send_modify(|state| {
            if state.tabs.len() >= TABS {
                let oldest = state.tabs.remove(0);
                connection.send(None, "Target.closeTarget", json!({"targetId": oldest.target}));
            }
            state.tabs.push(Tab {
                target: target.to_owned(),
                session: session.to_owned(),
                loading: false,
            });
            state.documents += 1;
        });
    }

    fn loading(&self, session: Option<&str>, frame: &Value, loading: bool) {
        let (Some(session), Some(frame)) = (session, frame.as_str()) else {
            return;
        };
        self.state.send_if_modified(|state| {
            let tab = state
                .tabs
                .iter_mut()
                .find(|tab| tab.session == session && tab.target == frame);
            match tab {
                Some(tab) if tab.loading != loading => {
                    tab.loading = loading;
                    true
                }
                _ => false,
            }
        });
    }

    fn dialog(&self, connection: &Connection, session: Option<&str>, params: &Value) {
        let kind = params["type"].as_str().unwrap_or_default();
        let yes = match kind {
            // There is nothing to choose; and whoever leaves was allowed to.
            "alert" | "beforeunload" => true,
            _ => self.state.borrow().yes,
        };
        connection.send(session, "Page.handleJavaScriptDialog", json!({"accept": yes}));
        self.note(kind, params["message"].as_str().unwrap_or_default(), yes);
    }

    fn note(&self, kind: &str, text: &str, yes: bool) {
        self.state.send_modify(|state| state.asked.note(kind, text, yes));
    }

    pub(super) fn session(&self) -> Option<String> {
        self.state.borrow().tabs.last().map(|tab| tab.session.clone())
    }

    pub(super) fn documents(&self) -> u64 {
        self.state.borrow().documents
    }

    pub(super) fn is_loading(&self) -> bool {
        self.state.borrow().tabs.last().is_some_and(|tab| tab.loading)
    }

    pub(super) fn answer(&self, yes: bool) {
        self.state.send_modify(|state| state.yes = yes);
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        let mut asked = Vec::new();
        self.state.send_modify(|state| asked = state.asked.take());
        asked
    }

    /// A navigation that we want has begun, though its news has not come.
    pub(super) fn begins(&self) {
        self.mark(true);
    }

    /// It has not.
    pub(super) fn stays(&self) {
        self.mark(false);
    }

    fn mark(&self, loading: bool) {
        self.state.send_modify(|state| {
            if let Some(tab) = state.tabs.last_mut() {
                tab.loading = loading;
            }
        });
    }

    pub(super) async fn first(&self, most: Duration) -> Result<(), BrowserError> {
        let there = self.when(|state| state.ended || !state.tabs.is_empty());
        match tokio::time::timeout(most, there).await {
            Ok(()) if self.session().is_some() => Ok(()),
            Ok(()) => Err(BrowserError::Gone),
            Err(_) => Err(BrowserError::Timeout(most)),
        }
    }

    pub(super) async fn loaded(&self) {
        self.when(|state| state.ended || state.tabs.last().is_none_or(|tab| !tab.loading))
            .await;
    }

    /// Another page is in front than that of this session.
    pub(super) async fn left(&self, session: &str) {
        self.when(|state| state.ended || state.tabs.last().is_none_or(|tab| tab.session != session))
            .await;
    }

    /// Whether there is another document in a moment.
    pub(super) async fn soon(&self, before: u64) -> bool {
        let other =
            self.when(|state| state.documents != before || state.tabs.last().is_some_and(|tab| tab.loading));
        tokio::time::timeout(SOON, other).await.is_ok()
    }

    async fn when(&self, is_so: impl FnMut(&State) -> bool) {
        // The sender lives as long as this.
        let _ = self.state.subscribe().wait_for(is_so).await;
    }
}
