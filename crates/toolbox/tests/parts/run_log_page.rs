use proptest::prelude::*;
use std::path::{Path, PathBuf};
use toolbox::run_log::{Level, Page, Pick, Query, read};

fn page(path: &Path, pick: Pick, level: Level, search: Option<&str>) -> Page {
    let query = Query {
        pick,
        level,
        search: search.map(str::to_owned),
    };
    read(path, &query).unwrap()
}

fn sample() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.log");
    let text = "[2025-11-18T02:00:00.000Z] [INFO] start\n\
                [2025-11-18T02:00:01.000Z] [DEBUG] Detail\n\
                [2025-11-18T02:00:02.000Z] [ERROR] failed\n    at Line 1\n    at line 2\n\
                [2025-11-18T02:00:03.000Z] [WARN] careful\n";
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

#[test]
fn pages_by_end_start_level_and_text() {
    let (_dir, path) = sample();
    let ends = |page: &Page| {
        page.lines
            .iter()
            .map(|line| line.rsplit(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let tail = page(&path, Pick::Tail(2), Level::Debug, None);
    assert_eq!(
        (ends(&tail), tail.more),
        (vec!["2".to_owned(), "careful".to_owned()], true)
    );
    let head = page(&path, Pick::Head(2), Level::Debug, None);
    assert_eq!(
        (ends(&head), head.more),
        (vec!["start".to_owned(), "Detail".to_owned()], true)
    );
    let all = page(&path, Pick::All, Level::Debug, None);
    assert_eq!((all.lines.len(), all.more), (6, false));
    assert_eq!(page(&path, Pick::Tail(6), Level::Debug, None), all);
    assert_eq!(page(&path, Pick::Head(6), Level::Debug, None), all);
    let errors = page(&path, Pick::All, Level::Error, None);
    assert_eq!(ends(&errors), ["failed", "1", "2"]);
    assert_eq!(page(&path, Pick::Head(50), Level::Error, None), errors);
    assert_eq!(
        page(&path, Pick::All, Level::Debug, Some("LINE 2")),
        errors,
        "the whole record is shown"
    );
    assert_eq!(
        page(&path, Pick::Head(9), Level::Debug, Some("detail"))
            .lines
            .len(),
        1
    );
    assert_eq!(
        page(&path, Pick::All, Level::Debug, Some("absent")).lines.len(),
        0
    );
    assert_eq!(
        page(&path.with_file_name("none"), Pick::All, Level::Debug, None),
        Page::default()
    );
    assert_eq!(page(&path, Pick::Tail(0), Level::Debug, None).lines.len(), 0);
}

#[test]
fn a_file_without_lines_or_of_any_size_is_read_in_bounds() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.log");
    std::fs::write(&path, vec![b'x'; 12 * 1024 * 1024]).unwrap();
    for pick in [Pick::Tail(50), Pick::Head(50), Pick::All] {
        let page = page(&path, pick, Level::Debug, None);
        let bytes: usize = page.lines.iter().map(String::len).sum();
        assert!(page.lines.len() == 1 && bytes <= 512 * 1024, "{pick:?} {bytes}");
    }
    let text: String = (0..200_000)
        .map(|n| format!("[2025-11-18T02:00:00.000Z] [INFO] line {n} {}\n", "y".repeat(50)))
        .collect();
    std::fs::write(&path, &text).unwrap();
    let all = page(&path, Pick::All, Level::Debug, None);
    assert!(all.more && all.lines.len() == 10_000 && all.lines[9_999].contains("line 199999 "));
    let found = page(&path, Pick::All, Level::Debug, Some("line 7 "));
    assert!(!found.more && found.lines.len() == 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn tail_and_head_agree_with_the_lines_of_the_file(
        lines in prop::collection::vec("[a-z\\[\\] ]{0,40}|(x{200,400})", 0..400), take in 0usize..450, newline in any::<bool>()
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.log");
        let mut text = lines.join("\n");
        if newline && !text.is_empty() {
            text.push('\n');
        }
        std::fs::write(&path, &text).unwrap();
        let expected: Vec<&str> = text.lines().collect();
        let tail = page(&path, Pick::Tail(take), Level::Debug, None).lines;
        let head = page(&path, Pick::Head(take), Level::Debug, None).lines;
        prop_assert_eq!(tail, &expected[expected.len().saturating_sub(take)..]);
        prop_assert_eq!(head, &expected[..take.min(expected.len())]);
    }
}
