//! What can be typed about checks of tools.

use clap::Args;

#[derive(Debug, Args)]
pub struct Validate {
    /// Without one, all tools
    pub tool: Option<String>,
    /// basic: what the tool says of itself and what lies in its folder; full: trial runs as well, in a
    /// copy of the folder and with no rights
    #[arg(long, value_enum, default_value_t = Level::Full)]
    pub level: Level,
    /// The report as text, json (as --json) or markdown
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Level {
    Basic,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
    Markdown,
}
