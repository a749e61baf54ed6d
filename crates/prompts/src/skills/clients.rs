//! Programs that read skills from a folder of the user's, and which folder that is.

use super::error::SkillError;
use base::HomeError;
use base::home::user_home;
use std::path::PathBuf;

pub struct Client {
    /// As settings and `pm` name it.
    pub id: &'static str,
    /// Below the user's home.
    below: &'static str,
}

/// As their documentation says, looked up in November 2026. Codex, Zed, Gemini CLI, Copilot and OpenCode
/// read the common folder `~/.agents/skills`, Codex and Zed no other (`~/.codex/skills` is deprecated).
pub const CLIENTS: &[Client] = &[
    // developers.openai.com/codex/skills, zed.dev/docs/ai/skills, opencode.ai/docs/skills
    client("agents", ".agents/skills"),
    // code.claude.com/docs/en/skills
    client("claude-code", ".claude/skills"),
    // cursor.com/docs/context/skills
    client("cursor", ".cursor/skills"),
    // geminicli.com/docs/cli/using-agent-skills
    client("gemini", ".gemini/skills"),
    // docs.github.com/en/copilot, "Adding agent skills"
    client("copilot", ".copilot/skills"),
    // docs.windsurf.com/windsurf/cascade/skills
    client("windsurf", ".codeium/windsurf/skills"),
    // opencode.ai/docs/skills
    client("opencode", ".config/opencode/skills"),
];

const fn client(id: &'static str, below: &'static str) -> Client {
    Client { id, below }
}

impl Client {
    pub fn named(name: &str) -> Result<&'static Client, SkillError> {
        let found = CLIENTS.iter().find(|client| client.id == name);
        found.ok_or_else(|| SkillError::UnknownClient {
            name: base::text::cut(name, 100),
            known: CLIENTS
                .iter()
                .map(|client| client.id)
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    /// Whether it is there or not.
    pub fn folder(&self) -> Result<PathBuf, HomeError> {
        Ok(user_home()?.join(self.below))
    }
}
