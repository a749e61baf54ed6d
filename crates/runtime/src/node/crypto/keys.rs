//! Asymmetric keys, as numbers: RSA, ECDSA and ECDH on four curves, Ed25519, X25519.
//!
//! Containers of keys (PEM, DER, JWK) are read and written in keys.js; what comes here are plain
//! numbers as bytes, most significant first. Every function gives nothing where they do not fit.

use ed25519_dalek::{Signer as _, Verifier as _};
use rand_core::UnwrapErr;
use rquickjs::{Array, Ctx, Function, Object, Result, TypedArray};
use rsa::rand_core;
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{BoxedUint, Oaep, Pkcs1v15Encrypt, Pkcs1v15Sign, Pss, RsaPrivateKey, RsaPublicKey};

type Bytes<'js> = TypedArray<'js, u8>;

fn random() -> UnwrapErr<getrandom::SysRng> {
    UnwrapErr(getrandom::SysRng)
}

fn vec_of(bytes: &Bytes<'_>) -> Vec<u8> {
    crate::node::with_bytes(bytes, <[u8]>::to_vec)
}

pub(super) fn install<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("rsaGenerate", Function::new(ctx.clone(), rsa_generate)?)?;
    native.set("rsa", Function::new(ctx.clone(), rsa_work)?)?;
    native.set("curve", Function::new(ctx.clone(), curve)?)?;
    native.set("edwards", Function::new(ctx.clone(), edwards)?)
}

fn number(bytes: &[u8]) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(bytes)
}

/// `[n, e, d, p, q]`.
fn rsa_generate<'js>(ctx: Ctx<'js>, bits: usize, exponent: Bytes<'js>) -> Result<Option<Array<'js>>> {
    let Ok(key) = RsaPrivateKey::new_with_exp(&mut random(), bits, number(&vec_of(&exponent))) else {
        return Ok(None);
    };
    let mut parts = vec![key.n().to_be_bytes_trimmed_vartime(), key.e().to_be_bytes_trimmed_vartime()];
    parts.push(key.d().to_be_bytes_trimmed_vartime());
    parts.extend(key.primes().iter().map(|prime| prime.to_be_bytes_trimmed_vartime()));
    let list = Array::new(ctx.clone())?;
    for (at, part) in parts.into_iter().enumerate() {
        list.set(at, TypedArray::new_copy(ctx.clone(), part.into_vec())?)?;
    }
    Ok(Some(list))
}

macro_rules! by_digest {
    ($name:expr, $digest:ident => $work:expr) => {
        match $name {
            "sha1" => {
                type $digest = sha1::Sha1;
                $work
            }
            "sha224" => {
                type $digest = sha2::Sha224;
                $work
            }
            "sha256" => {
                type $digest = sha2::Sha256;
                $work
            }
            "sha384" => {
                type $digest = sha2::Sha384;
                $work
            }
            "sha512" => {
                type $digest = sha2::Sha512;
                $work
            }
            _ => None,
        }
    };
}

/// What is done, and how: `scheme` is `pkcs1`, `pss` or `oaep`.
struct Request {
    what: String,
    scheme: String,
    digest: String,
    salt: usize,
    data: Vec<u8>,
    other: Vec<u8>,
}

/// `key` is `[n, e]` or `[n, e, d, p, q]`; `options` is `{what, scheme, digest, salt, data, other}`.
/// Signing and verifying take what is to be signed as a digest.
fn rsa_work<'js>(ctx: Ctx<'js>, key: Vec<Bytes<'js>>, options: Object<'js>) -> Result<Option<Bytes<'js>>> {
    let request = Request {
        what: options.get("what")?,
        scheme: options.get("scheme")?,
        digest: options.get("digest")?,
        salt: options.get("salt")?,
        data: vec_of(&options.get("data")?),
        other: vec_of(&options.get("other")?),
    };
    let parts: Vec<BoxedUint> = key.iter().map(|part| number(&vec_of(part))).collect();
    match rsa_done(&parts, &request) {
        Some(out) => TypedArray::new_copy(ctx, out).map(Some),
        None => Ok(None),
    }
}

fn rsa_done(parts: &[BoxedUint], request: &Request) -> Option<Vec<u8>> {
    let private = || match parts {
        [n, e, d, p, q] => {
            RsaPrivateKey::from_components(n.clone(), e.clone(), d.clone(), vec![p.clone(), q.clone()]).ok()
        }
        _ => None,
    };
    let public = || RsaPublicKey::new(parts.first()?.clone(), parts.get(1)?.clone()).ok();
    let data = &request.data;
    let digest = request.digest.as_str();
    match (request.what.as_str(), request.scheme.as_str()) {
        ("sign", "pss") => by_digest!(digest, D => {
            private()?.sign_with_rng(&mut random(), Pss::<D>::new_with_salt(request.salt), data).ok()
        }),
        ("sign", _) => private()?.sign_with_rng(&mut random(), pkcs1(digest)?, data).ok(),
        ("verify", "pss") => by_digest!(digest, D => {
            let scheme = Pss::<D>::new_with_salt(request.salt);
            public()?.verify(scheme, data, &request.other).ok().map(|()| Vec::new())
        }),
        ("verify", _) => {
            let verified = public()?.verify(pkcs1(digest)?, data, &request.other);
            verified.ok().map(|()| Vec::new())
        }
        ("encrypt", "oaep") => by_digest!(digest, D => {
            let scheme = Oaep::<D>::new_with_label(request.other.clone());
            public()?.encrypt(&mut random(), scheme, data).ok()
        }),
        ("encrypt", _) => public()?.encrypt(&mut random(), Pkcs1v15Encrypt, data).ok(),
        ("decrypt", "oaep") => by_digest!(digest, D => {
            let scheme = Oaep::<D>::new_with_label(request.other.clone());
            private()?.decrypt_blinded(&mut random(), scheme, data).ok()
        }),
        _ => private()?.decrypt_blinded(&mut random(), Pkcs1v15Encrypt, data).ok(),
    }
}

fn pkcs1(digest: &str) -> Option<Pkcs1v15Sign> {
    Some(match digest {
        "md5" => Pkcs1v15Sign::new::<md5::Md5>(),
        "sha1" => Pkcs1v15Sign::new::<sha1::Sha1>(),
        "sha224" => Pkcs1v15Sign::new::<sha2::Sha224>(),
        "sha256" => Pkcs1v15Sign::new::<sha2::Sha256>(),
        "sha384" => Pkcs1v15Sign::new::<sha2::Sha384>(),
        "sha512" => Pkcs1v15Sign::new::<sha2::Sha512>(),
        _ => return None,
    })
}

macro_rules! on_curve {
    ($curve:ident, $width:expr, $what:expr, $one:expr, $two:expr, $three:expr) => {{
        use $curve::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
        use $curve::ecdsa::{Signature, SigningKey, VerifyingKey};
        use $curve::elliptic_curve::Generate;
        use $curve::elliptic_curve::sec1::ToSec1Point;
        use $curve::{PublicKey, SecretKey};
        let secret = || SecretKey::from_slice($one).ok();
        let point = |bytes: &[u8]| PublicKey::from_sec1_bytes(bytes).ok();
        let shown = |point: PublicKey, compress: bool| point.to_sec1_point(compress).as_bytes().to_vec();
        // Shorter digests are taken as numbers; the curve asks for half its width at least.
        let padded = |digest: &[u8]| {
            let mut whole = vec![0; ($width as usize).saturating_sub(digest.len())];
            whole.extend_from_slice(digest);
            whole
        };
        match $what {
            "generate" => Some(SecretKey::generate_from_rng(&mut random()).to_bytes().to_vec()),
            "public" => secret().map(|secret| shown(secret.public_key(), false)),
            "point" => point($one).map(|point| shown(point, false)),
            "compressed" => point($one).map(|point| shown(point, true)),
            "agree" => {
                let (secret, point) = (secret()?, point($two)?);
                Some(secret.diffie_hellman(&point).raw_secret_bytes().to_vec())
            }
            "sign" => {
                let signature: Signature =
                    SigningKey::from_slice($one).ok()?.sign_prehash(&padded($two)).ok()?;
                Some(signature.to_bytes().to_vec())
            }
            "verify" => {
                let signature = Signature::from_slice($three).ok()?.normalize_s();
                let key = VerifyingKey::from_sec1_bytes($one).ok()?;
                key.verify_prehash(&padded($two), &signature).ok().map(|()| Vec::new())
            }
            _ => None,
        }
    }};
}

/// What a curve does: `generate`, `public` (scalar), `point`, `compressed` (point), `agree` (scalar,
/// point), `sign` (scalar, digest), `verify` (point, digest, r and s).
fn curve<'js>(
    ctx: Ctx<'js>,
    name: String,
    what: String,
    one: Bytes<'js>,
    two: Bytes<'js>,
    three: Bytes<'js>,
) -> Result<Option<Bytes<'js>>> {
    let parts = [vec_of(&one), vec_of(&two), vec_of(&three)];
    match curve_done(&name, &what, &parts) {
        Some(out) => TypedArray::new_copy(ctx, out).map(Some),
        None => Ok(None),
    }
}

fn curve_done(name: &str, what: &str, [one, two, three]: &[Vec<u8>; 3]) -> Option<Vec<u8>> {
    match name {
        "P-256" => on_curve!(p256, 32, what, one, two, three),
        "P-384" => on_curve!(p384, 48, what, one, two, three),
        "P-521" => on_curve!(p521, 66, what, one, two, three),
        "secp256k1" => on_curve!(k256, 32, what, one, two, three),
        _ => None,
    }
}

/// The curves of Bernstein: `public` and `sign` of Ed25519, `verify`, and `x-public` and `agree` of
/// X25519. Keys are 32 bytes.
fn edwards<'js>(
    ctx: Ctx<'js>,
    what: String,
    key: Bytes<'js>,
    data: Bytes<'js>,
    other: Bytes<'js>,
) -> Result<Option<Bytes<'js>>> {
    match edwards_done(&what, &vec_of(&key), &vec_of(&data), &vec_of(&other)) {
        Some(out) => TypedArray::new_copy(ctx, out).map(Some),
        None => Ok(None),
    }
}

fn edwards_done(what: &str, key: &[u8], data: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let key: [u8; 32] = key.try_into().ok()?;
    let signing = || ed25519_dalek::SigningKey::from_bytes(&key);
    let secret = || x25519_dalek::StaticSecret::from(key);
    Some(match what {
        "public" => signing().verifying_key().to_bytes().to_vec(),
        "sign" => signing().sign(data).to_bytes().to_vec(),
        "verify" => {
            let signature = ed25519_dalek::Signature::from_slice(other).ok()?;
            let key = ed25519_dalek::VerifyingKey::from_bytes(&key).ok()?;
            key.verify(data, &signature).ok()?;
            Vec::new()
        }
        "x-public" => x25519_dalek::PublicKey::from(&secret()).to_bytes().to_vec(),
        "agree" => {
            let point: [u8; 32] = data.try_into().ok()?;
            let shared = secret().diffie_hellman(&x25519_dalek::PublicKey::from(point));
            if !shared.was_contributory() {
                return None;
            }
            shared.to_bytes().to_vec()
        }
        _ => return None,
    })
}
