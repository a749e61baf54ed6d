//! `settings.json`: everything a person can change that is not a tool's own configuration.
//!
//! Unknown fields are kept, so that an older program does not lose a newer one's settings.

#![allow(clippy::disallowed_methods, reason = "reads settings.json itself")]

use crate::atomic::{self, Access};
use crate::lang::Lang;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Absent until a person has chosen; then [`Lang::default`] is spoken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Lang>,
    pub server: ServerSettings,
    pub tools: ToolSettings,
    pub run_javascript: ScriptLimits,
    pub retention: Retention,
    pub workspaces: WorkspaceSettings,
    pub npm: NpmSettings,
    pub python: PythonSettings,
    pub models: ModelSettings,
    pub agents: AgentSettings,
    pub cells: CellSettings,
    pub assistant: AssistantSettings,
    pub skills: SkillSettings,
    pub updates: UpdateSettings,
    /// Where values go that are secrets.
    pub secrets: SecretsIn,
    /// A person's own rules about commands, as `workspace::policy` reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_rules: Option<Value>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ServerSettings {
    pub host: String,
    pub port: u16,
    /// Lets loopback clients use `/mcp` without a token.
    pub open_mcp_on_loopback: bool,
    /// MCP clients that can are asked as well, beside the window and `pm`, whether a command may run.
    pub ask_in_mcp_clients: bool,
    /// Each tool is a tool of MCP of its own, beside `toolm`.
    pub tools_by_name: bool,
    /// No run begins, whoever asks for it.
    pub paused: bool,
    pub limits: ClientLimits,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolSettings {
    /// Names of tools that are first in the list and can be started from the tray, in the order in which they were
    /// chosen. One that is gone is not shown.
    pub favourites: Vec<String>,
}

/// Where the desktop program looks for newer versions of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct UpdateSettings {
    /// Addresses of Tauri's update manifests, asked in turn. Empty: nobody is asked.
    pub endpoints: Vec<String>,
    /// Of the signatures (minisign, as Tauri writes it).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
}

/// How much one MCP client may ask for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ClientLimits {
    pub requests_per_minute: u32,
    /// Calls that run at once.
    pub calls: u32,
    /// Sessions of revisions that have them.
    pub sessions: u32,
}

impl Default for ClientLimits {
    fn default() -> Self {
        ClientLimits {
            requests_per_minute: 6000,
            calls: 64,
            sessions: 100,
        }
    }
}

impl Default for ServerSettings {
    fn default() -> Self {
        ServerSettings {
            host: "127.0.0.1".to_owned(),
            port: 5621,
            open_mcp_on_loopback: false,
            ask_in_mcp_clients: true,
            tools_by_name: false,
            paused: false,
            limits: ClientLimits::default(),
        }
    }
}

/// Limits of `run_javascript` (CONTRACT).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ScriptLimits {
    /// Characters of code.
    pub code_chars: usize,
    /// Characters of the result's JSON.
    pub result_chars: usize,
    pub seconds: u32,
    pub heap_mb: u32,
    /// Pixels of all canvases of one script together.
    pub canvas_pixels: u64,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        ScriptLimits {
            code_chars: 20_000,
            result_chars: 200_000,
            seconds: 30,
            heap_mb: 128,
            canvas_pixels: 67_000_000,
        }
    }
}

/// How much of each kind is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Retention {
    pub runs: u32,
    pub audit: u32,
    pub events: u32,
    /// Earlier versions of each tool.
    pub tool_versions: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Retention {
            runs: 100_000,
            audit: 100_000,
            events: 10_000,
            tool_versions: 3,
        }
    }
}

/// How much of what agents changed and deleted is kept, for each task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WorkspaceSettings {
    pub history_mb: u32,
    pub history_changes: u32,
    pub history_days: u32,
    pub trash_mb: u32,
    pub trash_days: u32,
}

impl Default for WorkspaceSettings {
    fn default() -> Self {
        WorkspaceSettings {
            history_mb: 512,
            history_changes: 5000,
            history_days: 90,
            trash_mb: 2048,
            trash_days: 30,
        }
    }
}

/// Where packages come from when neither `.npmrc` nor the environment says so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NpmSettings {
    /// The one that answers fastest is asked first. Empty: npm's own.
    pub registries: Vec<String>,
}

/// Where packages of Python come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PythonSettings {
    /// Absent: Python's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Where the files lie that the index names, if that is elsewhere.
    pub hosts: Vec<String>,
}

impl PythonSettings {
    pub fn index(&self) -> &str {
        self.index.as_deref().unwrap_or("https://pypi.org/simple")
    }

    pub fn hosts(&self) -> Vec<String> {
        match self.index {
            Some(_) => self.hosts.clone(),
            None => vec!["files.pythonhosted.org".to_owned()],
        }
    }
}

/// Services that answer as a model does. Their keys are not here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelSettings {
    /// Name of the one that is meant when nobody names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    pub services: Vec<ModelService>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelService {
    pub name: String,
    pub protocol: ModelProtocol,
    /// Absent: the address that the protocol's maker has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// As the service calls it.
    pub model: String,
    #[serde(flatten)]
    pub terms: ModelTerms,
}

/// What a service does not say of its model, and a person knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelTerms {
    /// Tokens that the model can see, its answer among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Tokens that an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u32>,
    /// What a million tokens cost that are read and that are written, in the currency of budgets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_price: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_price: Option<f64>,
    /// Whether it can be shown pictures. Absent: it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pictures: Option<bool>,
}

/// Agents that work on tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentSettings {
    /// Where questions to models wait for workers in other processes. Absent: this one asks them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueSettings>,
}

/// A queue on NATS JetStream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct QueueSettings {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`.
    pub address: String,
    /// Several may share a server.
    pub name: String,
    /// A file with `USER:PASSWORD` or a token, where the server wants one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<PathBuf>,
    /// Whether the owner of the tasks asks models as well.
    pub takes_part: bool,
}

impl Default for QueueSettings {
    fn default() -> Self {
        QueueSettings {
            address: "nats://127.0.0.1:4222".to_owned(),
            name: "pm".to_owned(),
            secret_file: None,
            takes_part: true,
        }
    }
}

/// How a service is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelProtocol {
    /// Chat completions, of OpenAI or of whoever speaks as it does.
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}

/// Canvases of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CellSettings {
    /// A cell that waits for an answer, or for whom it was delegated to, fails after so long. Absent: it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<u32>,
}

/// The browser assistant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AssistantSettings {
    pub browser: BrowserIs,
    /// Of CDP or WebDriver.
    pub address: String,
    /// The model that decides; absent: the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Every step that changes something is asked about.
    pub ask_each: bool,
    /// MCP clients and agents are offered the browser.
    pub offered: bool,
    /// What a model is told and says is kept in the conversation.
    pub debug: bool,
    /// Elements of one look.
    pub elements: u32,
}

impl Default for AssistantSettings {
    fn default() -> Self {
        AssistantSettings {
            browser: BrowserIs::default(),
            address: "http://127.0.0.1:9222".to_owned(),
            service: None,
            ask_each: false,
            offered: false,
            debug: false,
            elements: 100,
        }
    }
}

/// Where the assistant's browser comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BrowserIs {
    /// A window of the desktop program.
    #[default]
    Window,
    /// A Chromium that a person started, over the DevTools protocol.
    Cdp,
    /// WebKitWebDriver, chromedriver and their like.
    WebDriver,
}

/// Which programs are given the skills of the data home.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SkillSettings {
    /// Those that are turned on, by name.
    pub clients: BTreeMap<String, SkillWay>,
    /// Skills that are given to none.
    pub off: BTreeSet<String>,
}

/// Where a secret is kept that is given from now on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretsIn {
    /// The keychain where there is one that answers, else the file.
    #[default]
    Auto,
    Keychain,
    /// Encrypted, in a file of the data home.
    File,
    /// Where it is needed, as it is: a tool's `.env`, the file of models' keys.
    Env,
}

/// How a skill gets into a client's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillWay {
    /// A symbolic link; a copy where none can be made.
    Link,
    Copy,
}

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{path}, line {line}, column {column}: {reason}")]
    Syntax {
        path: PathBuf,
        line: usize,
        column: usize,
        reason: String,
    },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl crate::Coded for SettingsError {
    fn code(&self) -> &'static str {
        match self {
            SettingsError::Syntax { .. } => "settings_invalid",
            SettingsError::Io { .. } => "settings_io",
        }
    }
    fn args(&self) -> crate::Args {
        match self {
            SettingsError::Syntax {
                path,
                line,
                column,
                reason,
            } => {
                crate::args! { path: path, line: line, column: column, reason: reason }
            }
            SettingsError::Io { path, source } => crate::args! { path: path, reason: source.to_string() },
        }
    }
}

impl Settings {
    /// A missing file means defaults; a broken one is an error, never silently replaced.
    pub fn load(path: &Path) -> Result<Self, SettingsError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Settings::default()),
            Err(source) => {
                return Err(SettingsError::Io {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        serde_json::from_str(&text).map_err(|error| SettingsError::Syntax {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            reason: error.to_string(),
        })
    }

    /// Changes what `edit` changes in the file and nothing else: fields that this program does not
    /// know, or that a person left to their defaults, stay as they are.
    pub fn change(path: &Path, edit: impl FnOnce(&mut Map<String, Value>)) -> Result<Self, SettingsError> {
        let io_error = |source| SettingsError::Io {
            path: path.to_owned(),
            source,
        };
        Settings::load(path)?;
        let mut fields = match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| io_error(io::Error::other(error)))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
            Err(source) => return Err(io_error(source)),
        };
        edit(&mut fields);
        let text =
            serde_json::to_string_pretty(&fields).map_err(|error| io_error(io::Error::other(error)))?;
        let changed = serde_json::from_str(&text).map_err(|error| io_error(io::Error::other(error)))?;
        atomic::write(path, format!("{text}\n").as_bytes(), Access::Private).map_err(io_error)?;
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_unknown_fields_and_reports_the_place_of_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        assert_eq!(Settings::load(&path).unwrap(), Settings::default());
        assert_eq!(Settings::default().language, None, "nobody has chosen");
        std::fs::write(
            &path,
            r#"{"language": "en", "future": {"a": 1}, "server": {"new": 2}}"#,
        )
        .unwrap();
        let settings = Settings::change(&path, |fields| {
            fields.insert("language".to_owned(), "zh-CN".into());
        })
        .unwrap();
        assert_eq!(settings.language, Some(Lang::ZhCn));
        let text = std::fs::read_to_string(&path).unwrap();
        let fields: Value = serde_json::from_str(&text).unwrap();
        let expected = serde_json::json!({"language": "zh-CN", "future": {"a": 1}, "server": {"new": 2}});
        assert_eq!(
            fields, expected,
            "nothing else changed, no default was written down"
        );
        assert_eq!(Settings::load(&path).unwrap(), settings);
        std::fs::write(&path, "{\n  \"language\": fr}").unwrap();
        assert!(matches!(
            Settings::load(&path),
            Err(SettingsError::Syntax { line: 2, .. })
        ));
    }
}
