//! Skills (`prompts::skills`) as calls: values as wire types, files off the async threads. Whatever
//! changes ours or what is turned on is followed by a sync, so that the answer says how things stand.

use super::actor_of;
use crate::app::App;
use crate::skills::{Wanted, with};
use crate::words::worded;
use ::prompts::Expected;
use ::prompts::skills::{
    CLIENTS, Client, Detail, Kept, Outcome, Place, Replaced, Side, Skill, SkillName, Standing, Take,
};
use base::settings::SkillWay as Way;
use base::{Failure, Lang, Settings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use store::AuditEntry;
use wire::{
    Caller, Done, FileView, ImportedSkill, SkillClient, SkillClientChange, SkillClients, SkillCreate,
    SkillDetail, SkillDifference, SkillDifferences, SkillField, SkillFile, SkillFileRef, SkillImport,
    SkillImports, SkillList, SkillPlace, SkillPlaceRef, SkillProblem, SkillQuery, SkillRef, SkillResolve,
    SkillRow, SkillSave, SkillSide, SkillStanding, SkillSwitch, SkillTake, SkillVersion, SkillVersionKind,
    SkillVersionRef, SkillVersions, SkillWay, SkillsSynced, SyncedSkill, Text,
};

/// Of a file that is shown, as of the files of tools.
const SHOWN: u64 = 256 * 1024;

pub(super) async fn list(app: &App, query: SkillQuery) -> Result<SkillList, Failure> {
    with(app, move |skills, wanted| {
        let places = skills.places(&wanted.targets, &wanted.off)?;
        let all = skills.list()?;
        let words: Vec<String> = query.words.split_whitespace().map(str::to_lowercase).collect();
        let fits = |skill: &&Skill| {
            let text = format!("{} {}", skill.name, skill.front.description).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        Ok(SkillList {
            all: count(all.len()),
            skills: all
                .iter()
                .filter(fits)
                .map(|skill| row(skill, wanted, &places))
                .collect(),
        })
    })
    .await
}

pub(super) async fn show(app: &App, params: SkillRef) -> Result<SkillDetail, Failure> {
    let name = SkillName::parse(&params.skill)?;
    shown(app, name).await
}

async fn shown(app: &App, name: SkillName) -> Result<SkillDetail, Failure> {
    let lang = app.lang();
    let home = app.inner.home.clone();
    with(app, move |skills, wanted| {
        let detail = skills.get(&name)?;
        let mut places = skills.places(&wanted.targets, &wanted.off)?;
        places.retain(|place| place.skill == name);
        let folder = home.display(&home.skills().join(name.as_str()));
        Ok(wire_detail(detail, folder, wanted, places, lang))
    })
    .await
}

pub(super) async fn file(app: &App, params: SkillFileRef) -> Result<FileView, Failure> {
    let name = SkillName::parse(&params.skill)?;
    with(app, move |skills, _| {
        let head = skills.head(&name, &params.path, SHOWN)?;
        let truncated = head.size > head.bytes.len() as u64;
        Ok(FileView {
            path: params.path,
            size: head.size as f64,
            modified: head.modified as f64,
            text: text_of(head.bytes, truncated),
            truncated,
            masked: false,
        })
    })
    .await
}

/// The beginning of a file may end within a character.
fn text_of(bytes: Vec<u8>, truncated: bool) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if truncated && error.utf8_error().error_len().is_none() => {
            let whole = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(whole);
            String::from_utf8(bytes).ok()
        }
        Err(_) => None,
    }
}

pub(super) async fn create(app: &App, params: SkillCreate) -> Result<SkillDetail, Failure> {
    let lang = app.lang();
    let made = with(app, move |skills, _| {
        skills.create(&params.skill, &params.description, lang)
    })
    .await?;
    after(app, made.skill.name).await
}

pub(super) async fn save(app: &App, params: SkillSave) -> Result<SkillDetail, Failure> {
    let name = SkillName::parse(&params.skill)?;
    let expected = params.expected.map_or(Expected::Anything, Expected::Version);
    let saved = with(app, move |skills, _| skills.save(&name, &params.text, &expected)).await?;
    after(app, saved.skill.name).await
}

/// Ours is changed: the clients have it, or the answer says why not.
async fn after(app: &App, name: SkillName) -> Result<SkillDetail, Failure> {
    app.sync_skills().await?;
    shown(app, name).await
}

pub(super) async fn import(app: &App, params: SkillImport) -> Result<SkillImports, Failure> {
    let lang = app.lang();
    let source = app.inner.home.expand(&params.source)?;
    let done = with(app, move |skills, _| skills.import(&source)).await?;
    app.sync_skills().await?;
    let imported = done.into_iter().map(|one| {
        let (skill, same, problem) = match one.outcome {
            Ok(Outcome::New(name)) => (Some(name.to_string()), false, None),
            Ok(Outcome::Same(name)) => (Some(name.to_string()), true, None),
            Err(error) => (None, false, Some(worded(&Failure::of(&error), lang))),
        };
        ImportedSkill {
            source: one.source.display().to_string(),
            skill,
            same,
            problem,
        }
    });
    Ok(SkillImports {
        skills: imported.collect(),
    })
}

pub(super) async fn remove(app: &App, params: SkillRef) -> Result<SkillVersion, Failure> {
    let name = SkillName::parse(&params.skill)?;
    let removed = name.clone();
    let kept = with(app, move |skills, _| skills.remove(&removed)).await?;
    app.sync_skills().await?;
    Ok(folder_version(&name, &kept))
}

pub(super) async fn switch(app: &App, params: SkillSwitch) -> Result<Done, Failure> {
    let name = SkillName::parse(&params.skill)?;
    let off = name.clone();
    with(app, move |skills, _| skills.get(&name).map(|_| ())).await?;
    change(app, move |fields| {
        let mut list: Vec<Value> = match fields.remove("off") {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        list.retain(|one| one.as_str() != Some(off.as_str()));
        if !params.enabled {
            list.push(off.as_str().into());
        }
        fields.insert("off".to_owned(), Value::Array(list));
    })
    .await?;
    app.sync_skills().await?;
    Ok(Done {})
}

/// Changes `skills` of the settings.
async fn change(
    app: &App,
    edit: impl FnOnce(&mut Map<String, Value>) + Send + 'static,
) -> Result<(), Failure> {
    let _one = app.inner.changing.lock().await;
    let path = app.inner.home.settings();
    let changed = tokio::task::spawn_blocking(move || {
        Settings::change(&path, |fields| {
            let skills = fields.entry("skills").or_insert_with(|| json!({}));
            if let Value::Object(skills) = skills {
                edit(skills);
            }
        })
    });
    changed
        .await
        .map_err(|error| Failure::new("internal").detail(error.to_string()))??;
    Ok(())
}

pub(super) async fn versions(app: &App, params: SkillRef) -> Result<SkillVersions, Failure> {
    let name = SkillName::parse(&params.skill)?;
    with(app, move |skills, _| {
        let versions = skills.versions(&name)?.into_iter().map(|one| match one {
            Replaced::Folder(kept) => folder_version(&name, &kept),
            Replaced::Text(text) => SkillVersion {
                skill: name.to_string(),
                version: text.version,
                kind: SkillVersionKind::Text,
                was: None,
                replaced: text.replaced as f64,
            },
        });
        Ok(SkillVersions {
            versions: versions.collect(),
        })
    })
    .await
}

pub(super) async fn removed(app: &App) -> Result<SkillVersions, Failure> {
    with(app, |skills, _| {
        let removed = skills.removed()?;
        let versions = removed.iter().map(|(name, kept)| folder_version(name, kept));
        Ok(SkillVersions {
            versions: versions.collect(),
        })
    })
    .await
}

pub(super) async fn diff(app: &App, params: SkillVersionRef) -> Result<Text, Failure> {
    let name = SkillName::parse(&params.skill)?;
    let text = with(app, move |skills, _| skills.diff(&name, &params.version)).await?;
    Ok(Text { text })
}

pub(super) async fn restore(app: &App, params: SkillVersionRef) -> Result<SkillDetail, Failure> {
    let name = SkillName::parse(&params.skill)?;
    let restored = with(app, move |skills, _| skills.restore(&name, &params.version)).await?;
    after(app, restored.skill.name).await
}

pub(super) async fn clients(app: &App) -> Result<SkillClients, Failure> {
    with(app, |skills, wanted| {
        let places = skills.places(&wanted.targets, &wanted.off)?;
        Ok((wanted.targets.clone(), places))
    })
    .await
    .and_then(|(targets, places)| {
        let ways: BTreeMap<&str, Way> = targets
            .iter()
            .map(|target| (target.client.as_str(), target.way))
            .collect();
        let clients = CLIENTS.iter().map(|client| {
            let own = || places.iter().filter(|place| place.client == client.id);
            let folder = client.folder()?;
            Ok(SkillClient {
                client: client.id.to_owned(),
                installed: folder.is_dir() || folder.parent().is_some_and(|above| above.is_dir()),
                folder: folder.display().to_string(),
                way: match ways.get(client.id) {
                    None => SkillWay::Off,
                    Some(Way::Link) => SkillWay::Link,
                    Some(Way::Copy) => SkillWay::Copy,
                },
                skills: count(own().count()),
                conflicts: count(own().filter(|place| is_conflict(place)).count()),
            })
        });
        Ok(SkillClients {
            clients: clients.collect::<Result<_, Failure>>()?,
        })
    })
}

pub(super) async fn client(
    app: &App,
    caller: &Caller,
    params: SkillClientChange,
) -> Result<SkillClients, Failure> {
    let id = Client::named(&params.client)?.id;
    let way = match params.way {
        SkillWay::Off => None,
        SkillWay::Link => Some("link"),
        SkillWay::Copy => Some("copy"),
    };
    change(app, move |fields| {
        let clients = fields.entry("clients").or_insert_with(|| json!({}));
        if let Value::Object(clients) = clients {
            match way {
                Some(way) => clients.insert(id.to_owned(), way.into()),
                None => clients.remove(id),
            };
        }
    })
    .await?;
    let entry = AuditEntry {
        actor: actor_of(caller),
        action: "skill.client".to_owned(),
        subject: id.to_owned(),
        detail: json!({"way": way.unwrap_or("off")}),
    };
    app.inner.store.audit(entry).await?;
    app.sync_skills().await?;
    clients(app).await
}

pub(super) async fn sync(app: &App) -> Result<SkillsSynced, Failure> {
    let lang = app.lang();
    let places = app.sync_skills().await?.into_iter().map(|place| SyncedSkill {
        skill: place.skill.to_string(),
        place: wire_place(&place, lang),
    });
    Ok(SkillsSynced {
        places: places.collect(),
    })
}

pub(super) async fn compare(app: &App, params: SkillPlaceRef) -> Result<SkillDifferences, Failure> {
    let name = SkillName::parse(&params.skill)?;
    with(app, move |skills, wanted| {
        let files = skills
            .compare(&wanted.targets, &params.client, &name)?
            .into_iter();
        let files = files.map(|file| SkillDifference {
            path: file.path,
            side: match file.side {
                Side::Ours => SkillSide::Ours,
                Side::Theirs => SkillSide::Theirs,
                Side::Both => SkillSide::Both,
            },
            diff: file.diff,
        });
        Ok(SkillDifferences {
            files: files.collect(),
        })
    })
    .await
}

pub(super) async fn resolve(app: &App, params: SkillResolve) -> Result<SkillDetail, Failure> {
    let name = SkillName::parse(&params.skill)?;
    let take = match params.take {
        SkillTake::Ours => Take::Ours,
        SkillTake::Theirs => Take::Theirs,
        SkillTake::Leave => Take::Leave,
    };
    let resolved = name.clone();
    with(app, move |skills, wanted| {
        skills
            .resolve(&wanted.targets, &params.client, &resolved, take)
            .map(|_| ())
    })
    .await?;
    after(app, name).await
}

fn folder_version(name: &SkillName, kept: &Kept) -> SkillVersion {
    SkillVersion {
        skill: name.to_string(),
        version: kept.id(),
        kind: SkillVersionKind::Folder,
        was: Some(kept.was.clone()),
        replaced: kept.at as f64,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn is_conflict(place: &Place) -> bool {
    match place.standing {
        Standing::Theirs | Standing::Both | Standing::Occupied | Standing::Failed => true,
        Standing::Waiting | Standing::Linked | Standing::Copied | Standing::Left => false,
    }
}

fn row(skill: &Skill, wanted: &Wanted, places: &[Place]) -> SkillRow {
    let conflicts = places
        .iter()
        .filter(|place| place.skill == skill.name && is_conflict(place));
    SkillRow {
        skill: skill.name.to_string(),
        description: skill.front.description.clone(),
        enabled: !wanted.off.contains(skill.name.as_str()),
        files: count(skill.files),
        bytes: skill.bytes as f64,
        modified: skill.modified as f64,
        problems: count(skill.problems.len()),
        conflicts: count(conflicts.count()),
    }
}

fn wire_detail(
    detail: Detail,
    folder: String,
    wanted: &Wanted,
    places: Vec<Place>,
    lang: Lang,
) -> SkillDetail {
    let Detail {
        skill,
        text,
        version,
        tree,
    } = detail;
    let files = tree.files().map(|(path, bytes, executable)| SkillFile {
        path: path.to_owned(),
        bytes: bytes as f64,
        executable,
    });
    SkillDetail {
        row: row(&skill, wanted, &places),
        folder,
        files: files.collect(),
        text,
        version,
        problems: skill
            .problems
            .iter()
            .map(|problem| SkillProblem {
                line: u32::try_from(problem.line()).unwrap_or(u32::MAX),
                problem: worded(&Failure::of(problem), lang),
            })
            .collect(),
        fields: skill
            .front
            .fields
            .into_iter()
            .map(|(field, value)| SkillField { field, value })
            .collect(),
        places: places.iter().map(|place| wire_place(place, lang)).collect(),
    }
}

fn wire_place(place: &Place, lang: Lang) -> SkillPlace {
    SkillPlace {
        client: place.client.clone(),
        path: place.path.display().to_string(),
        standing: match place.standing {
            Standing::Waiting => SkillStanding::Waiting,
            Standing::Linked => SkillStanding::Linked,
            Standing::Copied => SkillStanding::Copied,
            Standing::Theirs => SkillStanding::Theirs,
            Standing::Both => SkillStanding::Both,
            Standing::Occupied => SkillStanding::Occupied,
            Standing::Left => SkillStanding::Left,
            Standing::Failed => SkillStanding::Failed,
        },
        problem: place
            .problem
            .as_ref()
            .map(|problem| worded(&Failure::of(problem), lang)),
    }
}
