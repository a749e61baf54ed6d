//! What can be typed about societies of agents.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Society {
    /// Submit a task and see it through: what is said to you is printed, and what you type is said to the root
    Run(Run),
    /// Tasks
    List {
        /// Those in the trash instead
        #[arg(long)]
        removed: bool,
    },
    /// How a task stands: its agents, what they spent, what they kept
    Status { task: String },
    /// What was said in a task
    Messages {
        task: String,
        /// Only what this agent sent or was sent
        #[arg(long, value_name = "N")]
        agent: Option<u32>,
        /// Only what was said to you and by you
        #[arg(long)]
        mine: bool,
    },
    /// Say something to an agent, and see the task through; the root where none is named
    Say {
        task: String,
        text: String,
        #[arg(long, value_name = "N")]
        agent: Option<u32>,
    },
    /// Begin nothing more in a task; what was begun comes to its end
    Pause { task: String },
    /// Go on with a task, and see it through
    Resume {
        task: String,
        /// Another limit of tokens
        #[arg(long, value_name = "N")]
        tokens: Option<u64>,
        /// Another limit of calls
        #[arg(long, value_name = "N")]
        calls: Option<u64>,
    },
    /// End a task, or an agent of it with all below it, and what they run
    Stop {
        task: String,
        #[arg(long, value_name = "N")]
        agent: Option<u32>,
    },
    /// Print an artifact of a task
    Artifact { task: String, artifact: u32 },
    /// Print all that was said and kept in a task, as Markdown
    Export { task: String },
    /// Do a task again with the answers that its models gave: no model is asked, its tools are called anew
    Replay {
        task: String,
        /// Folder that it works in; made where it is missing. Without it the new task has one of its own
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Move a task into the trash; its workspace stays
    Remove { task: String },
    /// Bring a task back from the trash
    Restore { task: String },
    /// Teams that a task can begin with
    Teams,
    /// Print the file of a team, as a beginning for your own in the folder society of the data home
    Team { name: String },
    /// Ask models for the agents of others: take their questions from a queue on NATS
    Worker(Worker),
}

/// With the services and keys of this data home, which another program may own.
#[derive(Debug, Args)]
pub struct Worker {
    /// nats://HOST:PORT or tls://HOST:PORT, instead of agents.queue.address in settings
    #[arg(long, value_name = "ADDRESS")]
    pub queue: Option<String>,
    /// Name of the queue, where several share a server
    #[arg(long)]
    pub name: Option<String>,
    /// File with USER:PASSWORD or a token, where the server wants one
    #[arg(long, value_name = "FILE")]
    pub secret_file: Option<PathBuf>,
    /// Questions at once, up to 256
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub at_once: usize,
}

#[derive(Debug, Args)]
pub struct Run {
    /// What you want, in words; - is standard input
    pub text: String,
    /// Folder that the task works in; made where it is missing. Without it the task has one of its own
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Team whose roles it has
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
    /// Model service that speaks for the agents, instead of the default one
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    #[arg(long)]
    pub title: Option<String>,
    /// Tokens that it may use
    #[arg(long, value_name = "N")]
    pub tokens: Option<u64>,
    /// Calls of models and tools that it may make
    #[arg(long, value_name = "N")]
    pub calls: Option<u64>,
    /// Agents that it may make
    #[arg(long, value_name = "N")]
    pub agents: Option<u64>,
    /// Say what you are asked only once: end when it is your turn
    #[arg(long)]
    pub once: bool,
}
