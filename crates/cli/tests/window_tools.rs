//! What the window shows of one tool, through a real owner: its log, its variables, its files.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Home, Served, files_below, runtime};
use serde_json::{Map, json};
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};
use wire::{
    Client, ClientError, ConfigurationState, Direction, FileKind, FileRef, LogFindQuery, LogLevel, LogWindow,
    LogWindowQuery, ToolConfigure, ToolRef, ToolRun, VariableRef, VariableSource,
};

/// Says what it is told, once for each level.
const TALKER: &str = "export default {
    getMetadata: () => ({ name: 'talker', version: '1.2.0', description: 'says things' }),
    getSchema: () => ({
        parameters: { type: 'object', properties: { text: { type: 'string' } } },
        environment: { type: 'object', required: ['ROOT'], properties: {
            ROOT: { type: 'string', description: 'where' },
            SIZE: { type: 'integer', minimum: 1, default: 5 },
            API_KEY: { type: 'string' },
            PIN: { type: 'string', secret: true },
        } },
    }),
    execute({ text }) {
        const { logger } = this.api;
        logger.debug('d ' + text); logger.warn('w ' + text + '\\n  below'); logger.error('e ' + text);
        logger.info('the key is ' + this.api.environment.get('API_KEY'));
        return text } }";

fn served() -> (Home, Served) {
    let home = Home::new();
    home.put_tool("talker", TALKER);
    let served = home.serve();
    (home, served)
}

fn all(levels: &[LogLevel], unlike: Option<&LogWindow>) -> LogWindowQuery {
    LogWindowQuery {
        tool: "talker".to_owned(),
        levels: levels.to_vec(),
        first: None,
        count: 500,
        unlike: unlike.map(|window| window.stamp.clone()),
    }
}

async fn say(client: &Client, text: &str) {
    let run = ToolRun {
        tool: "talker".to_owned(),
        parameters: Map::from_iter([("text".to_owned(), json!(text))]),
        run: None,
    };
    assert!(client.tool_run(run).await.unwrap().success);
}

fn texts(window: &LogWindow) -> Vec<&str> {
    window.records.iter().map(|record| record.text.as_str()).collect()
}

fn code<T: std::fmt::Debug>(answer: Result<T, ClientError>) -> String {
    match answer.unwrap_err() {
        ClientError::Call(error) => error.code,
        other => panic!("{other:?}"),
    }
}

fn variable(name: &str) -> VariableRef {
    VariableRef {
        tool: "talker".to_owned(),
        name: name.to_owned(),
    }
}

fn file(path: &str) -> FileRef {
    FileRef {
        tool: "talker".to_owned(),
        path: path.to_owned(),
    }
}

#[test]
fn a_log_is_followed_filtered_searched_and_rotated() {
    let (home, served) = served();
    let client = &served.client;
    runtime().block_on(async {
        let before = client.log_window(all(&[], None)).await.unwrap();
        assert_eq!((before.total, before.bytes), (0, 0.0));
        let unknown = LogWindowQuery {
            tool: "nobody".to_owned(),
            ..all(&[], None)
        };
        assert_eq!(code(client.log_window(unknown).await), "unknown_tool");

        // Somebody looks while a run begins.
        let watcher = home.client();
        let (seen, ()) = tokio::join!(watcher.log_window(all(&[], Some(&before))), say(client, "one"));
        let seen = seen.unwrap();
        assert_ne!(seen.stamp, before.stamp);
        assert!(texts(&seen)[0].starts_with("执行开始 - 工具: talker"), "{seen:?}");

        say(client, "two").await;
        let whole = client.log_window(all(&[], None)).await.unwrap();
        assert_eq!(whole.total, 12);
        let counts = &whole.counts;
        assert_eq!(
            (counts.debug, counts.info, counts.warn, counts.error),
            (2, 6, 2, 2)
        );
        let loud = client
            .log_window(all(&[LogLevel::Warn, LogLevel::Error], None))
            .await
            .unwrap();
        assert_eq!(
            texts(&loud),
            ["w one\n  below", "e one", "w two\n  below", "e two"]
        );
        assert!(
            loud.records
                .iter()
                .all(|record| record.at > 1.7e12 && !record.truncated)
        );
        let one = LogWindowQuery {
            first: Some(1),
            count: 2,
            ..all(&[LogLevel::Warn, LogLevel::Error], None)
        };
        let one = client.log_window(one).await.unwrap();
        assert_eq!(
            (one.first, one.total, texts(&one)),
            (1, 4, vec!["e one", "w two\n  below"])
        );

        let find = |from, direction| {
            client.log_find(LogFindQuery {
                tool: "talker".to_owned(),
                levels: vec![LogLevel::Warn, LogLevel::Error],
                text: "W T".to_owned(),
                from,
                direction,
            })
        };
        let found = find(3, Direction::Forward).await.unwrap();
        assert_eq!(
            (found.index, found.matches, found.ordinal),
            (Some(2), 1, 1),
            "it went round"
        );
        assert_eq!(found.generation, whole.generation);
        assert_eq!(find(1, Direction::Backward).await.unwrap().index, Some(2));

        let log = home.path().join("toolbox/talker/run.log");
        let text = std::fs::read_to_string(&log).unwrap();
        std::fs::write(
            &log,
            format!("[2020-01-01T00:00:00.000Z] [WARN] long ago\n{text}"),
        )
        .unwrap();
        let by_hand = client.log_window(all(&[], None)).await.unwrap();
        assert_ne!(
            by_hand.generation, whole.generation,
            "what others do is seen at the next look"
        );
        assert_eq!(texts(&by_hand)[0], "long ago");

        // Nothing happens: the call waits, but the owner's end does not wait for it.
        let waiting = tokio::spawn({
            let watcher = home.client();
            let query = all(&[], Some(&by_hand));
            async move { watcher.log_window(query).await }
        });
        for _ in 0..20 {
            client.server_hello(wire::None {}).await.unwrap();
        }
        assert!(!waiting.is_finished());
        let start = Instant::now();
        client.server_stop(wire::None {}).await.unwrap();
        // Answered or cut off: what matters is that nobody waits for it.
        let _ = waiting.await.unwrap();
        assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    });
    let mut served = served;
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    // The next owner cleans at its start: old records leave.
    let served = home.serve();
    runtime().block_on(async {
        let mut window = served.client.log_window(all(&[], None)).await.unwrap();
        if texts(&window).contains(&"long ago") {
            window = served.client.log_window(all(&[], Some(&window))).await.unwrap();
        }
        assert_eq!(window.total, 12);
    });
}

#[test]
fn variables_are_shown_masked_changed_and_revealed_to_a_person() {
    let (home, served) = served();
    let client = &served.client;
    let tool = || ToolRef {
        tool: "talker".to_owned(),
    };
    let change = |values: serde_json::Value, remove: &[&str]| {
        client.tool_configure(ToolConfigure {
            tool: "talker".to_owned(),
            values: values.as_object().unwrap().clone(),
            remove: remove.iter().map(|name| (*name).to_owned()).collect(),
        })
    };
    let env = home.path().join("toolbox/talker/.env");
    std::fs::write(&env, "# by hand\nSIZE=0\nMY_TOKEN=tok-4711\n").unwrap();
    runtime().block_on(async {
        let shown = client.tool_variables(tool()).await.unwrap();
        assert_eq!(shown.state, ConfigurationState::Partly);
        assert!(shown.file.ends_with("toolbox/talker/.env"), "{}", shown.file);
        let names: Vec<&str> = shown.variables.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["ROOT", "SIZE", "API_KEY", "PIN", "MY_TOKEN"]);
        assert_eq!(shown.variables[0].source, VariableSource::Unset);
        let problem = shown.variables[1].problem.as_ref().unwrap();
        assert_eq!(problem.code, "variable_invalid");
        assert!(
            problem.message.contains("SIZE") && !problem.message.contains('{'),
            "{problem:?}"
        );
        assert_eq!(shown.variables[1].default.as_deref(), Some("5"));
        assert_eq!(
            (shown.variables[4].value.as_str(), shown.variables[4].declared),
            ("******", false)
        );

        let values = json!({"ROOT": "/srv", "API_KEY": "sk-123456", "PIN": "0815-pin"});
        change(values, &["SIZE"]).await.unwrap();
        let shown = client.tool_variables(tool()).await.unwrap();
        assert_eq!(shown.state, ConfigurationState::Configured);
        assert_eq!(shown.variables[1].source, VariableSource::Default);
        assert!(!format!("{shown:?}").contains("sk-1") && !format!("{shown:?}").contains("0815"));
        assert!(shown.variables[3].secret, "the schema says so");
        assert_eq!(
            client.tool_secret(variable("API_KEY")).await.unwrap().text,
            "sk-123456"
        );
        assert_eq!(
            code(client.tool_secret(variable("NOBODY")).await),
            "variable_not_set"
        );

        let written = std::fs::read_to_string(&env).unwrap();
        assert!(
            written.contains("# by hand\n") && !written.contains("SIZE"),
            "{written}"
        );
        assert_eq!(
            code(change(json!({"ROOT": "/other"}), &["SIZE"]).await),
            "variable_not_set"
        );
        assert_eq!(
            std::fs::read_to_string(&env).unwrap(),
            written,
            "nothing of it is written"
        );

        let seen = client.tool_file(file(".env")).await.unwrap();
        let text = seen.text.unwrap();
        assert!(
            seen.masked && text.contains("API_KEY=******") && text.contains("ROOT=/srv"),
            "{text}"
        );
        assert!(!text.contains("0815") && !text.contains("tok-4711"), "{text}");
        say(client, "x").await;
        let log = client.log_window(all(&[], None)).await.unwrap();
        assert!(texts(&log).contains(&"the key is ******"), "{log:?}");
    });
    // That somebody saw a secret is kept; the secret is nowhere but in its file.
    let mut served = served;
    assert_eq!(served.end(), Some(0));
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let kept = ["pm.db", "pm.db-wal"].map(|name| std::fs::read(home.path().join(name)).unwrap_or_default());
    assert!(kept.iter().any(|bytes| holds(bytes, "tool.secret")));
    for path in files_below(&home.path()).into_iter().filter(|path| *path != env) {
        let bytes = std::fs::read(&path).unwrap();
        assert!(!holds(&bytes, "sk-123456"), "{}", path.display());
        assert!(!holds(&bytes, "0815-pin"), "{}", path.display());
    }
}

#[test]
fn files_are_shown_and_nothing_beyond_the_folder() {
    let (home, served) = served();
    let client = &served.client;
    let folder = home.path().join("toolbox/talker");
    std::fs::create_dir(folder.join("notes")).unwrap();
    std::fs::write(folder.join("notes/a.txt"), "你好").unwrap();
    symlink(home.path().join("token"), folder.join("notes/link")).unwrap();
    symlink(home.path(), folder.join("home")).unwrap();
    runtime().block_on(async {
        let top = client.tool_files(file("")).await.unwrap();
        let of = |name: &str| top.entries.iter().find(|entry| entry.name == name).unwrap();
        assert_eq!(top.entries[0].kind, FileKind::Directory);
        assert_eq!(of("talker.tool.js").size, TALKER.len() as f64);
        assert_eq!(of("home").kind, FileKind::Link);
        let notes = client.tool_files(file("notes")).await.unwrap();
        assert_eq!((notes.entries.len(), notes.truncated), (2, false));
        let seen = client.tool_file(file("notes/a.txt")).await.unwrap();
        assert_eq!(
            (seen.text.as_deref(), seen.size, seen.masked),
            (Some("你好"), 6.0, false)
        );
        for (path, refused) in [
            ("../../token", "path_traversal_blocked"),
            ("/etc/passwd", "path_traversal_blocked"),
            ("notes/link", "symlink_not_followed"),
            ("home/token", "symlink_not_followed"),
            ("notes", "not_a_file"),
            ("notes/none", "file_not_found"),
        ] {
            assert_eq!(code(client.tool_file(file(path)).await), refused, "{path}");
        }
        assert_eq!(
            code(client.tool_files(file("home")).await),
            "symlink_not_followed"
        );
        assert_eq!(
            code(client.tool_files(file("notes/a.txt")).await),
            "not_a_directory"
        );
        assert_eq!(code(client.tool_files(file("none")).await), "directory_not_found");
    });
}
