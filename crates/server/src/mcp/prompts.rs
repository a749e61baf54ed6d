//! The library as clients see it: prompts of MCP, and three tools for models whose client has no
//! prompts. What is switched off is not there for either.

use super::tools::object;
use crate::app::App;
use crate::calls::with_library;
use base::{Failure, Lang};
use prompts::{ArgumentKind, Filled, Found, Prompt, PromptError, Role, Shelf, fill};
use rmcp::model::{self, GetPromptResult, PromptMessage, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

const SEARCH: &str = "search_prompts";
/// Who may use it may use the prompts of MCP.
pub(super) const GET: &str = "get_prompt";
const PROMPTS: &str = "prompts";
pub(super) const NAMES: [&str; 3] = [SEARCH, GET, PROMPTS];

/// Prompts in one answer of a tool; a model that needs more asks more precisely.
const SHOWN: usize = 100;
/// Prompts in one page of `prompts/list`.
const PAGE: usize = 500;

/// A page of `prompts/list`, and where the next begins.
pub(super) async fn list(
    app: &App,
    cursor: Option<String>,
) -> Result<(Vec<model::Prompt>, Option<String>), Failure> {
    let from: usize = super::page_start(cursor, "prompts/list")?;
    with_library(app, move |library| {
        let shelf = library.shelf();
        let named = named(&shelf);
        let prompts: Vec<_> = named
            .iter()
            .skip(from)
            .take(PAGE)
            .map(|(name, prompt)| offered(name, prompt))
            .collect();
        let next = from.saturating_add(PAGE);
        Ok((prompts, (next < named.len()).then(|| next.to_string())))
    })
    .await
}

/// By its name in `prompts/list`; arguments are needed as the prompt says.
pub(super) async fn get(
    app: &App,
    name: String,
    arguments: Map<String, Value>,
) -> Result<GetPromptResult, Failure> {
    with_library(app, move |library| {
        let shelf = library.shelf();
        let found = named(&shelf).into_iter().find(|(known, _)| *known == name);
        let (_, prompt) = found.ok_or_else(|| PromptError::NotFound(base::text::cut(&name, 200)))?;
        let filled = fill(&prompt.content, &arguments)?.complete()?;
        let messages = filled.messages.into_iter().map(|message| {
            // The protocol has two roles: instructions are the user's words.
            let role = match message.role {
                Role::Assistant => model::Role::Assistant,
                Role::User | Role::System => model::Role::User,
            };
            PromptMessage::new_text(role, message.text)
        });
        let result = GetPromptResult::new(messages.collect::<Vec<_>>());
        Ok(match prompt.content.description.is_empty() {
            true => result,
            false => result.with_description(prompt.content.description.clone()),
        })
    })
    .await
}

/// Each usable prompt with a name that is its alone: of several with one name, the first by path
/// keeps it and the others carry their ids.
fn named(shelf: &Shelf) -> Vec<(String, &Arc<Prompt>)> {
    let mut taken: HashMap<&str, ()> = HashMap::new();
    shelf
        .prompts()
        .filter(|prompt| prompt.usable)
        .map(|prompt| {
            let name = prompt.content.name.as_str();
            match taken.insert(name, ()) {
                None => (name.to_owned(), prompt),
                Some(()) => (format!("{name}-{}", prompt.id), prompt),
            }
        })
        .collect()
}

fn offered(name: &str, prompt: &Prompt) -> model::Prompt {
    let content = &prompt.content;
    let description = (!content.description.is_empty()).then_some(content.description.as_str());
    let arguments: Vec<_> = content
        .arguments
        .iter()
        .map(|argument| {
            let mut offered = model::PromptArgument::new(&argument.name).with_required(argument.required);
            let words = about(argument);
            if !words.is_empty() {
                offered = offered.with_description(words);
            }
            offered
        })
        .collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    model::Prompt::new(name, description, arguments).with_title(&content.name)
}

/// Type and default have no place of their own in the protocol.
fn about(argument: &prompts::Argument) -> String {
    let mut words = argument.description.clone();
    let mut note = Vec::new();
    if argument.kind != ArgumentKind::String {
        note.push(argument.kind.name().to_owned());
    }
    if let Some(default) = &argument.default {
        note.push(format!("= {default}"));
    }
    if !note.is_empty() {
        let note = format!("({})", note.join(" "));
        words = [words, note].join(" ").trim().to_owned();
    }
    words
}

pub(super) fn tools(lang: Lang) -> Vec<Tool> {
    let text =
        |zh: &'static str, en: &'static str| json!({"type": "string", "description": lang.pick(zh, en)});
    let query = || text("关键词；留空则列出全部", "Words to look for; empty lists all");
    let id = || {
        text(
            "编号、名称或路径（见 search_prompts）",
            "Id, name or path, as search_prompts gives them",
        )
    };
    let tool =
        |name: &'static str, title: &'static str, about: &'static str, properties: Value, required: Value| {
            let schema = json!({"type": "object", "properties": properties, "required": required});
            Tool::new(name, about, object(schema))
                .with_title(title)
                .with_raw_output_schema(object(json!({"type": "object"})))
                .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
        };
    vec![
        tool(
            SEARCH,
            lang.pick("搜索提示词", "Search prompts"),
            lang.pick(
                "按名称和描述搜索用户的提示词库，返回每个提示词的编号、名称、描述和得分，得分高的在前；再用 get_prompt 获取其内容",
                "Searches the prompt library by name and description; gives ids, names, descriptions and scores, best first",
            ),
            json!({"name": query()}),
            json!([]),
        ),
        tool(
            GET,
            lang.pick("获取提示词", "Get a prompt"),
            lang.pick(
                "返回用户提示词库中一个提示词的全部消息；arguments 给出变量的值，没有值的变量仍写作 {{变量}}",
                "Gives all messages of a prompt; variables without a value stay as {{variable}}",
            ),
            json!({
                "prompt_id": id(),
                "arguments": {
                    "type": "object",
                    "description": lang.pick("变量的值（可选）", "Values of the variables (optional)"),
                },
            }),
            json!(["prompt_id"]),
        ),
        tool(
            PROMPTS,
            lang.pick("提示词库", "Prompt library"),
            lang.pick(
                "action 为 list 时列出提示词，为 search 时按名称、描述和全文搜索 query，为 get 时返回 query 所指的提示词",
                "action list lists prompts, search looks for query in names, descriptions and texts, get gives the prompt that query names",
            ),
            json!({
                "action": {"type": "string", "enum": ["list", "search", "get"]},
                "query": text("关键词，或提示词的编号", "Words to look for, or a prompt's id"),
            }),
            json!(["action"]),
        ),
    ]
}

#[derive(Deserialize)]
struct SearchParams {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct GetParams {
    prompt_id: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    List,
    Search,
    Get,
}

#[derive(Deserialize)]
struct PromptsParams {
    action: Action,
    #[serde(default)]
    query: String,
}

/// The answer of one of the three tools.
pub(super) async fn call(app: &App, tool: &str, arguments: Value) -> Result<Value, Failure> {
    match tool {
        SEARCH => search(app, super::read::<SearchParams>(arguments)?.name).await,
        GET => {
            let params: GetParams = super::read(arguments)?;
            shown(app, params.prompt_id, params.arguments).await
        }
        _ => {
            let PromptsParams { action, query } = super::read(arguments)?;
            match action {
                Action::List => search(app, String::new()).await,
                Action::Search => full_text(app, query).await,
                Action::Get => shown(app, query, Map::new()).await,
            }
        }
    }
}

/// Values for an argument of a prompt: what its type allows, or its default.
pub(super) async fn complete(app: &App, name: String, argument: String) -> Result<Vec<String>, Failure> {
    with_library(app, move |library| {
        let shelf = library.shelf();
        let found = named(&shelf).into_iter().find(|(known, _)| *known == name);
        let (_, prompt) = found.ok_or_else(|| PromptError::NotFound(base::text::cut(&name, 200)))?;
        let declared = prompt.content.arguments.iter().find(|one| one.name == argument);
        let Some(declared) = declared else {
            return Ok(Vec::new());
        };
        let default = declared.default.as_ref().map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let mut values: Vec<String> = default.into_iter().collect();
        if declared.kind == ArgumentKind::Boolean {
            values.extend(["true", "false"].map(str::to_owned));
            values.dedup();
            values.truncate(2);
        }
        Ok(values)
    })
    .await
}

async fn search(app: &App, query: String) -> Result<Value, Failure> {
    with_library(app, move |library| {
        let found = library.search(&query);
        let usable: Vec<Found> = found.into_iter().filter(|found| found.prompt.usable).collect();
        let rows = usable.iter().take(SHOWN).map(|found| {
            let mut row = brief(&found.prompt);
            if !query.trim().is_empty() {
                row["score"] = json!((found.score * 10.0).round() / 10.0);
            }
            row
        });
        Ok(json!({"prompts": rows.collect::<Vec<_>>(), "total": usable.len()}))
    })
    .await
}

async fn full_text(app: &App, query: String) -> Result<Value, Failure> {
    with_library(app, move |library| {
        let mut found = library.full_text(&query)?;
        found.retain(|prompt| prompt.usable);
        let rows: Vec<Value> = found.iter().take(SHOWN).map(|prompt| brief(prompt)).collect();
        Ok(json!({"prompts": rows, "total": found.len()}))
    })
    .await
}

fn brief(prompt: &Prompt) -> Value {
    json!({
        "id": prompt.id,
        "name": prompt.content.name,
        "description": prompt.content.description,
    })
}

async fn shown(app: &App, key: String, values: Map<String, Value>) -> Result<Value, Failure> {
    with_library(app, move |library| {
        let prompt = library.get(&key)?;
        if !prompt.usable {
            return Err(PromptError::NotFound(base::text::cut(&key, 200)));
        }
        let Filled {
            messages,
            missing,
            undeclared,
            ..
        } = fill(&prompt.content, &values)?;
        let messages: Vec<Value> = messages
            .iter()
            .map(|message| json!({"role": message.role.name(), "content": {"text": message.text}}))
            .collect();
        let arguments: Vec<Value> = prompt
            .content
            .arguments
            .iter()
            .map(|argument| {
                json!({
                    "name": argument.name,
                    "description": argument.description,
                    "type": argument.kind.name(),
                    "required": argument.required,
                    "default": argument.default,
                })
            })
            .collect();
        let mut answer = brief(&prompt);
        answer["messages"] = Value::Array(messages);
        answer["arguments"] = Value::Array(arguments);
        let open: Vec<String> = missing.into_iter().chain(undeclared).collect();
        if !open.is_empty() {
            answer["unfilled"] = json!(open);
        }
        Ok(answer)
    })
    .await
}
