//! Models of agents: asked by this process, or through a queue by workers in others.

use crate::app::App;
use crate::models::Services;
use crate::work::blocking;
use agents::queue::{Answered, Asking, Model, Place, Queue, QueueError, Secret, Times, Worker};
use agents::society::{Call, Reply, Who};
use async_trait::async_trait;
use base::settings::QueueSettings;
use base::{DataHome, Failure, Settings};
use llm::{Chat, Limits, ModelError, Piece};
use secrets::Vault;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Questions that the owner answers at once beside the workers.
const OWN: usize = 8;
/// And that a worker may.
const MOST: usize = 256;
/// Bytes of a secret.
const SECRET: u64 = 4096;

#[async_trait]
impl Model for Services {
    async fn ask(&self, _: &Who, service: Option<&str>, chat: Chat) -> Result<Reply, Failure> {
        let service = self.find(service.map(str::to_owned)).await?;
        let mut answer = self.models.ask(&service, &chat, &Limits::default()).await?;
        let mut reply = Reply::default();
        while let Some(piece) = answer.next().await? {
            match piece {
                Piece::Text(text) => reply.text.push_str(&text),
                Piece::Call(call) => reply.calls.push(Call {
                    id: call.id,
                    name: call.name,
                    arguments: call.arguments,
                    mark: call.mark,
                }),
                Piece::End(end) => {
                    (reply.input, reply.output) = (end.usage.input, end.usage.output);
                }
            }
        }
        Ok(reply)
    }
}

impl App {
    /// The queue of the settings, joined when it is first needed; none where they name none.
    pub(crate) async fn asking(&self) -> Result<Option<&Asking>, Failure> {
        let joining = || async {
            let Some(wanted) = &self.inner.settings.agents.queue else {
                return Ok::<_, Failure>(None);
            };
            let queue = connect(wanted).await?;
            let asking = Asking::begin(queue.clone()).await?;
            if wanted.takes_part {
                let (services, end) = (self.inner.services.clone(), self.inner.cancel.child_token());
                let worker = Worker::new(queue, services, |_| {}, end);
                self.keep(tokio::spawn(async move {
                    if let Err(error) = worker.work(OWN).await {
                        tracing::error!(error = %base::failure::chain(&error), "this process takes no questions");
                    }
                }));
            }
            Ok(Some(asking))
        };
        let asking = self.inner.societies.asking.get_or_try_init(joining).await?;
        Ok(asking.as_ref())
    }
}

async fn connect(wanted: &QueueSettings) -> Result<Queue, Failure> {
    let secret = match wanted.secret_file.clone() {
        Some(path) => Some(blocking(move || secret(&path)).await??),
        None => None,
    };
    let place = Place {
        address: wanted.address.clone(),
        name: wanted.name.clone(),
        secret,
    };
    Ok(Queue::connect(&place, Times::default()).await?)
}

/// Read anew for each connection: a person may have changed it.
fn secret(path: &Path) -> Result<Secret, Failure> {
    use std::io::Read as _;
    let failed = |reason: String| {
        Failure::new("queue_secret_unreadable")
            .with("path", path.display().to_string())
            .with("reason", reason)
    };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    file.take(SECRET)
        .read_to_string(&mut text)
        .map_err(|error| failed(error.to_string()))?;
    Secret::new(&text).ok_or_else(|| failed("USER:PASSWORD".to_owned()))
}

/// What `pm society worker` was told, instead of what the settings say.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    pub address: Option<String>,
    pub name: Option<String>,
    pub secret_file: Option<PathBuf>,
    /// Questions at once.
    pub at_once: usize,
}

/// A process that asks models for the agents of others, with the services and keys of its data home. It does not own
/// that: it may be the one of a program that runs.
pub struct ModelWorker {
    queue: Queue,
    services: Arc<Services>,
    at_once: usize,
}

impl ModelWorker {
    pub async fn open(home: &DataHome, options: WorkerOptions) -> Result<ModelWorker, Failure> {
        if !(1..=MOST).contains(&options.at_once) {
            return Err(Failure::new("queue_at_once_invalid")
                .with("given", options.at_once)
                .with("limit", MOST));
        }
        let (home, wanted) = (home.clone(), options.clone());
        let opening = move || {
            let home = home.prepare()?;
            let settings = Settings::load(&home.settings())?;
            if settings.models.services.is_empty() {
                return Err(Failure::from(ModelError::None));
            }
            let vault = Arc::new(Vault::at(home.secrets(), settings.secrets));
            let queue = settings.agents.queue.unwrap_or_default();
            let queue = QueueSettings {
                address: wanted.address.unwrap_or(queue.address),
                name: wanted.name.unwrap_or(queue.name),
                secret_file: wanted.secret_file.or(queue.secret_file),
                ..queue
            };
            Ok((Services::new(&home, vault), queue))
        };
        let (services, queue) = blocking(opening).await??;
        Ok(ModelWorker {
            queue: connect(&queue).await?,
            services: Arc::new(services),
            at_once: options.at_once,
        })
    }

    pub fn address(&self) -> &str {
        self.queue.address()
    }

    /// Until it is ended; what it works on then is left to others.
    pub async fn work(
        self,
        tell: impl Fn(&Answered<'_>) + Send + Sync + 'static,
        end: CancellationToken,
    ) -> Result<(), QueueError> {
        let worker = Worker::new(self.queue, self.services, tell, end);
        worker.work(self.at_once).await
    }
}
