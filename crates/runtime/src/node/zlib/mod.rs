//! `zlib`: deflate in its three wrappings, a whole input at a time. What comes out is bounded.

use flate2::Compression;
use flate2::bufread::{DeflateDecoder, DeflateEncoder, GzEncoder, MultiGzDecoder, ZlibDecoder, ZlibEncoder};
use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray};
use std::io::{self, Read};

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("run", Function::new(ctx.clone(), run)?)?;
    native.set("crc32", Function::new(ctx.clone(), crc32)?)?;
    Ok(native)
}

/// `kind` names what is done; `limit` bounds the output, in bytes.
fn run<'js>(
    ctx: Ctx<'js>,
    kind: String,
    bytes: TypedArray<'js, u8>,
    level: u32,
    limit: f64,
) -> Result<TypedArray<'js, u8>> {
    match super::with_bytes(&bytes, |bytes| convert(&kind, bytes, level, limit as u64)) {
        Ok(out) => TypedArray::new_copy(ctx, out),
        Err(error) => {
            let (code, number, text) = match error.kind() {
                io::ErrorKind::UnexpectedEof => ("Z_BUF_ERROR", -5, "unexpected end of file"),
                io::ErrorKind::FileTooLarge => (
                    "ERR_BUFFER_TOO_LARGE",
                    -5,
                    "Cannot create a Buffer larger than the limit",
                ),
                _ if kind.ends_with("flateRaw") => ("Z_DATA_ERROR", -3, "invalid stored block lengths"),
                _ => ("Z_DATA_ERROR", -3, "incorrect header check"),
            };
            let exception = Exception::from_message(ctx.clone(), text)?;
            exception.as_object().set("errno", number)?;
            exception.as_object().set("code", code)?;
            Err(exception.throw())
        }
    }
}

fn convert(kind: &str, bytes: &[u8], level: u32, limit: u64) -> io::Result<Vec<u8>> {
    let level = Compression::new(level.min(9));
    match kind {
        "deflate" => all(ZlibEncoder::new(bytes, level), limit),
        "deflateRaw" => all(DeflateEncoder::new(bytes, level), limit),
        "gzip" => all(GzEncoder::new(bytes, level), limit),
        "inflate" => all(ZlibDecoder::new(bytes), limit),
        "inflateRaw" => all(DeflateDecoder::new(bytes), limit),
        _ => all(MultiGzDecoder::new(bytes), limit),
    }
}

fn all(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    from.take(limit + 1).read_to_end(&mut out)?;
    if out.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(out)
}

fn crc32(bytes: TypedArray<'_, u8>, seed: u32) -> u32 {
    super::with_bytes(&bytes, |bytes| {
        !bytes.iter().fold(!seed, |mut crc, byte| {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
            }
            crc
        })
    })
}
