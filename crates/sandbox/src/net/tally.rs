//! Attempts of one command, session or run, counted by host: the audit gets a row for each of them
//! and not one for every connection.

use super::{Attempt, Audit, Decision};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// Rows that are kept apart. What comes after is counted in one row of the host `*`.
const MOST: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    rows: Mutex<Vec<Tallied>>,
    /// Something was counted since somebody last looked.
    some: Notify,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tallied {
    pub host: String,
    pub port: u16,
    pub decision: Decision,
    pub count: u64,
}

impl Tallied {
    /// What it is called in the audit. What was let through and then failed was let through.
    pub fn action(&self) -> &'static str {
        match self.decision {
            Decision::Refused(_) => "network.refused",
            Decision::Allowed | Decision::Failed(_) => "network.allowed",
        }
    }

    /// The code of what went wrong.
    pub fn why(&self) -> Option<&'static str> {
        match self.decision {
            Decision::Refused(code) | Decision::Failed(code) => Some(code),
            Decision::Allowed => None,
        }
    }
}

impl Tally {
    pub fn audit(&self) -> Audit {
        let tally = self.clone();
        Arc::new(move |attempt| tally.add(attempt))
    }

    /// In the order in which they first came; the tally is empty afterwards.
    pub fn take(&self) -> Vec<Tallied> {
        std::mem::take(&mut *self.0.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Until something is counted; for one who waits.
    pub async fn some(&self) {
        self.0.some.notified().await;
    }

    fn add(&self, attempt: Attempt) {
        self.0.some.notify_one();
        let mut rows = self.0.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut row = Tallied {
            host: attempt.host,
            port: attempt.port,
            decision: attempt.decision,
            count: 1,
        };
        let same = |one: &Tallied, other: &Tallied| {
            (one.port, one.decision) == (other.port, other.decision) && one.host == other.host
        };
        let mut found = rows.iter().position(|known| same(known, &row));
        if found.is_none() && rows.len() >= MOST {
            row.host = "*".to_owned();
            row.port = 0;
            found = rows
                .iter()
                .position(|known| known.host == row.host && known.port == 0);
        }
        match found {
            Some(at) => rows[at].count += 1,
            None => rows.push(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Via;

    fn attempt(host: &str, decision: Decision) -> Attempt {
        Attempt {
            via: Via::Connect,
            host: host.to_owned(),
            port: 443,
            address: None,
            decision,
        }
    }

    #[test]
    fn one_row_for_each_host_and_bounded() {
        let tally = Tally::default();
        let audit = tally.audit();
        for _ in 0..3 {
            audit(attempt("a.example", Decision::Refused("network_not_granted")));
        }
        audit(attempt("a.example", Decision::Allowed));
        let rows = tally.take();
        let counts: Vec<_> = rows.iter().map(|row| (row.action(), row.count)).collect();
        assert_eq!(counts, [("network.refused", 3), ("network.allowed", 1)]);
        for number in 0..MOST * 2 {
            audit(attempt(&format!("h{number}.example"), Decision::Allowed));
        }
        let rows = tally.take();
        assert_eq!(rows.len(), MOST + 1);
        assert_eq!((rows[MOST].host.as_str(), rows[MOST].count), ("*", MOST as u64));
        assert!(tally.take().is_empty());
    }
}
