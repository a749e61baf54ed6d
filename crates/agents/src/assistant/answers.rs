//! Replies of models that are known already: the very same question, asked again soon, is not paid for twice
//! (seed 003, "缓存常见操作的 AI 响应").

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const KEPT: usize = 64;
const FRESH: Duration = Duration::from_secs(600);

#[derive(Default)]
pub struct Answers {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    replies: HashMap<String, (Instant, String)>,
    used: u32,
}

impl Answers {
    pub fn get(&self, question: &str) -> Option<String> {
        let mut known = self.lock();
        let (at, reply) = known.replies.get(question)?;
        if at.elapsed() > FRESH {
            known.replies.remove(question);
            return None;
        }
        let reply = reply.clone();
        known.used += 1;
        Some(reply)
    }

    pub fn put(&self, question: String, reply: String) {
        let mut known = self.lock();
        if known.replies.len() >= KEPT {
            let oldest = known.replies.iter().min_by_key(|(_, (at, _))| *at);
            if let Some(oldest) = oldest.map(|(question, _)| question.clone()) {
                known.replies.remove(&oldest);
            }
        }
        known.replies.insert(question, (Instant::now(), reply));
    }

    /// How often a reply was known.
    pub fn used(&self) -> u32 {
        self.lock().used
    }

    pub fn clear(&self) {
        self.lock().replies.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_is_known_and_too_many_are_forgotten() {
        let answers = Answers::default();
        assert_eq!(answers.get("a"), None);
        answers.put("a".to_owned(), "1".to_owned());
        assert_eq!(answers.get("a").as_deref(), Some("1"));
        for nth in 0..KEPT {
            answers.put(format!("b{nth}"), "2".to_owned());
        }
        assert_eq!(answers.get("a"), None, "the oldest is forgotten");
        assert_eq!(answers.get("b63").as_deref(), Some("2"));
        assert_eq!(answers.used(), 2);
        answers.clear();
        assert_eq!(answers.get("b63"), None);
    }
}
