//! Where the body of a message ends. What two readers could understand differently is refused: a
//! request that one of them takes for two is how requests are smuggled.

use super::parser::{Failure, Kind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes.
    Length(u64),
    Chunked,
    UntilClose,
}

/// Numbers of JavaScript are exact up to here.
const MOST: u64 = (1 << 53) - 1;

pub(super) const fn failure(code: &'static str, reason: &'static str) -> Failure {
    Failure { code, reason }
}

const LENGTH_AND_CODING: Failure = failure(
    "HPE_UNEXPECTED_CONTENT_LENGTH",
    "Content-Length can't be present with Transfer-Encoding",
);
const TWO_LENGTHS: Failure = failure("HPE_UNEXPECTED_CONTENT_LENGTH", "Content-Length already present");
const NO_LENGTH: Failure = failure(
    "HPE_INVALID_CONTENT_LENGTH",
    "Invalid character in Content-Length",
);
const NO_CODING: Failure = failure(
    "HPE_INVALID_TRANSFER_ENCODING",
    "Request has invalid `Transfer-Encoding`",
);

/// By the headers alone; what the status or the method says comes before.
pub(super) fn framing(kind: Kind, minor: u8, headers: &[(String, String)]) -> Result<Framing, Failure> {
    let all = |name: &'static str| {
        let values = headers
            .iter()
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        values.map(|(_, value)| value.trim_matches([' ', '\t']))
    };
    let codings: Vec<&str> = all("transfer-encoding")
        .flat_map(|value| value.split(','))
        .map(|coding| coding.trim_matches([' ', '\t']))
        .collect();
    let mut lengths = all("content-length");
    let length = lengths.next();
    if lengths.next().is_some() {
        return Err(TWO_LENGTHS);
    }
    if codings.is_empty() {
        return match (length, kind) {
            (Some(length), _) => number(length).map(Framing::Length),
            (None, Kind::Request) => Ok(Framing::Length(0)),
            (None, Kind::Response) => Ok(Framing::UntilClose),
        };
    }
    if length.is_some() {
        return Err(LENGTH_AND_CODING);
    }
    let chunked = |coding: &&&str| coding.eq_ignore_ascii_case("chunked");
    let last = codings.last().is_some_and(|coding| chunked(&coding));
    let count = codings.iter().filter(chunked).count();
    match kind {
        Kind::Request if minor == 1 && last && count == 1 => Ok(Framing::Chunked),
        Kind::Request => Err(NO_CODING),
        Kind::Response if last && count == 1 => Ok(Framing::Chunked),
        Kind::Response if count == 0 => Ok(Framing::UntilClose),
        Kind::Response => Err(NO_CODING),
    }
}

fn number(text: &str) -> Result<u64, Failure> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NO_LENGTH);
    }
    match text.parse() {
        Ok(number) if number <= MOST => Ok(number),
        _ => Err(failure("HPE_INVALID_CONTENT_LENGTH", "Content-Length overflow")),
    }
}

/// The size at the beginning of a chunk; extensions behind it are looked over.
pub(super) fn chunk_size(line: &[u8]) -> Result<u64, Failure> {
    const NO_SIZE: Failure = failure("HPE_INVALID_CHUNK_SIZE", "Invalid character in chunk size");
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (size, rest) = line.split_at(digits);
    let fits = matches!(size.len(), 1..=13);
    let plain = rest.is_empty()
        || rest[0] == b';'
            && rest
                .iter()
                .all(|byte| matches!(byte, b'\t' | b' '..=b'~' | 0x80..));
    let size = std::str::from_utf8(size)
        .ok()
        .and_then(|size| u64::from_str_radix(size, 16).ok());
    match size {
        Some(size) if fits && plain => Ok(size),
        _ => Err(NO_SIZE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, minor: u8, headers: &[(&str, &str)]) -> Result<Framing, &'static str> {
        let headers: Vec<(String, String)> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        framing(kind, minor, &headers).map_err(|failure| failure.code)
    }

    #[test]
    fn what_could_be_understood_in_two_ways_is_refused() {
        use Kind::{Request, Response};
        let (unexpected, length, coding) = (
            Err("HPE_UNEXPECTED_CONTENT_LENGTH"),
            Err("HPE_INVALID_CONTENT_LENGTH"),
            Err("HPE_INVALID_TRANSFER_ENCODING"),
        );
        for (kind, minor, headers, wanted) in [
            (Request, 1, &[][..], Ok(Framing::Length(0))),
            (Response, 1, &[], Ok(Framing::UntilClose)),
            (Request, 1, &[("content-length", " 5 ")], Ok(Framing::Length(5))),
            (
                Request,
                1,
                &[("Content-Length", "5"), ("content-length", "5")],
                unexpected,
            ),
            (Request, 1, &[("Content-Length", "5, 5")], length),
            (Request, 1, &[("Content-Length", "+5")], length),
            (Request, 1, &[("Content-Length", "0x5")], length),
            (Request, 1, &[("Content-Length", "")], length),
            (Request, 1, &[("Content-Length", "99999999999999999999")], length),
            (
                Request,
                1,
                &[("Transfer-Encoding", "Chunked")],
                Ok(Framing::Chunked),
            ),
            (
                Request,
                1,
                &[("Transfer-Encoding", "gzip, chunked")],
                Ok(Framing::Chunked),
            ),
            (
                Request,
                1,
                &[("Transfer-Encoding", "chunked"), ("Content-Length", "5")],
                unexpected,
            ),
            (
                Response,
                1,
                &[("Transfer-Encoding", "chunked"), ("Content-Length", "5")],
                unexpected,
            ),
            (Request, 1, &[("Transfer-Encoding", "chunked, gzip")], coding),
            (Request, 1, &[("Transfer-Encoding", "xchunked")], coding),
            (Request, 1, &[("Transfer-Encoding", "\x0bchunked")], coding),
            (
                Request,
                1,
                &[("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
                coding,
            ),
            (Request, 1, &[("Transfer-Encoding", "")], coding),
            (Request, 0, &[("Transfer-Encoding", "chunked")], coding),
            (
                Response,
                1,
                &[("Transfer-Encoding", "gzip")],
                Ok(Framing::UntilClose),
            ),
            (Response, 1, &[("Transfer-Encoding", "chunked, gzip")], coding),
        ] {
            assert_eq!(of(kind, minor, headers), wanted, "{kind:?} 1.{minor} {headers:?}");
        }
    }

    #[test]
    fn sizes_of_chunks() {
        for (line, wanted) in [
            ("0", Some(0)),
            ("ff", Some(255)),
            ("A;name=value", Some(10)),
            ("", None),
            (" 5", None),
            ("5 ", None),
            ("0x5", None),
            ("-5", None),
            ("5\u{b};a", None),
            ("5;a\n", None),
            ("ffffffffffffffffff", None),
        ] {
            assert_eq!(chunk_size(line.as_bytes()).ok(), wanted, "{line:?}");
        }
    }
}
