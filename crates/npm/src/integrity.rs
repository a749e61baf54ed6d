//! Subresource integrity: which hash a tarball must have, and whether it has it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::Digest;

/// The strongest of the hashes that npm writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Integrity {
    algorithm: Algorithm,
    digest: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Algorithm {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Integrity {
    /// From `sha512-… sha1-…`; weaker hashes beside a stronger one say nothing.
    pub fn parse(text: &str) -> Option<Integrity> {
        text.split_whitespace()
            .filter_map(|one| {
                let (algorithm, digest) = one.split_once('-')?;
                let digest = digest.split('?').next()?;
                let (algorithm, length) = match algorithm {
                    "sha1" => (Algorithm::Sha1, 20),
                    "sha256" => (Algorithm::Sha256, 32),
                    "sha384" => (Algorithm::Sha384, 48),
                    "sha512" => (Algorithm::Sha512, 64),
                    _ => return None,
                };
                let digest = STANDARD.decode(digest).ok()?;
                (digest.len() == length).then_some(Integrity { algorithm, digest })
            })
            .max_by_key(|one| one.algorithm)
    }

    /// From the registry's `shasum`, where there is nothing better.
    pub fn from_shasum(hex: &str) -> Option<Integrity> {
        let digest = (0..hex.len() / 2)
            .map(|at| u8::from_str_radix(hex.get(at * 2..at * 2 + 2)?, 16).ok())
            .collect::<Option<Vec<_>>>()?;
        (hex.len() == 40).then_some(Integrity {
            algorithm: Algorithm::Sha1,
            digest,
        })
    }

    pub fn of(bytes: &[u8]) -> Integrity {
        Integrity {
            algorithm: Algorithm::Sha512,
            digest: sha2::Sha512::digest(bytes).to_vec(),
        }
    }

    /// What `bytes` have instead, if they are not what is meant.
    pub fn check(&self, bytes: &[u8]) -> Result<(), Integrity> {
        let digest = match self.algorithm {
            Algorithm::Sha1 => sha1::Sha1::digest(bytes).to_vec(),
            Algorithm::Sha256 => sha2::Sha256::digest(bytes).to_vec(),
            Algorithm::Sha384 => sha2::Sha384::digest(bytes).to_vec(),
            Algorithm::Sha512 => sha2::Sha512::digest(bytes).to_vec(),
        };
        if digest == self.digest {
            return Ok(());
        }
        Err(Integrity {
            algorithm: self.algorithm,
            digest,
        })
    }

    /// Names its folder in the content store.
    pub fn hex(&self) -> String {
        use std::fmt::Write;
        let mut text = match self.algorithm {
            Algorithm::Sha1 => "sha1-",
            Algorithm::Sha256 => "sha256-",
            Algorithm::Sha384 => "sha384-",
            Algorithm::Sha512 => "sha512-",
        }
        .to_owned();
        for byte in &self.digest {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl std::fmt::Display for Integrity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let algorithm = match self.algorithm {
            Algorithm::Sha1 => "sha1",
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha384 => "sha384",
            Algorithm::Sha512 => "sha512",
        };
        write!(f, "{algorithm}-{}", STANDARD.encode(&self.digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_rules() {
        let strong = Integrity::of(b"bytes").to_string();
        let weak = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let both = Integrity::parse(&format!("{weak} {strong}")).unwrap();
        assert_eq!(both.to_string(), strong);
        assert!(both.check(b"bytes").is_ok());
        assert!(both.check(b"byte").is_err());
        let sha1 = Integrity::from_shasum("a94a8fe5ccb19ba61c4c0873d391e987982fbbd3").unwrap();
        assert!(sha1.check(b"test").is_ok());
        assert!(Integrity::parse("md5-AAAA sha512-short").is_none());
        assert!(Integrity::from_shasum("xyz").is_none());
    }
}
