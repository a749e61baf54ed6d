//! How long to wait before something that ended is tried again.

use std::time::Duration;

/// What lived this long was well: the next failure waits from the start again.
const STEADY: Duration = Duration::from_secs(60);

/// Doubling waits between a first and a last.
#[derive(Debug)]
pub struct Backoff {
    first: Duration,
    last: Duration,
    next: Duration,
}

impl Backoff {
    pub fn new(first: Duration, last: Duration) -> Self {
        Backoff {
            first,
            last,
            next: first,
        }
    }

    /// The wait after an attempt that lived for `lived`.
    pub fn after(&mut self, lived: Duration) -> Duration {
        if lived >= STEADY {
            self.reset();
        }
        let wait = self.next;
        self.next = (wait * 2).min(self.last);
        wait
    }

    /// What happened before does not count any more.
    pub fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIRST: Duration = Duration::from_millis(500);
    const LAST: Duration = Duration::from_secs(30);

    proptest! {
        #[test]
        fn waits_are_bounded_and_grow_until_a_steady_run(lives in prop::collection::vec(0u64..120, 1..40)) {
            let mut backoff = Backoff::new(FIRST, LAST);
            let mut before: Option<Duration> = None;
            for lived in lives.into_iter().map(Duration::from_secs) {
                let wait = backoff.after(lived);
                prop_assert!((FIRST..=LAST).contains(&wait));
                match before {
                    Some(before) if lived < STEADY => prop_assert_eq!(wait, (before * 2).min(LAST)),
                    _ => prop_assert_eq!(wait, FIRST),
                }
                before = Some(wait);
            }
        }
    }
}
