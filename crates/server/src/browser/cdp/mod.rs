//! A Chromium that a person started (`--remote-debugging-port`), over the DevTools protocol. Its pages are of a context
//! of their own: without the cookies, logins and history of whoever else uses it, and gone when it is closed.

mod connection;
mod tabs;

use super::driver::{ANSWER, Asked, Driver, Hands, LOAD, Point, To};
use super::error::BrowserError;
use super::keys::{Key, Modifier};
use async_trait::async_trait;
use base64::Engine as _;
use connection::Connection;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tabs::Tabs;

/// The first window, in CSS pixels; a person may make it another.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 800;
/// A picture of a page that is hard to draw.
const PICTURE: Duration = Duration::from_secs(20);

pub(super) struct Chromium {
    name: String,
    connection: Arc<Connection>,
    context: String,
    tabs: Arc<Tabs>,
}

impl Chromium {
    /// `address`: `http://HOST:PORT` of the DevTools. `script` is put into each page before its own code.
    pub(super) async fn open(
        http: &reqwest::Client,
        address: &str,
        script: &str,
    ) -> Result<Chromium, BrowserError> {
        let (name, socket) = version(http, address).await?;
        let (connection, events) = Connection::open(&socket).await?;
        let connection = Arc::new(connection);
        let made = connection
            .call(
                None,
                "Target.createBrowserContext",
                json!({"disposeOnDetach": true}),
                ANSWER,
            )
            .await?;
        let context = text(&made, "browserContextId")?;
        // Nothing is written to the person's disk by a page.
        let refuse = json!({"behavior": "deny", "browserContextId": context, "eventsEnabled": true});
        connection
            .call(None, "Browser.setDownloadBehavior", refuse, ANSWER)
            .await?;
        let tabs = Arc::new(Tabs::new(context.clone(), script.to_owned()));
        tokio::spawn(tabs.clone().follow(Arc::downgrade(&connection), events));
        // New pages wait until the script is in them.
        let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true});
        connection
            .call(None, "Target.setAutoAttach", attach, ANSWER)
            .await?;
        let page =
            json!({"url": "about:blank", "browserContextId": context, "width": WIDTH, "height": HEIGHT});
        connection.call(None, "Target.createTarget", page, ANSWER).await?;
        let chromium = Chromium {
            name,
            connection,
            context,
            tabs,
        };
        chromium.tabs.first(ANSWER).await?;
        Ok(chromium)
    }

    /// The session of the page in front.
    fn session(&self) -> Result<String, BrowserError> {
        if !self.connection.is_open() {
            return Err(BrowserError::Gone);
        }
        self.tabs.session().ok_or(BrowserError::Closed)
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        let session = self.session()?;
        self.connection.call(Some(&session), method, params, ANSWER).await
    }

    async fn history(&self, step: i64) -> Result<(), BrowserError> {
        let history = self.call("Page.getNavigationHistory", json!({})).await?;
        let at = history["currentIndex"].as_i64().unwrap_or(0) + step;
        let entry = usize::try_from(at)
            .ok()
            .and_then(|at| history["entries"].get(at))
            .ok_or_else(|| BrowserError::Load {
                url: String::new(),
                reason: "there is no such page".to_owned(),
            })?;
        let entry = json!({"entryId": entry["id"]});
        self.call("Page.navigateToHistoryEntry", entry).await?;
        Ok(())
    }

    async fn mouse(&self, kind: &str, at: Point, pressed: bool) -> Result<(), BrowserError> {
        let (button, count) = match kind {
            "mouseMoved" => ("none", 0),
            _ => ("left", 1),
        };
        let event = json!({
            "type": kind, "x": at.x, "y": at.y, "button": button, "clickCount": count,
            "buttons": u8::from(pressed), "pointerType": "mouse",
        });
        self.input("Input.dispatchMouseEvent", event).await
    }

    /// A dialog that an event opens keeps its answer back until the dialog is answered, which is done meanwhile.
    async fn input(&self, method: &str, event: Value) -> Result<(), BrowserError> {
        self.call(method, event).await?;
        Ok(())
    }
}

/// What the browser calls itself, and where its socket is.
async fn version(http: &reqwest::Client, address: &str) -> Result<(String, String), BrowserError> {
    let asked = async {
        let url = format!("{}/json/version", address.trim_end_matches('/'));
        let answer = http.get(url).send().await?.error_for_status()?;
        answer.bytes().await
    };
    let unreachable = |reason: String| BrowserError::Unreachable {
        address: address.to_owned(),
        reason,
    };
    let bytes = tokio::time::timeout(ANSWER, asked)
        .await
        .map_err(|_| unreachable("it does not answer".to_owned()))?
        .map_err(|error| unreachable(base::failure::chain(&error)))?;
    let version: Value = serde_json::from_slice(&bytes).map_err(|error| unreachable(error.to_string()))?;
    Ok((
        text(&version, "Browser")?,
        text(&version, "webSocketDebuggerUrl")?,
    ))
}

fn text(value: &Value, field: &str) -> Result<String, BrowserError> {
    match value[field].as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(BrowserError::Protocol {
            reason: format!("{field} lacks"),
        }),
    }
}

#[async_trait]
impl Driver for Chromium {
    fn name(&self) -> String {
        self.name.replace('/', " ")
    }

    fn hands(&self) -> Option<&dyn Hands> {
        Some(self)
    }

    async fn evaluate(&self, expression: &str, most: Duration) -> Result<Value, BrowserError> {
        let session = self.session()?;
        let before = self.tabs.documents();
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let asking = self
            .connection
            .ask(Some(&session), "Runtime.evaluate", params, most);
        let answered = tokio::select! {
            biased;
            answered = asking => answered?,
            // Another page is in front: nobody waits for the one behind.
            () = self.tabs.left(&session) => return Err(BrowserError::Left),
        };
        let answered = match answered {
            Ok(answered) => answered,
            Err(refused) => {
                // Its world ends with a document; the news of that may come after this answer.
                return match self.tabs.documents() != before
                    || self.tabs.is_loading()
                    || self.tabs.soon(before).await
                {
                    true => Err(BrowserError::Left),
                    false => Err(BrowserError::Protocol {
                        reason: refused.message,
                    }),
                };
            }
        };
        let thrown = &answered["exceptionDetails"];
        if thrown.is_object() {
            let reason = thrown["exception"]["description"]
                .as_str()
                .or_else(|| thrown["text"].as_str())
                .unwrap_or_default();
            return Err(BrowserError::Script {
                reason: base::text::cut(reason, 300),
            });
        }
        Ok(answered["result"]["value"].clone())
    }

    async fn go(&self, to: &To) -> Result<(), BrowserError> {
        self.tabs.begins();
        let gone = match to {
            To::Address(url) => {
                let answer = self.call("Page.navigate", json!({"url": url.as_str()})).await?;
                // Within a document nothing is loaded; nor is a download, which is no page: that it was refused is told
                // by itself.
                if answer["loaderId"].is_null() || answer["errorText"].is_string() {
                    self.tabs.stays();
                }
                match answer["errorText"].as_str() {
                    Some("net::ERR_ABORTED") | None => Ok(()),
                    Some(reason) => Err(BrowserError::Load {
                        url: url.to_string(),
                        reason: reason.to_owned(),
                    }),
                }
            }
            To::Back => self.history(-1).await,
            To::Forward => self.history(1).await,
            To::Reload => self.call("Page.reload", json!({})).await.map(drop),
        };
        if gone.is_err() {
            self.tabs.stays();
        }
        gone?;
        self.loaded().await
    }

    async fn loaded(&self) -> Result<(), BrowserError> {
        // What has not come by then is not waited for: what is there can be used.
        let _ = tokio::time::timeout(LOAD, self.tabs.loaded()).await;
        self.session().map(drop)
    }

    fn documents(&self) -> u64 {
        self.tabs.documents()
    }

    fn answer(&self, yes: bool) {
        self.tabs.answer(yes);
    }

    fn asked(&self) -> Vec<Asked> {
        self.tabs.asked()
    }

    async fn picture(&self) -> Result<Vec<u8>, BrowserError> {
        let session = self.session()?;
        let params = json!({"format": "png", "optimizeForSpeed": true});
        let answered = self
            .connection
            .call(Some(&session), "Page.captureScreenshot", params, PICTURE)
            .await?;
        let data = text(&answered, "data")?;
        base64::engine::general_purpose::STANDARD
            .decode(data)
            .map_err(|error| BrowserError::Protocol {
                reason: error.to_string(),
            })
    }

    fn is_open(&self) -> bool {
        self.connection.is_open() && self.tabs.session().is_some()
    }

    async fn close(&self) {
        let context = json!({"browserContextId": self.context});
        let disposed = self
            .connection
            .call(None, "Target.disposeBrowserContext", context, ANSWER)
            .await;
        if let Err(error) = disposed {
            // It ends with the connection as well.
            tracing::debug!(%error, "a browser did not forget its pages by itself");
        }
        self.connection.end();
    }
}

#[async_trait]
impl Hands for Chromium {
    async fn point(&self, at: Point, press: bool) -> Result<(), BrowserError> {
        self.mouse("mouseMoved", at, false).await?;
        if press {
            self.mouse("mousePressed", at, true).await?;
            self.mouse("mouseReleased", at, false).await?;
        }
        Ok(())
    }

    async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        self.input("Input.insertText", json!({"text": text})).await
    }

    async fn press(&self, key: &Key) -> Result<(), BrowserError> {
        let modifiers = key.modifiers.iter().copied().map(Modifier::bit).sum::<u8>();
        let (code, text) = (key.windows(), key.text());
        let mut event = json!({
            "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": key.name, "modifiers": modifiers,
            "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code,
        });
        if !text.is_empty() {
            event["text"] = text.into();
        }
        // Editing is done by command, which keys alone do not say where there is no keyboard of the system.
        if key.modifiers == [Modifier::Control] || key.modifiers == [Modifier::Meta] {
            let command = match key.name.as_str() {
                "a" => Some("selectAll"),
                "c" => Some("copy"),
                "v" => Some("paste"),
                "x" => Some("cut"),
                "z" => Some("undo"),
                _ => None,
            };
            if let Some(command) = command {
                event["commands"] = json!([command]);
            }
        }
        self.input("Input.dispatchKeyEvent", event.clone()).await?;
        event["type"] = "keyUp".into();
        if let Some(event) = event.as_object_mut() {
            event.remove("text");
            event.remove("commands");
        }
        self.input("Input.dispatchKeyEvent", event).await
    }
}
