//! Windows of records by number, and the search for a text, over the indexes of the tools that
//! were looked at last. Everything here blocks: call it where that is allowed.

use super::index::{Index, Levels, Marks, Places, read_at};
use super::record::{Level, head, plain};
use crate::plain_file;
use base::clock;
use base::name::ToolName;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Indexes that are kept.
const KEPT: usize = 8;
/// Records of the largest window.
pub const MAX_RECORDS: u32 = 500;
/// Bytes of a record that a window shows.
pub const MAX_TEXT: usize = 16 * 1024;
/// Bytes of text in a window; its last record may go beyond.
pub const MAX_WINDOW: usize = 1024 * 1024;
/// Bytes of a record that are searched.
pub const MAX_SEARCHED: usize = 512 * 1024;
/// Records that lie so close together are read at once.
const SPAN: u64 = 2 * 1024 * 1024;
const CHUNK: u64 = 1024 * 1024;
/// More than time and level take.
const HEAD: u64 = 64;

/// Which records. Numbers count those of the wanted levels.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub levels: Levels,
    /// `None`: the last ones.
    pub first: Option<u32>,
    pub count: u32,
}

/// Records of the log as it was at `stamp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    pub stamp: String,
    /// Another one when numbers moved.
    pub generation: String,
    /// Records of the wanted levels.
    pub total: u32,
    /// Records of DEBUG, INFO, WARN, ERROR.
    pub counts: [u32; 4],
    pub bytes: u64,
    pub first: u32,
    pub records: Vec<Seen>,
}

/// One record as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// 0 where the file has no readable time.
    pub at_ms: i64,
    pub level: Level,
    /// As it was given: continuation lines without their indentation.
    pub text: String,
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

/// What to look for, whatever the case of its letters.
#[derive(Clone, Debug)]
pub struct Search {
    pub levels: Levels,
    pub text: String,
    pub from: u32,
    pub direction: Direction,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub index: Option<u32>,
    /// Records that hold the text.
    pub matches: u32,
    /// Which of them `index` is, from 1.
    pub ordinal: u32,
    pub generation: String,
}

/// Indexes of the tools that were looked at last.
#[derive(Debug)]
pub(super) struct Indexes {
    /// The last looked at first.
    slots: Mutex<Vec<(ToolName, Arc<Mutex<Slot>>)>>,
    /// Generations of another run of the program are others.
    epoch: i64,
    generations: AtomicU64,
}

#[derive(Debug, Default)]
struct Slot {
    /// `None` while there is no file.
    index: Option<Index>,
    generation: u64,
}

impl Indexes {
    pub(super) fn new() -> Self {
        Indexes {
            slots: Mutex::default(),
            epoch: clock::now_ms(),
            generations: AtomicU64::new(0),
        }
    }

    /// The window, or `None` when the log is still like `unlike`. A missing file is an empty log.
    pub(super) fn window(
        &self,
        tool: &ToolName,
        path: &Path,
        wanted: Wanted,
        unlike: Option<&str>,
    ) -> io::Result<Option<Window>> {
        let slot = self.slot(tool);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        self.look(&mut slot, path)?;
        let generation = self.generation(&slot);
        let bytes = slot.index.as_ref().map_or(0, Index::bytes);
        let stamp = format!("{generation}:{bytes}");
        if unlike == Some(stamp.as_str()) {
            return Ok(None);
        }
        let mut window = Window {
            stamp,
            generation,
            total: 0,
            counts: [0; 4],
            bytes,
            first: 0,
            records: Vec::new(),
        };
        if let Some(index) = &slot.index {
            window.total = index.marks().total(wanted.levels);
            window.counts = index.marks().totals();
            fill(&mut window, index, wanted)?;
        }
        Ok(Some(window))
    }

    pub(super) fn find(&self, tool: &ToolName, path: &Path, search: &Search) -> io::Result<Found> {
        let slot = self.slot(tool);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        self.look(&mut slot, path)?;
        let generation = self.generation(&slot);
        let Some(index) = &slot.index else {
            return Ok(Found {
                generation,
                ..Found::default()
            });
        };
        let (file, marks, places) = (index.file().try_clone()?, index.marks().clone(), index.places());
        // Windows need not wait for the search.
        drop(slot);
        let found = found(&file, &marks, places, search)?;
        Ok(Found { generation, ..found })
    }

    fn slot(&self, tool: &ToolName) -> Arc<Mutex<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let known = slots.iter().position(|(name, _)| name == tool);
        let slot = match known {
            Some(at) => slots.remove(at).1,
            None => Arc::default(),
        };
        slots.insert(0, (tool.clone(), Arc::clone(&slot)));
        slots.truncate(KEPT);
        slot
    }

    fn generation(&self, slot: &Slot) -> String {
        match slot.index {
            Some(_) => format!("{:x}.{}", self.epoch, slot.generation),
            None => "none".to_owned(),
        }
    }

    /// Brings the index up to what lies there now.
    fn look(&self, slot: &mut Slot, path: &Path) -> io::Result<()> {
        let file = match plain_file::open(path, OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                slot.index = None;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if let Some(index) = &mut slot.index
            && index.is_of(&file)?
            && index.refresh()?
        {
            return Ok(());
        }
        slot.index = Some(Index::of(file)?);
        slot.generation = self.generations.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn fill(window: &mut Window, index: &Index, wanted: Wanted) -> io::Result<()> {
    let count = wanted.count.min(MAX_RECORDS);
    let last = window.total.saturating_sub(count);
    window.first = wanted.first.unwrap_or(last).min(window.total);
    let (marks, places) = (index.marks(), index.places());
    let mut numbers: Vec<usize> = marks
        .of(wanted.levels, window.first)
        .take(count as usize)
        .collect();
    let (Some(&one), Some(&other)) = (numbers.first(), numbers.last()) else {
        return Ok(());
    };
    let (start, end) = (places.of(marks, one).0, places.of(marks, other).1);
    let together = match end - start <= SPAN {
        true => read_at(index.file(), start, end - start)?,
        false => Vec::new(),
    };
    // Of the last records the newest matter.
    if wanted.first.is_none() {
        numbers.reverse();
    }
    let mut bytes = 0;
    for &number in &numbers {
        let (from, to) = places.of(marks, number);
        let whole = to - from;
        let length = whole.min(MAX_TEXT as u64 + HEAD);
        let alone;
        let raw = match together.is_empty() {
            true => {
                alone = read_at(index.file(), from, length)?;
                alone.as_slice()
            }
            false => within(&together, from - start, length),
        };
        let seen = seen(raw, marks.level(number), raw.len() as u64 == whole);
        bytes += seen.text.len();
        window.records.push(seen);
        if bytes >= MAX_WINDOW {
            break;
        }
    }
    if wanted.first.is_none() {
        window.records.reverse();
        let kept = u32::try_from(window.records.len()).unwrap_or(u32::MAX);
        window.first = window.total - kept;
    }
    Ok(())
}

/// What is there of that part: a file may have lost its end meanwhile.
fn within(bytes: &[u8], at: u64, length: u64) -> &[u8] {
    let start = usize::try_from(at).map_or(bytes.len(), |at| at.min(bytes.len()));
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    &bytes[start..start.saturating_add(length).min(bytes.len())]
}

fn seen(raw: &[u8], level: Level, whole: bool) -> Seen {
    let at_ms = head(raw)
        .and_then(|head| clock::parse_iso(std::str::from_utf8(head.at).ok()?))
        .unwrap_or_default();
    let (text, cut) = plain(raw, MAX_TEXT);
    Seen {
        at_ms,
        level,
        text,
        truncated: cut || !whole,
    }
}

/// One walk over all wanted records: how many hold the text, and which is the next.
fn found(file: &File, marks: &Marks, places: Places, search: &Search) -> io::Result<Found> {
    let text = lowered(&search.text);
    let mut found = Found::default();
    if text.is_empty() {
        return Ok(found);
    }
    // Where the search goes on when it has come to the end.
    let mut round = None;
    let (mut chunk, mut chunk_at) = (Vec::new(), 0);
    for (number, index) in marks.of(search.levels, 0).zip(0..) {
        let (from, to) = places.of(marks, number);
        let length = (to - from).min(MAX_SEARCHED as u64 + HEAD);
        if from < chunk_at || from + length > chunk_at + chunk.len() as u64 {
            chunk_at = from;
            chunk = read_at(file, from, CHUNK)?;
        }
        let raw = within(&chunk, from - chunk_at, length);
        if !lowered(&plain(raw, MAX_SEARCHED).0).contains(&text) {
            continue;
        }
        found.matches += 1;
        let this = (index, found.matches);
        match search.direction {
            Direction::Forward => {
                round = round.or(Some(this));
                if found.index.is_none() && index >= search.from {
                    (found.index, found.ordinal) = (Some(index), found.matches);
                }
            }
            Direction::Backward => {
                round = Some(this);
                if index <= search.from {
                    (found.index, found.ordinal) = (Some(index), found.matches);
                }
            }
        }
    }
    if let (None, Some((index, ordinal))) = (found.index, round) {
        (found.index, found.ordinal) = (Some(index), ordinal);
    }
    Ok(found)
}

/// Letter by letter, so that a part of a text is a part of it lowered as well.
fn lowered(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.chars().flat_map(char::to_lowercase).collect(),
    }
}
