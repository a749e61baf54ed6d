//! The state between two parts of a message.

use super::framing::{Framing, chunk_size, failure, framing};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Request,
    Response,
}

#[derive(Debug)]
pub(super) enum Found {
    Head(Box<Head>),
    /// Of the bytes that were given.
    Body(Range<usize>),
    Complete(Vec<(String, String)>),
    Upgrade,
    Failed(Failure),
}

#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) minor: u8,
    pub(super) method: Option<String>,
    pub(super) url: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) reason: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) keep_alive: bool,
    pub(super) upgrade: bool,
}

/// Named as Node names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: &'static str,
    pub(super) reason: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    Body(u64),
    ChunkSize,
    Chunk(u64),
    /// The end of the line behind a chunk; whether its first half has come.
    ChunkEnd(bool),
    Trailers,
    UntilClose,
    /// What follows is not HTTP, or nothing more is read.
    Over,
}

/// Lines of a head.
const HEADERS: usize = 2000;
/// Bytes of the line of a chunk, its extensions included.
const CHUNK_LINE: usize = 16 * 1024;
const OVERFLOW: Failure = failure("HPE_HEADER_OVERFLOW", "Header overflow");

pub(super) struct Parser {
    kind: Kind,
    limit: usize,
    state: State,
    /// A head, a line of a chunk or trailers that are not whole yet.
    kept: Vec<u8>,
    head: bool,
    connect: bool,
    upgrades: bool,
}

impl Parser {
    pub(super) fn new(kind: Kind, limit: usize) -> Self {
        Parser {
            kind,
            limit,
            state: State::Head,
            kept: Vec::new(),
            head: false,
            connect: false,
            upgrades: false,
        }
    }

    pub(super) fn expect(&mut self, head: bool, connect: bool) {
        (self.head, self.connect) = (head, connect);
    }

    pub(super) fn set_upgrades(&mut self, on: bool) {
        self.upgrades = on;
    }

    /// How many bytes were taken. Stops behind the end of a message.
    pub(super) fn execute(&mut self, bytes: &[u8], found: &mut Vec<Found>) -> usize {
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            let step = match self.state {
                State::Over => return at,
                // Nothing is left of what was given, and no step can be made without bytes.
                State::Body(1..) | State::Chunk(1..) | State::UntilClose if rest.is_empty() => return at,
                State::Body(left) => Ok(self.body(left, at, rest.len(), found)),
                State::Chunk(left) => Ok(self.chunk(left, at, rest.len(), found)),
                State::UntilClose => {
                    found.push(Found::Body(at..bytes.len()));
                    return bytes.len();
                }
                State::Head => self.take_head(rest, found),
                State::ChunkSize => self.take_chunk_size(rest),
                State::ChunkEnd(half) => self.take_chunk_end(half, rest),
                State::Trailers => self.take_trailers(rest, found),
            };
            match step {
                Ok(Some(taken)) => at += taken,
                Ok(None) => return bytes.len(),
                Err(failure) => {
                    self.state = State::Over;
                    found.push(Found::Failed(failure));
                    return at;
                }
            }
            if let Some(Found::Complete(_) | Found::Upgrade) = found.last() {
                return at;
            }
        }
    }

    /// The other side sends nothing more.
    pub(super) fn finish(&mut self, found: &mut Vec<Found>) {
        match self.state {
            State::UntilClose => found.push(Found::Complete(Vec::new())),
            State::Head if self.kept.is_empty() => {}
            State::Over => {}
            _ => found.push(Found::Failed(failure(
                "HPE_INVALID_EOF_STATE",
                "Invalid EOF state",
            ))),
        }
        self.state = State::Over;
    }

    fn body(&mut self, left: u64, at: usize, there: usize, found: &mut Vec<Found>) -> Option<usize> {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(there);
        if taken > 0 {
            found.push(Found::Body(at..at + taken));
        }
        self.state = State::Body(left - taken as u64);
        if self.state == State::Body(0) {
            self.state = State::Head;
            found.push(Found::Complete(Vec::new()));
        }
        Some(taken)
    }

    fn chunk(&mut self, left: u64, at: usize, there: usize, found: &mut Vec<Found>) -> Option<usize> {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(there);
        if taken > 0 {
            found.push(Found::Body(at..at + taken));
        }
        self.state = match left - taken as u64 {
            0 => State::ChunkEnd(false),
            left => State::Chunk(left),
        };
        Some(taken)
    }

    /// Keeps `rest` until `end` is found in what was kept. `Ok(None)`: more must come.
    fn collect(
        &mut self,
        rest: &[u8],
        end: &[u8],
        limit: usize,
        failure: Failure,
    ) -> Result<Option<(Vec<u8>, usize)>, Failure> {
        let before = self.kept.len();
        let room = (limit + end.len()).saturating_sub(before);
        self.kept.extend_from_slice(&rest[..rest.len().min(room)]);
        let from = before.saturating_sub(end.len() - 1);
        match memchr::memmem::find(&self.kept[from..], end) {
            Some(place) => {
                let whole = from + place + end.len();
                self.kept.truncate(whole);
                Ok(Some((std::mem::take(&mut self.kept), whole - before)))
            }
            None if self.kept.len() >= limit => Err(failure),
            None => Ok(None),
        }
    }

    fn take_head(&mut self, rest: &[u8], found: &mut Vec<Found>) -> Result<Option<usize>, Failure> {
        // Lines before a message are nobody's.
        if self.kept.is_empty() {
            let skipped = rest
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
            if skipped > 0 {
                return match skipped == rest.len() {
                    true => Ok(None),
                    false => Ok(Some(skipped)),
                };
            }
        }
        let last = self.kept.last().copied();
        check_lines(last, rest)?;
        let Some((head, taken)) = self.collect(rest, b"\r\n\r\n", self.limit, OVERFLOW)? else {
            return Ok(None);
        };
        let mut head = match self.kind {
            Kind::Request => request(&head)?,
            Kind::Response => response(&head)?,
        };
        self.state = self.after(&mut head)?;
        let upgrade = head.upgrade;
        found.push(Found::Head(Box::new(head)));
        match self.state {
            State::Over if upgrade => found.push(Found::Upgrade),
            State::Body(0) => {
                self.state = State::Head;
                found.push(Found::Complete(Vec::new()));
            }
            _ => {}
        }
        Ok(Some(taken))
    }

    /// What follows a head.
    fn after(&self, head: &mut Head) -> Result<State, Failure> {
        let framing = framing(self.kind, head.minor, &head.headers)?;
        let has = |name: &str, token: &str| {
            let values = head
                .headers
                .iter()
                .filter(|(known, _)| known.eq_ignore_ascii_case(name));
            values.into_iter().any(|(_, value)| {
                value
                    .split(',')
                    .any(|part| token.is_empty() || part.trim().eq_ignore_ascii_case(token))
            })
        };
        head.keep_alive = match head.minor {
            0 => has("connection", "keep-alive"),
            _ => !has("connection", "close"),
        };
        let asks = has("connection", "upgrade") && has("upgrade", "");
        let empty = match (self.kind, head.status) {
            (Kind::Response, Some(status)) => matches!(status, 100..200 | 204 | 304) || self.head,
            _ => false,
        };
        head.upgrade = match self.kind {
            Kind::Request => {
                head.method.as_deref() == Some("CONNECT")
                    || self.upgrades && asks && framing == Framing::Length(0)
            }
            Kind::Response => {
                head.status == Some(101) || self.connect && matches!(head.status, Some(200..300))
            }
        };
        if head.upgrade {
            return Ok(State::Over);
        }
        Ok(match framing {
            _ if empty => State::Body(0),
            Framing::Length(length) => State::Body(length),
            Framing::Chunked => State::ChunkSize,
            Framing::UntilClose => {
                head.keep_alive = false;
                State::UntilClose
            }
        })
    }

    fn take_chunk_size(&mut self, rest: &[u8]) -> Result<Option<usize>, Failure> {
        let overflow = failure("HPE_CHUNK_EXTENSIONS_OVERFLOW", "Chunk extensions overflow");
        check_lines(
            self.kept.last().copied(),
            rest.split_inclusive(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default(),
        )?;
        let Some((line, taken)) = self.collect(rest, b"\r\n", CHUNK_LINE, overflow)? else {
            return Ok(None);
        };
        self.state = match chunk_size(&line[..line.len() - 2])? {
            0 => State::Trailers,
            size => State::Chunk(size),
        };
        Ok(Some(taken))
    }

    fn take_chunk_end(&mut self, half: bool, rest: &[u8]) -> Result<Option<usize>, Failure> {
        let strict = failure("HPE_STRICT", "Expected LF after chunk data");
        match (half, rest) {
            (_, []) => return Ok(None),
            (false, [b'\r', ..]) => self.state = State::ChunkEnd(true),
            (true, [b'\n', ..]) => self.state = State::ChunkSize,
            _ => return Err(strict),
        }
        Ok(Some(1))
    }

    fn take_trailers(&mut self, rest: &[u8], found: &mut Vec<Found>) -> Result<Option<usize>, Failure> {
        let before = self.kept.len();
        check_lines(
            self.kept.last().copied(),
            rest.split_inclusive(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default(),
        )?;
        let start = [self.kept.as_slice(), &rest[..rest.len().min(2)]].concat();
        if start.starts_with(b"\r\n") {
            self.kept.clear();
            self.state = State::Head;
            found.push(Found::Complete(Vec::new()));
            return Ok(Some(2 - before));
        }
        let Some((lines, taken)) = self.collect(rest, b"\r\n\r\n", self.limit, OVERFLOW)? else {
            return Ok(None);
        };
        check_lines(None, &lines)?;
        let mut room = room(&lines)?;
        let parsed = httparse::parse_headers(&lines, &mut room).map_err(error)?;
        let httparse::Status::Complete((_, headers)) = parsed else {
            return Err(failure("HPE_INVALID_HEADER_TOKEN", "Invalid header token"));
        };
        self.state = State::Head;
        found.push(Found::Complete(pairs(headers)));
        Ok(Some(taken))
    }
}

/// A line ends with both of its characters, or readers differ about where.
fn check_lines(before: Option<u8>, bytes: &[u8]) -> Result<(), Failure> {
    let mut last = before;
    for end in memchr::memchr_iter(b'\n', bytes) {
        let previous = match end {
            0 => last,
            _ => Some(bytes[end - 1]),
        };
        if previous != Some(b'\r') {
            return Err(failure(
                "HPE_INVALID_HEADER_TOKEN",
                "Missing expected CR before LF",
            ));
        }
        // What follows a head is not looked at here.
        if bytes[..=end].ends_with(b"\r\n\r\n") {
            return Ok(());
        }
        last = None;
    }
    Ok(())
}

fn room(head: &[u8]) -> Result<Vec<httparse::Header<'_>>, Failure> {
    let lines = memchr::memchr_iter(b'\n', head).count();
    match lines {
        0..=HEADERS => Ok(vec![httparse::EMPTY_HEADER; lines]),
        _ => Err(OVERFLOW),
    }
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

fn pairs(headers: &[httparse::Header<'_>]) -> Vec<(String, String)> {
    let pair = |header: &httparse::Header<'_>| (header.name.to_owned(), latin1(header.value));
    headers.iter().map(pair).collect()
}

fn error(error: httparse::Error) -> Failure {
    use httparse::Error;
    match error {
        Error::HeaderName | Error::NewLine => failure("HPE_INVALID_HEADER_TOKEN", "Invalid header token"),
        Error::HeaderValue => failure("HPE_INVALID_HEADER_TOKEN", "Invalid header value char"),
        Error::Status => failure("HPE_INVALID_STATUS", "Invalid status code"),
        Error::Token => failure("HPE_INVALID_URL", "Invalid characters in url"),
        Error::TooManyHeaders => OVERFLOW,
        Error::Version => failure("HPE_INVALID_VERSION", "Invalid HTTP version"),
    }
}

const CUT: Failure = failure("HPE_INVALID_CONSTANT", "Expected HTTP/");

fn request(head: &[u8]) -> Result<Head, Failure> {
    let mut room = room(head)?;
    let mut request = httparse::Request::new(&mut room);
    if request.parse(head).map_err(error)?.is_partial() {
        return Err(CUT);
    }
    Ok(Head {
        minor: request.version.unwrap_or(1),
        method: request.method.map(str::to_owned),
        url: request.path.map(|path| latin1(path.as_bytes())),
        headers: pairs(request.headers),
        ..Head::default()
    })
}

fn response(head: &[u8]) -> Result<Head, Failure> {
    let mut room = room(head)?;
    let mut response = httparse::Response::new(&mut room);
    if !head.starts_with(b"HTTP/") {
        return Err(CUT);
    }
    if response.parse(head).map_err(error)?.is_partial() {
        return Err(CUT);
    }
    Ok(Head {
        minor: response.version.unwrap_or(1),
        status: response.code,
        reason: response.reason.map(|reason| latin1(reason.as_bytes())),
        headers: pairs(response.headers),
        ..Head::default()
    })
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
