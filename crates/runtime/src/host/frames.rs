//! Frames on the owner's asynchronous end of the pipe.

use crate::protocol::{FrameError, FromGuest, HEAD, ToGuest, decode, encode, parse_head};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use sandbox::net::{NetError, broker};
use std::io;
use std::os::fd::OwnedFd;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Bytes that room is made for before they come.
const AHEAD: usize = 1 << 20;

pub(crate) struct Frames {
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    buffer: Vec<u8>,
    /// Bytes of a blob that this worker may have to send.
    blob_limit: usize,
}

impl Frames {
    /// `answers`: where the other end writes, if not into the same stream.
    pub(crate) fn new(stream: UnixStream, answers: Option<UnixStream>, blob_limit: usize) -> Self {
        let (same, writer) = stream.into_split();
        let reader = match answers {
            Some(answers) => answers.into_split().0,
            None => same,
        };
        Frames {
            reader,
            writer,
            buffer: Vec::new(),
            blob_limit,
        }
    }

    /// The next frame; `None` at the end of the stream. Safe to drop and call again: what was read
    /// stays in the buffer.
    pub(crate) async fn next(&mut self) -> Result<Option<(FromGuest, Vec<u8>)>, FrameError> {
        loop {
            if let Some(frame) = self.take()? {
                return Ok(Some(frame));
            }
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return if self.buffer.is_empty() {
                    Ok(None)
                } else {
                    Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
                };
            }
        }
    }

    /// Whether the other end is there and says nothing, as it should between runs. Asks the
    /// system: the reactor may not have heard of the end yet.
    pub(crate) fn quiet(&self) -> bool {
        let mut byte = [0; 1];
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        self.buffer.is_empty()
            && matches!(
                rustix::net::recv(self.reader.as_ref(), &mut byte, flags),
                Err(Errno::AGAIN)
            )
    }

    pub(crate) async fn send(&mut self, message: &ToGuest) -> Result<(), FrameError> {
        let bytes = encode(message, 0)?;
        Ok(self.writer.write_all(&bytes).await?)
    }

    /// The message with the socket.
    pub(crate) async fn send_with(&mut self, message: &ToGuest, socket: OwnedFd) -> Result<(), FrameError> {
        let bytes = encode(message, 0)?;
        match broker::pass(self.writer.as_ref(), &bytes, socket).await {
            Ok(()) => Ok(()),
            Err(NetError::Pass(error)) => Err(error.into()),
            Err(other) => Err(io::Error::other(other).into()),
        }
    }

    fn take(&mut self) -> Result<Option<(FromGuest, Vec<u8>)>, FrameError> {
        let Some(head) = self.buffer.first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let (json, blob) = parse_head(*head)?;
        if blob > self.blob_limit {
            return Err(FrameError::TooLarge { json, blob });
        }
        let whole = HEAD + json + blob;
        if self.buffer.len() < whole {
            // Not for all that was announced: it may never come.
            self.buffer.reserve((whole - self.buffer.len()).min(AHEAD));
            return Ok(None);
        }
        let rest = self.buffer.split_off(whole);
        let mut frame = std::mem::replace(&mut self.buffer, rest);
        let bytes = frame.split_off(HEAD + json);
        let message = decode(&frame[HEAD..])?;
        if self.buffer.is_empty() {
            // A large picture must not hold its memory while the worker waits.
            self.buffer.shrink_to(64 * 1024);
        }
        Ok(Some((message, bytes)))
    }
}
