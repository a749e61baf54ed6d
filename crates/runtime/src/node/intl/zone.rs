//! Time zones: names and offsets of the embedded database, so that a worker that sees no
//! `/usr/share/zoneinfo` knows them, too.

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use std::cell::RefCell;
use std::collections::HashMap;

thread_local! {
    /// What was asked for: parsing a zone for each date would be most of the work.
    static ZONES: RefCell<HashMap<String, Option<TimeZone>>> = RefCell::new(HashMap::new());
    static DATABASE: TimeZoneDatabase = TimeZoneDatabase::bundled();
}
/// There are about 600 names; more than that are mistakes.
const MOST: usize = 700;

fn zone(name: &str) -> Option<TimeZone> {
    ZONES.with_borrow_mut(|zones| {
        if let Some(known) = zones.get(name) {
            return known.clone();
        }
        let found = DATABASE.with(|database| database.get(name).ok());
        if zones.len() < MOST {
            zones.insert(name.to_owned(), found.clone());
        }
        found
    })
}

/// The name as the database has it, whatever its case.
pub(super) fn named(name: String) -> Option<String> {
    zone(&name)?.iana_name().map(str::to_owned)
}

/// `[seconds east of Greenwich, 1 in summer]` at a time in milliseconds.
pub(super) fn offset(name: String, time: f64) -> Option<Vec<i32>> {
    let zone = zone(&name)?;
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a Date's time is within 8.64e15; a cast saturates beyond"
    )]
    let milliseconds = time.floor() as i64;
    // Before and after the years that jiff knows no rule changes.
    let at = Timestamp::from_millisecond(milliseconds).unwrap_or(if milliseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    });
    let info = zone.to_offset_info(at);
    Some(vec![info.offset().seconds(), i32::from(info.dst().is_dst())])
}

/// The zone of this process: `TZ`, else the system's.
pub(super) fn system() -> Option<String> {
    TimeZone::try_system().ok()?.iana_name().map(str::to_owned)
}
