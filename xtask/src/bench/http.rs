//! The smallest HTTP client that measures well: one kept-alive connection, no threads, no
//! allocation to speak of beside the answer. Content-Length and chunked bodies.

use crate::Outcome;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const ANSWER_LIMIT: Duration = Duration::from_secs(60);
const BODY_MOST: usize = 64 << 20;

pub struct Connection {
    host: String,
    reader: BufReader<TcpStream>,
}

pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

impl Connection {
    pub fn open(address: &str) -> Outcome<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        Ok(Connection {
            host: address.to_owned(),
            reader: BufReader::new(stream),
        })
    }

    pub fn send(&mut self, method: &str, path: &str, headers: &[(&str, String)], body: &str) -> Outcome {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            self.host,
            body.len()
        );
        for (name, value) in headers {
            // Writing to a String cannot fail.
            let _ = write!(request, "{name}: {value}\r\n");
        }
        request.push_str("\r\n");
        request.push_str(body);
        Ok(self.reader.get_mut().write_all(request.as_bytes())?)
    }

    pub fn answer(&mut self) -> Outcome<Answer> {
        read_answer(&mut self.reader)
    }
}

fn read_answer(reader: &mut impl BufRead) -> Outcome<Answer> {
    let status = line(reader)?;
    let status = status
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .ok_or_else(|| format!("no HTTP status line: {status}"))?;
    let mut headers = Vec::new();
    loop {
        let line = line(reader)?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    let mut answer = Answer {
        status,
        headers,
        body: Vec::new(),
    };
    let chunked = answer
        .header("transfer-encoding")
        .is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
    if chunked {
        answer.body = chunks(reader)?;
    } else if let Some(length) = answer.header("content-length") {
        answer.body = exactly(reader, length.parse()?)?;
    } else if status != 204 {
        return Err("an answer without a length keeps no connection alive".into());
    }
    Ok(answer)
}

fn chunks(reader: &mut impl BufRead) -> Outcome<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let head = line(reader)?;
        let length = usize::from_str_radix(head.split(';').next().unwrap_or_default().trim(), 16)?;
        if body.len() + length > BODY_MOST {
            return Err("the answer is too long".into());
        }
        if length == 0 {
            // Trailers, and the empty line after them.
            while !line(reader)?.is_empty() {}
            return Ok(body);
        }
        body.extend(exactly(reader, length)?);
        line(reader)?;
    }
}

fn exactly(reader: &mut impl BufRead, length: usize) -> Outcome<Vec<u8>> {
    if length > BODY_MOST {
        return Err("the answer is too long".into());
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn line(reader: &mut impl BufRead) -> Outcome<String> {
    let mut text = String::new();
    if reader.take(64 << 10).read_line(&mut text)? == 0 {
        return Err("the connection was closed".into());
    }
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_chunks_are_read_and_the_next_answer_stays_whole() {
        let mut bytes: &[u8] = b"HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nContent-Length: 5\r\n\r\nhello\
            HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n\
            HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
        let first = read_answer(&mut bytes).unwrap();
        assert_eq!((first.status, first.body.as_slice()), (200, b"hello".as_slice()));
        assert_eq!(first.header("mcp-session-id"), Some("s1"));
        assert_eq!(read_answer(&mut bytes).unwrap().body, b"abcde");
        assert_eq!(read_answer(&mut bytes).unwrap().status, 202);
        assert!(read_answer(&mut bytes).is_err(), "closed");
    }

    #[test]
    fn nonsense_and_endless_answers_are_refused() {
        for bad in [
            "hello\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        ] {
            assert!(read_answer(&mut bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}
