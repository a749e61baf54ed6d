//! A page or a program at the owner's port, one request a connection.

use super::{Home, Served};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.head))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// One request over a connection of its own.
pub fn ask(mut stream: impl Read + Write, line: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let mut text = format!(
        "{line} HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    write!(stream, "{text}\r\n{body}").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let (status, body) = (
        head.split(' ').nth(1).unwrap().parse().unwrap(),
        &bytes[end + 4..],
    );
    let body = match head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        true => unchunked(body),
        false => body.to_vec(),
    };
    Response { status, head, body }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
}

/// A page with its session, or a program with the token.
pub struct Page {
    pub at: SocketAddr,
    pub secret: String,
}

impl Page {
    /// Opens the one-time link.
    pub fn open(served: &Served) -> Self {
        let at = address(served);
        let (_, code) = served.said["link"]
            .as_str()
            .unwrap()
            .split_once("#code=")
            .unwrap();
        let host = at.to_string();
        let opened = ask(
            TcpStream::connect(at).unwrap(),
            "POST /api/session",
            &[("Host", &host)],
            &json!({"code": code}).to_string(),
        );
        assert_eq!(opened.status, 200, "{}", opened.head);
        Page {
            at,
            secret: opened.json()["token"].as_str().unwrap().to_owned(),
        }
    }

    pub fn program(home: &Home, served: &Served) -> Self {
        let token = std::fs::read_to_string(home.path().join("token")).unwrap();
        Page {
            at: address(served),
            secret: token.trim().to_owned(),
        }
    }

    pub fn post(&self, call: &str, params: &Value) -> Response {
        let (host, bearer) = (self.at.to_string(), format!("Bearer {}", self.secret));
        ask(
            TcpStream::connect(self.at).unwrap(),
            &format!("POST /api/{call}"),
            &[("Host", &host), ("Authorization", &bearer)],
            &params.to_string(),
        )
    }

    pub fn call(&self, call: &str, params: Value) -> Value {
        let answer = self.post(call, &params);
        assert_eq!(
            answer.status,
            200,
            "{call}: {}",
            String::from_utf8_lossy(&answer.body)
        );
        answer.json()
    }

    /// Status and code of a call that is refused.
    pub fn refused(&self, call: &str, params: Value) -> (u16, String) {
        let answer = self.post(call, &params);
        (answer.status, answer.json()["code"].as_str().unwrap().to_owned())
    }

    pub fn get(&self, url: &str, headers: &[(&str, &str)]) -> Response {
        let host = self.at.to_string();
        let mut all = vec![("Host", host.as_str())];
        all.extend(headers);
        ask(
            TcpStream::connect(self.at).unwrap(),
            &format!("GET {url}"),
            &all,
            "",
        )
    }
}

pub fn address(served: &Served) -> SocketAddr {
    served.address().strip_prefix("http://").unwrap().parse().unwrap()
}

pub fn id() -> String {
    // A UUID of version 4 without another crate: what is random is the process and the time.
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_nanos();
    let hex = format!(
        "{:032x}",
        nanos.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    );
    format!(
        "{}-{}-4{}-a{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..]
    )
}

impl Page {
    /// The same page at an owner that may listen somewhere else by now.
    pub fn open_again(served: &Served, page: &Page) -> Self {
        Page {
            at: address(served),
            secret: page.secret.clone(),
        }
    }
}
