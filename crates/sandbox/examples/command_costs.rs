//! What a command costs: `cargo run --release -p sandbox --example command_costs`.
//! Prints JSON: milliseconds from the call to the answer, plain and in each tier, from the limit to
//! the last process dead, and for many commands at once.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "measures plain starts as well"
)]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use sandbox::confine::{self, Entered};
    use sandbox::{CommandPolicy, Facts, Launcher, Run, Tier, Watching, detect, prepare_command};
    use std::path::Path;
    use std::process::ExitCode;
    use std::time::{Duration, Instant};

    pub fn main() -> ExitCode {
        if std::env::args_os()
            .nth(1)
            .is_some_and(|first| first == confine::FLAG)
        {
            return match confine::enter(std::env::args_os().skip(1)) {
                Ok(Entered::Done(code)) => code,
                Ok(Entered::Work(_)) => ExitCode::FAILURE,
                Err(error) => {
                    eprintln!("{}", base::failure::chain(&error));
                    ExitCode::from(confine::EXIT_NO_WALL)
                }
            };
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(measure());
        ExitCode::SUCCESS
    }

    const ROUNDS: usize = 200;

    async fn measure() {
        let workspace = std::env::temp_dir()
            .canonicalize()
            .unwrap()
            .join(format!("pm-costs-{}", std::process::id()));
        std::fs::create_dir(&workspace).unwrap();
        let launcher = Launcher::start().unwrap();
        let all = detect();
        let mut report = serde_json::Map::new();
        report.insert("cgroups".into(), serde_json::to_value(&all.cgroups).unwrap());
        let mut plain = Vec::new();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let mut command = tokio::process::Command::new("/bin/sh");
            let output = command
                .args(["-c", "true"])
                .current_dir(&workspace)
                .output()
                .await
                .unwrap();
            assert!(output.status.success());
            plain.push(begin.elapsed());
        }
        report.insert("plain".into(), spread(plain));
        let without_groups = Facts {
            cgroups: Vec::new(),
            ..all.clone()
        };
        for (name, facts) in [
            ("reduced", all.clone().only(Tier::Reduced)),
            ("full", all.clone()),
            (
                "reduced_without_cgroups",
                without_groups.clone().only(Tier::Reduced),
            ),
            ("full_without_cgroups", without_groups),
        ] {
            let mut times = Vec::new();
            for _ in 0..ROUNDS {
                times.push(once(&launcher, &facts, &workspace, "true", None).await.0);
            }
            report.insert(name.into(), spread(times));
        }
        for (name, facts) in [
            ("reduced", all.clone().only(Tier::Reduced)),
            ("full", all.clone()),
        ] {
            let text =
                "trap '' TERM; setsid nohup sleep 1000 & (sh -c 'sleep 1000 & sleep 1000' &); sleep 1000";
            let mut times = Vec::new();
            for _ in 0..50 {
                let limit = Some(Duration::from_millis(60));
                times.push(once(&launcher, &facts, &workspace, text, limit).await.1.unwrap());
            }
            report.insert(format!("{name}_from_limit_to_dead"), spread(times));
            let begin = Instant::now();
            let mut commands = tokio::task::JoinSet::new();
            for _ in 0..200 {
                let (launcher, facts, workspace) = (launcher.clone(), facts.clone(), workspace.clone());
                commands.spawn(async move { once(&launcher, &facts, &workspace, "echo x", None).await.0 });
            }
            let times = commands.join_all().await;
            report.insert(format!("{name}_200_at_once"), spread(times));
            report.insert(
                format!("{name}_200_at_once_all"),
                (begin.elapsed().as_secs_f64() * 1e3).into(),
            );
        }
        std::fs::remove_dir_all(&workspace).unwrap();
        println!("{}", serde_json::to_string_pretty(&report).unwrap());
    }

    async fn once(
        launcher: &Launcher,
        facts: &Facts,
        workspace: &Path,
        text: &str,
        limit: Option<Duration>,
    ) -> (Duration, Option<Duration>) {
        let program = std::env::current_exe().unwrap().canonicalize().unwrap();
        let policy = CommandPolicy::new(program, workspace, Run::Shell(text.into()));
        let begin = Instant::now();
        let watching = Watching {
            limit,
            ..Watching::default()
        };
        let mut running = launcher
            .run(prepare_command(&policy, facts).unwrap(), watching)
            .await
            .unwrap();
        let outcome = running.wait().await.unwrap();
        assert!(limit.is_some() || outcome.exit_code == 0, "{outcome:?}");
        (begin.elapsed(), outcome.killing)
    }

    fn spread(mut times: Vec<Duration>) -> serde_json::Value {
        times.sort();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        serde_json::json!({ "p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "most": at(1.0) })
    }
}
