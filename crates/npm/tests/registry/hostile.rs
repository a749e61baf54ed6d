//! Tarballs that want to do harm: each refuses its package by name, and nothing of it is seen.

use super::fixture::{Place, Shelf, gzip, serve, tarball};
use base::Coded;
use serde_json::json;
use tar::EntryType;

/// An entry as its bytes are, without the checks of a library.
fn entry(path: &[u8], kind: EntryType, link: &str, body: &[u8], claimed: u64) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..path.len()].copy_from_slice(path);
    header.set_entry_type(kind);
    header.set_mode(0o755);
    header.set_size(claimed);
    let name = link.as_bytes();
    header.as_old_mut().linkname[..name.len()].copy_from_slice(name);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(body);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn file(path: &str) -> Vec<u8> {
    entry(path.as_bytes(), EntryType::Regular, "", b"evil", 4)
}

fn end() -> Vec<u8> {
    vec![0; 1024]
}

fn pack(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut all = file("package/package.json");
    all.extend(parts.concat());
    all.extend(end());
    gzip(&all)
}

fn kinds() -> Vec<(&'static str, Vec<u8>)> {
    let special = |kind, link| pack(&[entry(b"package/x", kind, link, b"", 0)]);
    let attributes = vec![b'a'; 100 << 10];
    let ahead = |kind| {
        let header = entry(b"package/x", kind, "", &attributes, attributes.len() as u64);
        pack(&[header, file("package/x")])
    };
    let good = tarball(&[("package.json", "{}"), ("index.js", "1")]);
    let deep = format!("package/{}x", "d/".repeat(40));
    let mut deeper = entry(
        b"././@LongLink",
        EntryType::GNULongName,
        "",
        format!("package/{}x\0", "d/".repeat(100)).as_bytes(),
        210,
    );
    deeper.extend(file(&deep[..80]));
    let long = format!("package/{}\0", "n".repeat(300));
    let mut too_long = entry(
        b"././@LongLink",
        EntryType::GNULongName,
        "",
        long.as_bytes(),
        long.len() as u64,
    );
    too_long.extend(file("package/short"));
    let mut escaping = entry(
        b"././@LongLink",
        EntryType::GNULongName,
        "",
        b"package/../../evil\0",
        19,
    );
    escaping.extend(file("package/short"));
    let mut checksum = file("package/x");
    checksum[150] ^= 1;
    let half = {
        let all = [
            file("package/package.json"),
            entry(b"package/x", EntryType::Regular, "", b"evil", 4096),
        ]
        .concat();
        gzip(&all)
    };
    vec![
        ("parent", pack(&[file("package/../../evil")])),
        ("parent at once", pack(&[file("../evil")])),
        ("parent in a long name", pack(&[escaping])),
        ("absolute", pack(&[file("/tmp/evil")])),
        ("backslash", pack(&[file("package\\..\\evil")])),
        ("drive", pack(&[file("package/C:/evil")])),
        ("control", pack(&[file("package/e\u{7}vil")])),
        (
            "not UTF-8",
            pack(&[entry(b"package/\xff\xfe", EntryType::Regular, "", b"evil", 4)]),
        ),
        ("symbolic link", special(EntryType::Symlink, "/etc/passwd")),
        ("link out of it", special(EntryType::Symlink, "../../../..")),
        ("hard link", special(EntryType::Link, "/etc/passwd")),
        ("character device", special(EntryType::Char, "")),
        ("block device", special(EntryType::Block, "")),
        ("pipe", special(EntryType::Fifo, "")),
        (
            "case",
            pack(&[file("package/Index.js"), file("package/index.js")]),
        ),
        (
            "composed",
            pack(&[file("package/\u{e9}"), file("package/e\u{301}")]),
        ),
        ("file and folder", pack(&[file("package/a"), file("package/a/b")])),
        (
            "folders by case",
            pack(&[file("package/Lib/a"), file("package/lib/b")]),
        ),
        ("too deep", pack(&[deeper])),
        ("too long a name", pack(&[too_long])),
        ("a huge long name", ahead(EntryType::GNULongName)),
        ("a huge list of attributes", ahead(EntryType::XHeader)),
        ("claims more than there is", half),
        (
            "huge",
            pack(&[entry(b"package/x", EntryType::Regular, "", b"evil", 1 << 40)]),
        ),
        ("checksum", pack(&[checksum])),
        ("cut off", good[..good.len() - 12].to_vec()),
        ("no tar at all", gzip(b"<html>not found</html>")),
        ("empty", gzip(&end())),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_refuses_the_package_by_name() {
    let mut shelf = Shelf::default();
    let kinds = kinds();
    assert!(kinds.len() >= 20);
    for (at, (_, bytes)) in kinds.iter().enumerate() {
        shelf.add_tarball(&format!("evil{at}"), "1.0.0", json!({}), bytes.clone());
    }
    let registry = serve(shelf).await;
    for (at, (kind, _)) in kinds.iter().enumerate() {
        let name = format!("evil{at}");
        let place = Place::new(&registry.address, json!({"dependencies": {&name: "1"}}));
        let result = place.install().await;
        let error = match result {
            Err(error) => error,
            Ok(_) => panic!("{kind}: installed"),
        };
        assert_eq!(error.code(), "package_hostile", "{kind}: {error}");
        assert_eq!(error.args()["name"], json!(name));
        assert!(!place.has("node_modules"), "{kind}");
        let packages = std::fs::read_dir(place.store().join("packages")).unwrap();
        assert_eq!(packages.count(), 0, "{kind}");
        let beside = std::fs::read_dir(place.dir.path()).unwrap().count();
        assert_eq!(beside, 2, "{kind}: something was written elsewhere");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_package_without_harm_is_taken() {
    let harmless = pack(&[file("package/lib/a.js"), file("./package/b.js")]);
    let mut shelf = Shelf::default();
    shelf.add_tarball("good", "1.0.0", json!({}), harmless);
    // Some are packed under another name than `package`.
    let other = gzip(&[file("ms/package.json"), file("ms/index.d.ts"), end()].concat());
    shelf.add_tarball("other", "1.0.0", json!({}), other);
    let registry = serve(shelf).await;
    let place = Place::new(
        &registry.address,
        json!({"dependencies": {"good": "1", "other": "1"}}),
    );
    place.install().await.unwrap();
    for path in ["good/lib/a.js", "good/b.js", "other/index.d.ts"] {
        assert!(place.has(&format!("node_modules/{path}")), "{path}");
    }
}
