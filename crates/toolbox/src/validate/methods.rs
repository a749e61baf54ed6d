//! Layer 5: whether what a tool's functions return has the shape that it should have (seed 002
//! section 12.6). What stands in it is looked at layer by layer.

use super::checks::Check;
use super::findings::{Account, Findings};
use super::interface::DESCRIBING;
use crate::env_file::is_key;
use crate::model::{CONCURRENCY, MEMORY_MB, SECONDS, SandboxType, lenient::type_name};
use base::args;
use runtime::host::is_python;
use runtime::host::net::HostRules;
use serde_json::{Map, Value};

pub(super) fn check(account: &Account<'_>, found: &mut Findings) {
    let threw = threw(account, found);
    for (method, field, _) in DESCRIBING {
        let said = account.said(field);
        if account.is_member(method) && !threw.contains(&method) && said.is_none_or(Value::is_null) {
            found.add(
                Check::MethodReturnedNothing,
                args! { method: method },
                Some(account.place(method)),
            );
            continue;
        }
        if let Some(said) = said.filter(|said| !said.is_null())
            && let Some(wrong) = wrong_shape(field, said)
        {
            let args = args! { found: type_name(said) };
            found.add(wrong, args, Some(account.place(method)));
        }
    }
    dependencies(account, found);
    if let Some(Value::Object(config)) = account.said("runtimeConfig") {
        runtime(account, config, found);
    }
}

/// Functions that threw, as the worker noted them.
fn threw(account: &Account<'_>, found: &mut Findings) -> Vec<&'static str> {
    let problems = account.said("problems").and_then(Value::as_array);
    let mut all = Vec::new();
    for problem in problems.into_iter().flatten() {
        let text = |name: &str| problem.get(name).and_then(Value::as_str).unwrap_or_default();
        let method = DESCRIBING.iter().map(|(method, ..)| *method);
        let Some(method) = method
            .into_iter()
            .find(|method| text("code") == format!("{method}_failed"))
        else {
            continue;
        };
        let args = args! { method: method, reason: text("message") };
        found.add(Check::MethodThrew, args, Some(account.place(method)));
        all.push(method);
    }
    all
}

fn wrong_shape(field: &str, said: &Value) -> Option<Check> {
    let (fits, wrong) = match field {
        "dependencies" => (said.is_object(), Check::DependenciesType),
        "metadata" => (said.is_object(), Check::MetadataType),
        "schema" => (said.is_object(), Check::SchemaType),
        "businessErrors" => (said.is_array(), Check::BusinessErrorsType),
        "systemDependencies" => (said.is_array() || said.is_object(), Check::SystemDependenciesType),
        "runtimeConfig" => (said.is_object(), Check::RuntimeType),
        "manual" => (said.is_string(), Check::ManualType),
        _ => (said.is_object(), Check::TranslationsType),
    };
    (!fits).then_some(wrong)
}

fn dependencies(account: &Account<'_>, found: &mut Findings) {
    let declared = account.said("dependencies").and_then(Value::as_object);
    for (name, range) in declared.into_iter().flatten() {
        let place = Some(account.place(&format!("getDependencies.{name}")));
        match range {
            Value::String(text) if text.trim().is_empty() => {
                found.add(Check::DependencyVersionEmpty, args! { name: name }, place);
            }
            // The name of a file is no name of a package.
            Value::String(text) if text != "local" && !npm::is_package_name(name) => {
                found.add(Check::DependencyName, args! { name: name }, place);
            }
            Value::String(_) => {}
            other => {
                let args = args! { name: name, found: type_name(other) };
                found.add(Check::DependencyVersionType, args, place);
            }
        }
    }
}

fn runtime(account: &Account<'_>, config: &Map<String, Value>, found: &mut Findings) {
    let at = |path: &str| Some(account.place(&format!("getRuntimeConfig.{path}")));
    if let Some(sandbox) = config.get("sandboxType").filter(|sandbox| !sandbox.is_null())
        && sandbox
            .as_str()
            .is_none_or(|name| SandboxType::named(name).supported().is_err())
    {
        found.add(
            Check::RuntimeSandboxUnknown,
            args! { found: sandbox },
            at("sandboxType"),
        );
    }
    // What is of no known kind was found above.
    let sandbox = config
        .get("sandboxType")
        .and_then(Value::as_str)
        .map(SandboxType::named);
    if let Some(sandbox) = sandbox.filter(|sandbox| sandbox.supported().is_ok())
        && is_python(account.main) != (sandbox == SandboxType::Python)
    {
        let args = args! { file: account.main, found: sandbox.name() };
        found.add(Check::RuntimeSandboxOther, args, at("sandboxType"));
    }
    let both = |(low, high): (u32, u32)| (f64::from(low), f64::from(high));
    let numbers = [
        ("maxMemory", both(MEMORY_MB)),
        ("maxExecutionTime", SECONDS),
        ("concurrency", both(CONCURRENCY)),
    ];
    for (field, (low, high)) in numbers {
        match config.get(field) {
            None | Some(Value::Null) => {}
            Some(Value::Number(number)) => {
                let value = number.as_f64().unwrap_or_default();
                if value < low || value > high {
                    let args = args! { field: field, value: number, low: low, high: high };
                    found.add(Check::RuntimeNumberRange, args, at(field));
                }
            }
            Some(other) => {
                let args = args! { field: field, found: type_name(other) };
                found.add(Check::RuntimeNumberType, args, at(field));
            }
        }
    }
    if let Some(other) = config
        .get("processes")
        .filter(|value| !value.is_null() && !value.is_boolean())
    {
        found.add(
            Check::RuntimeProcessesType,
            args! { found: type_name(other) },
            at("processes"),
        );
    }
    directories(account, config, found);
    network(account, config.get("networkAccess"), found);
    let variables = config.get("environment").and_then(Value::as_object);
    for name in variables
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .filter(|name| !is_key(name))
    {
        let place = at(&format!("environment.{name}"));
        found.add(Check::RuntimeVariableName, args! { name: name }, place);
    }
}

fn directories(account: &Account<'_>, config: &Map<String, Value>, found: &mut Findings) {
    const AT: &str = "getRuntimeConfig.allowedDirectories";
    let list = match config.get("allowedDirectories") {
        None | Some(Value::Null) => return,
        Some(Value::Array(list)) => list,
        Some(other) => {
            let args = args! { found: type_name(other) };
            return found.add(Check::RuntimeDirectoriesType, args, Some(account.place(AT)));
        }
    };
    for (index, entry) in list.iter().enumerate() {
        let place = Some(account.place(&format!("{AT}.{index}")));
        match entry {
            Value::String(path) if path.starts_with('/') || path.starts_with('~') => {}
            Value::String(path) => found.add(Check::RuntimeDirectoryRelative, args! { entry: path }, place),
            other => found.add(
                Check::RuntimeDirectoriesType,
                args! { found: type_name(other) },
                place,
            ),
        }
    }
}

fn network(account: &Account<'_>, access: Option<&Value>, found: &mut Findings) {
    const AT: &str = "getRuntimeConfig.networkAccess";
    let map = match access {
        None | Some(Value::Null | Value::Bool(_)) => return,
        Some(Value::Object(map)) => map,
        Some(other) => {
            let args = args! { field: "networkAccess", found: type_name(other) };
            return found.add(Check::RuntimeNetworkType, args, Some(account.place(AT)));
        }
    };
    for field in ["hosts", "loopback"] {
        let path = format!("{AT}.{field}");
        let list = match map.get(field) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) => list,
            Some(other) => {
                let args = args! { field: format!("networkAccess.{field}"), found: type_name(other) };
                found.add(Check::RuntimeNetworkType, args, Some(account.place(&path)));
                continue;
            }
        };
        for (index, entry) in list.iter().enumerate() {
            let fits = match field {
                "hosts" => entry
                    .as_str()
                    .is_some_and(|host| HostRules::normal_form(host).is_ok()),
                _ => entry.as_u64().is_some_and(|port| (1..=65_535).contains(&port)),
            };
            if !fits {
                let place = account.place(&format!("{path}.{index}"));
                found.add(Check::RuntimeHostMalformed, args! { entry: entry }, Some(place));
            }
        }
    }
}
