//! `zlib`: deflate in its three wrappings and brotli, a piece at a time; zstd, which is kept until it
//! is whole. What comes out of one piece is bounded.
//!
//! Not here: `memLevel` and `strategy`, which change sizes and not contents; zstd levels, of which
//! the encoder in Rust has one.

use brotli::enc::BrotliEncoderParams;
use brotli::{CompressorWriter, DecompressorWriter};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use rquickjs::{Array, Ctx, Exception, Function, Object, Result, TypedArray};
use std::cell::RefCell;
use std::io::{self, Read, Write};

/// Room that is made for output at a time.
const PIECE: usize = 32 * 1024;

/// The flushes of zlib, by Node's numbers.
const FINISH: i32 = 4;

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("open", Function::new(ctx.clone(), open)?)?;
    native.set("crc32", Function::new(ctx.clone(), crc32)?)?;
    Ok(native)
}

/// As Node says it: code, number, text.
struct Wrong(&'static str, i32, String);

impl Wrong {
    fn data(text: &str) -> Self {
        Wrong("Z_DATA_ERROR", -3, text.to_owned())
    }

    fn cut() -> Self {
        Wrong("Z_BUF_ERROR", -5, "unexpected end of file".to_owned())
    }

    fn large() -> Self {
        Wrong("ERR_BUFFER_TOO_LARGE", -5, "too large".to_owned())
    }

    fn throw(self, ctx: &Ctx<'_>) -> rquickjs::Error {
        let Wrong(code, number, text) = self;
        let made = (|| {
            let exception = Exception::from_message(ctx.clone(), &text)?;
            exception.as_object().set("errno", number)?;
            exception.as_object().set("code", code)?;
            Ok(exception)
        })();
        match made {
            Ok(exception) => exception.throw(),
            Err(error) => error,
        }
    }
}

/// Output that refuses to grow over its limit.
struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Running {
    Deflate(Compress),
    Inflate(Inflate),
    Brotli(Box<CompressorWriter<Bounded>>),
    Unbrotli(Box<DecompressorWriter<Bounded>>),
    Zstd { held: Vec<u8>, packs: bool },
}

struct Inflate {
    work: Decompress,
    dictionary: Option<Vec<u8>>,
    gzip: bool,
    ended: bool,
}

/// `{level, windowBits, dictionary, limit, mode}` for `kind`; gives a function `(bytes, flush)` that
/// answers `[output, ended, bytes left over]`.
fn open<'js>(ctx: Ctx<'js>, kind: String, options: Object<'js>) -> Result<Function<'js>> {
    let level: i32 = options.get("level")?;
    let bits: u8 = options.get("windowBits")?;
    let limit: f64 = options.get("limit")?;
    let dictionary: Option<TypedArray<'js, u8>> = options.get("dictionary")?;
    let dictionary = dictionary.map(|bytes| super::with_bytes(&bytes, <[u8]>::to_vec));
    let limit = limit as usize;
    let running = start(&kind, level, bits, dictionary, limit).map_err(|wrong| wrong.throw(&ctx))?;
    let running = RefCell::new(running);
    let work = move |ctx: Ctx<'js>, bytes: TypedArray<'js, u8>, flush: i32| {
        let mut running = running.borrow_mut();
        let done = super::with_bytes(&bytes, |bytes| step(&mut running, bytes, flush, limit));
        let (out, ended, left) = done.map_err(|wrong| wrong.throw(&ctx))?;
        let answer = Array::new(ctx.clone())?;
        answer.set(0, TypedArray::new_copy(ctx.clone(), out)?)?;
        answer.set(1, ended)?;
        answer.set(2, left)?;
        Ok::<_, rquickjs::Error>(answer)
    };
    Function::new(ctx.clone(), work)
}

fn start(
    kind: &str,
    level: i32,
    bits: u8,
    dictionary: Option<Vec<u8>>,
    limit: usize,
) -> std::result::Result<Running, Wrong> {
    let bits = bits.clamp(9, 15);
    let strength = Compression::new(u32::try_from(level).unwrap_or(6).min(9));
    let bounded = || Bounded {
        bytes: Vec::new(),
        limit,
    };
    let inflate = |work: Decompress, gzip: bool, dictionary| {
        Ok(Running::Inflate(Inflate {
            work,
            dictionary,
            gzip,
            ended: false,
        }))
    };
    match kind {
        "deflate" | "deflateRaw" | "gzip" => {
            let mut work = match kind {
                "gzip" => Compress::new_gzip(strength, bits),
                _ => Compress::new_with_window_bits(strength, kind == "deflate", bits),
            };
            if let Some(dictionary) = dictionary {
                work.set_dictionary(&dictionary)
                    .map_err(|_| Wrong("Z_STREAM_ERROR", -2, "Failed to set dictionary".into()))?;
            }
            Ok(Running::Deflate(work))
        }
        "inflateRaw" => {
            let mut work = Decompress::new_with_window_bits(false, bits);
            if let Some(dictionary) = &dictionary {
                work.set_dictionary(dictionary)
                    .map_err(|_| Wrong::data("Failed to set dictionary"))?;
            }
            inflate(work, false, None)
        }
        "inflate" => inflate(Decompress::new_with_window_bits(true, bits), false, dictionary),
        "gunzip" => inflate(Decompress::new_gzip(bits), true, None),
        "brotliCompress" => {
            let params = BrotliEncoderParams {
                quality: level.clamp(0, 11),
                lgwin: i32::from(bits.max(10)),
                ..BrotliEncoderParams::default()
            };
            let writer = CompressorWriter::with_params(bounded(), PIECE, &params);
            Ok(Running::Brotli(Box::new(writer)))
        }
        "brotliDecompress" => Ok(Running::Unbrotli(Box::new(DecompressorWriter::new(
            bounded(),
            PIECE,
        )))),
        _ => Ok(Running::Zstd {
            held: Vec::new(),
            packs: kind == "zstdCompress",
        }),
    }
}

type Step = std::result::Result<(Vec<u8>, bool, usize), Wrong>;

fn step(running: &mut Running, bytes: &[u8], flush: i32, limit: usize) -> Step {
    match running {
        Running::Deflate(work) => deflate(work, bytes, flush, limit),
        Running::Inflate(inflate) => inflate.step(bytes, flush, limit),
        Running::Brotli(writer) => {
            let ended = flush == FINISH;
            let mut written = writer.write_all(bytes);
            if written.is_ok() && flush != 0 && !ended {
                written = writer.flush();
            }
            written.map_err(|_| Wrong::large())?;
            if !ended {
                return Ok((std::mem::take(&mut writer.get_mut().bytes), false, 0));
            }
            let fresh = CompressorWriter::new(
                Bounded {
                    bytes: Vec::new(),
                    limit,
                },
                1,
                0,
                10,
            );
            let whole = std::mem::replace(&mut **writer, fresh).into_inner();
            Ok((whole.bytes, true, 0))
        }
        Running::Unbrotli(writer) => {
            let wrong = |error: io::Error| match error.kind() {
                io::ErrorKind::FileTooLarge => Wrong::large(),
                io::ErrorKind::UnexpectedEof => Wrong::cut(),
                _ => Wrong("ERR__ERROR_FORMAT", -2, "Decompression failed".to_owned()),
            };
            writer.write_all(bytes).map_err(wrong)?;
            if flush == FINISH && writer.close().is_err() {
                return Err(Wrong::cut());
            }
            Ok((std::mem::take(&mut writer.get_mut().bytes), flush == FINISH, 0))
        }
        Running::Zstd { held, packs } => {
            if held.len() + bytes.len() > limit {
                return Err(Wrong::large());
            }
            held.extend_from_slice(bytes);
            if flush != FINISH {
                return Ok((Vec::new(), false, 0));
            }
            zstd(&std::mem::take(held), *packs, limit).map(|out| (out, true, 0))
        }
    }
}

fn deflate(work: &mut Compress, bytes: &[u8], flush: i32, limit: usize) -> Step {
    let flush = match flush {
        0 => FlushCompress::None,
        1 => FlushCompress::Partial,
        2 | 5 => FlushCompress::Sync,
        3 => FlushCompress::Full,
        _ => FlushCompress::Finish,
    };
    let before = work.total_in();
    let mut out = Vec::with_capacity(PIECE);
    loop {
        let used = (work.total_in() - before) as usize;
        let status = work
            .compress_vec(&bytes[used..], &mut out, flush)
            .map_err(|error| {
                Wrong(
                    "Z_STREAM_ERROR",
                    -2,
                    error.message().unwrap_or("stream error").into(),
                )
            })?;
        if status == Status::StreamEnd {
            return Ok((out, true, 0));
        }
        // Room that is left says that there is no more to come.
        if out.len() < out.capacity() && (work.total_in() - before) as usize == bytes.len() {
            return Ok((out, false, 0));
        }
        if out.len() > limit {
            return Err(Wrong::large());
        }
        out.reserve(PIECE);
    }
}

impl Inflate {
    fn step(&mut self, bytes: &[u8], flush: i32, limit: usize) -> Step {
        let mut rest = bytes;
        let mut out = Vec::with_capacity(PIECE);
        while !self.ended {
            let before = self.work.total_in();
            let room = out.capacity() - out.len();
            let status = self.work.decompress_vec(rest, &mut out, FlushDecompress::None);
            rest = &rest[(self.work.total_in() - before) as usize..];
            match status {
                Ok(Status::StreamEnd) if self.gzip && rest.first().is_some_and(|byte| *byte != 0) => {
                    // Another member, or what is none.
                    self.work = Decompress::new_gzip(15);
                }
                Ok(Status::StreamEnd) => self.ended = true,
                Ok(Status::Ok | Status::BufError) if out.len() < out.capacity() && room > 0 => break,
                Ok(Status::Ok | Status::BufError) => {}
                Err(error) if error.needs_dictionary().is_some() => {
                    let Some(dictionary) = self.dictionary.take() else {
                        return Err(Wrong("Z_NEED_DICT", 2, "Missing dictionary".to_owned()));
                    };
                    if self.work.set_dictionary(&dictionary).is_err() {
                        return Err(Wrong::data("Bad dictionary"));
                    }
                }
                Err(error) => return Err(Wrong::data(error.message().unwrap_or("invalid data"))),
            }
            if out.len() > limit {
                return Err(Wrong::large());
            }
            out.reserve(PIECE);
        }
        if out.len() > limit {
            return Err(Wrong::large());
        }
        if flush == FINISH && !self.ended {
            return Err(Wrong::cut());
        }
        Ok((out, self.ended, rest.len()))
    }
}

fn zstd(bytes: &[u8], packs: bool, limit: usize) -> std::result::Result<Vec<u8>, Wrong> {
    if packs {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        return Ok(ruzstd::encoding::compress_to_vec(bytes, level));
    }
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let unknown = |_| {
        Wrong(
            "ZSTD_error_prefix_unknown",
            10,
            "Unknown frame descriptor".to_owned(),
        )
    };
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(unknown)?;
    let mut out = Vec::new();
    let most = limit as u64 + 1;
    let read = decoder.take(most).read_to_end(&mut out);
    read.map_err(|_| {
        Wrong(
            "ZSTD_error_corruption_detected",
            20,
            "Data corruption detected".to_owned(),
        )
    })?;
    if out.len() > limit {
        return Err(Wrong::large());
    }
    Ok(out)
}

fn crc32(bytes: TypedArray<'_, u8>, seed: u32) -> f64 {
    let crc = super::with_bytes(&bytes, |bytes| {
        !bytes.iter().fold(!seed, |mut crc, byte| {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            }
            crc
        })
    });
    f64::from(crc)
}
