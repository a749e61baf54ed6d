//! How many random cases a property takes: its own number, or more where `PROPTEST_CASES` asks for
//! them, which an explicit number would otherwise hide.

use proptest::prelude::ProptestConfig;

pub(crate) fn at_least(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked = asked.and_then(|cases| cases.parse().ok()).unwrap_or(0);
    ProptestConfig::with_cases(cases.max(asked))
}
