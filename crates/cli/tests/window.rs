//! What the window shows of tools at work, from a real owner: runs while they last and afterwards,
//! new tools while they are looked into. (`window_server.rs`: settings, pictures, sessions.)

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; puts tools there"
)]

mod common;

use common::page::{Page, id};
use common::{Home, built_in};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Follows a run to its end, or until `enough`; gives all its news.
fn follow(page: &Page, run: &str, enough: impl Fn(&Value) -> bool) -> Vec<Value> {
    let (mut from, mut version, mut all) = (json!(0), json!(0), Vec::new());
    loop {
        let news = page.call("run.watch", json!({"run": run, "from": from, "version": version}));
        (from, version) = (news["next"].clone(), news["version"].clone());
        let done = news["state"] == "ended" || enough(&news);
        all.push(news);
        if done {
            return all;
        }
    }
}

fn lines(news: &[Value]) -> Vec<String> {
    let each = news.iter().flat_map(|news| news["lines"].as_array().unwrap());
    each.map(|line| line["text"].as_str().unwrap().to_owned())
        .collect()
}

/// Says what it does, and a secret, then waits as long as it is told.
const STEPS: &str = "export default {
    getSchema: () => ({
        parameters: { type: 'object', properties: { steps: { type: 'number', description: 's' }, wait: { type: 'number', description: 'w' }, password: { type: 'string', description: 'p' } } },
        environment: { type: 'object', properties: { API_KEY: { type: 'string', description: 'k' } } },
    }),
    async execute({ steps = 0, wait = 0 }) {
        const key = this.api.environment.get('API_KEY');
        for (let n = 0; n < steps; n++) {
            this.api.logger.info(`\\u001b[32mstep ${n}\\u001b[0m with ${key}`);
            this.api.progress(n + 1, steps, `reading ${key}`);
        }
        await new Promise((done) => setTimeout(done, wait));
        return { steps, key };
    } }";

const SECRET: &str = "hunter2-hunter2";

fn home_with_steps() -> Home {
    let home = Home::new();
    home.put_tool("steps", STEPS);
    std::fs::write(
        home.path().join("toolbox/steps/.env"),
        format!("API_KEY={SECRET}\n"),
    )
    .unwrap();
    home
}

#[test]
fn a_page_follows_a_run_from_before_its_beginning_to_its_record() {
    let home = home_with_steps();
    let served = home.serve();
    let page = Page::open(&served);
    let run = id();
    let (news, result) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| follow(&page, &run, |_| false));
        let parameters = json!({"steps": 700, "wait": 400, "password": "open sesame"});
        let result = page.call(
            "tool.run",
            json!({"tool": "steps", "run": run, "parameters": parameters}),
        );
        (watching.join().unwrap(), result)
    });
    assert_eq!(
        (&result["run"], &result["success"]),
        (&json!(run), &json!(true)),
        "{result}"
    );
    let text = json!(news).to_string();
    assert!(!text.contains(SECRET), "nothing secret travels");
    let lines = lines(&news);
    assert!(lines.last().unwrap().starts_with("step 699 with "), "{lines:?}");
    assert!(lines.len() >= 500, "{}", lines.len());
    let last = news.last().unwrap();
    assert_eq!((&last["state"], &last["next"]), (&json!("ended"), &json!(700)));
    assert_eq!(
        (&last["progress"]["done"], &last["progress"]["total"]),
        (&json!(700.0), &json!(700.0))
    );
    assert!(last["progress"]["text"].as_str().unwrap().starts_with("reading "));
    assert!(news.len() <= 12, "gathered: {}", news.len());

    let shown = page.call("run.show", json!({"run": run}));
    assert_eq!(
        (&shown["subject"], &shown["success"]),
        (&json!("steps"), &json!(true))
    );
    assert_eq!(shown["parameters"]["steps"], 700);
    assert_eq!(shown["result"]["steps"], 700);
    assert_eq!(shown["lines"].as_array().unwrap().len(), 100);
    let text = shown.to_string();
    assert!(!text.contains(SECRET) && !text.contains("open sesame"), "{text}");
    let (status, code) = page.refused("run.show", json!({"run": "made up"}));
    assert_eq!((status, code.as_str()), (404, "run_not_found"));
}

#[test]
fn a_run_is_called_off_at_once_and_keeps_its_record() {
    let home = home_with_steps();
    let served = home.serve();
    let page = Page::open(&served);
    let run = id();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let parameters = json!({"steps": 1, "wait": 25_000});
            page.call(
                "tool.run",
                json!({"tool": "steps", "run": run, "parameters": parameters}),
            )
        });
        follow(&page, &run, |news| news["next"] == 1);
        let open = page.call("run.active", json!({}));
        assert_eq!(open["runs"][0]["id"], json!(run), "{open}");
        assert_eq!(open["runs"][0]["subject"], "steps");
        assert_eq!(open["runs"][0]["progress"]["done"], 1.0);

        let program = Page::program(&home, &served);
        let (status, code) = program.refused("run.cancel", json!({"run": run}));
        assert_eq!((status, code.as_str()), (403, "access_denied"));
        let began = Instant::now();
        page.call("run.cancel", json!({"run": run}));
        let result = running.join().unwrap();
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
        assert_eq!(result["error"]["code"], "cancelled", "{result}");
    });
    assert_eq!(follow(&page, &run, |_| false).last().unwrap()["state"], "ended");
    assert_eq!(page.call("run.active", json!({}))["runs"], json!([]));
    let (status, code) = page.refused("run.cancel", json!({"run": run}));
    assert_eq!((status, code.as_str()), (404, "run_not_open"));
    let shown = page.call("run.show", json!({"run": run}));
    assert_eq!(shown["failure"]["code"], "cancelled", "{shown}");
    assert_eq!(shown["lines"].as_array().unwrap().len(), 1);
    let failed = page.call("run.list", json!({"failed": true}));
    assert_eq!(
        (&failed["total"], &failed["runs"][0]["id"]),
        (&json!(1), &json!(run))
    );
}

#[test]
fn an_id_is_for_one_run() {
    let home = home_with_steps();
    let mut served = home.serve();
    let run = id();
    let params = json!({"tool": "steps", "run": run, "parameters": {}});
    let script = json!({"code": "return 1", "run": run});
    let page = Page::open(&served);
    page.call("tool.run", params.clone());
    for _ in 0..2 {
        for (call, params) in [("tool.run", &params), ("run_javascript", &script)] {
            let page = Page::open_again(&served, &page);
            assert_eq!(page.refused(call, params.clone()), (422, "run_exists".to_owned()));
        }
        assert_eq!(served.end(), Some(0));
        served = home.serve();
    }
    let page = Page::open_again(&served, &page);
    assert_eq!(page.call("run.list", json!({}))["total"], 1);
    for bad in ["x", "../x", "00000000-0000-0000-0000-000000000000"] {
        let refused = page.refused("tool.run", json!({"tool": "steps", "run": bad}));
        assert_eq!(refused, (400, "invalid_args".to_owned()), "{bad}");
    }
    let ended = page.call("run.watch", json!({"run": run}));
    assert_eq!(
        ended["state"], "ended",
        "one of before the restart is not waited for"
    );
}

#[test]
fn scripts_are_runs_as_well() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let (run, failing) = (id(), id());
    let code = "console.log('one'); console.warn('two'); return input.n + 1";
    page.call(
        "run_javascript",
        json!({"code": code, "input": {"n": 1}, "run": run}),
    );
    let shown = page.call("run.show", json!({"run": run}));
    assert_eq!(shown["parameters"], json!({"code": code, "input": {"n": 1}}));
    assert_eq!(shown["result"], 2);
    let said = |line: &Value| (line["level"].clone(), line["text"].clone());
    let lines: Vec<_> = shown["lines"].as_array().unwrap().iter().map(said).collect();
    assert_eq!(
        lines,
        [(json!("INFO"), json!("one")), (json!("WARN"), json!("two"))]
    );

    page.call(
        "run_javascript",
        json!({"code": "throw new TypeError('no')", "run": failing}),
    );
    let shown = page.call("run.show", json!({"run": failing}));
    assert_eq!(shown["failure"]["code"], "js_execution_failed", "{shown}");
    assert_eq!(shown["result"]["message"], "TypeError: no");

    let endless = id();
    let code = "console.log('began'); while (true) {}";
    std::thread::scope(|scope| {
        let running = scope.spawn(|| page.call("run_javascript", json!({"code": code, "run": endless})));
        follow(&page, &endless, |news| news["next"] == 1);
        page.call("run.cancel", json!({"run": endless}));
        assert_eq!(running.join().unwrap()["value"]["error"], "cancelled");
    });
}

#[test]
fn new_tools_are_listed_at_once_and_described_afterwards() {
    let home = Home::new();
    for n in 0..30 {
        let source = format!(
            "export default {{ getBasicInfo: () => ({{ description: 'number {n}' }}), execute: () => {n} }}"
        );
        home.put_tool(&format!("tool-{n:02}"), &source);
    }
    home.put_tool("broken", "export default {");
    let served = home.serve();
    let page = Page::open(&served);
    let states = |list: &Value| -> Vec<String> {
        let rows = list["tools"].as_array().unwrap().iter();
        rows.map(|row| row["state"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = page.call("tool.list", json!({}));
    assert_eq!(first["tools"].as_array().unwrap().len(), 31 + built_in().len());
    assert!(
        states(&first).iter().any(|state| state == "describing"),
        "{first}"
    );

    // As the page does: look again when an event says so. `pm` waits by itself.
    let listed = home.pm(&["tool", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert!(
        !states(&listed).iter().any(|state| state == "describing"),
        "{listed}"
    );
    let broken = |list: &Value| states(list).iter().filter(|state| *state == "broken").count();
    assert_eq!(broken(&listed), 1);
    let again = page.call("tool.list", json!({}));
    assert_eq!(
        states(&again),
        states(&listed),
        "what failed is not described again and again"
    );

    let token = page.call("server.token", json!({}))["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let (host, bearer) = (page.at.to_string(), format!("Bearer {token}"));
    let mut events = TcpStream::connect(page.at).unwrap();
    events.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    home.put_tool("late", "export default { execute: () => 1 }");
    write!(
        events,
        "GET /api/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\n\r\n"
    )
    .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(events)).map(Result::unwrap);
    lines.find(|line| line.contains("hello")).unwrap();
    let listed = page.call("tool.list", json!({}));
    assert_eq!(
        states(&listed)
            .iter()
            .filter(|state| *state == "describing")
            .count(),
        1
    );
    // An event of before may come first; whoever follows them sees the end of it.
    lines
        .find(|line| {
            line.contains("tool.changed")
                && !states(&page.call("tool.list", json!({}))).contains(&"describing".to_owned())
        })
        .unwrap();
}
