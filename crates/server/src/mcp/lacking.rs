//! What a tool cannot do without and its configuration does not say: asked of the person by a form of her
//! client, kept as by mode `configure`, and the run goes on. Where the client has no forms, the run goes
//! on without, and its failure says what is missing.
//!
//! Secrets are never asked for here: what is written into a client's form passes through the client, and
//! perhaps through a model. The form says where they are set instead.

use super::elicit::{ByClient, form};
use crate::approvals::Patience;
use base::Lang;
use base::name::ToolName;
use rmcp::model::{ElicitRequest, ElicitationAction};
use serde_json::{Map, Value, json};
use toolbox::model::Property;
use toolbox::modes::{Asks, Values};

/// As `input_required` names the form.
const KEY: &str = "configuration";

impl Asks for ByClient {
    fn values<'a>(&'a self, tool: &'a ToolName, lacking: &'a [&'a Property]) -> Values<'a> {
        Box::pin(async move {
            let form = fields(tool, lacking, self.lang)?;
            // As long as for an answer about a command.
            let asked = tokio::time::timeout(Patience::default().time, self.hear(KEY, form));
            let result = asked.await.ok().flatten()?;
            match (result.action, result.content) {
                (ElicitationAction::Accept, Some(Value::Object(given))) => Some(filled_in(given)),
                _ => None,
            }
        })
    }
}

/// `None` when there is nothing that may be asked.
fn fields(tool: &ToolName, lacking: &[&Property], lang: Lang) -> Option<ElicitRequest> {
    let (secret, open): (Vec<&Property>, Vec<_>) = lacking.iter().partition(|one| one.is_secret());
    if open.is_empty() {
        return None;
    }
    let names: Vec<&str> = open.iter().map(|one| one.name.as_str()).collect();
    let properties: Map<String, Value> = open
        .iter()
        .map(|one| (one.name.clone(), field(one, lang)))
        .collect();
    let mut message = match lang {
        Lang::ZhCn => format!("工具 {tool} 需要以下配置才能运行；填写后将保存在它的 .env 中。"),
        Lang::En => format!("The tool {tool} needs these values to run. They are kept in its .env."),
    };
    if !secret.is_empty() {
        let names: Vec<&str> = secret.iter().map(|one| one.name.as_str()).collect();
        let names = names.join(", ");
        message += "\n";
        message += &match lang {
            Lang::ZhCn => {
                format!(
                    "密钥 {names} 不在此填写：请在 Prompt Manager 窗口中或用 pm tool configure {tool} 设置。"
                )
            }
            Lang::En => format!(
                "Secrets ({names}) are not for this form: set them in the window of Prompt Manager or with pm tool configure {tool}."
            ),
        };
    }
    form(
        message,
        json!({"type": "object", "properties": properties, "required": names}),
    )
}

/// The part of a variable's schema that a form may have. Lists and the like are written as text.
fn field(property: &Property, lang: Lang) -> Value {
    let definition = &property.definition;
    let kind = definition.get("type").and_then(Value::as_str);
    let kind = kind
        .filter(|kind| ["number", "integer", "boolean"].contains(kind))
        .unwrap_or("string");
    let mut field = Map::from_iter([
        ("type".to_owned(), json!(kind)),
        ("title".to_owned(), json!(property.name)),
    ]);
    let limits: &[&str] = match kind {
        "string" => &["minLength", "maxLength"],
        "boolean" => &[],
        _ => &["minimum", "maximum"],
    };
    for name in limits {
        if let Some(limit) = definition.get(*name).filter(|limit| limit.is_number()) {
            field.insert((*name).to_owned(), limit.clone());
        }
    }
    let texts = |values: &Vec<Value>| values.iter().all(Value::is_string);
    if let Some(allowed) = property
        .allowed()
        .filter(|allowed| kind == "string" && texts(allowed))
    {
        field.insert("enum".to_owned(), json!(allowed));
    }
    let mut about = property.description().to_owned();
    if let Some(example) = property.example() {
        let example = example
            .as_str()
            .map_or_else(|| example.to_string(), str::to_owned);
        about += &match lang {
            Lang::ZhCn => format!("（例如 {example}）"),
            Lang::En => format!(" (such as {example})"),
        };
    }
    if !about.trim().is_empty() {
        field.insert("description".to_owned(), json!(about.trim()));
    }
    Value::Object(field)
}

/// A field that was left empty says nothing.
fn filled_in(mut given: Map<String, Value>) -> Map<String, Value> {
    given.retain(|_, value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty()));
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(name: &str, definition: Value) -> Property {
        let Value::Object(definition) = definition else {
            panic!("{definition}")
        };
        Property {
            name: name.to_owned(),
            required: true,
            definition,
        }
    }

    #[test]
    fn a_form_asks_for_everything_but_secrets() {
        let all = [
            property(
                "REGION",
                json!({"type": "string", "enum": ["eu", "us"], "description": "Where"}),
            ),
            property(
                "PORT",
                json!({"type": "integer", "minimum": 1, "maximum": 65535, "example": 8080}),
            ),
            property("HOSTS", json!({"type": "array", "items": {"type": "string"}})),
            property("STRICT", json!({"type": "boolean"})),
            property("API_KEY", json!({"type": "string"})),
            property("PIN", json!({"type": "string", "secret": true})),
        ];
        let lacking: Vec<&Property> = all.iter().collect();
        let tool = ToolName::parse("mail").unwrap();
        let asked = serde_json::to_value(fields(&tool, &lacking, Lang::En).unwrap()).unwrap();
        let (message, schema) = (&asked["params"]["message"], &asked["params"]["requestedSchema"]);
        let fields = schema["properties"].as_object().unwrap();
        assert_eq!(
            fields.keys().collect::<Vec<_>>(),
            ["REGION", "PORT", "HOSTS", "STRICT"]
        );
        assert_eq!(schema["required"], json!(["REGION", "PORT", "HOSTS", "STRICT"]));
        assert_eq!(fields["REGION"]["enum"], json!(["eu", "us"]));
        assert_eq!(fields["PORT"]["type"], "integer");
        assert_eq!(fields["PORT"]["maximum"], 65535);
        assert_eq!(fields["PORT"]["description"], "(such as 8080)");
        assert_eq!(fields["HOSTS"]["type"], "string");
        let message = message.as_str().unwrap();
        assert!(
            message.contains("API_KEY, PIN") && message.contains("pm tool configure mail"),
            "{message}"
        );

        let secrets: Vec<&Property> = all[4..].iter().collect();
        assert!(
            super::fields(&tool, &secrets, Lang::En).is_none(),
            "nothing to ask"
        );
    }

    #[test]
    fn what_was_left_empty_is_not_given() {
        let given = json!({"A": "x", "B": " ", "C": null, "D": 0, "E": false});
        let Value::Object(given) = given else { panic!() };
        let left: Vec<String> = filled_in(given).into_iter().map(|(name, _)| name).collect();
        assert_eq!(left, ["A", "D", "E"]);
    }
}
