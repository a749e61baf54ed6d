//! `Intl` in real workers. What each language says is compared with Node case by case
//! (tests/js/differential/intl.mjs); here is that a worker behind its wall has it, and only when asked.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use serde_json::{Value, json};
use support::Home;

async fn run(main: &str) -> Value {
    let home = Home::new();
    let spec = home.tool("probe", main);
    home.run(&spec, json!({})).await.unwrap()
}

#[tokio::test]
async fn numbers_dates_and_text_are_written_as_in_node() {
    let value = run(
        "export default { execute() { return [
            new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5),
            (123456.789).toLocaleString('zh-CN'),
            (0.256).toLocaleString('fr', { style: 'percent', maximumFractionDigits: 1 }),
            new Date(0).toLocaleString('zh-CN', { timeZone: 'Asia/Shanghai', dateStyle: 'full', timeStyle: 'long' }),
            new Intl.DateTimeFormat('ja', { timeZone: 'Asia/Tokyo', weekday: 'long', month: 'short', day: 'numeric' }).format(0),
            new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeStyle: 'full' }).format(1719835199999),
            ['z', '\u{e4}', 'a'].sort(new Intl.Collator('sv').compare).join(''),
            ['z', '\u{e4}', 'a'].sort(new Intl.Collator('de').compare).join(''),
            ['10', '9'].sort((x, y) => x.localeCompare(y, 'en', { numeric: true })).join(),
            new Intl.PluralRules('ar').select(3),
            new Intl.ListFormat('es').format(['Juan', 'Inés']),
            new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day'),
            [...new Intl.Segmenter('zh', { granularity: 'word' }).segment('我们去北京')].map(({ segment }) => segment).join('|'),
            new Intl.DisplayNames('zh-CN', { type: 'region' }).of('DE'),
            Intl.getCanonicalLocales('EN-us')[0],
        ]; } };",
    )
    .await;
    assert_eq!(
        value,
        json!([
            "1.234,50\u{a0}€",
            "123,456.789",
            "25,6\u{a0}%",
            "1970年1月1日星期四 GMT+8 08:00:00",
            "1月1日木曜日",
            "7:59:59 AM Eastern Daylight Time",
            "az\u{e4}",
            "a\u{e4}z",
            "9,10",
            "few",
            "Juan e Inés",
            "yesterday",
            "我们|去|北京",
            "德国",
            "en-US",
        ])
    );
}

#[tokio::test]
async fn nothing_of_it_is_read_before_it_is_asked_for() {
    let value = run("export default { execute() {
            const lazy = () => typeof Object.getOwnPropertyDescriptor(globalThis, 'Intl').get;
            const before = lazy();
            [3, 1].sort(); 'a'.toUpperCase(); String(new Date(0));
            const between = lazy();
            void Intl.NumberFormat;
            return [before, between, lazy(), Object.keys(Intl).length];
        } };")
    .await;
    assert_eq!(value, json!(["function", "function", "undefined", 0]));
}

#[tokio::test]
async fn a_text_that_is_no_locale_or_no_zone_is_refused() {
    let value = run("export default { execute() {
            const thrown = (work) => { try { work(); return 'none'; } catch (error) { return error.name; } };
            return [
                thrown(() => new Intl.NumberFormat('not a locale')),
                thrown(() => new Intl.DateTimeFormat('en', { timeZone: '../../etc/passwd' })),
                thrown(() => new Intl.NumberFormat('en', { style: 'currency' })),
                thrown(() => new Intl.DateTimeFormat('en').format(NaN)),
            ];
        } };")
    .await;
    assert_eq!(
        value,
        json!(["RangeError", "RangeError", "TypeError", "RangeError"])
    );
}

#[tokio::test]
async fn boundaries_are_found_as_far_as_somebody_looks() {
    let home = Home::new();
    // All places of six million characters have no room; some do.
    let mut spec = home.tool(
        "cuts",
        "export default { execute({ granularity }) {
            const segments = new Intl.Segmenter('en', { granularity }).segment('Ab c. '.repeat(1e6));
            const [first] = segments;
            return [first.segment, segments.containing(7001).index, segments.containing(4).index];
        } };",
    );
    spec.load.heap = 48 << 20;
    for (granularity, cuts) in [
        ("grapheme", json!(["A", 7001, 4])),
        ("word", json!(["Ab", 7001, 4])),
        ("sentence", json!(["Ab c. ", 6996, 0])),
    ] {
        let params = json!({ "granularity": granularity });
        assert_eq!(home.run(&spec, params).await.unwrap(), cuts, "{granularity}");
    }
}
