//! The browser assistant (seed 003): a page in a browser, a conversation about it, and steps on it. What happens is
//! told by the event `assistant.step`. Questions to the person are approvals: of the subject `assistant` whether a site
//! may be worked on, of `assistant:` and the id of a wish whether a step of it may be done.

use super::{WireError, is_false};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where the browser comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum BrowserKind {
    /// A window of the desktop program.
    #[default]
    Window,
    /// A Chromium that a person started, over the DevTools protocol.
    Cdp,
    /// WebKitWebDriver, chromedriver and their like.
    WebDriver,
}

/// What a person can change of the assistant. What is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct AssistantChange {
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<BrowserKind>,
    /// Of CDP or WebDriver: `http://127.0.0.1:9222`.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The service that decides; empty: the default one.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Every step that changes something is asked about, not only what cannot be taken back.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_each: Option<bool>,
    /// MCP clients and agents are offered `browser_observe`, `browser_act` and `browser_navigate`.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<bool>,
    /// What a model is told and says is kept in the conversation.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug: Option<bool>,
    /// Elements of one look, 10 to 500.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<u32>,
}

/// As they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantOptions {
    pub browser: BrowserKind,
    pub address: String,
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    pub ask_each: bool,
    pub offered: bool,
    pub debug: bool,
    pub elements: u32,
}

/// The page that is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BrowserAt {
    pub url: String,
    pub title: String,
    /// What it runs in, as it calls itself.
    pub browser: String,
}

/// What is worked on now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantWish {
    pub id: String,
    pub text: String,
    /// Milliseconds since the epoch.
    pub since: f64,
    /// The last of what the model says just now.
    pub thinking: String,
    /// The step that is being done.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<AssistantStep>,
}

/// What changes several times a second while a model answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct AssistantNow {
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<AssistantWish>,
}

/// Of the wishes of the conversation, and of models since the program started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantStatistics {
    pub wishes: u32,
    pub fulfilled: u32,
    pub steps: u32,
    pub steps_done: u32,
    /// Questions to models, those that failed, and answers that were known already.
    pub asked: u32,
    pub ask_failed: u32,
    pub known: u32,
    /// Milliseconds until a model has answered: the median, and what 95 of 100 do not exceed.
    pub median: f64,
    pub p95: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantView {
    pub options: AssistantOptions,
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<BrowserAt>,
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<AssistantWish>,
    /// Whether there is a model that can be asked.
    pub has_model: bool,
    /// Whether a desktop program is there that can open a window.
    pub has_window: bool,
    pub statistics: AssistantStatistics,
    /// Sites that may be worked on whenever it is wished, by origin.
    pub sites: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum AssistantMessageType {
    User,
    Assistant,
    System,
}

/// What is known of a message beside its words (CONTRACT, Ava).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct AssistantMetadata {
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_count: Option<u32>,
    /// The kind of step.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_type: Option<String>,
    /// Milliseconds.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_time: Option<f64>,
    /// Of a step, or of a wish at its end.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// What a message is: `step`, `end`, `notice`, `prompt`, `reply`; absent for what somebody says.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The wish that it belongs to.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wish: Option<String>,
    /// The element of a step, as it is called.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What was typed, chosen, pressed, or gone to.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why, in the words of the model.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A picture of the gallery: the file's name.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// The events were made by a script of the page, not by the browser.
    #[serde(skip_serializing_if = "is_false")]
    pub synthetic: bool,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<WireError>,
    /// What helps: `RETRY`, `REGENERATE`, `RESCAN`, `MANUAL_CHECK`, `CHECK_CONFIG`, `REPORT`.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: AssistantMessageType,
    pub content: String,
    /// Milliseconds since the epoch.
    pub timestamp: f64,
    pub is_me: bool,
    pub metadata: AssistantMetadata,
}

/// The last of the conversation, or what was before a message.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct AssistantMessageQuery {
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// 200 when absent, at most 5,000.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct AssistantMessages {
    pub messages: Vec<AssistantMessage>,
    /// There are older ones.
    pub more: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct AssistantSend {
    /// What the person wants, in words.
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AssistantSent {
    /// The id of the wish.
    pub wish: String,
}

/// Waits until nothing is worked on any more.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct AssistantSettle {
    /// Milliseconds; 20,000 when absent, at most 60,000.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct BrowserRect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// What an element is in. Absent: it cannot be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct BrowserState {
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    #[serde(skip_serializing_if = "is_false")]
    pub disabled: bool,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// Never of a password field.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Something on a page that can be used (CONTRACT, Ava).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BrowserElement {
    pub id: u32,
    pub tag_name: String,
    pub class_name: String,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub role: Option<String>,
    /// At most 50 UTF-16 units.
    pub text: String,
    /// By the rules of accessible names.
    pub name: String,
    /// In CSS pixels of the viewport.
    pub rect: BrowserRect,
    pub state: BrowserState,
    /// In the viewport, with nothing over it.
    pub visible: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct BrowserObserve {
    /// Elements at most.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// With a picture of the page, where its browser gives one.
    pub picture: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BrowserPage {
    pub url: String,
    pub title: String,
    /// Those in the viewport first.
    pub elements: Vec<BrowserElement>,
    /// How many there are that are not listed.
    pub more: u32,
    /// CSS pixels that are further down.
    pub below: f64,
    /// Of the viewport, in CSS pixels.
    pub width: f64,
    pub height: f64,
    /// The signed URL of a PNG of the viewport, good until the next one is made.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

/// A step (CONTRACT, Ava).
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct BrowserAct {
    /// `click`, `input`, `select`, `scroll`, `hover`, `key`, `wait`, `extract`, `screenshot`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Of an element that the last look listed.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Milliseconds to wait at most until the page is quiet; 1,000 when absent, at most 30,000.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_after: Option<u32>,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct BrowserNavigate {
    /// An address of http or https, or `back`, `forward`, `reload`.
    pub to: String,
}

/// A step, done or not (CONTRACT, Ava).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AssistantStep {
    #[serde(rename = "type")]
    pub kind: String,
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    pub selector: String,
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BrowserDid {
    pub action: AssistantStep,
    pub success: bool,
    /// Milliseconds.
    pub duration: f64,
    /// Text that was extracted, or what the page asked.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A picture of the gallery: the file's name.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// The page is another one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub navigated: bool,
    /// The events were made by a script of the page, not by the browser.
    #[serde(default, skip_serializing_if = "is_false")]
    pub synthetic: bool,
    pub url: String,
    pub title: String,
}

/// What the desktop program does for its page window. It asks for the next order and brings what came of the last.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct BrowserWork {
    /// Of this desktop program; another one's orders end when it comes.
    pub window: String,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<BrowserDone>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct BrowserDone {
    pub order: String,
    /// The JSON that the script gave, or nothing where it failed.
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// The address that the window shows.
    pub url: String,
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum BrowserOrderKind {
    /// Evaluate an expression in the page and give its value as JSON.
    Evaluate,
    /// Open an address, in a new window where there is none.
    Open,
    Close,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BrowserOrder {
    pub id: String,
    pub kind: BrowserOrderKind,
    /// The expression, or the address.
    pub text: String,
    /// What is put into each page before its own code; with `open` alone.
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
}

/// Nothing where nothing was wanted for a while.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct BrowserOrders {
    #[ts(optional)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<BrowserOrder>,
}
