//! How long this machine stood still: a limit of time holds for the time in which it did not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const EACH: Duration = Duration::from_millis(2);

/// A thread that wants to wake every two milliseconds, and counts by how much it was late.
pub struct Stillness {
    lost: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Stillness {
    pub fn watch() -> Self {
        let (lost, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, ended) = (lost.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                let begin = Instant::now();
                std::thread::sleep(EACH);
                let late = begin.elapsed().saturating_sub(EACH * 2).as_micros();
                count.fetch_add(u64::try_from(late).unwrap_or(u64::MAX), Ordering::Relaxed);
            }
        });
        Stillness {
            lost,
            over,
            thread: Some(thread),
        }
    }

    /// Since the beginning.
    pub fn lost(&self) -> Duration {
        Duration::from_micros(self.lost.load(Ordering::Relaxed))
    }
}

impl Drop for Stillness {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}
