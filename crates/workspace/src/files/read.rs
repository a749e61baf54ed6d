//! Reading a file, whole or a part of it.
//!
//! `offset` and `limit` count **lines** of text: that is what searches and errors of compilers name.
//! `offset` lines are passed over (0 is the beginning), `limit` are given. With base64 both count
//! bytes. What is neither text nor asked for as base64 comes as base64 all the same, and the answer
//! says so; a text in another encoding than UTF-8 is refused with its likely name, and can be read by
//! naming it.

use super::text::{self, Found};
use super::{RelPath, Root, io_error};
use crate::error::WorkspaceError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::Encoding;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

#[derive(Clone, Copy, Debug, Default)]
pub enum ReadAs {
    /// UTF-8, or base64 for what is no text.
    #[default]
    Auto,
    Base64,
    Text(&'static Encoding),
}

impl ReadAs {
    /// `utf-8`, `base64`, or a name of the Encoding Standard such as `gb18030` or `utf-16le`.
    pub fn parse(name: Option<&str>) -> Result<Self, WorkspaceError> {
        match name {
            None => Ok(ReadAs::Auto),
            Some("base64") => Ok(ReadAs::Base64),
            Some(name) => match Encoding::for_label(name.as_bytes()) {
                Some(encoding) if encoding == encoding_rs::UTF_8 => Ok(ReadAs::Auto),
                Some(encoding) => Ok(ReadAs::Text(encoding)),
                None => Err(WorkspaceError::InvalidArgs {
                    call: "read_file",
                    reason: format!("no encoding is called {}", super::shown(name)),
                }),
            },
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ReadRequest {
    /// Lines, or bytes with base64, to pass over.
    pub offset: u64,
    /// Lines, or bytes with base64, to give at most.
    pub limit: Option<u64>,
    pub encoding: ReadAs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadContent {
    pub content: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// `utf-8`, `base64`, or the name of the encoding that it was read by.
    pub encoding: &'static str,
    /// There is more after it.
    pub truncated: bool,
    /// Where to go on; none at the end, and none within a line that is too long.
    pub next_offset: Option<u64>,
}

/// Lines are counted by reading: farther in than this a file is not gone through.
const PASSED_OVER_MOST: u64 = 1024 * 1024 * 1024;

impl Root {
    /// Gives at most `window` bytes.
    pub fn read(
        &self,
        path: &RelPath,
        request: ReadRequest,
        window: u64,
    ) -> Result<ReadContent, WorkspaceError> {
        let (file, size) = self.open_file(path)?;
        let failed = |error| io_error(path, error);
        let mut file = file.into_std();
        let part = match request.encoding {
            ReadAs::Base64 => base64_part(&mut file, request, window).map_err(failed)?,
            ReadAs::Text(encoding) if size <= window => {
                let bytes = take(&mut file, size, window).map_err(failed)?;
                let (text, _, _) = encoding.decode(&bytes);
                let part = utf8_part(text.as_bytes(), request, window).map_err(failed)?;
                Part {
                    encoding: encoding.name(),
                    ..part
                }
            }
            ReadAs::Text(_) => {
                return Err(WorkspaceError::FileTooLarge {
                    path: path.text(),
                    size,
                    limit: window,
                });
            }
            ReadAs::Auto => {
                let part = match size <= window {
                    // Most files: one read, no counting of lines that nobody asked for.
                    true => {
                        let bytes = take(&mut file, size, window).map_err(failed)?;
                        match (request.offset, request.limit) {
                            (0, None) if bytes.len() as u64 <= window => Part::whole(bytes),
                            _ => utf8_part(bytes.as_slice(), request, window).map_err(failed)?,
                        }
                    }
                    false => utf8_part(BufReader::new(&file), request, window).map_err(failed)?,
                };
                match text::judge(&part.bytes, part.cut) {
                    Found::Utf8(length) => part.up_to(length),
                    Found::Binary => base64_part(&mut file, request, window).map_err(failed)?,
                    Found::Other(encoding) => {
                        return Err(WorkspaceError::NotUtf8 {
                            path: path.text(),
                            encoding: encoding.to_owned(),
                        });
                    }
                }
            }
        };
        let content = match part.encoding {
            "base64" => STANDARD.encode(&part.bytes),
            // Judged above, or made by a decoder.
            _ => String::from_utf8(part.bytes).map_err(|error| failed(io::Error::other(error)))?,
        };
        Ok(ReadContent {
            content,
            size,
            encoding: part.encoding,
            truncated: part.more,
            next_offset: part.next,
        })
    }
}

struct Part {
    bytes: Vec<u8>,
    encoding: &'static str,
    more: bool,
    next: Option<u64>,
    /// The end may lie within a character.
    cut: bool,
}

impl Part {
    fn whole(bytes: Vec<u8>) -> Self {
        Part {
            bytes,
            encoding: "utf-8",
            more: false,
            next: None,
            cut: false,
        }
    }

    fn up_to(mut self, length: usize) -> Self {
        self.bytes.truncate(length);
        self
    }
}

/// The length that was found may be wrong by now.
fn take(file: &mut std::fs::File, size: u64, window: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    file.take(window + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn base64_part(file: &mut std::fs::File, request: ReadRequest, window: u64) -> io::Result<Part> {
    file.seek(SeekFrom::Start(request.offset))?;
    let limit = request.limit.unwrap_or(window).min(window);
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let more = bytes.len() as u64 > limit;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(Part {
        next: more.then_some(request.offset + bytes.len() as u64),
        bytes,
        encoding: "base64",
        more,
        cut: false,
    })
}

/// Lines of a stream, whole ones as long as one fits.
fn utf8_part(mut from: impl BufRead, request: ReadRequest, window: u64) -> io::Result<Part> {
    let mut passed = 0;
    for _ in 0..request.offset {
        let length = pass_line(&mut from, PASSED_OVER_MOST - passed)?;
        passed += length;
        if length == 0 {
            return Ok(Part::whole(Vec::new()));
        }
        if passed >= PASSED_OVER_MOST {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "too far in to count lines",
            ));
        }
    }
    let mut bytes = Vec::new();
    let mut lines = 0;
    while request.limit.is_none_or(|limit| lines < limit) {
        let before = bytes.len();
        let room = window - before as u64;
        let length = from.by_ref().take(room + 1).read_until(b'\n', &mut bytes)?;
        if length as u64 > room {
            let within_line = before == 0;
            bytes.truncate(if within_line {
                before + room as usize
            } else {
                before
            });
            return Ok(Part {
                bytes,
                encoding: "utf-8",
                more: true,
                next: (!within_line).then_some(request.offset + lines),
                cut: within_line,
            });
        }
        if length == 0 {
            return Ok(Part::whole(bytes));
        }
        lines += 1;
    }
    let more = !from.fill_buf()?.is_empty();
    Ok(Part {
        bytes,
        encoding: "utf-8",
        more,
        next: more.then_some(request.offset + lines),
        cut: false,
    })
}

/// Passes over one line without keeping it; 0 at the end.
fn pass_line(from: &mut impl BufRead, most: u64) -> io::Result<u64> {
    let mut passed = 0;
    while passed < most {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let length = end.unwrap_or(buffer.len());
        from.consume(length);
        passed += length as u64;
        if end.is_some() {
            break;
        }
    }
    Ok(passed)
}
