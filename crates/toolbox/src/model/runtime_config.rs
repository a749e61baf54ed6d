//! `getRuntimeConfig()`: what a tool asks of the machine. Asking is not getting: effective rights
//! are computed elsewhere, from grants.

use super::ModelError;
use super::lenient::Reader;
use base::Failure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeConfig {
    pub sandbox: SandboxType,
    pub max_memory_mb: u32,
    pub max_execution_time: Duration,
    /// As written: `~` and `{toolname}` not yet filled in ([`crate::directories`] does that).
    pub allowed_directories: Vec<String>,
    pub network: NetworkAccess,
    pub processes: bool,
    pub environment: BTreeMap<String, String>,
    /// Runs that may go on at the same time.
    pub concurrency: u32,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        RuntimeConfig {
            sandbox: SandboxType::QuickJs,
            max_memory_mb: 512,
            max_execution_time: Duration::from_secs(30),
            allowed_directories: Vec::new(),
            network: NetworkAccess::None,
            processes: false,
            environment: BTreeMap::new(),
            concurrency: 1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxType {
    /// The default, and what `nodejs` means.
    QuickJs,
    /// The machine's Node under the sandbox.
    Node,
    /// The machine's Python under the sandbox: what a `.tool.py` runs in.
    Python,
    /// Described, never run.
    Unsupported(String),
}

/// What the tool wants to reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NetworkAccess {
    #[default]
    None,
    All,
    Only {
        hosts: Vec<String>,
        loopback: Vec<u16>,
    },
}

pub(crate) const MEMORY_MB: (u32, u32) = (16, 8192);
pub(crate) const SECONDS: (f64, f64) = (0.1, 3600.0);
pub(crate) const CONCURRENCY: (u32, u32) = (1, 8);

impl RuntimeConfig {
    pub(super) fn read(value: Option<&Value>, reader: &mut Reader) -> Self {
        let mut config = RuntimeConfig::default();
        let Some(map) = reader.object(value, "getRuntimeConfig()") else {
            return config;
        };
        let at = |key: &str| format!("runtimeConfig.{key}");
        if let Some(name) = reader.text(map.get("sandboxType"), &at("sandboxType")) {
            config.sandbox = SandboxType::named(&name);
        }
        if let Some(mb) = reader.number(map.get("maxMemory"), &at("maxMemory")) {
            config.max_memory_mb = clamped(mb, MEMORY_MB, &at("maxMemory"), reader);
        }
        if let Some(seconds) = reader.number(map.get("maxExecutionTime"), &at("maxExecutionTime")) {
            let used = seconds.clamp(SECONDS.0, SECONDS.1);
            out_of_range(seconds, used, &at("maxExecutionTime"), reader);
            config.max_execution_time = Duration::from_secs_f64(used);
        }
        if let Some(runs) = reader.number(map.get("concurrency"), &at("concurrency")) {
            config.concurrency = clamped(runs, CONCURRENCY, &at("concurrency"), reader);
        }
        config.allowed_directories = reader.texts(map.get("allowedDirectories"), &at("allowedDirectories"));
        config.network = NetworkAccess::read(map.get("networkAccess"), reader);
        config.processes = reader
            .boolean(map.get("processes"), &at("processes"))
            .unwrap_or(false);
        config.environment = environment(map.get("environment"), reader);
        config
    }
}

impl SandboxType {
    pub(crate) fn named(name: &str) -> Self {
        match name.trim().to_ascii_lowercase().as_str() {
            "" | "quickjs" | "nodejs" => SandboxType::QuickJs,
            "node" => SandboxType::Node,
            "python" => SandboxType::Python,
            _ => SandboxType::Unsupported(name.trim().to_owned()),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            SandboxType::QuickJs => "quickjs",
            SandboxType::Node => "node",
            SandboxType::Python => "python",
            SandboxType::Unsupported(name) => name,
        }
    }

    /// Refuses what is described but cannot be run (`docker`).
    pub fn supported(&self) -> Result<(), ModelError> {
        match self {
            SandboxType::QuickJs | SandboxType::Node | SandboxType::Python => Ok(()),
            SandboxType::Unsupported(sandbox) => Err(ModelError::UnsupportedSandbox {
                sandbox: sandbox.clone(),
            }),
        }
    }
}

impl NetworkAccess {
    fn read(value: Option<&Value>, reader: &mut Reader) -> Self {
        const AT: &str = "runtimeConfig.networkAccess";
        let map = match value {
            None | Some(Value::Null | Value::Bool(false)) => return NetworkAccess::None,
            Some(Value::Bool(true)) => return NetworkAccess::All,
            other => match reader.object(other, AT) {
                Some(map) => map,
                None => return NetworkAccess::None,
            },
        };
        let hosts = reader.texts(map.get("hosts"), &format!("{AT}.hosts"));
        let mut loopback = Vec::new();
        for port in reader
            .list(map.get("loopback"), &format!("{AT}.loopback"))
            .unwrap_or_default()
        {
            match port.as_u64().and_then(|port| u16::try_from(port).ok()) {
                Some(port) if port > 0 => loopback.push(port),
                _ => reader.wrong(&format!("{AT}.loopback"), "port", &port.to_string()),
            }
        }
        match hosts.is_empty() && loopback.is_empty() {
            true => NetworkAccess::None,
            false => NetworkAccess::Only { hosts, loopback },
        }
    }
}

/// Numbers and booleans are written out: a process environment holds text alone.
fn environment(value: Option<&Value>, reader: &mut Reader) -> BTreeMap<String, String> {
    const AT: &str = "runtimeConfig.environment";
    let mut environment = BTreeMap::new();
    for (name, value) in reader.object(value, AT).into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::String(text) => {
                environment.insert(name.clone(), text.clone());
            }
            Value::Bool(_) | Value::Number(_) => {
                environment.insert(name.clone(), value.to_string());
            }
            other => reader.wrong(
                &format!("{AT}.{name}"),
                "string",
                super::lenient::type_name(other),
            ),
        }
    }
    environment
}

fn clamped(value: f64, (low, high): (u32, u32), at: &str, reader: &mut Reader) -> u32 {
    let used = value.clamp(f64::from(low), f64::from(high)).floor();
    out_of_range(value, used, at, reader);
    // Within u32 by the clamp above.
    used as u32
}

fn out_of_range(value: f64, used: f64, at: &str, reader: &mut Reader) {
    if (value - used).abs() >= 1.0 || value < used {
        reader.problem(
            Failure::new("describe_out_of_range")
                .with("at", at)
                .with("value", value)
                .with("used", used),
        );
    }
}
