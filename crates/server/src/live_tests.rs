use super::*;
use proptest::prelude::*;
use toolbox::run_log::Level;

fn actor() -> Actor {
    Actor {
        kind: "person".into(),
        name: "pm".into(),
    }
}

fn begin(live: &Live, id: &str) -> Opened {
    live.begin(id, "tool", &actor(), &CancellationToken::new())
        .unwrap()
}

/// Whose watchers give up soon.
fn quick() -> Live {
    Live {
        patience: Duration::from_millis(300),
        ..Live::default()
    }
}

fn line(text: impl Into<String>) -> Line {
    Line {
        at: 1,
        level: Level::Info,
        stream: None,
        text: text.into(),
    }
}

fn texts(news: &News) -> Vec<&str> {
    news.lines.iter().map(|line| line.text.as_str()).collect()
}

#[tokio::test]
async fn a_watcher_sees_progress_lines_and_the_end() {
    let live = Live::default();
    let run = begin(&live, "a");
    let first = live.watch("a", 0, 0).await.unwrap();
    assert_eq!((first.phase, first.next, first.version), (Phase::Running, 0, 1));

    run.line(line("one"));
    run.progress(1.0, Some(3.0), Some("reading".into()));
    run.line(line("two"));
    let news = live.watch("a", first.next, first.version).await.unwrap();
    assert_eq!(texts(&news), ["one", "two"]);
    assert_eq!((news.next, news.version), (2, 4));
    assert_eq!(news.progress.as_ref().unwrap().text, "reading");

    // Whoever waits hears of the end at once, though news are gathered otherwise.
    let waiting = live.clone();
    let quiet = tokio::spawn(async move { waiting.watch("a", 2, 4).await });
    drop(run);
    let ended = quiet.await.unwrap().unwrap();
    assert_eq!((ended.phase, ended.lines.len()), (Phase::Ended, 0));
    let again = live.watch("a", ended.next, ended.version).await.unwrap();
    assert_eq!(again, ended, "after the end nothing is waited for");
    assert_eq!(
        live.watch("a", 0, 0).await.unwrap().lines.len(),
        2,
        "late, but whole"
    );
}

#[tokio::test]
async fn news_are_gathered_and_patience_ends() {
    let live = quick();
    let run = begin(&live, "a");
    let writer = async {
        for n in 0..1000 {
            run.line(line(n.to_string()));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let reader = async {
        let (mut from, mut version, mut looks, mut seen) = (0, 0, 0, 0);
        while seen < 1000 {
            let news = live.watch("a", from, version).await.unwrap();
            (from, version) = (news.next, news.version);
            seen += news.lines.len();
            looks += 1;
        }
        looks
    };
    let began = Instant::now();
    let (looks, ()) = tokio::join!(reader, writer);
    let most = began.elapsed().as_millis() / GATHER.as_millis() + 2;
    assert!(looks >= 2 && looks <= most, "{looks} of {most}");

    let began = Instant::now();
    let same = live.watch("a", 1000, 1001).await.unwrap();
    assert_eq!(same.version, 1001);
    assert!(
        began.elapsed() >= live.patience,
        "waited for news that did not come"
    );
}

#[tokio::test]
async fn a_run_may_be_watched_before_it_is_known() {
    let live = quick();
    assert_eq!(live.watch("never", 0, 0).await, None);
    let waiting = Live::default();
    let other = begin(&waiting, "other");
    let (news, run) = tokio::join!(waiting.watch("a", 0, 0), async { begin(&waiting, "a") });
    assert_eq!(news.unwrap().phase, Phase::Running);
    drop((run, other));
}

#[tokio::test]
async fn ids_are_used_once_and_ends_are_remembered_for_a_while() {
    let live = Live::default();
    let run = begin(&live, "a");
    let again = |live: &Live| live.begin("a", "tool", &actor(), &CancellationToken::new()).err();
    assert_eq!(again(&live).unwrap().code, "run_exists");
    drop(run);
    assert_eq!(again(&live).unwrap().code, "run_exists");
    live.state().forget(Instant::now() + ENDED_AGE);
    drop(begin(&live, "b"));
    assert!(!live.knows("a") && live.knows("b"));
    for n in 0..ENDED {
        begin(&live, &n.to_string());
    }
    assert!(!live.knows("b") && live.knows("0"));
    assert_eq!(live.state().ended.len(), ENDED);
}

#[tokio::test]
async fn an_open_run_can_be_called_off_until_it_is_over() {
    let live = Live::default();
    let outside = CancellationToken::new();
    let run = live.begin("a", "tool", &actor(), &outside).unwrap();
    let other = begin(&live, "b");
    let open: Vec<_> = live.active().into_iter().map(|(run, _)| run.id.clone()).collect();
    assert_eq!(open, ["a", "b"]);
    assert!(live.cancel("made up").is_none());
    assert_eq!(live.cancel("a").unwrap().subject, "tool");
    assert!(run.cancel().is_cancelled() && !outside.is_cancelled());
    assert!(!other.cancel().is_cancelled(), "only the one that was named");
    run.over();
    assert!(live.cancel("a").is_none());
    assert_eq!(live.active().len(), 1);
    assert_eq!(live.watch("a", 0, 0).await.unwrap().phase, Phase::Over);
}

#[test]
fn only_random_ids_are_chosen() {
    let good = uuid::Uuid::new_v4().to_string();
    assert_eq!(chosen("c", Some(good.clone())).unwrap(), Some(good.clone()));
    assert_eq!(chosen("c", None).unwrap(), None);
    for bad in [
        "",
        "a",
        "../../etc/passwd",
        "00000000-0000-0000-0000-000000000000",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        &good.to_uppercase(),
        &good.replace('-', ""),
    ] {
        assert_eq!(
            chosen("c", Some(bad.to_owned())).unwrap_err().code,
            "invalid_args",
            "{bad}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn lines_stay_within_their_limits_and_in_order(
        sizes in proptest::collection::vec(0_usize..40_000, 1..700),
        from in 0_u32..800,
    ) {
        let mut shown = Shown::default();
        for (n, size) in sizes.iter().enumerate() {
            shown.push(Line { at: n as i64, ..line("字".repeat(size / 3)) });
            prop_assert!(shown.lines.len() <= LINES && shown.bytes <= LINE_BYTES);
        }
        prop_assert_eq!(shown.bytes, shown.lines.iter().map(|line| line.text.len()).sum::<usize>());
        let news = shown.since(from);
        prop_assert_eq!(news.next as usize, sizes.len());
        let numbers: Vec<i64> = news.lines.iter().map(|line| line.at).collect();
        let first = sizes.len() - news.lines.len();
        prop_assert_eq!(numbers, (first as i64..sizes.len() as i64).collect::<Vec<_>>());
        prop_assert!(news.lines.is_empty() || first >= from as usize);
    }
}
