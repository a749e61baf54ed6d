//! The inner wall, put up by the process itself before it looks at anything it was given.
//!
//! It travels in an open file whose number is the second argument, because arguments are there for
//! everybody to read, and a program that finds none refuses to go on: no worker ever runs without one. Deliberately not here: namespaces; they come from outside.

use crate::command::toolchains::HomeLink;
use crate::facts::Tier;
use crate::policy::{Kind, Limits, Mount};
use crate::selftest;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;

/// The argument before the number of the confinement's file.
pub const FLAG: &str = "--confinement";

/// The only argument of the process that forks commands; each fork gets a confinement of its own.
pub const FORK_SERVER: &str = "--fork-server";

/// Exit code of a process whose wall did not stand.
pub const EXIT_NO_WALL: u8 = 71;

/// What the process shuts itself into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    pub kind: Kind,
    pub tier: Tier,
    /// The ABI that the host counts on; finding less is an error.
    pub landlock: u32,
    /// Readable parts of the system; one that is gone is left out.
    pub system: Vec<PathBuf>,
    pub grants: Vec<Grant>,
    pub limits: Limits,
    /// What a command needs besides; a worker has none.
    #[serde(default)]
    pub command: Option<Inside>,
}

/// The part of a confinement that only commands have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inside {
    pub network: Link,
    pub processes: u64,
    /// The kernel counts the processes of a user namespace by themselves.
    pub counted_apart: bool,
    /// For the home in the reduced tier.
    pub links: Vec<HomeLink>,
    /// That home, and the temporary folder: made by the owner, removed by the supervisor.
    pub scratch: Option<PathBuf>,
    /// Standard input is a terminal, and to be the one that controls the session.
    pub terminal: bool,
    /// The number of an open file where failures before the start are told.
    pub status: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    Off,
    /// A port of the loopback leads to this socket.
    Relay {
        socket: PathBuf,
        port: u16,
    },
    Open,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    #[serde(flatten)]
    pub mount: Mount,
    /// What the host saw at this path when it decided. Something else there now means that
    /// somebody changed it in between, and the process ends.
    pub identity: Option<Identity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
}

/// What [`enter`] leaves to do.
#[derive(Debug)]
pub enum Entered {
    /// The wall stands; these are the program's own arguments.
    Work(Vec<OsString>),
    /// It was started for something else, and that is done.
    Done(ExitCode),
}

#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    #[error("started without {FLAG}: this program runs only where sandbox starts it")]
    Missing,
    #[error("{FLAG} cannot be read")]
    Unreadable(#[source] serde_json::Error),
    #[error("{FLAG} names no open file")]
    NotOpen(#[source] io::Error),
    #[error("no inner wall is known for this operating system")]
    Unsupported,
    #[error("Landlock ABI {wanted} was promised, {found} is there")]
    Weaker { wanted: u32, found: u32 },
    #[error("{path} is not what it was when the sandbox was decided")]
    Changed { path: PathBuf },
    #[error("{path}")]
    Path {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{step} failed")]
    Step {
        step: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Reads the confinement from the arguments (without the program's name), puts it up and, where it is asked
/// to, tries it. For a command it does not return: this process becomes the command, or, in the
/// reduced tier, its supervisor, or the one that forks these. The first line of `main`: no thread, no open file beyond the standard three.
pub fn enter(args: impl IntoIterator<Item = OsString>) -> Result<Entered, ConfineError> {
    let mut args = args.into_iter().peekable();
    if args.peek().is_some_and(|first| first == FORK_SERVER) {
        return crate::os::serve_forks().map(Entered::Done);
    }
    let (confinement, rest) = from_args(args)?;
    if confinement.kind == Kind::Command {
        return crate::os::become_command(&confinement, &rest).map(Entered::Done);
    }
    apply(&confinement)?;
    selftest::answered(rest).map(Entered::Work)
}

/// The confinement and the arguments behind it. Its file is closed.
fn from_args(args: impl IntoIterator<Item = OsString>) -> Result<(Confinement, Vec<OsString>), ConfineError> {
    let mut args = args.into_iter();
    if args.next().is_none_or(|first| first != FLAG) {
        return Err(ConfineError::Missing);
    }
    let number = args.next().ok_or(ConfineError::Missing)?;
    // The standard three are somebody else's.
    let number = number.to_str().and_then(|text| text.parse().ok());
    let number = number.filter(|number| *number > 2);
    let text = crate::os::read_given(number.ok_or(ConfineError::Missing)?).map_err(ConfineError::NotOpen)?;
    let confinement = serde_json::from_slice(&text).map_err(ConfineError::Unreadable)?;
    Ok((confinement, args.collect()))
}

/// Closes every file beyond the standard three and shuts this process in, for good. Only to be
/// called while the process has one thread: another would stay outside.
pub fn apply(confinement: &Confinement) -> Result<(), ConfineError> {
    crate::os::confine(confinement)
}

/// The channel to the owner. It arrives as standard input, where a script could find it, so
/// `/dev/null` takes its place there.
pub fn channel() -> Result<UnixStream, ConfineError> {
    crate::os::channel()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::io::{Seek, Write};
    use std::os::fd::IntoRawFd;

    fn given(text: &str) -> OsString {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        file.into_raw_fd().to_string().into()
    }

    #[test]
    fn the_file_is_read_back_and_its_absence_is_an_error() {
        let confinement = Confinement {
            kind: Kind::Worker,
            tier: Tier::Reduced,
            landlock: 3,
            system: vec!["/usr".into()],
            grants: vec![Grant {
                mount: Mount::read_write("/a \"b\" 你"),
                identity: Some(Identity {
                    device: u64::MAX,
                    inode: 7,
                }),
            }],
            limits: Limits::default(),
            command: None,
        };
        let json = serde_json::to_string(&confinement).unwrap();
        let args = [FLAG.into(), given(&json), "--confinement".into(), "x".into()];
        let (read, rest) = from_args(args).unwrap();
        assert_eq!(read, confinement);
        assert_eq!(rest, ["--confinement", "x"]);
        assert!(matches!(from_args([]), Err(ConfineError::Missing)));
        assert!(matches!(from_args(["x".into()]), Err(ConfineError::Missing)));
        assert!(matches!(from_args([FLAG.into()]), Err(ConfineError::Missing)));
        for number in ["{}", "-1", "0"] {
            let args = [FLAG.into(), number.into()];
            assert!(matches!(from_args(args), Err(ConfineError::Missing)), "{number}");
        }
        let nothing = [FLAG.into(), "1000000".into()];
        assert!(matches!(from_args(nothing), Err(ConfineError::NotOpen(_))));
        let broken = [FLAG.into(), given("{}")];
        assert!(matches!(from_args(broken), Err(ConfineError::Unreadable(_))));
    }
}
