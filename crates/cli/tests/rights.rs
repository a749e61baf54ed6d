//! What a tool, or a model that configures it, cannot talk itself into: attacks that worked once.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::Home;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;

fn run(home: &Home, tool: &str, params: &Value) -> Value {
    let output = home.pm(&["tool", "run", tool, "--json", "--params", &params.to_string()]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
}

fn configure_by_hand(home: &Home, tool: &str, directories: &Path) {
    let text = format!("ALLOWED_DIRECTORIES={}\n", directories.display());
    std::fs::write(home.path().join("toolbox").join(tool).join(".env"), text).unwrap();
}

/// Lists and writes in its first allowed directory; plants links in its data.
const PROBE: &str = "import fs from 'fs';
    export default { execute({ plant, to }) {
        if (plant) { fs.rmSync(plant, { recursive: true, force: true }); fs.symlinkSync(to, plant); return 'planted' }
        const dir = this.getAllowedDirectories()[0];
        fs.writeFileSync(dir + '/owned', 'x');
        return fs.readdirSync(dir) } }";

#[test]
fn a_planted_link_gives_nothing() {
    let home = Home::new();
    let secret = home.outside("secret");
    std::fs::write(secret.join("key"), "k").unwrap();
    home.put_tool("probe", PROBE);
    let folder = home.path().join("toolbox/probe");
    for (plant, wanted) in [
        ("data/evil", "data/evil"),
        ("data/evil", "data/evil/deeper"),
        ("logs/evil", "logs/evil"),
    ] {
        std::fs::remove_file(folder.join(".env")).unwrap_or_default();
        let planted = run(
            &home,
            "probe",
            &json!({"plant": folder.join(plant), "to": secret}),
        );
        assert_eq!(planted["result"], "planted", "{planted}");
        configure_by_hand(&home, "probe", &folder.join(wanted));
        assert_eq!(
            code(&run(&home, "probe", &json!({}))),
            "directory_reserved",
            "{wanted}"
        );
    }
    assert_eq!(
        std::fs::read_dir(&secret).unwrap().count(),
        1,
        "nothing was made through the links"
    );
}

#[test]
fn a_link_inside_a_granted_folder_leads_nowhere_new() {
    let home = Home::new();
    let (project, secret) = (home.outside("project"), home.outside("secret"));
    symlink(&secret, project.join("link")).unwrap();
    std::fs::create_dir(project.join("inner")).unwrap();
    home.put_tool("probe", PROBE);
    assert!(
        home.pm(&["tool", "grant", "probe", "--dir", project.to_str().unwrap()])
            .status
            .success()
    );
    configure_by_hand(&home, "probe", &project.join("inner"));
    assert_eq!(run(&home, "probe", &json!({}))["result"], json!(["owned"]));
    configure_by_hand(&home, "probe", &project.join("link"));
    assert_eq!(code(&run(&home, "probe", &json!({}))), "permission_required");
    assert_eq!(std::fs::read_dir(&secret).unwrap().count(), 0);
}

#[test]
fn only_a_tools_own_data_folders_become_writable() {
    let home = Home::new();
    home.put_tool("probe", PROBE);
    let folder = home.path().join("toolbox/probe");
    std::fs::create_dir(folder.join("lib")).unwrap();
    for own in ["lib", "node_modules", "run.log", ".env.d", "new"] {
        configure_by_hand(&home, "probe", &folder.join(own));
        assert_eq!(
            code(&run(&home, "probe", &json!({}))),
            "directory_reserved",
            "{own}"
        );
    }
    configure_by_hand(&home, "probe", &folder.join("cache/deep"));
    assert_eq!(run(&home, "probe", &json!({}))["result"], json!(["owned"]));
    configure_by_hand(&home, "probe", &folder);
    assert_eq!(
        code(&run(&home, "probe", &json!({}))),
        "js_execution_failed",
        "its folder stays read-only"
    );
    assert!(!folder.join("owned").exists());
}

#[test]
fn a_grant_is_for_the_code_that_was_seen() {
    let home = Home::new();
    let dir = home.outside("wanted");
    home.put_tool("probe", PROBE);
    configure_by_hand(&home, "probe", &dir);
    assert!(
        home.pm(&["tool", "grant", "probe", "--dir", dir.to_str().unwrap()])
            .status
            .success()
    );
    assert_eq!(run(&home, "probe", &json!({}))["success"], true);
    home.put_tool("probe", &format!("{PROBE} // other code"));
    assert_eq!(code(&run(&home, "probe", &json!({}))), "permission_required");
    home.put_tool("probe", PROBE);
    assert_eq!(
        run(&home, "probe", &json!({}))["success"],
        true,
        "and holds over restarts"
    );
    let absent = home.pm(&["tool", "grant", "probe", "--dir", "/nowhere/at/all", "--json"]);
    let error: Value = serde_json::from_slice(&absent.stdout).unwrap();
    assert_eq!(error["code"], "directory_missing");
}

#[test]
fn one_tools_trouble_does_not_hide_the_others() {
    let home = Home::new();
    home.put_tool("many", PROBE);
    home.put_tool(
        "odd",
        "export default { getDependencies: () => ({ 'a b': '1' }), execute: () => 1 }",
    );
    home.put_tool("large", PROBE);
    home.put_tool(
        "reach",
        "export default { getDependencies: () => ({ '../../token': 'local' }), execute: () => 1 }",
    );
    let lib = home.path().join("toolbox/many/lib");
    std::fs::create_dir_all(&lib).unwrap();
    for n in 0..2001 {
        std::fs::write(lib.join(format!("{n}.js")), "").unwrap();
    }
    std::fs::write(home.path().join("toolbox/large/.env"), "x".repeat(2 << 20)).unwrap();
    let listed = home.pm(&["tool", "list", "--json"]);
    let tools: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let states: Vec<(&str, &str)> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["name"].as_str().unwrap(), tool["state"].as_str().unwrap()))
        .collect();
    for broken in ["many", "odd", "large"] {
        assert!(states.contains(&(broken, "broken")), "{states:?}");
    }
    assert!(states.contains(&("todolist", "ready")), "{states:?}");
    assert_eq!(
        code(&run(&home, "reach", &json!({}))),
        "local_file_missing",
        "files outside are not looked for"
    );

    let huge = format!("BIG={}", "x".repeat(1_200_000));
    let yaml = format!(
        "tool: tool://todolist\nmode: configure\nparameters:\n  {}",
        huge.replace('=', ": ")
    );
    assert!(
        !home.pm_with_input(&["toolm"], &yaml).status.success(),
        "what could not be read back is not written"
    );
    assert_eq!(
        run(&home, "todolist", &json!({"action": "lists"}))["success"],
        true
    );
}

#[test]
fn secrets_do_not_leave_in_errors() {
    let home = Home::new();
    home.put_tool(
        "leaky",
        "export default { execute() { throw new Error('login failed with ' + process.env.X_TOKEN) } }",
    );
    std::fs::write(
        home.path().join("toolbox/leaky/.env"),
        "X_TOKEN=very-secret-value\n",
    )
    .unwrap();
    let answer = run(&home, "leaky", &json!({}));
    assert!(!answer.to_string().contains("very-secret-value"), "{answer}");
    assert!(
        answer["help"].as_str().unwrap().contains("login failed with"),
        "{answer}"
    );
    let log = home.pm(&["tool", "log", "leaky"]);
    assert!(!common::stdout(&log).contains("very-secret-value"));
}

#[test]
fn a_folder_that_a_person_grants_is_asked_for_from_then_on() {
    let home = Home::new();
    let dir = home.outside("given");
    std::fs::write(dir.join("seen"), "").unwrap();
    let pending = home.outside("pending");
    home.put_tool(
        "looker",
        "import fs from 'fs'; export default { execute() { return this.getAllowedDirectories().map((d) => fs.readdirSync(d)) } }",
    );
    assert!(
        home.pm(&["tool", "grant", "looker", "--dir", dir.to_str().unwrap()])
            .status
            .success()
    );
    let listed = run(&home, "looker", &json!({}));
    assert_eq!(listed["result"][1], json!(["seen"]), "{listed}");

    // A request that waits still waits: the grant was for something else.
    let env = home.path().join("toolbox/looker/.env");
    std::fs::write(&env, format!("ALLOWED_DIRECTORIES={}\n", pending.display())).unwrap();
    assert!(
        home.pm(&["tool", "grant", "looker", "--dir", dir.to_str().unwrap()])
            .status
            .success()
    );
    let text = std::fs::read_to_string(&env).unwrap();
    assert!(text.contains("pending") && text.contains("given"), "{text}");
    assert_eq!(code(&run(&home, "looker", &json!({}))), "permission_required");
}

/// Says `hello` to whoever comes.
fn greeter() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut stream, b"hello");
        }
    });
    port
}

/// What a tool declares of the network is a request; the owner's own port is nobody's, also when
/// the wanted one was taken.
#[test]
fn a_tools_network_is_granted_and_never_the_owners_port() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = (taken.local_addr().unwrap().port(), taken);
    let served = home.serve_with(&["serve", "--port", &taken.0.to_string(), "--json"]);
    let url = served.said["address"].as_str().unwrap().to_owned();
    let own: u16 = url
        .rsplit(':')
        .next()
        .unwrap()
        .trim_end_matches('/')
        .parse()
        .unwrap();
    assert_ne!(own, taken.0);
    let port = greeter();
    home.put_tool(
        "net",
        &format!(
            "import network from 'node:_network';
            export default {{
                getRuntimeConfig: () => ({{ networkAccess: {{ hosts: ['nobody.invalid'], loopback: [{port}, {own}] }} }}),
                async execute({{ hosts }}) {{
                    const said = [];
                    for (const [host, port] of hosts) {{
                        try {{ said.push(String.fromCharCode(...await (await network.connect(host, port)).read())) }}
                        catch (error) {{ said.push([error.code, error.message]) }}
                    }}
                    return said }} }}"
        ),
    );
    let ask = |hosts: Value| run(&home, "net", &json!({"hosts": hosts}))["result"].clone();
    let three = json!([["localhost", port], ["127.0.0.1", own], ["nobody.invalid", 443]]);
    let before = ask(three.clone());
    for (at, code) in [
        "network_loopback_not_granted",
        "network_loopback_not_granted",
        "network_not_granted",
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(before[at][0], *code, "{before}");
        assert!(
            before[at][1]
                .as_str()
                .unwrap()
                .contains("pm tool grant net --network"),
            "{before}"
        );
    }
    let (port_text, own_text) = (port.to_string(), own.to_string());
    let granted = home.pm(&[
        "tool",
        "grant",
        "net",
        "--loopback",
        &port_text,
        "--loopback",
        &own_text,
        "--json",
    ]);
    assert_eq!(
        common::said(&granted)["network"],
        json!({
            "requested": ["nobody.invalid", format!("localhost:{port}"), format!("localhost:{own}")],
            "granted": [format!("localhost:{port}"), format!("localhost:{own}")],
            "effective": [format!("localhost:{port}"), format!("localhost:{own}")],
        })
    );
    let after = ask(three);
    assert_eq!(after[0], "hello", "{after}");
    assert_eq!(after[1][0], "network_address_refused", "{after}");
    assert_eq!(after[2][0], "network_not_granted", "{after}");
    let undeclared = ask(json!([["elsewhere.invalid", 80]]));
    assert!(
        undeclared[0][1].as_str().unwrap().contains("getRuntimeConfig"),
        "{undeclared}"
    );
    let revoked = home.pm(&["tool", "revoke", "net", "--loopback", &port_text]);
    assert!(revoked.status.success(), "{revoked:?}");
    assert_eq!(
        ask(json!([["localhost", port]]))[0][0],
        "network_loopback_not_granted"
    );
}

/// Sockets that were passed to a worker live as long as it does.
#[test]
fn a_host_that_is_taken_back_takes_the_warm_worker_with_it() {
    let home = Home::new();
    home.put_tool(
        "counter",
        "let runs = 0; export default { execute: () => ++runs }",
    );
    let _served = home.serve();
    let count = || run(&home, "counter", &json!({}))["result"].clone();
    let host = |verb| {
        home.pm(&["tool", verb, "counter", "--network", "site.example"])
            .status
            .success()
    };
    assert!(host("grant"));
    assert_eq!((count(), count()), (json!(1), json!(2)));
    assert!(host("revoke"));
    assert_eq!(count(), 1, "a new worker");
    for value in ["other.example", "site.example"] {
        let grant = home.pm(&["grant", "revoke", "counter", "network", value]);
        assert_eq!(grant.status.code(), Some(1), "there is none");
    }
}
