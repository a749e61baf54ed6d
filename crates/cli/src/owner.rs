//! The owner to talk to: the running one, or this process for the time of a verb.

use crate::output::Failed;
use base::DataHome;
use server::owner::{Owner, Ownership};
use std::time::Duration;
use wire::{BuildId, Client, ClientError, None};

/// How long an owner that is starting or ending is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Session {
    pub client: Client,
    own: Option<Owner>,
}

impl Session {
    /// Gives the data home back, if this process had it.
    pub async fn close(self) {
        if let Some(owner) = self.own {
            owner.close().await;
        }
    }
}

/// A client of whoever owns the data home.
pub async fn session(home: &DataHome) -> Result<Session, Failed> {
    let client = Client::new(&home.socket());
    match client.server_hello(None {}).await {
        Ok(_) => {
            return Ok(Session {
                client,
                own: Option::None,
            });
        }
        Err(ClientError::NotRunning { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let ownership = match Ownership::try_take(home)? {
        Some(ownership) => ownership,
        // Somebody is just starting or ending: wait for the end, or find it answering.
        Option::None => match answering(&client).await {
            true => {
                return Ok(Session {
                    client,
                    own: Option::None,
                });
            }
            false => Ownership::wait(home, PATIENCE).await?,
        },
    };
    let owner = Owner::open(home, ownership)?;
    Ok(Session {
        client,
        own: Some(owner),
    })
}

/// Whether an owner that holds the lock begins to answer.
async fn answering(client: &Client) -> bool {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(5);
    while tokio::time::Instant::now() < deadline {
        if client.server_hello(None {}).await.is_ok() {
            return true;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(200));
    }
    false
}

/// What `pm serve` finds.
pub enum Found {
    /// The data home is ours now.
    Ours(Ownership),
    /// An owner of this build or a newer one serves already.
    Serving { address: Option<String> },
}

/// Takes the data home for `pm serve`; an older owner is asked to finish and hand over.
pub async fn take_over(home: &DataHome) -> Result<Found, Failed> {
    if let Some(ownership) = Ownership::try_take(home)? {
        return Ok(Found::Ours(ownership));
    }
    let client = Client::new(&home.socket());
    if let Ok(hello) = client.server_hello(None {}).await {
        let older = BuildId::parse(&hello.build).is_some_and(|theirs| theirs < BuildId::current());
        match hello.address {
            Some(_) if !older => {
                return Ok(Found::Serving {
                    address: hello.address,
                });
            }
            // A verb's short-time owner ends by itself.
            Option::None => {}
            Some(_) => {
                client.server_stop(None {}).await?;
            }
        }
    }
    Ok(Found::Ours(Ownership::wait(home, PATIENCE).await?))
}
