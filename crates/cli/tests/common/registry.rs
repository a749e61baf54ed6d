//! As much of an npm registry as `pm` needs: packages of one file, on loopback.

use base64::Engine;
use serde_json::{Value, json};
use sha2::Digest;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};

/// Path and text.
type Files = Vec<(String, String)>;

#[derive(Default)]
struct Shelf {
    /// name -> version -> (manifest, files)
    packages: BTreeMap<String, BTreeMap<String, (Value, Files)>>,
    asked: Vec<String>,
    /// Served below `repositories/` as they lie there.
    repositories: Option<PathBuf>,
    /// Tarballs are held back.
    closed: bool,
    address: String,
}

#[derive(Clone, Default)]
pub struct Registry(Arc<(Mutex<Shelf>, Condvar)>);

impl Registry {
    pub fn start() -> Registry {
        let registry = Registry::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        registry.0.0.lock().unwrap().address = format!("http://{}", listener.local_addr().unwrap());
        let serving = registry.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (registry, stream) = (serving.clone(), stream.unwrap());
                // A client that went away is not our failure.
                std::thread::spawn(move || registry.answer(stream));
            }
        });
        registry
    }

    pub fn address(&self) -> String {
        self.0.0.lock().unwrap().address.clone()
    }

    pub fn add(&self, name: &str, version: &str, manifest: Value, code: &str) {
        self.add_files(name, version, manifest, &[("index.js", code)]);
    }

    pub fn add_files(&self, name: &str, version: &str, manifest: Value, files: &[(&str, &str)]) {
        let mut shelf = self.0.0.lock().unwrap();
        let versions = shelf.packages.entry(name.to_owned()).or_default();
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        versions.insert(version.to_owned(), (manifest, files.collect()));
    }

    /// A folder of bare git repositories, for clients that ask file by file.
    pub fn serve_repositories(&self, folder: PathBuf) {
        self.0.0.lock().unwrap().repositories = Some(folder);
    }

    pub fn asked(&self) -> usize {
        self.0.0.lock().unwrap().asked.len()
    }

    /// Holds tarballs back, or lets them go.
    pub fn close(&self, closed: bool) {
        self.0.0.lock().unwrap().closed = closed;
        self.0.1.notify_all();
    }

    /// Waits until a path that ends so was asked for.
    pub fn wait_for(&self, end: &str) {
        let shelf = self.0.0.lock().unwrap();
        let waits = |shelf: &mut Shelf| !shelf.asked.iter().any(|path| path.ends_with(end));
        drop(self.0.1.wait_while(shelf, waits).unwrap());
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let mut line = first.clone();
        while !line.trim().is_empty() {
            line.clear();
            reader.read_line(&mut line)?;
        }
        let path = first
            .split(' ')
            .nth(1)
            .unwrap_or_default()
            .trim_start_matches('/');
        let path = path.replace("%2F", "/").replace("%2f", "/");
        let body = self.body(&path);
        let (status, body) = match body {
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", Vec::new()),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        )?;
        stream.write_all(&body)
    }

    fn body(&self, path: &str) -> Option<Vec<u8>> {
        let mut shelf = self.0.0.lock().unwrap();
        shelf.asked.push(path.to_owned());
        self.0.1.notify_all();
        if let Some(file) = path.strip_prefix("repositories/") {
            let file = file.split('?').next()?;
            return std::fs::read(shelf.repositories.as_ref()?.join(file)).ok();
        }
        let Some((name, file)) = path.split_once("/-/") else {
            let mut all = json!({});
            for (version, (manifest, files)) in shelf.packages.get(path)? {
                let hash = base64::engine::general_purpose::STANDARD
                    .encode(sha2::Sha512::digest(packed(path, version, manifest, files)));
                let mut own = manifest.clone();
                own["name"] = json!(path);
                own["version"] = json!(version);
                own["dist"] = json!({
                    "tarball": format!("{}/{path}/-/{path}-{version}.tgz", shelf.address),
                    "integrity": format!("sha512-{hash}"),
                });
                all[version] = own;
            }
            return Some(
                json!({"name": path, "dist-tags": {}, "versions": all})
                    .to_string()
                    .into_bytes(),
            );
        };
        let shelf = self.0.1.wait_while(shelf, |shelf| shelf.closed).unwrap();
        let version = file.strip_suffix(".tgz")?.strip_prefix(&format!("{name}-"))?;
        let (manifest, files) = shelf.packages.get(name)?.get(version)?;
        Some(packed(name, version, manifest, files))
    }
}

fn packed(name: &str, version: &str, manifest: &Value, files: &Files) -> Vec<u8> {
    let mut own = manifest.clone();
    own["name"] = json!(name);
    own["version"] = json!(version);
    let manifest = own.to_string();
    let texts = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    tarball(
        &texts
            .chain([("package.json", manifest.as_str())])
            .collect::<Vec<_>>(),
    )
}

fn tarball(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, format!("package/{path}"), text.as_bytes())
            .unwrap();
    }
    builder.into_inner().unwrap()
}
