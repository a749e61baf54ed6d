//! The data home: where everything of a user lives (CONTRACT, "Data home").

#![allow(clippy::disallowed_methods, reason = "opens the data home itself")]

use crate::atomic::{self, Access};
use crate::name::ToolName;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Version of the folder layout and of the formats of its plain files. The database has its own.
pub const FORMAT: u32 = 1;

/// Below the user's home.
const USUAL: &str = ".prompt-manager";

/// Environment variable that names another data home.
pub const HOME_VARIABLE: &str = "PROMPT_MANAGER_HOME";

const FOLDERS: &[&str] = &[
    "toolbox",
    "prompts",
    "skills",
    "artifacts",
    "artifacts/thumbs",
    "workspaces",
    "arena",
    "shared",
    "store",
    "trash",
    "history",
    "backups",
    "logs",
    "secrets",
    "run",
];

/// Mode bit of folders that everybody writes to, such as `/tmp`.
const STICKY: u32 = 0o1000;

/// Longest path of a socket in bytes: `sun_path` holds it and its end.
const SOCKET_PATH: usize = if cfg!(target_os = "macos") { 103 } else { 107 };

/// Paths of one data home. Cheap to clone; opening it is [`DataHome::prepare`].
///
/// The root is the folder as it was named. Whoever compares paths with what the kernel says
/// needs the one that `prepare` gives; the socket and the lock are the same files either way,
/// so a short link to a deep folder is a data home as good as any.
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
    #[error("the socket of the data home {path} has a path of {bytes} bytes, {SOCKET_PATH} are possible")]
    TooLong { path: PathBuf, bytes: usize },
    #[error("{0} is no folder for one person's data")]
    Common(PathBuf),
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
            HomeError::TooLong { .. } => "home_path_too_long",
            HomeError::Common(_) => "home_common_folder",
            HomeError::Newer { .. } => "home_newer",
            HomeError::BadVersion { .. } => "home_bad_version",
            HomeError::Io { .. } => "home_io",
        }
    }
    fn args(&self) -> crate::Args {
        match self {
            HomeError::NoHome => crate::args! {},
            HomeError::Relative(path) | HomeError::Common(path) | HomeError::BadVersion { path } => {
                crate::args! { path: path }
            }
            HomeError::TooLong { path, bytes } => {
                crate::args! { path: path, bytes: bytes, limit: SOCKET_PATH }
            }
            HomeError::Newer { path, found } => crate::args! { path: path, found: found, known: FORMAT },
            HomeError::Io { path, source } => crate::args! { path: path, reason: source.to_string() },
        }
    }
}

impl DataHome {
    pub fn at(root: impl Into<PathBuf>) -> Result<Self, HomeError> {
        let root = root.into();
        if !root.is_absolute() {
            return Err(HomeError::Relative(root));
        }
        let home = DataHome { root };
        match home.socket().as_os_str().len() {
            bytes if bytes > SOCKET_PATH => Err(HomeError::TooLong {
                path: home.root,
                bytes,
            }),
            _ => Ok(home),
        }
    }

    /// `--home`, else `PROMPT_MANAGER_HOME`, else `~/.prompt-manager`.
    pub fn locate(option: Option<&Path>) -> Result<Self, HomeError> {
        if let Some(path) = option {
            return Self::at(std::path::absolute(path).map_err(|source| io_error(path, source))?);
        }
        match std::env::var_os(HOME_VARIABLE) {
            Some(path) if !path.is_empty() => Self::at(PathBuf::from(path)),
            _ => Self::at(user_home()?.join(USUAL)),
        }
    }

    /// Creates what is missing, closes the root to other users, and checks the format. Gives the
    /// same home by its real path: sandboxes and grants compare it with paths that the kernel
    /// resolved. The caller holds the owner's lock.
    pub fn prepare(&self) -> Result<DataHome, HomeError> {
        let failed = |source| io_error(&self.root, source);
        atomic::create_dir_all(&self.root).map_err(failed)?;
        let home = DataHome {
            root: self.root.canonicalize().map_err(failed)?,
        };
        home.make_private()?;
        for folder in FOLDERS {
            let path = home.root.join(folder);
            atomic::create_dir_all(&path).map_err(|source| io_error(&path, source))?;
        }
        for folder in [home.run(), home.secrets()] {
            set_private(&folder).map_err(|source| io_error(&folder, source))?;
        }
        home.check_format()?;
        for folder in [
            home.root.clone(),
            home.artifacts(),
            home.thumbs(),
            home.prompts(),
            home.secrets(),
        ] {
            atomic::sweep(&folder).map_err(|source| io_error(&folder, source))?;
        }
        Ok(home)
    }

    /// 0700 on the root guards everything below it, whatever the modes there.
    fn make_private(&self) -> Result<(), HomeError> {
        let failed = |source| io_error(&self.root, source);
        let mode = std::fs::metadata(&self.root)
            .map_err(failed)?
            .permissions()
            .mode();
        // Closing `/` or `/tmp` would lock everybody else out of the machine.
        if self.root.parent().is_none() || mode & STICKY != 0 {
            return Err(HomeError::Common(self.root.clone()));
        }
        match mode & 0o077 {
            0 => Ok(()),
            _ => set_private(&self.root).map_err(failed),
        }
    }

    fn check_format(&self) -> Result<(), HomeError> {
        let path = self.root.join("version");
        match std::fs::read_to_string(&path) {
            Ok(text) => match text.trim().parse::<u32>() {
                Ok(found) if found > FORMAT => Err(HomeError::Newer {
                    path: self.root.clone(),
                    found,
                }),
                Ok(_) => Ok(()),
                Err(_) => Err(HomeError::BadVersion { path }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                atomic::write(&path, format!("{FORMAT}\n").as_bytes(), Access::Shared)
                    .map_err(|source| io_error(&path, source))
            }
            Err(source) => Err(io_error(&path, source)),
        }
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
    /// Folders of tools that are on their way into the toolbox or out of it; no tool is named like this.
    pub fn tool_changes(&self) -> PathBuf {
        self.toolbox().join(".changes")
    }
    /// Earlier versions of tools, one folder a tool.
    pub fn tool_backups(&self) -> PathBuf {
        self.backups().join("tools")
    }
    /// Tools that were removed, as whole folders.
    pub fn tool_trash(&self) -> PathBuf {
        self.trash().join("tools")
    }
    pub fn prompts(&self) -> PathBuf {
        self.root.join("prompts")
    }
    pub fn artifacts(&self) -> PathBuf {
        self.root.join("artifacts")
    }
    /// Small copies of pictures; made again when they are gone.
    pub fn thumbs(&self) -> PathBuf {
        self.artifacts().join("thumbs")
    }
    pub fn workspaces(&self) -> PathBuf {
        self.root.join("workspaces")
    }
    /// Teams of the person's own, a file each.
    pub fn teams(&self) -> PathBuf {
        self.root.join("society")
    }
    /// Folders of canvases of cells, for what their programs write.
    pub fn arena(&self) -> PathBuf {
        self.root.join("arena")
    }
    pub fn shared(&self) -> PathBuf {
        self.root.join("shared")
    }
    /// npm packages, each once for all tools.
    pub fn packages(&self) -> PathBuf {
        self.root.join("store")
    }
    pub fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }
    /// Versions of files that agents changed, one folder a task.
    pub fn history(&self) -> PathBuf {
        self.root.join("history")
    }
    /// Earlier texts of prompts. No task is named like this.
    pub fn prompt_history(&self) -> PathBuf {
        self.history().join(".prompts")
    }
    /// Agent Skills, a folder each.
    pub fn skills(&self) -> PathBuf {
        self.root.join("skills")
    }
    /// Earlier texts of skills, next to those of prompts.
    pub fn skill_history(&self) -> PathBuf {
        self.history().join(".skills")
    }
    /// Skills that were removed or replaced, as whole folders.
    pub fn skill_trash(&self) -> PathBuf {
        self.trash().join("skills")
    }
    /// What was put into the skill folders of clients.
    pub fn placed_skills(&self) -> PathBuf {
        self.clients().join("skills.json")
    }
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
    }
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
    /// The desktop window's own: its place on the screen, what its page keeps.
    pub fn window(&self) -> PathBuf {
        self.root.join("window")
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
    /// Sockets of the proxies, one for each command that has one.
    pub fn proxies(&self) -> PathBuf {
        self.run().join("net")
    }
    pub fn database(&self) -> PathBuf {
        self.root.join("pm.db")
    }
    pub fn settings(&self) -> PathBuf {
        self.root.join("settings.json")
    }
    /// 0700: keys of services that a person gave.
    pub fn secrets(&self) -> PathBuf {
        self.root.join("secrets")
    }
    pub fn model_keys(&self) -> PathBuf {
        self.secrets().join("models.json")
    }
    pub fn token(&self) -> PathBuf {
        self.root.join("token")
    }
    /// What sessions of web pages are signed with; unlike the token, it is given to nobody.
    pub fn session_key(&self) -> PathBuf {
        self.root.join("session-key")
    }

    /// What was done to files of MCP clients, and how these were before.
    pub fn clients(&self) -> PathBuf {
        self.root.join("clients")
    }
    /// Whether it is the one that is found without being named.
    pub fn is_usual(&self) -> bool {
        user_home().is_ok_and(|home| {
            let usual = home.join(USUAL);
            usual == self.root || usual.canonicalize().is_ok_and(|usual| usual == self.root)
        })
    }

    /// `~/.prompt-manager/…` for a path below the data home where that is what a shell finds, else the
    /// path as it is. For texts.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(rest) if self.is_usual() => Path::new("~").join(USUAL).join(rest).display().to_string(),
            _ => path.display().to_string(),
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

/// Where the user's programs keep their configuration (`~/.config` on Linux).
pub fn user_config() -> Result<PathBuf, HomeError> {
    dirs::config_dir()
        .filter(|path| path.is_absolute())
        .ok_or(HomeError::NoHome)
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

fn set_private(path: &Path) -> io::Result<()> {
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
    fn other_users_are_kept_out() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let root = dir.path().join("h");
        std::fs::create_dir(&root).unwrap();
        set(&root, 0o755);
        let home = DataHome::at(&root).unwrap();
        home.prepare().unwrap();
        assert_eq!((mode(&root), mode(&home.run())), (0o700, 0o700));

        let common = dir.path().join("common");
        std::fs::create_dir(&common).unwrap();
        set(&common, 0o1777);
        let refused = DataHome::at(&common).unwrap().prepare();
        assert!(matches!(refused, Err(HomeError::Common(_))), "{refused:?}");
        assert_eq!(mode(&common), 0o1777);
        assert_eq!(std::fs::read_dir(&common).unwrap().count(), 0);
    }

    #[test]
    fn a_linked_home_is_prepared_by_its_real_path() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let home = DataHome::at(&link).unwrap();
        let prepared = home.prepare().unwrap();
        assert_eq!((home.root(), prepared.root()), (link.as_path(), real.as_path()));
        assert_eq!(prepared.prepare().unwrap(), prepared);
        assert!(real.join("version").exists());
    }

    #[test]
    fn the_longest_path_is_one_that_can_be_bound() {
        let dir = tempfile::Builder::new().prefix("p").tempdir_in("/tmp").unwrap();
        let named = |socket: usize| {
            let fixed = dir.path().join("run/pm.sock");
            let name = "x".repeat(socket - fixed.as_os_str().len() - 1);
            DataHome::at(dir.path().join(name))
        };
        let home = named(SOCKET_PATH).unwrap().prepare().unwrap();
        std::os::unix::net::UnixListener::bind(home.socket()).unwrap();
        let refused = named(SOCKET_PATH + 1);
        assert!(
            matches!(refused, Err(HomeError::TooLong { bytes, .. }) if bytes == SOCKET_PATH + 1),
            "{refused:?}"
        );
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
    }

    #[test]
    fn the_usual_home_is_shown_short() {
        let elsewhere = DataHome::at("/data/pm").unwrap();
        let tool = Path::new("/data/pm/toolbox/x");
        assert_eq!(elsewhere.display(tool), "/data/pm/toolbox/x");
        let usual = DataHome::at(user_home().unwrap().join(USUAL)).unwrap();
        let tool = usual.root().join("toolbox/x");
        assert_eq!(usual.display(&tool), "~/.prompt-manager/toolbox/x");
        assert_eq!(usual.display(Path::new("/data/x")), "/data/x");
    }
}
