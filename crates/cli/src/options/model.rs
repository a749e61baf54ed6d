//! What can be typed about model services, and about prompts that they answer or improve.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct TryPrompt {
    /// Path, id or name
    pub prompt: String,
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// The service, instead of the default one
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("way").required(true).args(["quick", "deep", "wish"]))]
pub struct OptimiseWays {
    /// Once over it
    #[arg(long)]
    pub quick: bool,
    /// A review first, then a text that follows it
    #[arg(long)]
    pub deep: bool,
    /// Only what you wish to be different
    #[arg(long, value_name = "TEXT")]
    pub wish: Option<String>,
    /// The service, instead of the default one
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Write it, unless its variables are others; the text before becomes a version
    #[arg(long)]
    pub write: bool,
}

#[derive(Debug, Subcommand)]
pub enum Model {
    /// All of them; * is the default one
    List,
    /// Add one
    Add {
        /// As you call it
        name: String,
        #[arg(long, value_enum)]
        protocol: Protocol,
        /// As the service calls it
        #[arg(long)]
        model: String,
        /// Where it is, if not where its maker has it
        #[arg(long)]
        url: Option<String>,
        /// Tokens that it can see, for agents; if nobody says, 128,000
        #[arg(long, value_name = "TOKENS")]
        window: Option<u32>,
        /// Tokens that an answer may have; if nobody says, 8,000
        #[arg(long, value_name = "TOKENS")]
        output: Option<u32>,
        /// What a million tokens cost that it reads, for budgets
        #[arg(long, value_name = "PRICE")]
        input_price: Option<f64>,
        /// And that it writes
        #[arg(long, value_name = "PRICE")]
        output_price: Option<f64>,
        /// It cannot be shown pictures
        #[arg(long)]
        no_pictures: bool,
        #[command(flatten)]
        key: KeySource,
    },
    /// Take one out, with its key
    Remove { name: String },
    /// Ask one for a word, and say how long it took
    Test { name: String },
    /// The one that is meant where nobody names one
    Default { name: String },
    /// Keep a key, from standard input unless it says otherwise
    Key {
        name: String,
        /// Forget it
        #[arg(long, conflicts_with_all = ["key_stdin", "key_env"])]
        forget: bool,
        #[command(flatten)]
        key: KeySource,
    },
}

/// Never an argument: those are there for every program to read.
#[derive(Debug, Args)]
pub struct KeySource {
    /// The key comes on standard input
    #[arg(long, conflicts_with = "key_env")]
    pub key_stdin: bool,
    /// Name of the environment variable that holds the key
    #[arg(long, value_name = "VARIABLE")]
    pub key_env: Option<String>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Protocol {
    /// OpenAI, and whoever speaks as it does
    #[value(name = "openai")]
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

impl From<Protocol> for wire::ModelProtocol {
    fn from(protocol: Protocol) -> Self {
        match protocol {
            Protocol::OpenAi => wire::ModelProtocol::OpenAi,
            Protocol::Anthropic => wire::ModelProtocol::Anthropic,
            Protocol::Gemini => wire::ModelProtocol::Gemini,
            Protocol::Ollama => wire::ModelProtocol::Ollama,
        }
    }
}
