//! Terminals as the page uses them.

use super::{Scene, agent, processes, until};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;
use store::Store;
use wire::Caller;

struct Terminal<'s> {
    scene: &'s Scene,
    id: String,
    next: Value,
    screen: Vec<u8>,
}

impl<'s> Terminal<'s> {
    async fn open(scene: &'s Scene) -> Self {
        let params = json!({"taskId": "t1", "cols": 80, "rows": 24});
        let row = scene.person("terminal.open", params).await;
        assert!(row["tier"] != "none" && row["exitCode"].is_null(), "{row}");
        Terminal {
            scene,
            id: row["id"].as_str().unwrap().to_owned(),
            next: json!(0),
            screen: Vec::new(),
        }
    }

    async fn input(&self, data: &str) {
        let params = json!({"id": self.id, "data": data});
        self.scene.person("terminal.input", params).await;
    }

    async fn news(&mut self) -> Value {
        let params = json!({"id": self.id, "from": self.next});
        let news = self.scene.person("terminal.watch", params).await;
        let bytes = STANDARD.decode(news["data"].as_str().unwrap()).unwrap();
        self.screen.extend(bytes);
        self.next = news["next"].clone();
        news
    }

    /// What came since the last time, with `word` at last.
    async fn until(&mut self, word: &str) -> String {
        loop {
            let text = String::from_utf8_lossy(&self.screen).into_owned();
            if text.contains(word) {
                self.screen.clear();
                return text;
            }
            let news = self.news().await;
            assert!(news["exitCode"].is_null(), "{word:?} does not come: {text:?}");
        }
    }

    async fn ended(&mut self) -> Value {
        loop {
            let news = self.news().await;
            if !news["exitCode"].is_null() {
                return news["exitCode"].clone();
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_has_colours_a_size_and_ctrl_c() {
    let scene = Scene::new().await;
    std::fs::create_dir(scene.folder.join("sub")).unwrap();
    let mut shell = Terminal::open(&scene).await;
    shell.input("stty size; echo a$((1+1))b\r").await;
    assert!(shell.until("a2b").await.contains("24 80"));
    let params = json!({"id": shell.id, "cols": 100, "rows": 30});
    scene.person("terminal.resize", params).await;
    shell.input("stty size; echo c$((1+1))d\r").await;
    assert!(shell.until("c2d").await.contains("30 100"));
    shell
        .input("ls --color=auto; tput setaf 1; echo e$((1+1))f\r")
        .await;
    let text = shell.until("e2f").await;
    assert!(
        text.contains("\u{1b}[01;34msub") && text.contains("\u{1b}[31m"),
        "{text:?}"
    );
    // What is typed before it says so is still the shell's, which reads it otherwise.
    shell.input("echo r$((1+1))y; cat\r").await;
    shell.until("r2y").await;
    shell.input("héllo\r").await;
    let mut echoed = shell.until("héllo").await;
    while echoed.matches("héllo").count() < 2 {
        shell.news().await;
        echoed.push_str(&String::from_utf8_lossy(&std::mem::take(&mut shell.screen)));
    }
    shell.input("\u{3}").await;
    let prompt = "\u{1b}[0m";
    shell.until(prompt).await;
    shell.input("echo g$?h > made.txt; cat made.txt\r").await;
    shell.until("g130h").await;
    assert_eq!(
        std::fs::read_to_string(scene.folder.join("made.txt")).unwrap(),
        "g130h\n"
    );
    shell.input("exit 6\r").await;
    assert_eq!(shell.ended().await, 6);
    let listed = scene.person("terminal.list", json!({"taskId": "t1"})).await;
    assert_eq!(
        (
            &listed["terminals"][0]["exitCode"],
            &listed["terminals"][0]["cols"]
        ),
        (&json!(6), &json!(100))
    );
    let late = scene
        .refused("terminal.input", json!({"id": shell.id, "data": "x"}))
        .await;
    assert_eq!(late.code, "terminal_not_open");
    scene.person("terminal.close", json!({"id": shell.id})).await;
    assert_eq!(
        scene.person("terminal.list", json!({})).await,
        json!({"terminals": []})
    );
    scene.owner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_are_open_and_end_each_for_itself() {
    let scene = Scene::new().await;
    let mut one = Terminal::open(&scene).await;
    let mut two = Terminal::open(&scene).await;
    one.input("echo o$((1+1))e; trap '' HUP TERM; setsid sleep 88201 & sleep 88201\r")
        .await;
    one.until("o2e").await;
    until("both run", || processes("88201").len() == 2);
    two.input("echo t$((1+1))o\r").await;
    assert!(!two.until("t2o").await.contains("o2e"));
    scene.person("terminal.close", json!({"id": one.id})).await;
    assert!(processes("88201").is_empty());
    // Who was about to ask hears of its end; for everybody else there is none.
    assert!(one.ended().await.is_i64());
    let again = json!({"id": one.id});
    assert_eq!(
        scene.refused("terminal.close", again).await.code,
        "terminal_not_open"
    );
    let listed = scene.person("terminal.list", json!({})).await;
    assert_eq!(listed["terminals"].as_array().unwrap().len(), 1, "{listed}");
    two.input("echo s$((1+1))l\r").await;
    two.until("s2l").await;

    let mut more = Vec::new();
    for _ in 0..7 {
        more.push(Terminal::open(&scene).await);
    }
    let params = json!({"taskId": "t1", "cols": 80, "rows": 24});
    assert_eq!(
        scene.refused("terminal.open", params).await.code,
        "too_many_terminals"
    );
    for (cols, rows) in [(0, 24), (80, 1001)] {
        let params = json!({"taskId": "t1", "cols": cols, "rows": rows});
        assert_eq!(scene.refused("terminal.open", params).await.code, "invalid_args");
    }
    for caller in [agent(), Caller::mcp_client("x")] {
        for call in [
            "terminal.open",
            "terminal.list",
            "terminal.input",
            "terminal.watch",
        ] {
            let refused = scene.asked(&caller, call, json!({})).await.unwrap_err();
            assert_eq!(refused.code, "access_denied", "{call}");
        }
    }
    two.input("setsid sleep 88202 &\r").await;
    until("it runs", || !processes("88202").is_empty());
    scene.person("workspace.unbind", json!({"taskId": "t1"})).await;
    assert!(
        processes("88202").is_empty(),
        "a task without a workspace has no terminals"
    );
    assert!(two.ended().await.is_i64());
    let keys = json!({"id": two.id, "data": "x"});
    let gone = scene.refused("terminal.input", keys).await;
    assert_eq!(gone.code, "terminal_not_open");
    scene.owner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_reads_nothing_is_busy_and_not_gone() {
    let scene = Scene::new().await;
    let mut shell = Terminal::open(&scene).await;
    shell.input("stty raw -echo; echo r$((1+1))y; sleep 1000\r").await;
    shell.until("r2y").await;
    let params = json!({"id": shell.id, "data": "x".repeat(60_000)});
    let busy = loop {
        let typed = scene
            .asked(&Caller::person("web"), "terminal.input", params.clone())
            .await;
        if let Err(failure) = typed {
            break failure;
        }
    };
    assert_eq!(busy.code, "terminal_busy");
    let listed = scene.person("terminal.list", json!({})).await;
    let row = &listed["terminals"][0];
    assert!(row["exitCode"].is_null() && row["network"] == "off", "{row}");
    scene.owner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_looks_late_is_told_what_is_missing_and_the_owner_takes_all_with_it() {
    let scene = Scene::new().await;
    let mut shell = Terminal::open(&scene).await;
    shell
        .input("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo d$((1+1))e\r")
        .await;
    shell.until("d2e").await;
    shell.next = json!(0);
    let news = shell.news().await;
    assert!(news["cut"].as_u64().unwrap() >= 1_900_000, "{}", news["cut"]);
    shell.until("d2e").await;
    shell.input("setsid sleep 88301 & sleep 88301\r").await;
    until("both run", || processes("88301").len() == 2);
    let home = scene.home.path();
    let Scene {
        owner, home: kept, ..
    } = scene;
    owner.close().await;
    assert!(processes("88301").is_empty());
    assert_eq!(audited(&home).await, ["terminal.open"]);
    drop(kept);
}

async fn audited(home: &Path) -> Vec<String> {
    let data = base::DataHome::at(home).unwrap();
    let store = Store::open(&data, 1000).unwrap();
    let all = store.audit_of("task:t1".to_owned()).await.unwrap();
    all.into_iter()
        .filter(|action| action.starts_with("terminal"))
        .collect()
}
