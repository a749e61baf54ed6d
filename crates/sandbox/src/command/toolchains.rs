//! Which toolchains below the user's home a command sees, read-only.
//!
//! The rule: an entry of the user's PATH below home brings in what [`KNOWN`] says for it, and
//! nothing else of the home. A PATH entry that is in no row brings in that folder alone, and only
//! if its last name says that programs are in it (`bin`, `sbin`, `shims`). `/opt/X/…` brings in
//! `/opt/X`, `/nix` and `/snap` bring in their stores. Folders with credentials ([`SECRET`]) are
//! never brought in, nor is a folder that contains one; the home itself never is.
//!
//! `~/.cargo` and `~/.rustup` are the command's own, because both tools write there: links in them
//! lead to the user's registry (for offline builds) and toolchains, read-only; never to
//! `credentials.toml` or `config.toml`.

use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What was found on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchains {
    /// Read-only, at the place they have on the host.
    pub folders: Vec<PathBuf>,
    /// In front of the system's on PATH.
    pub path: Vec<PathBuf>,
    pub env: Vec<(String, PathBuf)>,
    /// Links in the command's own home, to what tools look for there.
    pub links: Vec<HomeLink>,
}

/// A link below the home of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeLink {
    /// Relative, in one folder at most.
    pub name: PathBuf,
    pub target: PathBuf,
}

/// One kind of toolchain, all paths relative to home.
struct Known {
    /// A PATH entry that is this or below.
    entry: &'static str,
    folders: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
}

const fn known(
    entry: &'static str,
    folders: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
) -> Known {
    Known { entry, folders, env }
}

const KNOWN: &[Known] = &[
    known(
        ".cargo/bin",
        &[
            ".cargo/bin",
            ".cargo/registry",
            ".rustup/toolchains",
            ".rustup/settings.toml",
        ],
        &[],
    ),
    known(".nvm/versions", &[".nvm/versions"], &[]),
    known(".fnm", &[".fnm"], &[]),
    known(".local/share/fnm", &[".local/share/fnm"], &[]),
    known(
        ".volta",
        &[".volta/bin", ".volta/tools"],
        &[("VOLTA_HOME", ".volta")],
    ),
    known(".pyenv", &[".pyenv"], &[("PYENV_ROOT", ".pyenv")]),
    known(".rbenv", &[".rbenv"], &[("RBENV_ROOT", ".rbenv")]),
    known(".asdf", &[".asdf"], &[("ASDF_DATA_DIR", ".asdf")]),
    known(
        ".local/share/mise",
        &[".local/share/mise/installs", ".local/share/mise/shims"],
        &[],
    ),
    known(".sdkman/candidates", &[".sdkman/candidates"], &[]),
    known(".bun/bin", &[".bun/bin"], &[]),
    known(".deno/bin", &[".deno/bin"], &[]),
    known("go/bin", &["go/bin"], &[]),
    known(".local/share/pnpm", &[".local/share/pnpm"], &[]),
    known(".npm-global/bin", &[".npm-global/bin", ".npm-global/lib"], &[]),
    known(".dotnet", &[".dotnet"], &[]),
    known(
        ".local/bin",
        &[".local/bin", ".local/pipx", ".local/share/uv/tools"],
        &[],
    ),
];

const RUST_LINKS: &[&str] = &[".cargo/registry", ".rustup/toolchains", ".rustup/settings.toml"];

/// Below home; each may hold what opens a door somewhere.
const SECRET: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".gitconfig",
    ".config",
    ".password-store",
    ".mozilla",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".cargo/config.toml",
    ".gem/credentials",
    ".terraform.d",
    ".prompt-manager",
    ".local/share/keyrings",
];

const PROGRAM_FOLDERS: &[&str] = &["bin", "sbin", "shims"];

/// Those of the person whom the owner belongs to.
pub async fn installed() -> Toolchains {
    let look = || match (base::home::user_home(), std::env::var_os("PATH")) {
        (Ok(home), Some(path)) => find(&home, &path),
        _ => Toolchains::default(),
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

/// Looks which toolchains of `path` there are. Blocks shortly: for the start of a task.
pub fn find(home: &Path, path: &OsStr) -> Toolchains {
    let Ok(home) = home.canonicalize() else {
        return Toolchains::default();
    };
    let entries = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    let entries: Vec<_> = entries.filter_map(|entry| entry.canonicalize().ok()).collect();
    let mut found = wanted(&home, &entries);
    // Only real folders by their real names; whatever a link leads to was not asked for.
    let real = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real == *path);
    found.folders.retain(real);
    found.env.retain(|(_, path)| real(path));
    found.links.retain(|link| real(&link.target));
    found
}

/// The same for paths that exist. Pure.
fn wanted(home: &Path, entries: &[PathBuf]) -> Toolchains {
    let mut found = Toolchains::default();
    for entry in entries {
        let folders = match entry.strip_prefix(home) {
            Ok(below) => below_home(home, below, &mut found),
            Err(_) => elsewhere(entry).into_iter().collect(),
        };
        let allowed: Vec<_> = folders
            .into_iter()
            .filter(|folder| !secret(home, folder))
            .collect();
        let shown = |folder: &PathBuf| entry.starts_with(folder);
        if allowed.iter().any(shown) && !found.path.contains(entry) {
            found.path.push(entry.clone());
        }
        for folder in allowed {
            if !found.folders.contains(&folder) {
                found.folders.push(folder);
            }
        }
    }
    found
}

fn below_home(home: &Path, below: &Path, found: &mut Toolchains) -> Vec<PathBuf> {
    let Some(row) = KNOWN.iter().find(|row| below.starts_with(row.entry)) else {
        let named = below
            .file_name()
            .is_some_and(|name| PROGRAM_FOLDERS.iter().any(|known| name == *known));
        return if named { vec![home.join(below)] } else { Vec::new() };
    };
    for (name, value) in row.env {
        let pair = ((*name).to_owned(), home.join(value));
        if !found.env.contains(&pair) {
            found.env.push(pair);
        }
    }
    if row.entry == ".cargo/bin" && found.links.is_empty() {
        let links = RUST_LINKS.iter().map(|name| HomeLink {
            name: name.into(),
            target: home.join(name),
        });
        found.links.extend(links);
    }
    row.folders.iter().map(|folder| home.join(folder)).collect()
}

/// Outside home: what is installed in one folder of its own.
fn elsewhere(entry: &Path) -> Option<PathBuf> {
    for store in ["/nix", "/snap", "/home/linuxbrew/.linuxbrew"] {
        if entry.starts_with(store) {
            return Some(store.into());
        }
    }
    let mut parts = entry.strip_prefix("/opt").ok()?.components();
    let package = parts.next()?;
    Some(Path::new("/opt").join(package))
}

fn secret(home: &Path, folder: &Path) -> bool {
    let overlaps = |secret: &str| {
        let secret = home.join(secret);
        secret.starts_with(folder) || folder.starts_with(&secret)
    };
    home.starts_with(folder) || SECRET.iter().any(|name| overlaps(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: &[&str]) -> Toolchains {
        let entries: Vec<_> = entries.iter().map(PathBuf::from).collect();
        wanted(Path::new("/home/u"), &entries)
    }

    #[test]
    fn known_toolchains_come_with_what_they_need_and_no_more() {
        let found = of(&[
            "/home/u/.cargo/bin",
            "/home/u/.nvm/versions/node/v22/bin",
            "/usr/bin",
        ]);
        let folders: Vec<_> = found.folders.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(
            folders,
            [
                "/home/u/.cargo/bin",
                "/home/u/.cargo/registry",
                "/home/u/.rustup/toolchains",
                "/home/u/.rustup/settings.toml",
                "/home/u/.nvm/versions"
            ]
        );
        assert_eq!(found.path.len(), 2, "the system's own is always there");
        assert_eq!(found.links.len(), 3);
    }

    #[test]
    fn what_is_not_known_comes_alone_or_not_at_all() {
        let found = of(&[
            "/home/u/project/bin",
            "/home/u",
            "/home/u/Documents",
            "/home/u/.ssh/bin",
            "/home/u/.config/x/bin",
            "/home",
            "/",
            "/opt",
            "/opt/zig/bin",
            "/tmp/bin",
        ]);
        assert_eq!(
            found.folders,
            [PathBuf::from("/home/u/project/bin"), "/opt/zig".into()]
        );
        assert_eq!(
            found.path,
            [PathBuf::from("/home/u/project/bin"), "/opt/zig/bin".into()]
        );
    }

    #[test]
    fn no_row_reaches_a_secret() {
        for row in KNOWN {
            for folder in row.folders {
                let folder = Path::new("/home/u").join(folder);
                assert!(!secret(Path::new("/home/u"), &folder), "{}", folder.display());
            }
        }
    }
}
