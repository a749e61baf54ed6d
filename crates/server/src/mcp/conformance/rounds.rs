//! Fixtures that ask by their answers (revision 2026-07-28, multi round-trip requests). What is one form
//! after another is asked as the server asks about commands; what it never asks for (a model's words, roots,
//! several things at once) is answered here.

use super::{Context, Fixtures, data};
use crate::mcp::elicit::{self, ByClient};
use crate::mcp::{Answered, long};
use base::Failure;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitationAction,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequests, InputRequiredResult,
    InputResponses, PromptMessage, Role,
};
use serde_json::{Map, Value, json};
use wire::McpContent;

pub(super) const PROMPT: &str = "test_input_required_result_prompt";
const STATE: &str = "several";

/// A question of a fixture: its key, its words, the one field of its form.
#[derive(Clone, Copy)]
pub(super) struct Step(
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
);

pub(super) const NAME: Step = Step("user_name", "What is your name?", "name", "string");
const CONFIRM: Step = Step("confirm", "Please confirm", "ok", "boolean");

pub(super) async fn call(
    fixtures: &Fixtures,
    request: CallToolRequestParams,
    context: Context,
) -> Result<CallToolResponse, ErrorData> {
    let answers = request.input_responses.clone().unwrap_or_default();
    let (steps, done): (&'static [Step], &'static str) = match request.name.as_ref() {
        "test_input_required_result_sampling" => {
            let asked = [("sample", sampling("What is the capital of France?"))];
            return one_round(&asked, &answers, None);
        }
        "test_input_required_result_list_roots" => return one_round(&[("roots", roots())], &answers, None),
        "test_input_required_result_multiple_inputs" => {
            let asked = [
                ("user_name", form(NAME)),
                ("greeting", sampling("Say hello")),
                ("client_roots", roots()),
            ];
            return one_round(&asked, &answers, Some(STATE));
        }
        "test_input_required_result_capabilities" => {
            let declared = context.client_capabilities().unwrap_or_default();
            let mut asked = Vec::new();
            if declared.elicitation.is_some() {
                asked.push(("elicit", form(NAME)));
            }
            if declared.sampling.is_some() {
                asked.push(("sample", sampling("Say hello")));
            }
            if declared.roots.is_some() {
                asked.push(("roots", roots()));
            }
            return one_round(&asked, &answers, None);
        }
        "test_input_required_result_elicitation" => (&[NAME], "Hello"),
        "test_input_required_result_request_state" => (&[CONFIRM], "state-ok"),
        "test_input_required_result_tampered_state" => (&[CONFIRM], "integrity-ok"),
        "test_input_required_result_multi_round" => (
            &[
                Step("step1", "Step 1: What is your name?", "name", "string"),
                Step("step2", "Step 2: What is your favorite color?", "color", "string"),
            ],
            "Both steps done",
        ),
        other => {
            let unknown = format!("no fixture does {other}");
            return Err(ErrorData::internal_error(unknown, None));
        }
    };
    // An answer may come before the question; the server itself never takes one so.
    let before = |step: &Step| answers.get(step.0).cloned().and_then(elicit::result);
    if let [step] = steps
        && request.request_state.is_none()
        && before(step).is_some_and(|result| result.action == ElicitationAction::Accept)
    {
        return Ok(CallToolResult::success(vec![ContentBlock::text(done)]).into());
    }
    if request.request_state.is_some() {
        return fixtures
            .endpoint
            .call_within(request, context, long::MOMENT)
            .await;
    }
    let work = move |asked: ByClient| async move {
        let mut said = Vec::new();
        for step in steps {
            said.push(hear(&asked, *step).await?.to_string());
        }
        Ok(words(&format!("{done}: {}", said.join(", "))))
    };
    let (client, open) = fixtures.opened(&context, work)?;
    fixtures
        .endpoint
        .see_through(open, &client.key, &context, long::MOMENT)
        .await
}

/// Asks until there is an answer to what was asked.
pub(super) async fn hear(asked: &ByClient, step: Step) -> Result<Value, Failure> {
    let Step(key, _, field, _) = step;
    loop {
        let form = data::read_json(form(step)).ok_or_else(|| Failure::new("internal"))?;
        let Some(result) = asked.hear(key, form).await else {
            return Err(Failure::new("approval_required"));
        };
        let content = result.content.unwrap_or_default();
        match content.get(field) {
            Some(value) if result.action == ElicitationAction::Accept => return Ok(value.clone()),
            _ if result.action != ElicitationAction::Accept => return Ok(json!(result.action)),
            _ => {}
        }
    }
}

pub(super) fn words(text: &str) -> Answered {
    let content = McpContent {
        content: vec![data::text(text)],
        is_error: false,
    };
    content.into()
}

/// All that is asked in one answer; done when all of it is answered.
fn one_round(
    asked: &[(&str, Value)],
    answers: &InputResponses,
    state: Option<&str>,
) -> Result<CallToolResponse, ErrorData> {
    if !answers.is_empty() && asked.iter().all(|(key, _)| answers.contains_key(*key)) {
        let text = json!(answers).to_string();
        return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
    }
    Ok(required(asked, state)?.into())
}

fn required(asked: &[(&str, Value)], state: Option<&str>) -> Result<InputRequiredResult, ErrorData> {
    let requests: Map<String, Value> = asked
        .iter()
        .map(|(key, request)| ((*key).to_owned(), request.clone()))
        .collect();
    let requests: Option<InputRequests> = data::read_json(Value::Object(requests));
    let requests = requests.ok_or_else(|| ErrorData::internal_error("the fixture is wrong", None))?;
    Ok(InputRequiredResult::new(Some(requests), state.map(str::to_owned)))
}

/// `prompts/get` of the prompt that wants to know something first.
pub(super) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let answers = request.input_responses.as_ref();
    let answer = answers.and_then(|answers| answers.get("user_context"));
    let said = answer.and_then(|answer| answer.get("content")?.get("context")?.as_str());
    let Some(said) = said else {
        let context = Step(
            "user_context",
            "What should the prompt be about?",
            "context",
            "string",
        );
        return Ok(required(&[("user_context", form(context))], None)?.into());
    };
    let message = PromptMessage::new_text(Role::User, format!("A prompt about {said}"));
    Ok(GetPromptResult::new(vec![message]).into())
}

fn form(Step(_, words, field, kind): Step) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    json!(elicit::form(words.to_owned(), schema))
}

pub(super) fn sampling(prompt: &str) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": data::text(prompt)}],
        "maxTokens": 100,
    }})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}
