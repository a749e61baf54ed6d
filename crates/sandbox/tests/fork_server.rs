//! The process that forks commands of the reduced tier. Alone in its program: it is told from those of
//! other tests by being the only one there is.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

mod support;

use rustix::process::{Pid, PidfdFlags, Signal};
use sandbox::{Launcher, Tier, Watching, prepare_command};
use support::lab::Lab;
use support::{Who, facts};

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
}
