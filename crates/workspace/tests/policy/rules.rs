//! Rules are data: reading them, their examples, what users' rules may do.

use super::POLICY;
use base::{Coded, Failure};
use std::collections::BTreeSet;
use workspace::policy::Decision::{Allow, Ask, Block};
use workspace::policy::{Policy, PolicyError};

fn refused(text: &str) -> PolicyError {
    Policy::with_user_rules(text).unwrap_err()
}

#[test]
fn built_in_rules_behave_as_their_examples_say() {
    Policy::built_in().unwrap();
}

#[test]
fn an_example_that_does_not_behave_is_named() {
    let error = refused(
        r#"[{"name": "no-make", "programs": ["make"], "decision": "block",
             "blocked_examples": ["make x"], "allowed_examples": ["make y"]}]"#,
    );
    let PolicyError::Example {
        rule,
        example,
        expected,
        found,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (rule.as_str(), example.as_str(), *expected, *found),
        ("no-make", "make y", Allow, Block)
    );
    assert_eq!(Failure::from(error).code, "policy_rule_example");
}

#[test]
fn unknown_fields_are_refused_by_name() {
    let error = refused(r#"[{"name": "a", "programs": ["x"], "decision": "ask", "program": "y"}]"#);
    assert!(
        matches!(&error, PolicyError::UnknownField { rule, field } if rule == "a" && field == "program"),
        "{error}"
    );
    assert!(
        matches!(refused("[rules]\nx = 1\n"), PolicyError::UnknownField { field, .. } if field == "rules")
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (text, code) in [
        ("[{", "policy_rules_unreadable"),
        ("7", "policy_rules_unreadable"),
        (
            r#"[{"name": "a", "programs": [], "decision": "ask"}]"#,
            "policy_rule_invalid",
        ),
        (
            r#"[{"name": "a", "programs": ["x"], "decision": "maybe"}]"#,
            "policy_rule_invalid",
        ),
        (
            r#"[{"name": "a", "programs": ["x"], "decision": "ask", "lifts": ["privilege"]}]"#,
            "policy_rule_invalid",
        ),
        (
            r#"[{"name": "a", "programs": ["x"], "decision": "allow", "lifts": ["nothing"]}]"#,
            "policy_rule_invalid",
        ),
        (
            r#"[{"name": "a", "programs": ["x"], "decision": "ask", "reason": "x"}]"#,
            "policy_rule_invalid",
        ),
        (
            r#"[{"name": "privilege", "programs": ["x"], "decision": "ask"}]"#,
            "policy_rule_twice",
        ),
        (
            r#"[{"name": "a", "programs": ["x"], "decision": "ask"}, {"name": "a", "programs": ["y"], "decision": "ask"}]"#,
            "policy_rule_twice",
        ),
    ] {
        assert_eq!(refused(text).code(), code, "{text}");
    }
}

#[test]
fn users_add_rules_in_json_and_toml() {
    let json = Policy::with_user_rules(
        r#"[{"name": "push", "programs": ["git"], "arguments": ["push"], "decision": "ask"}]"#,
    )
    .unwrap();
    let toml = Policy::with_user_rules(
        "[[rule]]\nname = \"push\"\nprograms = [\"git\"]\narguments = [\"push\"]\ndecision = \"ask\"\n",
    )
    .unwrap();
    for policy in [json, toml] {
        let verdict = policy.judge("timeout 5 git push");
        assert_eq!(
            (verdict.decision, verdict.findings[0].reason.as_str()),
            (Ask, "policy_user_ask")
        );
        assert_eq!(policy.judge("git pull").decision, Allow);
        assert_eq!(policy.judge("sudo ls").decision, Block);
    }
    assert_eq!(
        Policy::with_user_rules("[]").unwrap().judge("sudo ls").decision,
        Block
    );
}

#[test]
fn an_allow_lifts_questions_but_blocks_only_by_name() {
    let plain = Policy::with_user_rules(
        r#"[{"name": "mine", "programs": ["crontab", "sudo"], "decision": "allow"}]"#,
    )
    .unwrap();
    assert_eq!(POLICY.judge("crontab -l").decision, Ask);
    assert_eq!(plain.judge("crontab -l").decision, Allow);
    assert_eq!(plain.judge("sudo ls").decision, Block);
    let named = Policy::with_user_rules(
        r#"[{"name": "mine", "programs": ["sudo"], "arguments": ["apt"], "decision": "allow", "lifts": ["privilege"]}]"#,
    )
    .unwrap();
    assert_eq!(named.judge("sudo apt install x").decision, Allow);
    assert_eq!(named.judge("sudo ls").decision, Block);
    assert_eq!(named.judge("sudo apt install x; sudo ls").decision, Block);
}

#[test]
fn every_reason_has_words() {
    let text = include_str!("../../../../resources/words/policy.json");
    let words: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).unwrap();
    let limits = [
        "fork_bomb",
        "too_long",
        "too_deep",
        "too_complex",
        "unreadable",
        "unknown_program",
        "unknown_script",
        "remote_script",
        "user_block",
        "user_ask",
        "consent",
    ];
    let reasons: BTreeSet<String> = POLICY
        .reasons()
        .map(str::to_owned)
        .chain(limits.map(|limit| format!("policy_{limit}")))
        .collect();
    for reason in &reasons {
        assert!(words.contains_key(reason), "{reason}");
    }
    for said in words.keys().filter(|key| !key.starts_with("policy_rule")) {
        assert!(reasons.contains(said), "{said} is no reason");
    }
}
