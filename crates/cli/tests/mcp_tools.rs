//! Calls of tools that need more than one answer: what their configuration lacks is asked for, and what
//! takes long becomes a task.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; puts tools there as a person would"
)]

mod common;

use common::mcp::{Mcp, Stateless};
use common::pipe::Piped;
use common::{Home, runs_now, stdout, until};
use serde_json::{Value, json};

const MAILER: &str = "export default {
    getSchema: () => ({
        parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
        environment: {
            properties: {
                HOST: { type: 'string', description: 'Server', example: 'mail.example.org' },
                PORT: { type: 'integer', minimum: 1, maximum: 65535 },
                MAIL_PASSWORD: { type: 'string' },
                SIGNATURE: { type: 'string' },
            },
            required: ['HOST', 'PORT', 'MAIL_PASSWORD'],
        },
    }),
    async execute({ to }) {
        const [HOST, PORT] = ['HOST', 'PORT'].map((name) => this.api.environment.get(name));
        if (!HOST) throw new Error('no server');
        return { to, by: HOST + ':' + PORT };
    },
};";
const CALL: &str = "tool: tool://mailer\nparameters: {to: someone}";

fn env_file(home: &Home) -> String {
    std::fs::read_to_string(home.path().join("toolbox/mailer/.env")).unwrap_or_default()
}

/// The next message that wants something or answers something.
fn heard(piped: &mut Piped) -> Value {
    loop {
        let message = piped.hear();
        let method = message["method"].as_str().unwrap_or_default();
        if !method.starts_with("notifications/") {
            return message;
        }
    }
}

fn check_form(params: &Value) {
    let fields = params["requestedSchema"]["properties"].as_object().unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["HOST", "PORT"], "{params}");
    assert_eq!(fields["PORT"]["type"], "integer");
    let message = params["message"].as_str().unwrap();
    assert!(
        message.contains("mailer") && message.contains("MAIL_PASSWORD"),
        "{message}"
    );
}

#[test]
fn what_a_tool_lacks_is_asked_in_a_session_and_kept() {
    let home = Home::new();
    home.put_tool("mailer", MAILER);
    let _served = home.serve();
    let mut piped = Piped::introduced(&home, &["--client", "desk"], json!({"elicitation": {}}));

    // Who is not ready for the call is not asked either.
    piped.call(1, "toolm", json!({"yaml": "tool: tool://mailer"}));
    assert_eq!(heard(&mut piped)["result"]["isError"], true);

    // Closed without an answer, the tool runs as it is, and its failure says what is missing.
    piped.call(2, "toolm", json!({"yaml": CALL}));
    let asked = heard(&mut piped);
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    piped.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "cancel"}}));
    let failed = piped.answer(2)["result"].clone();
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(
        failed["isError"] == true && text.contains("no server"),
        "{failed}"
    );
    assert!(text.contains("`HOST`, `PORT`, `MAIL_PASSWORD`"), "{text}");
    assert_eq!(env_file(&home), "");

    piped.call(3, "toolm", json!({"yaml": CALL}));
    let asked = heard(&mut piped);
    check_form(&asked["params"]);
    let content = json!({"HOST": "mail.example.org", "PORT": 2525, "MAIL_PASSWORD": "sent anyway"});
    let result = json!({"action": "accept", "content": content});
    piped.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
    assert_eq!(piped.result(3)["result"]["by"], "mail.example.org:2525");
    let kept = env_file(&home);
    assert!(kept.contains("HOST=") && kept.contains("2525"), "{kept}");
    assert!(
        !kept.contains("sent anyway"),
        "a secret is not taken from a form: {kept}"
    );

    // A secret alone is not asked for.
    piped.call(4, "toolm", json!({"yaml": CALL}));
    assert_eq!(piped.result(4)["result"]["to"], "someone");
}

#[test]
fn what_a_tool_lacks_is_asked_by_an_answer_where_there_is_no_session() {
    let home = Home::new();
    home.put_tool("mailer", MAILER);
    let served = home.serve();
    let client = Stateless::new(&home, &served, json!({"elicitation": {"form": {}}}));
    let call = |extra: Value| client.call("toolm", json!({"yaml": CALL}), extra)["result"].clone();

    let asked = call(json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    check_form(&asked["inputRequests"]["configuration"]["params"]);
    let state = asked["requestState"].clone();
    // Without an answer it is asked again.
    let again = call(json!({"requestState": state, "inputResponses": {}}));
    assert_eq!(again["requestState"], state);
    assert!(again["inputRequests"]["configuration"].is_object(), "{again}");
    // What breaks the schema is refused as mode configure refuses it.
    let form =
        |port: u32| json!({"configuration": {"action": "accept", "content": {"HOST": "h", "PORT": port}}});
    let refused = call(json!({"requestState": state, "inputResponses": form(70000)}));
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(env_file(&home), "");
    let state = call(json!({}))["requestState"].clone();
    let done = call(json!({"requestState": state, "inputResponses": form(25)}));
    let text = done["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{done}"));
    assert!(text.contains("h:25"), "{text}");
}

#[test]
fn a_client_without_forms_is_told_what_is_missing() {
    let home = Home::new();
    home.put_tool("mailer", MAILER);
    let served = home.serve();
    let text = Mcp::connect(&home, &served).text("toolm", json!({"yaml": CALL}));
    assert!(
        text.contains("no server") && text.contains("`HOST`, `PORT`, `MAIL_PASSWORD`"),
        "{text}"
    );
    assert!(text.contains("pm tool configure mailer"), "{text}");
}

const SLOW: &str = "export default {
    getSchema: () => ({ parameters: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] } }),
    async execute({ ms }) { await new Promise((done) => setTimeout(done, ms)); return 'slept'; },
};";

#[test]
fn what_takes_long_is_a_task_for_a_client_that_knows_tasks() {
    let home = Home::new();
    home.put_tool("slow", SLOW);
    let served = home.serve();
    let knows = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let client = Stateless::new(&home, &served, knows.clone());
    let call = |client: &Stateless, ms: u32| {
        let yaml = format!("tool: tool://slow\nparameters: {{ms: {ms}}}");
        client.call("toolm", json!({"yaml": yaml}), json!({}))["result"].clone()
    };
    let about =
        |client: &Stateless, method: &str, id: &str| client.request(method, id, json!({"taskId": id}));

    assert!(
        call(&client, 1)["content"].is_array(),
        "what is quick is answered at once"
    );
    let task = call(&client, 5000);
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working")),
        "{task}"
    );
    let id = task["taskId"].as_str().unwrap();

    // It is nobody else's.
    let made = home.pm(&["token", "new", "other"]);
    let other = Stateless::new(&home, &served, knows).with_secret(stdout(&made).trim());
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = about(&other, method, id);
        assert_eq!(
            refused["error"]["data"]["code"], "mcp_task_not_found",
            "{refused}"
        );
    }
    let mut last = Value::Null;
    until("the task is done", || {
        last = about(&client, "tasks/get", id)["result"].clone();
        last["status"] != "working"
    });
    assert_eq!(last["status"], "completed", "{last}");
    assert!(
        last["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("slept"),
        "{last}"
    );

    // Called off, its run ends.
    let task = call(&client, 60_000);
    let id = task["taskId"].as_str().unwrap_or_else(|| panic!("{task}"));
    assert!(runs_now(&home));
    let done = about(&client, "tasks/cancel", id);
    assert!(done.get("error").is_none(), "{done}");
    until("the task is called off", || {
        about(&client, "tasks/get", id)["result"]["status"] == "cancelled"
    });
    assert!(!runs_now(&home));

    // Who does not know tasks waits.
    let plain = Stateless::new(&home, &served, json!({}));
    let waited = call(&plain, 3500);
    assert!(
        waited["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("slept")),
        "{waited}"
    );
}
