//! The Node layer in real workers: what tools may import, and what they get.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::Home;

fn put(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// What a tool's `execute` gives that has these files beside it.
async fn run(files: &[(&str, &str)], main: &str) -> Value {
    let home = Home::new();
    let spec = home.tool("probe", main);
    put(&spec.load.folder, files);
    home.run(&spec, json!({})).await.unwrap()
}

#[tokio::test]
async fn modules_of_both_kinds_use_each_other() {
    let files = [
        (
            "node_modules/old/package.json",
            r#"{"name": "old", "main": "lib/main.js"}"#,
        ),
        (
            "node_modules/old/lib/main.js",
            "exports.who = typeof require + __dirname.split('/').pop(); exports.sloppy = (function () { return this !== undefined })();
             exports.main = require.main === module; exports.cached = Object.keys(require.cache).length;
             exports.twice = require('./cycle').seen; exports.esm = require('new').value; exports.data = require('./data.json').n;",
        ),
        (
            "node_modules/old/lib/cycle.js",
            "exports.seen = Object.keys(require('./main')).length > 0;",
        ),
        ("node_modules/old/lib/data.json", r#"{"n": 7}"#),
        (
            "node_modules/new/package.json",
            r#"{"type": "module", "exports": {"import": "./i.js", "default": "./i.js"}}"#,
        ),
        ("node_modules/new/i.js", "export const value = 'esm'; export default 1;"),
        ("typed.ts", "export enum_; type T = number;"),
        ("part.ts", "interface A { b: 1 }\nexport const typed: string = 'ts' as any;"),
    ];
    let value = run(
        &files,
        "import old, { who, esm } from 'old';
         import { value } from 'new';
         import data from './node_modules/old/lib/data.json' with { type: 'json' };
         import { typed } from './part.js';
         import { createRequire } from 'node:module';
         export default { async execute() {
             const require = createRequire(import.meta.url);
             const late = await import('new');
             let refused = '';
             try { require('new/hidden') } catch (error) { refused = error.code }
             let bad = '';
             try { await import('./typed.ts') } catch (error) { bad = error.name }
             return { who, esm, value, typed, n: data.n, sloppy: old.sloppy, main: old.main, twice: old.twice, same: require('old') === old,
                      late: late.default, refused, bad, url: import.meta.url.startsWith('file:///'), resolved: import.meta.resolve('new').endsWith('/new/i.js') };
         } }",
    )
    .await;
    assert_eq!(
        value,
        json!({"who": "functionlib", "esm": "esm", "value": "esm", "typed": "ts", "n": 7, "sloppy": true, "main": true,
               "twice": true, "same": true, "late": 1, "refused": "ERR_PACKAGE_PATH_NOT_EXPORTED", "bad": "SyntaxError",
               "url": true, "resolved": true})
    );
}

/// Stores of `AsyncLocalStorage` follow an `await`, and end with the run that set them.
#[tokio::test]
async fn a_store_is_kept_over_await_and_not_into_the_next_run() {
    let home = Home::new();
    let spec = home.tool(
        "probe",
        "import { AsyncLocalStorage } from 'async_hooks';
         const store = new AsyncLocalStorage();
         const late = () => new Promise((done) => setTimeout(done, 2));
         let runs = 0;
         export default { async execute() {
             const seen = [++runs, store.getStore() ?? null];
             const one = async (name) => { await late(); const first = store.getStore(); await null; return [first, store.getStore()]; };
             seen.push(...await Promise.all(['a', 'b'].map((name) => store.run(name, () => one(name)))));
             store.enterWith('left');
             setTimeout(() => {}, 60_000);
             await late();
             seen.push(store.getStore());
             return seen;
         } }",
    );
    for run in [1, 2] {
        let value = home.run(&spec, json!({})).await.unwrap();
        assert_eq!(value, json!([run, null, ["a", "a"], ["b", "b"], "left"]));
    }
}

/// Listening to promises takes nothing from those whose rejection nobody handles.
#[tokio::test]
async fn a_lost_rejection_ends_the_run_where_stores_are_kept_too() {
    for lost in [
        "Promise.resolve(Promise.reject(new Error('lost')))",
        "(async () => { await null; throw new Error('lost'); })()",
        "Promise.resolve(late().then(() => { throw new Error('lost'); }))",
        "late().finally(() => { throw new Error('lost'); })",
    ] {
        let home = Home::new();
        let spec = home.tool(
            "probe",
            &format!(
                "import {{ AsyncLocalStorage }} from 'async_hooks';
                 const late = () => new Promise((done) => setTimeout(done, 2));
                 export default {{ async execute() {{
                     new AsyncLocalStorage().run(1, () => void {lost});
                     await new Promise((done) => setTimeout(done, 50));
                     return 'not reached';
                 }} }}"
            ),
        );
        let failure = home.run(&spec, json!({})).await.unwrap_err();
        assert!(format!("{failure:?}").contains("lost"), "{lost}: {failure:?}");
    }
}

/// The parsers' stack is not what ends a worker.
#[tokio::test]
async fn code_that_is_nested_too_deeply_is_an_error() {
    let [open, close] = ["[", "]"].map(|one| one.repeat(100_000));
    let typed = format!("export const a: any = {open}{close};");
    let common = format!("exports.a = {open}{close}; // import");
    let sum = format!("export const a = {}1;", "1 + ".repeat(100_000));
    let files = [
        ("typed.ts", typed.as_str()),
        ("common.cjs", common.as_str()),
        ("sum.ts", sum.as_str()),
    ];
    let value = run(
        &files,
        "export default { async execute() {
             const said = [];
             for (const file of ['./typed.ts', './common.cjs', './sum.ts']) {
                 try { await import(file); said.push('imported') } catch (error) { said.push(error.name + ': ' + error.message.split(': ').pop()) }
             }
             return said;
         } }",
    )
    .await;
    let types = "SyntaxError: the code is nested too deeply to leave its types out";
    let stack = "RangeError: Maximum call stack size exceeded";
    assert_eq!(value, json!([types, stack, types]));
}

#[tokio::test]
async fn modules_do_what_node_does() {
    // Those of format, inspect, pbkdf2 and HMAC were printed by Node 20.
    let value = run(
        &[],
        "import util from 'util'; import qs from 'querystring'; import url from 'url'; import assert from 'assert'; import crypto from 'crypto';
         import zlib from 'zlib'; import { StringDecoder } from 'string_decoder'; import EventEmitter, { once } from 'events';
         import { pipeline } from 'stream/promises'; import { Readable, Transform } from 'stream'; import { AsyncLocalStorage } from 'async_hooks';
         export default { async execute() {
             const order = [];
             await new Promise((done) => {
                 setTimeout(() => { order.push('timeout'); done(); }, 5);
                 setImmediate(() => { Promise.resolve().then(() => order.push('micro')); process.nextTick(() => order.push('tick')); });
             });
             const emitter = new EventEmitter();
             setImmediate(() => emitter.emit('x', 1, 2));
             const seen = await once(emitter, 'x');
             let piped = '';
             await pipeline(Readable.from(['a', 'b']), new Transform({ transform(c, e, cb) { cb(null, String(c).toUpperCase()) } }),
                 async function (source) { for await (const part of source) piped += part; });
             const decoder = new StringDecoder();
             const store = new AsyncLocalStorage();
             const kept = await store.run(5, () => new Promise((done) => setTimeout(() => Promise.resolve().then(() => done(store.getStore())))));
             let failed;
             try { assert.deepStrictEqual({ a: 1 }, { a: 2 }) } catch (error) { failed = error.code }
             return {
                 order, seen, piped, kept, failed,
                 format: util.format('%s %d %j %o', 'a', 1.5, { b: 1 }, [1]),
                 inspect: util.inspect({ a: new Map([[1, { b: [1, 2] }]]), c: Buffer.from('hi') }),
                 query: qs.stringify({ a: ['1', 'ü'], b: 'x y' }),
                 url: new URL('../x?q=1#h', 'https://u:p@Example.com:443/a/b/c').href,
                 old: url.parse('http://h:80/p?q=1#f').port,
                 hash: crypto.createHash('sha256').update('abc').digest('hex').slice(0, 16),
                 hmac: crypto.createHmac('md5', 'key').update('abc').digest('hex'),
                 key: crypto.pbkdf2Sync('p', 's', 2, 8, 'sha1').toString('hex'),
                 zip: zlib.gunzipSync(zlib.gzipSync('hello')).toString(),
                 decoded: decoder.write(Buffer.from([0xe4, 0xbd])) + decoder.write(Buffer.from([0xa0])),
                 chinese: new TextDecoder('gb18030').decode(Uint8Array.of(0xc4, 0xe3)),
                 head: new Error('boo').stack.split('\\n')[0],
             };
         } }",
    )
    .await;
    assert_eq!(
        value,
        json!({
            "order": ["tick", "micro", "timeout"], "seen": [1, 2], "piped": "AB", "kept": 5, "failed": "ERR_ASSERTION",
            "format": "a 1.5 {\"b\":1} [ 1, [length]: 1 ]",
            "inspect": "{ a: Map(1) { 1 => { b: [Array] } }, c: <Buffer 68 69> }",
            "query": "a=1&a=%C3%BC&b=x%20y", "url": "https://u:p@example.com/a/x?q=1#h", "old": "80",
            "hash": "ba7816bf8f01cfea", "hmac": "d2fe98063f876b03193afb49b4979591", "key": "ea4b66d4030c711f",
            "zip": "hello", "decoded": "你", "chinese": "你", "head": "Error: boo"
        })
    );
}

/// The engine aborts when a module is evaluated inside the evaluation of one that it leads back to.
#[tokio::test]
async fn requiring_a_module_that_is_being_evaluated_is_an_error() {
    let files = [
        // From CommonJS, back into the module that imports it.
        (
            "a.mjs",
            "import b from './b.cjs'; export const a = 1; export default b;",
        ),
        (
            "b.cjs",
            "try { exports.said = require('./a.mjs').a } catch (error) { exports.said = error.code }",
        ),
        // By way of a module that was not there before.
        (
            "c.mjs",
            "import d from './d.cjs'; export const c = 1; export default d;",
        ),
        (
            "d.cjs",
            "try { exports.said = require('./e.mjs').e } catch (error) { exports.said = error.code }
             exports.later = () => require('./e.mjs').e;",
        ),
        (
            "e.mjs",
            "import { c } from './c.mjs'; export const e = () => c + 1;",
        ),
        // Itself, and by a `require` that another file made.
        (
            "f.mjs",
            "import { make } from './make.mjs'; export let said; export const f = 1;
             try { said = make('./f.mjs').f } catch (error) { said = error.code }",
        ),
        (
            "make.mjs",
            "import { createRequire } from 'module'; export const make = createRequire(import.meta.url);",
        ),
        // In a cycle of modules, of which one has been evaluated.
        (
            "g.mjs",
            "import './h.mjs'; import i from './i.cjs'; export const g = 1; export default i;",
        ),
        ("h.mjs", "import { g } from './g.mjs'; export const h = () => g;"),
        (
            "i.cjs",
            "try { exports.said = require('./h.mjs').h } catch (error) { exports.said = error.code }",
        ),
        // No cycle: what is imported later may be required sooner.
        (
            "j.mjs",
            "import k from './k.cjs'; import { l } from './l.mjs'; export default [k.l, l];",
        ),
        ("k.cjs", "exports.l = require('./l.mjs').l;"),
        (
            "l.mjs",
            "globalThis.evaluated = (globalThis.evaluated ?? 0) + 1; export const l = 'l' + evaluated;",
        ),
        // In a module that an `import()` evaluates.
        ("n.mjs", "import b from './o.cjs'; export default b;"),
        (
            "o.cjs",
            "try { exports.said = require('./n.mjs') } catch (error) { exports.said = error.code }",
        ),
        // A module that is there, which imports the tool: nothing is being evaluated any more.
        (
            "p.mjs",
            "import tool from './probe.tool.js'; export const p = typeof tool.execute;",
        ),
    ];
    let value = run(
        &files,
        "import b from './a.mjs'; import d from './c.mjs'; import { said } from './f.mjs'; import i from './g.mjs'; import j from './j.mjs';
         import { createRequire } from 'module'; const require = createRequire(import.meta.url);
         let own; try { require('./p.mjs') } catch (error) { own = error.code }
         export default { async execute() {
            return [b.said, d.said, d.later()(), said, i.said, j, (await import('./n.mjs')).default.said, own, require('./p.mjs').p] } }",
    )
    .await;
    let cycle = "ERR_REQUIRE_CYCLE_MODULE";
    assert_eq!(
        value,
        json!([
            cycle,
            cycle,
            2,
            cycle,
            cycle,
            ["l1", "l1"],
            cycle,
            cycle,
            "function"
        ])
    );
}

#[tokio::test]
async fn timers_are_put_off_and_given_up() {
    let value = run(
        &[],
        "export default { async execute() {
             const order = [];
             const late = setTimeout(() => order.push('late'), 30);
             setTimeout(() => late.refresh(), 20);
             setTimeout(() => order.push('forty'), 40);
             clearTimeout(setTimeout(() => order.push('cleared'), 10));
             await new Promise((done) => setTimeout(done, 90));
             late.refresh();
             await new Promise((done) => setTimeout(done, 40));
             return order;
         } }",
    )
    .await;
    assert_eq!(value, json!(["forty", "late", "late"]));
    // Neither keeps a run open that waits for nothing else.
    let home = Home::new();
    let body = "export default { execute() {
        clearTimeout(setTimeout(() => {}, 60_000));
        setTimeout(() => {}, 60_000).unref();
        return new Promise(() => {});
    } }";
    let spec = home.tool("idle", body);
    let error = home.run(&spec, json!({})).await.unwrap_err();
    let cause = error.guest().map(|failure| failure.cause);
    assert_eq!(cause, Some(runtime::protocol::Cause::NeverSettles), "{error:?}");
}

#[tokio::test]
async fn tools_draw_with_the_module_canvas_and_see_no_document() {
    let value = run(
        &[],
        "import { createCanvas, loadImage, Path2D, ImageData } from 'canvas';
         export default { async execute() {
             const canvas = createCanvas(40, 30), ctx = canvas.getContext('2d');
             ctx.fillStyle = '#c00'; ctx.fill(new Path2D('M0 0h20v30h-20z'));
             const png = canvas.toBuffer('image/png');
             const again = await loadImage(png);
             const other = createCanvas(again.width, again.height).getContext('2d');
             other.drawImage(again, 0, 0);
             return {
                 red: [...other.getImageData(5, 5, 1, 1).data], clear: other.getImageData(30, 5, 1, 1).data[3],
                 magic: png.subarray(1, 4).toString(), url: canvas.toDataURL('image/jpeg').slice(0, 15),
                 globals: [typeof document, typeof Image, typeof getCanvas, typeof Path2D],
                 missing: await loadImage('/nonexistent.png').catch((error) => error.name),
                 large: (() => { try { createCanvas(9000, 9000); } catch (error) { return error.name; } })(),
                 same: ctx.createImageData(1, 1) instanceof ImageData,
                 svg: (() => {
                     const vector = createCanvas(8, 6, 'svg');
                     vector.getContext('2d').fillRect(1, 1, 2, 2);
                     return vector.toBuffer().toString().slice(0, 4);
                 })(),
                 pdf: (() => { try { createCanvas(8, 6, 'pdf'); } catch (error) { return error.name; } })(),
             };
         } };",
    )
    .await;
    assert_eq!(
        value,
        json!({
            "red": [204, 0, 0, 255], "clear": 0, "magic": "PNG", "url": "data:image/jpeg",
            "svg": "<svg", "pdf": "TypeError",
            "globals": ["undefined", "undefined", "undefined", "function"],
            "missing": value["missing"], "large": "RangeError", "same": true,
        })
    );
    assert!(value["missing"].is_string());
}
