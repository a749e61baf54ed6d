//! How far a call is, told to clients that gave a progress token.
//!
//! Deliberately not here: what progress is; the open run says it.

use crate::app::App;
use crate::live::{Phase, Progress};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};

/// Tells until the run has ended, or the client is gone.
pub(super) async fn tell(app: App, run: String, peer: Peer<RoleServer>, token: ProgressToken) {
    let mut version = 0;
    let mut told = Told::default();
    loop {
        let Some(news) = app.inner.live.watch(&run, u32::MAX, version).await else {
            return;
        };
        version = news.version;
        if let Some((done, total)) = news.progress.as_ref().and_then(|at| told.next(at)) {
            let mut said = ProgressNotificationParam::new(token.clone(), done);
            if let Some(total) = total {
                said = said.with_total(total);
            }
            if let Some(text) = news.progress.map(|at| at.text).filter(|text| !text.is_empty()) {
                said = said.with_message(text);
            }
            if peer.notify_progress(said).await.is_err() {
                return;
            }
        }
        if news.phase != Phase::Running {
            return;
        }
    }
}

/// To a client progress only grows. What begins anew (packages are installed, then the tool runs)
/// goes on from where the last left off.
#[derive(Default)]
struct Told {
    before: f64,
    last: f64,
    said: Option<f64>,
}

impl Told {
    fn next(&mut self, at: &Progress) -> Option<(f64, Option<f64>)> {
        if at.done < self.last {
            self.before += self.last;
        }
        self.last = at.done;
        let done = self.before + at.done;
        if self.said.is_some_and(|said| done <= said) {
            return None;
        }
        self.said = Some(done);
        Some((done, at.total.map(|total| self.before + total)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_only_grows() {
        let mut told = Told::default();
        let mut next = |done: f64, total: f64| {
            told.next(&Progress {
                done,
                total: Some(total),
                text: String::new(),
            })
        };
        assert_eq!(next(0.0, 100.0), Some((0.0, Some(100.0))));
        assert_eq!(next(96.0, 100.0), Some((96.0, Some(100.0))));
        assert_eq!(next(96.0, 100.0), None);
        assert_eq!(next(0.0, 3.0), None, "a new beginning says nothing new");
        assert_eq!(next(1.0, 3.0), Some((97.0, Some(99.0))));
        assert_eq!(next(3.0, 3.0), Some((99.0, Some(99.0))));
    }
}
