//! Idempotency keys: a change that is asked for twice with one key happens once.

use base::Failure;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// Answers that are remembered; the oldest leave.
const REMEMBERED: usize = 1000;
/// Characters of a key that count.
const KEY: usize = 128;

type Cell = Arc<OnceCell<Result<Value, Failure>>>;

#[derive(Default)]
pub(crate) struct Repeated {
    known: Mutex<(HashMap<String, Cell>, VecDeque<String>)>,
}

impl Repeated {
    /// Does the work, or gives the answer that the same caller got for the same key.
    pub(super) async fn once(
        &self,
        caller: &str,
        key: &str,
        work: impl Future<Output = Result<Value, Failure>>,
    ) -> Result<Value, Failure> {
        let cell = self.cell(format!("{caller}\n{}", key.chars().take(KEY).collect::<String>()));
        cell.get_or_init(|| work).await.clone()
    }

    fn cell(&self, key: String) -> Cell {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cell) = known.0.get(&key) {
            return cell.clone();
        }
        if known.1.len() >= REMEMBERED
            && let Some(oldest) = known.1.pop_front()
        {
            known.0.remove(&oldest);
        }
        known.1.push_back(key.clone());
        known.0.entry(key).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[tokio::test]
    async fn one_key_one_change() {
        let repeated = Repeated::default();
        let done = AtomicU32::new(0);
        let work = async || Ok(Value::from(done.fetch_add(1, Ordering::Relaxed)));
        let (a, b) = tokio::join!(repeated.once("x", "k", work()), repeated.once("x", "k", work()));
        assert_eq!((a.unwrap(), b.unwrap()), (0.into(), 0.into()));
        assert_eq!(
            repeated.once("y", "k", work()).await.unwrap(),
            1,
            "another caller's key is another key"
        );
        for n in 0..REMEMBERED {
            repeated.once("x", &n.to_string(), work()).await.unwrap();
        }
        assert!(repeated.known.lock().unwrap().0.len() <= REMEMBERED);
    }
}
