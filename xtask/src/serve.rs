//! Servers of our own for tests and measurements: started on any free port, ended with their
//! owner.

use crate::files::TempDir;
use crate::{Outcome, proc};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const START_LIMIT: Duration = Duration::from_secs(60);
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// A program that prints `http://127.0.0.1:PORT` when it listens.
pub struct Running {
    child: Child,
    /// `127.0.0.1:PORT`
    pub address: String,
}

impl Running {
    pub fn start(mut command: Command) -> Outcome<Self> {
        let child = proc::spawn(command.stdout(Stdio::piped()))?;
        let mut running = Running {
            child,
            address: String::new(),
        };
        running.address = address(&mut running.child)?;
        Ok(running)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ended already after a stop; both calls then do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A `pm serve` with a temporary data home.
pub struct Server {
    running: Running,
    // After `running`: the folder goes when nobody writes into it any more.
    home: TempDir,
    pub address: String,
    pub token: String,
    /// From the start of the process to its line with the address.
    pub start: Duration,
}

impl Server {
    /// `prepare` may put files into the data home before the start.
    pub fn start(profile: &str, prepare: impl FnOnce(&Path) -> Outcome) -> Outcome<Self> {
        Self::start_program(&proc::built(profile, "pm"), prepare)
    }

    /// A `pm` that lies elsewhere, its `pm-worker` beside it.
    pub fn start_program(pm: &Path, prepare: impl FnOnce(&Path) -> Outcome) -> Outcome<Self> {
        let home = TempDir::new("home")?;
        prepare(home.path())?;
        Self::with(pm, home)
    }

    /// Ended and started again, with the same data home.
    pub fn restarted(mut self, profile: &str) -> Outcome<Self> {
        self.end()?;
        let Server { running, home, .. } = self;
        drop(running);
        Self::with(&proc::built(profile, "pm"), home)
    }

    fn with(pm: &Path, home: TempDir) -> Outcome<Self> {
        let mut command = proc::program(pm);
        command
            .arg("--home")
            .arg(home.path())
            .args(["serve", "--port", "0"])
            .env_remove("PROMPT_MANAGER_HOME");
        let begun = Instant::now();
        let running = Running::start(command)?;
        let start = begun.elapsed();
        let token = fs::read_to_string(home.path().join("token"))
            .map_err(|error| format!("pm serve runs, but its token cannot be read: {error}"))?;
        Ok(Server {
            address: running.address.clone(),
            running,
            home,
            token: token.trim().to_owned(),
            start,
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn pid(&self) -> u32 {
        self.running.pid()
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Ends it the polite way; an error when it does not listen.
    pub fn stop(mut self) -> Outcome {
        self.end()
    }

    fn end(&mut self) -> Outcome {
        let pid = self.pid().to_string();
        if proc::ask(proc::program("kill").args(["-TERM", &pid])).is_none() {
            return Err("pm serve had ended before it was asked to".into());
        }
        let begun = Instant::now();
        while begun.elapsed() < STOP_LIMIT {
            match self.running.child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(format!("pm serve, asked to stop, ended with {status}").into()),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        Err(format!("pm serve still runs {} s after SIGTERM", STOP_LIMIT.as_secs()).into())
    }
}

/// Reads what the server prints until its address comes, and goes on reading so that it never
/// waits for a full pipe.
fn address(child: &mut Child) -> Outcome<String> {
    let output = child.stdout.take().ok_or("the server's output is not a pipe")?;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // Nobody listens once the address is known.
            let _ = send.send(line);
        }
    });
    let end = Instant::now() + START_LIMIT;
    let mut printed = Vec::new();
    loop {
        match receive.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => match find_address(&line) {
                Some(address) => return Ok(address),
                None => printed.push(line),
            },
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return Err(format!("the server printed no address in {} s", START_LIMIT.as_secs()).into());
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = child.wait()?;
                return Err(format!("the server ended with {status}\n{}", printed.join("\n")).into());
            }
        }
    }
}

/// `127.0.0.1:PORT` out of a line that has `http://127.0.0.1:PORT` somewhere.
fn find_address(line: &str) -> Option<String> {
    let rest = line.split_once("http://127.0.0.1:")?.1;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let port: u16 = rest[..digits].parse().ok()?;
    (port != 0).then(|| format!("127.0.0.1:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_anywhere_in_a_line() {
        assert_eq!(
            find_address("  Web UI  http://127.0.0.1:40123/?link=x").as_deref(),
            Some("127.0.0.1:40123")
        );
        assert_eq!(
            find_address("http://127.0.0.1:5621").as_deref(),
            Some("127.0.0.1:5621")
        );
        assert_eq!(find_address("http://127.0.0.1:0/"), None);
        assert_eq!(find_address("http://127.0.0.1:99999/"), None);
        assert_eq!(find_address("listening on 127.0.0.1:5621"), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_server_that_ends_early_is_an_error_with_what_it_said() {
        let mut command = proc::program("sh");
        command.args(["-c", "echo the port is taken; exit 1"]);
        let Err(error) = Running::start(command) else {
            panic!("it ended")
        };
        assert!(error.to_string().contains("the port is taken"), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn a_running_server_ends_with_its_owner() {
        let mut command = proc::program("sh");
        command.args(["-c", "echo up at http://127.0.0.1:1234/; exec sleep 1000"]);
        let running = Running::start(command).unwrap();
        assert_eq!(running.address, "127.0.0.1:1234");
        let pid = running.pid().to_string();
        drop(running);
        assert!(proc::ask(proc::program("kill").args(["-0", &pid])).is_none());
    }
}
