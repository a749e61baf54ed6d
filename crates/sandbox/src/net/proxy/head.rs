//! Heads of requests and answers, read strictly: what two readers could understand differently is
//! refused, and what goes on is written anew.

use super::super::Host;
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

const HEADERS: usize = 128;

/// Headers that are for the next reader alone, beside those that `Connection` names.
const HOP_BY_HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
    // Written anew.
    "host",
    "content-length",
];

#[derive(Debug)]
pub(super) enum HeadError {
    Io(io::Error),
    TooLarge,
    /// What is wrong with it.
    Shape(&'static str),
}

impl From<io::Error> for HeadError {
    fn from(error: io::Error) -> Self {
        HeadError::Io(error)
    }
}

/// How long a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Nothing,
    Length(u64),
    Chunked,
    /// Answers only.
    UntilClose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Http10,
    Http11,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    Connect,
    /// Path and query.
    Path(String),
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: Target,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) version: Version,
    pub(super) framing: Framing,
    /// Whether the client wants to go on afterwards.
    pub(super) keep_alive: bool,
    headers: Headers,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) code: u16,
    reason: String,
    pub(super) framing: Framing,
    /// Of an answer without a body: what the body would have.
    length: Option<u64>,
    headers: Headers,
}

type Headers = Vec<(String, Vec<u8>)>;

/// Everything to the empty line; `None` at a clean end. Takes no byte more.
pub(super) async fn read(
    from: &mut (impl AsyncBufRead + Unpin),
    limit: usize,
) -> Result<Option<Vec<u8>>, HeadError> {
    let mut head = Vec::new();
    loop {
        let bytes = from.fill_buf().await?;
        if bytes.is_empty() {
            return match head.is_empty() {
                true => Ok(None),
                false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            };
        }
        let (before, taken) = (head.len(), bytes.len());
        head.extend_from_slice(bytes);
        let from_here = before.saturating_sub(3);
        let end = head[from_here..]
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .map(|at| from_here + at + 4);
        from.consume(end.map_or(taken, |end| end - before));
        head.truncate(end.unwrap_or(head.len()));
        if head.len() > limit {
            return Err(HeadError::TooLarge);
        }
        // A line that ends without CR is waited for by some readers and not by others.
        let bare = |(at, byte): (usize, &u8)| *byte == b'\n' && (at == 0 || head[at - 1] != b'\r');
        if head.iter().enumerate().skip(before).any(bare) {
            return Err(HeadError::Shape("a line ends without CR"));
        }
        if end.is_some() {
            return Ok(Some(head));
        }
    }
}

/// Lines that are lines to every reader.
fn check_lines(head: &[u8]) -> Result<(), HeadError> {
    let alone = |at: usize| match head[at] {
        b'\r' => head.get(at + 1) != Some(&b'\n'),
        b'\n' => at == 0 || head[at - 1] != b'\r',
        byte => byte == 0,
    };
    if (0..head.len()).any(alone) {
        return Err(HeadError::Shape("a control character"));
    }
    if head.starts_with(b"\r\n") {
        return Err(HeadError::Shape("an empty line first"));
    }
    let folded = |three: &[u8]| three[0] == b'\n' && matches!(three[1], b' ' | b'\t');
    if head.windows(2).any(folded) {
        return Err(HeadError::Shape("a folded header"));
    }
    Ok(())
}

impl Request {
    pub(super) fn parse(head: &[u8]) -> Result<Request, HeadError> {
        check_lines(head)?;
        let mut space = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Request::new(&mut space);
        let whole = parsed
            .parse(head)
            .map_err(|_| HeadError::Shape("no HTTP request"))?;
        if whole != httparse::Status::Complete(head.len()) {
            return Err(HeadError::Shape("no HTTP request"));
        }
        let method = parsed.method.unwrap_or_default().to_owned();
        let target = parsed.path.unwrap_or_default();
        if !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(HeadError::Shape("a target that is no URL"));
        }
        let version = match parsed.version {
            Some(0) => Version::Http10,
            _ => Version::Http11,
        };
        let headers = kept(parsed.headers);
        match (version, values(&headers, "host").count()) {
            (_, 1) | (Version::Http10, 0) => {}
            _ => return Err(HeadError::Shape("not exactly one Host")),
        }
        let framing = request_framing(&headers, version)?;
        let (target, host, port) = read_target(&method, target)?;
        if target == Target::Connect && (framing != Framing::Nothing || names(&headers, "content-length")) {
            return Err(HeadError::Shape("CONNECT with a body"));
        }
        let closes = |name| tokens(&headers, name).any(|token| token == "close");
        Ok(Request {
            keep_alive: version == Version::Http11 && !closes("connection") && !closes("proxy-connection"),
            method,
            target,
            host,
            port,
            version,
            framing,
            headers,
        })
    }

    /// As it goes on: to the server itself, for this one request.
    pub(super) fn onward(&self, path: &str) -> Vec<u8> {
        let host = match Host::parse(&self.host) {
            Ok(Host::Ip(ip)) if ip.is_ipv6() => format!("[{ip}]"),
            Ok(host) => host.to_string(),
            Err(_) => self.host.clone(),
        };
        let mut head = format!("{} {path} HTTP/1.1\r\nHost: {host}", self.method).into_bytes();
        if self.port != 80 {
            head.extend(format!(":{}", self.port).into_bytes());
        }
        head.extend(b"\r\n");
        write_headers(&mut head, &self.headers);
        match self.framing {
            Framing::Length(length) => head.extend(format!("Content-Length: {length}\r\n").into_bytes()),
            Framing::Chunked => head.extend(b"Transfer-Encoding: chunked\r\n"),
            Framing::Nothing | Framing::UntilClose => {}
        }
        head.extend(b"Connection: close\r\n\r\n");
        head
    }
}

/// Where to, as path or tunnel.
fn read_target(method: &str, target: &str) -> Result<(Target, String, u16), HeadError> {
    let authority = |text: &str, default| {
        // Names with a password before them are read differently by different readers.
        if text.contains('@') {
            return Err(HeadError::Shape("a password in the target"));
        }
        let (host, port) = super::super::host::split_port(text).ok_or(HeadError::Shape("no port"))?;
        let port = port.or(default).ok_or(HeadError::Shape("no port"))?;
        match host {
            "" => Err(HeadError::Shape("no host")),
            host => Ok((host.to_owned(), port)),
        }
    };
    if method == "CONNECT" {
        let (host, port) = authority(target, None)?;
        return Ok((Target::Connect, host, port));
    }
    const SCHEME: &str = "http://";
    let rest = match target.split_at_checked(SCHEME.len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(SCHEME) => rest,
        _ => return Err(HeadError::Shape("a proxy takes http:// URLs and CONNECT")),
    };
    if rest.contains('#') || rest.contains('\\') {
        return Err(HeadError::Shape("a target that is no URL"));
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, port) = authority(&rest[..end], Some(80))?;
    let path = match &rest[end..] {
        "" if method == "OPTIONS" => "*".to_owned(),
        "" => "/".to_owned(),
        query if query.starts_with('?') => format!("/{query}"),
        path => path.to_owned(),
    };
    Ok((Target::Path(path), host, port))
}

fn request_framing(headers: &Headers, version: Version) -> Result<Framing, HeadError> {
    let coded = names(headers, "transfer-encoding");
    let mut lengths = values(headers, "content-length");
    match (coded, lengths.next(), lengths.next()) {
        (false, None, _) => Ok(Framing::Nothing),
        (false, Some(length), None) => number(length).map(Framing::Length),
        (true, None, _) if version == Version::Http11 => chunked(headers),
        _ => Err(HeadError::Shape("a body of two lengths")),
    }
}

fn chunked(headers: &Headers) -> Result<Framing, HeadError> {
    let mut codings = values(headers, "transfer-encoding");
    match (codings.next(), codings.next()) {
        (Some(coding), None) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunked),
        _ => Err(HeadError::Shape("a transfer coding other than chunked")),
    }
}

/// Digits and nothing else.
fn number(value: &[u8]) -> Result<u64, HeadError> {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let digits = (1..=18).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = digits.then(|| text.parse().ok()).flatten();
    parsed.ok_or(HeadError::Shape("a length that is no number"))
}

impl Answer {
    /// `method` is the request's: an answer to HEAD has no body.
    pub(super) fn parse(head: &[u8], method: &str) -> Result<Answer, HeadError> {
        check_lines(head)?;
        let mut space = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Response::new(&mut space);
        let whole = parsed
            .parse(head)
            .map_err(|_| HeadError::Shape("no HTTP answer"))?;
        if whole != httparse::Status::Complete(head.len()) {
            return Err(HeadError::Shape("no HTTP answer"));
        }
        let code = parsed.code.unwrap_or_default();
        let headers = kept(parsed.headers);
        let mut lengths = values(&headers, "content-length").map(number);
        let length = lengths.next().transpose()?;
        for other in lengths {
            if Some(other?) != length {
                return Err(HeadError::Shape("a body of two lengths"));
            }
        }
        let framing = match (names(&headers, "transfer-encoding"), length) {
            _ if method == "HEAD" || matches!(code, 100..=199 | 204 | 304) => Framing::Nothing,
            (true, None) => chunked(&headers)?,
            (true, Some(_)) => return Err(HeadError::Shape("a body of two lengths")),
            (false, Some(length)) => Framing::Length(length),
            (false, None) => Framing::UntilClose,
        };
        Ok(Answer {
            code,
            reason: parsed.reason.unwrap_or_default().to_owned(),
            framing,
            length,
            headers,
        })
    }

    /// As the client gets it.
    pub(super) fn onward(&self, framing: Framing, keep_alive: bool) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.code, self.reason).into_bytes();
        write_headers(&mut head, &self.headers);
        match (framing, self.length) {
            (Framing::Chunked, _) => head.extend(b"Transfer-Encoding: chunked\r\n"),
            (Framing::Length(length), _) => head.extend(format!("Content-Length: {length}\r\n").into_bytes()),
            (Framing::Nothing, Some(length)) if self.code >= 200 && self.code != 204 => {
                head.extend(format!("Content-Length: {length}\r\n").into_bytes());
            }
            _ => {}
        }
        if !keep_alive && self.code >= 200 {
            head.extend(b"Connection: close\r\n");
        }
        head.extend(b"\r\n");
        head
    }
}

fn kept(headers: &[httparse::Header]) -> Headers {
    headers
        .iter()
        .map(|header| (header.name.to_owned(), header.value.trim_ascii().to_vec()))
        .collect()
}

fn values<'a>(headers: &'a Headers, name: &str) -> impl Iterator<Item = &'a [u8]> {
    headers
        .iter()
        .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_slice())
}

fn names(headers: &Headers, name: &str) -> bool {
    values(headers, name).next().is_some()
}

/// Words of a list, in lower case.
fn tokens(headers: &Headers, name: &str) -> impl Iterator<Item = String> {
    values(headers, name).flat_map(|value| {
        let text = String::from_utf8_lossy(value).to_ascii_lowercase();
        let words: Vec<String> = text.split(',').map(|word| word.trim().to_owned()).collect();
        words
    })
}

fn write_headers(head: &mut Vec<u8>, headers: &Headers) {
    let named: Vec<String> = tokens(headers, "connection").collect();
    for (name, value) in headers {
        let plain = name.to_ascii_lowercase();
        if HOP_BY_HOP.contains(&plain.as_str()) || named.contains(&plain) {
            continue;
        }
        head.extend(name.as_bytes());
        head.extend(b": ");
        head.extend(value);
        head.extend(b"\r\n");
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
