//! The browser that the assistant, agents and clients look at and work on: one page at a time, of whatever the settings
//! say. A person opens it, or the first who needs it.
//!
//! Deliberately not here: what is done on a page and why (`agents::assistant`, `crate::assistant`), whether it may be
//! done, and the script within pages (`ui/src/page`).

mod cdp;
mod driver;
mod error;
mod keys;
mod page;
mod webdriver;
mod window;

pub(crate) use driver::To;
pub(crate) use error::BrowserError;
pub(crate) use page::{Gallery, Seen, Session};
pub(crate) use window::Window;

use base::settings::{AssistantSettings, BrowserIs};
use bytes::Bytes;
use driver::Driver;
use rust_embed::RustEmbed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a service of this machine may take to be reached.
const CONNECT: Duration = Duration::from_secs(5);

/// The script within pages; absent in a checkout whose UI was never built.
#[derive(RustEmbed)]
#[folder = "../../ui/dist-page"]
#[allow_missing = true]
struct Script;

#[derive(Default)]
pub(crate) struct Browsers {
    open: tokio::sync::Mutex<Option<Arc<Session>>>,
    pub(crate) window: Arc<Window>,
    /// The last picture of the page that the window was given, by its id.
    picture: Mutex<Option<(String, Bytes)>>,
}

impl Browsers {
    /// The page that is open; a browser that has gone is none.
    pub(crate) async fn there(&self) -> Option<Arc<Session>> {
        let mut open = self.open.lock().await;
        if open.as_ref().is_some_and(|session| !session.is_open()) {
            *open = None;
        }
        open.clone()
    }

    /// The page that is open, or a new one.
    pub(crate) async fn session(
        &self,
        settings: &AssistantSettings,
        gallery: impl FnOnce() -> Box<dyn Gallery>,
    ) -> Result<Arc<Session>, BrowserError> {
        let mut open = self.open.lock().await;
        if let Some(session) = open.as_ref().filter(|session| session.is_open()) {
            return Ok(session.clone());
        }
        let script = script()?;
        let address = settings.address.trim();
        let driver: Box<dyn Driver> = match settings.browser {
            BrowserIs::Window => Box::new(self.window.open(script.clone()).await?),
            BrowserIs::Cdp => Box::new(cdp::Chromium::open(&client()?, address, &script).await?),
            BrowserIs::WebDriver => {
                Box::new(webdriver::Driven::open(client()?, address, script.clone()).await?)
            }
        };
        let own = match settings.browser {
            BrowserIs::Window => None,
            BrowserIs::Cdp | BrowserIs::WebDriver => url::Url::parse(address).ok(),
        };
        let session = Arc::new(Session::new(driver, script, gallery(), own));
        *open = Some(session.clone());
        Ok(session)
    }

    pub(crate) async fn close(&self) {
        let session = self.open.lock().await.take();
        self.lock().take();
        if let Some(session) = session {
            session.close().await;
        }
    }

    /// Keeps a picture until the next one, and gives its id.
    pub(crate) fn show(&self, png: Vec<u8>) -> String {
        let id = uuid::Uuid::new_v4().to_string();
        *self.lock() = Some((id.clone(), png.into()));
        id
    }

    pub(crate) fn picture(&self, id: &str) -> Option<Bytes> {
        let picture = self.lock();
        picture
            .as_ref()
            .filter(|(known, _)| known == id)
            .map(|(_, png)| png.clone())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(String, Bytes)>> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn script() -> Result<String, BrowserError> {
    let file = Script::get("page.js").ok_or_else(|| BrowserError::Script {
        reason: "this build has no page script: run `npm run build` in ui/ and build again".to_owned(),
    })?;
    Ok(String::from_utf8_lossy(&file.data).into_owned())
}

fn client() -> Result<reqwest::Client, BrowserError> {
    // A second one in this process finds it there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECT)
        // Of this machine, or of one that a person named: never by way of somebody else.
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| BrowserError::Protocol {
            reason: base::failure::chain(&error),
        })
}
