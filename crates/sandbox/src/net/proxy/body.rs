//! Bodies from one side to the other, by the length that was announced and not a byte further.

use super::head::Framing;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes of the line that says how long a chunk is; extensions are dropped.
const CHUNK_LINE: usize = 1024;
/// Bytes of trailers, which are dropped.
const TRAILERS: usize = 8 * 1024;

#[derive(Debug)]
pub(super) enum BodyError {
    /// The sender broke off, or kept still for too long.
    From(io::Error),
    /// What the sender sent is no body of this kind.
    Shape(&'static str),
    /// The receiver takes no more.
    To(io::Error),
}

/// A body on its way. `chunked`: the receiver gets it in chunks.
pub(super) struct Copy<'a, R, W> {
    pub(super) from: &'a mut R,
    pub(super) to: &'a mut W,
    pub(super) chunked: bool,
    pub(super) idle: Duration,
}

impl<R: AsyncBufRead + Unpin, W: AsyncWrite + Unpin> Copy<'_, R, W> {
    pub(super) async fn run(&mut self, framing: Framing) -> Result<(), BodyError> {
        match framing {
            Framing::Nothing => return Ok(()),
            Framing::Length(length) => self.exactly(length).await?,
            Framing::Chunked => self.chunks().await?,
            Framing::UntilClose => while self.some(usize::MAX).await? > 0 {},
        }
        match self.chunked {
            true => self.write(b"0\r\n\r\n").await,
            false => Ok(()),
        }
    }

    async fn exactly(&mut self, length: u64) -> Result<(), BodyError> {
        let mut left = length;
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX);
            match self.some(most).await? {
                0 => return Err(BodyError::From(io::ErrorKind::UnexpectedEof.into())),
                count => left -= count as u64,
            }
        }
        Ok(())
    }

    /// What there is, at most so much; 0 at the end.
    async fn some(&mut self, most: usize) -> Result<usize, BodyError> {
        let bytes = super::within(self.idle, self.from.fill_buf())
            .await
            .map_err(BodyError::From)?;
        let count = bytes.len().min(most);
        if count == 0 {
            return Ok(0);
        }
        let write = async {
            if self.chunked {
                self.to.write_all(format!("{count:x}\r\n").as_bytes()).await?;
            }
            self.to.write_all(&bytes[..count]).await?;
            match self.chunked {
                true => self.to.write_all(b"\r\n").await,
                false => Ok(()),
            }
        };
        super::within(self.idle, write).await.map_err(BodyError::To)?;
        self.from.consume(count);
        Ok(count)
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), BodyError> {
        super::within(self.idle, self.to.write_all(bytes))
            .await
            .map_err(BodyError::To)
    }

    async fn chunks(&mut self) -> Result<(), BodyError> {
        loop {
            let line = self.line(CHUNK_LINE).await?;
            let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
            let length = hexadecimal(digits.trim_ascii_end())?;
            if length == 0 {
                break;
            }
            self.exactly(length).await?;
            if !self.line(0).await?.is_empty() {
                return Err(BodyError::Shape("a chunk longer than it says"));
            }
        }
        let mut left = TRAILERS;
        loop {
            match self.line(left).await?.len() {
                0 => return Ok(()),
                taken => left = left.saturating_sub(taken),
            }
        }
    }

    /// Up to CRLF, which is left out.
    async fn line(&mut self, most: usize) -> Result<Vec<u8>, BodyError> {
        let mut line = Vec::new();
        loop {
            let bytes = super::within(self.idle, self.from.fill_buf())
                .await
                .map_err(BodyError::From)?;
            if bytes.is_empty() {
                return Err(BodyError::From(io::ErrorKind::UnexpectedEof.into()));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |at| at + 1);
            line.extend_from_slice(&bytes[..taken]);
            self.from.consume(taken);
            if line.len() > most + 2 {
                return Err(BodyError::Shape("a line in the body is too long"));
            }
            if end.is_some() {
                break;
            }
        }
        match line.strip_suffix(b"\r\n") {
            Some(text) if !text.contains(&b'\r') => Ok(text.to_vec()),
            _ => Err(BodyError::Shape("a line in the body ends without CR")),
        }
    }
}

/// No sign, no prefix, no space.
fn hexadecimal(digits: &[u8]) -> Result<u64, BodyError> {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let fits = (1..=15).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parsed = fits.then(|| u64::from_str_radix(text, 16).ok()).flatten();
    parsed.ok_or(BodyError::Shape("a chunk without a length"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// Memory never waits.
    fn now<T>(work: impl Future<Output = T>) -> T {
        match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("waits"),
        }
    }

    /// What arrives, and what stays behind for the next request.
    fn copied(body: &[u8], framing: Framing, chunked: bool) -> Result<(Vec<u8>, Vec<u8>), BodyError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let _inside = runtime.enter();
        let (mut from, mut to) = (body, Vec::new());
        let mut copy = Copy {
            from: &mut from,
            to: &mut to,
            chunked,
            idle: Duration::from_secs(5),
        };
        now(copy.run(framing))?;
        Ok((to, from.to_vec()))
    }

    #[test]
    fn no_byte_too_many_and_chunks_are_written_anew() {
        let (to, rest) = copied(b"12345GET /", Framing::Length(5), false).unwrap();
        assert_eq!((to.as_slice(), rest.as_slice()), (&b"12345"[..], &b"GET /"[..]));
        let sent = b"3;secret=\"x\"\r\nabc\r\n1 \r\nd\r\n0\r\nX-Trailer: y\r\n\r\nGET /";
        let (to, rest) = copied(sent, Framing::Chunked, true).unwrap();
        assert_eq!(to, b"3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n");
        assert_eq!(rest, b"GET /");
        assert_eq!(copied(sent, Framing::Chunked, false).unwrap().0, b"abcd");
        assert_eq!(copied(b"all", Framing::UntilClose, false).unwrap().0, b"all");
        assert_eq!(copied(b"rest", Framing::Nothing, false).unwrap().1, b"rest");
    }

    #[test]
    fn chunks_that_could_be_read_in_two_ways_are_refused() {
        for sent in [
            &b"3\nabc\r\n0\r\n\r\n"[..],
            b"3\r\nabcd\r\n0\r\n\r\n",
            b"3\r\nab\r\n0\r\n\r\n",
            b"+3\r\nabc\r\n0\r\n\r\n",
            b"0x3\r\nabc\r\n0\r\n\r\n",
            b" 3\r\nabc\r\n0\r\n\r\n",
            b"-1\r\nabc\r\n0\r\n\r\n",
            b"\r\nabc\r\n0\r\n\r\n",
            b"fffffffffffffffff\r\nabc",
            b"3;a\rb\r\nabc\r\n0\r\n\r\n",
            b"3\r\nabc\r\n0\r\nX: y\n\r\n",
        ] {
            let refused = copied(sent, Framing::Chunked, true);
            assert!(
                matches!(refused, Err(BodyError::Shape(_))),
                "{:?}: {refused:?}",
                String::from_utf8_lossy(sent)
            );
        }
        let long = [b"1;".as_slice(), &[b'x'; 5000], b"\r\n"].concat();
        assert!(matches!(
            copied(&long, Framing::Chunked, true),
            Err(BodyError::Shape(_))
        ));
        let trailers = [b"0\r\n".to_vec(), b"A: b\r\n".repeat(5000)].concat();
        assert!(matches!(
            copied(&trailers, Framing::Chunked, true),
            Err(BodyError::Shape(_))
        ));
        assert!(matches!(
            copied(b"5\r\nab", Framing::Chunked, true),
            Err(BodyError::From(_))
        ));
        assert!(matches!(
            copied(b"ab", Framing::Length(3), true),
            Err(BodyError::From(_))
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_chunks_come_out_as_they_went_in(parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..8)) {
            let mut sent = Vec::new();
            for part in &parts {
                sent.extend(format!("{:X}\r\n", part.len()).into_bytes());
                sent.extend(part);
                sent.extend(b"\r\n");
            }
            sent.extend(b"0\r\n\r\nnext");
            let (plain, rest) = copied(&sent, Framing::Chunked, false).unwrap();
            prop_assert_eq!(&plain, &parts.concat());
            prop_assert_eq!(rest, b"next");
            let (again, _) = copied(&sent, Framing::Chunked, true).unwrap();
            prop_assert_eq!(copied(&again, Framing::Chunked, false).unwrap().0, plain);
        }

        #[test]
        fn rubbish_is_an_error_not_a_panic(sent in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = copied(&sent, Framing::Chunked, true);
        }
    }
}
