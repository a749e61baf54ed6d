//! Where the host keeps a workspace, the data home and our program is not to be read behind the
//! walls of the full tier. Everything below `/proc` that opens is searched for it, and the same
//! search finds it without walls.
//!
//! One place stays, and is named here: the fourth field of `mountinfo` says which folder of its
//! file system a bind mount shows, and the kernel has no way to keep that from a process that has
//! `/proc` at all. In the reduced tier `/proc` is the host's ([`sandbox::Weaker::ProcessList`]).
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

mod support;

use sandbox::{Launcher, Tier, Watching, prepare_command};
use std::process::Command;
use support::lab::Lab;
use support::{Who, facts};

/// Prints what names the folder: files by their contents, links by their targets. What never ends
/// when it is read, and holds no names, is left out. What is looked for is in a file, because the
/// search can be read in `/proc` as well.
const SEARCH: &str = "\
find $PLACES -type f ! -name pagemap ! -name kcore ! -name mem ! -name kmsg ! -name kpage\\* ! -name trace_pipe \
    -exec grep -slaF -f needle -- {} + 2>/dev/null
find $PLACES -type l -printf '%p -> %l\\n' 2>/dev/null | grep -aF -f needle
echo done";

fn needle(lab: &Lab) -> String {
    let name = lab.root().file_name().unwrap().to_str().unwrap().to_owned();
    std::fs::write(lab.workspace().join("needle"), &name).unwrap();
    name
}

#[test]
fn without_walls_the_search_finds_it() {
    let lab = Lab::new(Who::Oneself);
    needle(&lab);
    let output = Command::new("/bin/sh")
        .args(["-c", &format!("{SEARCH}; :"), lab.root().to_str().unwrap()])
        .env("PLACES", "/proc/self/")
        .current_dir(lab.workspace())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    // `self` is the one that looks: by its folder, by what it was started with.
    assert!(said.contains("/cwd -> "), "{said}");
}

#[tokio::test]
async fn behind_them_only_the_mount_table_says_it() {
    let launcher = Launcher::start().unwrap();
    for landlock in [true, false] {
        let lab = Lab::new(Who::Oneself);
        let name = needle(&lab);
        std::fs::create_dir(lab.root().join("home")).unwrap();
        let mut policy = lab.policy(SEARCH);
        policy.env = vec![("PLACES".into(), "/proc".into())];
        policy.masked = vec![lab.root().join("home")];
        let mut facts = facts(Tier::Full);
        if !landlock {
            facts.landlock = 0;
        }
        let prepared = prepare_command(&policy, &facts).unwrap();
        let mut running = launcher.run(prepared, Watching::default()).await.unwrap();
        let outcome = running.wait().await.unwrap();
        let said = outcome.stdout.text();
        assert!(said.ends_with("done\n"), "{outcome:?}");
        let told: Vec<_> = said
            .lines()
            .filter(|line| *line != "done" && !line.ends_with("/mountinfo"))
            .collect();
        assert!(told.is_empty(), "{name}, landlock {landlock}: {told:#?}");
        assert!(said.contains("/mountinfo"), "the search looks: {said}");
    }
}

/// What the mount table says is where the workspace lies, and nothing else of ours.
#[tokio::test]
async fn the_mount_table_names_the_workspace_alone() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    let name = needle(&lab);
    let text = "grep -F -f needle /proc/self/mountinfo";
    let outcome = lab.run(&launcher, Tier::Full, text, Watching::default()).await;
    let said = outcome.stdout.text();
    let mounts: Vec<_> = said.lines().collect();
    assert!(
        matches!(mounts[..], [line] if line.contains(&format!("{name}/ws /workspace "))),
        "{said}"
    );
    for place in [
        "/proc/mounts",
        "/proc/self/mountstats",
        "/proc/self/status",
        "/proc/1/cmdline",
    ] {
        let outcome = lab
            .run(
                &launcher,
                Tier::Full,
                &format!("grep -aF -f needle {place}"),
                Watching::default(),
            )
            .await;
        assert_eq!(outcome.exit_code, 1, "{place}: {}", outcome.stdout.text());
    }
}
