//! Looking into a tool's folder, and the wall around it.

use base::Coded;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use toolbox::files::{FilesError, Kind, MAX_ENTRIES, MAX_PREVIEW, list, preview};

fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("tool");
    std::fs::create_dir_all(root.join("data/deep")).unwrap();
    std::fs::write(root.join("data/a.txt"), "hello").unwrap();
    std::fs::write(dir.path().join("outside.txt"), "OUTSIDE").unwrap();
    (dir, root)
}

fn text(root: &Path, path: &str) -> Result<Option<String>, FilesError> {
    preview(root, path, |name| name.ends_with("KEY")).map(|seen| seen.text)
}

fn code<T>(result: Result<T, FilesError>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "ok")
}

#[test]
fn folders_come_first_then_names() {
    let (_dir, root) = folder();
    std::fs::write(root.join("b.js"), "1").unwrap();
    std::fs::write(root.join(".env"), "A=1\n").unwrap();
    symlink("/etc", root.join("link")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let listing = list(&root, "").unwrap();
    let seen: Vec<(&str, Kind, u64)> = listing
        .entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.kind, entry.size))
        .collect();
    assert_eq!(
        seen,
        [
            ("data", Kind::Directory, 0),
            (".env", Kind::File, 4),
            ("b.js", Kind::File, 1),
            ("link", Kind::Link, 4),
            ("pipe", Kind::Other, 0),
        ]
    );
    assert!(!listing.truncated && listing.entries[2].modified_ms > 1_700_000_000_000);
    let below = list(&root, "./data/").unwrap();
    assert_eq!(below.entries.len(), 2);
    assert_eq!(below.entries[1].name, "a.txt");
}

#[test]
fn what_is_refused_and_how_it_is_called() {
    let (dir, root) = folder();
    symlink(dir.path(), root.join("out")).unwrap();
    symlink("a.txt", root.join("data/inner")).unwrap();
    let outside = dir.path().join("outside.txt");
    for path in [
        "..",
        "../outside.txt",
        "data/../../outside.txt",
        "data/..",
        outside.to_str().unwrap(),
        "/",
        "data\\..\\x",
        "C:/x",
        "c:",
        "data/a.txt\0",
    ] {
        assert_eq!(code(list(&root, path)), "path_traversal_blocked", "{path}");
        assert_eq!(code(text(&root, path)), "path_traversal_blocked", "{path}");
    }
    assert_eq!(
        code(text(&root, "data/a..b")),
        "file_not_found",
        "two dots in a name are a name"
    );
    assert_eq!(code(text(&root, "none/a.txt")), "file_not_found");
    assert_eq!(code(text(&root, &"n".repeat(300))), "file_not_found");
    assert_eq!(code(list(&root, "none")), "directory_not_found");
    assert_eq!(code(list(&root, "data/a.txt")), "not_a_directory");
    assert_eq!(code(text(&root, "data/a.txt/x")), "not_a_directory");
    assert_eq!(code(text(&root, "data")), "not_a_file");
    assert_eq!(code(text(&root, "")), "not_a_file");
    assert_eq!(code(list(&root, "out")), "symlink_not_followed");
    assert_eq!(code(text(&root, "out/outside.txt")), "symlink_not_followed");
    assert_eq!(
        code(text(&root, "data/inner")),
        "symlink_not_followed",
        "nor inside"
    );
    assert_eq!(code(list(&root.join("gone"), "")), "directory_not_found");
}

#[test]
fn a_pipe_does_not_block() {
    let (_dir, root) = folder();
    let pipe = root.join("pipe");
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, rustix::fs::Mode::RUSR, 0).unwrap();
    assert_eq!(code(text(&root, "pipe")), "not_a_file");
}

#[test]
fn a_preview_is_text_and_ends_between_letters() {
    let (_dir, root) = folder();
    let seen = preview(&root, "data/a.txt", |_| false).unwrap();
    assert_eq!(
        (seen.text.as_deref(), seen.size, seen.truncated),
        (Some("hello"), 5, false)
    );
    let exact = "世".repeat(MAX_PREVIEW / 3) + "x";
    assert_eq!(exact.len(), MAX_PREVIEW);
    for (bytes, expected, truncated) in [
        (exact.clone().into_bytes(), Some(MAX_PREVIEW), false),
        (format!("{exact}y").into_bytes(), Some(MAX_PREVIEW), true),
        (
            format!("x{}", "世".repeat(MAX_PREVIEW)).into_bytes(),
            Some(MAX_PREVIEW),
            true,
        ),
        (
            format!("xx{}", "世".repeat(MAX_PREVIEW)).into_bytes(),
            Some(MAX_PREVIEW - 2),
            true,
        ),
        (vec![0xff, 0xfe], None, false),
        (b"a\0b".to_vec(), None, false),
        ("世".as_bytes()[..2].to_vec(), None, false),
        (Vec::new(), Some(0), false),
    ] {
        std::fs::write(root.join("f"), &bytes).unwrap();
        let seen = preview(&root, "f", |_| false).unwrap();
        assert_eq!(seen.text.as_ref().map(String::len), expected);
        assert_eq!((seen.truncated, seen.size), (truncated, bytes.len() as u64));
        assert!(!seen.masked);
    }
}

#[test]
fn a_folder_of_thousands_is_cut() {
    let (_dir, root) = folder();
    for n in 0..=MAX_ENTRIES {
        std::fs::write(root.join(format!("data/deep/{n:05}")), "").unwrap();
    }
    let listing = list(&root, "data/deep").unwrap();
    assert!(listing.truncated);
    assert_eq!(listing.entries.len(), MAX_ENTRIES);
    assert_eq!(listing.entries[1999].name, "01999");
}

#[test]
fn an_environment_file_is_masked() {
    let (_dir, root) = folder();
    let file = "# kept\n# OLD_KEY=old-value\nNAME=shown # why\nAPI_KEY=\"sk-12345\" # sk-12345\nCOPY=xsk-12345x\n\
                a loose sk-line\nEMPTY_KEY=\n";
    for name in [".env", ".env.local", "data/.env"] {
        std::fs::write(root.join(name), file).unwrap();
        let seen = preview(&root, name, |name| name.ends_with("KEY")).unwrap();
        assert!(seen.masked, "{name}");
        assert_eq!(
            seen.text.unwrap(),
            "# kept\n# OLD_KEY=******\nNAME=shown # why\nAPI_KEY=******\nCOPY=x******x\n******\nEMPTY_KEY=\n"
        );
    }
    // Commented out over several lines: all of them, with and without signs before them.
    let cases = [
        (
            "# A_KEY=\"begin\n# deep secret\n#\n# end\" # why\n# kept\n",
            "# A_KEY=******\n# ******\n# ******\n# ******\n# kept\n",
        ),
        (
            "#A_KEY='begin\nMIIEsecret==\nloose\nend'\n# kept\nB=shown\n",
            "# A_KEY=******\n******\n******\n******\n# kept\nB=shown\n",
        ),
        // A stray quote: up to the next entry.
        (
            "# A_KEY=\"begin\n# perhaps more\nB=shown\n# kept\n",
            "# A_KEY=******\n# ******\nB=shown\n# kept\n",
        ),
        ("A_KEY='never closed\nMIIE==\n", "A_KEY=******\n******\n"),
        ("# A_KEY=\"whole\"\n# kept\n", "# A_KEY=******\n# kept\n"),
        ("# NAME=\"several\n# lines\"\n", "# NAME=\"several\n# lines\"\n"),
    ];
    for (file, shown) in cases {
        std::fs::write(root.join(".env"), file).unwrap();
        let seen = preview(&root, ".env", |name| name.ends_with("KEY")).unwrap();
        assert_eq!(seen.text.unwrap(), shown);
    }
    std::fs::write(root.join(".env"), format!("A={}\n", "x".repeat(2 * 1024 * 1024))).unwrap();
    let huge = preview(&root, ".env", |_| true).unwrap();
    assert_eq!(
        (huge.text, huge.truncated),
        (None, true),
        "not shown rather than shown unmasked"
    );
}

/// Ends the other thread, also when an assertion fails.
struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A tool swaps a folder of its own for a link that leads out, again and again. The careful way of
/// old, to resolve the path and then to open it, is led out; ours is not.
#[test]
fn a_link_swapped_in_never_shows_what_lies_outside() {
    let (dir, root) = folder();
    let outside = dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a.txt"), "OUTSIDE").unwrap();
    std::fs::create_dir(root.join("x")).unwrap();
    std::fs::write(root.join("x/a.txt"), "inside").unwrap();
    symlink(&outside, root.join("link")).unwrap();
    let resolved_then_opened = |path: &str| {
        let found = root.join(path).canonicalize().ok()?;
        let inside = found.starts_with(root.canonicalize().ok()?);
        inside.then(|| std::fs::read_to_string(root.join(path)).ok())?
    };
    let over = AtomicBool::new(false);
    let (mut led_out, mut ours, mut shown) = (0, 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                rustix::fs::renameat_with(
                    rustix::fs::CWD,
                    root.join("x"),
                    rustix::fs::CWD,
                    root.join("link"),
                    rustix::fs::RenameFlags::EXCHANGE,
                )
                .unwrap();
            }
        });
        let _over = Over(&over);
        // As long as it takes, within reason, until the old way has lost and ours has been asked often.
        for _ in 0..2_000_000 {
            if resolved_then_opened("x/a.txt").as_deref() == Some("OUTSIDE") {
                led_out += 1;
            }
            match text(&root, "x/a.txt") {
                Ok(Some(text)) if text == "inside" => shown += 1,
                Ok(other) => panic!("{other:?}"),
                // When it was a link and is a folder again, the words are those for a file.
                Err(error) => assert!(
                    matches!(error, FilesError::Link { .. } | FilesError::NotFolder { .. }),
                    "{error:?}"
                ),
            }
            if let Ok(listing) = list(&root, "x") {
                assert_eq!(listing.entries.len(), 1);
            }
            ours += 1;
            if led_out > 5 && shown > 100 && ours > 5000 {
                break;
            }
        }
    });
    assert!(led_out > 0, "the attack works on the plain way: {ours} tries");
    assert!(shown > 0, "and ours shows what is inside");
}
