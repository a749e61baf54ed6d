//! Checks of tools: every check finds the tool that breaks it, in its layer and place; tools with
//! which nothing is wrong have no findings; and nothing of a tool is changed by looking at it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and writes tools"
)]

mod cases;
mod documents;
mod python;
mod world;

use cases::{DONE, LIES, Row, SAID, broken};
use std::collections::BTreeSet;
use toolbox::validate::{Check, Level, Validation};
use world::{GOOD, World, complaints, fingerprint};

/// What is wrong when that is not found there.
fn not_found(found: &Validation, check: Check, file: &str, line: u32) -> Option<String> {
    let fits = |one: &toolbox::validate::Finding| {
        let place = one
            .place
            .as_ref()
            .map_or(("", 0), |place| (place.file.as_str(), place.line));
        one.check == check && place == (file, line)
    };
    (!found.findings.iter().any(fits)).then(|| {
        format!(
            "{} at {file}:{line} is not among {:?}",
            check.code(),
            found.findings
        )
    })
}

fn assert_found(found: &Validation, check: Check, file: &str, line: u32) {
    assert_eq!(not_found(found, check, file, line), None);
}

async fn rows(rows: &[Row], level: Level) {
    let world = World::new();
    let mut wrong = Vec::new();
    for (number, (check, from, to, line)) in rows.iter().enumerate() {
        assert!(check.level() <= level);
        let name = format!("t{number}");
        world.put(&name, &broken(from, to));
        let found = world.validate(&name, level).await;
        let file = match check {
            Check::EnvRequiredUnset => ".env".to_owned(),
            _ => format!("{name}.tool.js"),
        };
        wrong.extend(not_found(&found, *check, &file, *line));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_says_wrongly_is_found_where_it_says_it() {
    rows(SAID, Level::Basic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_does_wrongly_is_found_by_trying_it() {
    rows(DONE, Level::Full).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_wrongly_in_a_folder_is_found() {
    for (check, spoil, file, line) in LIES {
        let world = World::new();
        let folder = world.put("t", GOOD);
        assert_eq!(complaints(&world.validate("t", Level::Basic).await), [""; 0]);
        spoil(&folder);
        assert_found(&world.validate("t", Level::Basic).await, *check, file, *line);
    }
}

/// Packages as they lie in `node_modules`, and values in `.env`.
#[tokio::test(flavor = "multi_thread")]
async fn packages_and_values_that_do_not_fit_are_found() {
    let world = World::new();
    let wants = broken("return {};", "return { lodash: '^4.0.0', zod: '^3.0.0' };");
    let wants = wants.replace("LEVEL: { type: 'string'", "LEVEL: { type: 'integer'");
    let folder = world.put("t", &wants);
    let place = |name: &str| folder.join("node_modules").join(name);
    std::fs::create_dir_all(place("lodash")).unwrap();
    std::fs::write(place("lodash").join("package.json"), r#"{"version": "3.1.0"}"#).unwrap();
    std::fs::write(folder.join(".env"), "\nLEVEL=high\n").unwrap();
    let found = world.validate("t", Level::Basic).await;
    assert_found(&found, Check::DependencyOtherVersion, "t.tool.js", 2);
    assert_found(&found, Check::DependencyNotInstalled, "t.tool.js", 2);
    assert_found(&found, Check::EnvValueInvalid, ".env", 2);

    let manifest = r#"{"type": "module", "dependencies": {"lodash": "^3.0.0"}}"#;
    std::fs::write(folder.join("package.json"), manifest).unwrap();
    let found = world.validate("t", Level::Basic).await;
    assert_found(&found, Check::PackageJsonDiffers, "package.json", 1);
    assert_found(&found, Check::PackageJsonLacks, "package.json", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_that_are_logged_are_found_and_not_told() {
    let world = World::new();
    let source = broken("LEVEL: {", "API_KEY: {");
    let source = source.replace(
        "return { a: params.a };",
        "this.api.logger.info('key', process.env.API_KEY); throw new Error('refused ' + process.env.API_KEY);",
    );
    let folder = world.put("t", &source);
    std::fs::write(folder.join(".env"), "API_KEY=abcdef-secret-123456\n").unwrap();
    let found = world.validate("t", Level::Full).await;
    assert_found(&found, Check::SecretLogged, "t.tool.js", 15);
    assert_found(&found, Check::TrialFailed, "t.tool.js", 17);
    assert!(!format!("{found:?}").contains("abcdef-secret"), "{found:?}");
}

/// Some that cannot be brought about in a test: the reasons stand beside them.
const NOT_SHOWN: [Check; 3] = [
    // A failure of this program or of the machine.
    Check::NotDescribed,
    // A worker that ends by itself: tests of the runtime kill theirs.
    Check::TrialCrashed,
    // A package with machine code: tests of the runtime have one.
    Check::TrialAddon,
];

#[test]
fn every_check_has_a_broken_tool() {
    let rows = SAID.iter().chain(DONE).map(|(check, ..)| *check);
    let others = [
        Check::DependencyOtherVersion,
        Check::DependencyNotInstalled,
        Check::EnvValueInvalid,
        Check::PackageJsonDiffers,
        Check::PackageJsonLacks,
        Check::SecretLogged,
        // Of tools in Python alone.
        Check::RuntimeSandboxOther,
        Check::DependencyElsewhere,
        Check::RequirementLine,
        Check::RequirementUnpinned,
        Check::RequirementTwice,
    ];
    let shown: BTreeSet<Check> = rows
        .chain(LIES.iter().map(|(check, ..)| *check))
        .chain(others)
        .chain(NOT_SHOWN)
        .collect();
    let left: Vec<&Check> = Check::ALL.iter().filter(|check| !shown.contains(check)).collect();
    assert_eq!(left, [&Check::NotDescribed; 0]);
    assert!(shown.len() - NOT_SHOWN.len() >= 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn good_tools_and_the_built_in_ones_have_no_findings() {
    let world = World::new();
    world.put("good", GOOD);
    for name in world.toolbox.names().await.unwrap() {
        let found = world.validate(name.as_str(), Level::Full).await;
        let mut complaints = complaints(&found);
        // Nobody installs packages here, so that those with packages cannot be tried; `tests/js/tools.mjs` does.
        if ["pdf-reader", "sqlite-query"].contains(&name.as_str()) {
            assert_eq!(complaints.len(), 1, "{name}: {complaints:?}");
            complaints.retain(|one| !one.starts_with("not_tried:"));
        }
        assert_eq!(complaints, [""; 0], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn validating_changes_nothing_in_the_folder_and_leaves_no_copy() {
    let world = World::new();
    let folder = world.put(
        "t",
        &broken(
            "return { a: params.a };",
            "const fs = await import('node:fs'); const tries = [];
             for (const name of ['new.txt', 't.tool.js', 'data/kept', 'data/new', '.env', 'package.json'])
               try { fs.writeFileSync(this.__toolDir + '/' + name, 'changed'); tries.push(name); } catch {}
             this.api.storage.setItem('k', 1); console.log('said');
             if (!tries.includes('data/new')) throw new Error('its own data can be written');
             return { tries };",
        ),
    );
    std::fs::create_dir_all(folder.join("data")).unwrap();
    std::fs::write(folder.join("data/kept"), "kept").unwrap();
    std::fs::write(folder.join(".env"), "LEVEL=1\n").unwrap();
    world
        .toolbox
        .find(&base::name::ToolName::parse("t").unwrap())
        .await
        .unwrap();
    let before = fingerprint(&folder);
    let found = world.validate("t", Level::Full).await;
    assert!(
        found.findings.iter().all(|one| one.check != Check::TrialFailed),
        "{found:?}"
    );
    assert_eq!(fingerprint(&folder), before);
    // What is removed is removed by a thread of its own, in a moment.
    let copies = world.home.run().join("trials");
    let begin = std::time::Instant::now();
    while std::fs::read_dir(&copies).is_ok_and(|mut all| all.next().is_some()) {
        assert!(begin.elapsed().as_secs() < 30, "a copy stays");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_not_there_is_unknown() {
    let world = World::new();
    let name = base::name::ToolName::parse("nobody").unwrap();
    let error = world.toolbox.validate(&name, Level::Full).await.unwrap_err();
    assert_eq!(error.code, "unknown_tool");
}
