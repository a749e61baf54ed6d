//! Proves the tier instead of believing it: a worker is started behind the walls and tries to
//! read a file and to reach a port that this process, without walls, reads and reaches.

use crate::command::outcome::Watching;
use crate::command::prepare::prepare_command;
use crate::command::{CommandPolicy, Run};
use crate::confine;
use crate::facts::{Facts, Namespaces, Tier, Weaker};
use crate::os::Launcher;
use crate::policy::{Kind, Limits, Policy};
use crate::prepare::prepare;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, UnixStream};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    /// Technical, in English.
    pub detail: String,
}

impl Check {
    fn new(name: &'static str, ok: bool, detail: impl Into<String>) -> Self {
        Check {
            name,
            ok,
            detail: detail.into(),
        }
    }
}

/// What a person can do for a better tier. The words are in the language files under `code`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    pub code: &'static str,
    /// To be run as the administrator; empty when there is nothing to run.
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What was proved; `none` when the proof failed, whatever the facts say.
    pub tier: Tier,
    pub checks: Vec<Check>,
    pub advice: Vec<Advice>,
}

/// Everybody may read it, and no tier shows it.
const CANARY: &str = "/etc/passwd";
const QUESTION: &str = "--self-test";
const PATIENCE: Duration = Duration::from_secs(5);

/// What the confined process says about its two attempts.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Answer {
    read: bool,
    connect: bool,
}

/// Tries out the tier of `facts` with `worker`, a program whose `main` begins with
/// [`confine::enter`].
pub async fn self_test(launcher: &Launcher, facts: &Facts, worker: &Path) -> Report {
    let mut checks = described(facts);
    let proved = match attempt(launcher, facts, worker).await {
        Ok((outside, inside)) => {
            for (name, without, within) in [
                ("canary_read", outside.read, inside.read),
                ("canary_connect", outside.connect, inside.connect),
            ] {
                let detail = format!("without walls: {}, behind them: {}", word(without), word(within));
                checks.push(Check::new(name, without && !within, detail));
            }
            outside == ALL && inside == NOTHING
        }
        Err(failure) => {
            checks.push(Check::new("start", false, failure.to_string()));
            false
        }
    };
    Report {
        tier: if proved { facts.tier() } else { Tier::None },
        checks,
        advice: advice(facts),
    }
}

const ALL: Answer = Answer {
    read: true,
    connect: true,
};
const NOTHING: Answer = Answer {
    read: false,
    connect: false,
};

fn word(reached: bool) -> &'static str {
    if reached { "reached" } else { "refused" }
}

/// Answers in place of the program when the arguments ask for it.
pub(crate) fn answer(args: &[OsString]) -> Option<ExitCode> {
    let [question, port] = args else { return None };
    if question != QUESTION {
        return None;
    }
    let port = port.to_str()?.parse().ok()?;
    let answer = serde_json::to_vec(&try_both(port)).ok()?;
    let sent = confine::channel().is_ok_and(|mut channel| channel.write_all(&answer).is_ok());
    Some(if sent {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The same for a command: on standard output, with the canary that it is given.
pub(crate) fn answer_as_command(words: &[OsString]) -> Option<ExitCode> {
    let [question, port, canary] = words else {
        return None;
    };
    if question != QUESTION {
        return None;
    }
    let port = port.to_str()?.parse().ok()?;
    let answer = CommandAnswer {
        read: reads(Path::new(canary)),
        connect: TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok(),
        loopback: own_loopback(),
        write: std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open("self-test")
            .is_ok(),
    };
    println!("{}", serde_json::to_string(&answer).ok()?);
    Some(ExitCode::SUCCESS)
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CommandAnswer {
    read: bool,
    connect: bool,
    /// A server of its own can be reached.
    loopback: bool,
    /// Its workspace can be written to.
    write: bool,
}

fn reads(path: &Path) -> bool {
    std::fs::File::open(path)
        .and_then(|mut file| file.read(&mut [0; 1]))
        .is_ok()
}

fn own_loopback() -> bool {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener
        .as_ref()
        .ok()
        .and_then(|listener| listener.local_addr().ok());
    address.is_some_and(|address| TcpStream::connect(address).is_ok())
}

/// What one tier gives commands on this host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandTier {
    pub tier: Tier,
    /// A command behind these walls could not do what this process can.
    pub proved: bool,
    pub checks: Vec<Check>,
    /// What this tier does not give here; see [`Weaker::code`].
    pub weaker: Vec<Weaker>,
}

/// Tries out every tier that commands could have here, the best first. Nothing is promised where
/// the list is empty.
pub async fn self_test_commands(launcher: &Launcher, facts: &Facts, worker: &Path) -> Vec<CommandTier> {
    let mut tiers = Vec::new();
    for tier in [Tier::Full, Tier::Reduced] {
        let facts = facts.clone().only(tier);
        if facts.tier() == tier {
            tiers.push(command_tier(launcher, &facts, worker).await);
        }
    }
    tiers
}

async fn command_tier(launcher: &Launcher, facts: &Facts, worker: &Path) -> CommandTier {
    let tier = facts.tier();
    let checks = match attempt_command(launcher, facts, worker).await {
        Ok((outside, inside, swept)) => {
            let refused = |name, without: bool, within: bool| {
                let detail = format!("without walls: {}, behind them: {}", word(without), word(within));
                Check::new(name, without && !within, detail)
            };
            vec![
                refused("command_canary_read", outside.0, inside.read),
                refused("command_canary_connect", outside.1, inside.connect),
                Check::new("command_workspace", inside.write, ""),
                Check::new("command_loopback", inside.loopback == (tier == Tier::Full), ""),
                Check::new("command_swept", swept, ""),
            ]
        }
        Err(failure) => vec![Check::new("command_start", false, failure.to_string())],
    };
    CommandTier {
        tier,
        proved: checks.iter().all(|check| check.ok),
        checks,
        weaker: facts.weaker(),
    }
}

type Reached = (bool, bool);

async fn attempt_command(
    launcher: &Launcher,
    facts: &Facts,
    worker: &Path,
) -> Result<(Reached, CommandAnswer, bool), Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let worker = tokio::fs::canonicalize(worker).await?;
    // Everybody may read it, and no tier shows it to commands.
    let canary = Path::new("/etc/fstab");
    let canary = if reads(canary) {
        canary.to_owned()
    } else {
        "/etc/hostname".into()
    };
    let outside = (
        reads(&canary),
        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok(),
    );
    let folder = Folder::make().await?;
    let words = vec![QUESTION.into(), port.to_string().into(), canary.into_os_string()];
    let policy = CommandPolicy::new(worker, &folder.0, Run::Program(words));
    let watching = Watching {
        limit: Some(PATIENCE),
        ..Watching::default()
    };
    let mut running = launcher.run(prepare_command(&policy, facts)?, watching).await?;
    let outcome = running.wait().await?;
    let text = outcome.stdout.text();
    let inside = serde_json::from_str(&text).map_err(|_| {
        format!(
            "no answer, exit code {}; {}",
            outcome.exit_code,
            outcome.stderr.text().trim()
        )
    })?;
    Ok((outside, inside, outcome.swept))
}

/// A workspace for a moment.
struct Folder(PathBuf);

impl Folder {
    async fn make() -> std::io::Result<Folder> {
        let base = tokio::fs::canonicalize(std::env::temp_dir()).await?;
        let nanos = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        let folder = base.join(format!("pm-self-test-{}-{nanos}", std::process::id()));
        tokio::fs::create_dir(&folder).await?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn try_both(port: u16) -> Answer {
    let read = std::fs::File::open(CANARY).and_then(|mut file| file.read(&mut [0; 1]));
    Answer {
        read: read.is_ok(),
        connect: TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok(),
    }
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn attempt(launcher: &Launcher, facts: &Facts, worker: &Path) -> Result<(Answer, Answer), Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let outside = tokio::task::spawn_blocking(move || try_both(port)).await?;
    let policy = Policy {
        kind: Kind::Worker,
        program: tokio::fs::canonicalize(worker).await?,
        args: vec![QUESTION.into(), port.to_string().into()],
        cwd: "/".into(),
        env: Vec::new(),
        mounts: Vec::new(),
        masked: Vec::new(),
        limits: Limits::default(),
    };
    let mut child = launcher.spawn(prepare(&policy, facts)?).await?;
    let channel = child.take_channel().ok_or("no channel")?;
    let mut said = Vec::new();
    let mut channel = UnixStream::from_std(channel)?.take(1024);
    tokio::time::timeout(PATIENCE, channel.read_to_end(&mut said)).await??;
    let inside =
        serde_json::from_slice(&said).map_err(|_| format!("no answer; {}", child.stderr_tail().trim()))?;
    Ok((outside, inside))
}

fn described(facts: &Facts) -> Vec<Check> {
    let (works, said) = match &facts.namespaces {
        Namespaces::Work { bwrap } => (true, bwrap.display().to_string()),
        Namespaces::Forbidden { bwrap, said } => (false, format!("{}: {said}", bwrap.display())),
        Namespaces::NoBwrap => (false, "bubblewrap is not installed".to_owned()),
        Namespaces::Absent => (false, "not on this system".to_owned()),
    };
    vec![
        Check::new("namespaces", works, said),
        Check::new("landlock", facts.landlock > 0, format!("ABI {}", facts.landlock)),
        Check::new("seccomp", facts.seccomp, ""),
    ]
}

/// Lets bubblewrap alone make user namespaces where AppArmor keeps them from everybody.
const APPARMOR_PROFILE: &str = "\
abi <abi/4.0>,
include <tunables/global>
profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
  include if exists <local/bwrap>
}
";

fn advice(facts: &Facts) -> Vec<Advice> {
    let mut advice = Vec::new();
    let mut add = |code, command: String| advice.push(Advice { code, command });
    match &facts.namespaces {
        Namespaces::Work { .. } => {}
        Namespaces::NoBwrap => add(
            "sandbox_advice_bwrap",
            "apt install bubblewrap || dnf install bubblewrap || pacman -S bubblewrap".to_owned(),
        ),
        Namespaces::Forbidden { .. } => {
            let switches = &facts.switches;
            if switches.userns_clone_off {
                add(
                    "sandbox_advice_userns",
                    "sysctl -w kernel.unprivileged_userns_clone=1".to_owned(),
                );
            }
            if switches.max_namespaces_zero {
                add(
                    "sandbox_advice_userns",
                    "sysctl -w user.max_user_namespaces=15000".to_owned(),
                );
            }
            if switches.apparmor_restricts {
                let file = "/etc/apparmor.d/bwrap";
                let command =
                    format!("cat > {file} <<'END'\n{APPARMOR_PROFILE}END\napparmor_parser -r {file}");
                add("sandbox_advice_apparmor", command);
            }
            if *switches == crate::Switches::default() {
                add("sandbox_advice_container", String::new());
            }
        }
        Namespaces::Absent => add("sandbox_advice_system", String::new()),
    }
    if facts.landlock == 0 && facts.namespaces != Namespaces::Absent {
        add("sandbox_advice_landlock", String::new());
    }
    advice
}

/// What a person can do for better limits on commands.
pub fn command_advice(facts: &Facts) -> Vec<Advice> {
    let weaker = facts.weaker();
    let missing = [Weaker::Processes, Weaker::Memory]
        .iter()
        .any(|what| weaker.contains(what));
    let user = "systemd-run --user --scope -p Delegate=yes -p TasksAccounting=yes -p MemoryAccounting=yes -- pm serve";
    missing
        .then(|| Advice {
            code: "sandbox_advice_cgroup",
            command: user.to_owned(),
        })
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Switches;

    fn codes(namespaces: Namespaces, switches: Switches, landlock: u32) -> Vec<&'static str> {
        let facts = Facts {
            namespaces,
            switches,
            landlock,
            ..Facts::nothing()
        };
        advice(&facts).into_iter().map(|advice| advice.code).collect()
    }

    #[test]
    fn limits_that_are_missing_are_advised() {
        let mut facts = Facts {
            landlock: 7,
            seccomp: true,
            counts_apart: true,
            namespaces: Namespaces::Work {
                bwrap: "/usr/bin/bwrap".into(),
            },
            ..Facts::nothing()
        };
        assert_eq!(facts.weaker(), [Weaker::Memory]);
        assert_eq!(command_advice(&facts)[0].code, "sandbox_advice_cgroup");
        facts.root = true;
        assert_eq!(facts.weaker(), [Weaker::Processes, Weaker::Memory]);
        facts.cgroups = vec![crate::Cgroup {
            folder: "/sys/fs/cgroup/x".into(),
            processes: Some("pids.max"),
            memory: Some("memory.max"),
            kill: true,
        }];
        assert!(facts.weaker().is_empty() && command_advice(&facts).is_empty());
        assert!(facts.only(Tier::Reduced).weaker().contains(&Weaker::Git));
    }

    #[test]
    fn advice_names_what_stands_in_the_way() {
        let bwrap = || "/usr/bin/bwrap".into();
        let forbidden = || Namespaces::Forbidden {
            bwrap: bwrap(),
            said: String::new(),
        };
        let none = Switches::default;
        assert!(codes(Namespaces::Work { bwrap: bwrap() }, none(), 7).is_empty());
        assert_eq!(
            codes(Namespaces::NoBwrap, none(), 0),
            ["sandbox_advice_bwrap", "sandbox_advice_landlock"]
        );
        assert_eq!(codes(forbidden(), none(), 7), ["sandbox_advice_container"]);
        let apparmor = Switches {
            apparmor_restricts: true,
            ..none()
        };
        assert_eq!(codes(forbidden(), apparmor, 7), ["sandbox_advice_apparmor"]);
        let debian = Switches {
            userns_clone_off: true,
            ..none()
        };
        assert_eq!(codes(forbidden(), debian, 7), ["sandbox_advice_userns"]);
    }
}
