//! An answer that keeps something until it has been read to its end, and is otherwise as it was: its
//! length, too, without which it would be sent in chunks.

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

pub(crate) fn held<T: Send + Unpin + 'static>(body: Body, kept: T) -> Body {
    Body::new(Held { body, _kept: kept })
}

struct Held<T> {
    body: Body,
    _kept: T,
}

impl<T: Unpin> hyper::body::Body for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
