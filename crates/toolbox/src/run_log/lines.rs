//! Lines of a file from its end and from its start, with bounded memory whatever the file holds.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

const BLOCK: usize = 64 * 1024;
/// Longer lines are cut.
pub(super) const MAX_LINE: usize = 256 * 1024;

/// Gives a file's lines from the last to the first, without their ends.
pub(super) struct Backward<R> {
    source: R,
    /// Everything before this offset is unread.
    unread: u64,
    /// What was read and not given yet; ends where a line ends.
    buffer: Vec<u8>,
    done: bool,
}

impl<R: Read + Seek> Backward<R> {
    pub(super) fn new(mut source: R) -> io::Result<Self> {
        let unread = source.seek(SeekFrom::End(0))?;
        let mut lines = Backward {
            source,
            unread,
            buffer: Vec::new(),
            done: unread == 0,
        };
        lines.read_block()?;
        if lines.buffer.last() == Some(&b'\n') {
            lines.buffer.pop();
        }
        Ok(lines)
    }

    pub(super) fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.done {
            return Ok(None);
        }
        loop {
            if let Some(at) = self.buffer.iter().rposition(|byte| *byte == b'\n') {
                let line = self.buffer.split_off(at + 1);
                self.buffer.truncate(at);
                return Ok(Some(line));
            }
            if self.unread == 0 {
                self.done = true;
                return Ok(Some(std::mem::take(&mut self.buffer)));
            }
            // The head of a line is what says whether it matters.
            self.buffer.truncate(MAX_LINE);
            self.read_block()?;
        }
    }

    /// Puts the block before what is in the buffer.
    fn read_block(&mut self) -> io::Result<()> {
        let size = self.unread.min(BLOCK as u64);
        self.unread -= size;
        self.source.seek(SeekFrom::Start(self.unread))?;
        let mut block = Vec::new();
        self.source.by_ref().take(size).read_to_end(&mut block)?;
        block.append(&mut self.buffer);
        self.buffer = block;
        Ok(())
    }
}

/// The next line of `source` without its end, cut at [`MAX_LINE`]; `None` at the end.
pub(super) fn next_line(source: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut any = false;
    loop {
        let available = source.fill_buf()?;
        if available.is_empty() {
            return Ok(any.then_some(line));
        }
        any = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        let room = MAX_LINE.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}
