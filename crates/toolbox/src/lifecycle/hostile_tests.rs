//! Archives that want to do harm: each is refused by its own code, and nothing of it is left anywhere.

#![allow(clippy::disallowed_methods, reason = "makes the sources of a test")]

use super::error::LifecycleError;
use super::place::Staging;
use super::source::{self, Source};
use base::{Coded, DataHome};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const TOOL: &[u8] = b"export default { execute() { return 1; } }";

/// An entry of a zip archive as its bytes are, without the checks of a library.
struct Entry<'e> {
    name: &'e [u8],
    mode: u32,
    body: &'e [u8],
    /// Deflated: what the body is then, and how large it says it is.
    packed: Option<(Vec<u8>, u32)>,
    sum: Option<u32>,
    /// Bit 0: encrypted.
    flags: u16,
    method: Option<u16>,
}

fn entry<'e>(name: &'e str, body: &'e [u8]) -> Entry<'e> {
    Entry {
        name: name.as_bytes(),
        mode: 0o100_644,
        body,
        packed: None,
        sum: None,
        flags: 1 << 11,
        method: None,
    }
}

fn zip(entries: &[Entry<'_>]) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for one in entries {
        let at = u32::try_from(bytes.len()).unwrap();
        let (body, size) = match &one.packed {
            Some((packed, size)) => (packed.as_slice(), *size),
            None => (one.body, u32::try_from(one.body.len()).unwrap()),
        };
        let method = one.method.unwrap_or(if one.packed.is_some() { 8 } else { 0 });
        let sum = one.sum.unwrap_or_else(|| crc(one.body));
        let mut head = Vec::new();
        for part in [20, one.flags, method, 0, 0x21] {
            head.extend(part.to_le_bytes());
        }
        head.extend(sum.to_le_bytes());
        head.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
        head.extend(size.to_le_bytes());
        head.extend(u16::try_from(one.name.len()).unwrap().to_le_bytes());
        head.extend(0u16.to_le_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&head);
        bytes.extend(one.name);
        bytes.extend(body);
        list.extend(b"PK\x01\x02");
        list.extend(((3u16 << 8) | 20).to_le_bytes());
        list.extend(&head);
        list.extend([0; 6]);
        list.extend((one.mode << 16).to_le_bytes());
        list.extend(at.to_le_bytes());
        list.extend(one.name);
    }
    let at = u32::try_from(bytes.len()).unwrap();
    let count = u16::try_from(entries.len()).unwrap();
    bytes.extend(&list);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(u32::try_from(list.len()).unwrap().to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A tarball with one more entry after the tool.
fn tar(path: &[u8], kind: tar::EntryType, link: &str, body: &[u8], claimed: u64) -> Vec<u8> {
    let one = |path: &[u8], kind, link: &str, body: &[u8], claimed: u64| {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..path.len()].copy_from_slice(path);
        header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(claimed);
        header.set_cksum();
        let mut bytes = header.as_bytes().to_vec();
        bytes.extend_from_slice(body);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    };
    let tool = one(b"t.tool.js", tar::EntryType::Regular, "", TOOL, TOOL.len() as u64);
    gzip(&[tool, one(path, kind, link, body, claimed), vec![0; 1024]].concat())
}

/// A name, the file's ending, its bytes, the code that it is refused with.
type Kind = (&'static str, &'static str, Vec<u8>, &'static str);

fn zips() -> Vec<Kind> {
    let tool = || entry("t.tool.js", TOOL);
    let with = |more: Entry<'_>| zip(&[tool(), more]);
    let hostile = "tool_source_hostile";
    let named = |name| with(entry(name, b"evil"));
    let of = |mode| {
        with(Entry {
            mode,
            ..entry("x", b"/etc/passwd")
        })
    };
    let zeros = vec![0; 51 << 20];
    let bomb = |size| {
        let packed = Some((deflated(&zeros), size));
        with(Entry {
            packed,
            ..entry("bomb", &zeros)
        })
    };
    let names: Vec<String> = (0..2500).map(|at| format!("f{at}.js")).collect();
    let many = names.iter().map(|name| entry(name, b"")).chain([tool()]);
    let folders: Vec<String> = (0..21_000).map(|at| format!("d{at}/")).collect();
    let many_folders = folders.iter().map(|name| entry(name, b"")).chain([tool()]);
    let whole = zip(&[tool()]);
    let deep = format!("{}x", "d/".repeat(40));
    let long = "n".repeat(300);
    vec![
        ("parent", "zip", named("../evil"), hostile),
        ("parent within", "zip", named("lib/../../evil"), hostile),
        ("absolute", "zip", named("/tmp/evil"), hostile),
        ("backslash", "zip", named("..\\evil"), hostile),
        ("drive", "zip", named("C:/evil"), hostile),
        ("control", "zip", named("e\u{7}vil"), hostile),
        ("NUL", "zip", named("evil\0.js"), hostile),
        (
            "not UTF-8",
            "zip",
            with(Entry {
                name: b"\xff\xfe",
                flags: 0,
                ..entry("", b"")
            }),
            hostile,
        ),
        ("too deep", "zip", named(&deep), hostile),
        ("too long a name", "zip", named(&long), hostile),
        ("symbolic link", "zip", of(0o120_777), hostile),
        ("character device", "zip", of(0o020_644), hostile),
        ("block device", "zip", of(0o060_644), hostile),
        ("pipe", "zip", of(0o010_644), hostile),
        ("socket", "zip", of(0o140_644), hostile),
        ("case", "zip", with(entry("T.tool.js", b"1")), hostile),
        (
            "composed",
            "zip",
            zip(&[tool(), entry("\u{e9}", b"1"), entry("e\u{301}", b"2")]),
            hostile,
        ),
        (
            "file and folder",
            "zip",
            zip(&[tool(), entry("a", b"1"), entry("a/b", b"2")]),
            hostile,
        ),
        (
            "bomb that says so",
            "zip",
            bomb(51 << 20),
            "tool_source_too_large",
        ),
        ("bomb that lies", "zip", bomb(10), "tool_source_broken"),
        (
            "too many files",
            "zip",
            zip(&many.collect::<Vec<_>>()),
            "tool_source_too_many_files",
        ),
        (
            "too many folders",
            "zip",
            zip(&many_folders.collect::<Vec<_>>()),
            "tool_source_too_many_files",
        ),
        (
            "checksum",
            "zip",
            with(Entry {
                sum: Some(1),
                ..entry("x", b"evil")
            }),
            "tool_source_broken",
        ),
        (
            "encrypted",
            "zip",
            with(Entry {
                flags: 1,
                ..entry("x", b"evil")
            }),
            "tool_source_broken",
        ),
        (
            "unknown method",
            "zip",
            with(Entry {
                method: Some(97),
                ..entry("x", b"evil")
            }),
            "tool_source_broken",
        ),
        (
            "cut off",
            "zip",
            whole[..whole.len() - 30].to_vec(),
            "tool_source_broken",
        ),
        (
            "no archive at all",
            "zip",
            b"<html>not found</html>".to_vec(),
            "tool_source_broken",
        ),
        ("empty", "zip", zip(&[]), "tool_source_without_tool"),
        (
            "no tool",
            "zip",
            zip(&[entry("index.js", b"1")]),
            "tool_source_without_tool",
        ),
        (
            "only data",
            "zip",
            zip(&[entry("data/t.tool.js", TOOL), entry("x", b"")]),
            "tool_source_without_tool",
        ),
        (
            "two tools",
            "zip",
            zip(&[tool(), entry("u.tool.js", TOOL)]),
            "tool_source_with_many",
        ),
        (
            "no name",
            "zip",
            zip(&[entry("A B.tool.js", TOOL)]),
            "invalid_tool_name",
        ),
    ]
}

fn tars() -> Vec<Kind> {
    use tar::EntryType::{Block, Char, Fifo, GNULongName, Link, Regular, Symlink, XHeader};
    let hostile = "tool_source_hostile";
    let special = |kind, link| tar(b"x", kind, link, b"", 0);
    let zeros = vec![0; 51 << 20];
    let skipped = vec![0; 101 << 20];
    let good = tar(b"x.js", Regular, "", b"1", 1);
    vec![
        ("parent", "tgz", tar(b"../evil", Regular, "", b"evil", 4), hostile),
        (
            "absolute",
            "tgz",
            tar(b"/tmp/evil", Regular, "", b"evil", 4),
            hostile,
        ),
        (
            "symbolic link",
            "tar.gz",
            special(Symlink, "/etc/passwd"),
            hostile,
        ),
        ("link out of it", "tgz", special(Symlink, "../../.."), hostile),
        ("hard link", "tgz", special(Link, "/etc/passwd"), hostile),
        ("character device", "tgz", special(Char, ""), hostile),
        ("block device", "tgz", special(Block, ""), hostile),
        ("pipe", "tgz", special(Fifo, ""), hostile),
        ("case", "tgz", tar(b"T.TOOL.JS", Regular, "", b"1", 1), hostile),
        (
            "bomb",
            "tgz",
            tar(b"bomb", Regular, "", &zeros, zeros.len() as u64),
            "tool_source_too_large",
        ),
        (
            "bomb in what is left out",
            "tgz",
            tar(b"node_modules/x", Regular, "", &skipped, skipped.len() as u64),
            "tool_source_too_large",
        ),
        (
            "claims more than there is",
            "tgz",
            tar(b"x", Regular, "", b"evil", 1 << 20),
            "tool_source_broken",
        ),
        (
            "claims the world",
            "tgz",
            tar(b"x", Regular, "", b"evil", 1 << 40),
            "tool_source_too_large",
        ),
        (
            "a huge long name",
            "tgz",
            tar(b"x", GNULongName, "", &skipped[..1 << 20], 1 << 20),
            hostile,
        ),
        (
            "a huge list of attributes",
            "tgz",
            tar(b"x", XHeader, "", &skipped[..1 << 20], 1 << 20),
            hostile,
        ),
        (
            "cut off",
            "tgz",
            good[..good.len() - 12].to_vec(),
            "tool_source_broken",
        ),
        (
            "no tar at all",
            "tgz",
            gzip(b"<html>not found</html>"),
            "tool_source_broken",
        ),
        ("empty", "tar", vec![0; 1024], "tool_source_without_tool"),
    ]
}

struct Place {
    dir: TempDir,
    home: DataHome,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        Place { dir, home }
    }

    fn taken(&self, source: &Path) -> Result<source::Taken, LifecycleError> {
        let source = Source::parse(source.to_str().unwrap(), &self.home)?;
        let staging = Staging::new(&self.home).unwrap();
        source::take(&source, None, &staging)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

#[test]
fn each_kind_is_refused_by_its_code_and_leaves_nothing() {
    let kinds: Vec<Kind> = zips().into_iter().chain(tars()).collect();
    assert!(kinds.len() >= 40);
    for (kind, ending, bytes, code) in kinds {
        let place = Place::new();
        let path = place.file(&format!("a.{ending}"), &bytes);
        let error = match place.taken(&path) {
            Err(error) => error,
            Ok(taken) => panic!("{kind} ({ending}): taken in: {taken:?}"),
        };
        assert_eq!(error.code(), code, "{kind} ({ending}): {error}");
        let changes = place.home.tool_changes();
        assert_eq!(std::fs::read_dir(&changes).unwrap().count(), 0, "{kind}");
        let beside = std::fs::read_dir(place.dir.path()).unwrap().count();
        assert_eq!(beside, 2, "{kind}: something was written elsewhere");
        let toolbox = std::fs::read_dir(place.home.toolbox()).unwrap().count();
        assert_eq!(toolbox, 1, "{kind}: something is in the toolbox");
    }
}

#[test]
fn links_and_pipes_in_a_folder_are_refused() {
    let place = Place::new();
    let tool = place.file("t/t.tool.js", TOOL);
    let folder = tool.parent().unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.join("secret.js")).unwrap();
    assert_eq!(place.taken(folder).unwrap_err().code(), "tool_source_hostile");
    std::fs::remove_file(folder.join("secret.js")).unwrap();
    place.taken(folder).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.join("pipe"), 0o600.into()).unwrap();
    assert_eq!(place.taken(folder).unwrap_err().code(), "tool_source_hostile");
}

#[test]
fn the_same_tool_out_of_every_source_is_the_same() {
    let place = Place::new();
    let library = entry("lib/a.js", b"export const a = 1;");
    let flat = place.file("flat.zip", &zip(&[entry("t.tool.js", TOOL), library]));
    let packed = Some((deflated(TOOL), u32::try_from(TOOL.len()).unwrap()));
    let below = place.file(
        "below.zip",
        &zip(&[
            entry("t-main/", b""),
            Entry {
                packed,
                ..entry("t-main/t.tool.js", TOOL)
            },
            entry("t-main/lib/a.js", b"export const a = 1;"),
            entry("t-main/node_modules/x/index.js", b"1"),
            entry("t-main/.env", b"KEY=theirs"),
            entry("t-main/.npmrc", b"//evil.example/:_authToken=${NPM_TOKEN}"),
            entry("t-main/data/storage.json", b"{}"),
            entry("__MACOSX/t-main/._t.tool.js", b"1"),
        ]),
    );
    place.file("folder/t.tool.js", TOOL);
    place.file("folder/lib/a.js", b"export const a = 1;");
    place.file("folder/.git/config", b"x");
    place.file("folder/run.log", b"x");
    place.file("folder/.npmrc", b"registry=https://evil.example/${NPM_TOKEN}");
    let folder = place.dir.path().join("folder");
    let taken: Vec<_> = [&flat, &below, &folder]
        .map(|source| place.taken(source).unwrap())
        .into();
    for one in &taken {
        assert_eq!(one.name.as_str(), "t");
        assert_eq!(one.digest, taken[0].digest);
        let paths: Vec<&str> = one.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["lib/a.js", "t.tool.js"]);
    }
    assert_eq!(taken[0].left_out, [] as [&str; 0]);
    assert_eq!(
        taken[1].left_out,
        [".env", ".npmrc", "__MACOSX", "data", "node_modules"]
    );
    assert_eq!(taken[2].left_out, [".git", ".npmrc", "run.log"]);
    let alone = place.taken(&place.file("t.tool.js", TOOL)).unwrap();
    assert_eq!(alone.files.len(), 1);
}

#[test]
fn sources_are_told_apart() {
    let place = Place::new();
    let folder = place.file("x/y.tool.js", TOOL);
    let parse = |text: &str| Source::parse(text, &place.home);
    let package = |name: &str, spec: &str| Source::Package {
        name: name.to_owned(),
        spec: spec.to_owned(),
    };
    for (text, name, spec) in [
        ("npm:left-pad", "left-pad", ""),
        ("npm:@s/p@^1.2", "@s/p", "^1.2"),
        ("left-pad@1", "left-pad", "1"),
    ] {
        let source = parse(text).unwrap();
        assert_eq!(source, package(name, spec), "{text}");
        assert_eq!(parse(&source.text()).unwrap(), source, "{text}");
    }
    assert_eq!(
        parse(folder.to_str().unwrap()).unwrap(),
        Source::File(folder.clone())
    );
    let strange = place.file("x.exe", b"");
    for (text, code) in [
        ("/nowhere/at/all", "tool_source_missing"),
        ("npm:../evil", "tool_source_unknown"),
        ("https://example.com/t.zip", "tool_source_unknown"),
        ("", "tool_source_unknown"),
        (strange.to_str().unwrap(), "tool_source_unknown"),
    ] {
        assert_eq!(parse(text).unwrap_err().code(), code, "{text}");
    }
}
