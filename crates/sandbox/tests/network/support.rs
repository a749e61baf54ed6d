//! A web server that remembers what it was asked, names for it, and a proxy in front.

use sandbox::net::proxy::{self, Limits, Options, Proxy};
use sandbox::net::{Attempt, Audit, Decision, HostRules, Lookup, Network, OwnPorts, Resolve};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;

/// Names that are resolved here; all others are unknown.
#[derive(Default)]
pub struct Names(HashMap<String, Vec<IpAddr>>);

impl Names {
    pub fn of(names: &[(&str, &str)]) -> Arc<Names> {
        let mut all: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for (name, address) in names {
            all.entry((*name).to_owned())
                .or_default()
                .push(address.parse().unwrap());
        }
        Arc::new(Names(all))
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        let found = self.0.get(name).cloned();
        Box::pin(async move { found.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }
}

/// Everything that was asked, from the first byte to the last.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn add(&self, request: &[u8]) {
        self.0
            .lock()
            .unwrap()
            .push(String::from_utf8_lossy(request).into_owned());
    }
}

/// Answers HTTP/1.1 by path, each connection for one request after the other.
pub struct Web {
    pub port: u16,
    pub heard: Heard,
    _tasks: JoinSet<()>,
}

impl Web {
    pub async fn start() -> Web {
        Web::at(Ipv4Addr::LOCALHOST.into()).await
    }

    pub async fn at(address: IpAddr) -> Web {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Heard::default();
        let mut tasks = JoinSet::new();
        let ears = heard.clone();
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(visitor(stream, ears.clone()));
            }
        });
        Web {
            port,
            heard,
            _tasks: tasks,
        }
    }
}

async fn visitor(mut stream: TcpStream, heard: Heard) {
    let mut buffer = Vec::new();
    loop {
        let Some(request) = request(&mut stream, &mut buffer).await else {
            return;
        };
        heard.add(&request);
        let head_end = find(&request, b"\r\n\r\n").unwrap() + 4;
        let (head, body) = request.split_at(head_end);
        let head = String::from_utf8_lossy(head);
        let path = head.split(' ').nth(1).unwrap_or_default();
        let answer: Vec<u8> = match path {
            "/redirect" => {
                b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/loot\r\nContent-Length: 0\r\n\r\n".to_vec()
            }
            path if path.ends_with("/loot") => b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\ntreasure".to_vec(),
            "/chunked" => {
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\n\r\n".to_vec()
            }
            "/until-close" => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nto the end").await;
                return;
            }
            "/two-lengths" => b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab".to_vec(),
            "/hints" => {
                b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec()
            }
            _ => {
                let body = if body.is_empty() { b"hello".as_slice() } else { body };
                let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
                if !head.starts_with("HEAD ") {
                    answer.extend(body);
                }
                answer
            }
        };
        if stream.write_all(&answer).await.is_err() {
            return;
        }
    }
}

/// Head and body, chunks as they came.
async fn request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    loop {
        if let Some(end) = find(buffer, b"\r\n\r\n").map(|at| at + 4) {
            let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
            let whole = if head.contains("transfer-encoding: chunked") {
                find(&buffer[end..], b"0\r\n\r\n").map(|at| end + at + 5)
            } else {
                let length = head
                    .split("content-length: ")
                    .nth(1)
                    .and_then(|rest| rest.lines().next());
                let whole = end + length.map_or(0, |length| length.parse().unwrap());
                (buffer.len() >= whole).then_some(whole)
            };
            if let Some(whole) = whole {
                return Some(buffer.drain(..whole).collect());
            }
            if head.contains("expect: 100-continue") && buffer.len() == end {
                stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.ok()?;
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

pub fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

/// A proxy on a socket of its own.
pub struct Guarded {
    pub socket: PathBuf,
    pub network: Network,
    attempts: Arc<Mutex<Vec<Attempt>>>,
    pub proxy: Proxy,
    _folder: tempfile::TempDir,
}

impl Guarded {
    pub fn new(hosts: &[&str], loopback: &[u16], names: &Arc<Names>) -> Guarded {
        Guarded::with(hosts, loopback, names, Limits::default())
    }

    pub fn with(hosts: &[&str], loopback: &[u16], names: &Arc<Names>, limits: Limits) -> Guarded {
        let rules = HostRules::new(hosts, loopback).unwrap();
        let network = Network::new(rules, &OwnPorts::default()).with_resolver(names.clone());
        Guarded::limited(network, limits)
    }

    pub fn around(network: Network) -> Guarded {
        Guarded::limited(network, Limits::default())
    }

    fn limited(network: Network, limits: Limits) -> Guarded {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("proxy.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let (audit, attempts) = notes();
        let mut options = Options::new(audit);
        options.limits = limits;
        Guarded {
            proxy: proxy::serve(listener, network.clone(), options),
            socket,
            network,
            attempts,
            _folder: folder,
        }
    }

    pub async fn open(&self) -> UnixStream {
        UnixStream::connect(&self.socket).await.unwrap()
    }

    /// Sends all of it, then reads to the end.
    pub async fn say(&self, request: impl AsRef<[u8]>) -> String {
        let mut stream = self.open().await;
        stream.write_all(request.as_ref()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub fn attempts(&self) -> Vec<Attempt> {
        self.attempts.lock().unwrap().clone()
    }

    pub fn decisions(&self) -> Vec<(String, u16, Decision)> {
        let attempts = self.attempts();
        attempts
            .into_iter()
            .map(|one| (one.host, one.port, one.decision))
            .collect()
    }
}

pub fn notes() -> (Audit, Arc<Mutex<Vec<Attempt>>>) {
    let attempts = Arc::new(Mutex::new(Vec::new()));
    let kept = attempts.clone();
    (
        Arc::new(move |attempt| kept.lock().unwrap().push(attempt)),
        attempts,
    )
}

/// An address of this machine that is not loopback, if it has one.
pub fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.connect("192.0.2.1:9").ok()?;
    socket.local_addr().ok().map(|address: SocketAddr| address.ip())
}

/// Reads until the text holds `wanted`, and nothing after it that matters.
pub async fn read_until(stream: &mut UnixStream, wanted: &str) -> String {
    let mut text = Vec::new();
    while find(&text, wanted.as_bytes()).is_none() {
        let mut byte = [0];
        assert_eq!(
            stream.read(&mut byte).await.unwrap(),
            1,
            "{}",
            String::from_utf8_lossy(&text)
        );
        text.push(byte[0]);
    }
    String::from_utf8(text).unwrap()
}
