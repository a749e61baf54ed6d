//! A registry on loopback that says and does what a test wants.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use base64::Engine;
use flate2::Compression;
use flate2::write::GzEncoder;
use npm::{Install, LinkPolicy, LocalFiles, Mode, NpmError, Npmrc, Platform, Report, Trust};
use serde_json::{Value, json};
use sha2::Digest;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub type Answer = Arc<dyn Fn(&Seen, &Shelf) -> Option<Response<Body>> + Send + Sync>;

/// A request.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: HeaderMap,
    /// How often this path was asked for before.
    pub before: usize,
}

#[derive(Clone, Default)]
pub struct Shelf {
    /// name -> version -> (manifest, tarball)
    packages: BTreeMap<String, BTreeMap<String, (Value, Vec<u8>)>>,
    tags: BTreeMap<String, BTreeMap<String, String>>,
    address: String,
}

impl Shelf {
    pub fn add(&mut self, name: &str, version: &str, manifest: Value) {
        let mut own = manifest.clone();
        own["name"] = json!(name);
        own["version"] = json!(version);
        let text = own.to_string();
        let main = format!("module.exports = '{name}@{version}';\n");
        let cli = "#!/usr/bin/env node\n";
        let files = [
            ("package.json", text.as_str()),
            ("index.js", main.as_str()),
            ("bin/cli.js", cli),
        ];
        self.add_tarball(name, version, manifest, tarball(&files));
    }

    pub fn add_tarball(&mut self, name: &str, version: &str, manifest: Value, bytes: Vec<u8>) {
        self.packages
            .entry(name.into())
            .or_default()
            .insert(version.into(), (manifest, bytes));
    }

    pub fn tag(&mut self, name: &str, tag: &str, version: &str) {
        self.tags
            .entry(name.into())
            .or_default()
            .insert(tag.into(), version.into());
    }

    pub fn tarball(&self, path: &str) -> Option<&[u8]> {
        let (name, file) = path.trim_start_matches('/').split_once("/-/")?;
        let versions = self.packages.get(name)?;
        let found = versions
            .iter()
            .find(|(version, _)| file.ends_with(&format!("-{version}.tgz")))?;
        Some(&found.1.1)
    }

    pub fn packument(&self, name: &str) -> Option<Value> {
        let versions = self.packages.get(name)?;
        let short = name.rsplit('/').next().unwrap();
        let mut all = json!({});
        for (version, (manifest, tarball)) in versions {
            let mut manifest = manifest.clone();
            manifest["name"] = json!(name);
            manifest["version"] = json!(version);
            if manifest.get("dist").is_none() {
                let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha512::digest(tarball));
                manifest["dist"] = json!({
                    "tarball": format!("{}/{name}/-/{short}-{version}.tgz", self.address),
                    "integrity": format!("sha512-{hash}"),
                });
            }
            all[version] = manifest;
        }
        let tags = self.tags.get(name).cloned().unwrap_or_default();
        Some(json!({"name": name, "dist-tags": tags, "versions": all}))
    }
}

pub fn tarball(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, format!("package/{path}"), text.as_bytes())
            .unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub struct Registry {
    pub address: String,
    pub seen: Arc<Mutex<Vec<Seen>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Registry {
    pub fn asked(&self, path: &str) -> usize {
        self.seen
            .lock()
            .unwrap()
            .iter()
            .filter(|seen| seen.path == path)
            .count()
    }
    pub fn asked_at_all(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

pub async fn serve(shelf: Shelf) -> Registry {
    serve_with(shelf, Arc::new(|_, _| None)).await
}

/// `answer` may answer a request instead.
pub async fn serve_with(mut shelf: Shelf, answer: Answer) -> Registry {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    shelf.address.clone_from(&address);
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let state = (Arc::new(shelf), answer, seen.clone());
    let app = axum::Router::new().fallback(respond).with_state(state);
    let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    Registry { address, seen, task }
}

type Shared = (Arc<Shelf>, Answer, Arc<Mutex<Vec<Seen>>>);

async fn respond(State((shelf, answer, seen)): State<Shared>, request: Request<Body>) -> Response<Body> {
    let path = request.uri().path().replace("%2F", "/").replace("%2f", "/");
    let this = {
        let mut all = seen.lock().unwrap();
        let before = all.iter().filter(|seen| seen.path == path).count();
        let this = Seen {
            path: path.clone(),
            headers: request.headers().clone(),
            before,
        };
        all.push(this.clone());
        this
    };
    if let Some(response) = answer(&this, &shelf) {
        return response;
    }
    if let Some(bytes) = shelf.tarball(&path) {
        return Response::new(Body::from(bytes.to_vec()));
    }
    match shelf.packument(path.trim_start_matches('/')) {
        Some(value) => Response::new(Body::from(value.to_string())),
        None => status(StatusCode::NOT_FOUND),
    }
}

pub fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A body that breaks off: announced whole, sent in part.
pub fn broken_off(bytes: &[u8], at: usize) -> Response<Body> {
    let first = Bytes::copy_from_slice(&bytes[..at]);
    let parts = futures_util::stream::iter([Ok(first), Err(std::io::Error::other("gone"))]);
    let mut response = Response::new(Body::from_stream(parts));
    response
        .headers_mut()
        .insert("content-length", bytes.len().into());
    response
}

/// A folder to install into, with its own store.
pub struct Place {
    pub dir: tempfile::TempDir,
    pub registry: String,
    pub mode: Mode,
    pub offline: bool,
    pub omit_dev: bool,
    pub links: LinkPolicy,
}

impl Place {
    pub fn new(registry: &str, manifest: Value) -> Place {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("tool")).unwrap();
        let place = Place {
            dir,
            registry: registry.to_owned(),
            mode: Mode::Update,
            offline: false,
            omit_dev: false,
            links: LinkPolicy::Share,
        };
        place.wants(manifest);
        place
    }
    pub fn folder(&self) -> PathBuf {
        self.dir.path().join("tool")
    }
    pub fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }
    pub fn wants(&self, manifest: Value) {
        std::fs::write(self.folder().join("package.json"), format!("{manifest:#}\n")).unwrap();
    }
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder().join(path)).unwrap()
    }
    pub fn has(&self, path: &str) -> bool {
        self.folder().join(path).exists()
    }
    pub async fn install(&self) -> Result<Report, NpmError> {
        self.install_with(&BTreeMap::new()).await
    }
    pub async fn install_with(&self, environment: &BTreeMap<String, String>) -> Result<Report, NpmError> {
        let mut environment = environment.clone();
        environment.insert("npm_config_registry".into(), self.registry.clone());
        let npmrc = Npmrc::load(&self.folder(), Trust::Own, None, &environment).unwrap();
        npm::install(self.options(npmrc)).await
    }
    pub fn options(&self, npmrc: Npmrc) -> Install {
        Install {
            folder: self.folder(),
            store: self.store(),
            npmrc,
            mirrors: Vec::new(),
            platform: platform(),
            mode: self.mode,
            offline: self.offline,
            again: false,
            omit_dev: self.omit_dev,
            links: self.links,
            files: LocalFiles::Anywhere,
            scripts: None,
            git: None,
            limit: Duration::from_secs(60),
            quiet: Arc::new(|| Box::pin(async { Box::new(()) as _ })),
            progress: Arc::new(|_| ()),
        }
    }
    /// Version of what lies at each place below node_modules.
    pub fn tree(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        walk(&self.folder().join("node_modules"), "", &mut found);
        found
    }
}

pub fn platform() -> Platform {
    Platform {
        os: "linux".into(),
        cpu: "x64".into(),
        libc: Some("glibc".into()),
        node: "22.0.0".into(),
    }
}

fn walk(folder: &Path, at: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().unwrap().is_dir() {
            continue;
        }
        let name = entry.file_name().into_string().unwrap();
        let at = if at.is_empty() {
            name
        } else {
            format!("{at}/{name}")
        };
        let manifest = std::fs::read(entry.path().join("package.json"));
        if let Some(version) = manifest
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
        {
            found.insert(
                at.clone(),
                version["version"].as_str().unwrap_or_default().to_owned(),
            );
        }
        walk(&entry.path(), &at, found);
    }
}
