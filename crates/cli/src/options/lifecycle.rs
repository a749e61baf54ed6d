//! What can be typed about tools that come, change and go.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Lifecycle {
    /// Take a tool in: a folder, a .zip, a .tgz, a single .tool.js or .tool.py, npm:NAME, or the server of a .mcpb
    Install {
        source: String,
        /// A setting of a .mcpb; several values of one by giving it again
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        #[command(flatten)]
        how: How,
    },
    /// Replace a tool by what there is now where it came from, or by another source
    Update {
        tool: String,
        source: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Versions of a tool that can be gone back to
    Versions { tool: String },
    /// Go back to the version before, or to a kept one
    Rollback {
        tool: String,
        #[arg(id = "which", value_name = "VERSION")]
        version: Option<String>,
    },
    /// Move a tool into the trash
    Remove {
        tool: String,
        /// Leave configuration, data and log for whatever comes under this name
        #[arg(long)]
        keep_data: bool,
    },
    /// Tools in the trash
    Removed,
    /// Bring a removed tool back: the last one of this name, or one by its place in the trash
    Restore { tool: String },
    /// Decide about a file that you changed in a built-in tool; pm tool show TOOL says what is different
    #[command(group = clap::ArgGroup::new("take").required(true))]
    Settle {
        tool: String,
        /// The changed file; without it, the only one
        file: Option<String>,
        /// Yours runs
        #[arg(long, group = "take")]
        mine: bool,
        /// The built-in one runs; yours stays beside it
        #[arg(long, group = "take")]
        new: bool,
        /// Bring both together in a file beside, with marks where both changed the same; nothing else changes
        #[arg(long, group = "take")]
        merge: bool,
        /// What was brought together runs
        #[arg(long, group = "take")]
        merged: bool,
    },
    /// Bring in tools of the old layout (tools/ of the data home) that were left there, and say what became of each
    Migrate {
        /// Take it back: their folders go back to where they lay, what became of the tools since into the trash
        #[arg(long)]
        undo: bool,
    },
    /// Make a new tool to begin with: schema, business error, manual and a test
    New {
        tool: String,
        /// In Python
        #[arg(long)]
        python: bool,
    },
}

#[derive(Debug, Args)]
pub struct How {
    /// Only say what would come, and what it asks for
    #[arg(long)]
    pub dry_run: bool,
    /// Give it all that it asks for
    #[arg(long)]
    pub allow: bool,
}
