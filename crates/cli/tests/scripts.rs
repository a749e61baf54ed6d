//! `run_javascript` through the whole product: properties 1 to 4 of seed 000, and the shapes of
//! CONTRACT.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "reads the pictures"
)]

mod common;

use common::{Home, Served};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::path::Path;
use tokio::runtime::Runtime;
use wire::{ArtifactRef, ScriptParams};

const CASES: u32 = 100;

/// A script and what it must give for its input.
type Script = (&'static str, fn(&Value) -> Value);

struct Product {
    runtime: Runtime,
    served: Served,
    home: Home,
}

impl Product {
    fn new() -> Self {
        let home = Home::new();
        let served = home.serve();
        Product {
            runtime: Runtime::new().unwrap(),
            served,
            home,
        }
    }

    fn run(&self, code: &str, input: Value) -> Value {
        let params = ScriptParams {
            code: code.into(),
            input: Some(input),
            run: Option::None,
        };
        self.runtime
            .block_on(self.served.client.run_javascript(params))
            .unwrap()
            .value
    }

    /// Width and height as the PNG itself says.
    fn size_of(&self, file: &str) -> (u32, u32) {
        let bytes = std::fs::File::open(self.home.path().join("artifacts").join(file)).unwrap();
        let reader = png::Decoder::new(std::io::BufReader::new(bytes))
            .read_info()
            .unwrap();
        (reader.info().width, reader.info().height)
    }
}

fn runner() -> TestRunner {
    TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    })
}

/// JSON that JavaScript's numbers do not change.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

#[test]
fn property_1_the_picture_has_the_size_that_was_asked_for() {
    let product = Product::new();
    runner()
        .run(&(1_u32..600, 1_u32..600), |(width, height)| {
            let value = product.run(
                "const c = getCanvas(input.w, input.h); c.getContext('2d').fillRect(0, 0, 9, 9); return [c.width, c.height]",
                json!({"w": width, "h": height}),
            );
            prop_assert_eq!(&value["result"], &json!([width, height]));
            prop_assert_eq!(product.size_of(value["images"][0].as_str().unwrap()), (width, height));
            Ok(())
        })
        .unwrap();
}

#[test]
fn property_2_get_canvas_gives_one_object() {
    let product = Product::new();
    runner()
        .run(&(prop::collection::vec((1_u32..900, 1_u32..900), 1..8)), |sizes| {
            let value = product.run(
                "const all = input.map(([w, h]) => getCanvas(w, h)); const c = all[0];
                 return [all.every((x) => x === c && x.getContext('2d') === c.getContext('2d')), c.width, c.height]",
                json!(sizes),
            );
            prop_assert_eq!(&value["result"], &json!([true, sizes[0].0, sizes[0].1]));
            Ok(())
        })
        .unwrap();
}

#[test]
fn property_3_pictures_come_with_get_canvas_and_only_then() {
    let product = Product::new();
    runner()
        .run(
            &(any::<bool>(), any::<bool>(), any_json()),
            |(draws, other, value)| {
                let mut code = String::new();
                if other {
                    code.push_str("new OffscreenCanvas(5, 5).getContext('2d').fillRect(0, 0, 1, 1);");
                }
                if draws {
                    code.push_str("getCanvas(10, 10);");
                }
                code.push_str("return input");
                let answer = product.run(&code, value.clone());
                if draws {
                    prop_assert_eq!(&answer["result"], &value);
                    prop_assert_eq!(answer["images"].as_array().map(Vec::len), Some(1));
                    prop_assert_eq!(answer.as_object().unwrap().len(), 2);
                } else {
                    prop_assert_eq!(answer, value);
                }
                Ok(())
            },
        )
        .unwrap();
}

#[test]
fn property_4_scripts_without_a_canvas_are_plain_functions_of_their_input() {
    let product = Product::new();
    // Each script with what it must give, computed here: the canvas must not change any of it.
    let scripts: Vec<Script> = vec![
        ("return input", Value::clone),
        ("return [input, input]", |input| json!([input, input])),
        (
            "return await Promise.resolve({ v: input })",
            |input| json!({"v": input}),
        ),
        (
            "await new Promise((done) => setTimeout(done, 1)); return input",
            Value::clone,
        ),
        ("return JSON.parse(JSON.stringify(input))", Value::clone),
        ("return input === null ? 'none' : typeof input", |input| {
            json!(match input {
                Value::Null => "none",
                Value::Bool(_) => "boolean",
                Value::Number(_) => "number",
                Value::String(_) => "string",
                _ => "object",
            })
        }),
        ("const getCanvas = 5; return getCanvas", |_| json!(5)),
        ("", |_| Value::Null),
        ("return undefined", |_| Value::Null),
    ];
    runner()
        .run(&(0..scripts.len(), any_json()), |(which, input)| {
            let (code, expected) = scripts[which];
            prop_assert_eq!(product.run(code, input.clone()), expected(&input), "{}", code);
            Ok(())
        })
        .unwrap();
}

#[test]
fn failures_have_the_shapes_of_the_contract() {
    let product = Product::new();
    let error = |code: &str| product.run(code, Value::Null);
    let threw = error("\nthrow new TypeError('bad')");
    assert_eq!(
        (&threw["error"], &threw["message"]),
        (&json!("js_execution_failed"), &json!("TypeError: bad"))
    );
    assert_eq!(threw["line"], 2);
    assert!(threw["stack"].is_string() && threw["column"].is_number());
    let blocked = error("require('fs'); fetch('x')");
    assert_eq!(
        (&blocked["error"], &blocked["blocked"]),
        (&json!("blocked_code"), &json!(["fetch", "require"]))
    );
    assert_eq!(error(&" ".repeat(20_001))["error"], "code_too_large");
    assert_eq!(error("return () => 1")["error"], "non_json_serializable_return");
    assert_eq!(
        error("const a = {}; a.a = a; return a")["error"],
        "non_json_serializable_return"
    );
    assert_eq!(error("return 'x'.repeat(200001)")["error"], "result_too_large");
    assert_eq!(
        error("const all = []; for (;;) all.push(new Array(1e5).fill(1))")["error"],
        "memory_limit"
    );
    for size in ["0, 5", "5, 16385", "1.5, 5", "'a', 5", "null, 5", "NaN", "-1"] {
        let refused = error(&format!("getCanvas({size})"));
        assert_eq!(refused["error"], "js_execution_failed", "{size}");
        assert!(
            refused["message"].as_str().unwrap().starts_with("RangeError"),
            "{refused}"
        );
    }
    let params = ScriptParams {
        code: json!(5),
        input: None,
        run: Option::None,
    };
    let wrong = product
        .runtime
        .block_on(product.served.client.run_javascript(params))
        .unwrap();
    assert_eq!(
        (wrong.success, &wrong.value["error"]),
        (false, &json!("invalid_args"))
    );
    assert_eq!(
        product.run(
            "const c = getCanvas(undefined, undefined); return [c.width, c.height]",
            Value::Null
        )["result"],
        json!([800, 600])
    );

    // A script that fails exports nothing.
    let before = std::fs::read_dir(product.home.path().join("artifacts"))
        .unwrap()
        .count();
    error("getCanvas(5, 5); throw 1");
    error("getCanvas(5, 5); return 10n");
    assert_eq!(
        std::fs::read_dir(product.home.path().join("artifacts"))
            .unwrap()
            .count(),
        before
    );
}

#[test]
fn a_picture_is_kept_with_its_script_and_shown_by_a_signed_address_only() {
    let product = Product::new();
    let code =
        "// Two squares\nconst c = getCanvas(40, 30); c.getContext('2d').fillRect(0, 0, 20, 20); return 1";
    let value = product.run(code, Value::Null);
    let file = value["images"][0].as_str().unwrap().to_owned();
    let client = &product.served.client;
    let shown = product
        .runtime
        .block_on(client.artifact_show(ArtifactRef { id: file.clone() }))
        .unwrap();
    assert_eq!(
        (shown.code.as_str(), shown.row.title.as_str()),
        (code, "Two squares")
    );
    assert_eq!((shown.row.width, shown.row.height), (40, 30));

    let address = product.served.address().strip_prefix("http://").unwrap();
    let bytes = std::fs::read(product.home.path().join("artifacts").join(&file)).unwrap();
    assert_eq!(shown.row.size, bytes.len() as f64);
    let (status, body) = get(address, &shown.row.url);
    assert_eq!((status, body == bytes), (200, true));
    let bare = shown.row.url.split('?').next().unwrap();
    assert_eq!(get(address, bare).0, 401);
    assert_eq!(get(address, &shown.row.url.replace("sign=", "sign=00")).0, 401);
    let other = bare.replace(&shown.row.id, "11111111-2222-4333-8444-555555555555");
    assert_eq!(get(address, &shown.row.url.replace(bare, &other)).0, 401);

    let out = product.home.outside("out");
    let exported = product
        .home
        .pm(&["artifact", "export", &file, out.join("a.png").to_str().unwrap()]);
    assert!(exported.status.success());
    assert_eq!(std::fs::read(out.join("a.png")).unwrap(), bytes);
    assert!(product.home.pm(&["artifact", "remove", &file]).status.success());
    assert_eq!(
        product.home.pm(&["artifact", "show", &file]).status.code(),
        Some(1)
    );
    assert!(!Path::new(&product.home.path().join("artifacts").join(&file)).exists());
    let restored = product.home.pm(&["artifact", "restore", &file, "--json"]);
    assert!(restored.status.success());
    let row: Value = serde_json::from_slice(&restored.stdout).unwrap();
    assert_eq!(row["id"], shown.row.id);
    assert_eq!(
        std::fs::read(product.home.path().join("artifacts").join(&file)).unwrap(),
        bytes
    );
    let unknown = "11111111-2222-4333-8444-555555555555";
    let refused = product.home.pm(&["artifact", "restore", unknown]);
    assert_eq!(refused.status.code(), Some(1), "there is nothing to bring back");
}

/// A plain GET, as a browser's `<img>` makes it.
fn get(address: &str, path: &str) -> (u16, Vec<u8>) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, bytes[end + 4..].to_vec())
}
