//! The process that forks commands of the reduced tier. Alone in its program, one test after the other: it
//! is told from those of other tests by being the only one there is.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

mod support;

use rustix::process::{Pid, PidfdFlags, Signal};
use sandbox::{Launcher, Tier, Walls, Watching, prepare_command};
use std::time::{Duration, Instant};
use support::lab::Lab;
use support::{Who, facts};
use tokio::sync::Mutex;

static ALONE: Mutex<()> = Mutex::const_new(());

fn servers() -> Vec<Pid> {
    let own = std::process::id().to_string();
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let server = |number: &i32| -> Option<bool> {
        let line = std::fs::read(format!("/proc/{number}/cmdline")).ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let lives = fields.next()? != "Z";
        let ours = fields.next()? == own;
        let named = line.split(|byte| *byte == 0).any(|word| word == b"--fork-server");
        Some(lives && ours && named)
    };
    numbers
        .filter(|number| server(number) == Some(true))
        .filter_map(Pid::from_raw)
        .collect()
}

#[tokio::test]
async fn one_that_somebody_killed_is_replaced_and_takes_no_command_with_it() {
    let _alone = ALONE.lock().await;
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    assert_eq!(servers(), []);
    let answer = lab
        .run(&launcher, Tier::Reduced, "echo one", Watching::default())
        .await;
    assert_eq!(answer.stdout.text(), "one\n");
    let [server] = servers()[..] else {
        panic!("{:?}", servers());
    };

    let text = "echo here; : > ready; while [ ! -e go ]; do sleep 0.01; done; echo still";
    let prepared = prepare_command(&lab.policy(text), &facts(Tier::Reduced)).unwrap();
    let mut running = launcher.run(prepared, Watching::default()).await.unwrap();
    lab.made("ready").await;
    let held = rustix::process::pidfd_open(server, PidfdFlags::empty()).unwrap();
    rustix::process::pidfd_send_signal(&held, Signal::KILL).unwrap();
    // Collected by its owner's next look at it, which is the next command's.
    let mut ended = [rustix::event::PollFd::new(&held, rustix::event::PollFlags::IN)];
    assert_eq!(rustix::event::poll(&mut ended, None).unwrap(), 1);

    let answer = lab
        .run(&launcher, Tier::Reduced, "echo two", Watching::default())
        .await;
    assert_eq!(answer.stdout.text(), "two\n");
    std::fs::write(lab.workspace().join("go"), "").unwrap();
    let outcome = running.wait().await.unwrap();
    assert_eq!((outcome.exit_code, outcome.swept), (0, true), "{outcome:?}");
    assert_eq!(outcome.stdout.text(), "here\nstill\n");
    launcher.shut_down();
    until(|| servers().is_empty()).await;
}

#[tokio::test]
async fn it_is_there_for_the_proof_and_goes_when_another_tier_won() {
    let _alone = ALONE.lock().await;
    let lab = Lab::new(Who::Oneself);
    for (best, stays) in [(Tier::Full, 0), (Tier::Reduced, 1)] {
        let launcher = Launcher::start().unwrap();
        let walls = Walls::promised(launcher.clone(), facts(best), lab.program());
        assert_eq!(walls.tier().await, best);
        let tried = walls.every_tier().await.tiers.iter().map(|tier| tier.tier);
        assert!(tried.collect::<Vec<_>>().contains(&Tier::Reduced));
        // Behind the word that settles it in the launcher's line.
        let answer = lab
            .run(&launcher, best, "echo in line", Watching::default())
            .await;
        assert_eq!(answer.stdout.text(), "in line\n");
        until(|| servers().len() == stays).await;
        if best == Tier::Full {
            let answer = lab
                .run(&launcher, Tier::Reduced, "echo again", Watching::default())
                .await;
            assert_eq!((answer.stdout.text().as_str(), servers().len()), ("again\n", 1));
        }
        launcher.shut_down();
        until(|| servers().is_empty()).await;
    }
}

/// A killed process is there until the kernel has ended it.
async fn until(holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", servers());
        tokio::task::yield_now().await;
    }
}
