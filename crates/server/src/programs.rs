//! `pm conformance`: files run as programs through the door that tools come by, without a data
//! home: what suites of tests look at is the engine, not what somebody keeps.

use base::Failure;
use runtime::host::{Deadline, Host, Observer, RunError};
use runtime::protocol::{Level, ProgramLoad};
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A suite has its own limits; this one only ends what would never end.
const TIME: Duration = Duration::from_secs(600);
/// Bytes.
const HEAP: u64 = 1024 * 1024 * 1024;
const CANVAS_PIXELS: u64 = 128 * 1024 * 1024;

/// Gets each line that the program prints.
pub type Print = Box<dyn Fn(&str) + Send + Sync>;

struct Printed(Print);

impl Observer for Printed {
    fn log(&self, _level: Level, text: String) {
        (self.0)(&text);
    }
}

/// Starts the workers of all programs.
pub struct Programs {
    host: Host,
    printed: Printed,
}

impl Programs {
    /// Blocks some milliseconds.
    pub fn start(print: Print) -> Result<Self, Failure> {
        Ok(Programs {
            host: Host::start().map_err(Failure::from)?,
            printed: Printed(print),
        })
    }

    /// The exit code of the program. It has the environment given and the folder of its file.
    pub async fn run(
        &self,
        file: &Path,
        env: Vec<(String, String)>,
        cancel: CancellationToken,
    ) -> Result<u8, Failure> {
        let real = tokio::fs::canonicalize(file).await;
        let real = real.map_err(|error| unreadable(file, &error.to_string()))?;
        let (Some(folder), Some(main)) = (real.parent(), real.file_name()) else {
            return Err(unreadable(file, "not a file"));
        };
        let load = ProgramLoad {
            folder: folder.to_owned(),
            main: main.to_string_lossy().into_owned(),
            env,
            heap: HEAP,
            canvas_pixels: CANVAS_PIXELS,
        };
        let deadline = Deadline { time: TIME, cancel };
        match self.host.run_program(load, &deadline, &self.printed).await {
            Ok(finished) => Ok(finished.value.as_u64().map_or(0, |code| (code & 0xff) as u8)),
            Err(error) => Err(failed(error)),
        }
    }
}

fn failed(error: RunError) -> Failure {
    let stack = error.guest().map(|guest| guest.stack.clone());
    let failure = Failure::from(error);
    match stack {
        Some(stack) => failure.detail(stack),
        None => failure,
    }
}

fn unreadable(file: &Path, reason: &str) -> Failure {
    Failure::new("file_io")
        .with("path", file.to_string_lossy())
        .with("reason", reason)
}
