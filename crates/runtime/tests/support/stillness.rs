//! How long this machine stood still, or had no processor for somebody who wanted one: a limit of time
//! holds for the time in which it did not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const EACH: Duration = Duration::from_millis(2);

/// A thread that wants to wake every two milliseconds, and counts by how much it was late.
pub struct Stillness {
    pressed: Duration,
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
            pressed: pressed(),
            lost,
            over,
            thread: Some(thread),
        }
    }

    /// Since the beginning.
    pub fn lost(&self) -> Duration {
        let late = Duration::from_micros(self.lost.load(Ordering::Relaxed));
        late.max(pressed() - self.pressed)
    }
}

/// How long somebody has waited for a processor, as the kernel counts it; always nothing where it does not.
fn pressed() -> Duration {
    let text = std::fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("some ")?.split_once("total="));
    Duration::from_micros(total.map_or(0, |(_, micros)| micros.parse().unwrap()))
}

impl Drop for Stillness {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}
