//! What clients can read beside what tools answer: kept pictures (`artifact:{id}`), the manual and the
//! last lines of the run log of each tool (`tool://{tool}/manual`, `tool://{tool}/log`), and the files of
//! the skills that are given to clients (`skill://{skill}/{path}`), for those that have no folder of skills.
//!
//! An address is taken apart and each part checked. Only the path in a skill becomes one, opened part by
//! part from the skill's folder, links not followed.

use crate::app::App;
use crate::skills::with;
use crate::tokens::Scope;
use base::name::ToolName;
use base::{Failure, Lang};
use base64::Engine as _;
use prompts::skills::{SkillError, SkillName, TEXT};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Map, json};
use store::Window;
use uuid::Uuid;

/// Pictures in one page of `resources/list`.
const PAGE: u32 = 100;
/// Bytes of a picture that is read as a whole.
const LARGEST: u64 = 16 * 1024 * 1024;
/// Lines of a log.
const LINES: u32 = 200;
/// Files of skills in one list.
const FILES: usize = 1000;
/// Who may use it may see what it draws.
const DRAWS: &str = super::tools::RUN_JAVASCRIPT;
/// Who may use it may read skills: they are the other half of the library.
const LIBRARY: &str = super::prompts::GET;
const SKILL: &str = "skill://";

/// What an address means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Artifact(Uuid),
    Manual(ToolName),
    Log(ToolName),
    Skill(SkillName, String),
}

impl Place {
    /// Only as it is written by [`Place::uri`]: each place has one address.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let place = match uri.strip_prefix("artifact:") {
            Some(id) => Place::Artifact(Uuid::try_parse(id).ok()?),
            None if uri.starts_with(SKILL) => {
                let (name, path) = uri.strip_prefix(SKILL)?.split_once('/')?;
                // What an address would have to escape has none.
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
                let parts = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
                let name = SkillName::parse(name).ok()?;
                (parts && uri[SKILL.len()..].bytes().all(plain))
                    .then(|| Place::Skill(name, path.to_owned()))?
            }
            None => {
                let (name, part) = uri.strip_prefix("tool://")?.split_once('/')?;
                let name = ToolName::parse(name).ok()?;
                match part {
                    "manual" => Place::Manual(name),
                    "log" => Place::Log(name),
                    _ => return None,
                }
            }
        };
        (place.uri() == uri).then_some(place)
    }

    pub(super) fn uri(&self) -> String {
        match self {
            Place::Artifact(id) => artifact_uri(id),
            Place::Manual(name) => format!("tool://{name}/manual"),
            Place::Log(name) => format!("tool://{name}/log"),
            Place::Skill(name, path) => format!("{SKILL}{name}/{path}"),
        }
    }

    pub(super) fn is_in(&self, scope: &Scope) -> bool {
        match self {
            Place::Artifact(_) => scope.has(DRAWS),
            Place::Manual(name) | Place::Log(name) => scope.has_tool(name),
            Place::Skill(..) => scope.has(LIBRARY),
        }
    }
}

/// The address of a kept picture.
pub(super) fn artifact_uri(id: impl std::fmt::Display) -> String {
    format!("artifact:{id}")
}

/// A page, and where the next begins. Tools stand on the first.
pub(super) async fn list(
    app: &App,
    scope: &Scope,
    cursor: Option<String>,
) -> Result<(Vec<Resource>, Option<String>), Failure> {
    let offset: u32 = super::page_start(cursor, "resources/list")?;
    let lang = app.lang();
    let mut listed = Vec::new();
    if offset == 0 {
        for name in app.inner.toolbox.names().await? {
            if scope.has_tool(&name) {
                listed.extend([manual(&name, lang), log(&name, lang)]);
            }
        }
        if scope.has(LIBRARY) {
            listed.extend(skills(app).await?);
        }
    }
    if !scope.has(DRAWS) {
        return Ok((listed, None));
    }
    let window = Window { offset, limit: PAGE };
    let (artifacts, total) = app.inner.store.artifacts(window).await?;
    listed.extend(artifacts.into_iter().map(|artifact| {
        Resource::new(artifact_uri(&artifact.id), artifact.file_name())
            .with_title(base::text::cut(&artifact.title, 80))
            .with_mime_type(artifact.kind)
            .with_size(u64::try_from(artifact.size).unwrap_or_default())
    }));
    let next = offset.saturating_add(PAGE);
    Ok((listed, (next < total).then(|| next.to_string())))
}

/// Each skill that is given to clients, its text first.
async fn skills(app: &App) -> Result<Vec<Resource>, Failure> {
    with(app, |skills, wanted| {
        let mut listed = Vec::new();
        for skill in skills.list()? {
            if wanted.off.contains(skill.name.as_str()) {
                continue;
            }
            let detail = skills.get(&skill.name)?;
            let mut files: Vec<(&str, u64, bool)> = detail.tree.files().collect();
            files.sort_by_key(|(path, ..)| (*path != TEXT, *path));
            for (path, bytes, _) in files {
                let uri = Place::Skill(skill.name.clone(), path.to_owned()).uri();
                if Place::parse(&uri).is_none() || bytes > LARGEST || listed.len() >= FILES {
                    continue;
                }
                let resource = Resource::new(uri, format!("{}/{path}", skill.name)).with_size(bytes);
                listed.push(match path == TEXT {
                    true => resource
                        .with_description(base::text::cut(&skill.front.description, 1024))
                        .with_mime_type("text/markdown"),
                    false => resource,
                });
            }
        }
        Ok(listed)
    })
    .await
}

fn manual(name: &ToolName, lang: Lang) -> Resource {
    Resource::new(Place::Manual(name.clone()).uri(), format!("{name} manual"))
        .with_title(match lang {
            Lang::ZhCn => format!("{name} 的手册"),
            Lang::En => format!("Manual of {name}"),
        })
        .with_mime_type("text/markdown")
}

fn log(name: &ToolName, lang: Lang) -> Resource {
    Resource::new(Place::Log(name.clone()).uri(), format!("{name} log"))
        .with_title(match lang {
            Lang::ZhCn => format!("{name} 的运行日志"),
            Lang::En => format!("Run log of {name}"),
        })
        .with_mime_type("text/plain")
}

pub(super) fn templates(lang: Lang) -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("artifact:{id}", "artifact")
            .with_title(lang.pick("保存的图片", "Kept pictures"))
            .with_mime_type("image/png"),
        ResourceTemplate::new("tool://{tool}/manual", "manual")
            .with_title(lang.pick("工具手册", "Manuals of tools"))
            .with_mime_type("text/markdown"),
        ResourceTemplate::new("tool://{tool}/log", "log")
            .with_title(lang.pick(
                "工具运行日志（最后 200 行）",
                "Run logs of tools, the last 200 lines",
            ))
            .with_mime_type("text/plain"),
        ResourceTemplate::new("skill://{skill}/SKILL.md", "skill")
            .with_title(lang.pick("技能（Agent Skills）", "Agent Skills"))
            .with_mime_type("text/markdown"),
    ]
}

pub(super) async fn read(app: &App, scope: &Scope, uri: &str) -> Result<ResourceContents, Failure> {
    let missing = || Failure::new("resource_not_found").with("uri", base::text::cut(uri, 200));
    let place = Place::parse(uri).ok_or_else(missing)?;
    if !place.is_in(scope) {
        return Err(Failure::new("out_of_scope").with("what", uri));
    }
    match place {
        Place::Artifact(id) => {
            let artifact = app.inner.store.artifact(id.to_string()).await?;
            let size = u64::try_from(artifact.size).unwrap_or(u64::MAX);
            if size > LARGEST {
                return Err(Failure::new("resource_too_large")
                    .with("bytes", size)
                    .with("limit", LARGEST));
            }
            let bytes = tokio::fs::read(app.inner.store.artifact_path(&artifact.id))
                .await
                .map_err(|_| missing())?;
            let data = base64::engine::general_purpose::STANDARD.encode(bytes);
            Ok(ResourceContents::blob(data, uri).with_mime_type(artifact.kind))
        }
        Place::Manual(name) => {
            let text = app.inner.toolbox.manual(&name).await?;
            Ok(ResourceContents::text(text, uri).with_mime_type("text/markdown"))
        }
        Place::Log(name) => {
            let tail: Map<String, _> = [("action", json!("tail")), ("lines", json!(LINES))]
                .map(|(key, value)| (key.to_owned(), value))
                .into_iter()
                .collect();
            let text = app.inner.toolbox.log_page(&name, &tail).await?;
            Ok(ResourceContents::text(text, uri).with_mime_type("text/plain"))
        }
        Place::Skill(name, path) => {
            let read = with(app, move |skills, wanted| {
                match wanted.off.contains(name.as_str()) {
                    true => Err(SkillError::NotFound(name.to_string())),
                    false => skills.file(&name, &path, LARGEST),
                }
            });
            // Which part of an address is wrong is nothing that a client has to know.
            let bytes = read.await.map_err(|failure| match failure.code.as_str() {
                "skill_not_found" | "skill_file_not_found" => missing(),
                _ => failure,
            })?;
            Ok(match String::from_utf8(bytes) {
                Ok(text) => ResourceContents::text(text, uri).with_mime_type(match uri.ends_with(".md") {
                    true => "text/markdown",
                    false => "text/plain",
                }),
                Err(error) => {
                    let data = base64::engine::general_purpose::STANDARD.encode(error.as_bytes());
                    ResourceContents::blob(data, uri).with_mime_type("application/octet-stream")
                }
            })
        }
    }
}

/// Values for a variable of one of the templates.
pub(super) async fn complete(
    app: &App,
    scope: &Scope,
    template: &str,
    variable: &str,
) -> Result<Vec<String>, Failure> {
    match (template, variable) {
        ("tool://{tool}/manual" | "tool://{tool}/log", "tool") => {
            let names = app.inner.toolbox.names().await?.into_iter();
            let visible = names.filter(|name| scope.has_tool(name));
            Ok(visible.map(|name| name.to_string()).collect())
        }
        ("skill://{skill}/SKILL.md", "skill") if scope.has(LIBRARY) => {
            with(app, |skills, wanted| {
                let names = skills.list()?.into_iter().map(|skill| skill.name.to_string());
                Ok(names.filter(|name| !wanted.off.contains(name)).collect())
            })
            .await
        }
        ("artifact:{id}", "id") if scope.has(DRAWS) => {
            let window = Window {
                offset: 0,
                limit: PAGE,
            };
            let (artifacts, _) = app.inner.store.artifacts(window).await?;
            Ok(artifacts.into_iter().map(|artifact| artifact.id).collect())
        }
        _ => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_what_it_says_and_nothing_else() {
        for good in [
            "artifact:0f8fad5b-d9cb-469f-a165-70867728950e",
            "tool://todolist/manual",
            "tool://a_b-9/log",
            "skill://pdf-tools/SKILL.md",
            "skill://pdf/references/a_b.1.md",
        ] {
            assert_eq!(Place::parse(good).map(|place| place.uri()).as_deref(), Some(good));
        }
        for bad in [
            "",
            "artifact:",
            "artifact:../../etc/passwd",
            "artifact:0f8fad5bd9cb469fa16570867728950e",
            "artifact:0F8FAD5B-D9CB-469F-A165-70867728950E",
            "artifact:{0f8fad5b-d9cb-469f-a165-70867728950e}",
            "artifact:0f8fad5b-d9cb-469f-a165-70867728950e/../x",
            "artifact:0f8fad5b-d9cb-469f-a165-70867728950e%00",
            "tool://todolist",
            "tool://todolist/",
            "tool://todolist/.env",
            "tool://todolist/log/",
            "tool://todolist/../filesystem/log",
            "tool://../log",
            "tool://..%2f/log",
            "tool://todolist/log?x",
            "TOOL://todolist/log",
            "tool:///log",
            "file:///etc/passwd",
            "tool://todolist\0/log",
            "skill://pdf",
            "skill://pdf/",
            "skill:///SKILL.md",
            "skill://pdf/../token",
            "skill://../skills/pdf/SKILL.md",
            "skill://pdf//SKILL.md",
            "skill://pdf/./SKILL.md",
            "skill://pdf/%2e%2e/token",
            "skill://pdf/a b",
            "skill://.hidden/SKILL.md",
        ] {
            assert_eq!(Place::parse(bad), None, "{bad:?}");
        }
    }
}
