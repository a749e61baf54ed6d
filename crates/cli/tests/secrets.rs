//! Secrets of tools through the whole product, where there is no keychain: encrypted in the data home, and
//! in no file of it as they are.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and reads what lies there"
)]

mod common;

use common::page::Page;
use common::{Home, files_below, said, stdout};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Output;

const VALUE: &str = "sk-live-9d41c7e2b8";

/// Does whatever may carry a secret out of a tool.
const TALKER: &str = "export default {
    getMetadata: () => ({ name: 'talker', version: '1.0.0', description: 'says too much' }),
    getSchema: () => ({
        parameters: { type: 'object', properties: { fail: { type: 'boolean', description: 'throw' } } },
        environment: { type: 'object', properties: {
            API_TOKEN: { type: 'string', description: 'key of the service', minLength: 8 },
            LEVEL: { type: 'string', description: 'how much', default: 'low' },
        }, required: ['API_TOKEN'] },
    }),
    async execute({ fail }) {
        const token = this.api.environment.get('API_TOKEN');
        this.api.logger.info('using ' + token, { token });
        console.log(process.env.API_TOKEN);
        if (fail) throw Object.assign(new Error('refused: ' + token), { code: 'REFUSED', token });
        return { length: token.length, token };
    },
};";

fn home() -> Home {
    let home = Home::new();
    home.put_tool("talker", TALKER);
    home
}

fn env(home: &Home) -> PathBuf {
    home.path().join("toolbox/talker/.env")
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn holders(home: &Home, value: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        std::fs::read(path).is_ok_and(|bytes| bytes.windows(value.len()).any(|part| part == value.as_bytes()))
    };
    files_below(&home.path()).into_iter().filter(holds).collect()
}

fn ok(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    stdout(&output)
}

/// `--json` comes first: behind variables it would be taken for one.
fn configure(home: &Home, values: &[&str]) -> Output {
    home.pm(&[&["--json", "tool", "configure", "talker"], values].concat())
}

fn run(home: &Home, more: &[&str]) -> Output {
    home.pm(&[&["--json", "tool", "run", "talker"], more].concat())
}

/// The code of a failure.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    said(output)["code"].as_str().unwrap().to_owned()
}

#[test]
fn a_secret_that_is_given_is_in_no_file_whatever_the_tool_does_with_it() {
    let home = home();
    let mut served = home.serve();
    let given = ok(configure(&home, &[&format!("API_TOKEN={VALUE}"), "LEVEL=high"]));
    assert!(!given.contains(VALUE), "{given}");
    let written = read(env(&home));
    assert!(
        written.contains("\nAPI_TOKEN=pm-secret:file/") && written.contains("\nLEVEL=high\n"),
        "{written}"
    );
    let ran = run(&home, &[]);
    assert_eq!(said(&ran)["result"]["length"], VALUE.len(), "{ran:?}");
    let failed = run(&home, &["--params", "{\"fail\": true}"]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    assert!(!format!("{:?}", said(&failed)).contains(VALUE), "{failed:?}");
    for verb in ["manual", "show", "log", "configure"] {
        let text = ok(home.pm(&["tool", verb, "talker"]));
        assert!(!text.contains(VALUE), "{verb}: {text}");
    }
    // The same again changes nothing; another one gets another name, and the old one is gone.
    ok(configure(&home, &[&format!("API_TOKEN={VALUE}")]));
    assert_eq!(read(env(&home)), written);
    ok(configure(&home, &["API_TOKEN=sk-other-value"]));
    ok(configure(&home, &[&format!("API_TOKEN={VALUE}")]));
    assert_ne!(read(env(&home)), written);
    assert_eq!(kept(&home), 1);
    // A value that its schema refuses is not kept, and neither is what only looks like one.
    assert_eq!(
        refused(&configure(&home, &["API_TOKEN=short"])),
        "configure_invalid"
    );
    let reference = read(env(&home))
        .lines()
        .find_map(|line| line.strip_prefix("API_TOKEN=").map(str::to_owned))
        .unwrap();
    for name in ["LEVEL", "API_TOKEN", "OTHER"] {
        let taken = configure(&home, &[&format!("{name}={reference}")]);
        assert_eq!(refused(&taken), "configure_reference", "{name}");
    }
    assert_eq!(served.end(), Some(0));
    let _again = home.serve();
    let ran = run(&home, &[]);
    assert_eq!(said(&ran)["result"]["length"], VALUE.len(), "{ran:?}");
    assert_eq!(holders(&home, VALUE), Vec::<PathBuf>::new());
    assert!(home.log_of("talker").contains("using ******"));
}

/// How many secrets the data home keeps.
fn kept(home: &Home) -> usize {
    let index: Value = serde_json::from_str(&read(home.path().join("secrets/kept.json"))).unwrap();
    index["rows"].as_object().unwrap().len()
}

#[test]
fn what_a_person_wrote_by_hand_moves_when_she_says_so() {
    let home = home();
    let _served = home.serve();
    let by_hand = format!("# mine\nAPI_TOKEN=old-value-1\nexport API_TOKEN='{VALUE}' # the key\nLEVEL=low\n");
    std::fs::write(env(&home), &by_hand).unwrap();
    let length = || said(&run(&home, &[]))["result"]["length"].clone();
    assert_eq!(length(), VALUE.len());
    ok(configure(&home, &["LEVEL=high"]));
    assert!(read(env(&home)).contains(VALUE), "not moved by itself");
    ok(configure(&home, &["--move-secrets"]));
    let moved = read(env(&home));
    assert!(
        moved.contains("# mine\n") && moved.contains(" # the key\n") && moved.contains("LEVEL=high"),
        "{moved}"
    );
    assert_eq!(moved.matches("API_TOKEN").count(), 1, "{moved}");
    assert_eq!(holders(&home, VALUE), Vec::<PathBuf>::new());
    assert_eq!(holders(&home, "old-value-1"), Vec::<PathBuf>::new());
    assert_eq!(length(), VALUE.len());
    // Nothing is left to move; taken out, it is gone.
    ok(configure(&home, &["--move-secrets"]));
    assert_eq!(read(env(&home)), moved);
    ok(configure(&home, &["-API_TOKEN"]));
    assert_eq!(kept(&home), 0);
}

#[test]
fn settings_may_leave_secrets_in_env() {
    let home = home();
    std::fs::write(home.path().join("settings.json"), "{\"secrets\": \"env\"}").unwrap();
    let _served = home.serve();
    ok(configure(&home, &[&format!("API_TOKEN={VALUE}")]));
    assert_eq!(holders(&home, VALUE), [env(&home)]);
    let refused_to = configure(&home, &["--move-secrets"]);
    assert_eq!(refused(&refused_to), "secrets_kept_in_env");
    assert!(!home.path().join("secrets/kept.json").exists());
}

#[test]
fn a_secret_that_cannot_be_had_is_a_failure_with_words_and_never_an_empty_value() {
    let home = home();
    let served = home.serve();
    ok(configure(&home, &[&format!("API_TOKEN={VALUE}")]));
    let page = Page::open(&served);
    let other = "pm-secret:keychain/0123456789abcdef0123456789abcdef";
    let stolen = read(env(&home)).replace("API_TOKEN=", "OTHER_TOKEN=");
    for (env_file, expected) in [
        (format!("API_TOKEN={other}\n"), "secret_unavailable"),
        (
            format!("API_TOKEN={}\n", other.replace("keychain", "file")),
            "secret_missing",
        ),
        // Of use for the one variable that it was made for.
        (format!("{stolen}API_TOKEN=sk-plain-value\n"), "secret_missing"),
    ] {
        std::fs::write(env(&home), &env_file).unwrap();
        let ran = said(&run(&home, &[]));
        assert_eq!(ran["error"]["code"], expected, "{ran}");
        assert!(
            !ran["error"]["hint"].as_str().unwrap().is_empty()
                && !ran["error"]["message"].as_str().unwrap().contains('{'),
            "{ran}"
        );
        let rows = page.call("tool.variables", json!({"tool": "talker"}));
        let lost = rows["variables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["kept"].is_string())
            .unwrap();
        assert_eq!(
            (&lost["problem"]["code"], &lost["value"]),
            (&json!(expected), &json!("******")),
            "{lost}"
        );
        let name = &lost["name"];
        assert_eq!(
            page.refused("tool.secret", json!({"tool": "talker", "name": name}))
                .1,
            expected
        );
    }
}

#[test]
fn a_tool_that_goes_and_comes_back_has_its_secrets() {
    let home = home();
    let mut served = home.serve();
    ok(configure(&home, &[&format!("API_TOKEN={VALUE}")]));
    ok(home.pm(&["tool", "remove", "talker"]));
    assert_eq!(served.end(), Some(0));
    // A start sweeps what nobody names: the trash does.
    let served = home.serve();
    assert_eq!(kept(&home), 1);
    let page = Page::open(&served);
    let removed = page.call("tool.removed", json!({}));
    let id = &removed["tools"][0]["id"];
    page.call("tool.restore", json!({"id": id}));
    let ran = run(&home, &[]);
    assert_eq!(said(&ran)["result"]["length"], VALUE.len(), "{ran:?}");
    assert_eq!(holders(&home, VALUE), Vec::<PathBuf>::new());
}
