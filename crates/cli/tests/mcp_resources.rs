//! What MCP clients read, complete and hear of by themselves, and what tools answer beside text.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; puts files there as a person would"
)]

mod common;

use common::mcp::Mcp;
use common::pipe::Piped;
use common::{Home, bound, built_in, until};
use serde_json::{Value, json};

const GREETING: &str = "export default {
    getMetadata: () => ({ name: 'greet', version: '1.0.0', description: 'Greets somebody politely', tags: ['hello'] }),
    getSchema: () => ({ parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] } }),
    async execute({ who }) { return { text: 'Hello, ' + who }; },
};";

fn uris(answer: &Value) -> Vec<String> {
    let listed = answer["result"]["resources"].as_array();
    let listed = listed.unwrap_or_else(|| panic!("{answer}")).iter();
    listed
        .map(|one| one["uri"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn pictures_manuals_and_logs_are_resources() {
    let home = Home::new();
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let drawn = mcp.whole(
        "run_javascript",
        json!({"code": "getCanvas(4, 4).getContext('2d').fillRect(0, 0, 4, 4)"}),
    );
    let link = drawn["result"]["content"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(
        (&link["type"], &link["mimeType"]),
        (&json!("resource_link"), &json!("image/png"))
    );
    let picture = link["uri"].as_str().unwrap();
    let listed = uris(&mcp.request("resources/list", json!({})));
    for uri in [picture, "tool://todolist/manual", "tool://filesystem/log"] {
        assert!(listed.contains(&uri.to_owned()), "{uri} is not among {listed:?}");
    }
    let read = |uri: &str| mcp.request("resources/read", json!({"uri": uri}));
    let shown = read(picture);
    let blob = shown["result"]["contents"][0]["blob"].as_str().unwrap();
    assert!(blob.starts_with("iVBORw0KGgo"), "a PNG");
    let manual = read("tool://todolist/manual");
    assert!(
        manual["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("使用示例")
    );
    mcp.text(
        "toolm",
        json!({"yaml": "tool: tool://todolist\nparameters: {action: query}"}),
    );
    let log = read("tool://todolist/log");
    assert!(
        log["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("执行完成"),
        "{log}"
    );

    let templates = mcp.request("resources/templates/list", json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"].as_array().unwrap().len(),
        4
    );
    // Nothing of an address becomes a path.
    for uri in [
        "artifact:../token",
        "artifact:00000000-0000-4000-8000-000000000000",
        "tool://todolist/.env",
        "tool://../../token",
        "tool://nowhere/manual",
        "file:///etc/passwd",
        "tool://todolist/%2e%2e/log",
    ] {
        let refused = read(uri);
        assert_eq!(refused["error"]["code"], -32002, "{uri}: {refused}");
        assert!(!refused.to_string().contains("/root"), "{refused}");
    }
}

#[test]
fn what_a_token_does_not_cover_is_no_resource_either() {
    let home = Home::new();
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let drawn = mcp.whole(
        "run_javascript",
        json!({"code": "getCanvas(4, 4).getContext('2d').fillRect(0, 0, 4, 4)"}),
    );
    let picture = drawn["result"]["content"].as_array().unwrap().last().unwrap()["uri"].clone();
    let made = home.pm(&["token", "new", "narrow", "--tool", "tool://todolist"]);
    let secret = common::stdout(&made).trim().to_owned();
    let narrow = Mcp::with_secret(&home, &served, &secret);
    let listed = uris(&narrow.request("resources/list", json!({})));
    assert_eq!(listed, ["tool://todolist/manual", "tool://todolist/log"]);
    for uri in [picture, json!("tool://filesystem/log")] {
        let refused = narrow.request("resources/read", json!({"uri": uri}));
        assert_eq!(refused["error"]["data"]["code"], "out_of_scope", "{refused}");
    }
}

#[test]
fn arguments_are_completed() {
    let home = Home::new();
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let complete = |reference: Value, name: &str, value: &str| {
        let argument = json!({"name": name, "value": value});
        let answer = mcp.request(
            "completion/complete",
            json!({"ref": reference, "argument": argument}),
        );
        answer["result"]["completion"]["values"].clone()
    };
    let template = json!({"type": "ref/resource", "uri": "tool://{tool}/manual"});
    assert_eq!(complete(template.clone(), "tool", "ToDo"), json!(["todolist"]));
    assert_eq!(complete(template, "tool", ""), json!(built_in()));
    std::fs::write(
        home.path().join("prompts/flag.yaml"),
        "name: Flag\narguments:\n  - {name: on, type: boolean, default: true}\n  - {name: to, default: Chinese}\nmessages: [{content: {text: '{{on}} {{to}}'}}]\n",
    )
    .unwrap();
    let prompt = json!({"type": "ref/prompt", "name": "Flag"});
    until("the new prompt", || {
        complete(prompt.clone(), "to", "") == json!(["Chinese"])
    });
    assert_eq!(complete(prompt.clone(), "on", ""), json!(["true", "false"]));
    assert_eq!(complete(prompt.clone(), "on", "f"), json!(["false"]));
    assert_eq!(complete(prompt, "nothing", ""), json!([]));
}

#[test]
fn clients_hear_what_changes() {
    let home = Home::new();
    let _served = home.serve();
    let mut piped = Piped::introduced(&home, &[], json!({}));
    piped.request(1, "resources/subscribe", json!({"uri": "tool://todolist/log"}));
    assert!(piped.answer(1).get("result").is_some());
    piped.request(2, "resources/subscribe", json!({"uri": "file:///etc/passwd"}));
    assert_eq!(piped.answer(2)["error"]["data"]["code"], "resource_not_found");
    let heard = |piped: &mut Piped, method: &str| loop {
        let message = piped.hear();
        if message["method"] == method {
            return message;
        }
    };
    let run = home.pm(&["tool", "run", "todolist", "--params", r#"{"action": "query"}"#]);
    assert!(run.status.success(), "{run:?}");
    let updated = heard(&mut piped, "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "tool://todolist/log");
    home.put_tool("greet", GREETING);
    assert!(home.pm(&["tool", "list"]).status.success());
    heard(&mut piped, "notifications/tools/list_changed");

    // The same in the newest revision: one request that lasts.
    let mut listener = Piped::start(&home, &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let wanted =
        json!({"resourcesListChanged": true, "resourceSubscriptions": ["tool://greet/log", "file:///x"]});
    listener.request(
        1,
        "subscriptions/listen",
        json!({"notifications": wanted, "_meta": meta}),
    );
    let acknowledged = heard(&mut listener, "notifications/subscriptions/acknowledged");
    assert_eq!(
        acknowledged["params"]["notifications"]["resourceSubscriptions"],
        json!(["tool://greet/log"])
    );
    let run = home.pm(&["tool", "run", "greet", "--params", r#"{"who": "Ada"}"#]);
    assert!(run.status.success(), "{run:?}");
    let updated = heard(&mut listener, "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "tool://greet/log");
}

#[test]
fn results_are_structured_where_tools_say_how() {
    let home = Home::new();
    let folder = bound(&home);
    std::fs::write(folder.join("a.txt"), "hello\n").unwrap();
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let listed = mcp.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    let schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert!(tool["title"].is_string(), "{name} has no title");
        tool["outputSchema"].clone()
    };
    for (tool, arguments) in [
        ("read_file", json!({"taskId": "t1", "path": "a.txt"})),
        ("list_files", json!({"taskId": "t1"})),
        ("get_workspace_info", json!({"taskId": "t1"})),
        ("search_files", json!({"taskId": "t1", "pattern": "hello"})),
        (
            "append_file",
            json!({"taskId": "t1", "path": "b.txt", "content": "x"}),
        ),
        ("run_command", json!({"taskId": "t1", "command": "echo x"})),
        ("search_prompts", json!({})),
        ("find_tools", json!({"query": "待办清单"})),
    ] {
        let result = mcp.whole(tool, arguments)["result"].clone();
        let structured = &result["structuredContent"];
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(structured, &text, "{tool}");
        let schema = schema(tool);
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(
                structured.get(name.as_str().unwrap()).is_some(),
                "{tool} has no {name}: {structured}"
            );
        }
    }
    let failed = mcp.whole("read_file", json!({"taskId": "t1", "path": "nowhere"}));
    assert!(
        failed["result"]["isError"] == true && failed["result"].get("structuredContent").is_none(),
        "{failed}"
    );
    let (_, found) = mcp.call("find_tools", json!({"query": "待办清单"}));
    assert_eq!(found["tools"][0]["tool"], "tool://todolist", "{found}");
    assert!(
        found["tools"][0]["parameters"]
            .as_array()
            .unwrap()
            .contains(&json!("action"))
    );
}

#[test]
fn tools_have_names_of_their_own_when_settings_say_so() {
    let home = Home::new();
    home.put_tool("greet", GREETING);
    let names = |mcp: &Mcp| mcp.request("tools/list", json!({}))["result"]["tools"].to_string();
    {
        let served = home.serve();
        let mcp = Mcp::connect(&home, &served);
        assert!(!names(&mcp).contains(r#""name":"greet""#));
        assert_eq!(
            mcp.error("greet", json!({"who": "Ada"}))["data"]["code"],
            "unknown_mcp_tool"
        );
    }
    std::fs::write(
        home.path().join("settings.json"),
        r#"{"server": {"toolsByName": true}}"#,
    )
    .unwrap();
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    assert!(names(&mcp).contains(r#""name":"greet""#));
    let (failed, answer) = mcp.call("greet", json!({"who": "Ada"}));
    assert!(!failed && answer["result"]["text"] == "Hello, Ada", "{answer}");
    let text = mcp.text("greet", json!({}));
    assert!(text.contains("who"), "the missing parameter is explained: {text}");
}
