//! A real `pm serve` with a data home of its own.

#![allow(
    dead_code,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "each test uses its part; tests start pm themselves"
)]

pub mod mcp;
pub mod page;
pub mod pipe;
pub mod registry;

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use wire::Client;

pub const PM: &str = env!("CARGO_BIN_EXE_pm");

pub struct Home {
    dir: tempfile::TempDir,
    namespaces: bool,
    bubblewrap: Option<PathBuf>,
}

impl Home {
    pub fn new() -> Self {
        Home {
            dir: tempfile::tempdir().unwrap(),
            namespaces: true,
            bubblewrap: None,
        }
    }

    /// Its `pm` runs on a system that forbids namespaces, as far as it can see: the kernel itself
    /// refuses them to it and to all that it starts, whoever that is.
    #[cfg(target_os = "linux")]
    pub fn without_namespaces() -> Self {
        Home {
            namespaces: false,
            ..Home::new()
        }
    }

    /// Its `pm` finds a bubblewrap that leaves the host's network to whatever it starts.
    #[cfg(target_os = "linux")]
    pub fn with_a_hole() -> Self {
        let mut home = Home::new();
        let (real, place) = (
            home.outside("holed").join("real"),
            home.outside("holed").join("bwrap"),
        );
        let text = format!(
            "#!/bin/bash\noptions=()\nwhile [ \"$1\" != -- ]; do options+=(\"$1\"); shift; done\n\
             exec '{}' \"${{options[@]}}\" --share-net \"$@\"\n",
            real.display()
        );
        // By another program: a file open for writing in a test beside this one could not be run.
        let write = "cp /usr/bin/bwrap \"$1\" && printf %s \"$3\" > \"$2\" && chmod 755 \"$2\"";
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", write, "sh"]).args([&real, &place]).arg(text);
        assert!(shell.status().unwrap().success());
        home.bubblewrap = Some(place);
        home
    }

    /// Canonical, as workers see it.
    pub fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("home")
    }

    /// A folder outside the data home.
    pub fn outside(&self, name: &str) -> PathBuf {
        let path = self.dir.path().canonicalize().unwrap().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn put_tool(&self, name: &str, source: &str) {
        let folder = self.path().join("toolbox").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.tool.js")), source).unwrap();
    }

    pub fn client(&self) -> Client {
        Client::new(&self.path().join("run/pm.sock"))
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = match &self.bubblewrap {
            None => Command::new(PM),
            Some(place) => instead_of_bubblewrap(place),
        };
        command.arg("--home").arg(self.path()).args(args);
        // No secret of a test goes to the keychain of whoever runs it.
        command.env("DBUS_SESSION_BUS_ADDRESS", "disabled:");
        #[cfg(target_os = "linux")]
        if !self.namespaces {
            forbid_namespaces(&mut command);
        }
        command
    }

    /// What a tool's `run.log` says: of a run that is over it may say the last a moment later, and whoever
    /// asks for it has it written.
    pub fn log_of(&self, tool: &str) -> String {
        let asked = self.pm(&["tool", "log", tool]);
        assert!(asked.status.success(), "{asked:?}");
        std::fs::read_to_string(self.path().join("toolbox").join(tool).join("run.log")).unwrap()
    }

    /// Runs a verb to its end.
    pub fn pm(&self, args: &[&str]) -> Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    pub fn pm_with_input(&self, args: &[&str], input: &str) -> Output {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Starts `pm serve` and waits until it says where.
    pub fn serve(&self) -> Served {
        self.serve_with(&["serve", "--port", "0", "--json"])
    }

    pub fn serve_with(&self, args: &[&str]) -> Served {
        self.started(self.command(args))
    }

    /// With events of this level in its log.
    pub fn serve_logging(&self, level: &str) -> Served {
        let mut command = self.command(&["serve", "--port", "0", "--json"]);
        command.env("PM_LOG", level);
        self.started(command)
    }

    /// As a person whose own folder is `folder`.
    pub fn serve_as(&self, folder: &Path) -> Served {
        let mut command = self.command(&["serve", "--port", "0", "--json"]);
        command.env("HOME", folder);
        self.started(command)
    }

    fn started(&self, mut command: Command) -> Served {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.ends_with("}\n") {
            assert!(
                lines.read_line(&mut text).unwrap() > 0,
                "pm serve ended early: {text}"
            );
        }
        let said: serde_json::Value = serde_json::from_str(&text).unwrap();
        Served {
            child,
            said,
            client: self.client(),
        }
    }
}

/// `pm` where the system's bubblewrap is another one.
fn instead_of_bubblewrap(place: &Path) -> Command {
    let mut command = Command::new("unshare");
    if !rustix::process::getuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    let text = "mount --bind \"$1\" /usr/bin/bwrap && shift && exec \"$@\"";
    command
        .args(["--mount", "/bin/sh", "-c", text, "sh"])
        .arg(place)
        .arg(PM);
    command
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "what happens between fork and exec has no safe form")]
fn forbid_namespaces(command: &mut Command) {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };
    use std::os::unix::process::CommandExt;
    let filter = |calls: Vec<(i64, Vec<SeccompRule>)>, errno: i32| -> BpfProgram {
        let refuse = SeccompAction::Errno(errno as u32);
        let arch = std::env::consts::ARCH.try_into().unwrap();
        let rules = calls.into_iter().collect();
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).unwrap();
        filter.try_into().unwrap()
    };
    let making = [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWPID].map(|flag| {
        let masked = SeccompCmpOp::MaskedEq(flag as u64);
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, masked, flag as u64);
        SeccompRule::new(vec![condition.unwrap()]).unwrap()
    });
    let calls = vec![
        (libc::SYS_clone, making.to_vec()),
        (libc::SYS_unshare, Vec::new()),
    ];
    let programs = [
        filter(calls, libc::EPERM),
        filter(vec![(libc::SYS_clone3, Vec::new())], libc::ENOSYS),
    ];
    let install = move || {
        for program in &programs {
            seccompiler::apply_filter(program).map_err(std::io::Error::other)?;
        }
        Ok(())
    };
    // SAFETY: system calls alone; the programs were made before the fork.
    unsafe { command.pre_exec(install) };
}

pub struct Served {
    pub child: Child,
    pub said: serde_json::Value,
    pub client: Client,
}

impl Served {
    pub fn address(&self) -> &str {
        self.said["address"].as_str().unwrap()
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and the exit code.
    pub fn end(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Already ended in tests that end it themselves.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Names of the tools that are shipped, in order.
pub fn built_in() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../resources/tools");
    let folders = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = folders
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files_below(&path))
        } else {
            found.push(path)
        }
    }
    found
}

/// A folder that is bound to the task `t1`.
pub fn bound(home: &Home) -> PathBuf {
    let folder = home.outside("work");
    let output = home.pm(&["workspace", "bind", "t1", folder.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    folder
}

/// What a verb printed with `--json`.
pub fn said(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// For the calls of a test that waits for each.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Looks until it is so; a failure says what was waited for.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}: not in 30 s");
        std::thread::yield_now();
    }
}

/// Whether any run is open.
pub fn runs_now(home: &Home) -> bool {
    let client = home.client();
    let active = runtime().block_on(client.run_active(wire::None {})).unwrap();
    !active.runs.is_empty()
}

/// A server of this machine.
pub fn greeter() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut read = [0; 4096];
            let _ = stream.read(&mut read);
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
        }
    });
    port
}

/// An archive outside of the data home.
pub fn zip(home: &Home, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let path = home.outside("archives").join(name);
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, text) in files {
        archive
            .start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    path
}
