//! The way to a service and back: attempts, then pieces until the answer ends.

use crate::chat::{Chat, End, Limits, Piece};
use crate::error::{ModelError, Patience};
use crate::frames::{Broken, FRAME, Frames};
use crate::protocol::{self, Read, Reader, Request, Trouble};
use crate::retry;
use crate::service::Service;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response, redirect};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep, timeout_at};

const CONNECT: Duration = Duration::from_secs(15);
/// Bytes of what a service says of its failure.
const FAILURE: usize = 64 * 1024;

/// The HTTP clients, made when they are first needed. One is enough for a program.
#[derive(Default)]
pub struct Models {
    /// For services on this machine: past any proxy.
    here: OnceCell<Client>,
    away: OnceCell<Client>,
}

/// An answer on its way. Dropped, it closes the connection.
pub struct Answer {
    service: Service,
    limits: Limits,
    deadline: Instant,
    /// When nothing whole has come for too long.
    quiet_until: Instant,
    /// Until the body has ended, or is of no use any more.
    response: Option<Response>,
    frames: Frames,
    /// Until its end was told.
    reader: Option<Reader>,
    /// Read and not given yet.
    pending: VecDeque<Result<Piece, ModelError>>,
    /// Bytes of text so far.
    text: usize,
}

impl Models {
    /// Asks, again where that can help, and gives the answer when its first piece is there.
    pub async fn ask(&self, service: &Service, chat: &Chat, limits: &Limits) -> Result<Answer, ModelError> {
        if service.lacks_key() {
            return Err(ModelError::NoKey {
                service: service.name().to_owned(),
            });
        }
        let deadline = Instant::now() + limits.total;
        let attempts = async {
            let mut tried = 0;
            loop {
                let failed = match self.attempt(service, chat, limits, deadline).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) => error,
                };
                tried += 1;
                let Some(pause) = retry::pause(&failed, tried, limits) else {
                    return Err(failed);
                };
                tracing::info!(
                    service = service.name(),
                    tried,
                    ?pause,
                    "a model service is asked again"
                );
                sleep(pause).await;
            }
        };
        let asked = timeout_at(deadline, attempts).await;
        asked.unwrap_or_else(|_| Err(late(service, limits, Patience::Total)))
    }

    async fn attempt(
        &self,
        service: &Service,
        chat: &Chat,
        limits: &Limits,
        deadline: Instant,
    ) -> Result<Answer, ModelError> {
        let Request { url, headers, body } = protocol::request(service, chat);
        let client = self.client(service).await?;
        let mut asking = client.post(url).header(CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            asking = asking.header(name, value);
        }
        let quiet_until = Instant::now() + limits.silence;
        let sent = timeout_at(quiet_until, asking.body(body.to_string()).send()).await;
        let sent = sent.map_err(|_| late(service, limits, Patience::Silence))?;
        let response = sent.map_err(|source| ModelError::Unreachable {
            service: service.name().to_owned(),
            address: service.base.origin().ascii_serialization(),
            source: source.without_url(),
        })?;
        let status = response.status();
        if !status.is_success() {
            let after = retry::after(response.headers());
            let body = timeout_at(quiet_until, beginning(response))
                .await
                .unwrap_or_default();
            return Err(protocol::failure(service, status.as_u16(), &body, after));
        }
        let kind = response.headers().get(CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
            return Err(ModelError::Unreadable {
                service: service.name().to_owned(),
                reason: "text/html".to_owned(),
            });
        }
        let mut answer = Answer {
            service: service.clone(),
            limits: *limits,
            deadline,
            quiet_until,
            response: Some(response),
            frames: Frames::new(protocol::shape(service.protocol)),
            reader: Some(Reader::new(service.protocol)),
            pending: VecDeque::new(),
            text: 0,
        };
        if let Some(first) = answer.read().await? {
            answer.pending.push_front(Ok(first));
        }
        Ok(answer)
    }

    async fn client(&self, service: &Service) -> Result<&Client, ModelError> {
        let here = service.is_here();
        let cell = if here { &self.here } else { &self.away };
        cell.get_or_try_init(|| async move {
            // Certificates of the system are read for it.
            match tokio::task::spawn_blocking(move || client(here)).await {
                Ok(made) => made.map_err(|error| ModelError::Client(error.into())),
                Err(error) => Err(ModelError::Client(error.into())),
            }
        })
        .await
    }
}

fn client(here: bool) -> Result<Client, reqwest::Error> {
    // A second installer in this process finds it there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("prompt-manager/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        // To another host it would take the key along.
        .redirect(redirect::Policy::none());
    if here {
        builder = builder.no_proxy();
    }
    builder.build()
}

impl Answer {
    /// The next piece; `None` after the last. May be dropped and called again: nothing is lost.
    pub async fn next(&mut self) -> Result<Option<Piece>, ModelError> {
        let next = match timeout_at(self.deadline, self.read()).await {
            Ok(next) => next,
            Err(_) => Err(late(&self.service, &self.limits, Patience::Total)),
        };
        if next.is_err() {
            self.response = None;
            self.pending.clear();
        }
        next
    }

    /// The text of all of it, each piece told as it comes; for where no tools are offered.
    pub async fn whole(mut self, mut hear: impl FnMut(&str)) -> Result<(String, End), ModelError> {
        let mut said = String::new();
        loop {
            match self.next().await? {
                Some(Piece::Text(text)) => {
                    hear(&text);
                    said.push_str(&text);
                }
                // What was not offered is called in vain.
                Some(Piece::Call(_)) => {}
                Some(Piece::End(end)) => return Ok((said, end)),
                // An answer ends with its end or with an error.
                None => {
                    return Err(ModelError::CutOff {
                        service: self.service.name().to_owned(),
                    });
                }
            }
        }
    }

    async fn read(&mut self) -> Result<Option<Piece>, ModelError> {
        loop {
            if let Some(piece) = self.pending.pop_front() {
                return piece.map(Some);
            }
            let Some(response) = &mut self.response else {
                return Ok(None);
            };
            let came = timeout_at(self.quiet_until, response.chunk()).await;
            let came = came.map_err(|_| late(&self.service, &self.limits, Patience::Silence))?;
            match came {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => self.ended(),
                // Begun and not finished, whatever the network calls it.
                Err(_) => self.fail(ModelError::CutOff {
                    service: self.service.name().to_owned(),
                }),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let events = match self.frames.take(bytes) {
            Ok(events) => events,
            Err(broken) => return self.fail(self.unreadable(broken)),
        };
        if !events.is_empty() {
            self.quiet_until = Instant::now() + self.limits.silence;
        }
        for event in events {
            self.event(&event);
            if self.response.is_none() {
                return;
            }
        }
    }

    fn event(&mut self, event: &str) {
        let Some(reader) = &mut self.reader else {
            return;
        };
        let read = reader.read(event);
        let called = reader.size();
        match read {
            Ok(Read::Nothing) => self.said(String::new(), called),
            Ok(Read::Text(mut text)) => {
                // Answers go to terminals as well: there is nothing in them that moves a cursor.
                text.retain(|char| !char.is_control() || matches!(char, '\n' | '\t'));
                self.said(text, called);
            }
            Ok(Read::Over) => self.over(),
            Err(Trouble::Unreadable(reason)) => self.fail(ModelError::Unreadable {
                service: self.service.name().to_owned(),
                reason,
            }),
            Err(Trouble::Failed { status, reason }) => {
                self.fail(protocol::failed(&self.service, status, &reason, None));
            }
        }
    }

    /// Text, and how many bytes of calls there are by now.
    fn said(&mut self, text: String, called: usize) {
        self.text += text.len();
        match self.text + called > self.limits.text {
            true => self.fail(ModelError::TooLong {
                service: self.service.name().to_owned(),
                limit: self.limits.text,
            }),
            false if text.is_empty() => {}
            false => self.pending.push_back(Ok(Piece::Text(text))),
        }
    }

    /// The body has ended.
    fn ended(&mut self) {
        match self.frames.end() {
            Ok(Some(event)) => self.event(&event),
            Ok(None) => {}
            Err(broken) => self.fail(self.unreadable(broken)),
        }
        if self.response.is_some() {
            self.over();
        }
    }

    fn over(&mut self) {
        self.response = None;
        match self.reader.take().and_then(Reader::end) {
            Some((calls, end)) => {
                self.pending
                    .extend(calls.into_iter().map(|call| Ok(Piece::Call(call))));
                self.pending.push_back(Ok(Piece::End(end)));
            }
            None => self.pending.push_back(Err(ModelError::CutOff {
                service: self.service.name().to_owned(),
            })),
        }
    }

    /// After what came before it.
    fn fail(&mut self, error: ModelError) {
        self.response = None;
        self.pending.push_back(Err(error));
    }

    fn unreadable(&self, broken: Broken) -> ModelError {
        let service = self.service.name().to_owned();
        match broken {
            Broken::TooLong => ModelError::TooLong {
                service,
                limit: FRAME,
            },
            Broken::NotText => ModelError::Unreadable {
                service,
                reason: "UTF-8".to_owned(),
            },
        }
    }
}

fn late(service: &Service, limits: &Limits, what: Patience) -> ModelError {
    let limit = match what {
        Patience::Silence => limits.silence,
        Patience::Total => limits.total,
    };
    ModelError::Timeout {
        service: service.name().to_owned(),
        seconds: limit.as_secs_f64(),
        what,
    }
}

/// As much of a body as says what is wrong.
async fn beginning(mut response: Response) -> String {
    let mut bytes = Vec::new();
    // A body that breaks off has said what it has said: the status is what counts.
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= FAILURE {
            bytes.truncate(FAILURE);
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
