//! A task as a document: who there was, what was said, what was kept.

use agents::society::{Party, State};
use base::{Lang, clock};
use std::fmt::Write as _;
use store::SocietyTask;

pub(super) fn markdown(row: &SocietyTask, state: &State, lang: Lang) -> String {
    let mut text = format!("# {}\n\n", row.title);
    let who = |party: Party| match party {
        Party::User => lang.pick("用户", "user").to_owned(),
        Party::Society => lang.pick("系统", "society").to_owned(),
        Party::Agent(id) => match state.org().role_of(id) {
            Some(role) => format!("{} ({})", id.0, role.name),
            None => id.0.to_string(),
        },
    };
    let _ = writeln!(text, "## {}\n", lang.pick("智能体", "Agents"));
    for (id, agent) in state.org().agents() {
        let parent = agent
            .parent
            .map_or_else(String::new, |parent| format!(" ← {}", parent.0));
        let spent = state.spent(id);
        let _ = writeln!(
            text,
            "- {}{parent}: {} tokens, {} {}",
            who(Party::Agent(id)),
            spent.tokens,
            spent.calls,
            lang.pick("次调用", "calls")
        );
    }
    let _ = writeln!(text, "\n## {}", lang.pick("消息", "Messages"));
    for posted in state.messages() {
        let message = &posted.message;
        let at = clock::iso_local(posted.at);
        let _ = write!(
            text,
            "\n### {} → {} · {at}\n\n{}\n",
            who(message.from),
            who(message.to),
            message.text.trim_end()
        );
        for id in &message.artifacts {
            let _ = writeln!(text, "\n→ artifact:{id}");
        }
    }
    if !state.artifacts().is_empty() {
        let _ = writeln!(text, "\n## {}", lang.pick("产物", "Artifacts"));
    }
    for (artifact, id) in state.artifacts().iter().zip(1..) {
        let fence = fence(&artifact.content);
        let _ = write!(
            text,
            "\n### artifact:{id} {} ({}) · {}\n\n{fence}\n{}\n{fence}\n",
            artifact.name,
            artifact.kind,
            who(Party::Agent(artifact.by)),
            artifact.content.trim_end()
        );
    }
    text
}

/// Longer than any in the text.
fn fence(text: &str) -> String {
    let runs = text.split(|char| char != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
}
