//! A connection to a server: made, asked for its tools, watched, ended.
//!
//! Deliberately not here: whether it may be made (`mod`), what a call is (`call`).

use super::definitions::{ALL, TOOLS, definitions};
use super::entry::{self, Way};
use super::error::ExternalError;
use super::hear::{Heard, Hearing, Ordered};
use base::failure::chain;
use rmcp::model::PaginatedRequestParams;
use rmcp::service::{ClientInitializeError, Peer, RoleClient, RunningService, ServiceError, ServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use runtime::host::{Host, Resident, ResidentSpec};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolbox::run_log::Level;
use wire::{ExternalDefinition, ExternalEntry};

/// Bytes of one message.
pub(crate) const MESSAGE: usize = 8 * 1024 * 1024;
/// Pages of a list of tools.
const PAGES: usize = 64;
/// Until a connection to an address stands.
const CONNECT: Duration = Duration::from_secs(15);
/// How long a program gets to leave when its connection is closed.
const LEAVE: Duration = Duration::from_secs(2);
/// How long its last words are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(crate) type Listed = Vec<(String, ExternalDefinition)>;

/// A server that is connected. Calls share it.
pub(crate) struct Open {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) heard: Arc<Heard>,
    /// Of this machine, on whose input it is written.
    pub(crate) program: bool,
    pub(crate) calls: AtomicUsize,
    pub(crate) used: Mutex<Instant>,
    /// Cancelled, it ends.
    pub(crate) end: CancellationToken,
    /// Cancelled when it has ended.
    pub(crate) ended: CancellationToken,
}

impl Open {
    pub(crate) fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(crate) fn idle(&self) -> Duration {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.end.is_cancelled() || self.ended.is_cancelled() || self.peer.is_transport_closed()
    }

    /// A program that has stopped reading ends: nothing reaches it any more, and the next call starts it anew. One at
    /// an address may only be slow.
    pub(crate) fn deaf(&self) {
        if self.program {
            self.heard
                .note(Level::Error, "it does not read what it is sent: ended");
            self.end.cancel();
        }
    }

    pub(crate) async fn close(&self) {
        self.end.cancel();
        self.ended.cancelled().await;
    }
}

/// Fresh, with what it said of itself.
pub(crate) struct Fresh {
    pub(crate) link: Link,
    pub(crate) heard: Arc<Heard>,
    pub(crate) implementation: String,
    pub(crate) instructions: String,
    pub(crate) listed: Listed,
}

/// What holds the connection.
pub(crate) struct Link {
    pub(crate) service: RunningService<RoleClient, Hearing>,
    pub(super) program: Option<Program>,
}

pub(super) struct Program {
    resident: Resident,
    errors: JoinHandle<()>,
}

impl Drop for Program {
    fn drop(&mut self) {
        self.errors.abort();
    }
}

/// Characters of what a server says of itself.
const IMPLEMENTATION: usize = 120;
const INSTRUCTIONS: usize = 8000;

/// `spec`: of a program, which is started.
pub(crate) async fn connect(
    host: &Host,
    server: &str,
    entry: &ExternalEntry,
    spec: Option<ResidentSpec>,
    heard: Arc<Heard>,
) -> Result<Fresh, ExternalError> {
    let patience = entry::start_time(entry);
    let silent = || ExternalError::Silent {
        server: server.to_owned(),
        seconds: patience.as_secs(),
    };
    let deadline = tokio::time::Instant::now() + patience;
    let link = match entry::way(entry) {
        Way::Program(_) => {
            let spec = spec.ok_or(ExternalError::BadEntry { reason: "command" })?;
            let starting = program(host, server, &spec, &heard);
            tokio::time::timeout_at(deadline, starting)
                .await
                .map_err(|_| silent())??
        }
        Way::Http(url) => {
            let transport = Ordered::new(http(server, url, entry)?, heard.clone());
            let serving = Hearing(heard.clone()).serve(transport);
            let service = tokio::time::timeout_at(deadline, serving)
                .await
                .map_err(|_| silent())?;
            let service = service.map_err(|error| refused(server, error))?;
            Link {
                service,
                program: None,
            }
        }
    };
    let peer = link.service.peer().clone();
    let listed = match tokio::time::timeout_at(deadline, list(&peer, server)).await {
        Ok(Ok(listed)) => listed,
        Ok(Err(error)) => return Err(link.failed(server, &heard, error).await),
        Err(_) => return Err(silent()),
    };
    let info = peer.peer_info();
    let about = info.as_ref().and_then(|info| info.server_info.clone());
    let implementation = about
        .map(|about| format!("{} {}", about.name, about.version))
        .unwrap_or_default();
    let instructions = info
        .and_then(|info| info.instructions.clone())
        .unwrap_or_default();
    Ok(Fresh {
        link,
        heard,
        implementation: base::text::cut(implementation.trim(), IMPLEMENTATION),
        instructions: base::text::cut(&instructions, INSTRUCTIONS),
        listed,
    })
}

async fn program(
    host: &Host,
    server: &str,
    spec: &ResidentSpec,
    heard: &Arc<Heard>,
) -> Result<Link, ExternalError> {
    let start = |reason: String| ExternalError::Start {
        server: server.to_owned(),
        reason,
    };
    let mut resident = host.resident(spec).await.map_err(|error| start(chain(&error)))?;
    let streams = resident
        .take_streams()
        .ok_or_else(|| start("streams".to_owned()))?;
    let errors = tokio::spawn({
        let heard = heard.clone();
        async move { heard.errors(streams.errors).await }
    });
    let mut program = Program { resident, errors };
    let transport = AsyncRwTransport::new_client(streams.output, streams.input).with_max_line_length(MESSAGE);
    let serving = Hearing(heard.clone()).serve(Ordered::new(transport, heard.clone()));
    match serving.await {
        Ok(service) => Ok(Link {
            service,
            program: Some(program),
        }),
        Err(error) => match program.how(heard).await {
            Some(how) => Err(start(how)),
            None => Err(match refused(server, error) {
                ExternalError::Unreachable { server, reason } => ExternalError::Protocol { server, reason },
                other => other,
            }),
        },
    }
}

fn http(
    server: &str,
    url: &str,
    entry: &ExternalEntry,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, ExternalError> {
    let headers = entry::headers(entry).ok_or(ExternalError::BadEntry { reason: "headers" })?;
    // A second one in this process finds it there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("prompt-manager/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        // To another host it would take the headers along.
        .redirect(reqwest::redirect::Policy::none());
    let host = reqwest::Url::parse(url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    if host.is_some_and(|host| matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]")) {
        builder = builder.no_proxy();
    }
    let client = builder.build().map_err(|error| ExternalError::Start {
        server: server.to_owned(),
        reason: chain(&error),
    })?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        .max_sse_event_size(MESSAGE);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Characters of a server's own words.
const WORDS: usize = 1000;

fn refused(server: &str, error: ClientInitializeError) -> ExternalError {
    let server = server.to_owned();
    let reason = match error {
        ClientInitializeError::JsonRpcError(error) => {
            let reason = base::text::cut(&error.message, WORDS);
            return ExternalError::Refused { server, reason };
        }
        // What it is wrapped in says nothing to anybody.
        ClientInitializeError::TransportError { error, .. } => chain(&*error.error),
        other => chain(&other),
    };
    ExternalError::Unreachable {
        server,
        reason: base::text::cut(&reason, WORDS),
    }
}

/// A request that was not answered as it should be.
pub(crate) fn unanswered(server: &str, error: ServiceError) -> ExternalError {
    let server = server.to_owned();
    match error {
        ServiceError::McpError(error) => ExternalError::Refused {
            server,
            reason: base::text::cut(&error.message, WORDS),
        },
        ServiceError::TransportClosed => ExternalError::Ended {
            server,
            how: "-".to_owned(),
        },
        ServiceError::TransportSend(error) => ExternalError::Ended {
            server,
            how: base::text::cut(&error.to_string(), WORDS),
        },
        ServiceError::Timeout { timeout } => ExternalError::Silent {
            server,
            seconds: timeout.as_secs(),
        },
        other => ExternalError::Protocol {
            server,
            reason: base::text::cut(&other.to_string(), WORDS),
        },
    }
}

/// All of its tools, as far as there may be so many.
pub(crate) async fn list(peer: &Peer<RoleClient>, server: &str) -> Result<Listed, ExternalError> {
    let info = peer.peer_info();
    if info.is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(Vec::new());
    }
    let large = |what, limit| ExternalError::TooLarge {
        server: server.to_owned(),
        what,
        limit,
    };
    let (mut all, mut size, mut cursor) = (Listed::new(), 0, None);
    for _ in 0..PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(params)).await;
        let page = page.map_err(|error| unanswered(server, error))?;
        for (name, tool) in definitions(server, &page.tools)? {
            size += serde_json::to_string(&tool).map_or(0, |text| text.len()) + name.len();
            all.push((name, tool));
            if all.len() > TOOLS {
                return Err(large("tools", TOOLS));
            }
            if size > ALL {
                return Err(large("bytes", ALL));
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(all);
        }
    }
    Err(large("pages", PAGES))
}

impl Program {
    /// How it ended, if it did.
    async fn how(&mut self, heard: &Heard) -> Option<String> {
        let ended = timeout(LAST_WORDS, self.resident.wait()).await.ok()?;
        let _ = timeout(LAST_WORDS, &mut self.errors).await;
        let how = match ended {
            Ok(code) => format!("exit code {code}"),
            Err(error) => chain(&error),
        };
        let last = heard.last_words();
        Some(match last.is_empty() {
            true => how,
            false => format!("{how}: {last}"),
        })
    }
}

impl Link {
    /// What went wrong, or how its program ended where that is why.
    async fn failed(mut self, server: &str, heard: &Heard, error: ExternalError) -> ExternalError {
        let how = match &mut self.program {
            Some(program) => program.how(heard).await,
            None => None,
        };
        match how {
            Some(reason) => ExternalError::Start {
                server: server.to_owned(),
                reason,
            },
            None => error,
        }
    }

    /// Until it ends or is ended: `None` when that was asked for, else how it ended.
    pub(crate) async fn attend(self, open: &Open) -> Option<String> {
        let Link { service, mut program } = self;
        let stop = service.cancellation_token();
        let mut waiting = tokio::spawn(service.waiting());
        let asked = tokio::select! {
            _ = &mut waiting => false,
            () = open.end.cancelled() => true,
        };
        stop.cancel();
        if asked {
            let _ = timeout(LEAVE, &mut waiting).await;
        }
        waiting.abort();
        let how = match (&mut program, asked) {
            (Some(program), false) => program.how(&open.heard).await,
            (Some(_), true) | (None, _) => None,
        };
        if let Some(program) = &mut program
            && let Err(error) = program.resident.end().await
        {
            tracing::warn!(error = %chain(&error), "an external server was not seen to end");
        }
        (!asked).then(|| how.unwrap_or_else(|| "the connection was closed".to_owned()))
    }
}
