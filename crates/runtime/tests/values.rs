//! What comes out of a run, and what code finds in there that it is not given.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use runtime::protocol::Cause;
use serde_json::{Value, json};
use std::time::Duration;
use support::{Heard, Home};

/// What a script has beside the language.
const GIVEN: &[&str] = &[
    "AbortController",
    "AbortSignal",
    "Blob",
    "CanvasFilter",
    "CanvasGradient",
    "CanvasPattern",
    "CanvasRenderingContext2D",
    "CustomEvent",
    "DOMException",
    "DOMMatrix",
    "DOMMatrixReadOnly",
    "DOMPoint",
    "DOMPointReadOnly",
    "DOMQuad",
    "DOMRect",
    "DOMRectReadOnly",
    "Event",
    "EventTarget",
    "File",
    "FontFace",
    "HTMLCanvasElement",
    "HTMLImageElement",
    "Image",
    "ImageBitmap",
    "ImageData",
    "Intl",
    "OffscreenCanvas",
    "OffscreenCanvasRenderingContext2D",
    "Path2D",
    "Symbol(Symbol.toStringTag)",
    "TextCluster",
    "TextDecoder",
    "TextEncoder",
    "TextMetrics",
    "URL",
    "URLSearchParams",
    "WebKitCSSMatrix",
    "atob",
    "btoa",
    "clearInterval",
    "clearTimeout",
    "console",
    "createImageBitmap",
    "crypto",
    "document",
    "fonts",
    "getCanvas",
    "loadFont",
    "performance",
    "queueMicrotask",
    "setInterval",
    "setTimeout",
    "structuredClone",
];

async fn value_of(home: &Home, code: &str) -> Value {
    home.script(code)
        .await
        .unwrap_or_else(|error| panic!("{code}: {error:?}"))
        .value
}

#[tokio::test]
async fn text_that_was_cut_inside_a_character_comes_through() {
    let home = Home::new();
    assert_eq!(
        value_of(
            &home,
            r#"return ['a😀'.slice(0, 2), '\udc00x', '😀', '\\ud800', { '\ud800': 1 }]"#
        )
        .await,
        json!(["a\u{fffd}", "\u{fffd}x", "😀", "\\ud800", {"\u{fffd}": 1}])
    );
    let spec = home.tool(
        "cut",
        "export default { execute() { const half = '😀'.slice(0, 1); console.log(half); this.api.logger.info(half);
            this.api.progress(1, 1, half); this.api.storage.setItem('k', half); return [half, this.api.storage.getItem('k')] } }",
    );
    let heard = Heard::default();
    let value = home
        .run_for(&spec, json!({}), Duration::from_secs(20), &heard)
        .await
        .unwrap();
    assert_eq!(value, json!(["\u{fffd}", "\u{fffd}"]));
    assert_eq!(
        heard.lines(),
        [
            "Info \u{fffd}",
            "Info \u{fffd}",
            "Debug progress 1/Some(1.0) Some(\"\u{fffd}\")"
        ]
    );
}

#[tokio::test]
async fn results_may_be_nested_as_deep_as_is_said() {
    let home = Home::new();
    let nest = |levels: usize| {
        format!("let a = []; for (let n = 1; n < {levels}; n++) a = n % 2 ? {{a}} : [a]; return a")
    };
    let deep = value_of(&home, &nest(100)).await;
    assert!(deep.is_object());
    for levels in [101, 130, 5000] {
        let error = home.script(&nest(levels)).await.unwrap_err();
        let failure = error.guest().unwrap_or_else(|| panic!("{levels}: {error:?}"));
        assert_eq!(failure.cause, Cause::NotSerializable, "{levels}");
        assert!(
            failure.message.contains("100 levels"),
            "{levels}: {}",
            failure.message
        );
    }

    let spec = home.tool(
        "deep",
        &format!(
            "let calls = 0; export default {{ execute(p) {{ calls++; if (p.calls) return calls; {} }} }}",
            nest(130)
        ),
    );
    let error = home.run(&spec, json!({})).await.unwrap_err();
    assert_eq!(error.guest().unwrap().cause, Cause::NotSerializable);
    assert_eq!(
        home.run(&spec, json!({"calls": true})).await.unwrap(),
        json!(2),
        "the worker goes on"
    );
}

#[tokio::test]
async fn a_script_has_the_globals_it_is_told_of_and_no_others() {
    let home = Home::new();
    let code = "return Reflect.ownKeys(globalThis).map(String).sort().filter((name) => !/^(Object|Function|Array|String|Number|Boolean|Symbol|BigInt|Math|JSON|Reflect|Proxy|Promise|Date|RegExp|Iterator|Atomics|DataView|globalThis|NaN|Infinity|undefined|eval|parse(Int|Float)|is(NaN|Finite)|(en|de)codeURI(Component)?|(un)?escape|(Weak)?(Map|Set)|WeakRef|FinalizationRegistry|(Shared)?ArrayBuffer|\\w*Error|(Big)?(Ui|I)nt\\d+(Clamped)?Array|Float\\d+Array|(Async)?DisposableStack)$/.test(name))";
    assert_eq!(value_of(&home, code).await, json!(GIVEN));
}

#[tokio::test]
async fn a_script_reaches_no_modules() {
    let home = Home::new();
    for code in [
        "return globalThis[Symbol.for('pm.internal')] === undefined",
        "return Reflect.ownKeys(globalThis).every((key) => typeof key === 'string' || key === Symbol.toStringTag)",
        // Nothing that is given away by assigning or by looking up on what is shared.
        "let leak = []; for (const name of ['fireTimer', 'log', 'require', 'tool', 'stub', 'given'])
            Object.defineProperty(Object.prototype, name, { configurable: true, set() { leak.push(name) }, get() { leak.push(name) } });
         console.log('x'); await new Promise((r) => setTimeout(r, 1)); new TextEncoder().encode('x'); structuredClone({}); return leak.length === 0",
        // Code made from text is code like all other; the parser in front does not see it.
        "const make = (async () => {}).constructor;
         try { await make(\"return import('node:fs')\")(); return 'imported' } catch (error) { return error instanceof ReferenceError }",
    ] {
        assert_eq!(value_of(&home, code).await, json!(true), "{code}");
    }
    // Whoever is called from inside the Node layer sees in the stack who called.
    let callers = value_of(
        &home,
        "const seen = new Set();
         Error.prepareStackTrace = (error, sites) => { for (const site of sites) seen.add(site.getFunction()); return '' };
         const spied = [[Map.prototype, 'has'], [Map.prototype, 'get'], [Map.prototype, 'set'], [Object, 'assign'], [Object, 'defineProperty'],
            [String.prototype, 'startsWith'], [String.prototype, 'split'], [Array.prototype, 'map'], [Array.prototype, 'join']];
         const kept = new Map(spied.map(([owner]) => [owner, {}]));
         for (const [owner, name] of spied) kept.get(owner)[name] = owner[name];
         for (const [owner, name] of spied) {
            const original = owner[name];
            owner[name] = function (...given) { void new Error('').stack; return Reflect.apply(original, this, given) };
         }
         console.log('%o', { a: [new Map([[1, 2]])] }); console.count(); console.time('a'); console.timeEnd('a');
         await new Promise((resolve) => setTimeout(resolve, 1));
         structuredClone(new Map([[1, {}]])); new TextDecoder('utf-8').decode(new TextEncoder().encode('a')); crypto.randomUUID();
         queueMicrotask(() => {}); await null;
         (1.5).toLocaleString('de'); new Date(0).toLocaleString('fr'); 'a'.localeCompare('b', 'sv'); new Intl.PluralRules('en').select(1);
         for (const [owner, name] of spied) owner[name] = kept.get(owner)[name];
         const leads = (it) => { try { return typeof it('fs')?.readFileSync === 'function' } catch { return false } };
         return [...seen].filter((it) => typeof it === 'function').map((it) => (leads(it) ? `require by ${it.name}` : it.name))",
    )
    .await;
    let callers = callers.as_array().unwrap();
    assert!(!callers.is_empty(), "the spies saw something");
    for name in callers {
        let name = name.as_str().unwrap();
        assert!(!name.to_lowercase().contains("require"), "{callers:?}");
    }
}

#[tokio::test]
async fn a_tool_has_modules_but_not_what_they_share() {
    let home = Home::new();
    let spec = home.tool(
        "modules",
        "import path, { join } from 'node:path'; import common from './common.cjs'; import data from './data.json';
         export default { async execute() {
            const { readFileSync } = await import('fs');
            return [join('a', 'b'), path.join === join, common, data, typeof readFileSync,
                typeof globalThis[Symbol.for('pm.internal')], Object.keys(import.meta).sort()] } }",
    );
    let folder = &spec.load.folder;
    std::fs::write(
        folder.join("common.cjs"),
        "globalThis.order = 1; module.exports = { base: require('path').basename(__filename), data: require('./data') }",
    )
    .unwrap();
    std::fs::write(folder.join("data.json"), r#"{"n": 1}"#).unwrap();
    assert_eq!(
        home.run(&spec, json!({})).await.unwrap(),
        json!([
            "a/b",
            true,
            {"base": "common.cjs", "data": {"n": 1}},
            {"n": 1},
            "function",
            "undefined",
            ["dirname", "filename", "resolve", "url"]
        ])
    );
}

/// With `PM_WRITE_DOCS` set the page's list is written anew.
#[tokio::test]
async fn completion_knows_what_the_engine_has() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../ui/src/features/canvas/scratchpad/engineMembers.test.json"
    );
    let engine = value_of(&Home::new(), include_str!("fixtures/members.js")).await;
    if std::env::var_os("PM_WRITE_DOCS").is_some() {
        let text = serde_json::to_string_pretty(&engine).unwrap() + "\n";
        return std::fs::write(path, text).unwrap();
    }
    let listed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        listed == engine,
        "engineMembers.test.json: PM_WRITE_DOCS=1 cargo xtask test completion_knows"
    );
}
