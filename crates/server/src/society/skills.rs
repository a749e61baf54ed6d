//! Agent Skills for agents: each is a tool, so that a role's list of tools says who has which. Called, it gives its
//! text, and with `path` one of its files.
//!
//! A skill that is off for clients is off for agents. Deliberately not here: skills themselves (`prompts::skills`).

use crate::app::App;
use crate::skills::Wanted;
use crate::work::blocking;
use base::{Failure, Lang};
use llm::Tool;
use prompts::skills::{Detail, SkillName};
use serde_json::{Map, Value, json};

/// Before the skill's name.
const BEFORE: &str = "skill__";
/// Characters of a tool's name that every service takes.
const NAME: usize = 64;
/// Characters of a description.
const ABOUT: usize = 1024;
/// Bytes of a text or a file that is given.
const GIVEN: u64 = 64 * 1024;

/// Those that are on and say what they are for.
pub(super) async fn tools(app: &App) -> Result<Vec<Tool>, Failure> {
    // Whoever never had a skill is not given the folder for them.
    let folder = app.inner.home.skills();
    if !tokio::fs::try_exists(&folder).await.unwrap_or(false) {
        return Ok(Vec::new());
    }
    let (skills, home, lang) = (app.skills().await?, app.inner.home.clone(), app.lang());
    let app = app.clone();
    let listing = move || {
        let off = Wanted::read(&home)?.off;
        let all = skills.list()?.into_iter();
        let on = all.filter(|skill| {
            !off.contains(skill.name.as_str())
                && !skill.front.description.is_empty()
                // Services take no other letters in the name of a tool.
                && skill.name.is_proper()
                && BEFORE.len() + skill.name.as_str().len() <= NAME
        });
        let tool = |skill: prompts::skills::Skill| Tool {
            name: format!("{BEFORE}{}", skill.name.as_str()),
            description: about(&skill.front.description, lang),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        };
        let all = on.map(tool).filter(|tool| named(&app, &tool.name).is_some());
        Ok(all.collect())
    };
    blocking(listing).await?
}

fn about(description: &str, lang: Lang) -> String {
    let how = lang.pick(
        "技能：先调用它阅读说明；用 path 读取说明中提到的文件。",
        "A skill: call it to read what it says, and with path the files that it names.",
    );
    format!("{} {how}", base::text::cut(description, ABOUT))
}

/// The skill that a tool is. A server of others may be called `skill`, and goes before.
pub(super) fn named<'t>(app: &App, tool: &'t str) -> Option<&'t str> {
    let skill = tool.strip_prefix(BEFORE)?;
    (!app.inner.externals.has(tool)).then_some(skill)
}

pub(super) async fn read(app: &App, skill: &str, given: &Map<String, Value>) -> Result<String, Failure> {
    let name = SkillName::parse(skill)?;
    let path = given.get("path").and_then(Value::as_str).map(str::to_owned);
    let (skills, home) = (app.skills().await?, app.inner.home.clone());
    let reading = move || {
        if Wanted::read(&home)?.off.contains(name.as_str()) {
            return Err(Failure::new("unknown_mcp_tool").with("tool", format!("{BEFORE}{}", name.as_str())));
        }
        match path {
            Some(path) => {
                let bytes = skills.file(&name, &path, GIVEN)?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            None => Ok(text(&skills.get(&name)?)),
        }
    };
    blocking(reading).await?
}

/// Its text, and what lies beside it.
fn text(detail: &Detail) -> String {
    let files: Vec<&str> = detail
        .tree
        .files()
        .map(|(path, _, _)| path)
        .filter(|path| *path != "SKILL.md")
        .collect();
    let text = &detail.text[..detail.text.floor_char_boundary(GIVEN as usize)];
    match files.as_slice() {
        [] => text.to_owned(),
        files => format!("{text}\n\n---\n{}\n", files.join("\n")),
    }
}
