//! Teams: ours, and the person's own, which go before ours of the same name.

use crate::app::App;
use crate::words::worded;
use crate::work::blocking;
use agents::society::team::{BUILT_IN, FILE, Team, built_in};
use base::{DataHome, Failure, Lang};
use std::collections::BTreeMap;
use std::io;
use wire::{SocietyTeam, SocietyTeamRef, SocietyTeams, Text};

/// Files that are looked at.
const MOST: usize = 200;
const NAME: usize = 60;

/// The text of a team, and whether it is the person's own.
struct Found {
    text: String,
    file: Option<String>,
}

/// Blocks.
fn all(home: &DataHome, lang: Lang) -> Result<BTreeMap<String, Found>, Failure> {
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for name in BUILT_IN {
        let text = built_in(name, lang).unwrap_or_default().to_owned();
        found.insert(name.to_owned(), Found { text, file: None });
    }
    let folder = home.teams();
    let failed = |error: io::Error| {
        Failure::new("society_teams_io")
            .with("path", "society")
            .with("reason", error.to_string())
    };
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(failed(error)),
    };
    for entry in entries.take(MOST) {
        let entry = entry.map_err(failed)?;
        let file = entry.file_name().to_string_lossy().into_owned();
        let name = file.strip_suffix(".yaml").or_else(|| file.strip_suffix(".yml"));
        let Some(name) = name.filter(|name| is_name(name)) else {
            continue;
        };
        let size = entry.metadata().map_err(failed)?.len();
        let text = match size > FILE as u64 {
            // Read, it is told to be too large.
            true => " ".repeat(FILE + 1),
            false => std::fs::read_to_string(entry.path()).map_err(failed)?,
        };
        let file = Some(format!("society/{file}"));
        found.insert(name.to_owned(), Found { text, file });
    }
    Ok(found)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= NAME && !name.starts_with('.')
}

async fn read(app: &App) -> Result<BTreeMap<String, Found>, Failure> {
    let (home, lang) = (app.inner.home.clone(), app.lang());
    blocking(move || all(&home, lang)).await?
}

async fn one(app: &App, name: &str) -> Result<Found, Failure> {
    let found = read(app).await?.remove(name);
    found.ok_or_else(|| Failure::new("society_unknown_team").with("team", base::text::cut(name, NAME)))
}

pub(super) async fn named(app: &App, name: &str) -> Result<Team, Failure> {
    Team::read(name, &one(app, name).await?.text)
}

pub(in super::super) async fn team(app: &App, params: SocietyTeamRef) -> Result<Text, Failure> {
    let Found { text, .. } = one(app, &params.team).await?;
    Ok(Text { text })
}

pub(in super::super) async fn teams(app: &App) -> Result<SocietyTeams, Failure> {
    let lang = app.lang();
    let teams = read(app).await?.into_iter().map(|(name, Found { text, file })| {
        let (team, failure) = match Team::read(&name, &text) {
            Ok(team) => (Some(team), None),
            Err(failure) => (None, Some(worded(&failure, lang))),
        };
        let roles = team.iter().flat_map(|team| &team.roles);
        SocietyTeam {
            roles: roles.map(|role| role.name.clone()).collect(),
            title: team
                .as_ref()
                .map_or_else(|| name.clone(), |team| team.title.clone()),
            description: team.map(|team| team.description).unwrap_or_default(),
            name,
            file,
            failure,
        }
    });
    Ok(SocietyTeams {
        teams: teams.collect(),
    })
}
