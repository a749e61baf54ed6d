//! WebAssembly in a worker: what differential cases (`tests/js`) cannot see. Limits are in `hostile/`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use runtime::host::RunError;
use runtime::protocol::Cause;
use serde_json::json;
use std::time::Duration;
use support::{Heard, Home};

/// `f(i32) -> i32`: traps where it is given 0, and divides 100 else. `m` is a memory of a page.
const DIVIDE: &str =
    "Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 5, 3, 1, 0, 1,
    7, 9, 2, 1, 102, 0, 0, 1, 109, 2, 0, 10, 10, 1, 8, 0, 65, 228, 0, 32, 0, 109, 11])";

#[tokio::test]
async fn a_trap_is_a_runtime_error_with_the_tools_stack() {
    let home = Home::new();
    let source = format!(
        "const {{ instance }} = await WebAssembly.instantiate({DIVIDE});
const divide = (by) => instance.exports.f(by);
export default {{ execute({{ by }}) {{ return divide(by) }} }}"
    );
    let spec = home.tool("divide", &source);
    assert_eq!(home.run(&spec, json!({"by": 7})).await.unwrap(), json!(14));
    let error = home.run(&spec, json!({"by": 0})).await.unwrap_err();
    let RunError::Failed(failure) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(failure.message, "divide by zero");
    let first = failure.stack.trim_start().lines().next().unwrap();
    let own = first.starts_with("at divide (") && first.contains("divide.tool.js:3:");
    assert!(own, "{}", failure.stack);
}

#[tokio::test]
async fn memories_and_code_go_with_their_instances() {
    let home = Home::new();
    // Each instance has a page of 64 KiB and sees itself through what it imports: 400 MiB in all runs.
    let source = format!(
        "const bytes = {DIVIDE};
export default {{ async execute({{ count }}) {{
  let sum = 0;
  for (let n = 0; n < count; n++) {{
    const {{ instance }} = await WebAssembly.instantiate(bytes);
    const view = new Uint8Array(instance.exports.m.buffer);
    instance.self = {{ instance, view }};
    view.fill(n);
    sum += instance.exports.f(100) + (view[5] === (n & 255) ? 0 : 1);
  }}
  return sum;
}} }}"
    );
    let mut spec = home.tool("many", &source);
    spec.load.heap = 64 << 20;
    for _ in 0..8 {
        assert_eq!(home.run(&spec, json!({"count": 800})).await.unwrap(), json!(800));
    }
}

#[tokio::test]
async fn memory_counts_into_the_tools() {
    let home = Home::new();
    let mut spec = home.tool(
        "grows",
        "export default { execute({ pages }) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  try { memory.grow(pages) } catch (error) { return error.name }
  return memory.buffer.byteLength;
} }",
    );
    spec.load.heap = 64 << 20;
    assert_eq!(
        home.run(&spec, json!({"pages": 100})).await.unwrap(),
        json!(101 << 16)
    );
    assert_eq!(
        home.run(&spec, json!({"pages": 1000})).await.unwrap(),
        json!("RangeError")
    );
}

#[tokio::test]
async fn scripts_have_none() {
    let home = Home::new();
    let finished = home.script("return typeof globalThis.WebAssembly").await.unwrap();
    assert_eq!(finished.value, json!("undefined"));
}

#[tokio::test]
async fn a_call_inside_a_start_function_leaves_it_its_fuel() {
    let home = Home::new();
    // The start function calls `f`, which calls the function in the table's place 0 (of the same store), and
    // counts then to three million.
    let spec = home.tool(
        "start",
        "const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0,
    2, 15, 2, 1, 101, 1, 102, 0, 0, 1, 101, 1, 116, 1, 112, 0, 1, 3, 3, 2, 0, 0, 8, 1, 1, 9, 7, 1, 0, 65, 0, 11, 1, 2,
    10, 30, 2, 25, 1, 1, 127, 16, 0, 65, 192, 141, 183, 1, 33, 0, 3, 64, 32, 0, 65, 1, 107, 34, 0, 13, 0, 11, 11, 2, 0, 11]);
export default { execute() {
  const t = new WebAssembly.Table({ element: 'anyfunc', initial: 1 });
  let called = 0;
  const f = () => { t.get(0)(); called++ };
  new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { t, f } });
  return called;
} }",
    );
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!(1));
}

#[tokio::test]
async fn a_start_function_without_an_end_costs_its_run_alone() {
    let home = Home::new();
    let spec = home.tool(
        "endless",
        "let runs = 0;
const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 8, 1, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]);
export default { execute({ loop }) { runs++; if (loop) new WebAssembly.Instance(new WebAssembly.Module(bytes)); return runs } }",
    );
    let ended = home
        .run_for(
            &spec,
            json!({"loop": true}),
            Duration::from_millis(300),
            &Heard::default(),
        )
        .await;
    assert!(
        matches!(&ended, Err(RunError::Failed(failure)) if failure.cause == Cause::TimeLimit),
        "{ended:?}"
    );
    assert_eq!(
        home.run(&spec, json!({})).await.unwrap(),
        json!(2),
        "its state is still there"
    );
}
