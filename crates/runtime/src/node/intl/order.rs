//! The order of text, by ICU4X.

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering};
use icu_collator::{Collator, CollatorPreferences};
use icu_locale::Locale;
use rquickjs::{Ctx, Exception, Function, Result};

/// A function that compares two texts. The tag's `-u-co`, `-u-kn` and `-u-kf` are heard.
pub(super) fn collator<'js>(
    ctx: Ctx<'js>,
    tag: String,
    sensitivity: String,
    ignore_punctuation: bool,
) -> Result<Function<'js>> {
    let locale = Locale::try_from_str(&tag).unwrap_or(Locale::UNKNOWN);
    let mut options = CollatorOptions::default();
    let (strength, case_level) = match sensitivity.as_str() {
        "base" => (Strength::Primary, None),
        "accent" => (Strength::Secondary, None),
        "case" => (Strength::Primary, Some(CaseLevel::On)),
        _ => (Strength::Tertiary, None),
    };
    options.strength = Some(strength);
    options.case_level = case_level;
    if ignore_punctuation {
        options.alternate_handling = Some(AlternateHandling::Shifted);
    }
    let mut preferences = CollatorPreferences::from(&locale);
    preferences
        .numeric_ordering
        .get_or_insert(CollationNumericOrdering::False);
    let _: Option<CollationCaseFirst> = preferences.case_first;
    let Ok(collator) = Collator::try_new(preferences, options) else {
        return Err(Exception::throw_internal(&ctx, "no order of this locale"));
    };
    Function::new(ctx, move |left: String, right: String| {
        collator.compare(&left, &right) as i32
    })
}
