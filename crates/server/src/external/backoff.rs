//! How long a server that failed is left alone: twice as long each time, up to a limit; one that held for
//! a while begins anew.

use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);
/// Who ran for so long did not fail by its start.
const HELD: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    until: Option<Instant>,
}

impl Backoff {
    /// `ran`: how long it had been there.
    pub(crate) fn failed(&mut self, now: Instant, ran: Duration) {
        if ran >= HELD {
            self.failures = 0;
        }
        let wait = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.until = Some(now + wait);
    }

    pub(crate) fn left(&self, now: Instant) -> Duration {
        self.until
            .map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    pub(crate) fn forgive(&mut self) {
        *self = Backoff::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_up_to_a_limit_and_forgets() {
        let (mut backoff, now) = (Backoff::default(), Instant::now());
        assert_eq!(backoff.left(now), Duration::ZERO);
        let mut waits = Vec::new();
        for _ in 0..40 {
            backoff.failed(now, Duration::ZERO);
            waits.push(backoff.left(now).as_secs());
        }
        assert_eq!(waits[..10], [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
        assert_eq!(waits[39], 300);
        backoff.failed(now, HELD);
        assert_eq!(backoff.left(now).as_secs(), 1);
        backoff.forgive();
        assert_eq!(backoff.left(now), Duration::ZERO);
    }
}
