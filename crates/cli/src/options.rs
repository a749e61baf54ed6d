//! What can be typed.

mod arena;
pub mod assistant;
mod check;
pub mod external;
mod lifecycle;
mod model;
pub mod society;

pub use arena::{Arena, Target};
pub use assistant::Assistant;
pub use check::{Format, Level, Validate};
pub use lifecycle::{How, Lifecycle};
pub use model::{KeySource, Model, OptimiseWays, TryPrompt};
pub use society::Society;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

/// Prompt Manager: a home for an AI's tools.
#[derive(Debug, Parser)]
#[command(name = "pm", version, propagate_version = true)]
pub struct Options {
    /// Data home instead of ~/.prompt-manager (or PROMPT_MANAGER_HOME)
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Serve the web UI (/), MCP (/mcp) and the API (/api)
    Serve(Serve),
    /// Serve MCP over standard input and output, for a client that starts its servers itself
    Mcp(Mcp),
    /// Tools of the toolbox
    #[command(subcommand)]
    Tool(Tool),
    /// Do exactly what the MCP tool toolm does with this YAML
    Toolm {
        /// File with the YAML; - or nothing is standard input
        file: Option<PathBuf>,
    },
    /// Do exactly what the MCP tool run_javascript does
    Js(Js),
    /// Run files as programs, for suites of tests: .mjs modules, .cjs CommonJS, others sloppy scripts
    Conformance {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Kept pictures
    #[command(subcommand)]
    Artifact(Artifact),
    /// Questions that wait for you: what asks to be allowed
    #[command(subcommand)]
    Approve(Approve),
    /// Rights that you gave to tools and tasks
    #[command(subcommand)]
    Grant(Grant),
    /// Folders in which tasks work
    #[command(subcommand)]
    Workspace(Workspace),
    /// Rules about commands
    #[command(subcommand)]
    Policy(Policy),
    /// The prompt library
    #[command(subcommand)]
    Prompt(Prompt),
    /// Documents of cells (ACP Canvas)
    #[command(subcommand)]
    Arena(Arena),
    /// Societies of agents, which work on a task in a workspace
    #[command(subcommand)]
    Society(Society),
    /// The browser assistant
    #[command(subcommand)]
    Assistant(Assistant),
    /// Services that answer as a model does
    #[command(subcommand)]
    Model(Model),
    /// Agent Skills, and the clients that are given them
    #[command(subcommand)]
    Skill(Skill),
    /// Packages from npm, without npm
    #[command(subcommand)]
    Npm(Npm),
    /// External MCP servers, whose tools are offered as ours
    #[command(subcommand)]
    Server(external::Server),
    /// Tokens of MCP clients, one each, with what it may use
    #[command(subcommand)]
    Token(Token),
    /// Configurations of MCP clients; without one, those that are known
    Connect(Connect),
    /// Let no run begin, whoever asks for it; those that are open go on
    Pause,
    /// Let runs begin again
    Resume,
    /// Write the whole data home into one new file, while everything goes on
    Backup {
        /// A file that is not there yet
        file: PathBuf,
    },
    /// Put what a backup holds in the place of the data home, which stays beside it under another name
    Restore {
        /// What `pm backup` made
        file: PathBuf,
    },
    /// Begin with an empty data home; the present one stays beside it under another name
    Reset,
    /// Say what isolation this machine gives, and why
    Doctor,
    /// Print what somebody who helps wants to know, without secrets
    Diagnostics,
    /// Print a link that opens the web page of the running server once
    Link,
    /// Ask the running server to finish its calls and end
    Stop,
    /// Print what makes a shell complete verbs and options
    Completions { shell: Shell },
    /// Write pages for man into a folder
    #[command(hide = true)]
    Manual { folder: PathBuf },
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Address to listen on, instead of the one in settings (127.0.0.1)
    #[arg(long)]
    pub host: Option<String>,
    /// Port to listen on, instead of the one in settings (5621); 0 is any free port
    #[arg(long)]
    pub port: Option<u16>,
    /// Open the web page in a browser
    #[arg(long)]
    pub open: bool,
    /// Take the built-in tools from this folder, or from the checkout that it is, and follow what changes there
    /// (or PROMPT_MANAGER_TOOLS)
    #[arg(long, value_name = "DIR")]
    pub tools: Option<PathBuf>,
    /// End when standard input closes (for a program that starts this one)
    #[arg(long)]
    pub parent_pipe: bool,
    /// End when nobody has asked for anything for so many seconds (600), and nothing runs
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "600")]
    pub idle_exit: Option<u64>,
}

#[derive(Debug, Args)]
pub struct Mcp {
    /// Name of the client, by which its runs and rights are known; without it, as it calls itself
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Tool {
    /// All tools and their state
    List,
    /// One tool
    Show { tool: String },
    /// The manual
    Manual { tool: String },
    /// Run a tool
    Run {
        tool: String,
        /// JSON, @FILE, or - for standard input
        #[arg(long, default_value = "{}")]
        params: String,
    },
    /// Show the configuration, or set KEY=VALUE (KEY= sets an empty value, -KEY removes)
    Configure {
        tool: String,
        /// Move the secrets that stand in its .env to the keychain, or to the encrypted file
        #[arg(long)]
        move_secrets: bool,
        #[arg(value_name = "KEY=VALUE", allow_hyphen_values = true)]
        values: Vec<String>,
    },
    /// Look a tool over, or all of them: exit code 1 where there is an error
    Validate(Validate),
    #[command(flatten)]
    Lifecycle(Lifecycle),
    /// What a tool depends on, and what of it is locked and installed
    Deps { tool: String },
    /// Lines of the run log
    Log(Log),
    /// Grant a tool a directory, hosts, programs that it starts, or the install scripts of a package; without
    /// options, show what it asks for and has
    Grant {
        tool: String,
        #[arg(long)]
        dir: Option<String>,
        /// Package whose install scripts may run, in the sandbox and without network
        #[arg(long, value_name = "NAME@VERSION")]
        script: Vec<String>,
        /// Programs that it starts itself, in the sandbox
        #[arg(long)]
        process: bool,
        #[command(flatten)]
        network: Hosts,
    },
    /// Take a grant back
    #[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["dir", "script", "process", "network", "loopback"]))]
    Revoke {
        tool: String,
        #[arg(long)]
        dir: Option<String>,
        #[arg(long, value_name = "NAME@VERSION")]
        script: Vec<String>,
        #[arg(long)]
        process: bool,
        #[command(flatten)]
        network: Hosts,
    },
}

#[derive(Debug, Subcommand)]
pub enum Prompt {
    /// All prompts: id, path, name, description
    List,
    /// Those whose name or description fits, best first
    Search {
        #[arg(required = true)]
        words: Vec<String>,
        /// Look into the messages, too
        #[arg(long)]
        full_text: bool,
    },
    /// The file of a prompt; with --set, its messages filled
    Show {
        /// Path, id or name
        prompt: String,
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<String>,
    },
    /// A prompt of one message
    New {
        name: String,
        /// The message: text, @FILE, or - for standard input
        text: String,
        /// Folder of the library
        #[arg(long, default_value = "")]
        group: String,
        #[arg(long, default_value = "")]
        description: String,
    },
    /// Take in a file or a folder; what is there already stays out
    Import {
        source: PathBuf,
        /// Folder of the library
        #[arg(long, default_value = "")]
        group: String,
        /// Only say what would come of each file
        #[arg(long)]
        dry_run: bool,
    },
    /// Ask a model what the prompt says; its answer comes as it is written
    Try(TryPrompt),
    /// Ask a model for a better text, shown with what is different
    Optimise {
        /// Path, id or name
        prompt: String,
        #[command(flatten)]
        ways: OptimiseWays,
    },
    /// Take a prompt out of the library
    Remove { path: String },
    /// Earlier versions of a prompt; without a path, prompts that were removed
    History { path: Option<String> },
    /// Bring a version back
    Restore {
        path: String,
        #[arg(id = "which", value_name = "VERSION")]
        version: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum Skill {
    /// All skills, or those whose name or description has the words
    List { words: Vec<String> },
    /// The SKILL.md of a skill, what is wrong with it, and how it stands at each client
    Show { skill: String },
    /// A skill with a text to be filled in
    New {
        /// Lower-case letters, digits and hyphens
        skill: String,
        /// What it does, and when it is to be used
        description: String,
    },
    /// Copy a folder with a SKILL.md, or each such folder in it; what is there already stays
    Import { source: PathBuf },
    /// Into the trash, and out of the clients' folders
    Remove { skill: String },
    /// Earlier versions of a skill; without one, skills that were removed
    History { skill: Option<String> },
    /// Bring a version back
    Restore {
        skill: String,
        #[arg(id = "which", value_name = "VERSION")]
        version: String,
    },
    /// Give a skill to the clients that are on, or to none
    Switch { skill: String, to: OnOff },
    /// Put right what is not as it should be at the clients; exit code 1 where you have to decide
    Sync,
    /// End a conflict at a client
    #[command(group = clap::ArgGroup::new("take").required(true))]
    Resolve {
        skill: String,
        client: String,
        /// Ours takes its place, theirs goes into the trash
        #[arg(long, group = "take")]
        ours: bool,
        /// Theirs becomes ours, ours goes into the trash
        #[arg(long, group = "take")]
        theirs: bool,
        /// Neither, until it changes again
        #[arg(long, group = "take")]
        leave: bool,
    },
    /// Programs that read skills; with a name, turn one on, off, or on with copies instead of links
    Clients {
        #[arg(requires = "to")]
        client: Option<String>,
        to: Option<Switch>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnOff {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Switch {
    On,
    Off,
    Copy,
}

#[derive(Debug, Subcommand)]
pub enum Npm {
    /// Make node_modules of a folder or of a tool's folder what package.json and the lock say
    Install {
        #[arg(default_value = ".")]
        dir: PathBuf,
        /// Fail when package-lock.json does not answer package.json
        #[arg(long)]
        frozen: bool,
        /// Take only what the cache holds
        #[arg(long)]
        offline: bool,
        /// Build it anew even if nothing seems to be to do
        #[arg(long)]
        again: bool,
    },
    /// Say what is different between the lock and what is installed
    Verify {
        #[arg(default_value = ".")]
        dir: PathBuf,
    },
    /// The store of packages that all tools share
    #[command(subcommand)]
    Cache(Cache),
}

#[derive(Debug, Subcommand)]
pub enum Cache {
    /// How many packages, how large
    Info,
    /// Drop packages that no tool uses
    Gc,
    /// Check every file; what is damaged is removed
    Verify,
}

#[derive(Debug, Args)]
pub struct Hosts {
    /// A host, *.host, with :port if you like; without one, all hosts that it asks for
    #[arg(long, value_name = "HOST", num_args = 0..=1, default_missing_value = "*")]
    pub network: Vec<String>,
    /// A port of this machine
    #[arg(long, value_name = "PORT")]
    pub loopback: Vec<u16>,
}

impl Hosts {
    /// As the owner takes them.
    pub fn all(self) -> Vec<String> {
        let local = self.loopback.iter().map(|port| format!("localhost:{port}"));
        let local: Vec<String> = local.collect();
        self.network.into_iter().chain(local).collect()
    }
}

#[derive(Debug, Args)]
pub struct Log {
    pub tool: String,
    /// The newest N lines (50)
    #[arg(long, value_name = "N", conflicts_with_all = ["head", "all"])]
    pub tail: Option<u32>,
    /// The oldest N lines
    #[arg(long, value_name = "N", conflicts_with = "all")]
    pub head: Option<u32>,
    /// Everything
    #[arg(long)]
    pub all: bool,
    /// Lowest level: DEBUG, INFO, WARN, ERROR
    #[arg(long)]
    pub level: Option<String>,
    /// Only lines that contain this text
    #[arg(long)]
    pub search: Option<String>,
}

#[derive(Debug, Args)]
pub struct Js {
    /// The script; - is standard input
    pub file: PathBuf,
    /// JSON that the script sees as `input`
    #[arg(long)]
    pub input: Option<String>,
    /// Copy the picture there as well
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Approve {
    /// What waits for an answer
    List,
    /// Allow it this once
    Allow {
        id: String,
        /// And the very same from now on, for the task or tool that asks
        #[arg(long)]
        task: bool,
    },
    /// Do not allow it
    Deny { id: String },
}

#[derive(Debug, Subcommand)]
pub enum Grant {
    /// All of them, or those of one tool or of one task (task:ID)
    List { subject: Option<String> },
    /// Let the commands of a task run without any wall where this machine has none
    Unsandboxed { task: String },
    /// Take one back, as list prints it
    Revoke {
        subject: String,
        /// directory, command, network, tool or unsandboxed
        kind: String,
        #[arg(default_value = "")]
        value: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum Token {
    /// Make one and print its secret, which is not kept; without limits it may use everything
    New {
        /// Name of the client, by which its runs are known
        name: String,
        /// A tool that it may use: tool://NAME, toolm for all of those, or another tool of MCP (run_javascript)
        #[arg(long, value_name = "TOOL")]
        tool: Vec<String>,
        /// A task whose workspace it may use
        #[arg(long, value_name = "TASK")]
        workspace: Vec<String>,
    },
    /// All of them, when each was last used, and what it may use
    List,
    /// Take one back at once
    Revoke { name: String },
}

#[derive(Debug, Args)]
pub struct Connect {
    /// claude-desktop, claude-code, cursor, vs-code, windsurf, zed, gemini or codex
    pub client: Option<String>,
    /// Write it into the client's file; what is there stays
    #[arg(long, requires = "client")]
    pub write: bool,
    /// Take out again what was written
    #[arg(long, requires = "client", conflicts_with = "write")]
    pub undo: bool,
}

#[derive(Debug, Subcommand)]
pub enum Artifact {
    /// The newest pictures: id, time, size, title
    List,
    /// One picture: its file, its size, who made it, and the code that drew it
    Show { id: String },
    /// Copy the bytes to PATH
    Export { id: String, path: PathBuf },
    /// Move the picture to the trash
    Remove { id: String },
    /// Bring a removed picture back
    Restore { id: String },
}

#[derive(Debug, Subcommand)]
pub enum Workspace {
    /// Make a folder the workspace of a task; it is created if it is missing
    Bind {
        task: String,
        /// Absolute
        path: String,
    },
    /// Take the binding away; files, history and trash stay
    Unbind { task: String },
    /// Tasks and their folders
    List,
    /// How many files, how large, changed when
    Info { task: String },
    /// What is in the workspace, or in a folder of it
    Ls { task: String, path: Option<String> },
    /// Print a file
    Read(WorkspaceRead),
    /// Write a file from standard input
    Write {
        task: String,
        path: String,
        #[arg(value_name = "-")]
        input: Option<String>,
    },
    /// Run a command in the workspace, behind the sandbox; its exit code is in the answer
    Exec {
        task: String,
        /// Milliseconds it may take (60000; at most 600000)
        #[arg(long, value_name = "N")]
        timeout_ms: Option<u64>,
        /// One argument is shell text; several are a program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Say whom the task's commands can reach: off, full, or all the hosts (a.example, *.b.example)
    Network {
        task: String,
        /// off, full, or hosts, each with :port if you like; without any it is only shown
        #[arg(value_name = "off|full|HOST")]
        reach: Vec<String>,
    },
    #[command(flatten)]
    Changes(Changes),
    /// Answer JSON requests, one a line: {"op": "read", "path": "a.txt"}; op is read, write, list,
    /// info, edit, append, move, delete, search or run
    Serve { task: String },
}

/// What was changed in a workspace, and what ran there. A CHANGE is an id that history prints.
#[derive(Debug, Subcommand)]
pub enum Changes {
    /// Changes made through us, newest first; of one file, or of all
    History { task: String, path: Option<String> },
    /// What a change did to its file, as a unified diff
    Diff {
        task: String,
        change: String,
        /// What is different now from before the change
        #[arg(long)]
        now: bool,
    },
    /// Bring a file back as it was before a change, as a change of its own
    Restore {
        task: String,
        change: String,
        /// As it was after the change
        #[arg(long)]
        after: bool,
    },
    /// What was deleted and can be brought back
    Trash {
        task: String,
        /// Remove all of it for good
        #[arg(long)]
        empty: bool,
    },
    /// Move what a change deleted back to its place
    Undelete { task: String, change: String },
    /// Commands that run or ran, newest first
    Commands { task: String },
}

#[derive(Debug, Args)]
pub struct WorkspaceRead {
    pub task: String,
    pub path: String,
    /// Lines to pass over (bytes with base64)
    #[arg(long, value_name = "N")]
    pub offset: Option<u64>,
    /// Lines to print at most (bytes with base64)
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// utf-8, base64, or a name of the Encoding Standard such as gb18030
    #[arg(long)]
    pub encoding: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Policy {
    /// Say whether a command is blocked, asked about or allowed, as JSON; it is not run
    Check { command: String },
}
