//! Bytes both ways until both ends have closed, one broke, or neither spoke for too long.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;

/// One end: what is read from it is buffered by its reader.
pub(super) struct End<R, W> {
    pub(super) reader: R,
    pub(super) writer: W,
}

pub(super) async fn run<R, W, S, T>(
    mut one: End<R, W>,
    mut other: End<S, T>,
    idle: Duration,
) -> io::Result<()>
where
    R: AsyncBufRead + Unpin,
    S: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
    T: AsyncWrite + Unpin,
{
    let pulse = Pulse::new();
    let both = async {
        tokio::try_join!(
            pump(&mut one.reader, &mut other.writer, &pulse),
            pump(&mut other.reader, &mut one.writer, &pulse)
        )
        .map(|_| ())
    };
    tokio::select! {
        ended = both => ended,
        () = pulse.stopped(idle) => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// The end of one direction is passed on and leaves the other one open.
async fn pump(
    from: &mut (impl AsyncBufRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    pulse: &Pulse,
) -> io::Result<()> {
    loop {
        let bytes = from.fill_buf().await?;
        if bytes.is_empty() {
            return to.shutdown().await;
        }
        let written = to.write(bytes).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        from.consume(written);
        pulse.beat();
    }
}

/// When something last moved.
struct Pulse {
    start: Instant,
    /// Milliseconds after `start`.
    last: AtomicU64,
}

impl Pulse {
    fn new() -> Self {
        Pulse {
            start: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    fn beat(&self) {
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    async fn stopped(&self, idle: Duration) {
        loop {
            let last = self.start + Duration::from_millis(self.last.load(Ordering::Relaxed));
            if last.elapsed() >= idle {
                return;
            }
            tokio::time::sleep_until(last + idle).await;
        }
    }
}
