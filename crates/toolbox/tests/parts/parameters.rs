use crate::tool;
use base::Lang;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolbox::model::{Description, ObjectSchema};
use toolbox::parameters::{ViolationKind, check};

fn schema(parameters: Value) -> ObjectSchema {
    let report = json!({"members": ["execute"], "schema": {"parameters": parameters}});
    Description::from_report(&tool("x"), report, base::Lang::ZhCn)
        .unwrap()
        .schema
        .parameters
}

fn one(definition: Value, value: Value) -> Result<Value, ViolationKind> {
    let schema = schema(json!({"properties": {"p": definition}}));
    match check(&schema, Map::from_iter([("p".to_owned(), value)])) {
        Ok(map) => Ok(map.get("p").cloned().unwrap_or(Value::Null)),
        Err(violations) => Err(violations[0].kind.clone()),
    }
}

#[test]
fn types_are_strict_and_integers_may_be_written_as_floats() {
    for (kind, good, bad) in [
        ("string", json!("a"), json!(123)),
        ("number", json!(1.5), json!("not-a-number")),
        ("integer", json!(3), json!(1.5)),
        ("integer", json!(3.0), json!("3")),
        ("boolean", json!(false), json!("false")),
        ("object", json!({}), json!([])),
        ("array", json!([]), json!("not-an-array")),
    ] {
        assert!(one(json!({"type": kind}), good).is_ok(), "{kind}");
        assert!(
            matches!(
                one(json!({"type": kind}), bad),
                Err(ViolationKind::WrongType { .. })
            ),
            "{kind}"
        );
    }
    assert!(one(json!({"type": ["string", "null"]}), Value::Null).is_ok());
    assert!(
        one(json!({"type": "date"}), json!(1)).is_ok(),
        "an unknown type refuses nothing"
    );
}

#[test]
fn bounds_hold_at_their_edges() {
    let number = json!({"type": "number", "minimum": 1, "maximum": 3});
    assert!(one(number.clone(), json!(1)).is_ok() && one(number.clone(), json!(3)).is_ok());
    assert_eq!(
        one(number.clone(), json!(0)),
        Err(ViolationKind::BelowMinimum { minimum: 1.0 })
    );
    assert_eq!(
        one(number, json!(4)),
        Err(ViolationKind::AboveMaximum { maximum: 3.0 })
    );
    let text = json!({"type": "string", "minLength": 2, "maxLength": 3});
    assert!(one(text.clone(), json!("😀😀")).is_ok(), "characters, not bytes");
    assert_eq!(
        one(text.clone(), json!("a")),
        Err(ViolationKind::TooShort { minimum: 2 })
    );
    assert_eq!(
        one(text, json!("abcd")),
        Err(ViolationKind::TooLong { maximum: 3 })
    );
    let list = json!({"type": "array", "minItems": 1, "maxItems": 2});
    assert_eq!(
        one(list.clone(), json!([])),
        Err(ViolationKind::TooFewItems { minimum: 1 })
    );
    assert_eq!(
        one(list, json!([1, 2, 3])),
        Err(ViolationKind::TooManyItems { maximum: 2 })
    );
    assert!(matches!(
        one(json!({"enum": ["a", 1]}), json!("b")),
        Err(ViolationKind::NotAllowed { .. })
    ));
    assert!(one(json!({"enum": ["a", 1]}), json!(1.0)).is_ok());
}

#[test]
fn required_defaults_and_null() {
    let schema = schema(json!({
        "properties": {
            "a": {"type": "string"}, "b": {"type": "number", "default": 5}, "c": {"type": "string"},
            "d": {"type": "string", "required": true}
        },
        "required": ["a"]
    }));
    let violations = check(&schema, Map::new()).unwrap_err();
    let missing: Vec<&str> = violations.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(missing, ["a", "d"]);
    assert_eq!(violations[0].words(Lang::ZhCn), "缺少必需参数: a");
    assert_eq!(violations[0].words(Lang::En), "Missing required parameter: a");
    let given = json!({"a": "x", "b": null, "c": null, "d": "y", "extra": 1});
    let checked = check(&schema, given.as_object().unwrap().clone()).unwrap();
    assert_eq!(
        Value::Object(checked),
        json!({"a": "x", "d": "y", "extra": 1, "b": 5})
    );
}

#[test]
fn nested_parts_are_checked_and_named() {
    let schema = schema(json!({"properties": {"items": {"type": "array", "items": {
        "type": "object", "required": ["name"], "additionalProperties": false,
        "properties": {"name": {"type": "string"}, "n": {"type": "integer", "default": 1}}
    }}}}));
    let given = json!({"items": [{"name": "a"}, {"n": "x", "y": 1}]});
    let violations = check(&schema, given.as_object().unwrap().clone()).unwrap_err();
    let paths: Vec<&str> = violations.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["items[1].name", "items[1].n", "items[1].y"]);
    let given = json!({"items": [{"name": "a"}]});
    let checked = check(&schema, given.as_object().unwrap().clone()).unwrap();
    assert_eq!(checked["items"][0]["n"], 1, "defaults inside items as well");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn an_integer_passes_exactly_when_it_is_within_the_bounds(value in -20i64..20, low in -10i64..10, span in 0i64..10) {
        let high = low + span;
        let passed = one(json!({"type": "integer", "minimum": low, "maximum": high}), json!(value)).is_ok();
        prop_assert_eq!(passed, (low..=high).contains(&value));
    }

    #[test]
    fn checking_twice_changes_nothing(text in ".{0,8}", number in any::<i32>()) {
        let schema = schema(json!({"properties": {
            "s": {"type": "string"}, "n": {"type": "number", "default": number}, "o": {"type": "object", "properties": {"k": {"default": text}}}
        }}));
        let once = check(&schema, Map::from_iter([("o".to_owned(), json!({}))])).unwrap();
        prop_assert_eq!(&once["n"], &json!(number));
        prop_assert_eq!(check(&schema, once.clone()).unwrap(), once);
    }
}
