//! A data home with tools in it, and ears.

#![allow(
    dead_code,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "each test program uses its part; a test fails by panicking"
)]

pub mod processes;
pub mod reach;
pub mod stillness;
pub mod web;

use runtime::host::{Deadline, Finished, Host, Mount, Observer, Reach, RunError, ScriptLimits, ToolSpec};
use runtime::protocol::{Level, ScriptRun, ToolLoad};
use sandbox::{Facts, Launcher, Namespaces, Tier, Walls};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[derive(Default)]
pub struct Heard(Mutex<Vec<(Level, String)>>);

impl Observer for Heard {
    fn log(&self, level: Level, text: String) {
        self.0.lock().unwrap().push((level, text));
    }
    fn progress(&self, done: f64, total: Option<f64>, text: Option<String>) {
        self.0
            .lock()
            .unwrap()
            .push((Level::Debug, format!("progress {done}/{total:?} {text:?}")));
    }
}

impl Heard {
    pub fn lines(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap()
            .iter()
            .map(|(level, text)| format!("{level:?} {text}"))
            .collect()
    }
}

/// A data home with one tool in it.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub host: Host,
}

impl Home {
    pub fn new() -> Self {
        Home {
            dir: tempfile::tempdir().unwrap(),
            host: Host::start().unwrap(),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub fn tool(&self, name: &str, body: &str) -> ToolSpec {
        let root = self.root();
        let folder = root.join("toolbox").join(name);
        std::fs::create_dir_all(folder.join("data")).unwrap();
        std::fs::create_dir_all(folder.join("logs")).unwrap();
        let main = format!("{name}.tool.js");
        std::fs::write(folder.join(&main), body).unwrap();
        ToolSpec {
            load: ToolLoad {
                name: name.to_owned(),
                folder: folder.clone(),
                main,
                env: vec![("GREETING".into(), "hello".into())],
                directories: vec![folder.join("data")],
                user_home: PathBuf::from("/home/someone"),
                data_home: root.clone(),
                heap: 256 << 20,
            },
            mounts: vec![
                Mount::read_only(&folder),
                Mount::read_write(folder.join("data")),
                Mount::read_write(folder.join("logs")),
            ],
            home: root,
            reach: Reach::nothing(),
            key: body.len().to_string(),
            concurrency: 1,
            engine: runtime::host::Engine::QuickJs,
        }
    }

    pub async fn run(&self, spec: &ToolSpec, params: Value) -> Result<Value, RunError> {
        self.run_for(spec, params, Duration::from_secs(20), &Heard::default())
            .await
    }

    pub async fn run_for(
        &self,
        spec: &ToolSpec,
        params: Value,
        time: Duration,
        heard: &Heard,
    ) -> Result<Value, RunError> {
        let deadline = Deadline {
            time,
            cancel: CancellationToken::new(),
        };
        Ok(self.host.run_tool(spec, &params, &deadline, heard).await?.value)
    }

    pub async fn script(&self, code: &str) -> Result<Finished, RunError> {
        let script = ScriptRun {
            code: code.to_owned(),
            input: Some(json!({"n": 21})),
        };
        self.host
            .run_script(&script, &limits(), CancellationToken::new(), &Heard::default())
            .await
    }
}

pub fn limits() -> ScriptLimits {
    ScriptLimits {
        time: Duration::from_secs(10),
        heap: 128 << 20,
        canvas_pixels: 67_000_000,
        result_chars: 200_000,
    }
}

/// One for each tier.
pub fn homes() -> [Home; 2] {
    let program = Home::new().host.walls().program().to_owned();
    let reduced = Facts {
        namespaces: Namespaces::NoBwrap,
        ..sandbox::detect()
    };
    assert_eq!(reduced.tier(), Tier::Reduced);
    let walls = Walls::promised(Launcher::start().unwrap(), reduced, program);
    let home = Home {
        host: Host::with(walls),
        ..Home::new()
    };
    [Home::new(), home]
}
