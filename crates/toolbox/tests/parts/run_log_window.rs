//! Windows over the index against a plain reading of the whole file.

use crate::tool;
use base::{DataHome, clock};
use proptest::prelude::*;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toolbox::run_log::{
    Direction, Level, Levels, MAX_AGE, MAX_RECORDS, MAX_TEXT, MAX_WINDOW, Reader, Record, RunLog, RunLogs,
    Search, Secrets, Seen, Wanted, Window,
};

const LEVELS: [Level; 4] = [Level::Debug, Level::Info, Level::Warn, Level::Error];
const TIME: &str = "[2025-11-18T02:00:08.104Z]";
const TIME_MS: i64 = 1_763_431_208_104;

struct Bench {
    _dir: tempfile::TempDir,
    path: PathBuf,
    logs: RunLogs,
    log: RunLog,
    reader: Reader,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("toolbox/x/run.log");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let logs = RunLogs::start(DataHome::at(dir.path()).unwrap(), |_| {}).unwrap();
        Bench {
            _dir: dir,
            path,
            log: logs.of(&tool("x"), Secrets::default()),
            reader: logs.reader(),
            logs,
        }
    }

    fn window(&self, levels: &[Level], first: Option<u32>, count: u32) -> Window {
        let wanted = Wanted {
            levels: Levels::of(levels.iter().copied()),
            first,
            count,
        };
        let window = self.reader.window(&tool("x"), &self.path, wanted, None).unwrap();
        window.unwrap()
    }

    fn texts(&self) -> Vec<String> {
        let window = self.window(&[], None, MAX_RECORDS);
        window.records.into_iter().map(|seen| seen.text).collect()
    }

    fn append_raw(&self, bytes: &[u8]) {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)
            .unwrap();
        file.write_all(bytes).unwrap();
    }
}

/// The whole file at once, as the design says it: slow and plain.
fn naive(path: &Path) -> Vec<Seen> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let mut records: Vec<Seen> = Vec::new();
    let mut headed = false;
    let mut pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    pieces.pop_if(|last| last.is_empty());
    for line in pieces {
        let line = String::from_utf8_lossy(line).into_owned();
        let bare = line.strip_suffix('\r').unwrap_or(&line).to_owned();
        match parsed(&line) {
            Some((at_ms, level, text)) => {
                headed = true;
                let text = text.strip_suffix('\r').unwrap_or(text).to_owned();
                records.push(Seen {
                    at_ms,
                    level,
                    text,
                    truncated: false,
                });
            }
            None if !headed
                && !bare.is_empty()
                && (records.is_empty() || !bare.starts_with(|c: char| c.is_ascii_whitespace())) =>
            {
                records.push(Seen {
                    at_ms: 0,
                    level: Level::Info,
                    text: bare,
                    truncated: false,
                });
            }
            None => {
                if let Some(last) = records.last_mut() {
                    last.text.push('\n');
                    last.text.push_str(bare.strip_prefix("    ").unwrap_or(&bare));
                }
            }
        }
    }
    for record in &mut records {
        let end = record.text.trim_end_matches(['\n', '\r']).len();
        record.text.truncate(end);
    }
    records
}

/// `[time] [LEVEL] text`
fn parsed(line: &str) -> Option<(i64, Level, &str)> {
    let (time, rest) = line.strip_prefix('[')?.split_once("] [")?;
    let shape: String = time
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let (level, text) = rest.split_once(']')?;
    let level = LEVELS.into_iter().find(|one| one.name() == level)?;
    (shape == "0000-00-00T00:00:00.000Z").then(|| {
        let text = text.strip_prefix(' ').unwrap_or(text);
        (clock::parse_iso(time).unwrap_or_default(), level, text)
    })
}

#[derive(Clone, Debug)]
enum Step {
    /// Written by the product, then flushed.
    Append(Vec<(Level, String)>),
    /// Appended by hand: whole lines, halves, anything.
    Hand(Vec<u8>),
    /// Written over in place.
    Over(Vec<u8>),
    /// Another file in its place.
    Replaced(Vec<u8>),
    /// Old records leave.
    Rotate,
    Gone,
}

fn message() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-dA-D ]{0,12}",
        "[a-c]{1,5}\n[a-c ]{0,6}\n  at [a-c]{1,4}",
        Just("执行 ÄÖ İ Σς\n    tief".to_owned()),
        any::<String>(),
    ]
}

fn level() -> impl Strategy<Value = Level> {
    prop::sample::select(LEVELS.to_vec())
}

/// Bytes as somebody may put them there; often they stop in the middle of a line or a letter.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        (level(), "[a-dA-D ]{0,12}").prop_map(|(level, text)| format!("{TIME} [{}] {text}\n", level.name())),
        Just("[2025-99-99T02:00:08.104Z] [WARN] no such day\r\n".to_owned()),
        Just("[2025-11-18T02:00:08.104Z] [OTHER] x\n".to_owned()),
        Just("[2025-11-18T02:00:08.104Z] [ERROR]".to_owned()),
        "( {0,5}[a-c]{0,8}\r?\n){0,4}",
        "[a-cé世]{0,6}",
        Just("\n\n".to_owned()),
    ];
    (prop::collection::vec(piece, 0..12), 0..40usize).prop_map(|(pieces, cut)| {
        let mut bytes = pieces.concat().into_bytes();
        bytes.truncate(bytes.len().saturating_sub(cut / 2));
        bytes
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => prop::collection::vec((level(), message()), 1..8).prop_map(Step::Append),
        4 => bytes().prop_map(Step::Hand),
        1 => bytes().prop_map(Step::Over),
        1 => bytes().prop_map(Step::Replaced),
        1 => Just(Step::Rotate),
        1 => Just(Step::Gone),
    ]
}

fn check(bench: &Bench, wanted: u8, first: Option<u32>, count: u32, text: &str) -> Result<(), TestCaseError> {
    let all = naive(&bench.path);
    let levels: Vec<Level> = LEVELS
        .into_iter()
        .filter(|level| wanted & 1 << *level as u8 != 0)
        .collect();
    let fits = |seen: &&Seen| levels.is_empty() || levels.contains(&seen.level);
    let fitting: Vec<Seen> = all.iter().filter(fits).cloned().collect();
    let total = fitting.len() as u32;
    let window = bench.window(&levels, first, count);
    prop_assert_eq!(window.total, total);
    for (level, count) in LEVELS.into_iter().zip(window.counts) {
        prop_assert_eq!(
            count as usize,
            all.iter().filter(|seen| seen.level == level).count()
        );
    }
    let from = first.unwrap_or(total.saturating_sub(count)).min(total);
    let to = from.saturating_add(count).min(total);
    prop_assert_eq!(window.first, from);
    prop_assert_eq!(&window.records[..], &fitting[from as usize..to as usize]);
    prop_assert_eq!(
        window.bytes,
        std::fs::metadata(&bench.path).map_or(0, |meta| meta.len())
    );

    let lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<String>();
    let holding: Vec<u32> = (0u32..)
        .zip(&fitting)
        .filter(|(_, seen)| !text.is_empty() && lower(&seen.text).contains(&lower(text)))
        .map(|(at, _)| at)
        .collect();
    for direction in [Direction::Forward, Direction::Backward] {
        let from = first.unwrap_or(3);
        let search = Search {
            levels: Levels::of(levels.iter().copied()),
            text: text.to_owned(),
            from,
            direction,
        };
        let found = bench.reader.find(&tool("x"), &bench.path, &search).unwrap();
        let expected = match direction {
            Direction::Forward => holding.iter().find(|at| **at >= from).or(holding.first()),
            Direction::Backward => holding.iter().rfind(|at| **at <= from).or(holding.last()),
        };
        prop_assert_eq!(found.index, expected.copied(), "{:?} {:?}", direction, text);
        prop_assert_eq!(found.matches as usize, holding.len());
        let ordinal = expected.map_or(0, |at| {
            holding.iter().position(|one| one == at).unwrap() as u32 + 1
        });
        prop_assert_eq!(found.ordinal, ordinal);
        prop_assert_eq!(&found.generation, &window.generation);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn windows_and_finds_are_those_of_the_whole_file(
        steps in prop::collection::vec((step(), 0..16u8, prop::option::of(0..30u32), 0..20u32), 1..10),
        text in prop_oneof![Just(String::new()), "[a-d ]{1,3}", "[A-D]{1,2}", Just("äö".to_owned()), Just("c\na".to_owned())],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bench = Bench::new();
        let now = TIME_MS;
        for (step, wanted, first, count) in steps {
            match step {
                Step::Append(records) => runtime.block_on(async {
                    for (n, (level, message)) in (0..).zip(records) {
                        // Every third is old.
                        let age = if n % 3 == 0 { MAX_AGE.as_millis() as i64 * 2 } else { 0 };
                        bench.log.append(Record { at_ms: now - age, level, message }).await.unwrap();
                    }
                    bench.log.flush().await.unwrap();
                }),
                Step::Hand(bytes) => bench.append_raw(&bytes),
                Step::Over(bytes) => std::fs::write(&bench.path, bytes).unwrap(),
                Step::Replaced(bytes) => {
                    let other = bench.path.with_extension("new");
                    std::fs::write(&other, bytes).unwrap();
                    std::fs::rename(&other, &bench.path).unwrap();
                }
                Step::Rotate => {
                    runtime.block_on(bench.log.clean_at(now)).unwrap();
                }
                Step::Gone => {
                    // Not there to be removed is as well.
                    let _ = std::fs::remove_file(&bench.path);
                }
            }
            check(&bench, wanted, first, count, &text)?;
        }
    }
}

#[tokio::test]
async fn stamps_and_generations_say_what_changed() {
    let bench = Bench::new();
    let record = |text: &str| Record::now(Level::Info, text);
    let empty = bench.window(&[], None, 10);
    assert_eq!((empty.total, empty.records.len()), (0, 0));
    bench.log.append(record("one")).await.unwrap();
    bench.log.flush().await.unwrap();
    let one = bench.window(&[], None, 10);
    assert_ne!(one.generation, empty.generation);
    let wanted = Wanted {
        levels: Levels::of([]),
        first: None,
        count: 10,
    };
    let again = |stamp: &str| {
        bench
            .reader
            .window(&tool("x"), &bench.path, wanted, Some(stamp))
            .unwrap()
    };
    assert_eq!(again(&one.stamp), None, "nothing differs");
    bench.log.append(record("two")).await.unwrap();
    bench.log.flush().await.unwrap();
    let two = again(&one.stamp).unwrap();
    assert_eq!(two.generation, one.generation, "what is appended moves no number");
    assert_ne!(two.stamp, one.stamp);
    bench.log.clean_at(clock::now_ms() + 5 * 3_600_000).await.unwrap();
    let cleaned = again(&two.stamp).unwrap();
    assert_ne!(cleaned.generation, two.generation);
    assert_eq!(cleaned.total, 0);
    std::fs::write(&bench.path, format!("{TIME} [WARN] by hand\n")).unwrap();
    let by_hand = again(&cleaned.stamp).unwrap();
    assert_eq!(by_hand.counts, [0, 0, 1, 0]);
    std::fs::write(&bench.path, format!("{TIME} [INFO] by hand\n")).unwrap();
    let changed = again(&by_hand.stamp).unwrap();
    assert_ne!(changed.generation, by_hand.generation, "of the same length");
    assert_eq!(changed.counts, [0, 1, 0, 0]);
}

#[tokio::test]
async fn a_change_is_told_to_those_who_wait_for_that_tool() {
    let bench = Bench::new();
    let mut mine = bench.logs.changes(&tool("x"));
    let others = bench.logs.changes(&tool("y"));
    bench.log.append(Record::now(Level::Info, "x")).await.unwrap();
    mine.changed().await.unwrap();
    assert_eq!(bench.texts(), ["x"], "told when it is in the file");
    bench.log.clean_at(clock::now_ms() + 5 * 3_600_000).await.unwrap();
    assert!(mine.has_changed().unwrap(), "so is a rotation");
    assert!(!others.has_changed().unwrap());
}

#[test]
fn records_and_windows_are_bounded() {
    let bench = Bench::new();
    let long = "世".repeat(10_000);
    for n in 0..100 {
        bench.append_raw(format!("{TIME} [INFO] {n} {long}\n").as_bytes());
    }
    bench.append_raw(format!("{TIME} [INFO] {}\n", "x".repeat(MAX_TEXT)).as_bytes());
    let window = bench.window(&[], Some(0), 500);
    let bytes: usize = window.records.iter().map(|seen| seen.text.len()).sum();
    assert!((MAX_WINDOW..MAX_WINDOW + MAX_TEXT).contains(&bytes), "{bytes}");
    assert_eq!((window.first, window.total), (0, 101));
    let one = &window.records[0];
    assert!(one.truncated && one.text.len() <= MAX_TEXT && one.text.len() > MAX_TEXT - 4);
    assert!(one.text.ends_with('世'));
    let last = bench.window(&[], None, 500);
    assert_eq!(last.first as usize + last.records.len(), 101);
    let newest = last.records.last().unwrap();
    assert!(
        !newest.truncated && newest.text.len() == MAX_TEXT,
        "exactly the limit"
    );
    for n in 0..600 {
        bench.append_raw(format!("{TIME} [WARN] {n}\n").as_bytes());
    }
    assert_eq!(
        bench.window(&[Level::Warn], Some(0), 10_000).records.len(),
        MAX_RECORDS as usize
    );
    let beyond = bench.window(&[], Some(5000), 10);
    assert_eq!((beyond.first, beyond.records.len()), (701, 0));
}

#[test]
fn a_link_in_the_place_of_the_log_shows_nothing() {
    let bench = Bench::new();
    let outside = bench.path.with_file_name("outside");
    std::fs::write(&outside, "secret\n").unwrap();
    std::os::unix::fs::symlink(&outside, &bench.path).unwrap();
    assert_eq!(
        std::fs::read_to_string(&bench.path).unwrap(),
        "secret\n",
        "a plain open follows"
    );
    let wanted = Wanted {
        levels: Levels::of([]),
        first: None,
        count: 10,
    };
    assert!(
        bench
            .reader
            .window(&tool("x"), &bench.path, wanted, None)
            .is_err()
    );
}

#[test]
fn many_tools_looked_at_in_turn() {
    let bench = Bench::new();
    bench.append_raw(format!("{TIME} [INFO] a\n").as_bytes());
    let wanted = Wanted {
        levels: Levels::of([]),
        first: None,
        count: 10,
    };
    for round in 0..3 {
        for n in 0..20 {
            let name = tool(&format!("t{n}"));
            let window = bench.reader.window(&name, &bench.path, wanted, None).unwrap();
            assert_eq!(window.unwrap().total, 1, "{round} {n}");
        }
    }
}

/// The figures are printed; what is asserted would be a walk over the file at every look.
#[test]
fn ten_megabytes_are_looked_at_quickly() {
    let bench = Bench::new();
    let mut text = String::new();
    for n in 0..150_000 {
        let level = if n % 1000 == 7 { "ERROR" } else { "INFO" };
        text.push_str(&format!("{TIME} [{level}] record {n:06} of the run, abcdefg\n"));
    }
    bench.append_raw(text.as_bytes());
    let start = Instant::now();
    assert_eq!(bench.window(&[], None, 1).total, 150_000);
    let indexed = start.elapsed();
    let start = Instant::now();
    let errors = bench.window(&[Level::Error], Some(20), 100);
    let window = start.elapsed();
    assert_eq!((errors.total, errors.records.len()), (150, 100));
    assert!(errors.records[0].text.starts_with("record 020007"));
    let start = Instant::now();
    let search = Search {
        levels: Levels::of([]),
        text: "RECORD 149999".to_owned(),
        from: 0,
        direction: Direction::Forward,
    };
    let found = bench.reader.find(&tool("x"), &bench.path, &search).unwrap();
    assert_eq!((found.index, found.matches), (Some(149_999), 1));
    let searched = start.elapsed();
    eprintln!(
        "{} bytes: indexed in {indexed:?}, window in {window:?}, searched in {searched:?}",
        text.len()
    );
    assert!(window < indexed, "a window does not read the file again");
}
