use crate::tool;
use base::{Coded, Lang};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolbox::request::{Mode, Request, RequestError, parse, unknown_tool};

fn ok(text: &str) -> Request {
    parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn message(text: &str) -> String {
    parse(text)
        .unwrap_err()
        .message(Lang::ZhCn, &[tool("a"), tool("b")])
}

#[test]
fn the_plain_form() {
    let request = ok(
        "tool: tool://filesystem\nmode: execute\nparameters:\n  action: read\n  path: /a: b\n"
            .replace("/a: b", "'/a: b'")
            .as_str(),
    );
    assert_eq!(request.tool, tool("filesystem"));
    assert_eq!(request.mode, Mode::Execute);
    assert_eq!(
        Value::Object(request.parameters),
        json!({"action": "read", "path": "/a: b"})
    );
}

#[test]
fn aliases_defaults_and_wrappings() {
    for text in [
        "tool: tool://x",
        "toolUrl: tool://x",
        "url: tool://x",
        "tool:\nurl: tool://x",
        "tool://x",
        "  tool://x\n\n",
        "@tool://x",
        "\"tool://x\"",
        "'@tool://x'",
        "`@tool://x`",
        "tool: '@tool://x'",
        "tool: \"'tool://x'\"",
        "tool: @tool://x",
        "tool: @tool://x  # the one",
        "\u{feff}tool: tool://x",
        "---\ntool: tool://x\n",
        "```yaml\ntool: tool://x\n```",
        "```\ntool: @tool://x\n```\n",
        "\n~~~yaml\ntool: tool://x\n~~~",
        "```json\n{\"tool\": \"tool://x\"}\n```",
        "{\"tool\": \"@tool://x\"}",
        "{tool: @tool://x, mode: execute}",
        "{\n\t\"tool\": \"tool://x\",\n\t\"mode\": \"execute\"\n}",
        "\"tool: tool://x\\nmode: execute\"",
        "tool: tool://x\\nmode: execute",
        "tool: tool://x\r\nmode: execute\r\n",
        "tool: tool://x\nmode:\nparameters:\n",
        "tool: tool://x\noperation: execute",
        "tool://x\nmode: execute",
        "@tool://x\nmode: execute\nparameters: {}",
    ] {
        let request = ok(text);
        assert_eq!(
            (request.tool.as_str(), request.mode),
            ("x", Mode::Execute),
            "{text:?}"
        );
        assert!(request.parameters.is_empty(), "{text:?}");
    }
    assert_eq!(ok("tool: @tool://x\nmode: manual").mode, Mode::Manual);
    assert_eq!(ok("tool: tool://x\noperation: Log").mode, Mode::Log);
    assert_eq!(ok("tool: tool://x\\nmode: configure").mode, Mode::Configure);
    assert_eq!(
        ok("tool://x\nmode: execute\nparameters:\n  a: 1").parameters["a"],
        1
    );
    assert_eq!(ok("tool: tool://x\nparameters: '{\"a\": 1}'").parameters["a"], 1);
}

#[test]
fn the_messages_are_exact() {
    assert_eq!(message(""), "缺少必需参数: yaml");
    assert_eq!(message(" \n"), "缺少必需参数: yaml");
    let missing = "Missing required field: tool\nExample: tool: tool://filesystem\nAliases supported: tool / toolUrl / url";
    for text in [
        "mode: manual",
        "{}",
        "- a",
        "42",
        "some words",
        "tool: ''",
        "tool:",
    ] {
        assert_eq!(message(text), missing, "{text:?}");
    }
    assert_eq!(
        message("tool: filesystem"),
        "Invalid tool format: filesystem\nMust start with tool://"
    );
    assert_eq!(
        message("tool: 12"),
        "Invalid tool format: 12\nMust start with tool://"
    );
    assert_eq!(
        message("tool: http://x"),
        "Invalid tool format: http://x\nMust start with tool://"
    );
    assert_eq!(
        message("tool: tool://../etc"),
        "工具 '../etc' 不存在\n可用工具: a, b"
    );
    assert_eq!(
        unknown_tool("x", &[tool("a"), tool("b")]),
        "工具 'x' 不存在\n可用工具: a, b"
    );
    assert_eq!(
        message("tool: tool://x\nmode: destroy"),
        "不支持的模式: destroy\n支持的模式: manual, execute, configure, log"
    );
    assert_eq!(
        parse("tool: tool://x\nparameters: 5").unwrap_err().code(),
        "request_invalid_parameters"
    );
    assert_eq!(
        parse("tool: tool://x\nparameters: [1]").unwrap_err().code(),
        "request_invalid_parameters"
    );
}

#[test]
fn yaml_errors_say_where_and_show_the_bar() {
    let text = "tool: tool://x\nparameters:\n  content: \"open\n  next: 1\n";
    let RequestError::Yaml(error) = parse(text).unwrap_err() else {
        panic!("not a YAML error");
    };
    assert!(error.line >= 3, "{error:?}");
    let zh = message("tool: tool://x\nparameters:\n  a: b: c\n");
    assert!(zh.starts_with("YAML 解析失败（第 3 行，第 "), "{zh}");
    assert!(zh.contains("  > ") && zh.contains("a: b: c"), "{zh}");
    assert!(zh.contains("content: |\n"), "{zh}");
    let en = parse("tool: tool://x\nparameters:\n  a: b: c\n")
        .unwrap_err()
        .message(Lang::En, &[]);
    assert!(en.starts_with("YAML parse error at line 3, column "), "{en}");
    // The place is that of the sent text, also behind a repair.
    for text in [
        "```yaml\ntool: tool://x\nparameters:\n  a: b: c\n```",
        "\ntool: @tool://x\nparameters:\n  a: b: c\n",
    ] {
        let RequestError::Yaml(error) = parse(text).unwrap_err() else {
            panic!("not a YAML error");
        };
        assert_eq!((error.line, error.excerpt.trim()), (4, "a: b: c"), "{text:?}");
    }
}

#[test]
fn legal_yaml_means_what_it_says() {
    let text = "tool: tool://x\nparameters:\n  content: |\n    ```yaml\n    tool: @tool://other\n    ```\n    \ttab\n  email: '@someone'\n  quoted: '\"q\"'\n";
    let parameters = ok(text).parameters;
    assert_eq!(
        parameters["content"],
        "```yaml\ntool: @tool://other\n```\n\ttab\n"
    );
    assert_eq!(parameters["email"], "@someone");
    assert_eq!(parameters["quoted"], "\"q\"");
    let text = "tool: tool://x\nparameters:\n  no: no\n  country: NO\n  yes: yes\n  date: 2025-01-02\n  time: 12:30:00\n  version: 1.10.0\n  hex: 0x1F\n  nothing: ~\n  big: 9007199254740993\n  huge: 123456789012345678901234567890\n  neg: -9223372036854775808\n  on: on\n  t: true\n  f: 1.5e3\n";
    assert_eq!(
        Value::Object(ok(text).parameters),
        json!({
            "no": "no", "country": "NO", "yes": "yes", "date": "2025-01-02", "time": "12:30:00", "version": "1.10.0",
            "hex": 31, "nothing": null, "big": 9_007_199_254_740_993_i64, "huge": 123_456_789_012_345_678_901_234_567_890.0_f64,
            "neg": i64::MIN, "on": "on", "t": true, "f": 1500.0
        })
    );
    let text = "tool: tool://x\nbase: &base {a: 1, b: [x, y]}\nparameters:\n  <<: *base\n  c: *base\n";
    assert_eq!(
        Value::Object(ok(text).parameters),
        json!({"a": 1, "b": ["x", "y"], "c": {"a": 1, "b": ["x", "y"]}})
    );
}

#[test]
fn repairs_do_not_touch_parameters() {
    let text = "tool: @tool://x\nparameters:\n  to: '@tool://y'\n  content: |\n    url: @tool://z\n    a `b` \\n \"c\"\n";
    let parameters = ok(text).parameters;
    assert_eq!(parameters["to"], "@tool://y");
    assert_eq!(parameters["content"], "url: @tool://z\na `b` \\n \"c\"\n");
    let fenced = "```yaml\ntool: tool://x\nparameters:\n  content: |\n    ```js\n    1\n    ```\n```\n";
    assert_eq!(ok(fenced).parameters["content"], "```js\n1\n```\n");
}

#[test]
fn ambiguous_and_hostile_texts_are_refused() {
    for text in [
        "tool: tool://x\nparameters:\n  a: 1\n  a: 2\n",
        "{\"tool\": \"tool://x\", \"parameters\": {\"a\": 1, \"a\": 2}}",
        "tool: tool://x\nparameters: {n: .inf}",
        "tool: tool://x\nparameters: {n: 1e999}",
        "tool: tool://x\nparameters: *unknown",
        "tool: tool://x\n---\ntool: tool://y\n",
    ] {
        assert_eq!(parse(text).unwrap_err().code(), "request_yaml", "{text:?}");
    }
    let deep = format!(
        "tool: tool://x\nparameters: {{a: {}1{}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert_eq!(parse(&deep).unwrap_err().code(), "request_yaml");
    let deep = format!(
        "{{\"tool\": \"tool://x\", \"parameters\": {{\"a\": {}1{}}}}}",
        "[".repeat(100),
        "]".repeat(100)
    );
    assert_eq!(parse(&deep).unwrap_err().code(), "request_yaml");
    let deep: String = (0..3000)
        .map(|level| format!("{}a:\n", " ".repeat(level)))
        .collect();
    assert!(parse(&format!("tool: tool://x\nparameters:\n{deep}")).is_err());
    let large = format!(
        "tool: tool://x\nparameters:\n  a: {}",
        "x".repeat(toolbox::request::MAX_BYTES)
    );
    assert_eq!(parse(&large).unwrap_err().code(), "request_too_large");
}

#[test]
fn aliases_cannot_grow_a_small_text_into_gigabytes() {
    let mut laughs = "tool: tool://x\na0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..12 {
        let before = level - 1;
        let items = vec![format!("*a{before}"); 10].join(", ");
        laughs.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    assert_eq!(parse(&laughs).unwrap_err().code(), "request_yaml");
    // One large text, many times: few events, many bytes.
    let many = vec!["*big"; 3000].join(", ");
    let large = format!(
        "tool: tool://x\nbig: &big {}\nparameters: {{list: [{many}]}}",
        "x".repeat(1_000_000)
    );
    assert_eq!(parse(&large).unwrap_err().code(), "request_yaml");
    // Honest use stays possible.
    let few = vec!["*big"; 50].join(", ");
    let fine = format!(
        "tool: tool://x\nbig: &big {}\nparameters: {{list: [{few}]}}",
        "x".repeat(1000)
    );
    assert_eq!(ok(&fine).parameters["list"].as_array().unwrap().len(), 50);
}

/// Any JSON value; floats that have an exact short decimal form.
fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,20}",
        any::<String>(),
        "[ \t\r\n:#|>@`\"'{}\\[\\],&*!%~?<=-]{0,12}"
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (any::<i32>(), 0u32..10).prop_map(|(n, k)| json!(f64::from(n) / f64::from(1 << k))),
        text.prop_map(Value::from),
        prop::sample::select(vec![
            "yes",
            "null",
            "~",
            "true",
            "1",
            "0x1",
            "1e3",
            "2025-01-01",
            "",
            " ",
            "---",
            "...",
            "<<",
            "=",
            "tool://x",
            "@a"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("\\PC{0,8}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Equal, with `1` and `1.0` the same number: YAML has one kind of number in flow style too.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_json_value_survives_as_json_and_inside_yaml(value in any_value()) {
        let parameters = Map::from_iter([("v".to_owned(), value.clone())]);
        let parameters = Value::Object(parameters);
        let compact = parameters.to_string();
        let pretty = serde_json::to_string_pretty(&parameters).unwrap().replace('\n', "\n  ");
        for text in [
            format!("{{\"tool\":\"tool://x\",\"parameters\":{compact}}}"),
            format!("tool: tool://x\nparameters: {compact}\n"),
            format!("tool: @tool://x\nparameters: {compact}\n"),
            format!("```yaml\ntool: tool://x\nparameters:\n  {pretty}\n```"),
        ] {
            let request = parse(&text);
            prop_assert!(request.is_ok(), "{}: {:?}", text, request);
            let got = Value::Object(request.unwrap().parameters);
            prop_assert!(same(&got, &parameters), "{} became {}", parameters, got);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in prop_oneof![any::<String>(), "[\\n :@`'\"{}\\[\\]&*|>#a-z/-]{0,80}", "(tool|mode|: |://|\\n|@|```|\\\\n|x| |\"){0,20}"]) {
        let _ = parse(&text).map_err(|error| (error.message(Lang::ZhCn, &[]), error.message(Lang::En, &[])));
    }
}
