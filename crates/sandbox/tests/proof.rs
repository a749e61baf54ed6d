//! Walls are used when they held, and no others: a real hole in the better ones, found by the proof.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

mod support;

use base::Coded;
use sandbox::{Facts, Launcher, Namespaces, SystemPath, Tier, Walls, Weaker, prepare};
use std::path::{Path, PathBuf};
use support::lab::Lab;
use support::{TIERS, Who, World, facts};

fn walls(facts: Facts, program: PathBuf) -> Walls {
    Walls::promised(Launcher::start().unwrap(), facts, program)
}

/// bubblewrap, but the network stays the host's; as many times as it is started a line is written.
fn without_a_network_wall(folder: &Path) -> Facts {
    let place = folder.join("bwrap");
    let real = facts(Tier::Full);
    let Namespaces::Work { bwrap } = &real.namespaces else {
        panic!("{real:?}")
    };
    let text = format!(
        "#!/bin/bash\necho >> '{}/starts'\noptions=()\nwhile [ \"$1\" != -- ]; do options+=(\"$1\"); shift; done\n\
         exec '{}' \"${{options[@]}}\" --share-net \"$@\"\n",
        folder.display(),
        bwrap.display()
    );
    support::script(&place, &text);
    Facts {
        namespaces: Namespaces::Work { bwrap: place },
        ..real
    }
}

#[tokio::test]
async fn the_better_tier_is_proved_and_used_and_the_other_tried_for_who_asks() {
    let lab = Lab::new(Who::Oneself);
    let walls = walls(facts(Tier::Full), lab.program());
    let tiers = |proof: &sandbox::Proof| Vec::from_iter(proof.tiers.iter().map(|tier| tier.tier));
    assert_eq!(tiers(walls.proof().await), [Tier::Full]);
    let proof = walls.every_tier().await;
    assert_eq!(tiers(proof), TIERS, "{proof:#?}");
    for tier in &proof.tiers {
        assert!(tier.proved(), "{proof:#?}");
        let names: Vec<_> = tier.checks.iter().map(|check| check.name).collect();
        let canaries = names.iter().filter(|name| name.contains("canary"));
        assert_eq!(canaries.count(), 4, "a worker's and a command's: {names:?}");
    }
    assert_eq!((proof.tier(), proof.fallen().count()), (Tier::Full, 0));
    assert_eq!(
        walls.facts().await,
        &facts(Tier::Full),
        "what was promised stands"
    );
}

#[tokio::test]
async fn a_hole_in_the_better_walls_leaves_the_others() {
    let lab = Lab::new(Who::Oneself);
    let promised = without_a_network_wall(lab.root());
    assert_eq!(promised.tier(), Tier::Full, "the host promises it");
    let walls = walls(promised.clone(), lab.program());
    // Two who ask at once have one proof made.
    let (facts, _) = tokio::join!(walls.facts(), walls.tier());
    assert_eq!((facts.tier(), facts.unproved), (Tier::Reduced, true), "{facts:?}");
    assert!(facts.weaker().contains(&Weaker::Unproved));
    let proof = walls.proof().await;
    let fallen: Vec<_> = proof.fallen().map(|tier| (tier.tier, tier.failed())).collect();
    assert_eq!(
        fallen,
        [(Tier::Full, vec!["command_canary_connect"])],
        "{proof:#?}"
    );
    let starts = std::fs::read_to_string(lab.root().join("starts")).unwrap();
    assert_eq!(starts.lines().count(), 2, "a worker and a command");
    // The hole is real: what is not asked before goes through it.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let text = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{}",
        listener.local_addr().unwrap().port()
    );
    let mut policy = lab.policy("");
    policy.run = sandbox::Run::Program(vec!["/bin/bash".into(), "-c".into(), text.into()]);
    for (facts, code) in [(&promised, 0), (facts, 1)] {
        let prepared = sandbox::prepare_command(&policy, facts).unwrap();
        let mut running = walls.launcher().run(prepared, Default::default()).await.unwrap();
        assert_eq!(
            running.wait().await.unwrap().exit_code,
            code,
            "{:?}",
            facts.tier()
        );
    }
}

#[tokio::test]
async fn where_nothing_held_nothing_is_started() {
    let (lab, world) = (Lab::new(Who::Oneself), World::new(Who::Oneself));
    let mut holed = facts(Tier::Full);
    // The canaries lie there.
    holed.system.push(SystemPath::Folder("/etc".into()));
    let silent = |path: &str| walls(facts(Tier::Full), path.into());
    for (name, walls) in [
        ("read", walls(holed, lab.program())),
        ("no answer", silent("/usr/bin/true")),
        ("no program", silent("/nonexistent")),
    ] {
        let proof = walls.proof().await;
        assert_eq!(proof.tier(), Tier::None, "{name}: {proof:#?}");
        assert_eq!(proof.fallen().count(), 2, "{name}");
        let refused = sandbox::prepare_command(&lab.policy("true"), walls.facts().await).unwrap_err();
        assert_eq!(refused.code(), "sandbox_unavailable", "{name}");
        let policy = support::policy(&world, &[]);
        let refused = prepare(&policy, walls.facts().await).unwrap_err();
        assert_eq!(refused.code(), "sandbox_unavailable", "{name}");
        let refused = walls.start(&policy).await.unwrap_err();
        assert_eq!(refused.code(), "sandbox_unavailable", "{name}");
    }
}

/// The hole here is none for workers, who have no sockets at all; a command finds it.
#[tokio::test]
async fn the_first_worker_tries_its_walls_itself() {
    let (lab, world) = (Lab::new(Who::Oneself), World::new(Who::Oneself));
    let walls = walls(without_a_network_wall(lab.root()), lab.program());
    let starts = || {
        std::fs::read_to_string(lab.root().join("starts"))
            .unwrap()
            .lines()
            .count()
    };
    let policy = support::policy(&world, &[]);
    for begun in 1..=2 {
        let child = walls.start(&policy).await.unwrap();
        assert_eq!(
            (child.tier(), starts()),
            (Tier::Full, begun),
            "and nothing else was started"
        );
    }
    assert_eq!(walls.proof().await.tier(), Tier::Reduced);
    let child = walls.start(&policy).await.unwrap();
    assert_eq!(child.tier(), Tier::Reduced, "as everything from now on");
}

#[tokio::test]
async fn where_its_walls_do_not_hold_a_worker_gets_those_that_do() {
    let (lab, world) = (Lab::new(Who::Oneself), World::new(Who::Oneself));
    let place = lab.root().join("bwrap");
    support::script(&place, "#!/bin/sh\nexit 1\n");
    let promised = Facts {
        namespaces: Namespaces::Work { bwrap: place },
        ..facts(Tier::Full)
    };
    let walls = walls(promised, lab.program());
    let child = walls.start(&support::policy(&world, &[])).await.unwrap();
    assert_eq!(child.tier(), Tier::Reduced);
    let fallen: Vec<_> = walls.proof().await.fallen().map(|tier| tier.failed()).collect();
    assert_eq!(fallen, [["start", "command_start"]]);
}
