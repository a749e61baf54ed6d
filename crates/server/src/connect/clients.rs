//! MCP clients that we know: the file in which each keeps its servers, and how it writes one down there.

use super::edit::Format;
use base::DataHome;
use base::home::{user_config, user_home};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Under which our entry stands.
pub(super) const ENTRY: &str = "prompt-manager";

pub(super) struct Client {
    /// As it is asked for, and by which its runs are known.
    pub id: &'static str,
    /// Where its entries are, from the top of the file.
    pub section: &'static str,
    pub format: Format,
    /// Fields that it wants beside command and arguments.
    fields: &'static [(&'static str, &'static str)],
    folder: Folder,
    file: &'static str,
}

#[derive(Clone, Copy)]
enum Folder {
    Home,
    /// Of the user's configuration: `~/.config`, or what the system has for it.
    Config,
    /// Of a variable, else below home.
    Variable(&'static str, &'static str),
}

const STDIO: &[(&str, &str)] = &[("type", "stdio")];

/// From the clients' own documentation.
pub(super) const CLIENTS: &[Client] = &[
    client(
        "claude-desktop",
        "mcpServers",
        &[],
        Folder::Config,
        "Claude/claude_desktop_config.json",
    ),
    client("claude-code", "mcpServers", STDIO, Folder::Home, ".claude.json"),
    client("cursor", "mcpServers", &[], Folder::Home, ".cursor/mcp.json"),
    client("vs-code", "servers", STDIO, Folder::Config, "Code/User/mcp.json"),
    client(
        "windsurf",
        "mcpServers",
        &[],
        Folder::Home,
        ".codeium/windsurf/mcp_config.json",
    ),
    client("zed", "context_servers", &[], ZED, "zed/settings.json"),
    client("gemini", "mcpServers", &[], Folder::Home, ".gemini/settings.json"),
    Client {
        format: Format::Toml,
        ..client(
            "codex",
            "mcp_servers",
            &[],
            Folder::Variable("CODEX_HOME", ".codex"),
            "config.toml",
        )
    },
];

/// On every system the same.
const ZED: Folder = Folder::Variable("XDG_CONFIG_HOME", ".config");

const fn client(
    id: &'static str,
    section: &'static str,
    fields: &'static [(&'static str, &'static str)],
    folder: Folder,
    file: &'static str,
) -> Client {
    Client {
        id,
        section,
        format: Format::Json,
        fields,
        folder,
        file,
    }
}

impl Client {
    /// Its file, whether it is there or not.
    pub fn file(&self) -> Result<PathBuf, base::home::HomeError> {
        let folder = match self.folder {
            Folder::Home => user_home()?,
            Folder::Config => user_config()?,
            Folder::Variable(name, below) => match std::env::var_os(name).map(PathBuf::from) {
                Some(folder) if folder.is_absolute() => folder,
                _ => user_home()?.join(below),
            },
        };
        Ok(folder.join(self.file))
    }

    /// Over standard input and output: no address, no token, and the server is started where none runs.
    pub fn entry(&self, program: &str, home: &DataHome) -> Value {
        let mut args = vec!["mcp", "--client", self.id];
        let root = home.root().to_string_lossy();
        if !home.is_usual() {
            args.extend(["--home", &root]);
        }
        let mut entry = json!({"command": program, "args": args});
        for (name, value) in self.fields {
            entry[*name] = Value::from(*value);
        }
        entry
    }
}
