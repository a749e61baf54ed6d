//! What a command has set up so far: variables, functions, folder, files it wrote. A variable has
//! several values when it depends on a branch or a loop; readings go through them one by one.

use super::ast::{Node, Source};
use super::mark;
use super::paths::{self, HOME, WORKSPACE};
use super::run::{Frame, Run};
use std::collections::HashMap;
use std::rc::Rc;

/// Most values of a variable that are followed.
const VALUES: usize = 64;
/// Most characters of a value.
const CHARACTERS: usize = 65_536;

/// What a command can read from its standard input, or what it wrote.
#[derive(Clone, Debug, PartialEq)]
pub enum Feed {
    Nothing,
    /// With marks for what is unknown.
    Text(String),
    /// Names below these folders.
    Paths(Vec<String>),
    File(String),
    /// From the network.
    Download,
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Callable {
    pub source: Rc<Source>,
    pub body: Rc<Node>,
}

#[derive(Debug)]
pub struct State {
    /// Each value is a list, as arrays have it.
    variables: HashMap<String, Vec<Vec<String>>>,
    pub functions: HashMap<String, Callable>,
    pub aliases: HashMap<String, String>,
    pub files: HashMap<String, Feed>,
    /// `None`: nobody knows.
    pub cwd: Option<String>,
    /// `None`: nobody knows.
    pub positional: Option<Vec<String>>,
    /// `$0`, where a command has set it: `sh -c TEXT NAME`.
    pub zero: Option<String>,
    /// Grows with every new value.
    pub version: usize,
}

pub enum Looked {
    Unset,
    Unknown,
    Values(Vec<String>),
}

impl State {
    pub fn new() -> Self {
        State {
            variables: HashMap::new(),
            functions: HashMap::new(),
            aliases: HashMap::new(),
            files: HashMap::new(),
            cwd: Some(WORKSPACE.to_owned()),
            positional: Some(Vec::new()),
            zero: None,
            version: 0,
        }
    }

    pub fn change_folder(&mut self, path: &str) {
        let known = mark::is_known(path) && !path.contains(mark::is_glob) && path != "-";
        self.cwd = known
            .then(|| paths::resolve(path, self.cwd.as_deref()))
            .flatten()
            .map(|components| format!("/{}", components.join("/")));
    }

    pub fn key(&self, path: &str) -> String {
        match paths::resolve(path, self.cwd.as_deref()) {
            Some(components) => format!("/{}", components.join("/")),
            None => path.to_owned(),
        }
    }

    /// `replace`: nothing else can have been the value before.
    pub fn set(&mut self, name: &str, value: Vec<String>, replace: bool) {
        let length: usize = value.iter().map(String::len).sum();
        let value = if length > CHARACTERS {
            vec![mark::UNKNOWN.to_string()]
        } else {
            value
        };
        let values = self.variables.entry(name.to_owned()).or_default();
        if values.contains(&value) && (!replace || values.len() == 1) {
            return;
        }
        self.version += 1;
        if replace {
            values.clear();
        }
        if values.len() < VALUES {
            values.push(value);
        } else if values.len() == VALUES {
            values.push(vec![mark::UNKNOWN.to_string()]);
        }
    }

    fn usual(&self, name: &str) -> Looked {
        let known = |text: &str| Looked::Values(vec![text.to_owned()]);
        match name {
            "HOME" => known(HOME),
            "PWD" => self.cwd.as_deref().map_or(Looked::Unknown, known),
            "TMPDIR" | "TMP" | "TEMP" => known("/tmp"),
            "SHELL" | "BASH" | "0" => known("/bin/sh"),
            "USER" | "LOGNAME" => known("user"),
            "IFS" => known(" \t\n"),
            _ => Looked::Unset,
        }
    }
}

impl Run<'_> {
    pub fn look_up(&mut self, name: &str) -> Looked {
        match name {
            "@" | "*" => {
                return match &self.state.positional {
                    Some(values) => Looked::Values(values.clone()),
                    None => Looked::Unknown,
                };
            }
            "0" if self.state.zero.is_some() => {
                return Looked::Values(self.state.zero.clone().into_iter().collect());
            }
            "0" | "" => return self.state.usual(name),
            "FUNCNAME" => {
                let name = self.frames.iter().rev().find_map(|frame| match frame {
                    Frame::Function(name, _) => Some(name.clone()),
                    _ => None,
                });
                return name.map_or(Looked::Unset, |name| Looked::Values(vec![name]));
            }
            _ if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                let at: usize = name.parse().unwrap_or(usize::MAX);
                return match &self.state.positional {
                    None => Looked::Unknown,
                    // Without a value it is empty, and so is what it is put into.
                    Some(values) => Looked::Values(
                        at.checked_sub(1)
                            .and_then(|at| values.get(at))
                            .cloned()
                            .into_iter()
                            .collect(),
                    ),
                };
            }
            _ => {}
        }
        let Some(count) = self.state.variables.get(name).map(Vec::len) else {
            return self.state.usual(name);
        };
        let at = self.pick(name, count);
        match self.state.variables.get(name).and_then(|values| values.get(at)) {
            Some(values) => Looked::Values(values.clone()),
            None => Looked::Unknown,
        }
    }

    /// Blanks, and what the command itself put into IFS.
    pub fn separators(&self) -> Vec<char> {
        let mut all = vec![' ', '\t', '\n'];
        if let Some(values) = self.state.variables.get("IFS") {
            all.extend(values.iter().flatten().flat_map(|value| value.chars()));
        }
        all
    }
}
