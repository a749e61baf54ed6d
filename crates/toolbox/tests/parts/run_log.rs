use crate::tool;
use base::{Coded, DataHome, clock};
use proptest::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use toolbox::run_log::{Level, MAX_AGE, MAX_BYTES, Pick, Query, Record, RunLogs, Secrets, read};

const HOUR: i64 = 3_600_000;

struct Bench {
    dir: tempfile::TempDir,
    logs: RunLogs,
}

impl Bench {
    fn new() -> Self {
        Self::observed(|_| {})
    }

    fn observed(observer: impl Fn(toolbox::run_log::Written<'_>) + Send + 'static) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("toolbox/x")).unwrap();
        let logs = RunLogs::start(DataHome::at(dir.path()).unwrap(), observer).unwrap();
        Bench { dir, logs }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("toolbox/x/run.log")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap_or_default()
    }

    fn log(&self) -> toolbox::run_log::RunLog {
        self.logs.of(&tool("x"), Secrets::default())
    }
}

fn at(ms: i64, level: Level, message: &str) -> Record {
    Record {
        at_ms: ms,
        level,
        message: message.to_owned(),
    }
}

#[tokio::test]
async fn records_have_the_form_of_the_design() {
    let bench = Bench::new();
    let log = bench.log();
    log.append(at(1_763_431_208_104, Level::Info, "执行开始"))
        .await
        .unwrap();
    log.append(at(
        1_763_431_208_150,
        Level::Error,
        "one\ntwo\r\n[2025-11-18T02:00:08.104Z] [INFO] forged\n",
    ))
    .await
    .unwrap();
    log.append(at(
        1_763_431_208_151,
        Level::Debug,
        "\u{1b}[31mred\u{1b}[0m\u{7}\ttab\rover",
    ))
    .await
    .unwrap();
    log.append(at(1_763_431_208_152, Level::Warn, "")).await.unwrap();
    log.flush().await.unwrap();
    assert_eq!(
        bench.text(),
        "[2025-11-18T02:00:08.104Z] [INFO] 执行开始\n\
         [2025-11-18T02:00:08.150Z] [ERROR] one\n    two\n    [2025-11-18T02:00:08.104Z] [INFO] forged\n\
         [2025-11-18T02:00:08.151Z] [DEBUG] red\\u{7}\ttab\\rover\n\
         [2025-11-18T02:00:08.152Z] [WARN] \n"
    );
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(
        std::fs::metadata(bench.path()).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[tokio::test]
async fn secrets_are_masked_by_value_also_inside_json() {
    let bench = Bench::new();
    let secrets =
        Secrets::new(["s3cr\"et\\value", "s3cr", "on", "longer-secret", "longer"].map(str::to_owned));
    let log = bench.logs.of(&tool("x"), secrets);
    log.append(at(0, Level::Info, "a s3cr\"et\\value b on longer-secret longer"))
        .await
        .unwrap();
    log.append(at(0, Level::Info, &json!({"v": "s3cr\"et\\value"}).to_string()))
        .await
        .unwrap();
    log.flush().await.unwrap();
    let text = bench.text();
    assert!(text.contains("a ****** b on ****** ******\n"), "{text}");
    assert!(text.contains("{\"v\":\"******\"}"), "{text}");
}

#[tokio::test]
async fn those_who_watch_see_what_the_log_has() {
    let bench = Bench::new();
    let log = bench
        .logs
        .of(&tool("x"), Secrets::new(["s3cret-value".to_owned()]));
    let seen = log.cleaned("\u{1b}[1;31mred\u{1b}[0m \u{7}\ntwo s3c\u{1b}[1mret\u{1b}[0m-value");
    assert_eq!(
        seen, "red \\u{7}\ntwo ******",
        "no colours, and no secret in their shelter"
    );
    log.append(at(0, Level::Info, "s3c\u{1b}[1mret-value"))
        .await
        .unwrap();
    log.flush().await.unwrap();
    assert!(bench.text().ends_with("] [INFO] ******\n"), "{}", bench.text());
}

#[tokio::test]
async fn ten_records_go_out_without_a_flush_and_fewer_after_a_while() {
    let (sender, mut written) = tokio::sync::mpsc::unbounded_channel();
    let bench = Bench::observed(move |part| {
        sender.send((part.offset, part.text.lines().count())).unwrap();
    });
    let log = bench.log();
    for n in 0..10 {
        log.append(at(n, Level::Info, "x")).await.unwrap();
    }
    let (offset, lines) = written.recv().await.unwrap();
    assert_eq!(offset, 0);
    let mut seen = lines;
    log.append(at(11, Level::Info, "late")).await.unwrap();
    while seen < 11 {
        let (offset, lines) = tokio::time::timeout(Duration::from_secs(20), written.recv())
            .await
            .unwrap()
            .unwrap();
        assert!(offset > 0);
        seen += lines;
    }
    assert_eq!(bench.text().lines().count(), 11);
}

#[tokio::test]
async fn dropping_the_writer_loses_nothing() {
    let bench = Bench::new();
    let log = bench.log();
    for n in 0..5 {
        log.append(at(n, Level::Info, &n.to_string())).await.unwrap();
    }
    let Bench { dir, logs } = bench;
    drop(logs);
    let text = std::fs::read_to_string(dir.path().join("toolbox/x/run.log")).unwrap();
    assert_eq!(text.lines().count(), 5);
    assert_eq!(
        log.append(at(9, Level::Info, "x")).await.unwrap_err().code(),
        "run_log_closed"
    );
    assert_eq!(log.flush().await.unwrap_err().code(), "run_log_closed");
}

#[tokio::test]
async fn a_folder_that_is_gone_is_an_error_of_the_flush() {
    let bench = Bench::new();
    let log = bench.logs.of(&tool("gone"), Secrets::default());
    log.append(at(0, Level::Info, "x")).await.unwrap();
    assert_eq!(log.flush().await.unwrap_err().code(), "run_log_io");
    // The writer lives on.
    bench.log().append(at(0, Level::Info, "x")).await.unwrap();
    bench.log().flush().await.unwrap();
    assert_eq!(bench.text().lines().count(), 1);
}

#[tokio::test]
async fn a_link_in_the_place_of_the_log_is_not_followed() {
    let bench = Bench::new();
    let victim = bench.dir.path().join("victim");
    std::fs::write(&victim, "mine\n").unwrap();
    std::os::unix::fs::symlink(&victim, bench.path()).unwrap();
    // The attack works on a plain append.
    use std::io::Write;
    std::fs::OpenOptions::new()
        .append(true)
        .open(bench.path())
        .unwrap()
        .write_all(b"!")
        .unwrap();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine\n!");
    let log = bench.log();
    log.append(at(0, Level::Info, "x")).await.unwrap();
    assert_eq!(log.flush().await.unwrap_err().code(), "run_log_io");
    assert!(log.clean().await.is_err());
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine\n!");
}

#[tokio::test]
async fn half_a_line_left_by_a_kill_does_not_swallow_the_next_record() {
    let bench = Bench::new();
    std::fs::write(bench.path(), "[2025-11-18T02:00:08.104Z] [INFO] ha").unwrap();
    let log = bench.log();
    log.append(at(0, Level::Info, "next")).await.unwrap();
    log.flush().await.unwrap();
    assert_eq!(
        bench.text(),
        "[2025-11-18T02:00:08.104Z] [INFO] ha\n[1970-01-01T00:00:00.000Z] [INFO] next\n"
    );
}

#[tokio::test]
async fn old_records_leave_with_their_continuation_lines() {
    let bench = Bench::new();
    let log = bench.log();
    let now = 1_763_431_208_104;
    let age = MAX_AGE.as_millis() as i64;
    log.append(at(now - age - 1, Level::Error, "old\nstack"))
        .await
        .unwrap();
    log.append(at(now - age, Level::Info, "just\nyoung"))
        .await
        .unwrap();
    log.append(at(now, Level::Info, "new")).await.unwrap();
    let cleaned = log.clean_at(now).await.unwrap();
    assert!(cleaned.changed());
    let text = bench.text();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(!text.contains("old") && !text.contains("stack"), "{text}");
    assert!(!log.clean_at(now).await.unwrap().changed());
    assert_eq!(bench.logs.clean_all_at(now + 4 * HOUR).await.unwrap().len(), 1);
    assert_eq!(bench.text(), "");
}

#[tokio::test]
async fn over_ten_megabytes_the_newest_thousand_lines_stay() {
    let bench = Bench::new();
    let now = clock::now_ms();
    let mut text = String::new();
    let mut n = 0;
    while (text.len() as u64) <= MAX_BYTES {
        text.push_str(&format!(
            "[{}] [INFO] line {n} {}\n",
            clock::iso_utc(now),
            "x".repeat(100)
        ));
        n += 1;
    }
    std::fs::write(bench.path(), &text).unwrap();
    let log = bench.log();
    log.append(at(now, Level::Info, "the newest")).await.unwrap();
    log.flush().await.unwrap();
    let text = bench.text();
    assert_eq!(text.lines().count(), 1000);
    assert!(text.ends_with("the newest\n"));
    assert!(text.contains(&format!("line {} ", n - 999)) && !text.contains(&format!("line {} ", n - 1000)));
    let left: Vec<_> = std::fs::read_dir(bench.path().parent().unwrap())
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "no temporary file");
}

#[tokio::test]
async fn lines_of_megabytes_do_not_keep_the_file_over_the_limit() {
    let bench = Bench::new();
    let line = format!(
        "[{}] [INFO] {}\n",
        clock::iso_utc(clock::now_ms()),
        "x".repeat(200_000)
    );
    std::fs::write(bench.path(), line.repeat(60)).unwrap();
    let cleaned = bench.log().clean().await.unwrap();
    assert!(
        cleaned.bytes_before > MAX_BYTES && cleaned.bytes_after < MAX_BYTES / 2 + 1,
        "{cleaned:?}"
    );
    assert!(cleaned.bytes_after > 200_000);
}

/// Many writers, cleanings in between: every young record is there once, in order of its writer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_between_writers_and_cleanings() {
    let bench = Arc::new(Bench::new());
    let now = clock::now_ms();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let log = bench.log();
            tokio::spawn(async move {
                for n in 0..500 {
                    log.append(at(now, Level::Info, &format!("w{writer} n{n}\nmore")))
                        .await
                        .unwrap();
                    if n % 7 == 0 {
                        log.append(at(now - 5 * HOUR, Level::Info, "old")).await.unwrap();
                    }
                    if n % 50 == writer {
                        log.clean_at(now).await.unwrap();
                    }
                }
                log.flush().await.unwrap();
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    bench.log().clean_at(now).await.unwrap();
    let text = bench.text();
    assert!(!text.contains("old"));
    for writer in 0..4 {
        let found: Vec<String> = text
            .lines()
            .filter_map(|line| {
                line.split_once(&format!("w{writer} n"))
                    .map(|(_, n)| n.to_owned())
            })
            .collect();
        let expected: Vec<String> = (0..500).map(|n: i32| n.to_string()).collect();
        assert_eq!(found, expected);
    }
    assert_eq!(text.lines().count(), 4 * 500 * 2);
}

#[tokio::test]
async fn the_observer_can_follow_the_file() {
    let seen: Arc<Mutex<Vec<(i64, u64, String)>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let bench = Bench::observed(move |part| {
        sink.lock()
            .unwrap()
            .push((part.generation, part.offset, part.text.to_owned()));
    });
    let log = bench.log();
    for n in 0..25 {
        log.append(at(clock::now_ms(), Level::Info, &n.to_string()))
            .await
            .unwrap();
    }
    log.flush().await.unwrap();
    let parts = std::mem::take(&mut *seen.lock().unwrap());
    let whole: String = parts.iter().map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(whole, bench.text());
    let mut end = 0;
    for (_, offset, text) in &parts {
        assert_eq!(*offset, end);
        end += text.len() as u64;
    }
    log.clean_at(clock::now_ms() + 4 * HOUR).await.unwrap();
    log.append(at(0, Level::Info, "anew")).await.unwrap();
    log.flush().await.unwrap();
    let (generation, offset, _) = seen.lock().unwrap()[0].clone();
    assert!(generation > parts[0].0 && offset == 0);
}

#[tokio::test]
async fn more_than_the_queue_holds_gets_through() {
    let bench = Bench::new();
    let log = bench.log();
    let all = async {
        for n in 0..5000 {
            let message = format!("n{n} {}", "x".repeat(1100));
            log.append(at(clock::now_ms(), Level::Info, &message))
                .await
                .unwrap();
        }
        log.flush().await.unwrap();
    };
    tokio::time::timeout(Duration::from_secs(60), all).await.unwrap();
    assert_eq!(bench.text().lines().count(), 5000);
}

#[tokio::test]
async fn too_much_at_once_is_dropped_and_said() {
    // The observer holds the writer's thread until the flood is over.
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let (entered, mut inside) = tokio::sync::mpsc::unbounded_channel();
    let bench = Bench::observed(move |_| {
        let _ = entered.send(());
        let _ = gate.lock().unwrap().recv();
    });
    let log = bench.log();
    log.append(at(0, Level::Info, "first")).await.unwrap();
    inside.recv().await.unwrap();
    for _ in 0..20_000 {
        log.offer(at(0, Level::Info, &"x".repeat(1000)));
    }
    drop(go);
    log.flush().await.unwrap();
    let page = read(
        &bench.path(),
        &Query {
            pick: Pick::Tail(1),
            ..Query::default()
        },
    )
    .unwrap();
    assert!(page.lines[0].contains("[WARN] 日志过多，已丢弃 "), "{page:?}");
    let written = std::fs::metadata(bench.path()).unwrap().len();
    assert!(written < 9 * 1024 * 1024, "{written}");
}

/// Says where the child of the next test works.
const KILLED_HOME: &str = "TOOLBOX_TEST_KILLED_HOME";

/// The test starts itself as a child, which writes, cleans and acknowledges until it is killed.
/// Whatever was acknowledged is in the file, and no line is broken but the last.
#[test]
fn a_kill_in_the_middle_of_a_rotation_loses_nothing_acknowledged() {
    if let Some(home) = std::env::var_os(KILLED_HOME) {
        write_until_killed(&PathBuf::from(home));
    }
    for round in 0..12 {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("toolbox/x");
        std::fs::create_dir_all(&folder).unwrap();
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "run_log::a_kill_in_the_middle_of_a_rotation_loses_nothing_acknowledged",
                "--nocapture",
            ])
            .env(KILLED_HOME, dir.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut acknowledged = Vec::new();
        let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        for line in lines {
            acknowledged.extend(
                line.unwrap()
                    .strip_prefix("done ")
                    .map(|n| n.parse::<usize>().unwrap()),
            );
            if acknowledged.len() == 20 + round * 7 {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        let text = std::fs::read_to_string(folder.join("run.log")).unwrap();
        let kept: Vec<usize> = text
            .lines()
            .filter_map(|line| line.split_once("] n").map(|(_, n)| n.parse().unwrap()))
            .collect();
        assert!(acknowledged.len() >= 20, "the child worked");
        assert!(kept.starts_with(&acknowledged), "{acknowledged:?} {kept:?}");
    }
}

fn write_until_killed(home: &Path) -> ! {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let logs = RunLogs::start(DataHome::at(home).unwrap(), |_| {}).unwrap();
    let log = logs.of(&tool("x"), Secrets::default());
    let now = clock::now_ms();
    runtime.block_on(async {
        for n in 0usize.. {
            log.append(at(now - 5 * HOUR, Level::Info, "old")).await.unwrap();
            log.append(at(now, Level::Info, &format!("n{n}"))).await.unwrap();
            log.flush().await.unwrap();
            println!("done {n}");
            log.clean_at(now).await.unwrap();
        }
    });
    unreachable!("the numbers ended")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn one_message_is_one_record_whatever_it_holds(messages in prop::collection::vec(any::<String>(), 1..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bench = Bench::new();
        runtime.block_on(async {
            let log = bench.log();
            for message in &messages {
                log.append(at(0, Level::Info, message)).await.unwrap();
            }
            log.flush().await.unwrap();
        });
        let text = bench.text();
        prop_assert_eq!(text.lines().filter(|line| line.starts_with('[')).count(), messages.len());
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    }
}
