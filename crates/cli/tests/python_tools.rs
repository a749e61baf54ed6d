//! Tools in Python through `pm`: with packages from an index on loopback, with and without a Python that can have them,
//! coming, changing and going as other tools do. The machine has to have Python 3.9 or newer with `venv`.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; looks at the files themselves"
)]

mod common;

use common::{Home, greeter, said, until, zip};
use serde_json::{Value, json};
use sha2::Digest;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// As much of an index of packages as an installer needs (PEP 503): wheels of one module.
#[derive(Clone, Default)]
struct Index {
    wheels: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    asked: Arc<Mutex<Vec<String>>>,
    address: String,
}

impl Index {
    fn start() -> Index {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let index = Index {
            address: format!("http://{}", listener.local_addr().unwrap()),
            ..Index::default()
        };
        let serving = index.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let index = serving.clone();
                // A client that went away is not our failure.
                std::thread::spawn(move || index.answer(stream));
            }
        });
        index
    }

    /// A package of one module.
    fn add(&self, name: &str, version: &str, code: &str) {
        let info = format!("{name}-{version}.dist-info");
        let mut wheel = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, text) in [
            (format!("{name}.py"), code.to_owned()),
            (
                format!("{info}/METADATA"),
                format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"),
            ),
            (
                format!("{info}/WHEEL"),
                "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n".to_owned(),
            ),
            (
                format!("{info}/RECORD"),
                format!("{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"),
            ),
        ] {
            wheel
                .start_file(path, zip::write::SimpleFileOptions::default())
                .unwrap();
            wheel.write_all(text.as_bytes()).unwrap();
        }
        let bytes = wheel.finish().unwrap().into_inner();
        let file = format!("{name}-{version}-py3-none-any.whl");
        self.wheels.lock().unwrap().insert(file, bytes);
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let mut line = first.clone();
        while !line.trim().is_empty() {
            line.clear();
            reader.read_line(&mut line)?;
        }
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        self.asked.lock().unwrap().push(path.clone());
        let wheels = self.wheels.lock().unwrap();
        let (status, kind, body) = if let Some(file) = path.strip_prefix("/files/") {
            match wheels.get(file) {
                Some(bytes) => ("200 OK", "application/octet-stream", bytes.clone()),
                None => ("404 Not Found", "text/plain", Vec::new()),
            }
        } else {
            let name = path
                .trim_start_matches("/simple/")
                .trim_end_matches('/')
                .to_owned();
            let of = |file: &&String| file.split('-').next().unwrap().replace('_', "-") == name;
            let links: String = wheels
                .keys()
                .filter(of)
                .map(|file| {
                    let digest = sha2::Sha256::digest(&wheels[file]);
                    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                    format!("<a href=\"/files/{file}#sha256={hash}\">{file}</a>\n")
                })
                .collect();
            match links.is_empty() {
                true => ("404 Not Found", "text/html", Vec::new()),
                false => (
                    "200 OK",
                    "text/html",
                    format!("<!DOCTYPE html><html><body>\n{links}</body></html>").into_bytes(),
                ),
            }
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        )?;
        stream.write_all(&body)
    }
}

/// A data home whose packages of Python come from that index.
fn home_with(index: &Index) -> Home {
    let home = Home::new();
    let settings = json!({"python": {"index": format!("{}/simple", index.address)}});
    std::fs::create_dir_all(home.path()).unwrap();
    std::fs::write(home.path().join("settings.json"), settings.to_string()).unwrap();
    home
}

fn put(home: &Home, name: &str, source: &str, requirements: &str) -> PathBuf {
    let folder = home.path().join("toolbox").join(name);
    write(&folder, name, source, requirements);
    folder
}

fn write(folder: &Path, name: &str, source: &str, requirements: &str) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(format!("{name}.tool.py")), source).unwrap();
    if !requirements.is_empty() {
        std::fs::write(folder.join("requirements.txt"), requirements).unwrap();
    }
}

fn pm(home: &Home, args: &[&str]) -> Value {
    let output = home.pm(&[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {output:?}");
    said(&output)
}

fn code(output: &Output) -> Value {
    let said = said(output);
    assert!(said["error"]["hint"].is_string(), "{said}");
    said["error"]["code"].clone()
}

fn refused(home: &Home, args: &[&str]) -> Value {
    let output = home.pm(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = said(&output);
    // A run says its error, what was not begun is one.
    said.get("error").unwrap_or(&said).clone()
}

const COUNTER: &str = r#"
import shelf

runs = 0

def get_metadata():
    return {"name": "Counter", "version": "1.0.0", "description": "says what its package says"}

def get_schema():
    return {"parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}

def execute(parameters, toolm):
    global runs
    runs += 1
    toolm.logger.info("counted", {"runs": runs})
    return f"{shelf.text} {parameters['name']} {runs}"
"#;

#[test]
fn packages_of_python_are_there_before_a_tool_runs_and_stay_until_others_are_wanted() {
    let index = Index::start();
    index.add("shelf", "1.0", "text = 'one'");
    index.add("shelf", "2.0", "text = 'two'");
    let home = home_with(&index);
    let folder = put(&home, "counter", COUNTER, "shelf==1.*\n");
    let _served = home.serve();
    let run = || pm(&home, &["tool", "run", "counter", "--params", r#"{"name": "a"}"#])["result"].clone();

    let deps = pm(&home, &["tool", "deps", "counter"]);
    assert_eq!(deps["settled"], false, "{deps}");
    let row = json!({"name": "shelf", "range": "==1.*", "from": "python", "byTool": true, "there": false});
    assert_eq!(deps["declared"], json!([row]));
    assert_eq!(run(), "one a 1");
    let asked = index.asked();
    assert_eq!(run(), "one a 2", "the same worker, and nothing to install");
    assert_eq!(index.asked(), asked);
    let deps = pm(&home, &["tool", "deps", "counter"]);
    assert_eq!(
        (&deps["settled"], &deps["declared"][0]["there"]),
        (&json!(true), &json!(true))
    );

    let log = home.log_of("counter");
    assert!(log.contains("依赖已安装"), "{log}");
    assert!(log.contains(r#"counted {"runs":1}"#), "{log}");
    assert!(
        !folder.join("package.json").exists(),
        "that is of another language"
    );

    // What cannot be had leaves what is there, and says why.
    std::fs::write(folder.join("requirements.txt"), "shelf==7\n").unwrap();
    let error = refused(&home, &["tool", "run", "counter", "--params", r#"{"name": "a"}"#]);
    assert_eq!(error["code"], "python_packages_failed", "{error}");
    assert!(error["message"].as_str().unwrap().contains("shelf==7"), "{error}");
    let stamp = std::fs::read_to_string(folder.join(".venv/.pm-stamp.json")).unwrap();
    assert!(stamp.contains("\"shelf\": \"1.0\""), "{stamp}");

    std::fs::write(folder.join("requirements.txt"), "shelf\n").unwrap();
    assert_eq!(run(), "two a 1");
    // What was there goes when nobody waits for it any more.
    until("nothing of an install is left", || {
        let mut there = std::fs::read_dir(&folder).unwrap().flatten();
        !there.any(|one| one.file_name().to_string_lossy().starts_with(".pm-"))
    });

    // What a condition excludes is not missing.
    let excluding = "shelf\nolder; python_version < '3'\n";
    std::fs::write(folder.join("requirements.txt"), excluding).unwrap();
    assert_eq!(run(), "two a 1");
    let deps = pm(&home, &["tool", "deps", "counter"]);
    assert_eq!(deps["settled"], true, "{deps}");

    std::fs::write(folder.join("requirements.txt"), "shelf\n-r /etc/passwd\n").unwrap();
    let error = refused(&home, &["tool", "run", "counter", "--params", r#"{"name": "a"}"#]);
    assert_eq!(error["code"], "requirement_refused", "{error}");

    // Without packages there is no environment, and the package is not there.
    std::fs::remove_file(folder.join("requirements.txt")).unwrap();
    let error = refused(&home, &["tool", "run", "counter", "--params", r#"{"name": "a"}"#]);
    assert_eq!(error["code"], "dependency_missing", "{error}");
    assert!(!folder.join(".venv").exists());
}

#[test]
fn every_mode_of_a_tool_in_python() {
    let home = Home::new();
    let source = r#"
import os

def get_metadata():
    return {"name": "Modal", "version": "1.2.3", "description": "shows every mode", "tags": ["t"]}

def get_schema():
    return {
        "parameters": {"type": "object", "properties": {
            "how": {"type": "string", "enum": ["well", "badly"], "default": "well", "description": "how it goes"},
            "times": {"type": "integer", "minimum": 1, "description": "how often"}}, "required": ["times"]},
        "environment": {"type": "object", "properties": {
            "MODAL_TOKEN": {"type": "string", "description": "opens a door"}}, "required": ["MODAL_TOKEN"]},
    }

def get_business_errors():
    return [{"code": "WENT_BADLY", "match": "it went badly", "description": "it did", "solution": "choose well", "retryable": True}]

def execute(parameters, toolm):
    if parameters["how"] == "badly":
        raise RuntimeError("it went badly")
    toolm.logger.info("token is " + toolm.environment.get("MODAL_TOKEN", "none"))
    return {"how": parameters["how"], "times": parameters["times"], "same": os.environ.get("MODAL_TOKEN") == toolm.environment.get("MODAL_TOKEN")}
"#;
    let folder = put(&home, "modal", source, "");
    let _served = home.serve();
    let toolm = |yaml: &str| {
        let output = home.pm_with_input(&["toolm", "-", "--json"], yaml);
        String::from_utf8(output.stdout).unwrap()
    };
    let manual = toolm("tool: tool://modal\nmode: manual\n");
    assert!(
        manual.contains("shows every mode") && manual.contains("WENT_BADLY"),
        "{manual}"
    );
    let missing = toolm("tool: tool://modal\nparameters: {how: sideways}\n");
    assert!(missing.contains("times") && missing.contains("how"), "{missing}");
    let configured = toolm("tool: tool://modal\nmode: configure\nparameters: {MODAL_TOKEN: s3cr3t-value}\n");
    assert!(!configured.contains("s3cr3t-value"), "{configured}");
    let run = pm(&home, &["tool", "run", "modal", "--params", r#"{"times": 2}"#]);
    assert_eq!(run["result"], json!({"how": "well", "times": 2, "same": true}));
    let failed = toolm("tool: tool://modal\nparameters: {how: badly, times: 1}\n");
    assert!(failed.contains("choose well"), "{failed}");
    let log = toolm("tool: tool://modal\nmode: log\n");
    assert!(
        log.contains("token is ") && log.contains("it went badly"),
        "{log}"
    );
    let file = home.log_of("modal");
    assert!(!file.contains("s3cr3t-value"), "{file}");
    assert!(!log.contains("s3cr3t-value"), "{log}");
    assert!(!folder.join(".venv").exists(), "it has no packages");
}

#[test]
fn a_tool_in_python_reaches_what_it_was_granted() {
    let home = Home::new();
    let port = greeter();
    let outside = home.outside("granted");
    std::fs::write(outside.join("a.txt"), "inside").unwrap();
    let source = format!(
        r#"
import os, subprocess, urllib.request

def get_metadata(): return {{"name": "R", "version": "1.0.0", "description": "reaches"}}
def get_runtime_config():
    return {{"networkAccess": {{"loopback": [{port}]}}, "allowedDirectories": ["{}"]}}

def tried(work):
    try:
        return work()
    except Exception as error:
        return f"no: {{error}}"

def execute(parameters, toolm):
    return {{
        "fetched": tried(lambda: urllib.request.urlopen("http://127.0.0.1:{port}/").read().decode()),
        "read": tried(lambda: open("a.txt").read()),
        "home": tried(lambda: os.listdir(os.path.dirname(os.path.dirname(toolm.tool_dir)))),
        "child": subprocess.run(["/bin/echo", "one"], capture_output=True, text=True).stdout.strip(),
    }}
"#,
        outside.display()
    );
    put(&home, "reacher", &source, "");
    let _served = home.serve();
    let error = refused(&home, &["tool", "run", "reacher"]);
    assert_eq!(error["code"], "permission_required", "{error}");
    let directory = outside.to_str().unwrap();
    pm(&home, &["tool", "grant", "reacher", "--dir", directory]);
    let run = || pm(&home, &["tool", "run", "reacher"])["result"].clone();
    let first = run();
    assert_eq!(
        (&first["read"], &first["child"]),
        (&json!("inside"), &json!("one"))
    );
    let refusal = first["fetched"].as_str().unwrap();
    assert!(refusal.contains("pm tool grant reacher --"), "{first}");
    let seen = first["home"].to_string();
    assert!(
        !seen.contains("pm.db") && !seen.contains("token"),
        "the data home is hidden: {seen}"
    );
    let text = port.to_string();
    pm(&home, &["tool", "grant", "reacher", "--loopback", &text]);
    assert_eq!(run()["fetched"], "hello");
    pm(&home, &["tool", "revoke", "reacher", "--loopback", &text]);
    assert_ne!(run()["fetched"], "hello");
}

#[test]
fn a_tool_in_python_comes_is_updated_goes_back_and_goes() {
    let index = Index::start();
    index.add("shelf", "1.0", "text = 'one'");
    index.add("shelf", "2.0", "text = 'two'");
    let home = home_with(&index);
    let _served = home.serve();
    let counted = |version: &str| COUNTER.replace("1.0.0", version);
    let one = zip(
        &home,
        "one.zip",
        &[
            ("counter/counter.tool.py", &counted("1.0.0")),
            ("counter/requirements.txt", "shelf==1.0\n"),
            ("counter/.venv/bin/python", "#!/bin/sh\n"),
            ("counter/__pycache__/x.pyc", "x"),
        ],
    );
    let one = one.to_str().unwrap();
    let preview = pm(&home, &["tool", "install", one, "--dry-run"]);
    assert_eq!(
        (&preview["tool"], &preview["python"]),
        (&json!("counter"), &json!(true)),
        "{preview}"
    );
    assert_eq!(preview["leftOut"], json!([".venv", "__pycache__"]), "{preview}");
    assert_eq!(
        preview["dependencies"],
        json!([{"name": "shelf", "after": "==1.0"}])
    );
    assert_eq!(index.asked(), 0, "looked at, and nothing else");
    pm(&home, &["tool", "install", one]);
    let run = || pm(&home, &["tool", "run", "counter", "--params", r#"{"name": "a"}"#])["result"].clone();
    let asked = index.asked();
    assert_eq!(run(), "one a 1");
    assert_eq!(index.asked(), asked, "its packages came with it");

    let two = zip(
        &home,
        "two.zip",
        &[
            ("counter.tool.py", &counted("2.0.0")),
            ("requirements.txt", "shelf==2.0\n"),
        ],
    );
    pm(&home, &["tool", "update", "counter", two.to_str().unwrap()]);
    assert_eq!(run(), "two a 1");
    // What cannot have its packages does not come at all.
    let three = zip(
        &home,
        "three.zip",
        &[
            ("counter.tool.py", &counted("3.0.0")),
            ("requirements.txt", "shelf==3.0\n"),
        ],
    );
    let error = refused(&home, &["tool", "update", "counter", three.to_str().unwrap()]);
    assert_eq!(error["code"], "python_packages_failed", "{error}");
    let broken = zip(&home, "broken.zip", &[("counter.tool.py", "def execute(:\n")]);
    let error = refused(&home, &["tool", "update", "counter", broken.to_str().unwrap()]);
    assert_eq!(
        (&error["code"], &error["args"]["line"]),
        (&json!("tool_broken"), &json!(1)),
        "{error}"
    );
    assert_eq!(run(), "two a 2", "the worker is the same: nothing was changed");

    let asked = index.asked();
    pm(&home, &["tool", "rollback", "counter"]);
    assert_eq!(run(), "one a 1");
    assert_eq!(index.asked(), asked, "a version is kept with its packages");
    pm(&home, &["tool", "remove", "counter"]);
    assert!(!home.path().join("toolbox/counter").exists());
    pm(&home, &["tool", "restore", "counter"]);
    assert_eq!(run(), "one a 1");
    assert_eq!(index.asked(), asked);

    let alone = home.outside("alone").join("plain.tool.py");
    std::fs::write(&alone, "def execute(): return 'alone'\n").unwrap();
    pm(&home, &["tool", "install", alone.to_str().unwrap()]);
    assert_eq!(pm(&home, &["tool", "run", "plain"])["result"], "alone");
}

#[test]
fn a_new_tool_in_python_runs_passes_its_own_test_and_has_nothing_wrong() {
    let home = Home::new();
    let _served = home.serve();
    let made = pm(&home, &["tool", "new", "greeter", "--python"]);
    let folder = PathBuf::from(made["folder"].as_str().unwrap());
    let run = pm(
        &home,
        &["tool", "run", "greeter", "--params", r#"{"name": "Ada"}"#],
    );
    assert_eq!(run["result"], json!({"greeting": "Hello, Ada!", "count": 1}));
    let report = pm(&home, &["tool", "validate", "greeter", "--level", "full"]);
    let text = report.to_string();
    assert!(
        !text.contains("\"error\"") && !text.contains("\"warning\""),
        "{text}"
    );
    let own = Command::new("python3")
        .args(["-B", "-m", "unittest", "discover", "test"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&own.stderr).into_owned();
    assert!(own.status.success() && words.contains("Ran 2 tests"), "{words}");
}

/// The interpreter that `python3` leads to.
fn real_python() -> PathBuf {
    let asked = ["-c", "import os, sys; print(os.path.realpath(sys.executable))"];
    let output = Command::new("python3").args(asked).output().unwrap();
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// By another program: a file that is open for writing in a test beside this one could not be run.
fn program(path: &Path, text: &str) {
    let write = "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", write, "sh", text]).arg(path);
    assert!(shell.status().unwrap().success());
}

/// A folder with a `python3` that is the newest there is, and does `more` before it is the real one.
fn newest(home: &Home, name: &str, more: &str) -> PathBuf {
    let folder = home.outside(name);
    let file = folder.join("python3");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo Python 3.99.0 && exit\n{more}\nexec '{}' \"$@\"\n",
        real_python().display()
    );
    program(&file, &text);
    folder
}

/// `folder` is the first of PATH. What it leads to may be one that pyenv keeps: commands see that only below the home
/// of the person whose it is.
fn run_with(home: &Home, tool: &str, folder: &Path) -> Output {
    let real = real_python();
    let mut command = home.command(&["tool", "run", tool, "--json"]);
    let managed = real.ancestors().find(|place| place.ends_with(".pyenv"));
    if let Some(person) = managed.and_then(Path::parent) {
        command.env("HOME", person);
    }
    command
        .env("PATH", path_with(&[folder, real.parent().unwrap()]))
        .output()
        .unwrap()
}

/// PATH, with these in front.
fn path_with(first: &[&Path]) -> OsString {
    let path = std::env::var_os("PATH").unwrap();
    let first = first.iter().map(PathBuf::from);
    std::env::join_paths(first.chain(std::env::split_paths(&path))).unwrap()
}

#[test]
fn without_python_the_error_says_what_to_install() {
    let home = Home::new();
    put(&home, "plain", "def execute(): return 1\n", "");
    // What builds the walls is there, Python is not, nor are its managers.
    let programs = home.outside("programs");
    std::os::unix::fs::symlink("/usr/bin/bwrap", programs.join("bwrap")).unwrap();
    let output = home
        .command(&["tool", "run", "plain", "--json"])
        .env("PATH", &programs)
        .env("HOME", home.outside("nobody"))
        .output()
        .unwrap();
    assert_eq!(code(&output), "python_missing", "{output:?}");
    for (lang, words) in [("en", "there is no python3"), ("zh-CN", "找不到 python3")] {
        let settings = json!({"language": lang}).to_string();
        std::fs::write(home.path().join("settings.json"), settings).unwrap();
        let output = home
            .command(&["tool", "run", "plain"])
            .env("PATH", &programs)
            .env("HOME", home.outside("nobody"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_python_without_virtual_environments_and_one_that_is_too_old_say_so() {
    let index = Index::start();
    index.add("shelf", "1.0", "text = 'one'");
    let home = home_with(&index);
    let source = "import shelf\ndef execute(): return shelf.text\n";
    put(&home, "plain", source, "shelf\n");
    let without = newest(
        &home,
        "without",
        "case \"$*\" in *ensurepip*) echo 'No module named ensurepip' >&2; exit 1;; esac",
    );
    let output = run_with(&home, "plain", &without);
    assert_eq!(code(&output), "python_venv_missing", "{output:?}");
    assert_eq!(index.asked(), 0);

    put(&home, "bare", "def execute(): return 1\n", "");
    let old = newest(
        &home,
        "old",
        "case \"$*\" in *OLDEST*) for last; do :; done; exec 'REAL' -I -S -B -c \"import sys; sys.version_info = (3, 8, 1)\n$last\";; esac"
            .replace("REAL", real_python().to_str().unwrap())
            .as_str(),
    );
    let output = run_with(&home, "bare", &old);
    assert_eq!(code(&output), "python_too_old", "{output:?}");
}

/// `uv` where the machine has it: here a program of that name that notes what it is told, and does it with pip.
#[test]
fn uv_installs_where_the_machine_has_it() {
    let index = Index::start();
    index.add("shelf", "1.0", "text = 'by uv'");
    let home = home_with(&index);
    let folder = put(
        &home,
        "plain",
        "import shelf\ndef execute(): return shelf.text\n",
        "shelf\n",
    );
    let bin = home.outside("tools/bin");
    let text = "#!/bin/sh
if [ \"$1\" = venv ]; then
  \"$3\" -I -m venv \"$4\" && echo uv > \"$4/made-by\"
else
  shift 2; python=$2; shift 2
  for word; do shift; [ \"$word\" = --compile-bytecode ] || set -- \"$@\" \"$word\"; done
  exec \"$python\" -I -m pip install \"$@\"
fi
";
    program(&bin.join("uv"), text);
    // A folder of programs below home is what commands see of it; and this home has a Python of its own.
    let person = bin.parent().unwrap();
    let kept = person.join(".pyenv/versions/real/bin");
    std::fs::create_dir_all(&kept).unwrap();
    std::os::unix::fs::symlink(real_python(), kept.join("python3")).unwrap();
    let output = home
        .command(&["tool", "run", "plain", "--json"])
        .env("PATH", path_with(&[&bin]))
        .env("HOME", person)
        .output()
        .unwrap();
    assert_eq!(said(&output)["result"], "by uv", "{output:?}");
    assert_eq!(
        std::fs::read_to_string(folder.join(".venv/made-by")).unwrap(),
        "uv\n"
    );
}

/// Changes are seen while the owner lives, and a folder whose tool is in both languages is what it was.
#[test]
fn a_tool_in_python_appears_changes_and_vanishes() {
    let home = Home::new();
    let _served = home.serve();
    let names = || {
        let listed = pm(&home, &["tool", "list"]);
        listed.to_string().contains("\"watched\"")
    };
    assert!(!names());
    let folder = put(&home, "watched", "def execute(): return 1\n", "");
    assert!(names());
    assert_eq!(pm(&home, &["tool", "run", "watched"])["result"], 1);
    let main = folder.join("watched.tool.py");
    std::fs::write(&main, "def execute(): return 2\n").unwrap();
    let later = SystemTime::now() + Duration::from_secs(1);
    std::fs::File::options()
        .write(true)
        .open(&main)
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert_eq!(pm(&home, &["tool", "run", "watched"])["result"], 2);
    std::fs::write(
        folder.join("watched.tool.js"),
        "export default { execute: () => 'js' };",
    )
    .unwrap();
    assert_eq!(
        pm(&home, &["tool", "run", "watched"])["result"],
        "js",
        "the first of the two is the tool"
    );
    let found = pm(&home, &["tool", "validate", "watched"]).to_string();
    assert!(found.contains("other_main_file"), "{found}");
    // Nobody writes there any more: the list has looked at what was changed, and the log has what was said last.
    assert!(names());
    assert!(home.pm(&["tool", "log", "watched"]).status.success());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(!names());
}
