//! What a document is once it is read: canvases of cells and Arena logs, with the prose around them.
//! Everything that the reader did not know stays in it (`attributes`, `unknown`, [`Entry::Other`]),
//! so that nothing a person or a model wrote is lost by reading and writing.
//!
//! Deliberately not here: how it is spelt (`read`, `write`), whether it makes sense (`check`), what
//! happens to it (`engine`).

use std::fmt;

/// Attributes the schema does not know, in the order they were written.
pub type Attributes = Vec<(String, String)>;

/// A text with canvases in it: a bare canvas, a Markdown answer with fences, several of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Whatever stands around the canvases, to the byte. White space alone is not kept.
    Prose(String),
    Canvas(Canvas),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canvas {
    pub attributes: Attributes,
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Cell(Box<Cell>),
    ArenaLog(ArenaLog),
    /// A comment, an element or a text that the schema does not know, as it was written.
    Other(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaLog {
    pub attributes: Attributes,
    pub logs: Vec<Log>,
    pub unknown: Vec<String>,
}

/// The name of a cell: each originator counts its own cells from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId {
    pub originator: String,
    pub seq: u64,
}

impl CellId {
    pub fn new(originator: impl Into<String>, seq: u64) -> Self {
        CellId {
            originator: originator.into(),
            seq,
        }
    }
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.originator, self.seq)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CellType {
    Exec,
    Output,
    Input,
    /// A type of the document's own.
    Custom(String),
}

impl CellType {
    pub fn of(word: &str) -> Self {
        match word {
            "EXEC" => CellType::Exec,
            "OUTPUT" => CellType::Output,
            "INPUT" => CellType::Input,
            other => CellType::Custom(other.to_owned()),
        }
    }

    pub fn word(&self) -> &str {
        match self {
            CellType::Exec => "EXEC",
            CellType::Output => "OUTPUT",
            CellType::Input => "INPUT",
            CellType::Custom(word) => word,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub originator: String,
    pub seq: u64,
    pub kind: CellType,
    pub target_cognitor: Option<String>,
    pub execution_context: Option<String>,
    /// Who asked, where a document says so besides (or instead of) the originator.
    pub requester: Option<String>,
    pub depends_on: Vec<CellId>,
    /// What `<depends_on>` says besides.
    pub depends_attributes: Attributes,
    /// What references say besides.
    pub reference_attributes: Vec<(CellId, Attributes)>,
    pub value: Option<Value>,
    /// A cell has one value; documents that have more keep the others here.
    pub more_values: Vec<Value>,
    pub stdout: Vec<Stdout>,
    pub logs: Vec<Log>,
    pub flags: Vec<Flag>,
    pub attributes: Attributes,
    pub unknown: Vec<String>,
}

impl Cell {
    pub fn new(originator: impl Into<String>, seq: u64, kind: CellType) -> Self {
        Cell {
            originator: originator.into(),
            seq,
            kind,
            target_cognitor: None,
            execution_context: None,
            requester: None,
            depends_on: Vec::new(),
            depends_attributes: Vec::new(),
            reference_attributes: Vec::new(),
            value: None,
            more_values: Vec::new(),
            stdout: Vec::new(),
            logs: Vec::new(),
            flags: Vec::new(),
            attributes: Vec::new(),
            unknown: Vec::new(),
        }
    }

    pub fn id(&self) -> CellId {
        CellId::new(self.originator.clone(), self.seq)
    }

    pub fn text(&self) -> &str {
        self.value.as_ref().map_or("", |value| value.text.as_str())
    }

    pub fn has_flag(&self, word: &str) -> bool {
        self.flags.iter().any(|flag| flag.value == word)
    }

    /// Whether it asks for an input, answered or not.
    pub fn is_question(&self) -> bool {
        let kind = self.value.as_ref().and_then(|value| value.kind.as_ref());
        self.kind == CellType::Output
            && (kind == Some(&ValueType::InputHint) || self.waits_for().next().is_some())
    }

    /// Whose input this cell waits for.
    pub fn waits_for(&self) -> impl Iterator<Item = &str> {
        self.flags.iter().filter_map(Flag::waits_for)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    Normal,
    InputHint,
    Other(String),
}

impl ValueType {
    pub fn of(word: &str) -> Self {
        match word {
            "NORMAL" => ValueType::Normal,
            "INPUT_HINT" => ValueType::InputHint,
            other => ValueType::Other(other.to_owned()),
        }
    }

    pub fn word(&self) -> &str {
        match self {
            ValueType::Normal => "NORMAL",
            ValueType::InputHint => "INPUT_HINT",
            ValueType::Other(word) => word,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    pub text: String,
    pub kind: Option<ValueType>,
    pub attributes: Attributes,
}

impl Value {
    pub fn plain(text: impl Into<String>) -> Self {
        Value {
            text: text.into(),
            kind: None,
            attributes: Vec::new(),
        }
    }

    pub fn of(kind: ValueType, text: impl Into<String>) -> Self {
        Value {
            text: text.into(),
            kind: Some(kind),
            attributes: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stdout {
    pub seq: u64,
    pub text: String,
    pub attributes: Attributes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    pub value: String,
    pub attributes: Attributes,
}

/// "Waits for the input of"; what follows is a cognitor's name.
pub const WAIT: &str = "WAIT_";
pub const THEN_CREATE_CELL: &str = "ThenCreateCell";
/// On the Arena's side of a delegation that was answered.
pub const DELEGATION_RESPONSE_RECEIVED: &str = "DELEGATION_RESPONSE_RECEIVED";
/// The attribute of a log in which the Arena flags what it is about.
pub const LOG_FLAG: &str = "flag";
/// The attribute of an OUTPUT that names the pictures it brought: `artifact:ID`, with spaces between.
pub const ARTIFACTS: &str = "artifacts";
/// The cognitor that `input()` asks when it names none.
pub const USER: &str = "User";

impl Flag {
    pub fn new(value: impl Into<String>) -> Self {
        Flag {
            value: value.into(),
            attributes: Vec::new(),
        }
    }

    pub fn waits_for(&self) -> Option<&str> {
        self.value.strip_prefix(WAIT).filter(|name| !name.is_empty())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
    Other(String),
}

impl Level {
    pub fn of(word: &str) -> Self {
        match word {
            "TRACE" => Level::Trace,
            "DEBUG" => Level::Debug,
            "INFO" => Level::Info,
            "WARN" => Level::Warn,
            "ERROR" => Level::Error,
            other => Level::Other(other.to_owned()),
        }
    }

    pub fn word(&self) -> &str {
        match self {
            Level::Trace => "TRACE",
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warn => "WARN",
            Level::Error => "ERROR",
            Level::Other(word) => word,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryType {
    SystemEvent,
    RoutingDecision,
    Inference,
    StateTransition,
    ActionPlan,
    ReasoningNarrative,
    Error,
    Other(String),
}

impl EntryType {
    const KNOWN: [(&'static str, EntryType); 7] = [
        ("SystemEvent", EntryType::SystemEvent),
        ("RoutingDecision", EntryType::RoutingDecision),
        ("Inference", EntryType::Inference),
        ("StateTransition", EntryType::StateTransition),
        ("ActionPlan", EntryType::ActionPlan),
        ("ReasoningNarrative", EntryType::ReasoningNarrative),
        ("Error", EntryType::Error),
    ];

    pub fn of(word: &str) -> Self {
        Self::KNOWN
            .into_iter()
            .find(|(known, _)| *known == word)
            .map_or_else(|| EntryType::Other(word.to_owned()), |(_, kind)| kind)
    }

    pub fn word(&self) -> &str {
        if let EntryType::Other(word) = self {
            return word;
        }
        Self::KNOWN
            .iter()
            .find(|(_, kind)| kind == self)
            .map_or("", |(word, _)| word)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    pub originator: Option<String>,
    pub level: Option<Level>,
    pub seq: u64,
    pub message: String,
    pub kind: Option<EntryType>,
    pub attributes: Attributes,
    /// What `<message>` and `<log_entry_type>` say besides.
    pub message_attributes: Attributes,
    pub kind_attributes: Attributes,
    pub unknown: Vec<String>,
}

impl Log {
    pub fn new(
        originator: impl Into<String>,
        level: Level,
        seq: u64,
        kind: EntryType,
        message: impl Into<String>,
    ) -> Self {
        Log {
            originator: Some(originator.into()),
            level: Some(level),
            seq,
            message: message.into(),
            kind: Some(kind),
            attributes: Vec::new(),
            message_attributes: Vec::new(),
            kind_attributes: Vec::new(),
            unknown: Vec::new(),
        }
    }
}

impl Document {
    pub fn canvases(&self) -> impl Iterator<Item = &Canvas> {
        self.parts.iter().filter_map(|part| match part {
            Part::Canvas(canvas) => Some(canvas),
            Part::Prose(_) => None,
        })
    }
}

impl Canvas {
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Cell(cell) => Some(&**cell),
            Entry::ArenaLog(_) | Entry::Other(_) => None,
        })
    }

    pub fn arena_logs(&self) -> impl Iterator<Item = &Log> {
        self.entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::ArenaLog(log) => Some(&log.logs),
                Entry::Cell(_) | Entry::Other(_) => None,
            })
            .flatten()
    }
}
