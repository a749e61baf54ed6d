//! What a run writes, on the terminal as it comes: its standard output to ours and what stands beside
//! it to our standard error.
//!
//! The owner keeps the last part of what a run writes for whoever is slow ([`wire::RunNews`]). A
//! stream with a gap (a flood of some megabytes a second) therefore stands still until the end, when the
//! answer has all of it, or its beginning and its end where it was too long for that: what is written
//! into a file must not have holes.

use crate::output::Failed;
use crate::owner::Session;
use crate::signals;
use std::cell::RefCell;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::timeout;
use wire::{Client, OutputStream, RunRef, RunState, RunWatch};

/// Longer than it takes to end everything that a run started.
const ENDING: Duration = Duration::from_secs(10);
/// Bytes of each stream that are remembered to find the place where the answer goes on. Answers are
/// shorter.
const KNOWN: usize = 4 << 20;
/// As a program ends that writes where nobody reads.
const NOBODY_READS: u8 = 128 + 13;

/// How a run that was followed ended.
pub enum Ended<T> {
    /// With its answer, of which some has been shown.
    Answered(Result<T, Failed>, Shown),
    /// Called off: by Ctrl+C, or because nobody reads.
    Stopped(ExitCode),
}

/// Makes the call of a run, whose id it is given, and shows what the run writes meanwhile.
pub async fn followed<T>(
    session: &mut Session,
    call: impl AsyncFnOnce(&mut Session, String) -> Result<T, Failed>,
) -> Result<Ended<T>, Failed> {
    let run = uuid::Uuid::new_v4().to_string();
    let (client, shown) = (session.client(), RefCell::new(Shown::default()));
    let stopped = signals::stopped()?;
    let running = call(session, run.clone());
    let following = follow(&client, &run, &shown);
    tokio::pin!(stopped, running);
    let mut following = Box::pin(following);
    let mut following_ended = false;
    let answered = loop {
        let ended = tokio::select! {
            biased;
            code = &mut stopped => code,
            answered = &mut running => break answered,
            () = &mut following, if !following_ended => {
                following_ended = true;
                match shown.borrow().nobody_reads {
                    true => NOBODY_READS,
                    false => continue,
                }
            }
        };
        // It may be over by now; what it answers is known then.
        let _ = client.run_cancel(RunRef { run: run.clone() }).await;
        let _ = timeout(ENDING, &mut running).await;
        return Ok(Ended::Stopped(ExitCode::from(ended)));
    };
    if !following_ended && shown.borrow().begun {
        // Its last words are on their way.
        let _ = timeout(ENDING, &mut following).await;
    }
    drop(following);
    Ok(Ended::Answered(answered, shown.into_inner()))
}

/// Until the run has ended, or nobody reads what it writes.
async fn follow(client: &Client, run: &str, shown: &RefCell<Shown>) {
    let (mut from, mut version) = (0, 0);
    loop {
        let watch = RunWatch {
            run: run.to_owned(),
            from,
            version,
        };
        let Ok(news) = client.run_watch(watch).await else {
            shown.borrow_mut().missed();
            return;
        };
        let mut shown = shown.borrow_mut();
        shown.begun |= news.state != RunState::Waiting;
        let expected = news.next.saturating_sub(from);
        if u32::try_from(news.lines.len()).is_ok_and(|came| came < expected) {
            shown.missed();
        }
        for line in &news.lines {
            shown.piece(line.stream.unwrap_or(OutputStream::Stdout), &line.text);
        }
        // Behind a gap nothing is written that could fail.
        shown.nobody_reads |= is_closed();
        if shown.nobody_reads || news.state == RunState::Ended {
            return;
        }
        (from, version) = (news.next, news.version);
    }
}

/// Whether the reader of our standard output has gone.
fn is_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = io::stdout();
    let mut look = [PollFd::new(&out, PollFlags::empty())];
    let looked = poll(
        &mut look,
        Some(&Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        }),
    );
    looked.is_ok() && look[0].revents().contains(PollFlags::ERR)
}

/// What has gone out.
#[derive(Default)]
pub struct Shown {
    /// The run is known to the owner.
    begun: bool,
    nobody_reads: bool,
    out: Stream,
    err: Stream,
}

#[derive(Default)]
struct Stream {
    text: String,
    gap: bool,
}

impl Shown {
    fn piece(&mut self, stream: OutputStream, text: &str) {
        let of = match stream {
            OutputStream::Stdout => &mut self.out,
            OutputStream::Stderr => &mut self.err,
        };
        let text = of.next(text);
        let text = text.to_owned();
        self.write(stream, &text);
    }

    /// Something came that was not seen, of whichever stream.
    fn missed(&mut self) {
        self.out.gap = true;
        self.err.gap = true;
    }

    /// What of the whole has not gone out.
    pub fn rest(&mut self, stdout: &str, stderr: &str) {
        let (out, err) = (self.out.rest(stdout).to_owned(), self.err.rest(stderr).to_owned());
        self.write(OutputStream::Stdout, &out);
        self.write(OutputStream::Stderr, &err);
    }

    fn write(&mut self, stream: OutputStream, text: &str) {
        let bytes = text.as_bytes();
        let written = match stream {
            OutputStream::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            OutputStream::Stderr => io::stderr().lock().write_all(bytes),
        };
        self.nobody_reads |= written.is_err();
    }
}

impl Stream {
    /// What of the next piece can go out in its place.
    fn next<'t>(&mut self, text: &'t str) -> &'t str {
        if self.gap {
            return "";
        }
        let end = gap_in(text);
        self.gap = end.is_some();
        let text = &text[..end.unwrap_or(text.len())];
        if self.text.len() < KNOWN {
            self.text.push_str(text);
        }
        text
    }

    fn rest<'t>(&self, whole: &'t str) -> &'t str {
        let pairs = self.text.chars().zip(whole.chars());
        let same: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        // Without a gap everything went out, also where the whole leaves out its middle.
        match self.gap || same == self.text.len() {
            true => &whole[same..],
            false => "",
        }
    }
}

/// Where the owner says that it could not take everything in time.
fn gap_in(text: &str) -> Option<usize> {
    let starts = text.match_indices("\n[... ");
    let mut gaps = starts.filter(|(at, start)| {
        let rest = text[at + start.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
        rest.starts_with(" bytes not shown ...]\n")
    });
    gaps.next().map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// However it comes and whatever is missed on the way: all of it goes out, in order, once.
        #[test]
        fn all_of_it_goes_out_once(
            pieces in prop::collection::vec(("[a你\n]{0,20}", 0usize..5), 0..20),
        ) {
            let (mut stream, mut out, mut whole) = (Stream::default(), String::new(), String::new());
            for (text, fate) in &pieces {
                whole.push_str(text);
                match fate {
                    0 => stream.gap = true,
                    1 => {
                        let note = format!("\n[... {} bytes not shown ...]\n", text.len());
                        out.push_str(stream.next(&note));
                    }
                    _ => out.push_str(stream.next(text)),
                }
            }
            out.push_str(stream.rest(&whole));
            prop_assert_eq!(out, whole);
        }
    }

    #[test]
    fn what_the_answer_leaves_out_is_not_said_twice() {
        let mut stream = Stream::default();
        assert_eq!(stream.next("beginning middle end"), "beginning middle end");
        assert_eq!(stream.rest("beginning[left out]end"), "");
        stream.gap = true;
        assert_eq!(stream.rest("beginning[left out]end"), "[left out]end");
    }
}
