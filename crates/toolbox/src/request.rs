//! What a model sends to `toolm`: which tool, in which mode, with which parameters.
//!
//! Legal YAML (JSON is YAML) is taken as it is. Repairs of what models get wrong are tried only
//! when the text did not parse, or parsed to something without a usable tool field. Deliberately
//! not here: whether the tool exists, and checking parameters ([`crate::parameters`]).

mod repair;

use base::lang::Lang;
use base::name::ToolName;
use base::text::cut;
use base::yaml::{self, YamlError};
use base::{Args, Coded, args};
use serde_json::{Map, Value};

/// A request with a file in it is large; this is larger.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

const SCHEME: &str = "tool://";
const TOOL_FIELDS: [&str; 3] = ["tool", "toolUrl", "url"];
const MODE_FIELDS: [&str; 2] = ["mode", "operation"];

#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub tool: ToolName,
    pub mode: Mode,
    pub parameters: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    Manual,
    #[default]
    Execute,
    Configure,
    Log,
}

impl Mode {
    pub const ALL: [Mode; 4] = [Mode::Manual, Mode::Execute, Mode::Configure, Mode::Log];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Manual => "manual",
            Mode::Execute => "execute",
            Mode::Configure => "configure",
            Mode::Log => "log",
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error("the yaml parameter is missing")]
    MissingYaml,
    #[error("the request has {bytes} bytes, at most {MAX_BYTES} are taken")]
    TooLarge { bytes: usize },
    #[error("YAML, line {}, column {}: {}", .0.line, .0.column, .0.reason)]
    Yaml(YamlError),
    #[error("no tool field")]
    MissingTool,
    #[error("not a tool URL: {found}")]
    InvalidTool { found: String },
    /// `tool://` with a name that no tool can have.
    #[error("no such tool: {name}")]
    UnknownTool { name: String },
    #[error("not a mode: {found}")]
    UnsupportedMode { found: String },
    #[error("parameters are {found}, not an object")]
    InvalidParameters { found: &'static str },
}

impl Coded for RequestError {
    fn code(&self) -> &'static str {
        match self {
            RequestError::MissingYaml => "request_missing_yaml",
            RequestError::TooLarge { .. } => "request_too_large",
            RequestError::Yaml(_) => "request_yaml",
            RequestError::MissingTool => "request_missing_tool",
            RequestError::InvalidTool { .. } => "request_invalid_tool",
            RequestError::UnknownTool { .. } => "unknown_tool",
            RequestError::UnsupportedMode { .. } => "request_unsupported_mode",
            RequestError::InvalidParameters { .. } => "request_invalid_parameters",
        }
    }

    fn args(&self) -> Args {
        match self {
            RequestError::MissingYaml | RequestError::MissingTool => args! {},
            RequestError::TooLarge { bytes } => args! { bytes: bytes, limit: MAX_BYTES },
            RequestError::Yaml(error) => {
                args! { line: error.line, column: error.column, reason: error.reason, excerpt: error.excerpt }
            }
            RequestError::InvalidTool { found } | RequestError::UnsupportedMode { found } => {
                args! { found: found }
            }
            RequestError::UnknownTool { name } => args! { tool: name },
            RequestError::InvalidParameters { found } => args! { found: found },
        }
    }
}

impl RequestError {
    /// The text a model gets. `available` are the names of the tools there are.
    pub fn message(&self, lang: Lang, available: &[ToolName]) -> String {
        match self {
            RequestError::MissingYaml => "缺少必需参数: yaml".to_owned(),
            RequestError::TooLarge { bytes } => match lang {
                Lang::ZhCn => format!("请求过大: {bytes} 字节，上限 {MAX_BYTES} 字节"),
                Lang::En => format!("Request too large: {bytes} bytes, limit {MAX_BYTES} bytes"),
            },
            RequestError::Yaml(error) => yaml_message(error, lang),
            RequestError::MissingTool => {
                "Missing required field: tool\nExample: tool: tool://filesystem\nAliases supported: tool / toolUrl / url"
                    .to_owned()
            }
            RequestError::InvalidTool { found } => {
                format!("Invalid tool format: {found}\nMust start with tool://")
            }
            RequestError::UnknownTool { name } => unknown_tool(name, available),
            RequestError::UnsupportedMode { found } => {
                let modes = Mode::ALL.map(Mode::name).join(", ");
                format!("不支持的模式: {found}\n支持的模式: {modes}")
            }
            RequestError::InvalidParameters { found } => match lang {
                Lang::ZhCn => format!("parameters 必须是对象（键值对），实际是 {found}\n示例:\nparameters:\n  名称: 值"),
                Lang::En => {
                    format!("parameters must be an object (keys and values), found {found}\nExample:\nparameters:\n  name: value")
                }
            },
        }
    }
}

/// What a model is told when no tool has that name.
pub fn unknown_tool(name: &str, available: &[ToolName]) -> String {
    let names: Vec<&str> = available.iter().map(ToolName::as_str).collect();
    format!("工具 '{name}' 不存在\n可用工具: {}", names.join(", "))
}

fn yaml_message(error: &YamlError, lang: Lang) -> String {
    let place = match (lang, error.line) {
        (Lang::ZhCn, 0) => "YAML 解析失败".to_owned(),
        (Lang::En, 0) => "YAML parse error".to_owned(),
        (Lang::ZhCn, line) => format!("YAML 解析失败（第 {line} 行，第 {} 列）", error.column),
        (Lang::En, line) => format!("YAML parse error at line {line}, column {}", error.column),
    };
    let mut text = format!("{place}: {}", error.reason);
    if !error.excerpt.is_empty() {
        text.push_str("\n  > ");
        text.push_str(&error.excerpt);
    }
    text.push_str(lang.pick(
        "\n提示: 多行内容请用 | 并缩进，含有 : # { [ @ 等特殊字符的值请加引号，缩进只能用空格，例如:\n",
        "\nHint: write multi-line text with | and indent it, quote values with special characters such as : # { [ @, indent with spaces only, for example:\n",
    ));
    text.push_str(lang.pick(
        "tool: tool://filesystem\nmode: execute\nparameters:\n  content: |\n    第一行\n    第二行",
        "tool: tool://filesystem\nmode: execute\nparameters:\n  content: |\n    first line\n    second line",
    ));
    text
}

/// Reads the text of the `yaml` argument.
pub fn parse(text: &str) -> Result<Request, RequestError> {
    if text.len() > MAX_BYTES {
        return Err(RequestError::TooLarge { bytes: text.len() });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(RequestError::MissingYaml);
    }
    let strict = yaml::parse(text);
    if let Ok(value) = &strict
        && let Some(url) = tool_field(value)
        && tool_name(&url).is_ok()
    {
        return of(value);
    }
    // The first repair that leads to a usable tool decides, also about later errors.
    let mut stopped = None;
    for candidate in repair::candidates(text) {
        match yaml::parse(&candidate.text) {
            Ok(value) if tool_field(&value).is_some_and(|url| tool_name(&url).is_ok()) => {
                return of(&value);
            }
            Ok(_) => {}
            Err(mut error) => {
                error.line += candidate.lines_before;
                stopped = Some(error);
            }
        }
    }
    match strict {
        Ok(value) => of(&value),
        Err(error) => {
            let mut error = stopped.unwrap_or(error);
            error.excerpt = yaml::excerpt(text, error.line);
            Err(RequestError::Yaml(error))
        }
    }
}

/// Reads a request that came as what its text would say.
pub fn of(value: &Value) -> Result<Request, RequestError> {
    let url = tool_field(value).ok_or(RequestError::MissingTool)?;
    Ok(Request {
        tool: tool_name(&url)?,
        mode: mode(value)?,
        parameters: parameters(value)?,
    })
}

/// The text of the tool field, or of a bare URL.
fn tool_field(value: &Value) -> Option<String> {
    if let Value::String(text) = value {
        return unwrapped(text).starts_with(SCHEME).then(|| text.clone());
    }
    let found = TOOL_FIELDS
        .iter()
        .filter_map(|field| value.get(field))
        .find(|value| !value.is_null())?;
    match found {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn tool_name(url: &str) -> Result<ToolName, RequestError> {
    let bare = unwrapped(url);
    let Some(name) = bare.strip_prefix(SCHEME) else {
        return Err(RequestError::InvalidTool {
            found: cut(url.trim(), 200),
        });
    };
    ToolName::parse(name).map_err(|_| RequestError::UnknownTool { name: cut(name, 200) })
}

/// Without blanks, quotes of any kind and `@` around it.
fn unwrapped(text: &str) -> &str {
    const QUOTES: [char; 9] = ['"', '\'', '`', '“', '”', '‘', '’', '<', '>'];
    text.trim_matches(|c: char| c.is_whitespace() || c == '@' || QUOTES.contains(&c))
}

fn mode(value: &Value) -> Result<Mode, RequestError> {
    let found = MODE_FIELDS
        .iter()
        .filter_map(|field| value.get(field))
        .find(|value| !value.is_null());
    let text = match found {
        None => return Ok(Mode::default()),
        Some(Value::String(text)) if text.trim().is_empty() => return Ok(Mode::default()),
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(other) => other.to_string(),
    };
    Mode::ALL
        .into_iter()
        .find(|mode| text.eq_ignore_ascii_case(mode.name()))
        .ok_or_else(|| RequestError::UnsupportedMode {
            found: cut(&text, 200),
        })
}

fn parameters(value: &Value) -> Result<Map<String, Value>, RequestError> {
    match value.get("parameters") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        // An object that was put into a string: nothing else can be meant.
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => Ok(map),
            _ => Err(RequestError::InvalidParameters { found: "string" }),
        },
        Some(other) => Err(RequestError::InvalidParameters {
            found: crate::model::lenient::type_name(other),
        }),
    }
}
