//! Tarballs, packed or plain: their files go through [`Intake`], which refuses what is not harmless.
//!
//! Deliberately not here: whether the bytes are the right ones (`store` checks before).

use crate::error::NpmError;
use crate::intake::{Entry, Files, Intake, IntakeError, Limits, PackedFile, Refused};
use flate2::bufread::GzDecoder;
use std::io::{BufReader, Read};
use std::path::Path;
use tar::{EntryType, PaxExtensions};

pub const LIMITS: Limits = Limits {
    entries: 100_000,
    bytes: 2 << 30,
    path: 1024,
    depth: 64,
};

/// Of a manifest.
const MANIFEST_MOST: usize = 8 << 20;
/// Of a header about the next entry: a long name, or a list of its attributes.
const HEADER_MOST: u64 = 64 << 10;

/// `package.json` comes back too: it is looked at next.
pub struct Unpacked {
    pub files: Vec<PackedFile>,
    pub manifest: Vec<u8>,
}

/// A package: what lies below the tarball's one folder, whatever that is called.
pub fn unpack(name: &str, tarball: &[u8], into: &Path, limits: Limits) -> Result<Unpacked, NpmError> {
    let mut intake = Intake::new(into, Files::ReadOnly, limits);
    let mut manifest = Vec::new();
    let done = take_tar(tarball, limits, &mut intake, &mut below, &mut |path, bytes| {
        if path != "package.json" {
            return;
        }
        // The same file again: the later one rules.
        if bytes.is_empty() {
            manifest.clear();
        }
        if manifest.len() < MANIFEST_MOST {
            manifest.extend_from_slice(bytes);
        }
    });
    let files = done.and_then(|()| Ok(intake.finish()?));
    let files = files.map_err(|error| match error {
        IntakeError::Refused(refused) => NpmError::hostile(name, refused.to_string()),
        IntakeError::Io { path, source } => NpmError::io(&path, source),
    })?;
    Ok(Unpacked { files, manifest })
}

/// Where an entry comes to lie; `None`: not at all.
pub type Placed<'f> = dyn FnMut(&Intake<'_>, &[&str]) -> Option<String> + 'f;
/// Hears path and bytes; none of them where a file begins.
pub type Seen<'f> = dyn FnMut(&str, &[u8]) + 'f;

/// Takes in the files of a tarball, which may be packed by gzip.
pub fn take_tar(
    tarball: impl Read,
    limits: Limits,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    seen: &mut Seen<'_>,
) -> Result<(), IntakeError> {
    let mut from = BufReader::with_capacity(64 << 10, tarball);
    let begin = std::io::BufRead::fill_buf(&mut from).map_err(broken)?;
    if begin.starts_with(&[0x1f, 0x8b]) {
        // Headers, and what is left out, take their part.
        let plain = BufReader::with_capacity(64 << 10, GzDecoder::new(from));
        let mut plain = plain.take(limits.bytes.saturating_mul(2));
        let done = entries(&mut plain, intake, placed, seen);
        return match done {
            // It was cut off here: no more is ours to read.
            Ok(()) | Err(IntakeError::Refused(Refused::Broken(_))) if plain.limit() == 0 => {
                Err(Refused::Bytes(limits.bytes).into())
            }
            done => done,
        };
    }
    entries(from, intake, placed, seen)
}

fn broken(error: std::io::Error) -> Refused {
    Refused::Broken(error.to_string())
}

fn entries(
    from: impl Read,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    seen: &mut Seen<'_>,
) -> Result<(), IntakeError> {
    let mut archive = tar::Archive::new(from);
    let mut ahead = Ahead::default();
    // Raw: `tar` itself would read each header about the next entry whole, however large.
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        if ahead.take(&mut entry)? {
            continue;
        }
        intake.count()?;
        take_entry(entry, std::mem::take(&mut ahead), intake, placed, seen)?;
    }
    if !ahead.is_empty() {
        return Err(Refused::Broken("a header describes an entry that does not come".to_owned()).into());
    }
    // To the very end: a checksum of what was packed stands there.
    std::io::copy(&mut archive.into_inner(), &mut std::io::sink()).map_err(broken)?;
    Ok(())
}

/// What headers before an entry say about it, each at most once.
#[derive(Default)]
struct Ahead {
    long_name: Option<Vec<u8>>,
    /// Of links, which are refused anyway.
    long_link: Option<Vec<u8>>,
    pax: Option<Vec<u8>>,
}

impl Ahead {
    /// Whether the entry is such a header.
    fn take(&mut self, entry: &mut tar::Entry<'_, impl Read>) -> Result<bool, Refused> {
        let header = entry.header();
        let is_known = header.as_gnu().is_some() || header.as_ustar().is_some();
        let place = match header.entry_type() {
            // Nothing of it is used, but it is a header as well.
            EntryType::XGlobalHeader => {
                small(entry)?;
                return Ok(false);
            }
            EntryType::GNULongName if is_known => &mut self.long_name,
            EntryType::GNULongLink if is_known => &mut self.long_link,
            EntryType::XHeader if is_known => &mut self.pax,
            _ => return Ok(false),
        };
        small(entry)?;
        if place.is_some() {
            return Err(Refused::Broken(
                "two headers of a kind describe the same entry".to_owned(),
            ));
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(broken)?;
        *place = Some(bytes);
        Ok(true)
    }

    fn is_empty(&self) -> bool {
        self.long_name.is_none() && self.long_link.is_none() && self.pax.is_none()
    }

    fn path(&self, header: &tar::Header) -> Result<String, Refused> {
        let long = self.long_name.as_deref();
        let long = long.map(|name| name.strip_suffix(b"\0").unwrap_or(name));
        let path = long.or_else(|| self.values("path").next());
        let path = path.map_or_else(|| header.path_bytes().into_owned(), <[u8]>::to_vec);
        String::from_utf8(path).map_err(|_| Refused::NotText)
    }

    /// The size of an entry, of which all that is said is the same: where it says two, the next header is
    /// at one place for some readers and at another for others. A header has room for more than our limits.
    fn size(&self, path: &str, size: u64) -> Result<u64, Refused> {
        let same = |said: &[u8]| std::str::from_utf8(said).is_ok_and(|said| said.parse() == Ok(size));
        match self.values("size").all(same) {
            true => Ok(size),
            false => Err(Refused::Broken(format!("{path:?} has two sizes"))),
        }
    }

    /// Of a PAX header; lines that are none are passed over, as npm does.
    fn values<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s [u8]> {
        let pax = PaxExtensions::new(self.pax.as_deref().unwrap_or_default());
        pax.filter_map(Result::ok)
            .filter(move |one| one.key_bytes() == key.as_bytes())
            .map(|one| one.value_bytes())
    }
}

/// Refuses a header of more than [`HEADER_MOST`] before a byte of it is read.
fn small(entry: &tar::Entry<'_, impl Read>) -> Result<(), Refused> {
    if entry.size() <= HEADER_MOST {
        return Ok(());
    }
    let path = entry.header().path_bytes();
    Err(Refused::Path {
        path: base::text::cut(&String::from_utf8_lossy(&path), 200),
        why: "a header of more than 64 KiB",
    })
}

fn take_entry(
    mut entry: tar::Entry<'_, impl Read>,
    ahead: Ahead,
    intake: &mut Intake<'_>,
    placed: &mut Placed<'_>,
    seen: &mut Seen<'_>,
) -> Result<(), IntakeError> {
    let path = ahead.path(entry.header())?;
    let size = ahead.size(&path, entry.size())?;
    match entry.header().entry_type() {
        EntryType::Regular | EntryType::Continuous => {}
        EntryType::Directory => {
            intake.path(&path)?;
            return Ok(());
        }
        EntryType::XGlobalHeader => return Ok(()),
        other => {
            let kind = format!("{other:?}");
            return Err(Refused::Kind { path, kind }.into());
        }
    }
    let parts = intake.path(&path)?;
    let Some(path) = placed(intake, &parts) else {
        return Ok(());
    };
    let run = entry.header().mode().unwrap_or(0o644) & 0o111 != 0;
    let own = path.clone();
    seen(&own, &[]);
    let file = Entry { path, size, run };
    intake.take(file, &mut entry, &mut |bytes| seen(&own, bytes))
}

/// Below the one folder. What lies beside it is no part of the package.
fn below(intake: &Intake<'_>, parts: &[&str]) -> Option<String> {
    let path = parts.get(1..).filter(|parts| !parts.is_empty())?.join("/");
    // As npm does: a package in a repository must not hide its files from it.
    let folder = path.strip_suffix(".gitignore");
    match folder.filter(|folder| folder.is_empty() || folder.ends_with('/')) {
        Some(folder) => {
            let other = format!("{folder}.npmignore");
            (!intake.has(&other)).then_some(other)
        }
        None => Some(path),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use std::io;

    const HUGE: u64 = 200 << 20;

    /// Counts what is pulled out of it.
    struct Counted<R>(R, u64);

    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(into)?;
            self.1 += read as u64;
            Ok(read)
        }
    }

    fn header(kind: EntryType, size: u64) -> Vec<u8> {
        let mut header = tar::Header::new_ustar();
        header.set_path("package/x").unwrap();
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(size);
        header.set_cksum();
        header.as_bytes().to_vec()
    }

    fn entry(kind: EntryType, body: &[u8]) -> Vec<u8> {
        let mut bytes = header(kind, body.len() as u64);
        bytes.extend_from_slice(body);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    }

    fn file(body: &[u8]) -> Vec<u8> {
        entry(EntryType::Regular, body)
    }

    fn pax(key: &str, value: &str) -> Vec<u8> {
        let body = format!(" {key}={value}\n");
        let length = (body.len() + 1..).find(|all| all.to_string().len() + body.len() == *all);
        entry(
            EntryType::XHeader,
            format!("{}{body}", length.unwrap()).as_bytes(),
        )
    }

    fn taken(from: impl Read) -> Result<Vec<String>, IntakeError> {
        let into = tempfile::tempdir().unwrap();
        let mut intake = Intake::new(into.path(), Files::Own, LIMITS);
        take_tar(from, LIMITS, &mut intake, &mut below, &mut |_, _| ())?;
        Ok(intake.finish()?.into_iter().map(|file| file.path).collect())
    }

    fn all(parts: &[Vec<u8>]) -> Result<Vec<String>, IntakeError> {
        taken([parts.concat(), vec![0; 1024]].concat().as_slice())
    }

    #[test]
    fn a_huge_header_is_refused_and_not_read() {
        use EntryType::{GNULongLink, GNULongName, XGlobalHeader, XHeader};
        for kind in [GNULongName, GNULongLink, XHeader, XGlobalHeader] {
            let begin = [file(b"1"), header(kind, HUGE)].concat();
            let end = [file(b"1"), vec![0; 1024]].concat();
            let body = io::repeat(b'a').take(HUGE);
            let mut from = Counted(io::Cursor::new(begin).chain(body).chain(io::Cursor::new(end)), 0);
            let refused = taken(&mut from).unwrap_err().to_string();
            assert_eq!(refused, "\"package/x\": a header of more than 64 KiB", "{kind:?}");
            assert!(from.1 < 1 << 20, "{kind:?}: {} bytes were read", from.1);
        }
    }

    #[test]
    fn a_huge_header_in_a_small_tarball_is_refused_as_hostile() {
        use base::Coded;
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write;
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(&header(EntryType::XHeader, HUGE)).unwrap();
        io::copy(&mut io::repeat(0).take(4 << 20), &mut packer).unwrap();
        let into = tempfile::tempdir().unwrap();
        let refused = unpack("evil", &packer.finish().unwrap(), into.path(), LIMITS);
        assert_eq!(refused.err().unwrap().code(), "package_hostile");
    }

    #[test]
    fn headers_within_the_limit_name_the_next_file_alone() {
        let name = "n/".repeat(60);
        let gnu = entry(EntryType::GNULongName, format!("package/{name}gnu\0").as_bytes());
        let posix = pax("path", &format!("package/{name}pax"));
        let global = entry(EntryType::XGlobalHeader, b"20 comment=whatever\n");
        let parts = [global, gnu, file(b"1"), posix, file(b"2"), file(b"3")];
        let names = [format!("{name}gnu"), format!("{name}pax"), "x".to_owned()];
        assert_eq!(all(&parts).unwrap(), names);
    }

    #[test]
    fn a_file_has_one_size() {
        assert_eq!(all(&[pax("size", "1"), file(b"1")]).unwrap(), ["x"]);
        for other in ["512", "0", "-1", "x"] {
            let refused = all(&[pax("size", other), file(b"1")]).unwrap_err();
            assert!(
                refused.to_string().ends_with("has two sizes"),
                "{other}: {refused}"
            );
        }
    }

    #[test]
    fn headers_that_describe_nothing_or_the_same_twice_are_refused() {
        for parts in [
            vec![file(b"1"), pax("path", "package/y")],
            vec![pax("path", "package/y"), pax("path", "package/z"), file(b"1")],
        ] {
            let refused = all(&parts).unwrap_err();
            assert!(matches!(refused, IntakeError::Refused(Refused::Broken(_))));
        }
    }

    #[test]
    fn folders_that_paths_imply_count_as_entries() {
        let limits = Limits {
            entries: 100,
            ..LIMITS
        };
        let into = tempfile::tempdir().unwrap();
        let mut intake = Intake::new(into.path(), Files::Own, limits);
        let parts: Vec<_> = (0..3)
            .flat_map(|at| {
                let path = format!("package/{}f", format!("{at}/").repeat(50));
                [pax("path", &path), file(b"1")]
            })
            .collect();
        let bytes = [parts.concat(), vec![0; 1024]].concat();
        let refused = take_tar(bytes.as_slice(), limits, &mut intake, &mut below, &mut |_, _| ());
        assert_eq!(refused.unwrap_err().to_string(), "more than 100 entries");
    }
}
