//! The data home: where everything of a user lives (CONTRACT, "Data home").

#![allow(clippy::disallowed_methods, reason = "opens the data home itself")]

use crate::atomic::{self, Access};
use crate::name::ToolName;
use std::io;
use std::path::{Path, PathBuf};

/// Version of the folder layout and of the formats of its plain files. The database has its own.
pub const FORMAT: u32 = 1;

/// Environment variable that names another data home.
pub const HOME_VARIABLE: &str = "PROMPT_MANAGER_HOME";

const FOLDERS: &[&str] = &[
    "toolbox",
    "prompts",
    "skills",
    "artifacts",
    "workspaces",
    "arena",
    "shared",
    "store",
    "trash",
    "history",
    "backups",
    "logs",
    "run",
];

/// Paths of one data home. Cheap to clone; opening it is [`DataHome::prepare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataHome {
    root: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("no home folder is known for this user")]
    NoHome,
    #[error("the data home {0} is not an absolute path")]
    Relative(PathBuf),
    #[error("the data home {path} has format {found}, this program knows {FORMAT}")]
    Newer { path: PathBuf, found: u32 },
    #[error("{path}: not a version file")]
    BadVersion { path: PathBuf },
    #[error("data home {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl crate::Coded for HomeError {
    fn code(&self) -> &'static str {
        match self {
            HomeError::NoHome => "home_unknown",
            HomeError::Relative(_) => "home_not_absolute",
            HomeError::Newer { .. } => "home_newer",
            HomeError::BadVersion { .. } => "home_bad_version",
            HomeError::Io { .. } => "home_io",
        }
    }
    fn args(&self) -> crate::Args {
        match self {
            HomeError::NoHome => crate::args! {},
            HomeError::Relative(path) | HomeError::BadVersion { path } => crate::args! { path: path },
            HomeError::Newer { path, found } => crate::args! { path: path, found: found, known: FORMAT },
            HomeError::Io { path, source } => crate::args! { path: path, reason: source.to_string() },
        }
    }
}

impl DataHome {
    pub fn at(root: impl Into<PathBuf>) -> Result<Self, HomeError> {
        let root = root.into();
        if root.is_absolute() {
            Ok(DataHome { root })
        } else {
            Err(HomeError::Relative(root))
        }
    }

    /// `--home`, else `PROMPT_MANAGER_HOME`, else `~/.prompt-manager`.
    pub fn locate(option: Option<&Path>) -> Result<Self, HomeError> {
        if let Some(path) = option {
            return Self::at(std::path::absolute(path).map_err(|source| io_error(path, source))?);
        }
        match std::env::var_os(HOME_VARIABLE) {
            Some(path) if !path.is_empty() => Self::at(PathBuf::from(path)),
            _ => Self::at(user_home()?.join(".prompt-manager")),
        }
    }

    /// Creates what is missing and checks the format. The caller holds the owner's lock.
    pub fn prepare(&self) -> Result<(), HomeError> {
        for folder in FOLDERS {
            let path = self.root.join(folder);
            atomic::create_dir_all(&path).map_err(|source| io_error(&path, source))?;
        }
        private_folder(&self.run()).map_err(|source| io_error(&self.run(), source))?;
        let path = self.root.join("version");
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let found: u32 = text
                    .trim()
                    .parse()
                    .map_err(|_| HomeError::BadVersion { path: path.clone() })?;
                if found > FORMAT {
                    return Err(HomeError::Newer {
                        path: self.root.clone(),
                        found,
                    });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                atomic::write(&path, format!("{FORMAT}\n").as_bytes(), Access::Shared)
                    .map_err(|source| io_error(&path, source))?;
            }
            Err(source) => return Err(io_error(&path, source)),
        }
        for folder in [self.root.clone(), self.artifacts(), self.prompts()] {
            atomic::sweep(&folder).map_err(|source| io_error(&folder, source))?;
        }
        Ok(())
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
    pub fn toolbox(&self) -> PathBuf {
        self.root.join("toolbox")
    }
    pub fn tool(&self, name: &ToolName) -> PathBuf {
        self.toolbox().join(name.as_str())
    }
    pub fn prompts(&self) -> PathBuf {
        self.root.join("prompts")
    }
    pub fn artifacts(&self) -> PathBuf {
        self.root.join("artifacts")
    }
    pub fn workspaces(&self) -> PathBuf {
        self.root.join("workspaces")
    }
    pub fn shared(&self) -> PathBuf {
        self.root.join("shared")
    }
    pub fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
    }
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
    /// 0700: lock and socket.
    pub fn run(&self) -> PathBuf {
        self.root.join("run")
    }
    pub fn lock(&self) -> PathBuf {
        self.run().join("owner.lock")
    }
    pub fn socket(&self) -> PathBuf {
        self.run().join("pm.sock")
    }
    pub fn database(&self) -> PathBuf {
        self.root.join("pm.db")
    }
    pub fn settings(&self) -> PathBuf {
        self.root.join("settings.json")
    }
    pub fn token(&self) -> PathBuf {
        self.root.join("token")
    }

    /// `~/.prompt-manager/…` for a path below the data home, else the path as it is. For texts.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(rest) if rest.as_os_str().is_empty() => "~/.prompt-manager".to_owned(),
            Ok(rest) => format!("~/.prompt-manager/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }

    /// Expands `~` (the user's home) and `~/.prompt-manager` (this data home, wherever it is).
    pub fn expand(&self, path: &str) -> Result<PathBuf, HomeError> {
        if let Some(rest) = path.strip_prefix("~/.prompt-manager")
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Ok(join_rest(&self.root, rest));
        }
        match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Ok(join_rest(&user_home()?, rest)),
            _ => Ok(PathBuf::from(path)),
        }
    }
}

/// The user's home folder.
pub fn user_home() -> Result<PathBuf, HomeError> {
    dirs::home_dir()
        .filter(|path| path.is_absolute())
        .ok_or(HomeError::NoHome)
}

fn join_rest(root: &Path, rest: &str) -> PathBuf {
    match rest.trim_start_matches('/') {
        "" => root.to_owned(),
        rest => root.join(rest),
    }
}

fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
}

fn io_error(path: &Path, source: io::Error) -> HomeError {
    HomeError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prepares_twice_and_refuses_a_newer_format() {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("h")).unwrap();
        home.prepare().unwrap();
        home.prepare().unwrap();
        std::fs::write(home.root().join("version"), "999").unwrap();
        assert!(matches!(home.prepare(), Err(HomeError::Newer { found: 999, .. })));
        std::fs::write(home.root().join("version"), "x").unwrap();
        assert!(matches!(home.prepare(), Err(HomeError::BadVersion { .. })));
    }

    #[test]
    fn expands_both_homes() {
        let home = DataHome::at("/data/pm").unwrap();
        assert_eq!(
            home.expand("~/.prompt-manager/shared").unwrap(),
            Path::new("/data/pm/shared")
        );
        assert_eq!(home.expand("~/.prompt-manager").unwrap(), Path::new("/data/pm"));
        assert_eq!(home.expand("~").unwrap(), user_home().unwrap());
        assert_eq!(
            home.expand("~/.prompt-manager2").unwrap(),
            user_home().unwrap().join(".prompt-manager2")
        );
        assert_eq!(home.expand("~x").unwrap(), Path::new("~x"));
        assert_eq!(home.expand("/a").unwrap(), Path::new("/a"));
        assert_eq!(
            home.display(Path::new("/data/pm/toolbox/x")),
            "~/.prompt-manager/toolbox/x"
        );
    }
}
