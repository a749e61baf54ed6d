//! Workers start behind walls that were tried by a worker: not behind better ones that do not stand, and
//! not at all where none held.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use base::Coded;
use runtime::host::Host;
use sandbox::{Facts, Launcher, Namespaces, SystemPath, Walls};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Heard, Home};

const TOOL: &str = "export default { execute: () => 7, getMetadata: () => ({ name: 't' }) }";

/// bubblewrap with one more option, which writes a line as often as it is started.
fn wrapped(folder: &Path, option: &str) -> Facts {
    let real = sandbox::detect();
    let Namespaces::Work { bwrap } = &real.namespaces else {
        panic!("{real:?}")
    };
    let (place, bwrap) = (folder.join("bwrap"), bwrap.display());
    let text = format!(
        "#!/bin/bash\necho >> '{}/starts'\noptions=()\nwhile [ \"$1\" != -- ]; do options+=(\"$1\"); shift; done\n\
         exec '{bwrap}' \"${{options[@]}}\" {option} \"$@\"\n",
        folder.display(),
    );
    // By another program: a file open for writing in a test beside this one could not be run.
    let write = "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"";
    let made = Command::new("/bin/sh")
        .args(["-c", write, "sh", &text])
        .arg(&place)
        .status();
    assert!(made.unwrap().success());
    Facts {
        namespaces: Namespaces::Work { bwrap: place },
        ..real
    }
}

fn starts(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("starts")).map_or(0, |text| text.lines().count())
}

fn worker() -> PathBuf {
    Host::start().unwrap().walls().program().to_owned()
}

fn home(facts: Facts) -> Home {
    Home {
        host: Host::with(Walls::promised(Launcher::start().unwrap(), facts, worker())),
        ..Home::new()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_gets_the_walls_that_held() {
    // Workers have no sockets, so that a hole in the network's wall is none for them.
    for (option, begun) in [("--unshare-net", 3), ("--share-net", 3), ("--no-such-option", 0)] {
        let folder = tempfile::tempdir().unwrap();
        let home = home(wrapped(folder.path(), option));
        let spec = home.tool("t", TOOL);
        let heard = Heard::default();
        // The first who comes tries the walls, and the others wait for that.
        let (described, ran, script) = tokio::join!(
            home.host.describe(spec.load.clone(), &spec.home, &heard),
            home.run(&spec, json!({})),
            home.script("return input.n * 2"),
        );
        described.unwrap();
        assert_eq!(
            (ran.unwrap(), script.unwrap().value),
            (json!(7), json!(42)),
            "{option}"
        );
        // Where the first one fails, a worker and a command are tried besides.
        let tried = if begun > 0 { 0 } else { 3 };
        // The script's reserve is started when it likes.
        assert!(
            (tried + begun..=tried + begun + usize::from(begun > 0)).contains(&starts(folder.path())),
            "{option}: {}",
            starts(folder.path())
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_none_held_nothing_is_run() {
    let mut facts = sandbox::detect();
    // The canaries lie there.
    facts.system.push(SystemPath::Folder("/etc".into()));
    let home = home(facts);
    let spec = home.tool("t", TOOL);
    let heard = Heard::default();
    let codes = [
        home.host
            .describe(spec.load.clone(), &spec.home, &heard)
            .await
            .unwrap_err()
            .code(),
        home.run(&spec, json!({})).await.unwrap_err().code(),
        home.script("return 1").await.unwrap_err().code(),
    ];
    assert_eq!(codes, ["sandbox_unavailable"; 3]);
}
