//! What can be typed after `pm server`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Server {
    /// Add a server, or those of another client's configuration, and approve the tools that each has
    Add(Add),
    /// All external servers and how they are
    List,
    /// One server: its rights, and its tools with what was approved of each
    Show { name: String },
    /// Take a server out, with its rights and its own folder
    Remove { name: String },
    /// Switch a server on, or one of its tools
    Enable {
        name: String,
        /// A tool, as the server calls it
        tool: Option<String>,
    },
    /// Switch a server off, or one of its tools
    Disable {
        name: String,
        /// A tool, as the server calls it
        tool: Option<String>,
    },
    /// End a server and start it again, whatever it failed with
    Restart { name: String },
    /// Approve tools that are new or say something else than before; without names, show them
    Approve {
        name: String,
        tools: Vec<String>,
        /// All that wait
        #[arg(long, conflicts_with = "tools")]
        all: bool,
    },
    /// Grant a server folders and hosts
    Grant {
        name: String,
        #[command(flatten)]
        rights: Rights,
    },
    /// Take grants back
    Revoke {
        name: String,
        #[command(flatten)]
        rights: Rights,
    },
    /// What a server wrote to its errors and told
    Log {
        name: String,
        /// Lines from the end
        #[arg(long, default_value_t = 50)]
        tail: u32,
    },
}

#[derive(Debug, Args)]
pub struct Add {
    /// Lower-case letters, digits, - and _
    #[arg(required_unless_present = "from")]
    pub name: Option<String>,
    /// Address of a server that speaks streamable HTTP
    #[arg(long, conflicts_with = "command")]
    pub url: Option<String>,
    /// A header of every request to it
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    pub header: Vec<String>,
    /// A variable of its program
    #[arg(long, value_name = "KEY=VALUE", requires = "command")]
    pub env: Vec<String>,
    /// A file as Claude, Cursor or VS Code have it, or a piece of one; - is standard input
    #[arg(long = "from", value_name = "FILE", conflicts_with_all = ["url", "command"])]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub rights: Rights,
    /// Seconds until it has to have said which tools it has
    #[arg(long, value_name = "SECONDS", conflicts_with = "from")]
    pub start_timeout: Option<u32>,
    /// Seconds that a call may be silent
    #[arg(long, value_name = "SECONDS", conflicts_with = "from")]
    pub timeout: Option<u32>,
    /// The program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Rights {
    /// A folder, to read and to write
    #[arg(long, value_name = "DIR")]
    pub dir: Vec<String>,
    /// A host, *.example.org, or * for all
    #[arg(long, value_name = "HOST")]
    pub network: Vec<String>,
    /// A port of this machine
    #[arg(long, value_name = "PORT")]
    pub loopback: Vec<u16>,
}

impl Rights {
    pub fn hosts(&self) -> Vec<String> {
        let ports = self.loopback.iter().map(|port| format!("localhost:{port}"));
        self.network.iter().cloned().chain(ports).collect()
    }
}
