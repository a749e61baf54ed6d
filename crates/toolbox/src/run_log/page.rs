//! Reading a log: the last lines, the first ones, or all, by level and text. Memory is bounded by
//! what is given, not by the file. Reading blocks: call it where that is allowed, after a flush.

use super::lines::{self, Backward};
use super::record::{Level, head};
use crate::plain_file;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader};
use std::path::Path;

/// Lines and bytes of the largest page.
const MAX_LINES: usize = 10_000;
const MAX_PAGE_BYTES: usize = 1024 * 1024;
/// Bytes of one record that are looked at.
const MAX_RECORD_BYTES: usize = 512 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The last so many lines.
    Tail(usize),
    /// The first so many lines.
    Head(usize),
    /// As much as a page takes, the newest.
    All,
}

/// Which lines. Level and search decide about whole records, continuation lines included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub pick: Pick,
    /// The lowest level shown.
    pub level: Level,
    /// Shown where it appears, whatever the case of its letters.
    pub search: Option<String>,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            pick: Pick::Tail(50),
            level: Level::Debug,
            search: None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// In the order of the file.
    pub lines: Vec<String>,
    /// The file has more that fits the query.
    pub more: bool,
}

/// A missing file is an empty log.
pub fn read(path: &Path, query: &Query) -> io::Result<Page> {
    let file = match plain_file::open(path, OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Page::default()),
        Err(error) => return Err(error),
    };
    let filter = Filter {
        level: query.level,
        search: query.search.as_deref().unwrap_or_default().to_lowercase(),
    };
    match query.pick {
        Pick::Tail(lines) => from_end(file, &filter, lines.min(MAX_LINES)),
        Pick::All => from_end(file, &filter, MAX_LINES),
        Pick::Head(lines) => from_start(file, &filter, lines.min(MAX_LINES)),
    }
}

struct Filter {
    level: Level,
    search: String,
}

impl Filter {
    /// Lines before the first record belong to none and have no level.
    fn takes<'l>(&self, mut record: impl Iterator<Item = &'l String>, level: Option<Level>) -> bool {
        let level_fits = level.map_or(self.level == Level::Debug, |level| level >= self.level);
        level_fits
            && (self.search.is_empty() || record.any(|line| line.to_lowercase().contains(&self.search)))
    }
}

/// A page being filled; knows when it is full.
struct Filling {
    page: Page,
    lines: usize,
    bytes: usize,
}

impl Filling {
    fn new(lines: usize) -> Self {
        Filling {
            page: Page::default(),
            lines,
            bytes: 0,
        }
    }

    /// False when there is no room for the line.
    fn push(&mut self, line: String) -> bool {
        if self.page.lines.len() >= self.lines || self.bytes + line.len() > MAX_PAGE_BYTES {
            self.page.more = true;
            return false;
        }
        self.bytes += line.len();
        self.page.lines.push(line);
        true
    }
}

fn from_end(file: File, filter: &Filter, lines: usize) -> io::Result<Page> {
    let mut source = Backward::new(file)?;
    let mut filling = Filling::new(lines);
    // The lines of the current record, the last first.
    let mut record = VecDeque::new();
    let mut bytes = 0;
    while let Some(line) = source.next_line()? {
        let level = head(&line).map(|head| head.level);
        bytes += line.len();
        record.push_back(text(&line));
        // Of an endless record the end is dropped: its head is at the other side.
        while bytes > MAX_RECORD_BYTES && record.len() > 1 {
            bytes -= record.pop_front().map_or(0, |line: String| line.len());
        }
        if level.is_some() {
            let lines = std::mem::take(&mut record);
            bytes = 0;
            if filter.takes(lines.iter(), level) && !lines.into_iter().all(|line| filling.push(line)) {
                break;
            }
        }
    }
    if !filling.page.more && filter.takes(record.iter(), None) {
        // Full or not: there is nothing before it.
        let _ = record.into_iter().all(|line| filling.push(line));
    }
    filling.page.lines.reverse();
    Ok(filling.page)
}

fn from_start(file: File, filter: &Filter, lines: usize) -> io::Result<Page> {
    let mut source = BufReader::new(file);
    let mut filling = Filling::new(lines);
    let mut record: Vec<String> = Vec::new();
    let mut bytes = 0;
    let mut level = None;
    let mut give = |record: &mut Vec<String>, level| {
        let lines = std::mem::take(record);
        !filter.takes(lines.iter(), level) || lines.into_iter().all(|line| filling.push(line))
    };
    while let Some(line) = lines::next_line(&mut source)? {
        if let Some(head) = head(&line) {
            if !give(&mut record, level) {
                return Ok(filling.page);
            }
            level = Some(head.level);
            bytes = 0;
        }
        bytes += line.len();
        if bytes <= MAX_RECORD_BYTES {
            record.push(text(&line));
        }
    }
    give(&mut record, level);
    Ok(filling.page)
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches('\r').to_owned()
}
