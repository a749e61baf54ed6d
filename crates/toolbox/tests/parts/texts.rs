use crate::{bare, full, tool};
use base::Lang;
use serde_json::{Map, json};
use toolbox::failure_text::{Cause, render as failure};
use toolbox::manual::render as manual;
use toolbox::model::Description;
use toolbox::parameters::check;

#[test]
fn the_manual_in_both_languages() {
    insta::assert_snapshot!("manual_zh", manual(&tool("pdf-reader"), &full(), Lang::ZhCn));
    insta::assert_snapshot!("manual_en", manual(&tool("pdf-reader"), &full(), Lang::En));
}

#[test]
fn empty_sections_are_left_out() {
    insta::assert_snapshot!(manual(&tool("bare"), &bare(), Lang::ZhCn));
}

#[test]
fn a_tools_own_manual_wins() {
    let report = json!({"members": ["execute", "generateManual"], "manual": "# mine"});
    let description = Description::from_report(&tool("x"), report, base::Lang::ZhCn).unwrap();
    assert_eq!(manual(&tool("x"), &description, Lang::En), "# mine");
}

#[test]
fn the_example_is_a_request_that_parses() {
    let report = json!({"members": ["execute"], "schema": {"parameters": {"properties": {
        "code": {"type": "string", "required": true, "example": "`${x}`: \\n \"'# y"},
        "odd name": {"type": "array", "required": true},
        "n": {"type": "integer", "required": true, "minimum": 3}
    }}}});
    let description = Description::from_report(&tool("x"), report, base::Lang::ZhCn).unwrap();
    let text = manual(&tool("x"), &description, Lang::ZhCn);
    let start = text.find("yaml: `").unwrap() + "yaml: `".len();
    let yaml = text[start..text.rfind("`\n})").unwrap()]
        .replace("\\`", "`")
        .replace("\\${", "${")
        .replace("\\\\", "\\");
    let request = toolbox::request::parse(&yaml).unwrap();
    assert_eq!(request.parameters["code"], "`${x}`: \\n \"'# y");
    assert!(check(&description.schema.parameters, request.parameters).is_ok());
}

#[test]
fn failures_tell_what_to_do() {
    let description = full();
    let violations = check(
        &description.schema.parameters,
        Map::from_iter([("limit".to_owned(), json!(1000))]),
    )
    .unwrap_err();
    let name = tool("pdf-reader");
    insta::assert_snapshot!(
        "parameters_zh",
        failure(
            &name,
            Some(&description),
            Cause::Parameters(&violations),
            &[],
            Lang::ZhCn
        )
    );
    let thrown = Cause::Thrown {
        message: "cannot open: /x | busy",
        code: Some("EBUSY"),
        matched: description.business_error("BUSY"),
    };
    insta::assert_snapshot!(
        "thrown_zh",
        failure(&name, Some(&description), thrown, &[], Lang::ZhCn)
    );
    insta::assert_snapshot!(
        "thrown_en",
        failure(&name, Some(&description), thrown, &[], Lang::En)
    );
    let host = Cause::Host {
        code: "timeout",
        message: "超过 30 秒",
        hint: "缩小任务",
    };
    insta::assert_snapshot!("host_zh", failure(&name, None, host, &[], Lang::ZhCn));
}

#[test]
fn a_huge_message_is_cut() {
    let message = "长".repeat(100_000);
    let cause = Cause::Thrown {
        message: &message,
        code: None,
        matched: None,
    };
    assert!(failure(&tool("x"), None, cause, &[], Lang::ZhCn).chars().count() < 5000);
}
