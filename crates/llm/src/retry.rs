//! When a service is asked again.

use crate::chat::Limits;
use crate::error::ModelError;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::Duration;

/// Nobody waits longer than this in a window; then the error says when.
const LONGEST: Duration = Duration::from_secs(30);

/// How long to wait before the attempt after `tried` failed ones, or that it is of no use.
pub(crate) fn pause(error: &ModelError, tried: u32, limits: &Limits) -> Option<Duration> {
    if tried > limits.retries || !error.passes() {
        return None;
    }
    let own = limits.pause.saturating_mul(1 << (tried - 1).min(16)).min(LONGEST);
    match error.after() {
        Some(after) => (after <= LONGEST).then_some(after.max(own)),
        None => Some(own),
    }
}

/// `Retry-After`, seconds or a date.
pub(crate) fn after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?;
    let wait = at.timestamp().as_millisecond() - base::clock::now_ms();
    Some(Duration::from_millis(u64::try_from(wait).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn unavailable(after: Option<u64>) -> ModelError {
        ModelError::Unavailable {
            service: "s".to_owned(),
            status: 503,
            reason: String::new(),
            after: after.map(Duration::from_secs),
        }
    }

    #[test]
    fn pauses_double_and_end() {
        let limits = Limits::default();
        let pauses: Vec<_> = (1..5)
            .map(|tried| pause(&unavailable(None), tried, &limits))
            .collect();
        let ms = |number| Some(Duration::from_millis(number));
        assert_eq!(pauses, [ms(500), ms(1000), ms(2000), None]);
        let refused = ModelError::Unauthorized {
            service: "s".to_owned(),
            status: 401,
        };
        assert_eq!(pause(&refused, 1, &limits), None);
    }

    #[test]
    fn the_service_says_when_and_too_late_is_never() {
        let limits = Limits::default();
        assert_eq!(
            pause(&unavailable(Some(7)), 1, &limits),
            Some(Duration::from_secs(7))
        );
        assert_eq!(pause(&unavailable(Some(0)), 1, &limits), Some(limits.pause));
        assert_eq!(pause(&unavailable(Some(31)), 1, &limits), None);
    }

    #[test]
    fn seconds_and_dates_are_read() {
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(text));
            after(&headers)
        };
        assert_eq!(read("3"), Some(Duration::from_secs(3)));
        assert_eq!(read("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert!(read("Fri, 01 Jan 2100 00:00:00 GMT").is_some_and(|wait| wait > LONGEST));
        assert_eq!(read("soon"), None);
    }
}
