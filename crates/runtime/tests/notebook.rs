//! Cells of a notebook in a real worker behind the real wall.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use runtime::host::{Notebook, RunError, ScriptLimits};
use runtime::protocol::{Cause, NotebookRun, Stretch};
use serde_json::{Value, json};
use std::time::Duration;
use support::{Heard, Home};
use tokio_util::sync::CancellationToken;

fn limits(seconds: u64) -> ScriptLimits {
    ScriptLimits {
        time: Duration::from_secs(seconds),
        heap: 64 << 20,
        canvas_pixels: 1_000_000,
        result_chars: 1000,
    }
}

async fn open(home: &Home) -> Notebook {
    home.host.notebook(&limits(10), &Heard::default()).await.unwrap()
}

async fn run(notebook: &mut Notebook, asked: NotebookRun) -> Result<Stretch, RunError> {
    let heard = Heard::default();
    Ok(notebook.run(&asked, CancellationToken::new(), &heard).await?.0)
}

/// Cell 0; each test that needs two says so.
async fn cell(notebook: &mut Notebook, code: &str) -> Result<Stretch, RunError> {
    run(notebook, of(0, code)).await
}

fn of(cell: u64, code: &str) -> NotebookRun {
    NotebookRun::Cell {
        cell,
        code: code.into(),
    }
}

async fn answer(notebook: &mut Notebook, question: u64, value: Value) -> Result<Stretch, RunError> {
    let cell = 0;
    run(
        notebook,
        NotebookRun::Answer {
            cell,
            question,
            value,
        },
    )
    .await
}

fn done(value: &str) -> Stretch {
    Stretch::Done { value: value.into() }
}

#[tokio::test]
async fn names_live_across_cells_and_cells_may_run_again() {
    let home = Home::new();
    let mut notebook = open(&home).await;
    for _ in 0..2 {
        assert_eq!(
            cell(&mut notebook, "const a = 20; let n = 1").await.unwrap(),
            done("")
        );
        assert_eq!(
            cell(
                &mut notebook,
                "class P { two() { return 2 } }\nfunction f(x) { return x + n }"
            )
            .await
            .unwrap(),
            done("")
        );
    }
    let value = cell(&mut notebook, "n += 1; f(a) + new P().two()").await.unwrap();
    assert_eq!(value, done("24"));
    assert_eq!(
        cell(&mut notebook, "const o = await Promise.resolve({n}); o")
            .await
            .unwrap(),
        done("{\"n\":2}")
    );
    assert_eq!(cell(&mut notebook, "return o.n").await.unwrap(), done("2"));
    assert_eq!(cell(&mut notebook, "10n").await.unwrap(), done("10"));
}

#[tokio::test]
async fn a_cell_that_asks_goes_on_with_the_answer() {
    let home = Home::new();
    let mut notebook = open(&home).await;
    let asked = cell(
        &mut notebook,
        "const name = input('Name?'); const age = await input('Age?', 'Bot'); name + age",
    );
    let input = |question: u64, hint: &str, from: &str| Stretch::Input {
        question,
        hint: hint.into(),
        from: from.into(),
    };
    assert_eq!(asked.await.unwrap(), input(1, "Name?", "User"));
    assert_eq!(
        answer(&mut notebook, 1, json!("Ada")).await.unwrap(),
        input(2, "Age?", "Bot")
    );
    assert_eq!(
        answer(&mut notebook, 2, json!("36")).await.unwrap(),
        done("Ada36")
    );
    // Nobody waits any more.
    let late = answer(&mut notebook, 2, json!("x")).await.unwrap_err();
    assert_eq!(late.guest().unwrap().cause, Cause::NeverSettles);
    assert_eq!(cell(&mut notebook, "name").await.unwrap(), done("Ada"));
}

#[tokio::test]
async fn tools_answer_or_fail_and_timers_go_on_beside() {
    let home = Home::new();
    let mut notebook = open(&home).await;
    let code = "let ticked = 0; setTimeout(() => ticked++, 20);
        const [a, b] = await Promise.allSettled([tool('x', {p: 1}), tool('y')]);
        [a.value.r, b.reason.code, b.reason.message, ticked]";
    let asked = cell(&mut notebook, code).await.unwrap();
    let tool = |question: u64, name: &str, params: Value| Stretch::Tool {
        question,
        name: name.into(),
        params,
    };
    assert_eq!(asked, tool(1, "x", json!({"p": 1})));
    assert_eq!(
        answer(&mut notebook, 1, json!({"r": 5})).await.unwrap(),
        tool(2, "y", json!({}))
    );
    let refused = NotebookRun::Refuse {
        cell: 0,
        question: 2,
        code: "nope".into(),
        message: "no".into(),
    };
    let value = run(&mut notebook, refused).await.unwrap();
    assert_eq!(value, done("[5,\"nope\",\"no\",1]"));
}

#[tokio::test]
async fn cells_wait_beside_each_other() {
    let home = Home::new();
    let mut notebook = open(&home).await;
    run(
        &mut notebook,
        of(7, "let n = 1; const a = input('a'); n += 10; a + n"),
    )
    .await
    .unwrap();
    let asked = run(
        &mut notebook,
        of(8, "n += 100; tool('never'); const b = input('b'); b + n"),
    )
    .await
    .unwrap();
    assert!(matches!(asked, Stretch::Tool { question: 2, .. }), "{asked:?}");
    let answered = |cell, question, value: Value| NotebookRun::Answer {
        cell,
        question,
        value,
    };
    let asked = run(&mut notebook, answered(8, 2, json!(null))).await.unwrap();
    assert!(matches!(asked, Stretch::Input { question: 3, .. }), "{asked:?}");
    assert_eq!(
        run(&mut notebook, answered(7, 1, json!("x"))).await.unwrap(),
        done("x111")
    );
    assert_eq!(
        run(&mut notebook, answered(8, 3, json!("y"))).await.unwrap(),
        done("y111")
    );
    // What a cell did not wait for is asked by no other.
    assert_eq!(cell(&mut notebook, "tool('x'); 1").await.unwrap(), done("1"));
    let failed = cell(&mut notebook, "await new Promise(() => {})")
        .await
        .unwrap_err();
    assert_eq!(failed.guest().unwrap().cause, Cause::NeverSettles);
}

#[tokio::test]
async fn print_is_heard_and_failures_leave_the_names() {
    let home = Home::new();
    let mut notebook = open(&home).await;
    let heard = Heard::default();
    let code = "const kept = 1; print('50%d', {a: 1}); print([1]); console.log('x %d', 2); nope()";
    let asked = of(0, code);
    let failed = notebook
        .run(&asked, CancellationToken::new(), &heard)
        .await
        .unwrap_err();
    assert_eq!(failed.guest().unwrap().name, "ReferenceError");
    assert_eq!(heard.lines(), ["Info 50%d { a: 1 }", "Info [ 1 ]", "Info x 2"]);
    for (code, cause) in [
        ("const = 1", Cause::Threw),
        ("require('fs')", Cause::BlockedCode),
        ("await new Promise(() => {})", Cause::NeverSettles),
        ("'x'.repeat(2000)", Cause::ResultTooLarge),
        (
            "tool('x', () => 1, 2); await tool('y', {toJSON() { throw 1 }})",
            Cause::Threw,
        ),
    ] {
        let failed = cell(&mut notebook, code).await.unwrap_err();
        assert_eq!(failed.guest().unwrap().cause, cause, "{code}");
    }
    assert_eq!(cell(&mut notebook, "kept").await.unwrap(), done("1"));
}

#[tokio::test]
async fn a_loop_ends_at_the_limit_and_the_names_stay() {
    let home = Home::new();
    let mut notebook = home.host.notebook(&limits(1), &Heard::default()).await.unwrap();
    cell(&mut notebook, "const kept = 1").await.unwrap();
    let failed = cell(&mut notebook, "for (;;);").await.unwrap_err();
    assert_eq!(failed.guest().unwrap().cause, Cause::TimeLimit);
    assert!(notebook.alive());
    assert_eq!(cell(&mut notebook, "kept").await.unwrap(), done("1"));
}

#[tokio::test]
async fn each_cell_has_its_own_picture() {
    let home = Home::new();
    let mut notebook = open(&home).await;
    let mut sizes = Vec::new();
    for code in [
        "getCanvas(20, 10).getContext('2d').fillRect(0, 0, 5, 5); 'a'",
        "'none'",
        "getCanvas(30, 10); getCanvas() === getCanvas()",
    ] {
        let asked = of(0, code);
        let (_, picture) = notebook
            .run(&asked, CancellationToken::new(), &Heard::default())
            .await
            .unwrap();
        sizes.push(picture.map(|picture| (picture.width, picture.height)));
    }
    assert_eq!(sizes, [Some((20, 10)), None, Some((30, 10))]);
}
