//! The profile that macOS would enforce for a command, as text. Pure and tested as text alone:
//! nobody has compiled or run it there, so nothing uses it and commands are refused on macOS.
//!
//! Last match wins in a profile, so it goes from "nothing" over what is shown to what is hidden.

use super::{CommandPolicy, Network};
use crate::error::SandboxError;
use crate::layout::plain;
use crate::policy::Access;
use std::fmt::Write;
use std::path::Path;

/// Programs, libraries and the settings that these read at every start.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr",
    "/System",
    "/Library/Apple",
    "/Library/Developer/CommandLineTools",
    "/private/etc/ssl",
    "/private/etc/localtime",
    "/private/var/db/timezone",
    "/private/var/db/dyld",
];

/// The Seatbelt profile for `policy`. `scratch` is the folder that stands for `/tmp` and home.
pub fn profile(policy: &CommandPolicy, scratch: &Path) -> Result<String, SandboxError> {
    let workspace = plain(&policy.workspace)?;
    let mut text = String::from(BASE);
    let mut line = |rule: &str, path: &Path| {
        // A String takes everything.
        let _ = writeln!(text, "({rule} (subpath {}))", quoted(path));
    };
    for path in SYSTEM {
        line("allow file-read* process-exec", Path::new(path));
    }
    line("allow file-read* process-exec", &plain(&policy.program)?);
    for path in &policy.toolchains.folders {
        line("allow file-read* process-exec", &plain(path)?);
    }
    let (shown, hidden) = (by_depth(policy)?, &policy.masked);
    for (path, access) in shown.iter().map(|(path, access)| (path.as_path(), *access)) {
        line(rights(access), path);
    }
    line(rights(Access::ReadWrite), &plain(scratch)?);
    line(rights(Access::ReadWrite), &workspace);
    for path in hidden {
        let path = plain(path)?;
        line("deny file*", &path);
        // What lies deeper than the mask is seen again.
        let deeper = |shown: &&(std::path::PathBuf, Access)| shown.0.starts_with(&path) && shown.0 != path;
        for (path, access) in shown.iter().filter(deeper) {
            line(rights(*access), path);
        }
        if workspace.starts_with(&path) {
            line(rights(Access::ReadWrite), &workspace);
        }
    }
    for part in [
        ".git/hooks",
        ".git/config",
        ".git/config.worktree",
        ".git/commondir",
    ] {
        line("deny file-write*", &workspace.join(part));
    }
    let _ = writeln!(
        text,
        "(deny file-write-unlink (literal {}))",
        quoted(&workspace.join(".git"))
    );
    text.push_str(&network(&policy.network));
    Ok(text)
}

fn by_depth(policy: &CommandPolicy) -> Result<Vec<(std::path::PathBuf, Access)>, SandboxError> {
    let shown = policy
        .mounts
        .iter()
        .map(|mount| Ok((plain(&mount.path)?, mount.access)));
    let mut shown = shown.collect::<Result<Vec<_>, SandboxError>>()?;
    shown.sort_by_key(|(path, _)| path.components().count());
    Ok(shown)
}

fn rights(access: Access) -> &'static str {
    match access {
        Access::ReadOnly => "allow file-read*",
        Access::ReadWrite => "allow file-read* file-write* process-exec",
    }
}

const BASE: &str = "\
(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\"))
(allow file-read* (literal \"/dev/random\") (literal \"/dev/urandom\") (literal \"/\"))
(allow pseudo-tty)
";

fn network(network: &Network) -> String {
    let loopback =
        "(allow network* (local ip \"localhost:*\"))\n(allow network-outbound (remote ip \"localhost:*\"))\n";
    match network {
        // No own network there: the loopback is the machine's, so it stays closed.
        Network::Off => "(deny network*)\n".to_owned(),
        Network::Proxy(proxy) => format!(
            "(deny network*)\n(allow network-outbound (remote unix-socket (path-literal {})))\n",
            quoted(&proxy.socket)
        ),
        Network::Open => {
            format!("(allow network-outbound)\n(allow network-bind)\n{loopback}(allow system-socket)\n")
        }
    }
}

/// A string of the profile's language: a Scheme.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Proxy, Run};
    use crate::policy::Mount;

    fn policy() -> CommandPolicy {
        let mut policy = CommandPolicy::new(
            "/Applications/Prompt Manager.app/Contents/MacOS/pm-worker",
            "/Users/u/.prompt-manager/workspaces/t \"1\"",
            Run::Shell("true".into()),
        );
        policy.mounts = vec![
            Mount::read_only("/Users/u/docs"),
            Mount::read_write("/Users/u/docs/out"),
        ];
        policy.masked = vec!["/Users/u/.prompt-manager".into()];
        policy.toolchains.folders = vec!["/Users/u/.cargo/bin".into()];
        policy
    }

    #[test]
    fn the_profile_in_words() {
        insta::assert_snapshot!(
            "seatbelt_off",
            profile(&policy(), Path::new("/private/tmp/pm-1")).unwrap()
        );
    }

    #[test]
    fn networks_in_words() {
        let proxy = Proxy {
            socket: "/Users/u/.prompt-manager/run/proxy.sock".into(),
            port: 3128,
        };
        let all = [Network::Off, Network::Proxy(proxy), Network::Open].map(|kind| network(&kind));
        insta::assert_snapshot!("seatbelt_networks", all.join("---\n"));
    }

    #[test]
    fn a_path_cannot_end_its_string() {
        let mut policy = policy();
        policy.workspace = "/a\") (allow default) (\"".into();
        let text = profile(&policy, Path::new("/s")).unwrap();
        assert!(text.contains(r#""/a\") (allow default) (\"""#), "{text}");
    }
}
