//! The addresses of registries, each asked for once an install: a burst of the same question for
//! every transfer loses answers in small name servers, and a lost one costs five seconds.
//!
//! Deliberately not here: keeping addresses longer than an install.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

#[derive(Default)]
pub struct Names {
    known: Mutex<HashMap<String, Arc<OnceCell<Vec<SocketAddr>>>>>,
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = known.entry(name.as_str().to_owned()).or_default().clone();
        drop(known);
        Box::pin(async move {
            // A question that failed is asked again by whoever comes next.
            let ask = || async {
                let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
                std::io::Result::Ok(found.collect())
            };
            let found = slot.get_or_try_init(ask).await?.clone();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_is_asked_for_once_and_one_that_failed_again() {
        let names = Names::default();
        let ask = |name: &str| names.resolve(name.parse().expect("a name"));
        let (one, other) = tokio::join!(ask("localhost"), ask("localhost"));
        let one: Vec<_> = one.expect("found").collect();
        assert!(one.iter().all(|address| address.ip().is_loopback()) && !one.is_empty());
        assert_eq!(one, other.expect("found").collect::<Vec<_>>());
        assert!(ask("no-such-name.invalid").await.is_err());
        let known = names.known.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(known["localhost"].get().map(Vec::len), Some(one.len()));
        assert!(!known["no-such-name.invalid"].initialized());
    }
}
