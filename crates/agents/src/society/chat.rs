//! What an agent's model is told: who it is, what it remembers, what it may call.

use super::event::{Kind, Party};
use super::state::{Entry, Posted, State};
use super::{AgentId, ROOT, TaskBrief, tools};
use base::Lang;
use llm::{Chat, Message, Picture, Role, Tool, ToolCall, ToolResult};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Pictures of one conversation that are shown; the older ones are named only.
const PICTURES: usize = 8;

impl State {
    /// The conversation of an agent up to the answer that it wants: one message of the system, then one for each
    /// entry of its memory. `outside`: tools beside the society's own, of which it is offered those of its role.
    pub fn chat(&self, agent: AgentId, outside: &[Tool], pictures: &HashMap<String, Picture>) -> Chat {
        let mut messages = vec![Message::new(Role::System, self.instructions(agent))];
        let memory = self.mind(agent).map(super::Mind::memory).unwrap_or_default();
        messages.extend(memory.iter().map(|entry| self.entry(entry, pictures)));
        let mut offered = tools::offered(self.lang);
        let own = outside.iter().filter(|tool| self.has_tool(agent, &tool.name));
        offered.extend(own.cloned());
        Chat::new(messages).with_tools(offered)
    }

    /// The pictures that its conversation shows, the newest.
    pub fn shown_pictures(&self, agent: AgentId) -> Vec<&str> {
        let memory = self.mind(agent).map(super::Mind::memory).unwrap_or_default();
        let all = memory.iter().rev().filter_map(|entry| match entry {
            Entry::Pictures(pictures) => Some(pictures.iter().rev()),
            _ => None,
        });
        all.flatten().take(PICTURES).map(String::as_str).collect()
    }

    fn instructions(&self, agent: AgentId) -> String {
        let lang = self.lang;
        let society = lang.pick(
            include_str!("../../../../resources/society/agent.zh-CN.md"),
            include_str!("../../../../resources/society/agent.en.md"),
        );
        let mut told = society.trim().to_owned();
        let name = self.name(agent);
        let _ = match (lang, self.org.agent(agent).ok().and_then(|one| one.parent)) {
            (Lang::ZhCn, None) => write!(told, "\n\n你的编号：{name}"),
            (Lang::En, None) => write!(told, "\n\nYour id: {name}"),
            (Lang::ZhCn, Some(parent)) => {
                write!(told, "\n\n你的编号：{name}，上级：{}", self.name(parent))
            }
            (Lang::En, Some(parent)) => {
                write!(told, "\n\nYour id: {name}. Who made you: {}", self.name(parent))
            }
        };
        if agent == ROOT {
            let root = lang.pick(
                include_str!("../../../../resources/society/root.zh-CN.md"),
                include_str!("../../../../resources/society/root.en.md"),
            );
            told.push_str("\n\n");
            told.push_str(root.trim());
        }
        if let Some(role) = self.org.role_of(agent) {
            let _ = match lang {
                Lang::ZhCn => write!(told, "\n\n你的岗位：{}\n\n{}", role.name, role.prompt.trim()),
                Lang::En => write!(told, "\n\nYour role: {}\n\n{}", role.name, role.prompt.trim()),
            };
        }
        // What leaves its memory in time does not leave here.
        match self.org.agent(agent) {
            Ok(one) if one.brief != TaskBrief::default() => {
                told.push_str("\n\n");
                told.push_str(&one.brief.told(lang));
            }
            _ => {}
        }
        told
    }

    fn entry(&self, entry: &Entry, pictures: &HashMap<String, Picture>) -> Message {
        match entry {
            Entry::Message(id) => {
                let told = self.message(*id).map(|posted| self.letter(posted));
                Message::new(Role::User, told.unwrap_or_default())
            }
            Entry::Said { text, calls } => Message::Assistant {
                text: text.clone(),
                calls: calls.iter().map(tool_call).collect(),
            },
            Entry::Gave { call, outcome } => Message::Result(ToolResult {
                call: call.id.clone(),
                name: call.name.clone(),
                text: outcome.text.clone(),
                is_error: outcome.is_error,
            }),
            Entry::Pictures(ids) => Message::User {
                text: format!("{}: {}", self.lang.pick("图片", "Pictures"), ids.join(", ")),
                pictures: ids.iter().filter_map(|id| pictures.get(id).cloned()).collect(),
            },
            Entry::Summary(text) => {
                let about = self
                    .lang
                    .pick("到目前为止的摘要", "What happened before, in short");
                Message::new(Role::User, format!("{about}:\n{text}"))
            }
        }
    }

    fn letter(&self, Posted { message, .. }: &Posted) -> String {
        let from = match message.from {
            Party::User => "user".to_owned(),
            Party::Society => self.lang.pick("系统", "the society").to_owned(),
            Party::Agent(id) => self.titled(id),
        };
        let what = match message.kind {
            Kind::Sent => self.lang.pick("消息来自", "Message from"),
            Kind::Brief => self.lang.pick("任务来自", "Task from"),
            Kind::Answer => self.lang.pick("回答来自", "Answer of"),
            Kind::Notice => self.lang.pick("通知来自", "Notice of"),
        };
        let mut letter = format!("{what} {from}:\n{}", message.text);
        for id in &message.artifacts {
            if let Some(artifact) = self.artifact(*id) {
                let _ = write!(letter, "\nartifact:{id} {} ({})", artifact.name, artifact.kind);
            }
        }
        letter
    }
}

fn tool_call(call: &super::Call) -> ToolCall {
    ToolCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        mark: call.mark.clone(),
    }
}
