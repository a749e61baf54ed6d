//! Names that lead where a test wants, judged by the real check.

use runtime::host::Reach;
use runtime::host::net::{Attempt, HostRules, Lookup, Network, OwnPorts, Resolve};
use std::io;
use std::sync::{Arc, Mutex};

struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let address = match name {
                "allowed.test" | "other.test" | "own.test" => "127.0.0.1",
                "inner.test" => "10.0.0.1",
                "metadata.test" => "169.254.169.254",
                "silent.test" => std::future::pending().await,
                _ => return Err(io::ErrorKind::NotFound.into()),
            };
            Ok(vec![address.parse().unwrap()])
        })
    }
}

pub type Attempts = Arc<Mutex<Vec<Attempt>>>;

pub fn reach(hosts: &[&str], loopback: &[u16], own: &[u16]) -> (Reach, Attempts) {
    let ports = OwnPorts::default();
    own.iter().for_each(|port| ports.add(*port));
    let attempts = Attempts::default();
    let kept = attempts.clone();
    let reach = Reach {
        network: Network::new(HostRules::new(hosts, loopback).unwrap(), &ports)
            .with_resolver(Arc::new(Names)),
        audit: Arc::new(move |attempt| kept.lock().unwrap().push(attempt)),
        explain: Arc::new(|error| error.to_string()),
        ..Reach::nothing()
    };
    (reach, attempts)
}
