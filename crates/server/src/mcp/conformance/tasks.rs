//! Fixtures of the tasks extension: work that takes a while, fails, or asks.

use super::rounds::{self, Step, hear, words};
use super::{Context, Fixtures};
use crate::mcp::elicit::ByClient;
use crate::mcp::{Answered, long};
use base::Failure;
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ClientCapabilities};
use serde_json::Value;
use std::time::Duration;

/// Those that are tasks or nothing.
const REQUIRED: &[&str] = &["failing_job", ASKS_FIRST];
const ASKS_FIRST: &str = "test_tool_with_task";
const OTHERS: &[&str] = &[
    "slow_compute",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
];
/// Longer than it takes for a call to become a task.
const WHILE: Duration = Duration::from_millis(200);

pub(super) fn knows(name: &str) -> bool {
    REQUIRED.contains(&name) || OTHERS.contains(&name)
}

/// At once a task, for a client that knows them.
pub(super) async fn call(
    fixtures: &Fixtures,
    request: CallToolRequestParams,
    context: Context,
) -> Result<CallToolResponse, ErrorData> {
    if REQUIRED.contains(&request.name.as_ref()) && !long::knows_tasks(&context) {
        let required = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(required));
    }
    let endpoint = &fixtures.endpoint;
    if request.request_state.is_some() {
        return endpoint.call_within(request, context, Duration::ZERO).await;
    }
    // One that asks before it is a task has the usual moment for that.
    let moment = match request.name.as_ref() {
        ASKS_FIRST => long::MOMENT,
        _ => Duration::ZERO,
    };
    let (client, open) = fixtures.opened(&context, |asked| work(request, asked))?;
    endpoint.see_through(open, &client.key, &context, moment).await
}

async fn work(request: CallToolRequestParams, asked: ByClient) -> Result<Answered, Failure> {
    let argument = |name: &str| request.arguments.as_ref().and_then(|all| all.get(name));
    let name = request.name.as_ref();
    let mut who = Value::Null;
    if name == ASKS_FIRST {
        who = hear(&asked, rounds::NAME).await?;
    }
    let seconds = argument("seconds").and_then(Value::as_f64).unwrap_or_default();
    tokio::time::sleep(Duration::from_secs_f64(seconds.clamp(0.0, 30.0)).max(WHILE)).await;
    let confirm = Step("confirm", "Delete the file?", "confirm", "boolean");
    match name {
        "failing_job" => {
            let mut failed = words("The job failed");
            failed.content.is_error = true;
            Ok(failed)
        }
        "protocol_error_job" => Err(Failure::new("internal").detail("the job broke")),
        "confirm_delete" => {
            let said = hear(&asked, confirm).await?;
            Ok(words(&format!("Asked about the file: {said}")))
        }
        "multi_input" => {
            let other = Step("other", "And the other?", "confirm", "boolean");
            let (one, other) = tokio::try_join!(hear(&asked, confirm), hear(&asked, other))?;
            Ok(words(&format!("{one}, {other}")))
        }
        _ => Ok(words(&format!("Done for {who}"))),
    }
}
