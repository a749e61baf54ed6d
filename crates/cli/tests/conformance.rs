//! `pm conformance`: what a suite of tests relies on — exit codes, standard output, and what is said
//! when a program fails or is not there (CONTRACT, "Command line").

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "writes the programs that are run"
)]

mod common;

use common::Home;
use std::process::Output;

/// Runs files one after the other, in a folder of their own.
fn run(files: &[(&str, &str)], names: &[&str]) -> Output {
    let home = Home::new();
    let folder = home.outside("programs");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let paths: Vec<String> = names
        .iter()
        .map(|name| folder.join(name).to_string_lossy().into_owned())
        .collect();
    let mut args = vec!["conformance"];
    args.extend(paths.iter().map(String::as_str));
    home.pm(&args)
}

fn one(name: &str, text: &str) -> Output {
    run(&[(name, text)], &[name])
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[test]
fn print_and_console_go_to_standard_output_in_order() {
    let program = "print('a', 1); console.log('b', { c: 2 }); setTimeout(() => console.error('last'), 1);";
    for name in ["plain.js", "module.mjs", "common.cjs"] {
        let output = one(name, program);
        assert_eq!(stdout(&output), "a 1\nb { c: 2 }\nlast\n", "{name}");
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
    }
}

#[test]
fn the_exit_code_is_the_program_s() {
    for code in [0, 1, 3] {
        let output = one("exit.mjs", &format!("process.exit({code}); console.log('not reached')"));
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_js_file_is_a_sloppy_script_and_an_mjs_file_a_module() {
    let output = one(
        "plain.js",
        "with ({ a: 'sloppy' }) print(a); print(this === globalThis)",
    );
    assert_eq!(stdout(&output), "sloppy\ntrue\n", "{}", stderr(&output));
    let output = one(
        "module.mjs",
        "import { sep } from 'node:path'; console.log(sep, this, import.meta.filename.endsWith('module.mjs'))",
    );
    assert_eq!(stdout(&output), "/ undefined true\n", "{}", stderr(&output));
}

#[test]
fn what_nobody_catches_ends_it_with_its_message() {
    for text in [
        "throw new RangeError('out of reach')",
        "Promise.reject(new RangeError('out of reach'))",
        "setTimeout(() => { throw new RangeError('out of reach') }, 1)",
    ] {
        let output = one("fails.mjs", text);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            stderr(&output).contains("out of reach"),
            "{text}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let output = run(&[], &["nowhere.mjs"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("nowhere.mjs"), "{}", stderr(&output));
    let output = one("broken.mjs", "const = 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("broken.mjs"), "{}", stderr(&output));
}

#[test]
fn several_run_in_order_until_one_fails() {
    let files = [
        ("a.mjs", "console.log('a')"),
        ("b.mjs", "process.exit(3)"),
        ("c.mjs", "console.log('c')"),
    ];
    let output = run(&files, &["a.mjs", "b.mjs", "c.mjs"]);
    assert_eq!(
        (stdout(&output), output.status.code()),
        ("a\n", Some(3)),
        "{}",
        stderr(&output)
    );
}

#[test]
fn its_folder_is_its_own_and_the_rest_is_not_there() {
    let output = one(
        "files.mjs",
        "import fs from 'node:fs';
         fs.writeFileSync('made.txt', 'here');
         console.log(fs.readFileSync('made.txt', 'utf8'), fs.existsSync('/root'), fs.existsSync('/home/ada'));",
    );
    assert_eq!(stdout(&output), "here false false\n", "{}", stderr(&output));
}
