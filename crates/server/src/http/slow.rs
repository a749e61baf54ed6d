//! Against clients that say a request's body bit by bit, or never to its end: it must be here in time.

use super::{failed, guard};
use crate::app::App;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use base::Failure;
use hyper::body::{Body as _, Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a request's head may take, and a connection be kept that asks for nothing.
pub(crate) const HEAD: Duration = Duration::from_secs(15);
/// How long the largest body may take that is taken at all.
const WHOLE: Duration = Duration::from_secs(30);

/// Ends a request whose body does not come, whoever waits for it.
pub(super) async fn bodies(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let lang = guard::language(request.headers(), app.lang());
    let late = Arc::new(AtomicBool::new(false));
    let request = request.map(|body| {
        Body::new(Timed {
            body,
            until: Instant::now() + WHOLE,
            alarm: None,
            late: late.clone(),
        })
    });
    let response = next.run(request).await;
    match late.load(Ordering::Relaxed) {
        // What the route made of half a body says less.
        true => failed(
            &Failure::new("request_too_slow").with("seconds", WHOLE.as_secs()),
            lang,
        ),
        false => response,
    }
}

struct Timed {
    body: Body,
    until: Instant,
    /// Only for a body that is waited for.
    alarm: Option<Pin<Box<Sleep>>>,
    late: Arc<AtomicBool>,
}

#[derive(Debug, thiserror::Error)]
#[error("the body of the request did not come in time")]
struct TooSlow;

impl hyper::body::Body for Timed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        let until = self.until;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if alarm.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.late.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(axum::Error::new(TooSlow))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use futures_util::stream;

    /// What of a body of so many pieces comes in time, one every 20 ms.
    async fn dripped(pieces: u32) -> (Option<Bytes>, bool) {
        let dripping = stream::unfold(0, move |said| async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            (said < pieces).then_some((Ok::<_, std::io::Error>(Bytes::from_static(b"x")), said + 1))
        });
        let late = Arc::new(AtomicBool::new(false));
        let body = Body::new(Timed {
            body: Body::from_stream(dripping),
            until: Instant::now() + Duration::from_secs(1),
            alarm: None,
            late: late.clone(),
        });
        (
            to_bytes(body, usize::MAX).await.ok(),
            late.load(Ordering::Relaxed),
        )
    }

    #[tokio::test]
    async fn pieces_that_come_one_by_one_are_too_late_together() {
        assert_eq!(dripped(3).await, (Some(Bytes::from_static(b"xxx")), false));
        assert_eq!(dripped(u32::MAX).await, (None, true));
    }
}
