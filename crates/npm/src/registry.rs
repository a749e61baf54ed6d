//! The registry over HTTP: metadata with ETags, tarballs, retries, other mirrors, and the cache that
//! answers offline.
//!
//! Deliberately not here: which version to take (`pick`), checking bytes (`store`).

mod client;
mod names;

use crate::advisories::Installed;
use crate::error::NpmError;
use crate::manifest::Manifest;
use crate::npmrc::Npmrc;
use crate::pick::Packument;
use crate::spec::Spec;
use bytes::{Bytes, BytesMut};
use client::client;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RANGE, RETRY_AFTER,
};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::Digest;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OnceCell, Semaphore};
use url::Url;

const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);
/// However long a registry asks us to wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
const METADATA_MOST: usize = 128 << 20;
const ADVISORIES_MOST: usize = 16 << 20;
const TARBALL_MOST: usize = 512 << 20;
/// Requests at a time.
const REQUESTS: usize = 48;
const ABBREVIATED: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'@');

type Slot = Arc<OnceCell<Result<Arc<Packument>, NpmError>>>;

pub struct Registry {
    client: Client,
    npmrc: Npmrc,
    /// Asked one after the other when nobody chose a registry.
    mirrors: Vec<Url>,
    cache: PathBuf,
    offline: bool,
    packuments: Mutex<HashMap<String, Slot>>,
    requests: Semaphore,
    received: AtomicU64,
    known: Mutex<HashMap<String, Arc<Known>>>,
}

/// A host that was called.
#[derive(Default)]
struct Known {
    answered: AtomicBool,
    turn: tokio::sync::Mutex<()>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    url: String,
    etag: Option<String>,
}

struct Got {
    bytes: Bytes,
    etag: Option<String>,
}

/// What a request ended with, when not with bytes.
enum Miss {
    NotModified,
    /// Worth another attempt after this pause.
    Again {
        reason: String,
        pause: Option<Duration>,
    },
    Final(NpmError),
}

impl Registry {
    pub fn new(npmrc: Npmrc, mirrors: Vec<Url>, cache: &Path, offline: bool) -> Result<Registry, NpmError> {
        Ok(Registry {
            client: client(&npmrc)?,
            npmrc,
            mirrors,
            cache: cache.to_owned(),
            offline,
            packuments: Mutex::default(),
            requests: Semaphore::new(REQUESTS),
            received: AtomicU64::new(0),
            known: Mutex::default(),
        })
    }

    /// Asks the fastest registry first, where nobody chose one.
    pub async fn prefer_fastest(&mut self) {
        if self.offline || self.npmrc.names_registry() {
            return;
        }
        let mirrors = std::mem::take(&mut self.mirrors);
        self.mirrors = crate::mirrors::ordered(mirrors, &self.client, &self.cache).await;
    }

    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// The document about a package; asked for once.
    pub async fn packument(&self, name: &str) -> Result<Arc<Packument>, NpmError> {
        let slot = {
            let mut all = self.packuments.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(name.to_owned()).or_default().clone()
        };
        slot.get_or_init(|| self.fetch_packument(name)).await.clone()
    }

    async fn fetch_packument(&self, name: &str) -> Result<Arc<Packument>, NpmError> {
        if !crate::is_package_name(name) {
            return Err(NpmError::BadName(name.to_owned()));
        }
        let mut last = None;
        for base in self.bases(name)? {
            let path = utf8_percent_encode(name, NAME).to_string();
            let url = base
                .join(&path)
                .map_err(|error| network(name, &error.to_string()))?;
            match self.metadata(name, &url).await {
                Err(error @ NpmError::Network { .. }) => last = Some(error),
                other => return other,
            }
        }
        Err(last.unwrap_or_else(|| network(name, "no registry")))
    }

    async fn metadata(&self, name: &str, url: &Url) -> Result<Arc<Packument>, NpmError> {
        let kept = self.kept(url).await;
        if self.offline {
            let Some((_, body)) = kept else {
                return Err(NpmError::Offline {
                    missing: vec![name.to_owned()],
                });
            };
            return parse(name, body).await;
        }
        let etag = kept.as_ref().and_then(|(head, _)| head.etag.clone());
        match self.get(name, url, true, METADATA_MOST, etag).await? {
            Some(got) => {
                self.keep(url, got.etag, got.bytes.clone()).await;
                parse(name, got.bytes).await
            }
            None => match kept {
                Some((_, body)) => parse(name, body).await,
                None => Err(network(name, "nothing changed, but nothing is there")),
            },
        }
    }

    /// The bytes of a tarball, unchecked.
    pub async fn tarball(&self, manifest: &Manifest) -> Result<Bytes, NpmError> {
        let name = &manifest.name;
        if self.offline {
            return Err(NpmError::Offline {
                missing: vec![format!("{name}@{}", manifest.version)],
            });
        }
        let mut last = None;
        for url in self.tarball_urls(manifest)? {
            match self.get(name, &url, false, TARBALL_MOST, None).await {
                Ok(Some(got)) => return Ok(got.bytes),
                Ok(None) => last = Some(network(name, "not modified")),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| network(name, "no registry")))
    }

    fn tarball_urls(&self, manifest: &Manifest) -> Result<Vec<Url>, NpmError> {
        let name = &manifest.name;
        let short = name.rsplit('/').next().unwrap_or(name);
        let bases = self.bases(name)?;
        let given = manifest
            .resolved
            .as_deref()
            .and_then(|text| Url::parse(text).ok());
        let given = given.filter(|url| matches!(url.scheme(), "http" | "https"));
        Ok(match given {
            // What the lock of another machine says means the registry that this one uses.
            Some(url) if url.host_str() == Some("registry.npmjs.org") => bases
                .iter()
                .filter_map(|base| base.join(url.path().trim_start_matches('/')).ok())
                .collect(),
            Some(url) => vec![url],
            None => bases
                .iter()
                .filter_map(|base| {
                    base.join(&format!("{name}/-/{short}-{}.tgz", manifest.version))
                        .ok()
                })
                .collect(),
        })
    }

    /// A tarball that somebody wants by its address, to learn what it is.
    pub async fn tarball_at(&self, name: &str, url: &str) -> Result<Bytes, NpmError> {
        let address = Url::parse(url).map_err(|error| network(name, &error.to_string()))?;
        if self.offline {
            return Err(NpmError::Offline {
                missing: vec![url.to_owned()],
            });
        }
        let got = self.get(name, &address, false, TARBALL_MOST, None).await?;
        got.map(|got| got.bytes)
            .ok_or_else(|| network(name, "not modified"))
    }

    /// What is known against packages; `None` where the registry does not say. One attempt.
    pub async fn bulk(&self, installed: &Installed) -> Result<Option<Bytes>, NpmError> {
        if self.offline || installed.is_empty() || self.npmrc.flag("audit") == Some(false) {
            return Ok(None);
        }
        let Some(base) = self.bases("")?.into_iter().next() else {
            return Ok(None);
        };
        let address = base.join("-/npm/v1/security/advisories/bulk");
        let address = address.map_err(|error| network("registry", &error.to_string()))?;
        let body = serde_json::to_vec(installed).map_err(|error| NpmError::Internal(error.to_string()))?;
        let mut request = self
            .client
            .post(address.clone())
            .timeout(client::CONNECT)
            .body(body);
        request = request.header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = self.npmrc.authorization(&address) {
            request = request.header(AUTHORIZATION, authorization);
        }
        let answered = request
            .send()
            .await
            .ok()
            .filter(|answer| answer.status().is_success());
        let Some(response) = answered else { return Ok(None) };
        let mut body = BytesMut::new();
        let read = self.body("registry", response, ADVISORIES_MOST, &mut body).await;
        Ok(read.is_ok().then(|| body.freeze()))
    }

    fn bases(&self, name: &str) -> Result<Vec<Url>, NpmError> {
        if self.mirrors.is_empty() || self.npmrc.names_registry() {
            return Ok(vec![self.npmrc.registry(name)?]);
        }
        Ok(self.mirrors.clone())
    }

    /// `None`: not modified.
    async fn get(
        &self,
        name: &str,
        url: &Url,
        is_metadata: bool,
        most: usize,
        etag: Option<String>,
    ) -> Result<Option<Got>, NpmError> {
        let _turn = self
            .requests
            .acquire()
            .await
            .map_err(|error| network(name, &error.to_string()))?;
        let mut part = BytesMut::new();
        let mut reason = String::new();
        for attempt in 0..ATTEMPTS {
            match self
                .attempt(name, url, is_metadata, most, etag.as_deref(), &mut part)
                .await
            {
                Ok(etag) => {
                    return Ok(Some(Got {
                        bytes: part.freeze(),
                        etag,
                    }));
                }
                Err(Miss::NotModified) => return Ok(None),
                Err(Miss::Final(error)) => return Err(error),
                Err(Miss::Again { reason: why, pause }) => {
                    reason = why;
                    if attempt + 1 < ATTEMPTS {
                        let pause = pause.unwrap_or(PAUSE * 2u32.pow(attempt));
                        // What the server asked for, or a back-off: it is not to be pressed.
                        tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
                    }
                }
            }
        }
        Err(network(name, &reason))
    }

    async fn attempt(
        &self,
        name: &str,
        url: &Url,
        is_metadata: bool,
        most: usize,
        etag: Option<&str>,
        part: &mut BytesMut,
    ) -> Result<Option<String>, Miss> {
        let again = |reason: String| Miss::Again { reason, pause: None };
        let mut request = self.client.get(url.clone());
        if is_metadata {
            request = request.header(ACCEPT, ABBREVIATED);
        }
        if let Some(authorization) = self.npmrc.authorization(url) {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        if is_metadata {
            part.clear();
        } else if !part.is_empty() {
            request = request.header(RANGE, format!("bytes={}-", part.len()));
        }
        let response = self
            .send(url, request)
            .await
            .map_err(|error| again(base::failure::chain(&error)))?;
        judge(name, &response)?;
        if !continues(&response, part.len()) {
            part.clear();
        }
        let etag = response
            .headers()
            .get(ETAG)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        self.body(name, response, most, part).await?;
        Ok(etag)
    }

    /// Nobody else calls at a host before the first is answered there: by then there is a connection
    /// that all may share. Each would make one of its own otherwise, with all that it costs.
    async fn send(&self, url: &Url, request: RequestBuilder) -> reqwest::Result<Response> {
        let host = url.authority().to_owned();
        let known = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.entry(host).or_default().clone()
        };
        if !known.answered.load(Ordering::Acquire) {
            let _turn = known.turn.lock().await;
            if !known.answered.load(Ordering::Acquire) {
                let answered = request.send().await;
                // Or it does not: then the others need not wait for each other.
                known.answered.store(true, Ordering::Release);
                return answered;
            }
        }
        request.send().await
    }

    async fn body(
        &self,
        name: &str,
        mut response: Response,
        most: usize,
        part: &mut BytesMut,
    ) -> Result<(), Miss> {
        let announced = usize::try_from(response.content_length().unwrap_or(0)).unwrap_or(usize::MAX);
        let too_much = || Miss::Final(NpmError::hostile(name, format!("more than {most} bytes")));
        if announced > most {
            return Err(too_much());
        }
        // What is announced may be a lie: no more than this is set aside for it.
        part.reserve(announced.min(8 << 20));
        loop {
            match response.chunk().await {
                Ok(None) => return Ok(()),
                Ok(Some(chunk)) => {
                    self.received.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                    if part.len() + chunk.len() > most {
                        return Err(too_much());
                    }
                    part.extend_from_slice(&chunk);
                }
                Err(error) => {
                    let reason = base::failure::chain(&error);
                    return Err(Miss::Again { reason, pause: None });
                }
            }
        }
    }

    fn file(&self, url: &Url) -> PathBuf {
        let name = base::text::hex(&sha2::Sha256::digest(url.as_str().as_bytes())[..20]);
        self.cache.join(name)
    }

    async fn kept(&self, url: &Url) -> Option<(Head, Bytes)> {
        let path = self.file(url);
        let read = tokio::task::spawn_blocking(move || crate::files::read_cached(&path)).await;
        let bytes = Bytes::from(read.ok()??);
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        (head.url == url.as_str()).then(|| (head, bytes.slice(end + 1..)))
    }

    async fn keep(&self, url: &Url, etag: Option<String>, body: Bytes) {
        let path = self.file(url);
        let head = Head {
            url: url.to_string(),
            etag,
        };
        let Ok(mut text) = serde_json::to_vec(&head) else {
            return;
        };
        text.push(b'\n');
        // A cache that cannot be written costs time, not the install.
        let _ = tokio::task::spawn_blocking(move || crate::files::write_cached(&path, &[&text, &body])).await;
    }
}

/// Whether a spec is answered by metadata.
pub fn is_of_registry(spec: &Spec) -> bool {
    matches!(spec, Spec::Version(_) | Spec::Range(_) | Spec::Tag(_))
}

fn judge(name: &str, response: &Response) -> Result<(), Miss> {
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    let pause = || {
        let header = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
        Some(Duration::from_secs(header.trim().parse().ok()?))
    };
    let name = name.to_owned();
    Err(match status {
        StatusCode::NOT_MODIFIED => Miss::NotModified,
        StatusCode::NOT_FOUND | StatusCode::GONE => Miss::Final(NpmError::PackageNotFound { name }),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Miss::Again {
            reason: format!("HTTP {status}"),
            pause: pause(),
        },
        status if status.is_server_error() => Miss::Again {
            reason: format!("HTTP {status}"),
            pause: pause(),
        },
        status => Miss::Final(NpmError::Refused {
            name,
            status: status.as_u16(),
        }),
    })
}

/// Whether an answer goes on where the last one broke off.
fn continues(response: &Response, have: usize) -> bool {
    let range = response
        .headers()
        .get(CONTENT_RANGE)
        .and_then(|value| value.to_str().ok());
    let start = range.and_then(|range| range.strip_prefix("bytes ")?.split('-').next()?.parse().ok());
    response.status() == StatusCode::PARTIAL_CONTENT && start == Some(have)
}

async fn parse(name: &str, body: Bytes) -> Result<Arc<Packument>, NpmError> {
    let parsed = tokio::task::spawn_blocking(move || serde_json::from_slice::<Packument>(&body)).await;
    match parsed {
        Ok(Ok(packument)) => Ok(Arc::new(packument)),
        Ok(Err(error)) => Err(network(name, &format!("its metadata cannot be read: {error}"))),
        Err(error) => Err(NpmError::Internal(error.to_string())),
    }
}

pub fn network(name: &str, reason: &str) -> NpmError {
    NpmError::Network {
        name: name.to_owned(),
        reason: reason.to_owned(),
    }
}
