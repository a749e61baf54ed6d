//! What can be typed about canvases of cells.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Arena {
    /// What is to be said of a document: repairs of the reader, and the graph of its cells
    Check {
        /// - is standard input
        file: PathBuf,
    },
    /// Print a document in its canonical form
    Fmt {
        /// - is standard input
        file: PathBuf,
        /// Write it into the file instead
        #[arg(long)]
        write: bool,
    },
    /// Run the cells of a document that have not run, and print what becomes of it; the file stays
    Run {
        /// .md and .ipynb are read as such; - is standard input
        file: PathBuf,
        /// An answer to an input(); several in their order
        #[arg(long = "answer", value_name = "TEXT")]
        answers: Vec<String>,
        /// Run those as well that have run
        #[arg(long)]
        again: bool,
        /// Task in whose workspace shell cells run
        #[arg(long, value_name = "TASK")]
        task: Option<String>,
    },
    /// Print a document in another format
    Export {
        /// .md and .ipynb are read as such; - is standard input
        file: PathBuf,
        #[arg(long, value_enum, default_value_t = Target::Markdown)]
        to: Target,
    },
    /// Make a canvas of the library from a document; prints its id
    Import {
        file: PathBuf,
        /// Task in whose workspace shell cells run
        #[arg(long, value_name = "TASK")]
        task: Option<String>,
    },
    /// Canvases of the library
    List,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    Acp,
    Markdown,
    Ipynb,
}
