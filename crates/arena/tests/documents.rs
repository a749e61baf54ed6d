//! Documents as models and people write them, each with what the reader understands: the cells, and
//! what it repaired. `INSTA_UPDATE=always` writes the snapshots anew; read every difference.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use arena::*;

fn picture(text: &str) -> String {
    let reading = read(text, ARENA);
    let mut out = String::new();
    let show = |text: &str| format!("{text:?}");
    for part in &reading.document.parts {
        match part {
            Part::Prose(prose) => writeln!(out, "prose {}", show(prose)).unwrap(),
            Part::Canvas(canvas) => {
                writeln!(out, "canvas{}", attributes(&canvas.attributes)).unwrap();
                for entry in &canvas.entries {
                    picture_entry(&mut out, entry);
                }
            }
        }
    }
    for diagnostic in check(&reading) {
        writeln!(
            out,
            "! {}:{} {} {}",
            diagnostic.line,
            diagnostic.column,
            diagnostic.code.word(),
            diagnostic.subject
        )
        .unwrap();
    }
    let written = write(&reading.document);
    let again = read(&written, ARENA);
    assert_eq!(
        again.document, reading.document,
        "the canonical form reads otherwise:\n{written}"
    );
    let formatted = fmt(text, ARENA, base::Lang::En);
    assert_eq!(fmt(&formatted, ARENA, base::Lang::En), formatted);
    let settled = read(&formatted, ARENA);
    assert!(settled.inferences.is_empty());
    assert!(
        !check(&settled)
            .iter()
            .any(|found| found.code == Code::MissingArenaLog)
    );
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn attributes(attributes: &Attributes) -> String {
    attributes
        .iter()
        .map(|(name, value)| format!(" {name}={value:?}"))
        .collect()
}

fn picture_entry(out: &mut String, entry: &Entry) {
    match entry {
        Entry::Other(other) => writeln!(out, "  other {other:?}").unwrap(),
        Entry::ArenaLog(log) => {
            writeln!(out, "  ArenaLog{}", attributes(&log.attributes)).unwrap();
            log.logs.iter().for_each(|log| picture_log(out, log));
            log.unknown
                .iter()
                .for_each(|other| writeln!(out, "    unknown {other:?}").unwrap());
        }
        Entry::Cell(cell) => {
            write!(out, "  {} {}", cell.id(), cell.kind.word()).unwrap();
            for (word, value) in [
                ("->", &cell.target_cognitor),
                ("in", &cell.execution_context),
                ("for", &cell.requester),
            ] {
                if let Some(value) = value {
                    write!(out, " {word} {value}").unwrap();
                }
            }
            let needs: Vec<String> = cell.depends_on.iter().map(CellId::to_string).collect();
            if !needs.is_empty() {
                write!(out, " after {}", needs.join(", ")).unwrap();
            }
            writeln!(out, "{}", attributes(&cell.attributes)).unwrap();
            for value in cell.value.iter().chain(&cell.more_values) {
                let kind = value.kind.as_ref().map_or("", |kind| kind.word());
                writeln!(
                    out,
                    "    value {kind}{} {:?}",
                    attributes(&value.attributes),
                    value.text
                )
                .unwrap();
            }
            for line in &cell.stdout {
                writeln!(
                    out,
                    "    stdout {}{} {:?}",
                    line.seq,
                    attributes(&line.attributes),
                    line.text
                )
                .unwrap();
            }
            cell.logs.iter().for_each(|log| picture_log(out, log));
            for flag in &cell.flags {
                writeln!(out, "    flag {}{}", flag.value, attributes(&flag.attributes)).unwrap();
            }
            cell.unknown
                .iter()
                .for_each(|other| writeln!(out, "    unknown {other:?}").unwrap());
        }
    }
}

fn picture_log(out: &mut String, log: &Log) {
    writeln!(
        out,
        "    log {} {} {} {}{} {:?}",
        log.seq,
        log.originator.as_deref().unwrap_or("-"),
        log.level.as_ref().map_or("-", |level| level.word()),
        log.kind.as_ref().map_or("-", |kind| kind.word()),
        attributes(&log.attributes),
        log.message
    )
    .unwrap();
    log.unknown
        .iter()
        .for_each(|other| writeln!(out, "      unknown {other:?}").unwrap());
}

#[test]
fn documents_are_understood() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 60);
    let mut failed = Vec::new();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for path in paths {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            match std::panic::catch_unwind(|| picture(&text)) {
                Ok(picture) => insta::assert_snapshot!(name, picture),
                Err(_) => failed.push(name),
            }
        }
    });
    assert_eq!(failed, Vec::<String>::new());
}
