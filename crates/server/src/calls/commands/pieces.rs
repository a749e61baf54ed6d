//! Output on its way to those who watch a command: what comes within a moment is one piece, text is
//! made of bytes without tearing characters, and what was not taken in time is counted.

use crate::live::Opened;
use base::clock;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, timeout_at};
use toolbox::modes::{Line, OpenRun, Stream};
use toolbox::run_log::Level;
use workspace::command::{self, Chunk};

/// Output of so long goes out together …
const GATHER: Duration = Duration::from_millis(30);
/// … or so many bytes of it: open runs keep no longer lines.
const PIECE: usize = 8 * 1024;

/// Until nothing more can come.
pub(super) async fn pass_on(mut chunks: Receiver<Chunk>, open: &Opened) {
    let mut out = Out {
        open,
        pending: [Vec::new(), Vec::new()],
        last: Stream::Stdout,
    };
    while let Some(chunk) = chunks.recv().await {
        out.take(chunk);
        let deadline = Instant::now() + GATHER;
        while let Ok(Some(chunk)) = timeout_at(deadline, chunks.recv()).await {
            out.take(chunk);
        }
        out.flush(Whole::Only);
    }
    out.flush(Whole::OrNot);
}

/// Whether a character that has only begun is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Only,
    OrNot,
}

struct Out<'o, O: OpenRun> {
    open: &'o O,
    pending: [Vec<u8>; 2],
    last: Stream,
}

impl<O: OpenRun> Out<'_, O> {
    fn take(&mut self, chunk: Chunk) {
        let stream = match chunk.stream {
            command::Stream::Stdout => Stream::Stdout,
            command::Stream::Stderr => Stream::Stderr,
        };
        // In the order in which the two came.
        if stream != self.last {
            self.flush(Whole::Only);
            self.last = stream;
        }
        if chunk.missed > 0 {
            let note = format!("\n[... {} bytes not shown ...]\n", chunk.missed);
            self.pending[at(stream)].extend(note.as_bytes());
        }
        self.pending[at(stream)].extend(chunk.bytes);
        while self.pending[at(stream)].len() >= PIECE {
            let rest = self.pending[at(stream)].split_off(PIECE);
            let mut piece = std::mem::replace(&mut self.pending[at(stream)], rest);
            let begun = piece.split_off(whole_end(&piece));
            self.pending[at(stream)].splice(0..0, begun);
            self.say(stream, &piece);
        }
    }

    fn flush(&mut self, whole: Whole) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let pending = &mut self.pending[at(stream)];
            let end = match whole {
                Whole::Only => whole_end(pending),
                Whole::OrNot => pending.len(),
            };
            let rest = pending.split_off(end);
            let piece = std::mem::replace(pending, rest);
            self.say(stream, &piece);
        }
    }

    fn say(&self, stream: Stream, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        self.open.line(Line {
            at: clock::now_ms(),
            level: Level::Info,
            stream: Some(stream),
            text: String::from_utf8_lossy(piece).into_owned(),
        });
    }
}

fn at(stream: Stream) -> usize {
    match stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1,
    }
}

/// The length without a character that has only begun.
fn whole_end(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    match std::str::from_utf8(&bytes[from + continued(&bytes[from..])..]) {
        Err(error) if error.error_len().is_none() => from + continued(&bytes[from..]) + error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// How many bytes at the beginning belong to a character before them.
fn continued(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte & 0xc0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Mutex;
    use tokio_util::sync::CancellationToken;

    #[derive(Default)]
    struct Said(Mutex<Vec<Line>>);

    impl OpenRun for Said {
        fn line(&self, line: Line) {
            self.0.lock().unwrap().push(line);
        }
        fn progress(&self, _: f64, _: Option<f64>, _: Option<String>) {}
        fn lines(&self) -> Vec<Line> {
            self.0.lock().unwrap().clone()
        }
        fn cancel(&self) -> CancellationToken {
            CancellationToken::new()
        }
        fn over(&self) {}
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn streams_come_through_whole_however_they_are_torn(
            out in "[a你😀é\n]{0,4000}",
            err in "[b字\n]{0,50}",
            tears in prop::collection::vec((any::<bool>(), 1usize..4000, any::<bool>()), 0..40),
        ) {
            let said = Said::default();
            let mut passing = Out { open: &said, pending: Default::default(), last: Stream::Stdout };
            let (mut out_left, mut err_left) = (out.as_bytes(), err.as_bytes());
            let all = tears.into_iter().chain([(true, usize::MAX, true), (false, usize::MAX, true)]);
            for (first, count, flush) in all {
                let (left, stream) = match first {
                    true => (&mut out_left, command::Stream::Stdout),
                    false => (&mut err_left, command::Stream::Stderr),
                };
                let (bytes, rest) = left.split_at(count.min(left.len()));
                *left = rest;
                passing.take(Chunk { stream, bytes: bytes.to_vec(), missed: 0 });
                if flush {
                    passing.flush(Whole::Only);
                }
            }
            passing.flush(Whole::OrNot);
            for (stream, text) in [(Stream::Stdout, &out), (Stream::Stderr, &err)] {
                let lines = said.lines();
                let got: String = lines
                    .iter()
                    .filter(|line| line.stream == Some(stream))
                    .map(|line| line.text.as_str())
                    .collect();
                prop_assert_eq!(&got, text);
                prop_assert!(lines.iter().all(|line| line.text.len() <= PIECE));
            }
        }
    }
}
