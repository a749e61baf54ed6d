//! Runs cases. Each has a small world of its own, so that none spoils it for the next.

use sandbox::{
    CommandPolicy, Launcher, Mount, Network, Run, Tier, Toolchains, Watching, detect, prepare_command,
};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::io::BufRead;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// One line of standard input.
#[derive(Clone, Deserialize)]
struct Case {
    name: String,
    text: String,
    /// With the limits that people get, and their toolchains.
    #[serde(default)]
    ordinary: bool,
    #[serde(default)]
    env: Vec<(String, String)>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    code: i32,
    stdout: String,
    stderr: String,
    swept: bool,
    removed: usize,
}

const FILES: &[&str] = &[
    "home/.ssh/id",
    "home/.ssh/authorized_keys",
    "home/.ssh/script",
    "home/.bashrc",
    "home/.bash_history",
    "home/.gitconfig",
    "home/.npmrc",
    "home/.netrc",
    "home/.aws/credentials",
    "home/.cargo/credentials.toml",
    "home/.config/gh/hosts.yml",
    "home/.pm/token",
    "home/.pm/pm.db",
    "home/.pm/settings.json",
    "home/.pm/.env",
    "home/.pm/toolbox/other/data/diary",
    "home/junk/a",
    "other/secret",
    "other/.git/config",
    "ws/own",
    "ws/.git/hooks/pre-push.sample",
];

const GIT: &[(&str, &str)] = &[
    ("ws/.git/HEAD", "ref: refs/heads/main\n"),
    (
        "ws/.git/config",
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    ),
    ("other/.git/HEAD", "ref: refs/heads/main\n"),
    (
        "other/.git/config",
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    ),
];

fn world(root: &Path) {
    for file in FILES {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "exit 0 # something worth having\n").unwrap();
    }
    for name in ["ws", "other"] {
        for folder in ["objects", "refs/heads"] {
            fs::create_dir_all(root.join(name).join(".git").join(folder)).unwrap();
        }
    }
    for (file, text) in GIT {
        fs::write(root.join(file), text).unwrap();
    }
    symlink(root.join("home/.ssh/id"), root.join("ws/planted")).unwrap();
    symlink(root.join("home"), root.join("ws/planted-home")).unwrap();
    symlink(root.join("home/out"), root.join("ws/planted-out")).unwrap();
}

fn read_cases() -> Vec<Case> {
    let lines = std::io::stdin().lock().lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

fn environment(case: &Case, root: &Path) -> Vec<(OsString, OsString)> {
    let mut scene: serde_json::Value = serde_json::from_str(&std::env::var("SCENE").unwrap()).unwrap();
    scene["root"] = root.to_str().unwrap().into();
    let mut env: Vec<(OsString, OsString)> = vec![
        ("ROOT".into(), root.into()),
        ("LAB".into(), program().into()),
        ("SCENE".into(), scene.to_string().into()),
        ("VICTIM".into(), scene["victim"].to_string().into()),
        ("PORT".into(), scene["tcp_port"].to_string().into()),
        ("ABSTRACT".into(), scene["abstract_name"].as_str().unwrap().into()),
    ];
    for name in ["DECOY_TMP", "SOCKET"] {
        env.push((name.into(), std::env::var_os(name).unwrap_or_default()));
    }
    env.extend(case.env.iter().map(|(name, value)| (name.into(), value.into())));
    env
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap().canonicalize().unwrap()
}

fn place(folder: &Path, number: usize) -> PathBuf {
    let root = folder.join(format!("case-{number}"));
    world(&root);
    root
}

fn say(line: &Line) {
    let text = serde_json::to_string(line).unwrap();
    println!("{text}");
}

pub fn without(args: &[OsString]) -> ExitCode {
    let folder = Path::new(&args[0]);
    for (number, case) in read_cases().into_iter().enumerate() {
        let root = place(folder, number);
        let scratch = root.join("scratch");
        fs::create_dir(&scratch).unwrap();
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &case.text])
            .current_dir(root.join("ws"))
            .env_clear();
        command.env(
            "PATH",
            std::env::var_os("LAB_PATH")
                .unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".into()),
        );
        command
            .env("HOME", &scratch)
            .env("TMPDIR", &scratch)
            .env("WORKSPACE", root.join("ws"));
        command.envs(environment(&case, &root)).stdin(Stdio::null());
        let output = command.output().unwrap();
        say(&Line {
            name: case.name,
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            swept: true,
            removed: 0,
        });
        let _ = fs::remove_dir_all(&root);
    }
    ExitCode::SUCCESS
}

pub fn behind(args: &[OsString]) -> ExitCode {
    let name = args[0].to_str().unwrap().to_owned();
    let folder = PathBuf::from(&args[1]);
    let tier = if name == "reduced" {
        Tier::Reduced
    } else {
        Tier::Full
    };
    let mut facts = detect().only(tier);
    assert_eq!(facts.tier(), tier, "this machine cannot do it: {facts:?}");
    if name == "full_without_landlock" {
        facts.landlock = 0;
    }
    let toolchains = match std::env::var_os("LAB_TOOLS") {
        Some(path) => {
            sandbox::command::toolchains::find(&PathBuf::from(std::env::var_os("HOME").unwrap()), &path)
        }
        None => Toolchains::default(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let launcher = Launcher::start().unwrap();
        let places = Arc::new(tokio::sync::Semaphore::new(4));
        let mut tasks = tokio::task::JoinSet::new();
        for (number, case) in read_cases().into_iter().enumerate() {
            let (launcher, facts, toolchains) = (launcher.clone(), facts.clone(), toolchains.clone());
            let (folder, places) = (folder.clone(), places.clone());
            tasks.spawn(async move {
                let _place = places.acquire().await.unwrap();
                let root = place(&folder, number);
                let mut policy =
                    CommandPolicy::new(program(), root.join("ws"), Run::Shell(case.text.clone().into()));
                policy.env = environment(&case, &root);
                policy.network = Network::Off;
                // Some cases are system calls that this program makes.
                policy.mounts = vec![Mount::read_only(program())];
                policy.toolchains = toolchains;
                if !case.ordinary {
                    policy.limits.memory = 512 << 20;
                    policy.limits.file_size = 64 << 20;
                    policy.limits.scratch = 32 << 20;
                    policy.memory_together = 1 << 30;
                    policy.processes = 200;
                }
                let watching = Watching {
                    limit: Some(Duration::from_secs(120)),
                    ..Watching::default()
                };
                let mut running = launcher
                    .run(prepare_command(&policy, &facts).unwrap(), watching)
                    .await
                    .unwrap();
                let outcome = running.wait().await.unwrap();
                say(&Line {
                    name: case.name,
                    code: outcome.exit_code,
                    stdout: outcome.stdout.text(),
                    stderr: outcome.stderr.text(),
                    swept: outcome.swept,
                    removed: outcome.removed.len(),
                });
                let _ = fs::remove_dir_all(&root);
            });
        }
        while let Some(result) = tasks.join_next().await {
            result.unwrap();
        }
    });
    ExitCode::SUCCESS
}
