//! What the walls around a command cost, beside the same command without them:
//! `cargo xtask bench sandbox` runs it and words it. Prints JSON, times in milliseconds.
//!
//! `command_costs WORKER [ROUNDS]`: WORKER is the program that puts up the inner wall. In each round a
//! plain start and one in the tier take turns, so that whatever else the machine does falls on both.
//! One tier after the other: the kernel takes the namespaces of the full one apart for some time.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "measures plain starts as well"
)]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use futures_util::future::join_all;
    use sandbox::{CommandPolicy, Ended, Facts, Launcher, Run, Tier, Watching, detect, prepare_command};
    use serde_json::{Map, Value, json};
    use std::os::unix::process::ExitStatusExt;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    /// What a command answers; the same in every tier, or nothing is printed.
    type Answer = (i32, String, String);

    struct World {
        worker: PathBuf,
        workspace: PathBuf,
        launcher: Launcher,
        tiers: Vec<(&'static str, Facts)>,
    }

    pub fn main() {
        let mut words = std::env::args_os().skip(1);
        let worker = PathBuf::from(words.next().expect("the worker's path"))
            .canonicalize()
            .unwrap();
        let rounds = words
            .next()
            .map_or(200, |word| word.to_str().unwrap().parse().unwrap());
        let base = std::env::temp_dir().canonicalize().unwrap();
        let workspace = base.join(format!("pm-costs-{}", std::process::id()));
        std::fs::create_dir(&workspace).unwrap();
        let all = detect();
        let possible = [("reduced", Tier::Reduced), ("full", Tier::Full)];
        let tiers = possible.map(|(name, tier)| (name, all.clone().only(tier), tier));
        let world = World {
            worker,
            workspace: workspace.clone(),
            launcher: Launcher::start().unwrap(),
            tiers: tiers
                .into_iter()
                .filter(|(_, facts, tier)| facts.tier() == *tier)
                .map(|(name, facts, _)| (name, facts))
                .collect(),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let report = runtime.block_on(async {
            json!({
                "rounds": rounds,
                "groups": all.cgroups.len(),
                "spawn": spawns(&world, rounds).await,
                "ends": ends(&world).await,
                "at_once": at_once(&world).await,
            })
        });
        std::fs::remove_dir_all(&workspace).unwrap();
        println!("{report}");
    }

    const SPAWNED: &str = "echo out; echo err >&2; exit 7";

    async fn spawns(world: &World, rounds: usize) -> Value {
        let mut report = Map::new();
        for (name, facts) in &world.tiers {
            let (mut plain, mut walled, mut over) = (Vec::new(), Vec::new(), Vec::new());
            // The first round pays for what is then in memory.
            for round in 0..=rounds {
                let (answer, without) = without(world, SPAWNED).await;
                let (same, with) = behind(world, facts, SPAWNED).await;
                assert_eq!(same, answer, "{name} answers what the plain command answers");
                if round > 0 {
                    plain.push(without);
                    walled.push(with);
                    over.push(with - without);
                }
            }
            let row = json!({"plain": spread(plain), "time": spread(walled), "over_plain": spread(over)});
            report.insert((*name).into(), row);
        }
        report.into()
    }

    async fn without(world: &World, text: &str) -> (Answer, f64) {
        let begin = Instant::now();
        let mut command = tokio::process::Command::new("/bin/sh");
        command.args(["-c", text]).current_dir(&world.workspace);
        let output = command.stdin(std::process::Stdio::null()).output().await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_owned()).unwrap();
        let code = output
            .status
            .code()
            .unwrap_or_else(|| 128 + output.status.signal().unwrap());
        (
            (code, text(&output.stdout), text(&output.stderr)),
            millis(begin.elapsed()),
        )
    }

    async fn behind(world: &World, facts: &Facts, text: &str) -> (Answer, f64) {
        let begin = Instant::now();
        let outcome = run(world, facts, text, Duration::from_secs(300)).await;
        let took = millis(begin.elapsed());
        assert_eq!(
            (outcome.ended, outcome.swept),
            (Ended::Exited, true),
            "{outcome:?}"
        );
        (
            (outcome.exit_code, outcome.stdout.text(), outcome.stderr.text()),
            took,
        )
    }

    async fn run(world: &World, facts: &Facts, text: &str, limit: Duration) -> sandbox::Outcome {
        let policy = CommandPolicy::new(&world.worker, &world.workspace, Run::Shell(text.into()));
        let watching = Watching {
            limit: Some(limit),
            ..Watching::default()
        };
        let prepared = prepare_command(&policy, facts).unwrap();
        let mut running = world.launcher.run(prepared, watching).await.unwrap();
        running.wait().await.unwrap()
    }

    /// Each leaves processes behind in its own way. `$1` names them.
    const SURVIVORS: &[(&str, &str)] = &[
        ("in front", "sleep $1; true"),
        ("nohup", "nohup sleep $1 >/dev/null 2>&1 & sleep $1"),
        ("setsid", "setsid sleep $1 & sleep $1"),
        (
            "double fork",
            "(setsid sh -c \"sleep $1 & exec sleep $1\" &); sleep $1",
        ),
        (
            "deaf",
            "trap '' TERM HUP INT; setsid nohup sleep $1 & while :; do sleep $1; done",
        ),
    ];
    const LIMIT: Duration = Duration::from_millis(150);
    const ENDINGS: usize = 10;

    async fn ends(world: &World) -> Value {
        let mut mark = 100_000_000 + u64::from(std::process::id()) * 1000;
        let mut report = Map::new();
        let mut left = 0;
        for (_, text) in SURVIVORS {
            mark += 1;
            left += group_killed(world, text, mark).await;
        }
        report.insert("plain_left_alive".into(), left.into());
        for (name, facts) in &world.tiers {
            let mut times = Vec::new();
            for (what, text) in SURVIVORS {
                for _ in 0..ENDINGS {
                    mark += 1;
                    let outcome = run(world, facts, &marked(text, mark), LIMIT).await;
                    assert!(
                        outcome.ended == Ended::TimedOut && outcome.swept,
                        "{what}: {outcome:?}"
                    );
                    assert_eq!(of_mark(mark), [0u32; 0], "{name}, {what}: something lives");
                    times.push(millis(outcome.killing.unwrap()));
                }
            }
            report.insert((*name).into(), spread(times));
        }
        report.into()
    }

    fn marked(text: &str, mark: u64) -> String {
        text.replace("$1", &mark.to_string())
    }

    /// What one would do without a sandbox: the command's process group is killed at the limit. How
    /// many live on; then they are killed, too.
    async fn group_killed(world: &World, text: &str, mark: u64) -> usize {
        let mut command = tokio::process::Command::new("/bin/sh");
        command
            .args(["-c", &marked(text, mark)])
            .current_dir(&world.workspace);
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        let mut child = command.process_group(0).spawn().unwrap();
        let pid = i32::try_from(child.id().unwrap()).unwrap();
        tokio::time::sleep(LIMIT).await;
        let group = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        child.wait().await.unwrap();
        let left = of_mark(mark);
        for pid in &left {
            let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        left.len()
    }

    /// Processes that run with the mark among their arguments.
    fn of_mark(mark: u64) -> Vec<u32> {
        let (mark, mut found) = (mark.to_string(), Vec::new());
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let named = line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes());
            if let (true, Some(pid)) = (named, number(&entry.path())) {
                found.push(pid);
            }
        }
        found
    }

    fn number(path: &Path) -> Option<u32> {
        path.file_name()?.to_str()?.parse().ok()
    }

    const MANY: usize = 200;

    async fn at_once(world: &World) -> Value {
        let texts: Vec<_> = (0..MANY)
            .map(|n| format!("echo {n} | cat; echo $(({n} * 2)) >&2; exit {}", n % 256))
            .collect();
        let mut report = Map::new();
        let begin = Instant::now();
        let answers = join_all(
            texts
                .iter()
                .map(|text| async move { without(world, text).await.0 }),
        )
        .await;
        report.insert("plain".into(), millis(begin.elapsed()).into());
        for (name, facts) in &world.tiers {
            let begin = Instant::now();
            let each = texts
                .iter()
                .map(|text| async move { behind(world, facts, text).await.0 });
            let walled = join_all(each).await;
            let took = millis(begin.elapsed());
            assert_eq!(
                walled, answers,
                "{name}: all answer what the plain commands answer"
            );
            report.insert((*name).into(), took.into());
        }
        report.insert("commands".into(), MANY.into());
        report.into()
    }

    fn millis(time: Duration) -> f64 {
        time.as_secs_f64() * 1e3
    }

    fn spread(mut times: Vec<f64>) -> Value {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() as f64 * share).ceil() as usize).max(1) - 1];
        json!({ "p50": at(0.5), "p95": at(0.95), "most": at(1.0), "count": times.len() })
    }
}
