//! Where the records of one `run.log` begin: four bytes a record, kept up by reading only what was
//! appended. A window of any choice of levels is found without looking at the file.
//!
//! A record begins with a line that starts `[time] [LEVEL]`; other lines continue it. Of a file
//! written by hand, each line before the first such line is a record, unless it is indented.
//!
//! Deliberately not here: what records say ([`super::window`] reads them), and who may be told.

use super::record::{Level, head};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Of larger files only the end is indexed. The writer rotates long before; hands may not.
pub(super) const MAX_INDEXED: u64 = 32 * 1024 * 1024;
/// Enough of a line to see whether it begins a record.
const HEAD_BYTES: usize = 48;
/// Lines without time and level that are records of their own.
const MAX_LOOSE: u32 = 10_000;
/// Records between two counts.
const BLOCK: usize = 256;
const CHUNK: usize = 256 * 1024;
/// Bytes at both ends that must be as they were when a file has grown.
const PROOF: u64 = 256;

const LEVELS: [Level; 4] = [Level::Debug, Level::Info, Level::Warn, Level::Error];

/// A choice of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels(u8);

impl Levels {
    /// None named means all.
    pub fn of(levels: impl IntoIterator<Item = Level>) -> Self {
        match levels.into_iter().fold(0, |bits, level| bits | 1 << level as u8) {
            0 => Levels(0b1111),
            bits => Levels(bits),
        }
    }

    fn has(self, level: u32) -> bool {
        self.0 & 1 << level != 0
    }

    fn sum(self, counts: &[u32; 4]) -> u32 {
        let wanted = counts.iter().zip(0..).filter(|&(_, level)| self.has(level));
        wanted.map(|(count, _)| count).sum()
    }
}

/// Beginnings of records in the order of the file, each with its level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Offset above [`Index::base`], level in the two lowest bits.
    marks: Vec<u32>,
    /// Of each level, the records before every [`BLOCK`]th.
    blocks: Vec<[u32; 4]>,
    totals: [u32; 4],
}

impl Marks {
    fn push(&mut self, offset: u32, level: Level) {
        if self.marks.len().is_multiple_of(BLOCK) {
            self.blocks.push(self.totals);
        }
        self.marks.push(offset << 2 | level as u32);
        self.totals[level as usize] += 1;
    }

    fn pop(&mut self) {
        if let Some(mark) = self.marks.pop() {
            self.totals[(mark & 3) as usize] -= 1;
            if self.marks.len().is_multiple_of(BLOCK) {
                self.blocks.pop();
            }
        }
    }

    pub(super) fn totals(&self) -> [u32; 4] {
        self.totals
    }

    pub(super) fn total(&self, levels: Levels) -> u32 {
        levels.sum(&self.totals)
    }

    pub(super) fn level(&self, number: usize) -> Level {
        LEVELS[(self.marks[number] & 3) as usize]
    }

    /// Numbers of the records of those levels, from the `first` of them on.
    pub(super) fn of(&self, levels: Levels, first: u32) -> impl Iterator<Item = usize> + '_ {
        let block = self
            .blocks
            .partition_point(|before| levels.sum(before) <= first)
            .saturating_sub(1);
        let before = self.blocks.get(block).map_or(0, |before| levels.sum(before));
        let rest = self.marks.iter().enumerate().skip(block * BLOCK);
        rest.filter(move |(_, mark)| levels.has(**mark & 3))
            .map(|(number, _)| number)
            .skip((first - before) as usize)
    }
}

/// One file, as far as it was read.
#[derive(Debug)]
pub(super) struct Index {
    /// Held open: what it says stays readable when the file is replaced, and its number is not
    /// given to another file.
    file: File,
    /// Nothing before is indexed.
    base: u64,
    marks: Marks,
    lines: Lines,
    /// Everything before is indexed.
    end: u64,
    modified: (i64, i64),
    /// The file's bytes at `base` and before `end`.
    proof: [Vec<u8>; 2],
}

/// The line that is being read.
#[derive(Debug, Default)]
struct Lines {
    /// Where it begins, above `base`.
    at: u64,
    /// Its first bytes.
    beginning: Vec<u8>,
    /// It has not ended, and was taken for the beginning of a record for the time being.
    open: Option<Before>,
    before: Before,
}

/// What the lines before were.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    /// There was one with time and level.
    headed: bool,
    /// Records that are lines without.
    loose: u32,
}

impl Index {
    pub(super) fn of(file: File) -> io::Result<Self> {
        Self::within(file, MAX_INDEXED)
    }

    fn within(file: File, limit: u64) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let mut index = Index {
            base: 0,
            end: 0,
            marks: Marks::default(),
            lines: Lines::default(),
            modified: (0, 0),
            proof: Default::default(),
            file,
        };
        if size > limit {
            index.base = next_line(&index.file, size - limit / 2, size)?;
            index.end = index.base;
        }
        index.extend()?;
        Ok(index)
    }

    /// Whether the same file is there.
    pub(super) fn is_of(&self, file: &File) -> io::Result<bool> {
        let (mine, other) = (self.file.metadata()?, file.metadata()?);
        Ok((mine.dev(), mine.ino()) == (other.dev(), other.ino()))
    }

    /// Reads what was appended. False when more than that has changed: the index is of no use then.
    pub(super) fn refresh(&mut self) -> io::Result<bool> {
        let now = self.file.metadata()?;
        let size = now.len();
        if size < self.end || size - self.base > MAX_INDEXED {
            return Ok(false);
        }
        if size == self.end {
            // A writer is seen between the file's time and its size, too: only the contents tell.
            let modified = (now.mtime(), now.mtime_nsec());
            if modified != self.modified {
                let anew = Index::of(self.file.try_clone()?)?;
                if anew.end == self.end && anew.marks != self.marks {
                    return Ok(false);
                }
                self.modified = modified;
            }
            return Ok(self.proof()? == self.proof);
        }
        if self.proof()? != self.proof {
            return Ok(false);
        }
        self.extend()?;
        Ok(true)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Bytes of the file, as far as they are known.
    pub(super) fn bytes(&self) -> u64 {
        self.end
    }

    /// What holds for readers while the file grows.
    pub(super) fn places(&self) -> Places {
        Places {
            base: self.base,
            end: self.end,
        }
    }

    fn proof(&self) -> io::Result<[Vec<u8>; 2]> {
        let length = PROOF.min(self.end - self.base);
        Ok([
            read_at(&self.file, self.base, length)?,
            read_at(&self.file, self.end - length, length)?,
        ])
    }

    fn extend(&mut self) -> io::Result<()> {
        let meta = self.file.metadata()?;
        self.modified = (meta.mtime(), meta.mtime_nsec());
        if let Some(before) = self.lines.open.take() {
            self.marks.pop();
            self.lines.before = before;
        }
        let mut chunk = vec![0; CHUNK];
        while self.end - self.base < MAX_INDEXED {
            let read = match self.file.read_at(&mut chunk, self.end) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.lines
                .feed(&chunk[..read], self.end - self.base, &mut self.marks);
            self.end += read as u64;
        }
        // A last line without its end is shown like the others.
        if !self.lines.beginning.is_empty() {
            let before = self.lines.before;
            if self.lines.settle(&mut self.marks) {
                self.lines.open = Some(before);
            }
        }
        self.proof = self.proof()?;
        Ok(())
    }
}

impl Lines {
    /// `at` is where the chunk begins, above the index's base.
    fn feed(&mut self, mut chunk: &[u8], mut at: u64, marks: &mut Marks) {
        while !chunk.is_empty() {
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let room = HEAD_BYTES - self.beginning.len();
            self.beginning.extend_from_slice(&part[..part.len().min(room)]);
            let Some(end) = end else { return };
            self.settle(marks);
            self.beginning.clear();
            at += end as u64 + 1;
            self.at = at;
            chunk = &chunk[end + 1..];
        }
    }

    /// Notes the line if it begins a record; says whether it does.
    fn settle(&mut self, marks: &mut Marks) -> bool {
        let level = match head(&self.beginning) {
            Some(head) => {
                self.before.headed = true;
                head.level
            }
            None if self.is_loose(marks.marks.is_empty()) => {
                self.before.loose += 1;
                Level::Info
            }
            None => return false,
        };
        // Fits: `MAX_INDEXED` is below 2^30.
        marks.push(u32::try_from(self.at).unwrap_or(u32::MAX >> 2), level);
        true
    }

    fn is_loose(&self, first: bool) -> bool {
        let blank = matches!(self.beginning.as_slice(), b"" | b"\r");
        let indented = self.beginning.first().is_some_and(u8::is_ascii_whitespace);
        !self.before.headed && !blank && (first || !indented) && self.before.loose < MAX_LOOSE
    }
}

/// Where records lie in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    base: u64,
    end: u64,
}

impl Places {
    /// Where a record begins and ends.
    pub(super) fn of(self, marks: &Marks, number: usize) -> (u64, u64) {
        let start = |mark: u32| self.base + u64::from(mark >> 2);
        let end = marks.marks.get(number + 1).map_or(self.end, |mark| start(*mark));
        (start(marks.marks[number]), end)
    }
}

/// Fewer bytes where the file has no more.
pub(super) fn read_at(file: &File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(CHUNK)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Where the first line after `at` begins; `at` itself when it is far away.
fn next_line(file: &File, at: u64, size: u64) -> io::Result<u64> {
    let bytes = read_at(file, at, (CHUNK as u64).min(size - at))?;
    let end = bytes.iter().position(|byte| *byte == b'\n');
    Ok(at + end.map_or(0, |end| end as u64 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn of_a_huge_file_the_end_is_indexed() {
        let mut file = tempfile::tempfile().unwrap();
        for n in 0..1000 {
            writeln!(file, "[2025-11-18T02:00:08.104Z] [WARN] {n:04}").unwrap();
        }
        let size = file.metadata().unwrap().len();
        let index = Index::within(file.try_clone().unwrap(), size / 10).unwrap();
        let numbers = index.marks().of(Levels::of([]), 0).count();
        assert!((45..=50).contains(&numbers), "{numbers}");
        let (start, end) = index.places().of(index.marks(), numbers - 1);
        assert_eq!(
            read_at(&file, start, end - start).unwrap(),
            b"[2025-11-18T02:00:08.104Z] [WARN] 0999\n"
        );
        let (start, _) = index.places().of(index.marks(), 0);
        assert!(read_at(&file, start, 30).unwrap().starts_with(b"[2025"));
    }

    #[test]
    fn blocks_agree_with_counting() {
        let mut marks = Marks::default();
        for n in 0..2000u32 {
            marks.push(n * 3, LEVELS[(n * n % 7 % 4) as usize]);
        }
        for _ in 0..700 {
            marks.pop();
        }
        for n in 1300..1700u32 {
            marks.push(n * 3, LEVELS[(n % 4) as usize]);
        }
        for bits in 1..16u8 {
            let levels = Levels(bits);
            let all: Vec<usize> = (0..1700).filter(|n| levels.has(marks.level(*n) as u32)).collect();
            assert_eq!(marks.total(levels) as usize, all.len());
            for first in [0, 1, 255, 256, 257, 600, 1023, 1699, 1700, 5000] {
                let found: Vec<usize> = marks.of(levels, first).take(300).collect();
                let first = (first as usize).min(all.len());
                assert_eq!(found, all[first..all.len().min(first + 300)], "{bits} {first}");
            }
        }
    }
}
