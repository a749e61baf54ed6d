//! Symmetric ciphers, a piece at a time: AES in CBC, ECB, CTR and GCM, and ChaCha20-Poly1305.
//!
//! The modes are written here, on the block functions of RustCrypto: Node gives out what it has
//! after every piece, and checks the tag at the end. Not here: names, sizes and errors as Node words
//! them (cipher.js).

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use chacha20::ChaCha20;
use cipher::{KeyIvInit, StreamCipher};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use poly1305::Poly1305;
use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, Function, Result, TypedArray};
use std::cell::RefCell;
use subtle::ConstantTimeEq;

const BLOCK: usize = 16;
type Block = [u8; BLOCK];

enum Aes {
    Short(Aes128),
    Middle(Box<Aes192>),
    Long(Box<Aes256>),
}

impl Aes {
    fn new(key: &[u8]) -> Option<Self> {
        match key.len() {
            16 => Aes128::new_from_slice(key).ok().map(Aes::Short),
            24 => Aes192::new_from_slice(key).ok().map(|aes| Aes::Middle(Box::new(aes))),
            32 => Aes256::new_from_slice(key).ok().map(|aes| Aes::Long(Box::new(aes))),
            _ => None,
        }
    }

    fn encrypt(&self, block: &mut Block) {
        match self {
            Aes::Short(aes) => aes.encrypt_block(block.into()),
            Aes::Middle(aes) => aes.encrypt_block(block.into()),
            Aes::Long(aes) => aes.encrypt_block(block.into()),
        }
    }

    fn decrypt(&self, block: &mut Block) {
        match self {
            Aes::Short(aes) => aes.decrypt_block(block.into()),
            Aes::Middle(aes) => aes.decrypt_block(block.into()),
            Aes::Long(aes) => aes.decrypt_block(block.into()),
        }
    }
}

/// CBC, and ECB when there is nothing to chain.
struct Chained {
    aes: Aes,
    last: Option<Block>,
    pending: Vec<u8>,
    encrypt: bool,
}

impl Chained {
    fn one(&mut self, mut block: Block) -> Block {
        let before = block;
        if self.encrypt {
            if let Some(last) = &self.last {
                xor(&mut block, last);
            }
            self.aes.encrypt(&mut block);
        } else {
            self.aes.decrypt(&mut block);
            if let Some(last) = &self.last {
                xor(&mut block, last);
            }
        }
        if let Some(last) = &mut self.last {
            *last = if self.encrypt { block } else { before };
        }
        block
    }

    /// When padding is taken off, the last block waits for the end.
    fn update(&mut self, bytes: &[u8], padded: bool) -> Vec<u8> {
        self.pending.extend_from_slice(bytes);
        let held = usize::from(!self.encrypt && padded);
        let count = self.pending.len().saturating_sub(held) / BLOCK;
        let rest = self.pending.split_off(count * BLOCK);
        let whole = std::mem::replace(&mut self.pending, rest);
        let (blocks, _) = whole.as_chunks::<BLOCK>();
        blocks.iter().flat_map(|block| self.one(*block)).collect()
    }

    fn finish(&mut self, padded: bool) -> std::result::Result<Vec<u8>, &'static str> {
        let mut rest = std::mem::take(&mut self.pending);
        if !padded {
            return if rest.is_empty() { Ok(rest) } else { Err("length") };
        }
        if self.encrypt {
            let pad = BLOCK - rest.len() % BLOCK;
            rest.resize(rest.len() + pad, pad as u8);
        }
        let Ok(block) = Block::try_from(rest.as_slice()) else {
            return Err("length");
        };
        let block = self.one(block);
        if self.encrypt {
            return Ok(block.to_vec());
        }
        let pad = usize::from(block[BLOCK - 1]);
        if !(1..=BLOCK).contains(&pad) || block[BLOCK - pad..].iter().any(|byte| usize::from(*byte) != pad) {
            return Err("decrypt");
        }
        Ok(block[..BLOCK - pad].to_vec())
    }
}

fn xor(block: &mut Block, with: &Block) {
    for (byte, other) in block.iter_mut().zip(with) {
        *byte ^= other;
    }
}

/// Bytes of the keystream, one by one. Of the counter, the last `width` bytes count.
struct Keystream {
    aes: Aes,
    counter: Block,
    width: usize,
    block: Block,
    used: usize,
}

impl Keystream {
    fn new(aes: Aes, counter: Block, width: usize) -> Self {
        Keystream {
            aes,
            counter,
            width,
            block: [0; BLOCK],
            used: BLOCK,
        }
    }

    fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.used == BLOCK {
                self.block = self.counter;
                self.aes.encrypt(&mut self.block);
                for digit in self.counter[BLOCK - self.width..].iter_mut().rev() {
                    *digit = digit.wrapping_add(1);
                    if *digit != 0 {
                        break;
                    }
                }
                self.used = 0;
            }
            *byte ^= self.block[self.used];
            self.used += 1;
        }
    }
}

/// What an authenticated cipher hashes: padded to whole blocks, and with the lengths at the end.
struct Tagged<H> {
    hash: H,
    pending: Vec<u8>,
    extra: u64,
    data: u64,
}

impl<H: UniversalHash<BlockSize = cipher::consts::U16> + Clone> Tagged<H> {
    fn new(hash: H) -> Self {
        Tagged {
            hash,
            pending: Vec::new(),
            extra: 0,
            data: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let whole = self.pending.len() / BLOCK * BLOCK;
        let rest = self.pending.split_off(whole);
        self.hash.update_padded(&self.pending);
        self.pending = rest;
    }

    fn pad(&mut self) {
        self.hash.update_padded(&std::mem::take(&mut self.pending));
    }

    fn aad(&mut self, bytes: &[u8]) {
        self.extra += bytes.len() as u64;
        self.push(bytes);
    }

    fn text(&mut self, bytes: &[u8]) {
        if self.data == 0 {
            self.pad();
        }
        self.data += bytes.len() as u64;
        self.push(bytes);
    }

    fn lengths(mut self, of: fn(u64) -> [u8; 8]) -> Block {
        self.pad();
        let mut last = [0; BLOCK];
        last[..8].copy_from_slice(&of(self.extra));
        last[8..].copy_from_slice(&of(self.data));
        self.hash.update_padded(&last);
        self.hash.finalize().into()
    }
}

struct Gcm {
    stream: Keystream,
    tag: Option<Tagged<GHash>>,
    mask: Block,
}

impl Gcm {
    fn new(aes: Aes, iv: &[u8]) -> Self {
        let mut key = [0; BLOCK];
        aes.encrypt(&mut key);
        let mut start = [0; BLOCK];
        if iv.len() == 12 {
            start[..12].copy_from_slice(iv);
            start[BLOCK - 1] = 1;
        } else {
            let mut hash = Tagged::new(GHash::new(&key.into()));
            hash.text(iv);
            start = hash.lengths(|bytes| (bytes * 8).to_be_bytes());
        }
        let mut mask = start;
        aes.encrypt(&mut mask);
        let mut stream = Keystream::new(aes, start, 4);
        // The first block of the keystream is the mask.
        stream.apply(&mut [0; BLOCK]);
        Gcm {
            stream,
            tag: Some(Tagged::new(GHash::new(&key.into()))),
            mask,
        }
    }
}

struct Chacha {
    stream: ChaCha20,
    tag: Option<Tagged<Poly1305>>,
}

enum Running {
    Chained(Chained),
    Counter(Keystream),
    Gcm(Box<Gcm>),
    Chacha(Box<Chacha>),
}

impl Running {
    fn new(mode: &str, key: &[u8], iv: &[u8], encrypt: bool) -> Option<Self> {
        if mode == "chacha20-poly1305" {
            let mut stream = ChaCha20::new_from_slices(key, iv).ok()?;
            let mut first = [0; 64];
            stream.apply_keystream(&mut first);
            let hash = Poly1305::new_from_slice(&first[..32]).ok()?;
            let tag = Some(Tagged::new(hash));
            return Some(Running::Chacha(Box::new(Chacha { stream, tag })));
        }
        let aes = Aes::new(key)?;
        Some(match mode {
            "cbc" | "ecb" => Running::Chained(Chained {
                aes,
                last: if mode == "cbc" { Some(iv.try_into().ok()?) } else { None },
                pending: Vec::new(),
                encrypt,
            }),
            "ctr" => Running::Counter(Keystream::new(aes, iv.try_into().ok()?, BLOCK)),
            "gcm" => Running::Gcm(Box::new(Gcm::new(aes, iv))),
            _ => return None,
        })
    }

    fn aad(&mut self, bytes: &[u8]) {
        match self {
            Running::Gcm(gcm) => drop(gcm.tag.as_mut().map(|tag| tag.aad(bytes))),
            Running::Chacha(chacha) => drop(chacha.tag.as_mut().map(|tag| tag.aad(bytes))),
            Running::Chained(_) | Running::Counter(_) => {}
        }
    }

    fn update(&mut self, bytes: &[u8], encrypt: bool, padded: bool) -> Vec<u8> {
        let mut out = bytes.to_vec();
        match self {
            Running::Chained(chained) => return chained.update(bytes, padded),
            Running::Counter(stream) => stream.apply(&mut out),
            Running::Gcm(gcm) => {
                gcm.stream.apply(&mut out);
                let sealed = if encrypt { &out } else { bytes };
                drop(gcm.tag.as_mut().map(|tag| tag.text(sealed)));
            }
            Running::Chacha(chacha) => {
                chacha.stream.apply_keystream(&mut out);
                let sealed = if encrypt { &out } else { bytes };
                drop(chacha.tag.as_mut().map(|tag| tag.text(sealed)));
            }
        }
        out
    }

    /// The tag, once.
    fn tag(&mut self) -> Option<Block> {
        match self {
            Running::Gcm(gcm) => {
                let mut tag = gcm.tag.take()?.lengths(|bytes| (bytes * 8).to_be_bytes());
                xor(&mut tag, &gcm.mask);
                Some(tag)
            }
            Running::Chacha(chacha) => Some(chacha.tag.take()?.lengths(u64::to_le_bytes)),
            Running::Chained(_) | Running::Counter(_) => None,
        }
    }
}

/// A function `(what, bytes, padded)` for one message; nothing where key or start do not fit.
pub(super) fn cipher<'js>(
    ctx: Ctx<'js>,
    mode: String,
    key: TypedArray<'js, u8>,
    iv: TypedArray<'js, u8>,
    encrypt: bool,
) -> Result<Option<Function<'js>>> {
    let running = crate::node::with_bytes(&key, |key| {
        crate::node::with_bytes(&iv, |iv| Running::new(&mode, key, iv, encrypt))
    });
    let Some(running) = running else {
        return Ok(None);
    };
    let running = RefCell::new(running);
    let work =
        move |ctx: Ctx<'js>, what: String, bytes: Option<TypedArray<'js, u8>>, padded: Opt<bool>| {
            let padded = padded.0.unwrap_or(true);
            let mut running = running.borrow_mut();
            let mut of = |work: &mut dyn FnMut(&mut Running, &[u8]) -> Vec<u8>| match &bytes {
                Some(bytes) => crate::node::with_bytes(bytes, |bytes| work(&mut running, bytes)),
                None => Vec::new(),
            };
            let out = match what.as_str() {
                "aad" => of(&mut |running, bytes| {
                    running.aad(bytes);
                    Vec::new()
                }),
                "update" => of(&mut |running, bytes| running.update(bytes, encrypt, padded)),
                "verify" => of(&mut |running, wanted| {
                    let tag = running.tag().unwrap_or_default();
                    let well = !wanted.is_empty()
                        && wanted.len() <= BLOCK
                        && bool::from(tag[..wanted.len()].ct_eq(wanted));
                    vec![u8::from(well)]
                }),
                "tag" => running.tag().unwrap_or_default().to_vec(),
                _ => match &mut *running {
                    Running::Chained(chained) => chained
                        .finish(padded)
                        .map_err(|why| Exception::throw_message(&ctx, why))?,
                    Running::Counter(_) | Running::Gcm(_) | Running::Chacha(_) => Vec::new(),
                },
            };
            TypedArray::new_copy(ctx, out)
        };
    Function::new(ctx, work).map(Some)
}
