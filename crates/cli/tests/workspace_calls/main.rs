//! The calls behind the page of workspaces, through the whole product: commands while they run and
//! afterwards, terminals, rights, versions, and what MCP clients can do about a command.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; looks at the files themselves"
)]

mod changes;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod mcp;
mod rights;
mod terminals;

use base::{DataHome, Failure};
use common::Home;
use common::until;
use serde_json::{Value, json};
use server::App;
use server::owner::{Owner, Ownership};
use std::path::PathBuf;
use wire::{Access, Caller};

/// An owner in this process with a task `t1`.
struct Scene {
    home: Home,
    folder: PathBuf,
    owner: Owner,
}

impl Scene {
    async fn new() -> Self {
        Scene::at(Home::new()).await
    }

    async fn at(home: Home) -> Self {
        let folder = home.outside("work");
        let data = DataHome::at(home.path()).unwrap();
        let ownership = Ownership::try_take(&data).unwrap().unwrap();
        let owner = Owner::open(&data, ownership).unwrap();
        let scene = Scene { home, folder, owner };
        let params = json!({"taskId": "t1", "workspacePath": scene.folder});
        scene.person("workspace.bind", params).await;
        scene
    }

    fn app(&self) -> App {
        self.owner.app().clone()
    }

    async fn asked(&self, caller: &Caller, call: &str, params: Value) -> Result<Value, Failure> {
        wire::dispatch(&self.app(), caller, call, params).await
    }

    async fn person(&self, call: &str, params: Value) -> Value {
        let answered = self.asked(&Caller::person("web"), call, params).await;
        answered.unwrap_or_else(|failure| panic!("{call}: {failure}"))
    }

    async fn refused(&self, call: &str, params: Value) -> Failure {
        self.asked(&Caller::person("web"), call, params)
            .await
            .unwrap_err()
    }

    /// A command of the person, on its way.
    fn run(&self, params: Value) -> tokio::task::JoinHandle<Result<Value, Failure>> {
        let (app, mut params) = (self.app(), params);
        params["taskId"] = "t1".into();
        tokio::spawn(
            async move { wire::dispatch(&app, &Caller::person("web"), "workspace.run", params).await },
        )
    }
}

fn agent() -> Caller {
    let mut agent = Caller::mcp_client("builder");
    agent.access = Access::Agent;
    agent
}

/// Process ids of processes that have this word among theirs.
fn processes(word: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let ids = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    ids.filter(|id| {
        let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|one| one == word.as_bytes())
    })
    .collect()
}
