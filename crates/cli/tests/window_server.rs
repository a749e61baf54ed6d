//! What the window needs of a real owner beside its tools: settings that hold at once, pictures by
//! their addresses, sessions that outlive a restart, an address for the network.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; writes settings as a person does"
)]

mod common;

use common::Home;
use common::page::{Page, ask, id};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Language of a message: Chinese has no ASCII letters to speak of.
fn is_chinese(text: &Value) -> bool {
    text.as_str()
        .unwrap()
        .chars()
        .any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

const INITIALIZE: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "window", "version": "1"}}}"#;

#[test]
fn settings_hold_at_once_and_stay() {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).unwrap();
    let file = home.path().join("settings.json");
    std::fs::write(&file, r#"{"future": {"a": 1}}"#).unwrap();
    let mut served = home.serve();
    let page = Page::open(&served);
    let unknown = |page: &Page| page.post("tool.show", &json!({"tool": "nothing"})).json()["message"].clone();
    let help = |page: &Page| {
        let params = json!({"tool": "filesystem", "parameters": {"action": "no"}});
        page.call("tool.run", params)["help"].clone()
    };
    let mcp = |page: &Page| {
        let host = page.at.to_string();
        let stream = TcpStream::connect(page.at).unwrap();
        ask(stream, "POST /mcp", &[("Host", &host)], INITIALIZE)
    };
    let heading = |help: Value| help.as_str().unwrap().lines().next().unwrap().to_owned();
    assert!(is_chinese(&unknown(&page)));
    assert!(heading(help(&page)).contains("工具执行失败"));
    assert_eq!(mcp(&page).status, 401);

    let view = page.call("settings.show", json!({}));
    assert_eq!(
        (&view["language"], &view["languageChosen"]),
        (&json!("zh-CN"), &json!(false))
    );
    assert!(view.get("sizes").is_none(), "nobody waits for them here: {view}");
    let sizes = page.call("settings.sizes", json!({}));
    let kinds: Vec<_> = sizes["sizes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|size| &size["kind"])
        .collect();
    assert_eq!(kinds.len(), 7, "{kinds:?}");
    assert!(
        sizes["sizes"][0]["bytes"].as_f64().unwrap() > 10_000.0,
        "built-in tools: {sizes}"
    );

    let view = page.call(
        "settings.change",
        json!({"language": "en", "openMcpOnLoopback": true}),
    );
    assert_eq!(
        (&view["language"], &view["openMcpOnLoopback"]),
        (&json!("en"), &json!(true))
    );
    assert_eq!(view["languageChosen"], true);
    assert!(!is_chinese(&unknown(&page)));
    assert!(heading(help(&page)).contains("The tool failed"));
    let opened = mcp(&page);
    assert_eq!(opened.status, 200);
    assert!(
        String::from_utf8(opened.body)
            .unwrap()
            .contains("toolm runs the tools")
    );
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        (&kept["future"]["a"], &kept["language"]),
        (&json!(1), &json!("en"))
    );
    page.call("settings.change", json!({"openMcpOnLoopback": false}));
    assert_eq!(mcp(&page).status, 401);

    let favour = |tool: &str, on: bool| {
        let view = page.call("settings.change", json!({"favourite": {"tool": tool, "on": on}}));
        view["favourites"].clone()
    };
    assert_eq!(favour("todolist", true), json!(["todolist"]));
    assert_eq!(favour("filesystem", true), json!(["todolist", "filesystem"]));
    assert_eq!(favour("filesystem", true), json!(["todolist", "filesystem"]));
    assert_eq!(favour("todolist", false), json!(["filesystem"]));
    assert_eq!(
        favour("gone", false),
        json!(["filesystem"]),
        "one that is gone may be none any more"
    );
    let refused = page.refused(
        "settings.change",
        json!({"favourite": {"tool": "gone", "on": true}}),
    );
    assert_eq!(refused.1, "unknown_tool");
    let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(kept["tools"]["favourites"], json!(["filesystem"]));
    assert_eq!(
        page.call("settings.show", json!({}))["favourites"],
        json!(["filesystem"])
    );

    let refused = page.refused("settings.change", json!({"language": "fr"}));
    assert_eq!(refused, (400, "invalid_args".to_owned()));
    let program = Page::program(&home, &served);
    for call in [
        "settings.change",
        "settings.show",
        "settings.sizes",
        "server.token",
        "server.check",
    ] {
        assert_eq!(
            program.refused(call, json!({})),
            (403, "access_denied".to_owned()),
            "{call}"
        );
    }
    served.end();
    let served = home.serve();
    let page = Page::open_again(&served, &page);
    assert_eq!(page.call("settings.show", json!({}))["language"], "en");
}

#[test]
fn the_server_proves_that_clients_can_use_it() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let token = Page::program(&home, &served).secret;
    assert_eq!(page.call("server.token", json!({}))["token"], json!(token));
    let checked = page.call("server.check", json!({}));
    assert_eq!(checked["ok"], true, "{checked}");
    assert_eq!(checked["address"], json!(format!("{}/mcp", served.address())));
    let tools = checked["tools"].as_array().unwrap();
    assert_eq!(tools[..2], [json!("toolm"), json!("run_javascript")]);
    assert!(tools.contains(&json!("read_file")), "{tools:?}");
}

#[test]
fn pictures_are_had_by_their_signed_addresses_alone() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let code =
        "const c = getCanvas(800, 500).getContext('2d'); c.fillStyle = 'red'; c.fillRect(0, 0, 800, 500)";
    page.call("run_javascript", json!({"code": code}));
    let listed = |page: &Page| page.call("artifact.list", json!({}));
    let row = listed(&page)["artifacts"][0].clone();
    let [id, full, thumb] = ["id", "url", "thumb"].map(|name| row[name].as_str().unwrap().to_owned());

    let small = page.get(&thumb, &[]);
    assert_eq!(
        (small.status, small.header("content-type")),
        (200, Some("image/png"))
    );
    assert!(small.header("cache-control").unwrap().contains("immutable"));
    let decoded = png::Decoder::new(std::io::Cursor::new(&small.body))
        .read_info()
        .unwrap();
    assert_eq!(decoded.info().size(), (320, 200));
    let large = page.get(&full, &[]);
    let decoded = png::Decoder::new(std::io::Cursor::new(&large.body))
        .read_info()
        .unwrap();
    assert_eq!(decoded.info().size(), (800, 500));
    let tag = small.header("etag").unwrap();
    let known = page.get(&thumb, &[("If-None-Match", tag)]);
    assert_eq!((known.status, known.body.len()), (304, 0));
    assert_ne!(large.header("etag"), small.header("etag"));
    assert_eq!(
        listed(&page)["artifacts"][0]["thumb"],
        json!(thumb),
        "the same for a while: caches work"
    );

    let bare = format!("/artifacts/{id}.png");
    let bearer = format!("Bearer {}", page.secret);
    for wrong in [
        bare.clone(),
        format!("{bare}?size=thumb"),
        full.replace("sign=", "sign=0"),
        format!("{full}&size=thumb"),
        format!("{full}&size=huge"),
        thumb.replace("&size=thumb", ""),
    ] {
        assert_eq!(
            page.get(&wrong, &[("Authorization", &bearer)]).status,
            401,
            "{wrong}"
        );
    }
    // The desktop asks by the owner's socket.
    let socket = || UnixStream::connect(home.path().join("run/pm.sock")).unwrap();
    let by_socket = ask(socket(), &format!("GET {thumb}"), &[("Host", "localhost")], "");
    assert_eq!((by_socket.status, by_socket.body), (200, small.body.clone()));
    assert_eq!(
        ask(socket(), &format!("GET {bare}"), &[("Host", "localhost")], "").status,
        401
    );

    let copy = home.path().join(format!("artifacts/thumbs/{id}.png"));
    assert!(copy.exists());
    page.call("artifact.remove", json!({"id": id}));
    assert!(!copy.exists());
    assert_eq!(listed(&page)["total"], 0);
    assert_eq!(
        (page.get(&thumb, &[]).status, page.get(&full, &[]).status),
        (404, 404)
    );
    page.call("artifact.restore", json!({"id": id}));
    assert_eq!(listed(&page)["total"], 1);
    assert_eq!(page.get(&thumb, &[]).body, small.body);
}

#[test]
fn a_session_goes_on_after_a_restart_and_ends_with_the_token() {
    let home = Home::new();
    let mut served = home.serve();
    let page = Page::open(&served);
    page.call("server.link", json!({}));
    served.kill();
    let mut served = home.serve();
    let again = Page::open_again(&served, &page);
    again.call("server.token", json!({}));
    served.end();
    std::fs::remove_file(home.path().join("token")).unwrap();
    let served = home.serve();
    let again = Page::open_again(&served, &page);
    assert_eq!(
        again.refused("tool.list", json!({})),
        (401, "unauthorized".to_owned())
    );
    Page::open(&served).call("tool.list", json!({}));
}

#[test]
fn a_server_for_the_network_is_called_by_address() {
    let home = Home::new();
    let served = home.serve_with(&["serve", "--json", "--host", "0.0.0.0", "--port", "0"]);
    let program = Page::program(&home, &served);
    let bearer = format!("Bearer {}", program.secret);
    let ask = |host: &str, headers: &[(&str, &str)]| {
        let mut all = vec![("Host", host)];
        all.extend(headers);
        ask(
            TcpStream::connect(program.at).unwrap(),
            "POST /api/tool.list",
            &all,
            "{}",
        )
        .status
    };
    let port = program.at.port();
    for host in ["192.168.7.7", "[fe80::1]", "localhost", "127.0.0.1"] {
        let host = format!("{host}:{port}");
        assert_eq!(ask(&host, &[("Authorization", &bearer)]), 200, "{host}");
        assert_eq!(ask(&host, &[]), 401, "{host}");
        let origin = format!("http://{host}");
        assert_eq!(
            ask(&host, &[("Authorization", &bearer), ("Origin", &origin)]),
            200,
            "{host}"
        );
    }
    for host in [format!("evil.example:{port}"), "192.168.7.7:9".to_owned()] {
        assert_eq!(ask(&host, &[("Authorization", &bearer)]), 403, "{host}");
    }
}

#[test]
fn a_waiting_page_does_not_hold_up_the_end_and_links_are_not_for_logs() {
    let home = Home::new();
    let mut served = home.serve();
    let page = Page::open(&served);
    let mut waiting = TcpStream::connect(page.at).unwrap();
    let body = json!({"run": id()}).to_string();
    write!(
        waiting,
        "POST /api/run.watch HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
        page.at,
        page.secret,
        body.len()
    )
    .unwrap();
    page.call("run.active", json!({}));
    let began = Instant::now();
    assert_eq!(served.end(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    drop(waiting);

    let served = home.serve_with(&["serve", "--port", "0", "--json", "--parent-pipe"]);
    assert_eq!(served.said["link"], Value::Null);
    assert!(!served.said.to_string().contains("code="));
}
