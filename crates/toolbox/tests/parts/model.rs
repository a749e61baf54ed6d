use crate::{bare, full, tool};
use base::{Coded, Lang};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;
use toolbox::model::{Description, ModelError, NetworkAccess, RuntimeConfig, SandboxType, is_secret_name};

fn codes(description: &Description) -> Vec<&str> {
    description
        .problems
        .iter()
        .map(|problem| problem.code.as_str())
        .collect()
}

#[test]
fn a_complete_report_is_read_without_problems() {
    let description = full();
    assert_eq!(codes(&description), Vec::<&str>::new());
    assert_eq!(description.metadata.version, "2.1.0");
    assert_eq!(description.runtime.max_memory_mb, 256);
    assert_eq!(description.runtime.max_execution_time, Duration::from_secs(60));
    assert_eq!(description.runtime.sandbox, SandboxType::QuickJs);
    assert_eq!(description.runtime.environment["LEVEL"], "3");
    assert_eq!(
        description.runtime.network,
        NetworkAccess::Only {
            hosts: vec!["example.org".to_owned()],
            loopback: vec![8080]
        }
    );
    let sources = description.dependency_sources();
    assert_eq!(sources.local, ["./local.js"]);
    assert_eq!(sources.npm, [("pdf-parse".to_owned(), "^1.1.1".to_owned())]);
    assert_eq!(
        sources.system,
        [("docker".to_owned(), Some(">=20.0.0".to_owned()))]
    );
    assert!(description.business_error("BUSY").unwrap().retryable);
}

#[test]
fn a_tool_with_execute_alone_gets_the_defaults() {
    let description = bare();
    assert_eq!(description.metadata.name, "bare");
    assert_eq!(description.runtime, RuntimeConfig::default());
    assert_eq!(description.runtime.max_memory_mb, 512);
    assert_eq!(description.runtime.max_execution_time, Duration::from_secs(30));
    assert_eq!(description.runtime.network, NetworkAccess::None);
    assert!(!description.runtime.processes);
    assert_eq!(description.runtime.concurrency, 1);
    assert_eq!(
        codes(&description),
        ["describe_missing", "describe_missing"].repeat(2)[..3].to_vec()
    );
}

#[test]
fn only_a_missing_execute_is_fatal() {
    let refused = Description::from_report(&tool("x"), json!({"members": ["getSchema"]}), Lang::ZhCn);
    assert_eq!(refused.unwrap_err().code(), "tool_without_execute");
    let refused = Description::from_report(&tool("x"), json!([]), Lang::ZhCn);
    assert_eq!(refused.unwrap_err().code(), "description_unreadable");
}

#[test]
fn sloppy_tools_are_described_and_their_problems_noted() {
    let description = Description::from_report(
        &tool("sloppy"),
        json!({
            "members": ["execute"],
            "metadata": {"name": 7, "description": "x", "version": "1.0", "tags": "one", "scenarios": [1, {}]},
            "schema": {
                "parameters": {"path": "string", "n": {"type": "integer"}},
                "environment": {"properties": {"lower_case": {"type": "string"}, "OK": {"type": "date"}}, "required": ["GONE"]}
            },
            "dependencies": {"a": 1, "b": "", "c": null, "d": " ^1 "},
            "businessErrors": [{"code": "bad-code", "description": "d"}, "text", {"description": "no code"}],
            "runtimeConfig": {"maxMemory": "256", "maxExecutionTime": 1e9, "concurrency": -3, "networkAccess": "yes", "processes": 1},
            "problems": [{"code": "getManual_threw", "message": "boom"}]
        }),
        Lang::ZhCn,
    )
    .unwrap();
    assert_eq!(description.metadata.name, "7");
    assert_eq!(description.metadata.tags, ["one"]);
    assert_eq!(description.metadata.scenarios, ["1"]);
    assert!(
        description.schema.parameters.is_empty(),
        "not all members are objects: not a flat schema"
    );
    assert!(description.schema.environment.get("GONE").unwrap().required);
    assert_eq!(
        description.dependencies,
        [
            ("a".to_owned(), "1".to_owned()),
            ("d".to_owned(), "^1".to_owned())
        ]
    );
    assert_eq!(description.business_errors.len(), 1);
    assert_eq!(description.runtime.max_memory_mb, 256);
    assert_eq!(description.runtime.max_execution_time, Duration::from_secs(3600));
    assert_eq!(description.runtime.concurrency, 1);
    assert_eq!(
        description.runtime.network,
        NetworkAccess::None,
        "a wrong type never grants"
    );
    assert!(!description.runtime.processes);
    let found = codes(&description);
    for code in [
        "describe_reported",
        "describe_wrong_type",
        "describe_bad_version",
        "describe_bad_variable_name",
        "describe_unknown_type",
        "describe_required_unknown",
        "describe_bad_error_code",
        "describe_missing",
        "describe_out_of_range",
    ] {
        assert!(found.contains(&code), "{code} in {found:?}");
    }
}

#[test]
fn schemas_without_their_wrapping_are_understood() {
    let report = |schema: Value| json!({"members": ["execute"], "schema": schema});
    for schema in [
        json!({"parameters": {"path": {"type": "string", "required": true}}}),
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    ] {
        let description = Description::from_report(&tool("x"), report(schema), Lang::ZhCn).unwrap();
        let path = description.schema.parameters.get("path").unwrap();
        assert!(path.required);
        assert_eq!(path.type_text(), "string");
        assert!(codes(&description).contains(&"describe_schema_shape"));
    }
}

#[test]
fn docker_is_described_but_refused() {
    let report = json!({"members": ["execute"], "runtimeConfig": {"sandboxType": "docker"}});
    let description = Description::from_report(&tool("x"), report, Lang::ZhCn).unwrap();
    let refused = description.runtime.sandbox.supported().unwrap_err();
    assert!(matches!(refused, ModelError::UnsupportedSandbox { .. }));
    assert_eq!(refused.code(), "unsupported_sandbox");
    for (name, kind) in [
        ("nodejs", SandboxType::QuickJs),
        ("node", SandboxType::Node),
        ("python", SandboxType::Python),
    ] {
        let report = json!({"members": ["execute"], "runtimeConfig": {"sandboxType": name}});
        let sandbox = Description::from_report(&tool("x"), report, Lang::ZhCn)
            .unwrap()
            .runtime
            .sandbox;
        assert_eq!(sandbox, kind);
        assert!(sandbox.supported().is_ok());
    }
}

#[test]
fn secrets_are_known_by_name() {
    for name in ["API_KEY", "GITHUB_TOKEN", "CLIENT_SECRET", "PASSWORD"] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["KEYBOARD", "TOKENS", "ROOT", ""] {
        assert!(!is_secret_name(name), "{name}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_the_functions_return_a_tool_with_execute_is_described(
        metadata in any_json(), parameters in any_json(), environment in any_json(), dependencies in any_json(),
        errors in any_json(), config in any_json(), network in any_json(), manual in any_json(),
    ) {
        let mut config = config;
        if let Value::Object(map) = &mut config {
            map.insert("networkAccess".to_owned(), network.clone());
        }
        let report = json!({
            "members": ["execute"], "metadata": metadata, "schema": {"parameters": parameters, "environment": environment},
            "dependencies": dependencies, "businessErrors": errors, "runtimeConfig": config, "manual": manual,
        });
        let description = Description::from_report(&tool("x"), report, Lang::ZhCn).unwrap();
        prop_assert!(description.problems.len() <= 51);
        if network != Value::Bool(true) {
            prop_assert_ne!(&description.runtime.network, &NetworkAccess::All);
        }
        // Texts are made of anything that was described.
        for lang in [base::Lang::ZhCn, base::Lang::En] {
            prop_assert!(!toolbox::manual::render(&tool("x"), &description, lang).is_empty());
            let page = toolbox::configure::render(&tool("x"), &description, "~/x/.env", &Default::default(), lang);
            prop_assert!(page.starts_with("# "));
        }
    }
}

#[test]
fn a_tool_speaks_the_language_that_it_has_words_for() {
    let report = || {
        json!({
            "members": ["execute"],
            "metadata": {"name": "读", "description": "读取", "tags": ["文件", "own"], "scenarios": ["读取"], "author": "读"},
            "schema": {
                "parameters": {"type": "object", "properties": {
                    "path": {"type": "string", "description": "路径", "default": "路径", "example": "读取"},
                    "default": {"type": "array", "items": {"type": "string", "title": "读取"}, "description": "读取"},
                    "mode": {"type": "string", "enum": ["读取", "路径"]}
                }},
                "environment": {"properties": {"KEY": {"type": "string", "description": "路径"}}}
            },
            "businessErrors": [{"code": "BAD", "description": "路径", "solution": "读取"}],
            "manual": "手册",
            "translations": {"en": {
                "读取": "reads", "路径": "a path", "文件": "files", "手册": "manual", "读": "WRONG", "BAD": "WRONG", "string": "WRONG"
            }}
        })
    };
    let read = |lang| Description::from_report(&tool("x"), report(), lang).unwrap();
    let (zh, en) = (read(Lang::ZhCn), read(Lang::En));
    assert_eq!(
        (zh.metadata.description.as_str(), en.metadata.description.as_str()),
        ("读取", "reads")
    );
    assert_eq!(
        (en.metadata.tags.as_slice(), en.metadata.scenarios.as_slice()),
        (
            &["files".to_owned(), "own".to_owned()][..],
            &["reads".to_owned()][..]
        )
    );
    assert_eq!(
        (en.metadata.name.as_str(), en.metadata.author.as_deref()),
        ("读", Some("读"))
    );
    assert_eq!(
        (zh.manual.as_deref(), en.manual.as_deref()),
        (Some("手册"), Some("manual"))
    );
    let error = &en.business_errors[0];
    assert_eq!(
        (
            error.code.as_str(),
            error.description.as_str(),
            error.solution.as_str()
        ),
        ("BAD", "a path", "reads")
    );
    let property = |of: &Description, name: &str| of.schema.parameters.get(name).unwrap().clone();
    let (before, after) = (property(&zh, "path"), property(&en, "path"));
    assert_eq!((before.description(), after.description()), ("路径", "a path"));
    assert_eq!(
        (before.default(), before.example()),
        (after.default(), after.example())
    );
    let named = property(&en, "default");
    assert_eq!(named.description(), "reads", "a parameter by that name");
    assert_eq!(named.shown_definition()["items"]["title"], "reads");
    assert_eq!(property(&en, "mode").allowed(), property(&zh, "mode").allowed());
    assert_eq!(en.schema.environment.get("KEY").unwrap().description(), "a path");
    assert_eq!(codes(&en), ["describe_missing"], "its version alone");
    for broken in [
        json!(7),
        json!({"en": []}),
        json!({"en": {"读取": 7}}),
        json!({"fr": {"读取": "lit"}}),
    ] {
        let mut report = report();
        report["translations"] = broken;
        let description = Description::from_report(&tool("x"), report, Lang::En).unwrap();
        assert_eq!(description.metadata.description, "读取");
    }
}
