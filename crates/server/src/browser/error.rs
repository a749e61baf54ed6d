//! What goes wrong between the assistant and a browser.

use base::{Args, Coded, args};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BrowserError {
    #[error("no page is open")]
    Closed,
    #[error("no browser answers at {address}: {reason}")]
    Unreachable { address: String, reason: String },
    #[error("the desktop program is not there")]
    NoWindow,
    #[error("the browser is gone")]
    Gone,
    #[error("the page did not answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    #[error("{address} is no address of a page")]
    Address { address: String },
    #[error("{url} was not loaded: {reason}")]
    Load { url: String, reason: String },
    /// The page was left while it was asked.
    #[error("the page was left")]
    Left,
    #[error("the page's script failed: {reason}")]
    Script { reason: String },
    #[error("what the browser says is not understood: {reason}")]
    Protocol { reason: String },
    #[error("the element cannot be used: {refusal}")]
    Refused { refusal: Refusal, what: String },
    #[error("what was waited for did not come")]
    NotCome { what: String },
    #[error("this browser gives no pictures")]
    NoPicture,
}

/// Why the page's script did not do a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Refusal {
    Missing,
    Hidden,
    Disabled,
    Covered,
    /// Wherever the pointer goes, it is not there any more. Not the script's word: it has no pointer.
    #[serde(skip_deserializing)]
    GivesWay,
    Renamed,
    Readonly,
    NoOption,
    NotForThis,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(self.code())
    }
}

impl Refusal {
    fn code(self) -> &'static str {
        match self {
            Refusal::Missing => "assistant_element_missing",
            Refusal::Hidden => "assistant_element_hidden",
            Refusal::Disabled => "assistant_element_disabled",
            Refusal::Covered => "assistant_element_covered",
            Refusal::GivesWay => "assistant_element_gives_way",
            Refusal::Renamed => "assistant_element_renamed",
            Refusal::Readonly => "assistant_element_readonly",
            Refusal::NoOption => "assistant_no_option",
            Refusal::NotForThis => "assistant_not_for_this",
        }
    }
}

impl Coded for BrowserError {
    fn code(&self) -> &'static str {
        match self {
            BrowserError::Closed => "assistant_no_page",
            BrowserError::Unreachable { .. } => "assistant_browser_unreachable",
            BrowserError::NoWindow => "assistant_no_window",
            BrowserError::Gone => "assistant_browser_gone",
            BrowserError::Timeout(_) => "assistant_timeout",
            BrowserError::Address { .. } => "assistant_bad_address",
            BrowserError::Load { .. } => "assistant_load_failed",
            BrowserError::Left => "assistant_page_left",
            BrowserError::Script { .. } => "assistant_page_script",
            BrowserError::Protocol { .. } => "assistant_browser_protocol",
            BrowserError::Refused { refusal, .. } => refusal.code(),
            BrowserError::NotCome { .. } => "assistant_not_come",
            BrowserError::NoPicture => "assistant_no_picture",
        }
    }

    fn args(&self) -> Args {
        match self {
            BrowserError::Unreachable { address, reason } => args! { address: address, reason: reason },
            BrowserError::Address { address } => args! { address: address },
            BrowserError::Load { url, reason } => args! { url: url, reason: reason },
            BrowserError::Script { reason } | BrowserError::Protocol { reason } => args! { reason: reason },
            BrowserError::Refused { what, .. } | BrowserError::NotCome { what } => args! { what: what },
            BrowserError::Timeout(time) => args! { ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX) },
            BrowserError::Closed
            | BrowserError::NoWindow
            | BrowserError::Gone
            | BrowserError::Left
            | BrowserError::NoPicture => Args::new(),
        }
    }
}
