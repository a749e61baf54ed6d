//! What a tool says about itself, as a throw-away worker reported it.
//!
//! The reader is lenient: tools are written by many hands, so a field of the wrong type costs a
//! problem in [`Description::problems`], not the tool. Only a missing `execute` is fatal.
//! Deliberately not here: how the report is made (a worker runs the module), and what a person
//! granted. What stands in [`RuntimeConfig`] is what the tool *asks* for.

pub(crate) mod lenient;
mod runtime_config;
mod schema;
mod translate;

pub(crate) use runtime_config::{CONCURRENCY, MEMORY_MB, SECONDS};
pub use runtime_config::{NetworkAccess, RuntimeConfig, SandboxType};
pub(crate) use schema::TYPES;
pub use schema::{ObjectSchema, Property, Schema, is_secret_name};

use crate::requirements::Requirements;
use base::name::ToolName;
use base::{Args, Coded, Failure, Lang, args};
use lenient::Reader;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Version of a tool that names none.
pub const DEFAULT_VERSION: &str = "1.0.0";

/// A tool's own account of itself, made safe to show and to run by.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    pub metadata: Metadata,
    pub schema: Schema,
    /// As `getDependencies()` returned them, in its order.
    pub dependencies: Vec<(String, String)>,
    /// Commands of `getSystemDependencies()` with the versions they need.
    pub system_dependencies: BTreeMap<String, Option<String>>,
    pub business_errors: Vec<BusinessError>,
    pub runtime: RuntimeConfig,
    /// Packages of a tool in Python.
    pub requirements: Requirements,
    /// What the tool's own `generateManual()` gave.
    pub manual: Option<String>,
    /// Names of the functions on the default export.
    pub members: Vec<String>,
    /// What was wrong but could be lived with.
    pub problems: Vec<Failure>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    pub name: String,
    pub description: String,
    pub version: String,
    pub author: Option<String>,
    pub tags: Vec<String>,
    pub scenarios: Vec<String>,
    pub limitations: Vec<String>,
}

/// One of `getBusinessErrors()`. Its `match` stays in JavaScript, where it is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessError {
    pub code: String,
    pub description: String,
    pub solution: String,
    pub retryable: bool,
}

/// Where a declared dependency comes from, as far as the declaration alone tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencySources {
    /// Files of the tool's folder.
    pub local: Vec<String>,
    /// Commands that must be on PATH, with their version range.
    pub system: Vec<(String, Option<String>)>,
    /// Everything else. Whether a published version exists is the registry's to say.
    pub npm: Vec<(String, String)>,
    /// Of a tool in Python, which has none of npm.
    pub python: Option<Requirements>,
}

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the description of {tool} is not a JSON object")]
    Unreadable { tool: ToolName },
    #[error("{tool} has no execute function")]
    NoExecute { tool: ToolName },
    #[error("sandboxType {sandbox} is not supported")]
    UnsupportedSandbox { sandbox: String },
}

impl Coded for ModelError {
    fn code(&self) -> &'static str {
        match self {
            ModelError::Unreadable { .. } => "description_unreadable",
            ModelError::NoExecute { .. } => "tool_without_execute",
            ModelError::UnsupportedSandbox { .. } => "unsupported_sandbox",
        }
    }

    fn args(&self) -> Args {
        match self {
            ModelError::Unreadable { tool } | ModelError::NoExecute { tool } => args! { tool: tool.as_str() },
            ModelError::UnsupportedSandbox { sandbox } => args! { sandbox: sandbox },
        }
    }
}

impl Description {
    /// Reads a worker's report: `{metadata, schema, dependencies, systemDependencies,
    /// businessErrors, runtimeConfig, manual, members, translations, problems}`, every field optional
    /// but `members`, which must name `execute`. `translations` is `{LANGUAGE: {text: other text}}`:
    /// what is read by people and models is given in `lang` where it has the words.
    pub fn from_report(tool: &ToolName, report: Value, lang: Lang) -> Result<Self, ModelError> {
        let Value::Object(report) = report else {
            return Err(ModelError::Unreadable { tool: tool.clone() });
        };
        let report = translate::translated(report, lang);
        let mut reader = Reader::default();
        reader.take_reported(report.get("problems"));
        let members = reader.texts(report.get("members"), "members");
        if !members.iter().any(|member| member == "execute") {
            return Err(ModelError::NoExecute { tool: tool.clone() });
        }
        Ok(Description {
            metadata: metadata(tool, report.get("metadata"), &mut reader),
            schema: Schema::read(report.get("schema"), &mut reader),
            dependencies: dependencies(report.get("dependencies"), &mut reader),
            system_dependencies: system_dependencies(report.get("systemDependencies"), &mut reader),
            business_errors: business_errors(report.get("businessErrors"), &mut reader),
            runtime: RuntimeConfig::read(report.get("runtimeConfig"), &mut reader),
            requirements: Requirements::from_report(report.get("requirements")),
            manual: reader
                .text(report.get("manual"), "generateManual()")
                .filter(|text| !text.trim().is_empty()),
            members,
            problems: reader.into_problems(),
        })
    }

    pub fn has(&self, member: &str) -> bool {
        self.members.iter().any(|name| name == member)
    }

    pub fn is_python(&self) -> bool {
        self.runtime.sandbox == SandboxType::Python
    }

    /// `'local'` is a file; a name of `getSystemDependencies()` is a command; the rest is npm, or in Python
    /// stands elsewhere.
    pub fn dependency_sources(&self) -> DependencySources {
        let python = self.is_python();
        let mut sources = DependencySources {
            python: python.then(|| self.requirements.clone()),
            ..DependencySources::default()
        };
        for (name, range) in &self.dependencies {
            if range == "local" {
                sources.local.push(name.clone());
            } else if python {
                continue;
            } else if !self.system_dependencies.contains_key(name) {
                sources.npm.push((name.clone(), range.clone()));
            }
        }
        for (name, range) in &self.system_dependencies {
            let declared = self
                .dependencies
                .iter()
                .find(|(other, _)| other == name)
                .map(|(_, range)| range.clone());
            sources.system.push((name.clone(), range.clone().or(declared)));
        }
        sources
    }

    pub fn business_error(&self, code: &str) -> Option<&BusinessError> {
        self.business_errors.iter().find(|error| error.code == code)
    }
}

fn metadata(tool: &ToolName, value: Option<&Value>, reader: &mut Reader) -> Metadata {
    let empty = Map::new();
    let map = reader.object(value, "getMetadata()").unwrap_or(&empty);
    let mut required = |key: &str, fallback: &str| -> String {
        let at = format!("metadata.{key}");
        match reader
            .text(map.get(key), &at)
            .filter(|text| !text.trim().is_empty())
        {
            Some(text) => text,
            None => {
                reader.problem(Failure::new("describe_missing").with("at", at));
                fallback.to_owned()
            }
        }
    };
    let name = required("name", tool.as_str());
    let description = required("description", "");
    let version = required("version", DEFAULT_VERSION);
    if !is_version(&version) {
        reader.problem(Failure::new("describe_bad_version").with("version", version.as_str()));
    }
    Metadata {
        name,
        description,
        version,
        author: reader.text(map.get("author"), "metadata.author"),
        tags: reader.texts(map.get("tags"), "metadata.tags"),
        scenarios: reader.texts(map.get("scenarios"), "metadata.scenarios"),
        limitations: reader.texts(map.get("limitations"), "metadata.limitations"),
    }
}

/// `\d+\.\d+\.\d+(-.*)?` of seed 002 section 12.4.1, build metadata allowed as well.
pub(crate) fn is_version(text: &str) -> bool {
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

fn dependencies(value: Option<&Value>, reader: &mut Reader) -> Vec<(String, String)> {
    let Some(map) = reader.object(value, "getDependencies()") else {
        return Vec::new();
    };
    let mut list = Vec::new();
    for (name, range) in map {
        let at = format!("dependencies.{name}");
        match reader.text(Some(range), &at) {
            Some(range) if !name.is_empty() && !range.trim().is_empty() => {
                list.push((name.clone(), range.trim().to_owned()));
            }
            Some(_) => reader.problem(Failure::new("describe_missing").with("at", at)),
            None => {}
        }
    }
    list
}

/// A list of names, or names with ranges.
fn system_dependencies(value: Option<&Value>, reader: &mut Reader) -> BTreeMap<String, Option<String>> {
    const AT: &str = "getSystemDependencies()";
    match value {
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, range)| {
                let range = reader.text(Some(range), AT).filter(|range| !range.is_empty());
                (name.clone(), range)
            })
            .collect(),
        other => reader
            .texts(other, AT)
            .into_iter()
            .map(|name| (name, None))
            .collect(),
    }
}

fn business_errors(value: Option<&Value>, reader: &mut Reader) -> Vec<BusinessError> {
    const AT: &str = "getBusinessErrors()";
    let Some(items) = reader.list(value, AT) else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = format!("{AT}[{index}]");
        let Some(map) = reader.object(Some(item), &at) else {
            continue;
        };
        let mut field = |key: &str| {
            let at = format!("{at}.{key}");
            let text = reader.text(map.get(key), &at);
            if text.is_none() && map.get(key).is_none_or(Value::is_null) {
                reader.problem(Failure::new("describe_missing").with("at", at));
            }
            text.unwrap_or_default()
        };
        let (code, description, solution) = (field("code"), field("description"), field("solution"));
        if code.is_empty() {
            continue;
        }
        if !crate::env_file::is_key(&code) {
            reader.problem(Failure::new("describe_bad_error_code").with("name", code.as_str()));
        }
        errors.push(BusinessError {
            code,
            description,
            solution,
            retryable: reader
                .boolean(map.get("retryable"), &format!("{at}.retryable"))
                .unwrap_or(false),
        });
    }
    errors
}
