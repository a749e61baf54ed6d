//! What can be typed about the browser assistant.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum Assistant {
    /// Say what you want done on the page, and see it through
    Ask { text: String },
    /// The browser, the page, what is worked on, statistics
    Show,
    /// Open an address, or go back, forward, reload
    Open { to: String },
    /// What can be used on the page
    Look {
        /// Elements at most
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Do one step on the page
    Act(Act),
    /// End what is worked on, amid a step
    Stop,
    /// Print the conversation
    Messages {
        /// Messages at most
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Forget the conversation
    Clear,
    /// Close the page
    Close,
    /// Change the settings of the assistant
    Set(Set),
    /// Take back that a site may be worked on
    Forget {
        /// As `show` prints it: https://example.com
        site: String,
    },
}

#[derive(Debug, Args)]
pub struct Act {
    /// click, input, select, scroll, hover, key, wait, extract, screenshot
    pub kind: String,
    /// Of an element, as `look` prints it
    #[arg(long, value_name = "N")]
    pub id: Option<u32>,
    #[arg(long)]
    pub value: Option<String>,
    /// Milliseconds to wait at most until the page is quiet
    #[arg(long, value_name = "MS")]
    pub wait_after: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Browser {
    /// A window of the desktop program
    Window,
    /// A Chromium started with --remote-debugging-port
    Cdp,
    /// WebKitWebDriver, chromedriver and their like
    Webdriver,
}

#[derive(Debug, Args)]
pub struct Set {
    #[arg(long)]
    pub browser: Option<Browser>,
    /// Of CDP or WebDriver: http://127.0.0.1:9222
    #[arg(long)]
    pub address: Option<String>,
    /// The model that decides; empty: the default one
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    /// Ask before every step that changes something
    #[arg(long, value_name = "true|false")]
    pub ask_each: Option<bool>,
    /// Offer the browser to MCP clients and agents
    #[arg(long, value_name = "true|false")]
    pub offered: Option<bool>,
    /// Keep what a model is told and says
    #[arg(long, value_name = "true|false")]
    pub debug: Option<bool>,
    /// Elements of one look
    #[arg(long, value_name = "N")]
    pub elements: Option<u32>,
}
