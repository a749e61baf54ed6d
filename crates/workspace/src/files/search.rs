//! Lines that match a regular expression. What `.gitignore` files name is left out, and `.git`
//! itself; hidden files are searched. Files are opened through the folder's handle like any other,
//! so the walk is our own: the usual one goes by paths.
//!
//! Matching is linear in the text (no backtracking), and everything is bounded: matches, the length
//! of a line, the files looked at, the time.

use super::{Kind, RelPath, Root, io_error, shown};
use crate::error::WorkspaceError;
use cap_std::fs::Dir;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// Syntax of the `regex` crate; lines are matched one by one.
    pub pattern: String,
    /// A file or a folder; the workspace when absent.
    pub path: Option<String>,
    /// As in `.gitignore`: without `/` it is held against the name, with it against the path below
    /// the workspace; `!` leaves out.
    pub glob: Option<String>,
    pub ignore_case: bool,
    /// Matches to give at most; [`MATCHES_MOST`] is the most there is.
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub path: String,
    /// From 1.
    pub line: u64,
    /// Without its end, cut to [`LINE_CHARS`].
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// By path, then by line.
    pub matches: Vec<Match>,
    /// There may be more: one of the bounds was met.
    pub truncated: bool,
}

pub const MATCHES_DEFAULT: usize = 200;
pub const MATCHES_MOST: usize = 2000;
pub const LINE_CHARS: usize = 400;
const PATTERN_CHARS: usize = 1000;
/// Larger files are passed over: they are data.
const FILE_BYTES: u64 = 32 * 1024 * 1024;
/// What a line may take while it is read; files with longer ones are passed over.
const LINE_BYTES: usize = 4 * 1024 * 1024;
const ENTRIES_MOST: u64 = 500_000;
const IGNORE_BYTES: u64 = 1024 * 1024;
const REGEX_BYTES: usize = 10 * 1024 * 1024;
const LONGEST: Duration = Duration::from_secs(20);

impl Root {
    pub fn search(&self, request: &SearchRequest) -> Result<Matches, WorkspaceError> {
        let start = match &request.path {
            None => RelPath::root(),
            Some(path) => RelPath::parse("search_files", path)?,
        };
        let mut search = Search {
            root: self,
            matcher: matcher(request)?,
            glob: glob(request)?,
            searcher: SearcherBuilder::new()
                .binary_detection(BinaryDetection::quit(0))
                .heap_limit(Some(LINE_BYTES))
                .line_number(true)
                .line_terminator(LineTerminator::crlf())
                .build(),
            found: Matches::default(),
            most: request.limit.unwrap_or(MATCHES_DEFAULT).clamp(1, MATCHES_MOST),
            left: ENTRIES_MOST,
            until: Instant::now() + LONGEST,
        };
        let place = match start.is_root() {
            true => None,
            false => Some(
                self.dir()
                    .metadata(start.to_path())
                    .map_err(|error| io_error(&start, error))?,
            ),
        };
        match place {
            Some(found) if found.is_file() && !start.is_folder() => search.file(&start.text()),
            Some(found) if !found.is_dir() => {
                return Err(match found.is_file() {
                    true => WorkspaceError::NotADirectory { path: start.text() },
                    false => WorkspaceError::NotAFile { path: start.text() },
                });
            }
            _ => search.folders(&start)?,
        }
        Ok(search.found)
    }
}

fn matcher(request: &SearchRequest) -> Result<RegexMatcher, WorkspaceError> {
    let invalid = |reason: String| WorkspaceError::InvalidArgs {
        call: "search_files",
        reason,
    };
    if request.pattern.is_empty() || request.pattern.chars().count() > PATTERN_CHARS {
        return Err(invalid(format!("a pattern has 1 to {PATTERN_CHARS} characters")));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(request.ignore_case)
        .line_terminator(Some(b'\n'))
        .crlf(true)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .build(&request.pattern)
        .map_err(|error| invalid(error.to_string()))
}

fn glob(request: &SearchRequest) -> Result<Override, WorkspaceError> {
    let mut builder = OverrideBuilder::new("");
    let built = match &request.glob {
        Some(glob) if glob.chars().count() > PATTERN_CHARS => {
            return Err(WorkspaceError::InvalidArgs {
                call: "search_files",
                reason: format!("a glob has at most {PATTERN_CHARS} characters"),
            });
        }
        Some(glob) => builder.add(glob).and_then(|builder| builder.build()),
        None => builder.build(),
    };
    built.map_err(|error| WorkspaceError::InvalidArgs {
        call: "search_files",
        reason: shown(&error.to_string()),
    })
}

/// The rules that hold in a folder: its own before those above it.
#[derive(Clone, Default)]
struct Rules(Option<Arc<(Gitignore, Rules)>>);

impl Rules {
    fn hide(&self, path: &str, is_dir: bool) -> bool {
        let mut rules = self;
        while let Some(inner) = &rules.0 {
            let verdict = inner.0.matched(path, is_dir);
            if !verdict.is_none() {
                return verdict.is_ignore();
            }
            rules = &inner.1;
        }
        false
    }

    /// With those of the `.gitignore` in a folder. One that cannot be read has none.
    fn with(&self, dir: &Dir, path: &str) -> Rules {
        let Some(text) = ignore_file(dir) else {
            return self.clone();
        };
        let mut builder = GitignoreBuilder::new(path);
        for line in text.lines() {
            // A line that is no rule is passed over, as git does.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(own) => Rules(Some(Arc::new((own, self.clone())))),
            Err(_) => self.clone(),
        }
    }
}

fn ignore_file(dir: &Dir) -> Option<String> {
    let flags = rustix::fs::OFlags::RDONLY
        | rustix::fs::OFlags::NOFOLLOW
        | rustix::fs::OFlags::NONBLOCK
        | rustix::fs::OFlags::CLOEXEC;
    let handle = rustix::fs::openat(dir, ".gitignore", flags, rustix::fs::Mode::empty()).ok()?;
    let file = std::fs::File::from(handle);
    let mut bytes = Vec::new();
    if file.metadata().ok()?.is_file() {
        file.take(IGNORE_BYTES).read_to_end(&mut bytes).ok()?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

struct Search<'a> {
    root: &'a Root,
    matcher: RegexMatcher,
    glob: Override,
    searcher: Searcher,
    found: Matches,
    most: usize,
    left: u64,
    until: Instant,
}

impl Search<'_> {
    fn is_over(&mut self) -> bool {
        if self.left == 0 || Instant::now() > self.until {
            self.found.truncated = true;
        }
        self.found.truncated
    }

    fn folders(&mut self, start: &RelPath) -> Result<(), WorkspaceError> {
        let mut waiting = vec![(start.clone(), self.rules_above(start))];
        let mut is_first = true;
        while let Some((folder, above)) = waiting.pop() {
            let dir = match self.root.open_folder(&folder) {
                Err(error) if is_first => return Err(error),
                Err(_) => continue,
                Ok(dir) => dir,
            };
            is_first = false;
            let prefix = match folder.is_root() {
                true => String::new(),
                false => format!("{}/", folder.text()),
            };
            let rules = above.with(&dir, &folder.text());
            let mut folders = Vec::new();
            for (name, kind) in self.names(&dir).map_err(|error| io_error(&folder, error))? {
                if self.is_over() {
                    return Ok(());
                }
                let path = format!("{prefix}{name}");
                let is_dir = kind == Kind::Directory;
                if name == ".git" || rules.hide(&path, is_dir) || self.glob.matched(&path, is_dir).is_ignore()
                {
                    continue;
                }
                match kind {
                    Kind::File => self.file(&path),
                    Kind::Directory => folders.extend(RelPath::parse("search_files", &path)),
                    Kind::Symlink | Kind::Other => {}
                }
            }
            waiting.extend(folders.into_iter().rev().map(|folder| (folder, rules.clone())));
        }
        Ok(())
    }

    /// Rules of the folders on the way to where the search begins.
    fn rules_above(&self, start: &RelPath) -> Rules {
        let mut rules = Rules::default();
        let mut above = RelPath::root();
        for part in start.parts() {
            match self.root.open_folder(&above) {
                Ok(dir) => rules = rules.with(&dir, &above.text()),
                Err(_) => return rules,
            }
            let below = match above.is_root() {
                true => part.clone(),
                false => format!("{}/{part}", above.text()),
            };
            match RelPath::parse("search_files", &below) {
                Ok(path) => above = path,
                Err(_) => return rules,
            }
        }
        rules
    }

    /// Names that are text, sorted; links are not followed.
    fn names(&mut self, dir: &Dir) -> io::Result<Vec<(String, Kind)>> {
        let mut names = Vec::new();
        for entry in dir.entries()? {
            let entry = entry?;
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let found = entry.file_type()?;
            let kind = match (found.is_file(), found.is_dir()) {
                (true, _) => Kind::File,
                (_, true) => Kind::Directory,
                _ => Kind::Other,
            };
            names.push((name, kind));
        }
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(names)
    }

    /// A file that is gone, unreadable, binary or not text by now has no matches.
    fn file(&mut self, path: &str) {
        let Ok(rel) = RelPath::parse("search_files", path) else {
            return;
        };
        let Ok((file, size)) = self.root.open_file(&rel) else {
            return;
        };
        if size > FILE_BYTES {
            return;
        }
        let before = self.found.matches.len();
        let mut lines = Lines {
            path,
            found: &mut self.found,
            most: self.most,
            binary: false,
        };
        let searched = self
            .searcher
            .search_file(&self.matcher, &file.into_std(), &mut lines);
        if lines.binary || searched.is_err() {
            self.found.matches.truncate(before);
        }
    }
}

struct Lines<'a> {
    path: &'a str,
    found: &'a mut Matches,
    most: usize,
    binary: bool,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.found.matches.len() >= self.most {
            self.found.truncated = true;
            return Ok(false);
        }
        let text = String::from_utf8_lossy(found.bytes());
        let text = text.trim_end_matches(['\n', '\r']);
        let mut cut: String = text.chars().take(LINE_CHARS).collect();
        if cut.len() < text.len() {
            cut.push('…');
        }
        self.found.matches.push(Match {
            path: self.path.to_owned(),
            line: found.line_number().unwrap_or(0),
            text: cut,
        });
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }
}
