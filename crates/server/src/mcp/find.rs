//! `find_tools`: so that a model need not read about a hundred tools to find the one it needs.

use super::tools::object;
use crate::app::App;
use crate::tokens::Scope;
use base::{Failure, Lang};
use rmcp::model::{Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};
use toolbox::model::Description;

pub(super) const FIND: &str = "find_tools";

/// Tools in one answer, unless more are asked for …
const SHOWN: usize = 10;
/// … and at most.
const MOST: usize = 50;
/// Words of a query that count.
const WORDS: usize = 32;

#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

pub(super) fn tool(lang: Lang) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": lang.pick("要做的事，或关键词；留空则列出全部", "What is to be done, or words; empty lists all")},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "description": lang.pick("最多返回几个（默认 10）", "Tools to give at most (10 by default)")},
        },
    });
    let output = json!({
        "type": "object",
        "properties": {
            "tools": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "tool": {"type": "string"},
                    "title": {"type": "string"},
                    "description": {"type": "string"},
                    "parameters": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["tool", "title", "description", "parameters"],
            }},
            "total": {"type": "integer"},
        },
        "required": ["tools", "total"],
    });
    let about = lang.pick(
        "在工具箱中按需求查找工具，返回 {tools: [{tool, title, description, parameters}], total}，最合适的在前；tool:// 开头的用 toolm 阅读其手册（mode: manual）并执行，其余的（SERVER__tool）直接按该名称调用。",
        "Finds tools of the toolbox by what they do: {tools: [{tool, title, description, parameters}], total}, best first. Those of tool:// you read the manual of with toolm (mode: manual) and execute; others (SERVER__tool) are tools of their own, called by that name.",
    );
    Tool::new(FIND, about, object(schema))
        .with_title(lang.pick("查找工具", "Find tools"))
        .with_raw_output_schema(object(output))
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

pub(super) async fn call(app: &App, scope: &Scope, arguments: Value) -> Result<Value, Failure> {
    let Params { query, limit } = super::read(arguments)?;
    let words = words(&query);
    let installed = app.inner.toolbox.list().await?;
    let found: Vec<_> = installed
        .iter()
        .filter(|tool| scope.has_tool(&tool.name))
        .filter_map(|tool| {
            let description = tool.description.as_ref().ok()?;
            let score = score(tool.name.as_str(), description, &words);
            (words.is_empty() || score > 0.0).then_some((score, tool, description))
        })
        .collect();
    let rows = found.into_iter().map(|(score, tool, description)| {
        let parameters = &description.schema.parameters.properties;
        let row = json!({
            "tool": format!("tool://{}", tool.name),
            "title": description.metadata.name,
            "description": description.metadata.description,
            "parameters": parameters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        });
        (score, row)
    });
    let mut rows: Vec<_> = rows.collect();
    rows.extend(offers(app, scope, &words));
    // Of equals those of the toolbox first.
    rows.sort_by(|one, two| two.0.total_cmp(&one.0));
    let total = rows.len();
    rows.truncate(limit.unwrap_or(SHOWN).clamp(1, MOST));
    let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    Ok(json!({"tools": rows, "total": total}))
}

/// Characters of what a server says of its tool; the whole is in the list of tools.
const SAID: usize = 1000;

/// Tools of external servers, which are called by the names that stand here.
fn offers(app: &App, scope: &Scope, words: &[String]) -> Vec<(f64, Value)> {
    let offers = app.inner.externals.offers().into_iter();
    let scored = offers
        .filter(|tool| scope.has_offer(&tool.name))
        .filter_map(|tool| {
            let about = tool.description.as_deref().unwrap_or_default();
            let title = tool.title.as_deref().unwrap_or(&tool.name);
            let texts = [
                (folded(&tool.name), 6.0),
                (folded(title), 6.0),
                (folded(about), 3.0),
            ];
            let weight = |word: &String| {
                let held = texts.iter().filter(|(text, _)| text.contains(word.as_str()));
                held.map(|(_, weight)| weight).sum::<f64>()
            };
            let score: f64 = words.iter().map(weight).sum();
            let properties = tool.input_schema.get("properties").and_then(Value::as_object);
            let row = json!({
                "tool": tool.name,
                "title": title,
                "description": base::text::cut(about, SAID),
                "parameters": properties.map(|all| all.keys().collect::<Vec<_>>()).unwrap_or_default(),
            });
            (words.is_empty() || score > 0.0).then_some((score, row))
        });
    scored.collect()
}

/// As words are compared: `to-do` finds `todolist`, and `readfile` finds `read_file`.
fn folded(text: &str) -> String {
    let mut folded = text.to_lowercase();
    folded.retain(|c| c != '_' && c != '-');
    folded
}

/// Words between blanks and signs; of Chinese, which has none, pairs of characters.
fn words(query: &str) -> Vec<String> {
    let query = folded(query);
    let mut words = Vec::new();
    for word in query.split(|c: char| !c.is_alphanumeric()) {
        let chars: Vec<char> = word.chars().collect();
        let ideographs = chars.iter().any(|c| *c >= '\u{2e80}');
        if ideographs && chars.len() > 2 {
            words.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if !word.is_empty() {
            words.push(word.to_owned());
        }
    }
    words.truncate(WORDS);
    words
}

fn score(name: &str, description: &Description, words: &[String]) -> f64 {
    let metadata = &description.metadata;
    let all = |texts: &[String]| folded(&texts.join("\n"));
    let name = folded(name);
    let places = [
        (folded(&metadata.name), 6.0),
        (all(&metadata.tags), 4.0),
        (folded(&metadata.description), 3.0),
        (all(&metadata.scenarios), 2.0),
    ];
    let of_word = |word: &String| {
        let named = match name == *word {
            true => 12.0,
            false if name.contains(word.as_str()) => 6.0,
            false => 0.0,
        };
        let rest = places.iter().filter(|(text, _)| text.contains(word.as_str()));
        named + rest.map(|(_, weight)| weight).sum::<f64>()
    };
    words.iter().map(of_word).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_keep_nothing_from_being_found() {
        let report = json!({
            "members": ["execute"],
            "metadata": {"name": "待办清单", "description": "管理待办事项", "tags": ["read_file"]},
        });
        let tool = base::name::ToolName::try_from("todolist".to_owned()).unwrap();
        let description = Description::from_report(&tool, report, Lang::ZhCn).unwrap();
        let found = |query: &str| score("todolist", &description, &words(query));
        assert!(found("to-do") > 0.0 && found("readfile") > 0.0 && found("待办") > 0.0);
        assert!(found("todo-list") > found("to-do"), "the whole name counts more");
        assert!(found("calendar") == 0.0 && found("--") == 0.0);
    }

    #[test]
    fn words_of_both_languages() {
        assert_eq!(words("Read a File!"), ["read", "a", "file"]);
        assert_eq!(words("my to-do list -"), ["my", "todo", "list"]);
        assert_eq!(words("待办"), ["待办"]);
        assert_eq!(words("管理待办清单"), ["管理", "理待", "待办", "办清", "清单"]);
        assert_eq!(words("  "), Vec::<String>::new());
        assert_eq!(words(&"x ".repeat(100)).len(), WORDS);
    }
}
