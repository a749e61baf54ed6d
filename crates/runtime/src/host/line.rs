//! A line of calls in front of something that only so many may use at a time.
//!
//! First come, first served. A caller who gives up, in line or behind it, leaves by being
//! dropped, so nothing is counted that is not there. How many may be in at a time can change
//! while some are in: they stay, and the line is as wide as asked once they have left.

use super::error::RunError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(super) struct Line {
    permits: Arc<Semaphore>,
    width: Mutex<Width>,
    waiting: AtomicUsize,
    longest: usize,
}

struct Width {
    wanted: usize,
    /// Turns still out that are not to come back, since the line became narrower.
    surplus: usize,
}

impl Line {
    /// For `width` at a time, with at most `longest` waiting.
    pub(super) fn new(width: usize, longest: usize) -> Arc<Self> {
        Arc::new(Line {
            permits: Arc::new(Semaphore::new(width)),
            width: Mutex::new(Width {
                wanted: width,
                surplus: 0,
            }),
            waiting: AtomicUsize::new(0),
            longest,
        })
    }

    pub(super) fn resize(&self, wanted: usize) {
        let mut width = self.width();
        if wanted >= width.wanted {
            let more = wanted - width.wanted;
            let kept = more.min(width.surplus);
            width.surplus -= kept;
            self.permits.add_permits(more - kept);
        } else {
            let fewer = width.wanted - wanted;
            width.surplus += fewer - self.permits.forget_permits(fewer);
        }
        width.wanted = wanted;
    }

    /// Takes a place at the end.
    pub(super) fn join(self: &Arc<Self>) -> Result<Place, RunError> {
        let place = Place { line: self.clone() };
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        if waiting >= self.longest {
            // Dropping the place counts it out again.
            return Err(RunError::Busy { waiting });
        }
        Ok(place)
    }

    fn width(&self) -> MutexGuard<'_, Width> {
        self.width.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in line.
pub(super) struct Place {
    line: Arc<Line>,
}

impl Place {
    /// Waits until it is this caller's turn.
    pub(super) async fn turn(self) -> Result<Turn, RunError> {
        let permit = self.line.permits.clone().acquire_owned().await;
        Ok(Turn {
            line: self.line.clone(),
            // The semaphore is never closed.
            permit: Some(permit.map_err(|_| RunError::Protocol)?),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.line.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The right to go on, until it is dropped.
pub(super) struct Turn {
    line: Arc<Line>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Given back under the lock, so that a change of the width sees it either in or out.
        let mut width = self.line.width();
        if width.surplus > 0
            && let Some(permit) = self.permit.take()
        {
            width.surplus -= 1;
            permit.forget();
        }
        drop(self.permit.take());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use proptest::prelude::*;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    type Waiting = Pin<Box<dyn Future<Output = Result<Turn, RunError>>>>;

    /// What is polled once goes through, or stands in line.
    fn poll(waiting: &mut Waiting) -> Option<Turn> {
        match waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn.unwrap()),
            Poll::Pending => None,
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Join,
        GiveUp(usize),
        Leave(usize),
        Resize(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => Just(Step::Join),
            1 => any::<usize>().prop_map(Step::GiveUp),
            3 => any::<usize>().prop_map(Step::Leave),
            2 => (1usize..6).prop_map(Step::Resize),
        ]
    }

    const LONGEST: usize = 4;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn a_line_is_never_wider_nor_longer_than_asked(steps in proptest::collection::vec(step(), 1..80)) {
            let line = Line::new(2, LONGEST);
            let mut width = 2;
            let mut queue: Vec<Waiting> = Vec::new();
            let mut inside: Vec<Turn> = Vec::new();
            for step in steps {
                let before = inside.len();
                match step {
                    Step::Join => match line.join() {
                        Ok(place) => queue.push(Box::pin(place.turn())),
                        Err(error) => {
                            let full = matches!(error, RunError::Busy { waiting: LONGEST });
                            prop_assert!(full);
                            prop_assert_eq!(queue.len(), LONGEST);
                        }
                    },
                    Step::GiveUp(at) if !queue.is_empty() => drop(queue.remove(at % queue.len())),
                    Step::Leave(at) if !inside.is_empty() => drop(inside.remove(at % inside.len())),
                    Step::Resize(to) => {
                        line.resize(to);
                        width = to;
                    }
                    Step::GiveUp(_) | Step::Leave(_) => {}
                }
                queue.retain_mut(|waiting| match poll(waiting) {
                    Some(turn) => {
                        inside.push(turn);
                        false
                    }
                    None => true,
                });
                prop_assert!(inside.len() <= width.max(before));
                prop_assert!(queue.is_empty() || inside.len() >= width, "somebody waits for nothing");
                prop_assert_eq!(line.waiting.load(Ordering::Relaxed), queue.len());
            }
            drop(queue);
            drop(inside);
            prop_assert_eq!(line.permits.available_permits(), width);
            prop_assert_eq!(line.waiting.load(Ordering::Relaxed), 0);
            prop_assert_eq!(Arc::strong_count(&line), 1, "nobody is left behind");
        }
    }
}
