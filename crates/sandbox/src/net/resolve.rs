//! Names to addresses. A seam for names only: whatever answers, the addresses are checked.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use tokio::sync::Semaphore;

pub type Lookup<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

pub trait Resolve: Send + Sync {
    /// Never given an address or a name of this machine (`localhost`).
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

/// The system resolves on threads that the whole program shares, and a name that is not answered
/// keeps its thread for many seconds: so many at a time.
static LOOKUPS: Semaphore = Semaphore::const_new(16);

impl Resolve for System {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        let name = name.to_owned();
        Box::pin(async move {
            let permit = LOOKUPS.acquire().await.map_err(io::Error::other)?;
            // Whoever gives up waiting leaves the thread behind; the place is free when it is.
            let lookup = tokio::spawn(async move {
                let found = tokio::net::lookup_host((name.as_str(), 0))
                    .await
                    .map(|found| found.map(|address| address.ip()).collect());
                drop(permit);
                found
            });
            lookup.await.map_err(io::Error::other)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_system_answers() {
        let found = System.resolve("localhost").await.unwrap();
        assert!(
            !found.is_empty() && found.iter().all(IpAddr::is_loopback),
            "{found:?}"
        );
        assert!(System.resolve("no-such-name.invalid").await.is_err());
    }
}
