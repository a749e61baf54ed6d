//! Canvases as Markdown and as notebooks of Jupyter, and back.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use arena::convert::*;
use arena::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn cells(canvas: &Canvas) -> Vec<Cell> {
    canvas.cells().cloned().collect()
}

fn of(texts: &[(&str, u64, &str, Option<&str>, &str)]) -> Canvas {
    let entries = texts.iter().map(|(originator, seq, kind, context, text)| {
        let mut cell = Cell::new(*originator, *seq, CellType::of(kind));
        cell.execution_context = context.map(str::to_owned);
        cell.value = Some(arena::Value::plain(*text));
        Entry::Cell(Box::new(cell))
    });
    Canvas {
        attributes: Vec::new(),
        entries: entries.collect(),
    }
}

#[test]
fn markdown_of_anybody_is_read() {
    let text = "# Title\n\nSome words.\n\n```js\nprint(1)\n```\nMore\n```json\n{}\n```\n\n~~~~python\nx = '''\n~~~\n'''\n~~~~\n```bash\nls\n```\n";
    let read = cells(&from_markdown(text).canvas);
    let told: Vec<(String, &str, Option<&str>, &str)> = read
        .iter()
        .map(|cell| {
            (
                cell.id().to_string(),
                cell.kind.word(),
                cell.execution_context.as_deref(),
                cell.text(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("User:0".to_owned(), MARKDOWN, None, "# Title\n\nSome words."),
            ("User:1".to_owned(), "EXEC", Some("javascript"), "print(1)"),
            ("User:2".to_owned(), MARKDOWN, None, "More\n```json\n{}\n```"),
            ("User:3".to_owned(), "EXEC", Some("python"), "x = '''\n~~~\n'''"),
            ("User:4".to_owned(), "EXEC", Some("local_bash_shell"), "ls"),
        ]
    );
}

#[test]
fn markdown_reads_well() {
    let mut canvas = of(&[
        ("User", 0, MARKDOWN, None, "# Sums"),
        ("User", 1, "EXEC", Some("javascript"), "1 + 1"),
    ]);
    let mut output = Cell::new("Arena", 0, CellType::Output);
    output.depends_on = vec![CellId::new("User", 1)];
    output.value = Some(arena::Value::of(ValueType::Normal, "2"));
    canvas.entries.push(Entry::Cell(Box::new(output)));
    assert_eq!(
        to_markdown(&canvas),
        "# Sums\n\n```javascript {acp cell=\"User:1\" type=\"EXEC\" context=\"javascript\"}\n1 + 1\n```\n\n\
         ```text {acp cell=\"Arena:0\" type=\"OUTPUT\" depends_on=\"User:1\"}\n2\n```\n"
    );
}

#[test]
fn a_notebook_of_jupyter_is_read() {
    let text = r##"{"nbformat": 4, "nbformat_minor": 2, "metadata": {"kernelspec": {"name": "python3", "language": "python"}}, "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# T\n", "x"]},
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "print(1)\n2", "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
            {"output_type": "execute_result", "data": {"text/plain": ["2"]}, "metadata": {}, "execution_count": 1}]},
        {"cell_type": "code", "metadata": {}, "source": [], "outputs": [{"output_type": "error", "ename": "NameError", "evalue": "x", "traceback": []}]}
    ]}"##;
    let read = cells(&from_ipynb(text).unwrap().canvas);
    let names: Vec<String> = read
        .iter()
        .map(|cell| format!("{} {}", cell.id(), cell.kind.word()))
        .collect();
    assert_eq!(
        names,
        [
            "User:0 MARKDOWN",
            "User:1 EXEC",
            "Arena:0 OUTPUT",
            "User:2 EXEC",
            "Arena:1 OUTPUT"
        ]
    );
    assert_eq!(read[1].execution_context.as_deref(), Some("python"));
    assert_eq!((read[2].stdout[0].text.as_str(), read[2].text()), ("1", "2"));
    assert_eq!(read[4].logs[0].message, "NameError: x");
    assert!(matches!(
        from_ipynb("{\"nbformat\": 3}"),
        Err(ConvertError::Format(3))
    ));
    assert!(matches!(from_ipynb("{}"), Err(ConvertError::NoCells)));
    assert!(matches!(from_ipynb("x"), Err(ConvertError::Json(_))));
}

#[test]
fn pictures_go_and_come_as_bytes() {
    let mut canvas = of(&[("User", 0, "EXEC", Some("javascript"), "draw()")]);
    let mut output = Cell::new("Arena", 0, CellType::Output);
    output.depends_on = vec![CellId::new("User", 0)];
    output.attributes = vec![(ARTIFACTS.to_owned(), "artifact:a artifact:gone".to_owned())];
    canvas.entries.push(Entry::Cell(Box::new(output)));
    let text = to_ipynb(&canvas, &|name| {
        (name == "artifact:a").then(|| "iVBORw0=".to_owned())
    });
    let imported = from_ipynb(&text).unwrap();
    assert_eq!(
        imported.pictures,
        [(CellId::new("Arena", 0), "iVBORw0=".to_owned())]
    );
    assert_eq!(cells(&imported.canvas).len(), 2);
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[ -~]{0,8}",
        1 => "[\\PC]{0,4}",
        2 => prop::sample::select(vec!["\n", "\n```\n", "````", "~~~", "\n~~~js\n", "{acp cell=\"a:0\"}", "\r\n", "<!-- acp:text -->", "=\"", "%20"])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["User", "Arena", "My Bot", "a:b", "%"]).prop_map(str::to_owned)
}

prop_compose! {
    fn cell()(
        pick in 0usize..4, originator in name(), text in text(), valued in any::<bool>(), context in prop::option::of(text()),
        stdout in prop::collection::vec(text(), 0..3), depends_on in prop::collection::vec((name(), 0u64..3), 0..3),
        target in prop::option::of(name()), hint in any::<bool>(),
    ) -> Cell {
        let kind = [CellType::Exec, CellType::Output, CellType::Input, CellType::Custom(MARKDOWN.into())][pick].clone();
        let mut cell = Cell::new(originator, 0, kind.clone());
        if pick == 3 {
            cell.originator = "User".into();
            cell.value = Some(arena::Value::plain(text));
            return cell;
        }
        cell.execution_context = context;
        cell.target_cognitor = target;
        cell.depends_on = depends_on.into_iter().map(|(name, seq)| CellId::new(name, seq)).collect();
        cell.value = match (pick, hint) {
            (1, true) => Some(arena::Value::of(ValueType::InputHint, text)),
            (1, false) => Some(arena::Value::of(ValueType::Normal, text)),
            _ => Some(arena::Value::plain(text)),
        };
        if pick == 1 {
            let lines = stdout.into_iter().enumerate();
            cell.stdout = lines.map(|(seq, text)| Stdout { seq: seq as u64, text, attributes: vec![] }).collect();
        } else if !valued {
            cell.value = None;
        }
        cell
    }
}

/// In their order, each originator counted.
fn canvas() -> impl Strategy<Value = Canvas> {
    prop::collection::vec(cell(), 0..6).prop_map(|cells| {
        let mut next = std::collections::HashMap::new();
        let entries = cells.into_iter().map(|mut cell| {
            let seq: &mut u64 = next.entry(cell.originator.clone()).or_default();
            cell.seq = *seq;
            *seq += 1;
            Entry::Cell(Box::new(cell))
        });
        Canvas {
            attributes: Vec::new(),
            entries: entries.collect(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, rng_seed: RngSeed::Fixed(10), ..ProptestConfig::default() })]

    #[test]
    fn markdown_comes_back_as_it_went(canvas in canvas()) {
        let text = to_markdown(&canvas);
        prop_assert_eq!(cells(&from_markdown(&text).canvas), cells(&canvas), "{}", text);
    }

    #[test]
    fn notebooks_come_back_as_they_went(canvas in canvas()) {
        let text = to_ipynb(&canvas, &|_| None);
        prop_assert_eq!(cells(&from_ipynb(&text).unwrap().canvas), cells(&canvas), "{}", text);
    }

    #[test]
    fn any_text_is_read(text in text()) {
        from_markdown(&text);
        let _ = from_ipynb(&text);
    }
}
