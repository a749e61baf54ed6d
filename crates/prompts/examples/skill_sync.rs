//! Syncs for as long as it lives: what the tests kill. Edits a skill and turns clients on and off
//! between, and says each phase as it begins. `skill_sync ROOT`

use base::settings::SkillWay;
use prompts::Expected;
use prompts::skills::{Phase, Places, SkillError, SkillName, Skills, Target};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(root) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("skill_sync ROOT");
        return ExitCode::from(2);
    };
    match sync(&root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}

fn sync(root: &Path) -> Result<(), SkillError> {
    let skills = Skills::open(Places {
        skills: root.join("home/skills"),
        history: root.join("home/history/.skills"),
        trash: root.join("home/trash/skills"),
        placed: root.join("home/clients/skills.json"),
    })?;
    let target = |client: &str, way| Target {
        client: client.to_owned(),
        folder: root.join(client).join("skills"),
        way,
    };
    let pdf = SkillName::parse("pdf")?;
    let mut round = 0_u32;
    loop {
        round += 1;
        // What is at a client comes, follows an edit, changes its way, and goes.
        let (copies, links) = match round % 3 {
            0 => (SkillWay::Link, SkillWay::Copy),
            _ => (SkillWay::Copy, SkillWay::Link),
        };
        let targets = match round % 4 {
            3 => Vec::new(),
            _ => vec![target("copies", copies), target("links", links)],
        };
        let text = format!("---\nname: pdf\ndescription: about\n---\n<{round}>\n");
        skills.save(&pdf, &text, &Expected::Anything)?;
        skills.sync(&targets, &BTreeSet::new(), &said)?;
    }
}

fn said(phase: Phase) {
    let mut out = std::io::stdout().lock();
    // Nobody listens: then nobody kills either.
    if writeln!(out, "{phase:?}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
