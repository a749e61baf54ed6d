//! `pm skill`: skills and the clients that are given them.

use crate::options::{OnOff, Skill, Switch};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use std::process::ExitCode;
use wire::{
    Client, None, SkillClientChange, SkillCreate, SkillDetail, SkillImport, SkillPlace, SkillQuery, SkillRef,
    SkillResolve, SkillStanding, SkillSwitch, SkillTake, SkillVersionRef, SkillVersions, SkillWay,
};

pub async fn skill(session: &mut Session, verb: Skill, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Skill::List { words } => list(session, words.join(" "), json).await?,
        Skill::Show { skill } => {
            let found = session.read(Client::skill_show, SkillRef { skill }).await?;
            match json {
                true => output::print(&found),
                false => shown(&found),
            }
        }
        Skill::New { skill, description } => {
            let params = SkillCreate { skill, description };
            let made = session.change(Client::skill_create, params).await?;
            match json {
                true => output::print(&made),
                false => output::line(&made.folder),
            }
        }
        Skill::Import { source } => {
            let source = std::path::absolute(&source)
                .map_err(|error| Failed::Usage(format!("{}: {error}", source.display())))?
                .display()
                .to_string();
            let done = session
                .change(Client::skill_import, SkillImport { source })
                .await?;
            if json {
                output::print(&done);
            } else {
                for one in &done.skills {
                    let (what, outcome) = match (&one.problem, &one.skill) {
                        (Some(problem), _) => ("not", problem.message.as_str()),
                        (Option::None, skill) if one.same => ("same", skill.as_deref().unwrap_or_default()),
                        (Option::None, skill) => ("new", skill.as_deref().unwrap_or_default()),
                    };
                    output::line(&format!("{what:5} {}  {}", tame(&one.source), tame(outcome)));
                }
            }
            if done.skills.iter().any(|one| one.problem.is_some()) {
                return Ok(ExitCode::FAILURE);
            }
        }
        Skill::Remove { skill } => {
            let kept = session.change(Client::skill_remove, SkillRef { skill }).await?;
            match json {
                true => output::print(&kept),
                false => output::line(&kept.version),
            }
        }
        Skill::History { skill } => {
            let found = match skill {
                Some(skill) => session.read(Client::skill_versions, SkillRef { skill }).await?,
                Option::None => session.read(Client::skill_removed, None {}).await?,
            };
            versions(&found, json);
        }
        Skill::Restore { skill, version } => {
            let params = SkillVersionRef { skill, version };
            let restored = session.change(Client::skill_restore, params).await?;
            if json {
                output::print(&restored);
            }
        }
        Skill::Switch { skill, to } => {
            let enabled = to == OnOff::On;
            let done = session
                .change(Client::skill_switch, SkillSwitch { skill, enabled })
                .await?;
            if json {
                output::print(&done);
            }
        }
        Skill::Sync => return sync(session, json).await,
        Skill::Resolve {
            skill,
            client,
            ours,
            theirs,
            ..
        } => {
            let take = match (ours, theirs) {
                (true, _) => SkillTake::Ours,
                (_, true) => SkillTake::Theirs,
                (false, false) => SkillTake::Leave,
            };
            let params = SkillResolve { skill, client, take };
            let done = session.change(Client::skill_resolve, params).await?;
            match json {
                true => output::print(&done),
                false => done.places.iter().for_each(|one| place(&done.row.skill, one)),
            }
        }
        Skill::Clients { client, to } => clients(session, client.zip(to), json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(session: &mut Session, words: String, json: bool) -> Result<(), Failed> {
    let found = session.read(Client::skill_list, SkillQuery { words }).await?;
    if json {
        output::print(&found);
        return Ok(());
    }
    for row in &found.skills {
        let mut marks = String::new();
        if !row.enabled {
            marks.push_str("  (off)");
        }
        if row.problems > 0 {
            marks.push_str(&format!("  (problems: {})", row.problems));
        }
        if row.conflicts > 0 {
            marks.push_str(&format!("  (conflicts: {})", row.conflicts));
        }
        output::line(&format!(
            "{:<24}{marks}  {}",
            tame(&row.skill),
            tame(&row.description)
        ));
    }
    Ok(())
}

fn shown(found: &SkillDetail) {
    output::line(found.text.trim_end());
    for problem in &found.problems {
        output::aside(&format!(
            "pm: {}:{}: {}",
            found.folder,
            problem.line,
            tame(&problem.problem.message)
        ));
    }
    for one in &found.places {
        output::aside(&format!(
            "pm: {}  {}  {}",
            one.client,
            standing(one.standing),
            tame(&one.path)
        ));
    }
}

async fn sync(session: &mut Session, json: bool) -> Result<ExitCode, Failed> {
    let done = session.change(Client::skill_sync, None {}).await?;
    match json {
        true => output::print(&done),
        false => done.places.iter().for_each(|one| place(&one.skill, &one.place)),
    }
    let open = done.places.iter().any(|one| match one.place.standing {
        SkillStanding::Theirs | SkillStanding::Both | SkillStanding::Occupied | SkillStanding::Failed => true,
        SkillStanding::Waiting | SkillStanding::Linked | SkillStanding::Copied | SkillStanding::Left => false,
    });
    Ok(if open {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn place(skill: &str, place: &SkillPlace) {
    let stands = standing(place.standing);
    output::line(&format!(
        "{stands:<9} {:<12}  {}  {}",
        place.client,
        tame(skill),
        tame(&place.path)
    ));
    if let Some(problem) = &place.problem {
        output::aside(&format!("pm: {}", tame(&problem.message)));
    }
}

fn standing(standing: SkillStanding) -> &'static str {
    match standing {
        SkillStanding::Waiting => "waiting",
        SkillStanding::Linked => "linked",
        SkillStanding::Copied => "copied",
        SkillStanding::Theirs => "theirs",
        SkillStanding::Both => "both",
        SkillStanding::Occupied => "occupied",
        SkillStanding::Left => "left",
        SkillStanding::Failed => "failed",
    }
}

async fn clients(session: &mut Session, change: Option<(String, Switch)>, json: bool) -> Result<(), Failed> {
    let found = match change {
        Some((client, to)) => {
            let way = match to {
                Switch::On => SkillWay::Link,
                Switch::Copy => SkillWay::Copy,
                Switch::Off => SkillWay::Off,
            };
            session
                .change(Client::skill_client, SkillClientChange { client, way })
                .await?
        }
        Option::None => session.read(Client::skill_clients, None {}).await?,
    };
    if json {
        output::print(&found);
        return Ok(());
    }
    for one in &found.clients {
        let way = match one.way {
            SkillWay::Off => "off",
            SkillWay::Link => "on",
            SkillWay::Copy => "copy",
        };
        let counts = format!("{} skills, {} conflicts", one.skills, one.conflicts);
        output::line(&format!(
            "{:<12}  {way:<4}  {counts:<24}  {}",
            one.client, one.folder
        ));
    }
    Ok(())
}

fn versions(found: &SkillVersions, json: bool) {
    if json {
        output::print(found);
        return;
    }
    for version in &found.versions {
        let at = base::clock::iso_local(version.replaced as i64);
        let was = version.was.as_deref().unwrap_or("text");
        output::line(&format!(
            "{:<32}  {at}  {was:<12}  {}",
            version.version,
            tame(&version.skill)
        ));
    }
}
