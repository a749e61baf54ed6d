//! The environment of a command: built, never inherited. What the owner has in its own may be
//! secrets, so only the language and the time zone are taken from there, by name.

use super::toolchains::Toolchains;
use super::{CommandPolicy, HOME, Network, WORKSPACE};
use crate::facts::Tier;
use std::ffi::OsString;
use std::path::Path;

/// Names whose values say how to write and what time it is, and nothing else.
pub const TAKEN: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_COLLATE",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "NO_COLOR",
];

/// Where programs of the system are.
const SYSTEM_PATH: &[&str] = &[
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];

/// What a caller may hand on from the environment `of` the owner.
pub fn taken(of: impl Fn(&str) -> Option<OsString>) -> Vec<(OsString, OsString)> {
    let pairs = TAKEN.iter().filter_map(|name| Some(((*name).into(), of(name)?)));
    pairs.collect()
}

/// The whole environment. In the reduced tier the home and the temporary folder are set by the
/// supervisor, which makes them.
pub(crate) fn build(policy: &CommandPolicy, tier: Tier) -> Vec<(OsString, OsString)> {
    let mut all: Vec<(OsString, OsString)> = Vec::new();
    let mut set = |name: &str, value: OsString| all.push((name.into(), value));
    set("PATH", path(&policy.toolchains));
    set("SHELL", "/bin/sh".into());
    set("USER", "sandbox".into());
    set("LOGNAME", "sandbox".into());
    // git asks for one; a configured user wins over it.
    set("EMAIL", "sandbox@localhost".into());
    set("GIT_TERMINAL_PROMPT", "0".into());
    if tier == Tier::Full {
        set("HOME", HOME.into());
        set("TMPDIR", "/tmp".into());
        set("CARGO_HOME", Path::new(HOME).join(".cargo").into());
        set("WORKSPACE", WORKSPACE.into());
    } else {
        set("WORKSPACE", policy.workspace.clone().into());
    }
    for (name, value) in &policy.toolchains.env {
        set(name, value.clone().into());
    }
    if let Network::Proxy(proxy) = &policy.network {
        let http = format!("http://127.0.0.1:{}", proxy.port);
        let socks = format!("socks5h://127.0.0.1:{}", proxy.port);
        let here = "localhost,127.0.0.1,::1";
        for (name, value) in [
            ("HTTP_PROXY", &*http),
            ("HTTPS_PROXY", &*http),
            ("ALL_PROXY", &*socks),
            ("NO_PROXY", here),
        ] {
            set(name, value.into());
            set(&name.to_lowercase(), value.into());
        }
        set("NODE_USE_ENV_PROXY", "1".into());
    }
    for (name, value) in &policy.env {
        all.retain(|(known, _)| known != name);
        all.push((name.clone(), value.clone()));
    }
    all
}

pub fn path(toolchains: &Toolchains) -> OsString {
    let mut text = OsString::new();
    let system = SYSTEM_PATH.iter().map(Path::new);
    for folder in toolchains.path.iter().map(|path| path.as_path()).chain(system) {
        if !text.is_empty() {
            text.push(":");
        }
        text.push(folder);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Proxy, Run};

    fn policy() -> CommandPolicy {
        CommandPolicy::new("/opt/pm", "/home/u/ws", Run::Shell("true".into()))
    }

    fn names(policy: &CommandPolicy, tier: Tier) -> Vec<String> {
        let env = build(policy, tier);
        env.into_iter()
            .map(|(name, _)| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn nothing_is_inherited() {
        let owner = |name: &str| Some(format!("value of {name}").into());
        let taken: Vec<_> = taken(owner).into_iter().map(|(name, _)| name).collect();
        assert!(taken.contains(&"LANG".into()) && !taken.contains(&"GITHUB_TOKEN".into()));
        let expected = [
            "PATH",
            "SHELL",
            "USER",
            "LOGNAME",
            "EMAIL",
            "GIT_TERMINAL_PROMPT",
            "HOME",
            "TMPDIR",
            "CARGO_HOME",
            "WORKSPACE",
        ];
        assert_eq!(names(&policy(), Tier::Full), expected);
    }

    #[test]
    fn the_callers_word_is_the_last_and_stands_once() {
        let mut policy = policy();
        policy.env = vec![("PATH".into(), "/x".into())];
        policy.network = Network::Proxy(Proxy {
            socket: "/run/p".into(),
            port: 3128,
        });
        let env = build(&policy, Tier::Full);
        let of = |name: &str| env.iter().filter(|(known, _)| known == name).collect::<Vec<_>>();
        assert_eq!(of("PATH"), [&("PATH".into(), "/x".into())]);
        assert_eq!(of("https_proxy")[0].1, "http://127.0.0.1:3128");
        assert_eq!(of("ALL_PROXY")[0].1, "socks5h://127.0.0.1:3128");
    }
}
