//! How much one client may ask for: requests over time, and calls at once.
//!
//! They keep a client that runs wild from taking everything; persons and their programs on the socket
//! have none.

use base::Failure;
use base::settings::ClientLimits;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Clients that are remembered; more than that only come by inventing names.
const CLIENTS: usize = 1000;
const MINUTE: f64 = 60.0;

pub(crate) struct Limits {
    per_minute: f64,
    calls: usize,
    clients: Mutex<HashMap<String, Usage>>,
}

struct Usage {
    /// Requests that it may still make at once; fills up over a minute.
    left: f64,
    at: Instant,
    calls: usize,
}

/// Whose limits, sessions and open questions these are.
///
/// Nobody takes those of a token by calling itself like it: no token has a name like what a client
/// says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn of_token(name: &str) -> Self {
        Key(name.to_owned())
    }

    /// Of a client without a token of its own.
    pub(crate) fn of_word(name: &str) -> Self {
        Key(format!("/{name}"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A call that runs.
pub(crate) struct Running {
    limits: Arc<Limits>,
    client: String,
}

impl Limits {
    pub(crate) fn new(limits: &ClientLimits) -> Self {
        Limits {
            per_minute: f64::from(limits.requests_per_minute.max(1)),
            calls: limits.calls.max(1) as usize,
            clients: Mutex::default(),
        }
    }

    /// One more request of a client.
    pub(crate) fn request(&self, client: &str) -> Result<(), Failure> {
        self.request_at(client, Instant::now())
    }

    fn request_at(&self, client: &str, now: Instant) -> Result<(), Failure> {
        let mut clients = self.lock();
        let usage = self.usage(&mut clients, client, now);
        let gone = now.saturating_duration_since(usage.at).as_secs_f64();
        usage.left = (usage.left + gone * self.per_minute / MINUTE).min(self.per_minute);
        usage.at = now;
        if usage.left < 1.0 {
            let seconds = ((1.0 - usage.left) * MINUTE / self.per_minute).ceil();
            return Err(Failure::new("too_many_requests")
                .with("limit", self.per_minute as u64)
                .with("seconds", seconds as u64));
        }
        usage.left -= 1.0;
        Ok(())
    }

    /// One more call, until what this gives is dropped.
    pub(crate) fn call(self: &Arc<Self>, client: &str) -> Result<Running, Failure> {
        let mut clients = self.lock();
        let usage = self.usage(&mut clients, client, Instant::now());
        if usage.calls >= self.calls {
            return Err(Failure::new("too_many_calls").with("limit", self.calls));
        }
        usage.calls += 1;
        drop(clients);
        Ok(Running {
            limits: self.clone(),
            client: client.to_owned(),
        })
    }

    fn usage<'u>(
        &self,
        clients: &'u mut HashMap<String, Usage>,
        client: &str,
        now: Instant,
    ) -> &'u mut Usage {
        if clients.len() >= CLIENTS && !clients.contains_key(client) {
            // Who has been quiet for a minute has all its requests again.
            let minute = Duration::from_secs(60);
            clients.retain(|_, usage| usage.calls > 0 || now.saturating_duration_since(usage.at) < minute);
        }
        // What still does not fit shares one place.
        let fits = clients.len() < CLIENTS || clients.contains_key(client);
        let name = if fits { client } else { "" };
        clients.entry(name.to_owned()).or_insert(Usage {
            left: self.per_minute,
            at: now,
            calls: 0,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Usage>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut clients = self.limits.lock();
        let name = if clients.contains_key(&self.client) {
            self.client.as_str()
        } else {
            ""
        };
        if let Some(usage) = clients.get_mut(name) {
            usage.calls = usage.calls.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(requests_per_minute: u32, calls: u32) -> Arc<Limits> {
        Arc::new(Limits::new(&ClientLimits {
            requests_per_minute,
            calls,
            sessions: 1,
        }))
    }

    #[test]
    fn requests_fill_up_over_a_minute_for_each_client() {
        let (limits, start) = (limits(60, 1), Instant::now());
        for _ in 0..60 {
            limits.request_at("a", start).unwrap();
        }
        let refused = limits.request_at("a", start).unwrap_err();
        assert_eq!(
            (refused.code.as_str(), &refused.args["seconds"]),
            ("too_many_requests", &1.into())
        );
        limits.request_at("b", start).unwrap();
        let later = start + Duration::from_secs(2);
        limits.request_at("a", later).unwrap();
        limits.request_at("a", later).unwrap();
        assert!(
            limits.request_at("a", later).is_err(),
            "two seconds are two requests"
        );
    }

    #[test]
    fn calls_are_counted_until_they_end() {
        let limits = limits(1, 2);
        let (one, _two) = (limits.call("a").unwrap(), limits.call("a").unwrap());
        assert_eq!(limits.call("a").err().unwrap().code, "too_many_calls");
        limits.call("b").unwrap();
        drop(one);
        limits.call("a").unwrap();
    }

    #[test]
    fn invented_names_do_not_fill_the_memory() {
        let limits = limits(10, 1);
        for name in 0..CLIENTS * 3 {
            // Those that no longer fit share a place, and may be refused.
            let _ = limits.request(&name.to_string());
        }
        assert!(limits.lock().len() <= CLIENTS + 1);
    }
}
