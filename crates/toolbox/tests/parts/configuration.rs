use crate::{bare, full, tool};
use base::{Coded, Lang};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use toolbox::configure::{
    Applied, Change, ConfigureError, Source, State, apply, missing, render, secret_values, state, table,
    value_of,
};
use toolbox::env_file::EnvFile;
use toolbox::model::{Description, ObjectSchema};

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn given(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn write(
    schema: &ObjectSchema,
    file: &mut EnvFile,
    values: &Map<String, Value>,
) -> Result<Applied, ConfigureError> {
    apply(schema, file, Change { values, remove: &[] })
}

fn environment(value: Value) -> Description {
    let report = json!({"members": ["execute"], "schema": {"environment": value}});
    Description::from_report(&tool("x"), report, base::Lang::ZhCn).unwrap()
}

#[test]
fn the_state_follows_the_required_variables() {
    let description = environment(json!({
        "properties": {"A": {"type": "string"}, "B": {"type": "string"}, "C": {"type": "string"}, "D": {"type": "string", "default": "d"}},
        "required": ["A", "B", "D"]
    }));
    let schema = &description.schema.environment;
    assert_eq!(
        state(schema, &values(&[("A", "1"), ("B", "2")])),
        State::Configured,
        "a default counts"
    );
    assert_eq!(state(schema, &values(&[("A", "1")])), State::Partly);
    assert_eq!(
        state(schema, &values(&[("A", ""), ("B", "")])),
        State::Partly,
        "an empty value is not one"
    );
    let strict = environment(json!({"properties": {"A": {}, "C": {}}, "required": ["A"]}));
    assert_eq!(
        state(&strict.schema.environment, &values(&[])),
        State::Unconfigured
    );
    assert_eq!(
        state(&strict.schema.environment, &values(&[("C", "1")])),
        State::Partly
    );
    assert_eq!(
        state(&bare().schema.environment, &values(&[])),
        State::Configured,
        "nothing is required"
    );
    let empty = BTreeMap::new();
    let names: Vec<&str> = missing(schema, &empty).map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
}

#[test]
fn values_are_checked_stored_and_warned_about() {
    let description = full();
    let schema = &description.schema.environment;
    let mut file = EnvFile::default();
    let applied = write(
        schema,
        &mut file,
        &given(json!({"ROOT": "/data", "MAX_SIZE": 2048, "DEBUG": true, "EXTRA": ["a", 1]})),
    )
    .unwrap();
    assert_eq!(applied.changed, ["ROOT", "MAX_SIZE", "DEBUG", "EXTRA"]);
    assert_eq!(applied.warnings.len(), 1);
    assert_eq!(applied.warnings[0].code, "configure_unknown_variable");
    assert_eq!(
        file.values(),
        values(&[
            ("ROOT", "/data"),
            ("MAX_SIZE", "2048"),
            ("DEBUG", "true"),
            ("EXTRA", "[\"a\",1]")
        ])
    );
    // Text that is a number is a number; the same value is no change; null removes.
    let applied = write(
        schema,
        &mut file,
        &given(json!({"MAX_SIZE": "2048", "DEBUG": null, "ROOT": null, "EXTRA": null})),
    )
    .unwrap();
    assert_eq!(applied.changed, ["DEBUG", "ROOT", "EXTRA"]);
    assert_eq!(applied.warnings, []);
    assert_eq!(file.get("DEBUG"), None);
}

#[test]
fn a_refused_value_changes_nothing() {
    let description = full();
    let schema = &description.schema.environment;
    let mut file = EnvFile::parse("ROOT=/old\n");
    let before = file.clone();
    for (bad, code) in [
        (json!({"ROOT": "/new", "MAX_SIZE": "many"}), "configure_invalid"),
        (json!({"ROOT": "/new", "MAX_SIZE": 0}), "configure_invalid"),
        (json!({"ROOT": "/new", "DEBUG": "maybe"}), "configure_invalid"),
        (json!({"ROOT": "/new", "lower": "x"}), "env_bad_key"),
        (json!({"ROOT": "a\u{0}b"}), "env_nul"),
    ] {
        let refused = write(schema, &mut file, &given(bad.clone())).unwrap_err();
        assert_eq!(refused.code(), code, "{bad}");
        assert_eq!(file, before);
    }
}

#[test]
fn secrets_are_masked_on_the_page_and_listed_for_the_log() {
    let description = full();
    let set = values(&[
        ("API_KEY", "sk-12345"),
        ("MY_TOKEN", "t-987"),
        ("ROOT", "/data|x"),
    ]);
    let page = render(&tool("pdf-reader"), &description, "~/x/.env", &set, Lang::ZhCn);
    assert!(!page.contains("sk-12345") && !page.contains("t-987"), "{page}");
    assert!(
        !page.contains("none-yet"),
        "the default of a secret is one too: {page}"
    );
    assert!(page.contains("/data\\|x"), "cells are escaped: {page}");
    let mut secrets = secret_values(&description.schema.environment, &set);
    secrets.sort();
    assert_eq!(secrets, ["sk-12345", "t-987"]);
}

#[test]
fn the_page_of_a_tool_without_variables() {
    insta::assert_snapshot!(render(
        &tool("bare"),
        &bare(),
        "~/.prompt-manager/toolbox/bare/.env",
        &values(&[]),
        Lang::ZhCn
    ));
}

#[test]
fn the_page_in_both_languages() {
    let set = values(&[("API_KEY", "sk-12345"), ("OTHER", "x")]);
    let path = "~/.prompt-manager/toolbox/pdf-reader/.env";
    insta::assert_snapshot!(
        "page_zh",
        render(&tool("pdf-reader"), &full(), path, &set, Lang::ZhCn)
    );
    insta::assert_snapshot!(
        "page_en",
        render(&tool("pdf-reader"), &full(), path, &set, Lang::En)
    );
}

#[test]
fn variables_are_removed_and_written_as_one_change() {
    let description = full();
    let schema = &description.schema.environment;
    let text = "# mine\nROOT=/old # keep?\n\nAPI_KEY=k\nlower=1\nAPI_KEY=again\n# end\n";
    let mut file = EnvFile::parse(text);
    let values = given(json!({"ROOT": "/new"}));
    let remove = ["API_KEY", "lower", "API_KEY"].map(str::to_owned);
    let change = Change {
        values: &values,
        remove: &remove,
    };
    let applied = apply(schema, &mut file, change).unwrap();
    assert_eq!(applied.changed, ["API_KEY", "lower", "ROOT"]);
    assert_eq!(file.values(), self::values(&[("ROOT", "/new")]));
    let left = file.to_text("pdf-reader", 0);
    assert!(left.ends_with("# mine\nROOT=/new # keep?\n\n# end\n"), "{left}");

    let before = file.clone();
    let refused = apply(schema, &mut file, change).unwrap_err();
    assert_eq!(refused.code(), "variable_not_set");
    assert_eq!(refused.args()["name"], "API_KEY");
    assert_eq!(file, before, "nothing is written when one is not there");
    let both = ["ROOT".to_owned()];
    let change = Change {
        values: &values,
        remove: &both,
    };
    assert_eq!(
        apply(schema, &mut file, change).unwrap().changed,
        Vec::<String>::new()
    );
    assert_eq!(file.get("ROOT"), Some("/new"), "what is written stays");
}

#[test]
fn the_table_says_where_values_come_from_and_shows_no_secret() {
    let description = full();
    let schema = &description.schema.environment;
    let set = values(&[
        ("API_KEY", "sk-12345"),
        ("MAX_SIZE", "many"),
        ("ROOT", ""),
        ("MY_TOKEN", "t-987"),
        ("OTHER", "x"),
    ]);
    let shown = table(schema, &set, Lang::En);
    assert_eq!(shown.state, State::Partly);
    let names: Vec<&str> = shown.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(
        names,
        ["API_KEY", "MAX_SIZE", "ROOT", "DEBUG", "MY_TOKEN", "OTHER"]
    );
    let text = format!("{shown:?}");
    for secret in ["sk-12345", "t-987", "none-yet"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let row = |name: &str| shown.rows.iter().find(|row| row.name == name).unwrap();
    let key = row("API_KEY");
    assert_eq!(
        (key.value.as_str(), key.default.as_deref()),
        ("******", Some("******"))
    );
    assert!(key.secret && key.declared && key.source == Source::File && key.problem.is_none());
    let size = row("MAX_SIZE").problem.clone().unwrap();
    assert_eq!(size.code, "variable_invalid");
    assert!(
        size.args["violations"].as_str().unwrap().contains("number"),
        "{size:?}"
    );
    assert_eq!(row("MAX_SIZE").schema["minimum"], 1);
    assert_eq!(row("MAX_SIZE").default.as_deref(), Some("1024"));
    assert!(row("ROOT").required);
    assert_eq!(row("ROOT").problem.as_ref().unwrap().code, "variable_empty");
    assert_eq!(
        (row("DEBUG").source, row("DEBUG").value.as_str()),
        (Source::Unset, "")
    );
    assert!(!row("MY_TOKEN").declared && row("MY_TOKEN").secret);
    assert_eq!(row("OTHER").value, "x");

    let none = table(schema, &values(&[]), Lang::ZhCn);
    assert_eq!(none.state, State::Unconfigured);
    assert_eq!(none.rows.len(), 4);
    assert_eq!(
        (none.rows[1].source, none.rows[1].value.as_str()),
        (Source::Default, "1024")
    );
    assert!(none.rows.iter().all(|row| row.problem.is_none()));
    assert_eq!(value_of(schema, &set, "API_KEY").as_deref(), Some("sk-12345"));
    assert_eq!(
        value_of(schema, &values(&[]), "API_KEY").as_deref(),
        Some("none-yet")
    );
    assert_eq!(value_of(schema, &set, "DEBUG"), None);
    assert_eq!(value_of(schema, &set, "NOBODY"), None);
}
