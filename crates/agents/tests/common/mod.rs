//! A society over real records, whose models are functions and whose tools work in a folder.

#![allow(dead_code, reason = "each test uses some of it")]

use agents::society::{
    AtOnce, Budget, Call, Outcome, Outside, Reply, Requirement, RoleTemplate, Society, State, Terms, Who,
};
use async_trait::async_trait;
use base::{DataHome, Failure, Lang};
use llm::{Chat, Message, Picture, Tool};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Actor, Store};
use tokio_util::sync::CancellationToken;

pub type Model = dyn Fn(&Who, &Chat) -> Result<Reply, Failure> + Send + Sync;

pub struct Scripted {
    pub model: Box<Model>,
    pub folder: PathBuf,
    pub terms: Terms,
    /// Told of each step outside.
    pub tell: Box<dyn Fn(&str) + Send + Sync>,
    /// Asks of these agents are never answered.
    pub deaf: std::sync::Mutex<Vec<u64>>,
}

pub const TERMS: Terms = Terms {
    window: 128_000,
    output: 1_000,
    pictures: true,
    price: (0, 0),
};

impl Scripted {
    pub fn new(
        folder: &Path,
        model: impl Fn(&Who, &Chat) -> Result<Reply, Failure> + Send + Sync + 'static,
    ) -> Self {
        Scripted {
            model: Box::new(model),
            folder: folder.to_owned(),
            terms: TERMS,
            tell: Box::new(|_| {}),
            deaf: std::sync::Mutex::default(),
        }
    }
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
    }
}

#[async_trait]
impl Outside for Scripted {
    async fn tools(&self, _: &str) -> Vec<Tool> {
        ["write", "append", "read", "draw"].map(tool).to_vec()
    }

    async fn terms(&self, _: Option<&str>) -> Result<Terms, Failure> {
        Ok(self.terms)
    }

    async fn ask(&self, who: &Who, _: Option<&str>, chat: Chat) -> Result<Reply, Failure> {
        (self.tell)("ask");
        let deaf = self.deaf.lock().unwrap().contains(&who.agent.0);
        if deaf {
            std::future::pending::<()>().await;
        }
        let reply = (self.model)(who, &chat);
        (self.tell)("answered");
        reply
    }

    async fn call(&self, _: &Who, call: &Call, _: CancellationToken) -> Outcome {
        (self.tell)("call");
        let given: Value = serde_json::from_str(&call.arguments).unwrap();
        if call.name == "draw" {
            return Outcome {
                text: "drawn".to_owned(),
                is_error: false,
                pictures: vec!["picture.png".to_owned()],
            };
        }
        let path = self.folder.join(given["path"].as_str().unwrap_or("none"));
        let text = given["text"].as_str().unwrap_or_default();
        let said = match call.name.as_str() {
            "write" => base::atomic::write(&path, text.as_bytes(), base::atomic::Access::Private)
                .map(|()| "ok".to_owned()),
            // What a second time does harm.
            "append" => {
                use std::io::Write as _;
                let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
                file.and_then(|mut file| file.write_all(text.as_bytes()))
                    .map(|()| "ok".to_owned())
            }
            _ => std::fs::read_to_string(&path),
        };
        (self.tell)("called");
        Outcome {
            is_error: said.is_err(),
            text: said.unwrap_or_else(|error| error.to_string()),
            pictures: Vec::new(),
        }
    }

    fn again(&self, tool: &str) -> bool {
        tool != "append"
    }

    async fn picture(&self, id: &str) -> Option<Picture> {
        (id == "picture.png").then(|| Picture::new(*b"\x89PNG\r\n\x1a\n...."))?
    }

    fn program(&self, _: &State, _: agents::society::AgentId) -> Option<Reply> {
        None
    }
}

pub fn open_store(home: &Path) -> Store {
    Store::open(&DataHome::at(home).unwrap().prepare().unwrap(), 1000).unwrap()
}

pub fn society(store: Store, outside: impl Outside) -> Society {
    Society::new(store, Arc::new(outside), AtOnce::default())
}

pub fn wanted(text: &str) -> Requirement {
    Requirement {
        title: text.to_owned(),
        text: text.to_owned(),
        lang: Lang::En,
        budget: Budget::usual(),
        service: None,
        roles: Vec::<RoleTemplate>::new(),
        replays: None,
    }
}

pub fn person() -> Actor {
    Actor {
        kind: "person".to_owned(),
        name: "pm".to_owned(),
    }
}

pub fn say(text: &str) -> Result<Reply, Failure> {
    Ok(Reply {
        text: text.to_owned(),
        input: Some(100),
        output: Some(10),
        ..Reply::default()
    })
}

/// Calls with these names and arguments.
pub fn calls(calls: &[(&str, Value)]) -> Result<Reply, Failure> {
    let calls = calls.iter().enumerate().map(|(nth, (name, arguments))| Call {
        id: format!("c{nth}"),
        name: (*name).to_owned(),
        arguments: arguments.to_string(),
        mark: None,
    });
    Ok(Reply {
        calls: calls.collect(),
        input: Some(100),
        output: Some(10),
        ..Reply::default()
    })
}

pub fn brief(objective: &str) -> Value {
    json!({"objective": objective, "constraints": "none", "inputs": "none", "outputs": "a file",
        "completion_criteria": "it is there"})
}

/// The texts that the model was told since its last answer.
pub fn news(chat: &Chat) -> Vec<&str> {
    let messages = chat.messages();
    let last = messages
        .iter()
        .rposition(|message| matches!(message, Message::Assistant { .. }));
    messages[last.map_or(1, |last| last + 1)..]
        .iter()
        .map(Message::text)
        .collect()
}

/// How many messages of the conversation begin so.
pub fn heard(chat: &Chat, begin: &str) -> usize {
    let messages = chat.messages().iter();
    messages
        .filter(|message| matches!(message, Message::User { .. }) && message.text().starts_with(begin))
        .count()
}
