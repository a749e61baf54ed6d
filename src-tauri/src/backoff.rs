//! How long to wait before the sidecar is started again.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LAST: Duration = Duration::from_secs(30);
/// A server that lived this long was well: the next failure waits from the start again.
const STEADY: Duration = Duration::from_secs(60);

/// Doubling waits, from [`FIRST`] up to [`LAST`].
#[derive(Debug)]
pub struct Backoff {
    next: Duration,
}

impl Backoff {
    pub fn new() -> Self {
        Backoff { next: FIRST }
    }

    /// The wait after an attempt that lived for `lived`.
    pub fn after(&mut self, lived: Duration) -> Duration {
        if lived >= STEADY {
            self.next = FIRST;
        }
        let wait = self.next;
        self.next = (wait * 2).min(LAST);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn waits_are_bounded_and_grow_until_a_steady_run(lives in prop::collection::vec(0u64..120, 1..40)) {
            let mut backoff = Backoff::new();
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
