//! What holds for every text: reading never fails and loses nothing, writing is exact, growing is reading.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use arena::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases everywhere: what fails here fails for everybody. To look further, change it.
const SEED: u64 = 10;

/// Text as it stands in values: code, markup, the marks of the format itself.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{0,12}",
        2 => "[\\PC]{0,6}",
        1 => Just("\n".to_owned()),
        1 => Just("\r\n\t ".to_owned()),
        3 => prop::sample::select(vec![
            "</value>", "<value>", "<value type=\"x\">", "</Cell>", "<Cell originator=\"a\" seq=\"1\">", "<![CDATA[", "]]>", "]]", ">",
            "<Canvas>", "</Canvas>", "<stdout>", "</stdout>", "</message>", "<message>", "<log>", "</log>", "<!--", "-->",
            "&lt;", "&amp;", "&", "&&", "a < b", "Vec<String>", "```", "\n```\n", "<ArenaLog>", "<flag value=\"x\"/>",
            "</value>\n</Cell>\n", "<cell originator=\"u\" seq=\"0\"/>", "\"", "'", "=", "<log_entry_type value=\"x\"/>",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("User".to_owned()),
        Just("Arena".to_owned()),
        Just("Gemini".to_owned()),
        "[a-z]{1,4}",
        "\\PC{1,5}"
    ]
    .prop_filter("an empty name is none", |name| !name.is_empty())
}

fn attributes() -> impl Strategy<Value = Attributes> {
    prop::collection::vec(("x[a-z]{1,5}", text()), 0..2)
}

fn unknown() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop_oneof![
            Just("<!-- a <b> c -->".to_owned()),
            Just("<metadata>x</metadata>".to_owned()),
            Just("<note kind=\"a\"/>".to_owned()),
        ],
        0..2,
    )
    // Strays in a row are read as one.
    .prop_filter("no two in a row", |all| {
        all.len() < 2 || all.iter().any(|one| one.starts_with("<!--"))
    })
}

fn log() -> impl Strategy<Value = Log> {
    (
        prop::option::of(name()),
        0u64..9,
        text(),
        attributes(),
        unknown(),
        (0usize..9, attributes(), attributes()),
    )
        .prop_map(
            |(originator, seq, message, attributes, unknown, (pick, of_message, of_kind))| Log {
                originator,
                level: [
                    None,
                    Some(Level::Info),
                    Some(Level::Warn),
                    Some(Level::Other("x y".into())),
                ][pick % 4]
                    .clone(),
                seq,
                message,
                kind: [
                    None,
                    Some(EntryType::Inference),
                    Some(EntryType::Other("mine".into())),
                ][pick % 3]
                    .clone(),
                attributes,
                message_attributes: of_message,
                // Without a type there is no element that could say it.
                kind_attributes: if pick % 3 == 0 { Vec::new() } else { of_kind },
                unknown,
            },
        )
}

fn value() -> impl Strategy<Value = arena::Value> {
    (text(), 0usize..4, attributes()).prop_map(|(text, pick, attributes)| arena::Value {
        text,
        kind: [
            None,
            Some(ValueType::Normal),
            Some(ValueType::InputHint),
            Some(ValueType::Other("a\"b".into())),
        ][pick]
            .clone(),
        attributes,
    })
}

prop_compose! {
    fn cell()(
        originator in name(), seq in any::<u64>(), pick in 0usize..4, target in prop::option::of(name()),
        context in prop::option::of(name()), requester in prop::option::of(name()),
        depends_on in prop::collection::vec((name(), 0u64..9), 0..3), value in prop::option::of(value()),
        stdout in prop::collection::vec((0u64..5, text(), attributes()), 0..3),
        logs in prop::collection::vec(log(), 0..2), attributes in attributes(), unknown in unknown(),
        flags in prop::collection::vec("[A-Za-z_]{1,8}", 0..2), more in any::<bool>(), besides in (attributes(), attributes()),
    ) -> Cell {
        let mut cell = Cell::new(originator, seq, [CellType::Exec, CellType::Output, CellType::Input, CellType::Custom("图 表".into())][pick].clone());
        cell.target_cognitor = target;
        cell.execution_context = context;
        cell.requester = requester;
        cell.depends_on = depends_on.into_iter().map(|(name, seq)| CellId::new(name, seq)).collect();
        cell.depends_attributes = besides.0;
        if let (Some(first), false) = (cell.depends_on.first(), besides.1.is_empty()) {
            cell.reference_attributes = vec![(first.clone(), besides.1)];
        }
        if more && value.is_some() { cell.more_values = vec![arena::Value::plain("second </value>")]; }
        cell.value = value;
        cell.stdout = stdout.into_iter().map(|(seq, text, attributes)| Stdout { seq, text, attributes }).collect();
        cell.logs = logs;
        cell.flags = flags.into_iter().filter(|flag| flag != "WAIT").map(Flag::new).collect();
        cell.attributes = attributes;
        cell.unknown = unknown;
        cell
    }
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        4 => cell().prop_map(|cell| Entry::Cell(Box::new(cell))),
        2 => (attributes(), prop::collection::vec(log(), 0..3), unknown())
            .prop_map(|(attributes, logs, unknown)| Entry::ArenaLog(ArenaLog { attributes, logs, unknown })),
        1 => Just(Entry::Other("<!-- between -->".into())),
    ]
}

fn document() -> impl Strategy<Value = Document> {
    let canvas = (attributes(), prop::collection::vec(entry(), 0..4))
        .prop_map(|(attributes, entries)| Part::Canvas(Canvas { attributes, entries }));
    prop::collection::vec((prop::option::of("[a-z`# \n]{0,6}说明\n"), canvas), 0..3).prop_map(|pairs| {
        Document {
            parts: pairs
                .into_iter()
                .flat_map(|(prose, canvas)| prose.map(Part::Prose).into_iter().chain([canvas]))
                .collect(),
        }
    })
}

/// Canvases that were damaged: cut, joined, with marks of the format thrown in.
fn damaged() -> impl Strategy<Value = String> {
    (
        document(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        text(),
    )
        .prop_map(|(document, from, to, text)| {
            let written = write(&document);
            let boundary = |index: prop::sample::Index| {
                let mut at = index.index(written.len() + 1);
                while !written.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let (a, b) = (boundary(from), boundary(to));
            format!("{}{text}{}", &written[..a.min(b)], &written[a.max(b)..])
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, rng_seed: RngSeed::Fixed(SEED), ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(document in document()) {
        let written = write(&document);
        let reading = read(&written, ARENA);
        prop_assert_eq!(&reading.document, &document, "{}", written);
        prop_assert_eq!(write(&reading.document), written);
        prop_assert!(reading.diagnostics.iter().all(|d| matches!(d.code, Code::UnknownElement | Code::UnknownAttribute)), "{:?}", reading.diagnostics);
    }

    #[test]
    fn any_text_is_read_and_its_canonical_form_stands(text in damaged()) {
        let once = write(&read(&text, ARENA).document);
        let again = read(&once, ARENA);
        prop_assert_eq!(write(&again.document), once);
    }

    #[test]
    fn a_value_that_is_not_escaped_keeps_every_byte(text in text().prop_filter("the marks of the cell's own end", |text| {
        !["</value", "<value", "<Cell", "</Cell", "CDATA", "<Canvas", "</Canvas"].iter().any(|mark| text.contains(mark)) && !text.contains('&')
    })) {
        let written = format!("<Canvas>\n<Cell originator=\"User\" seq=\"0\" type=\"EXEC\">\n<value>{text}</value>\n</Cell>\n</Canvas>");
        let reading = read(&written, ARENA);
        let cell = reading.document.canvases().next().and_then(|canvas| canvas.cells().next()).expect("a cell");
        prop_assert_eq!(cell.text(), text);
    }

    #[test]
    fn growing_by_any_pieces_is_reading_the_whole(text in damaged(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        places.push(text.len());
        places.sort_unstable();
        let mut growing = Growing::new(ARENA);
        let mut from = 0;
        for to in places {
            growing.append(&text[from..to]);
            from = to;
            let (grown, whole) = (growing.reading(), read(&text[..to], ARENA));
            prop_assert_eq!(grown.diagnostics, whole.diagnostics);
            prop_assert_eq!(grown.places, whole.places);
            prop_assert_eq!(grown.inferences, whole.inferences);
            prop_assert_eq!(grown.document, whole.document);
        }
    }
}

#[test]
fn a_large_document_is_read_and_grows_by_its_tail_alone() {
    let piece = |number: usize| {
        format!(
            "<Cell originator=\"User\" seq=\"{number}\" type=\"EXEC\">\n<value>if a < {number} && b: print(\"</value>\")\n{}</value>\n</Cell>\n",
            "x = [i for i in range(10)]\n".repeat(4)
        )
    };
    let mut growing = Growing::new(ARENA);
    growing.append("<Canvas>\n");
    let mut text = "<Canvas>\n".to_owned();
    let mut most = 0;
    for number in 0..50_000 {
        let piece = piece(number);
        growing.append(&piece);
        text.push_str(&piece);
        most = most.max(growing.open_bytes());
    }
    assert!(most < 1000, "the open tail grew to {most} bytes");
    let begun = std::time::Instant::now();
    let reading = read(&text, ARENA);
    println!("{} bytes, 50000 cells: {:?}", text.len(), begun.elapsed());
    assert_eq!(
        reading
            .document
            .canvases()
            .next()
            .map(|canvas| canvas.cells().count()),
        Some(50_000)
    );
    // The last one can still change: what follows an end tag says whether it is one.
    assert_eq!(
        growing
            .settled()
            .canvases()
            .next()
            .map(|canvas| canvas.cells().count()),
        Some(49_999)
    );
    assert_eq!(growing.reading(), reading);
}

/// Each of these makes a reader that searches ahead look at the rest again and again; such a reader
/// does not come to the end of them.
#[test]
fn hostile_repetition_stays_linear() {
    for piece in [
        "<Cell><value>",
        "<Cell><value></Cell>z",
        "<Cell><value><value></Cell>z",
        "<value><![CDATA[",
        "<Cell><value><![CDATA[x</value></Cell>",
        "<!--",
        "<!-- <Cell>",
        "<b",
        "<x>",
        "<Cell a=“",
        "<Cell a='",
        "<Cell a=\"x ",
        "</value>",
        "<depends_on>",
        "<log><message>",
        "<stdout seq=1>",
        "<Canvas>",
        "&lt;<",
        "<Cell>x</Cell>",
        "<Cell>\n",
        "\n```",
        "<Cell><x",
    ] {
        for text in ["<Canvas>", "<Canvas><Cell><value>"]
            .map(|start| format!("{start}{}", piece.repeat(200_000 / piece.len())))
        {
            let begun = std::time::Instant::now();
            let reading = read(&text, ARENA);
            println!("{piece:?} {:?}", begun.elapsed());
            // Nothing that the text holds is told twice.
            assert!(reading.diagnostics.len() <= text.len(), "{piece}");
            assert!(write(&reading.document).len() >= reading.document.canvases().count());
        }
    }
}
