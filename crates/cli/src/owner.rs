//! The owner to talk to: the running one, or this process for the time of a verb.
//!
//! Owners come and go: one that a verb made ends after that verb, one that was asked to stop
//! ends after its calls. So a verb may meet an owner that is just starting or just ending, and
//! may lose it between two calls. Both mean the same here: find the next one, or be it.

use crate::output::{self, Failed};
use crate::signals;
use base::DataHome;
use server::OwnerError;
use server::owner::{Owner, Ownership};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use wire::{BuildId, Client, ClientError, Effect, None};

/// How long an owner that is starting or ending is waited for: longer than it takes to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at one that does not answer yet.
const AGAIN: Duration = Duration::from_millis(100);
/// Between two looks at one that works for a verb. A look is a call to it, and it stays for a
/// moment after each.
const BUSY: Duration = Duration::from_secs(2);
/// A verb that is done and still serves others says so when it takes this long.
const NOTICED: Duration = Duration::from_secs(1);

/// Whoever owns the data home, for the calls of one verb.
pub struct Session {
    home: DataHome,
    client: Client,
    own: Option<Owner>,
}

impl Session {
    pub async fn open(home: &DataHome) -> Result<Self, Failed> {
        let client = Client::new(&home.socket());
        let own = reach(home, &client).await?;
        Ok(Session {
            home: home.clone(),
            client,
            own,
        })
    }

    /// For calls beside the verb's own.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Makes a call that changes nothing; again with the next owner when this one ended.
    pub async fn read<P: Clone, R>(
        &mut self,
        call: impl AsyncFn(&Client, P) -> Result<R, ClientError>,
        params: P,
    ) -> Result<R, Failed> {
        self.ask(Effect::Reads, call, params).await
    }

    /// Makes a call that changes something; again only when it is certain that it was not begun.
    pub async fn change<P: Clone, R>(
        &mut self,
        call: impl AsyncFn(&Client, P) -> Result<R, ClientError>,
        params: P,
    ) -> Result<R, Failed> {
        self.ask(Effect::Changes, call, params).await
    }

    async fn ask<P: Clone, R>(
        &mut self,
        effect: Effect,
        call: impl AsyncFn(&Client, P) -> Result<R, ClientError>,
        params: P,
    ) -> Result<R, Failed> {
        let mut first_failure = Option::None;
        loop {
            let error = match call(&self.client, params.clone()).await {
                Ok(result) => return Ok(result),
                Err(error) => error,
            };
            let since: &Instant = first_failure.get_or_insert_with(Instant::now);
            // Our own owner ends only when somebody asked it to.
            if self.own.is_some() || !may_repeat(&error, effect) || since.elapsed() >= PATIENCE {
                return Err(error.into());
            }
            self.own = reach(&self.home, &self.client).await?;
        }
    }

    /// Gives the data home back, if this process had it, when nobody else's call runs here.
    pub async fn close(self) {
        if let Some(owner) = self.own {
            linger(&owner).await;
            owner.close().await;
        }
    }
}

/// An owner that answers, which is nobody's (`None`) or, where there is none, becomes ours.
async fn reach(home: &DataHome, client: &Client) -> Result<Option<Owner>, Failed> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match timeout_at(deadline, client.server_hello(None {})).await {
            Ok(Ok(_)) => return Ok(Option::None),
            Ok(Err(error)) if may_repeat(&error, Effect::Reads) => {}
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => return Err(OwnerError::Held.into()),
        }
        if let Some(ownership) = Ownership::try_take(home)? {
            return Ok(Some(Owner::open(home, ownership)?));
        }
        if Instant::now() >= deadline {
            return Err(OwnerError::Held.into());
        }
        sleep(AGAIN / 4).await;
    }
}

/// Whether a call that failed so can be made again without being made twice.
fn may_repeat(error: &ClientError, effect: Effect) -> bool {
    match error {
        // It never reached anybody.
        ClientError::NotRunning { .. } => true,
        // An owner that ends begins nothing.
        ClientError::Call(error) => error.code == "server_ending",
        // Nobody knows how far it came.
        ClientError::Broken(_) | ClientError::Silent => effect == Effect::Reads,
        ClientError::BadAnswer(_) => false,
    }
}

/// Serves on, after the own verb, while other processes' calls run here. Ctrl+C ends it.
async fn linger(owner: &Owner) {
    let stopped = signals::stopped();
    let stopped = async {
        match stopped {
            Ok(stopped) => drop(stopped.await),
            // Without handlers Ctrl+C ends the process, as it does everywhere.
            Err(_) => std::future::pending().await,
        }
    };
    let noticed = async {
        sleep(NOTICED).await;
        output::note("serves_others");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = owner.deserted() => {}
        () = owner.asked_to_end() => {}
        () = stopped => owner.cancel_calls(),
        () = noticed => {}
    }
}

/// What `pm serve` finds.
pub enum Found {
    /// The data home is ours now.
    Ours(Ownership),
    /// An owner of this build or a newer one serves already.
    Serving { address: Option<String> },
}

/// Takes the data home for `pm serve`; an older owner is asked to finish and hand over. One that
/// works for a verb ends by itself, and is waited for as long as it answers.
pub async fn take_over(home: &DataHome) -> Result<Found, Failed> {
    let client = Client::new(&home.socket());
    let mut answered = Instant::now();
    let (mut asked, mut noted) = (false, false);
    loop {
        if let Some(ownership) = Ownership::try_take(home)? {
            return Ok(Found::Ours(ownership));
        }
        let mut pause = AGAIN;
        if let Ok(Ok(hello)) = timeout(PATIENCE, client.server_hello(None {})).await {
            let older = BuildId::parse(&hello.build).is_some_and(|theirs| theirs < BuildId::current());
            match hello.address {
                Some(_) if !older => {
                    return Ok(Found::Serving {
                        address: hello.address,
                    });
                }
                Some(_) if !asked => {
                    asked = true;
                    stop(&client).await?;
                }
                Some(_) => {}
                Option::None => {
                    answered = Instant::now();
                    pause = BUSY;
                    if !std::mem::replace(&mut noted, true) {
                        output::note("waits_for_verb");
                    }
                }
            }
        }
        match Ownership::wait(home, pause).await {
            Ok(ownership) => return Ok(Found::Ours(ownership)),
            Err(OwnerError::Held) if answered.elapsed() < PATIENCE => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Asks the owner to end; one that ends already was asked by somebody else.
async fn stop(client: &Client) -> Result<(), Failed> {
    match client.server_stop(None {}).await {
        Err(error) if !may_repeat(&error, Effect::Reads) => Err(error.into()),
        _ => Ok(()),
    }
}
