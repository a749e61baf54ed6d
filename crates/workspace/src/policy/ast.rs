//! A command as the policy needs it: who runs after whom, with which words and redirections.
//! Words are places in the text; `word` gives them values. No conditions, no arithmetic: every
//! branch counts as taken.

use std::ops::Range;
use std::rc::Rc;

/// Text that is read as a command, and where it stands in what was asked about.
#[derive(Debug)]
pub struct Source {
    pub text: String,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub enum Place {
    /// Verbatim, from this byte on.
    At(usize),
    /// Made from what stands there (decoded, unquoted, put together).
    Within(Range<usize>),
}

impl Source {
    pub fn span(&self, range: &Range<usize>) -> Range<usize> {
        match &self.place {
            Place::At(base) => base + range.start..base + range.end,
            Place::Within(span) => span.clone(),
        }
    }

    pub fn part(&self, range: &Range<usize>) -> Place {
        match &self.place {
            Place::At(base) => Place::At(base + range.start),
            Place::Within(span) => Place::Within(span.clone()),
        }
    }
}

pub type Word = Range<usize>;

#[derive(Debug)]
pub enum Node {
    Simple(Simple),
    Pipe(Vec<Node>),
    /// One after the other.
    List(Vec<Node>),
    /// One after the other, each perhaps not at all.
    Branch(Vec<Node>),
    Background(Box<Node>),
    Group {
        body: Vec<Node>,
        redirects: Vec<Redirect>,
        subshell: bool,
    },
    Loop(Loop),
    Function {
        name: Word,
        body: Rc<Node>,
    },
    /// Words that matter only for the substitutions in them.
    Words(Vec<Word>),
}

#[derive(Debug, Default)]
pub struct Simple {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    pub span: Range<usize>,
}

#[derive(Debug)]
pub struct Assignment {
    pub name: Word,
    /// Of an array's element: `a[…]=x`.
    pub index: Option<Word>,
    pub append: bool,
    /// One word, or the elements of an array.
    pub values: Vec<Word>,
    pub array: bool,
}

#[derive(Debug)]
pub struct Loop {
    /// `for NAME in WORDS`.
    pub variable: Option<(Word, Vec<Word>)>,
    pub condition: Vec<Node>,
    pub body: Vec<Node>,
    /// `while true`, `until false`, `for ((;;))`.
    pub endless: bool,
    /// Something in it is put into the background and nothing waits.
    pub spawns: bool,
    pub redirects: Vec<Redirect>,
    pub span: Range<usize>,
}

#[derive(Debug)]
pub struct Redirect {
    pub kind: RedirectKind,
    /// The file, the here-string, or the body of the here-document.
    pub word: Word,
    pub span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    Write,
    Read,
    Duplicate,
    HereString,
    HereDocument { literal: bool, tabs: bool },
}
