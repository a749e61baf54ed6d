//! `crypto`: random values, digests, HMAC, PBKDF2, scrypt; ciphers and keys in files of their own.

mod cipher;
mod keys;

use digest::DynDigest;
use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray, Value};
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
    native.set("scrypt", Function::new(ctx.clone(), scrypt_key)?)?;
    native.set("equal", Function::new(ctx.clone(), equal)?)?;
    native.set("cipher", Function::new(ctx.clone(), cipher::cipher)?)?;
    keys::install(ctx, &native)?;
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
        "sha512-224" => (Box::new(sha2::Sha512_224::default()), 128),
        "sha512-256" => (Box::new(sha2::Sha512_256::default()), 128),
        "sha3-224" => (Box::new(sha3::Sha3_224::default()), 144),
        "sha3-256" => (Box::new(sha3::Sha3_256::default()), 136),
        "sha3-384" => (Box::new(sha3::Sha3_384::default()), 104),
        "sha3-512" => (Box::new(sha3::Sha3_512::default()), 72),
        "ripemd" | "ripemd160" | "rmd160" => (Box::new(ripemd::Ripemd160::default()), 64),
        "blake2b512" => (Box::new(blake2::Blake2b512::default()), 128),
        "blake2s256" => (Box::new(blake2::Blake2s256::default()), 64),
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

impl Hashing {
    fn copied(&self) -> Self {
        match self {
            Hashing::Plain(digest) => Hashing::Plain(digest.box_clone()),
            Hashing::Keyed(mac) => Hashing::Keyed(mac.clone()),
        }
    }
}

/// A function that takes bytes, without any gives the digest of all, and for `true` a copy of
/// itself; nothing for an unknown name.
fn hash<'js>(ctx: Ctx<'js>, name: String, key: Opt<TypedArray<'js, u8>>) -> Result<Option<Function<'js>>> {
    let hashing = match key.0 {
        Some(key) => super::with_bytes(&key, |key| Mac::new(&name, key)).map(Hashing::Keyed),
        None => digest_of(&name).map(|(digest, _)| Hashing::Plain(digest)),
    };
    hashing.map(|hashing| hasher(&ctx, hashing)).transpose()
}

fn hasher<'js>(ctx: &Ctx<'js>, hashing: Hashing) -> Result<Function<'js>> {
    let hashing = RefCell::new(hashing);
    let work = move |ctx: Ctx<'js>, given: Opt<Value<'js>>| {
        let Some(given) = given.0 else {
            // A copy is finished, so that a hash can go on.
            let digest = match hashing.borrow().copied() {
                Hashing::Plain(digest) => digest.finalize().into_vec(),
                Hashing::Keyed(mac) => mac.finish(),
            };
            return TypedArray::new_copy(ctx, digest).map(TypedArray::into_value);
        };
        if given.as_bool() == Some(true) {
            return hasher(&ctx, hashing.borrow().copied()).map(Function::into_value);
        }
        let bytes = TypedArray::<u8>::from_value(given)?;
        super::with_bytes(&bytes, |bytes| match &mut *hashing.borrow_mut() {
            Hashing::Plain(digest) => digest.update(bytes),
            Hashing::Keyed(mac) => mac.inner.update(bytes),
        });
        Ok(Value::new_undefined(ctx))
    };
    Function::new(ctx.clone(), work)
}

/// Nothing where the costs cannot be. What it takes is judged before (crypto.js, `maxmem`).
fn scrypt_key<'js>(
    ctx: Ctx<'js>,
    password: TypedArray<'js, u8>,
    salt: TypedArray<'js, u8>,
    log_n: u8,
    r: u32,
    p: u32,
    length: usize,
) -> Result<Option<TypedArray<'js, u8>>> {
    let Ok(params) = scrypt::Params::new(log_n, r, p) else {
        return Ok(None);
    };
    let mut key = vec![0; length];
    let made = super::with_bytes(&password, |password| {
        super::with_bytes(&salt, |salt| scrypt::scrypt(password, salt, &params, &mut key))
    });
    match made {
        Ok(()) => TypedArray::new_copy(ctx, key).map(Some),
        Err(_) => Ok(None),
    }
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
