//! A browser over WebDriver (W3C): WebKitWebDriver, chromedriver, geckodriver. The script comes into a page when it is
//! first asked, so listeners that were there before are not known to it.

use super::driver::{ANSWER, Asked, Driver, Hands, LOAD, Point, Questions, To};
use super::error::BrowserError;
use super::keys::Key;
use async_trait::async_trait;
use base64::Engine as _;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Bytes of an answer: a picture in base64.
const BYTES: usize = 64 * 1024 * 1024;
/// A browser that is being started.
const START: Duration = Duration::from_secs(60);
/// The property by which a document is known again.
const KNOWN: &str = "pmDocument";

pub(super) struct Driven {
    http: reqwest::Client,
    /// Of the session.
    url: String,
    name: String,
    script: String,
    documents: AtomicU64,
    yes: AtomicBool,
    ended: AtomicBool,
    asked: Mutex<Questions>,
    windows: Mutex<Windows>,
}

/// The windows of a session, from the oldest to the newest: WebDriver lists them in any order.
#[derive(Default)]
struct Windows(Vec<String>);

impl Windows {
    /// The newest of those that there are now.
    fn newest(&mut self, there: &[Value]) -> Option<String> {
        let there: Vec<&str> = there.iter().filter_map(Value::as_str).collect();
        self.0.retain(|known| there.contains(&known.as_str()));
        for handle in there {
            if !self.0.iter().any(|known| known == handle) {
                self.0.push(handle.to_owned());
            }
        }
        self.0.last().cloned()
    }
}

/// What WebDriver says: its value, or the code of its error.
enum Said {
    Value(Value),
    Error { code: String, message: String },
}

impl Driven {
    pub(super) async fn open(
        http: reqwest::Client,
        address: &str,
        script: String,
    ) -> Result<Driven, BrowserError> {
        let address = address.trim_end_matches('/');
        // Its own profile is what WebDriver gives to each session. Questions of pages wait to be answered here.
        let wanted = json!({"capabilities": {"alwaysMatch": {"unhandledPromptBehavior": "ignore"}}});
        let made = send(&http, &format!("{address}/session"), Some(&wanted), START)
            .await?
            .value()?;
        let id = made["sessionId"].as_str().ok_or_else(|| BrowserError::Protocol {
            reason: "sessionId lacks".to_owned(),
        })?;
        let word = |field: &str| {
            made["capabilities"][field]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let driven = Driven {
            url: format!("{address}/session/{id}"),
            name: format!("{} {}", word("browserName"), word("browserVersion"))
                .trim()
                .to_owned(),
            http,
            script,
            documents: AtomicU64::new(0),
            yes: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            asked: Mutex::default(),
            windows: Mutex::default(),
        };
        driven.to_front().await?;
        let times = json!({"script": 120_000, "pageLoad": LOAD.as_millis() as u64});
        driven.call("timeouts", times).await?;
        Ok(driven)
    }

    async fn said(&self, command: &str, body: Option<&Value>, most: Duration) -> Result<Said, BrowserError> {
        if self.ended.load(Ordering::Relaxed) {
            return Err(BrowserError::Gone);
        }
        let url = match command {
            "" => self.url.clone(),
            command => format!("{}/{command}", self.url),
        };
        let said = send(&self.http, &url, body, most).await;
        match said {
            Ok(Said::Error { code, .. })
                if matches!(code.as_str(), "invalid session id" | "no such window") =>
            {
                self.ended.store(true, Ordering::Relaxed);
                Err(BrowserError::Gone)
            }
            other => other,
        }
    }

    async fn call(&self, command: &str, body: Value) -> Result<Value, BrowserError> {
        self.said(command, Some(&body), LOAD + ANSWER).await?.value()
    }

    async fn get(&self, command: &str) -> Result<Value, BrowserError> {
        self.said(command, None, ANSWER).await?.value()
    }

    /// A question of the page is answered, and remembered.
    async fn dialog(&self) -> Result<(), BrowserError> {
        let text = match self.said("alert/text", None, ANSWER).await? {
            Said::Value(text) => text.as_str().unwrap_or_default().to_owned(),
            // Somebody else was quicker: the person herself.
            Said::Error { .. } => return Ok(()),
        };
        let yes = self.yes.load(Ordering::Relaxed);
        let command = if yes { "alert/accept" } else { "alert/dismiss" };
        // The same.
        let _ = self.said(command, Some(&json!({})), ANSWER).await?;
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.note("dialog", &text, yes);
        Ok(())
    }

    /// Runs the body of a function whose last argument is called with what it gives.
    async fn run(&self, body: &str, most: Duration) -> Result<Value, BrowserError> {
        let call = json!({"script": body, "args": []});
        let until = tokio::time::Instant::now() + most;
        loop {
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            match self.said("execute/async", Some(&call), left + ANSWER).await? {
                Said::Value(value) => return Ok(value),
                Said::Error { code, message } => match code.as_str() {
                    "unexpected alert open" if !left.is_zero() => self.dialog().await?,
                    // The document ended while it was asked.
                    "javascript error" if self.is_another().await? => return Err(BrowserError::Left),
                    "javascript error" => return Err(BrowserError::Script { reason: message }),
                    "script timeout" => return Err(BrowserError::Timeout(most)),
                    _ if self.is_another().await? => return Err(BrowserError::Left),
                    _ => {
                        return Err(BrowserError::Protocol {
                            reason: format!("{code}: {message}"),
                        });
                    }
                },
            }
        }
    }

    /// Whether the document is not the one that was marked last; then it is.
    async fn is_another(&self) -> Result<bool, BrowserError> {
        let script = format!("const known = window.{KNOWN}; window.{KNOWN} = true; return known === true;");
        let call = json!({"script": script, "args": []});
        let until = tokio::time::Instant::now() + LOAD;
        loop {
            match self.said("execute/sync", Some(&call), ANSWER).await? {
                Said::Value(known) => {
                    let another = known != Value::Bool(true);
                    if another {
                        self.documents.fetch_add(1, Ordering::Relaxed);
                    }
                    return Ok(another);
                }
                Said::Error { code, .. }
                    if code == "unexpected alert open" && tokio::time::Instant::now() < until =>
                {
                    self.dialog().await?;
                }
                Said::Error { code, message } => {
                    return Err(BrowserError::Protocol {
                        reason: format!("{code}: {message}"),
                    });
                }
            }
        }
    }

    /// The newest window is in front: what a page opened.
    async fn to_front(&self) -> Result<(), BrowserError> {
        let all = self.get("window/handles").await?;
        let newest = self
            .windows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .newest(all.as_array().map_or(&[], Vec::as_slice));
        let Some(newest) = newest else {
            self.ended.store(true, Ordering::Relaxed);
            return Err(BrowserError::Gone);
        };
        match self.said("window", None, ANSWER).await {
            Ok(Said::Value(current)) if current == newest.as_str() => Ok(()),
            Err(error) if error != BrowserError::Gone => Err(error),
            _ => {
                // Its window is closed; the session is not.
                self.ended.store(false, Ordering::Relaxed);
                self.call("window", json!({"handle": newest})).await.map(drop)
            }
        }
    }

    async fn actions(&self, sources: Value) -> Result<(), BrowserError> {
        let body = json!({"actions": sources});
        match self.said("actions", Some(&body), ANSWER).await? {
            Said::Value(_) => Ok(()),
            Said::Error { code, .. } if code == "unexpected alert open" => self.dialog().await,
            Said::Error { code, message } => Err(BrowserError::Protocol {
                reason: format!("{code}: {message}"),
            }),
        }
    }
}

impl Said {
    fn value(self) -> Result<Value, BrowserError> {
        match self {
            Said::Value(value) => Ok(value),
            Said::Error { code, message } => Err(BrowserError::Protocol {
                reason: format!("{code}: {message}"),
            }),
        }
    }
}

async fn send(
    http: &reqwest::Client,
    url: &str,
    body: Option<&Value>,
    most: Duration,
) -> Result<Said, BrowserError> {
    let unreachable = |reason: String| BrowserError::Unreachable {
        address: base::text::cut(url.split("/session").next().unwrap_or(url), 200),
        reason,
    };
    let asking = async {
        let request = match body {
            Some(body) => http
                .post(url)
                .header(reqwest::header::CONTENT_TYPE, "application/json; charset=utf-8")
                .body(body.to_string()),
            None => http.get(url),
        };
        let mut answer = request
            .send()
            .await
            .map_err(|error| unreachable(base::failure::chain(&error)))?;
        let mut bytes = Vec::new();
        while let Some(part) = answer
            .chunk()
            .await
            .map_err(|error| unreachable(base::failure::chain(&error)))?
        {
            if bytes.len() + part.len() > BYTES {
                return Err(BrowserError::Protocol {
                    reason: format!("an answer has more than {BYTES} bytes"),
                });
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    };
    let bytes = tokio::time::timeout(most, asking)
        .await
        .map_err(|_| BrowserError::Timeout(most))??;
    let mut answer: Value = serde_json::from_slice(&bytes).map_err(|error| unreachable(error.to_string()))?;
    let value = answer["value"].take();
    match value["error"].as_str() {
        Some(code) => Ok(Said::Error {
            code: code.to_owned(),
            message: base::text::cut(value["message"].as_str().unwrap_or_default(), 300),
        }),
        None => Ok(Said::Value(value)),
    }
}

#[async_trait]
impl Driver for Driven {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn hands(&self) -> Option<&dyn Hands> {
        Some(self)
    }

    async fn evaluate(&self, expression: &str, most: Duration) -> Result<Value, BrowserError> {
        self.is_another().await?;
        let script = &self.script;
        let body = format!(
            "const done = arguments[arguments.length - 1];
             if (globalThis.pmPage === undefined) {{ {script} }}
             Promise.resolve().then(() => ({expression})).then(
               (value) => done({{ value }}), (error) => done({{ thrown: String(error) }}));"
        );
        let mut gave = self.run(&body, most).await?;
        match gave["thrown"].as_str() {
            Some(reason) => Err(BrowserError::Script {
                reason: base::text::cut(reason, 300),
            }),
            None => Ok(gave["value"].take()),
        }
    }

    async fn go(&self, to: &To) -> Result<(), BrowserError> {
        let said = match to {
            To::Address(url) => {
                let body = json!({"url": url.as_str()});
                self.said("url", Some(&body), LOAD + ANSWER).await?
            }
            To::Back => self.said("back", Some(&json!({})), LOAD + ANSWER).await?,
            To::Forward => self.said("forward", Some(&json!({})), LOAD + ANSWER).await?,
            To::Reload => self.said("refresh", Some(&json!({})), LOAD + ANSWER).await?,
        };
        match (said, to) {
            (Said::Value(_), _) => {}
            // What there is of a slow page is used.
            (Said::Error { code, .. }, _) if code == "timeout" => {}
            (Said::Error { code, .. }, _) if code == "unexpected alert open" => self.dialog().await?,
            (Said::Error { message, .. }, To::Address(url)) => {
                return Err(BrowserError::Load {
                    url: url.to_string(),
                    reason: message,
                });
            }
            (Said::Error { code, message }, _) => {
                return Err(BrowserError::Protocol {
                    reason: format!("{code}: {message}"),
                });
            }
        }
        self.is_another().await?;
        Ok(())
    }

    async fn loaded(&self) -> Result<(), BrowserError> {
        self.to_front().await?;
        let ready = "const done = arguments[arguments.length - 1];
             const look = () => document.readyState === 'complete' && !globalThis.pmPage?.isLeaving()
               ? done(true) : setTimeout(look, 50);
             look();";
        match self.run(ready, LOAD).await {
            // The next document is looked at when it is asked.
            Ok(_) | Err(BrowserError::Left | BrowserError::Timeout(_)) => {
                self.is_another().await?;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn documents(&self) -> u64 {
        self.documents.load(Ordering::Relaxed)
    }

    fn answer(&self, yes: bool) {
        self.yes.store(yes, Ordering::Relaxed);
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn picture(&self) -> Result<Vec<u8>, BrowserError> {
        let data = self.get("screenshot").await?;
        let data = data.as_str().unwrap_or_default();
        base64::engine::general_purpose::STANDARD
            .decode(data)
            .map_err(|error| BrowserError::Protocol {
                reason: error.to_string(),
            })
    }

    fn is_open(&self) -> bool {
        !self.ended.load(Ordering::Relaxed)
    }

    async fn close(&self) {
        let ending = self.http.delete(&self.url).send();
        match tokio::time::timeout(ANSWER, ending).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a browser was not closed"),
            Err(_) => tracing::debug!("a browser was not closed in time"),
        }
        self.ended.store(true, Ordering::Relaxed);
    }
}

#[async_trait]
impl Hands for Driven {
    async fn point(&self, at: Point, press: bool) -> Result<(), BrowserError> {
        // WebDriver points at whole pixels.
        let (x, y) = (at.x.floor() as i64, at.y.floor() as i64);
        let mut steps = vec![json!({"type": "pointerMove", "duration": 0, "x": x, "y": y})];
        if press {
            steps.push(json!({"type": "pointerDown", "button": 0}));
            steps.push(json!({"type": "pointerUp", "button": 0}));
        }
        let mouse = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps});
        self.actions(json!([mouse])).await
    }

    async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        let steps: Vec<Value> = text
            .chars()
            .map(|one| if one == '\n' { '\u{e007}' } else { one })
            .flat_map(|one| {
                [
                    json!({"type": "keyDown", "value": one.to_string()}),
                    json!({"type": "keyUp", "value": one.to_string()}),
                ]
            })
            .collect();
        self.actions(json!([{"type": "key", "id": "keys", "actions": steps}]))
            .await
    }

    async fn press(&self, key: &Key) -> Result<(), BrowserError> {
        let down = |one: char| json!({"type": "keyDown", "value": one.to_string()});
        let up = |one: char| json!({"type": "keyUp", "value": one.to_string()});
        let held: Vec<char> = key.modifiers.iter().map(|one| one.code_point()).collect();
        let mut steps: Vec<Value> = held.iter().map(|one| down(*one)).collect();
        steps.push(down(key.code_point()));
        steps.push(up(key.code_point()));
        steps.extend(held.iter().rev().map(|one| up(*one)));
        self.actions(json!([{"type": "key", "id": "keys", "actions": steps}]))
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_window_is_in_front_in_whatever_order_they_are_listed() {
        let mut windows = Windows::default();
        let mut newest = |there: &[&str]| {
            let there: Vec<Value> = there.iter().copied().map(Value::from).collect();
            windows.newest(&there)
        };
        assert_eq!(newest(&["a"]).as_deref(), Some("a"));
        assert_eq!(newest(&["b", "a"]).as_deref(), Some("b"));
        assert_eq!(newest(&["a", "b"]).as_deref(), Some("b"));
        assert_eq!(newest(&["c", "a", "b"]).as_deref(), Some("c"));
        assert_eq!(newest(&["b", "a"]).as_deref(), Some("b"));
        assert_eq!(newest(&["a"]).as_deref(), Some("a"));
        assert_eq!(newest(&[]), None);
    }
}
