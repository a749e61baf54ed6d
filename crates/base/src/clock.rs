//! Time as the product writes it: milliseconds since the epoch in records, ISO 8601 in texts.

use jiff::{Timestamp, Zoned};

/// Milliseconds since 1970-01-01T00:00:00Z.
pub fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// `2025-11-18T02:00:08.104Z`, as `run.log` has it (seed 002 section 6.3.1).
pub fn iso_utc(ms: i64) -> String {
    match Timestamp::from_millisecond(ms) {
        Ok(time) => format!("{time:.3}"),
        Err(_) => format!("{ms}ms"),
    }
}

/// Parses what [`iso_utc`] writes.
pub fn parse_iso(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// Local time with its zone offset: `2025-11-18T10:00:08.104+08:00` (seed 002 section 6.2.1).
pub fn iso_local(ms: i64) -> String {
    match Timestamp::from_millisecond(ms) {
        Ok(time) => time
            .to_zoned(jiff::tz::TimeZone::system())
            .strftime("%Y-%m-%dT%H:%M:%S%.3f%:z")
            .to_string(),
        Err(_) => format!("{ms}ms"),
    }
}

/// `20251118-020008`, for names of backups; sorts by time.
pub fn stamp_for_names() -> String {
    Zoned::now()
        .with_time_zone(jiff::tz::TimeZone::UTC)
        .strftime("%Y%m%d-%H%M%S%3f")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_has_three_digits_and_reads_back() {
        for ms in [0, 1, 1_763_431_208_104, 1_763_431_208_000, 253_402_207_199_000] {
            let text = iso_utc(ms);
            assert_eq!(text.len(), "2025-11-18T02:00:08.104Z".len(), "{text}");
            assert_eq!(parse_iso(&text), Some(ms));
            assert_eq!(parse_iso(&iso_local(ms)), Some(ms));
        }
        assert_eq!(iso_utc(1_763_431_208_104), "2025-11-18T02:00:08.104Z");
    }
}
