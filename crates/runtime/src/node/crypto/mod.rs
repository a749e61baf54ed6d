//! `crypto`: random values, digests, HMAC, PBKDF2. Ciphers and keys are not here yet.

use digest::DynDigest;
use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray};
use std::cell::RefCell;
use subtle::ConstantTimeEq;

/// Bytes of one request, as Web Crypto has it for `getRandomValues`.
const LIMIT: usize = 65_536;

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set(
        "randomUUID",
        Function::new(ctx.clone(), || uuid::Uuid::new_v4().to_string())?,
    )?;
    native.set("randomBytes", Function::new(ctx.clone(), random_bytes)?)?;
    native.set("hash", Function::new(ctx.clone(), hash)?)?;
    native.set("pbkdf2", Function::new(ctx.clone(), pbkdf2)?)?;
    native.set("equal", Function::new(ctx.clone(), equal)?)?;
    Ok(native)
}

fn random_bytes<'js>(ctx: Ctx<'js>, size: usize) -> Result<TypedArray<'js, u8>> {
    if size > LIMIT {
        return Err(Exception::throw_range(
            &ctx,
            &format!("at most {LIMIT} bytes at a time"),
        ));
    }
    let mut bytes = vec![0; size];
    getrandom::fill(&mut bytes).map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
    TypedArray::new_copy(ctx, bytes)
}

fn equal(a: TypedArray<'_, u8>, b: TypedArray<'_, u8>) -> bool {
    super::with_bytes(&a, |a| super::with_bytes(&b, |b| bool::from(a.ct_eq(b))))
}

/// A digest by OpenSSL's name, and the size of its blocks.
fn digest_of(name: &str) -> Option<(Box<dyn DynDigest>, usize)> {
    let name = name.to_ascii_lowercase();
    Some(match name.strip_prefix("rsa-").unwrap_or(&name) {
        "md5" => (Box::new(md5::Md5::default()), 64),
        "sha1" | "sha-1" => (Box::new(sha1::Sha1::default()), 64),
        "sha224" | "sha-224" => (Box::new(sha2::Sha224::default()), 64),
        "sha256" | "sha-256" => (Box::new(sha2::Sha256::default()), 64),
        "sha384" | "sha-384" => (Box::new(sha2::Sha384::default()), 128),
        "sha512" | "sha-512" => (Box::new(sha2::Sha512::default()), 128),
        "sha512-256" => (Box::new(sha2::Sha512_256::default()), 128),
        _ => return None,
    })
}

/// HMAC over any digest (RFC 2104).
#[derive(Clone)]
struct Mac {
    inner: Box<dyn DynDigest>,
    outer: Box<dyn DynDigest>,
}

impl Mac {
    fn new(name: &str, key: &[u8]) -> Option<Self> {
        let (digest, size) = digest_of(name)?;
        let mut block = if key.len() > size {
            let mut hashing = digest.box_clone();
            hashing.update(key);
            hashing.finalize().into_vec()
        } else {
            key.to_vec()
        };
        block.resize(size, 0);
        let padded = |pad: u8| {
            let mut hashing = digest.box_clone();
            hashing.update(&block.iter().map(|byte| byte ^ pad).collect::<Vec<_>>());
            hashing
        };
        Some(Mac {
            inner: padded(0x36),
            outer: padded(0x5c),
        })
    }

    fn finish(mut self) -> Vec<u8> {
        self.outer.update(&self.inner.finalize());
        self.outer.finalize().into_vec()
    }
}

enum Hashing {
    Plain(Box<dyn DynDigest>),
    Keyed(Mac),
}

/// A function that takes bytes, and without any gives the digest of all; nothing for an unknown
/// name.
fn hash<'js>(ctx: Ctx<'js>, name: String, key: Opt<TypedArray<'js, u8>>) -> Result<Option<Function<'js>>> {
    let hashing = match key.0 {
        Some(key) => super::with_bytes(&key, |key| Mac::new(&name, key)).map(Hashing::Keyed),
        None => digest_of(&name).map(|(digest, _)| Hashing::Plain(digest)),
    };
    let Some(hashing) = hashing else {
        return Ok(None);
    };
    let hashing = RefCell::new(hashing);
    let work =
        move |ctx: Ctx<'js>, bytes: Opt<TypedArray<'js, u8>>| match (bytes.0, &mut *hashing.borrow_mut()) {
            (Some(bytes), Hashing::Plain(digest)) => {
                super::with_bytes(&bytes, |bytes| digest.update(bytes));
                Ok(None)
            }
            (Some(bytes), Hashing::Keyed(mac)) => {
                super::with_bytes(&bytes, |bytes| mac.inner.update(bytes));
                Ok(None)
            }
            // A copy is finished, so that a hash can go on.
            (None, Hashing::Plain(digest)) => {
                TypedArray::new_copy(ctx, digest.box_clone().finalize().into_vec()).map(Some)
            }
            (None, Hashing::Keyed(mac)) => TypedArray::new_copy(ctx, mac.clone().finish()).map(Some),
        };
    Function::new(ctx, work).map(Some)
}

/// Nothing for an unknown digest.
fn pbkdf2<'js>(
    ctx: Ctx<'js>,
    name: String,
    password: TypedArray<'js, u8>,
    salt: TypedArray<'js, u8>,
    rounds: u32,
    length: usize,
) -> Result<Option<TypedArray<'js, u8>>> {
    let Some(mac) = super::with_bytes(&password, |password| Mac::new(&name, password)) else {
        return Ok(None);
    };
    let mut key = Vec::with_capacity(length);
    let mut block = 1_u32;
    while key.len() < length {
        let mut first = mac.clone();
        super::with_bytes(&salt, |salt| first.inner.update(salt));
        first.inner.update(&block.to_be_bytes());
        let mut last = first.finish();
        let mut sum = last.clone();
        for _ in 1..rounds {
            let mut next = mac.clone();
            next.inner.update(&last);
            last = next.finish();
            for (sum, byte) in sum.iter_mut().zip(&last) {
                *sum ^= byte;
            }
        }
        key.extend(sum);
        block += 1;
    }
    key.truncate(length);
    TypedArray::new_copy(ctx, key).map(Some)
}
