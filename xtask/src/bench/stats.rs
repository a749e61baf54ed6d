//! Samples of time and what is said about them.

use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    pub fn add(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The smallest sample that at least `percent` of all do not exceed.
    pub fn percentile(&self, percent: f64) -> Option<Duration> {
        let mut sorted = self.0.clone();
        sorted.sort();
        let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.max(1) - 1).copied()
    }
}

/// Milliseconds with three digits that mean something.
pub fn ms(time: Option<Duration>) -> String {
    let Some(time) = time else { return "-".to_owned() };
    let ms = time.as_secs_f64() * 1000.0;
    match ms {
        100.0.. => format!("{ms:.0}"),
        10.0.. => format!("{ms:.1}"),
        1.0.. => format!("{ms:.2}"),
        _ => format!("{ms:.3}"),
    }
}

/// How many times `other` is `base`.
pub fn ratio(base: Option<Duration>, other: Option<Duration>) -> String {
    match (base, other) {
        (Some(base), Some(other)) if !base.is_zero() => {
            format!("{:.2}x", other.as_secs_f64() / base.as_secs_f64())
        }
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let mut samples = Samples::default();
        assert_eq!(samples.percentile(50.0), None);
        for n in (1..=100).rev() {
            samples.add(Duration::from_millis(n));
        }
        let at = |percent| samples.percentile(percent).unwrap().as_millis();
        assert_eq!((at(0.0), at(50.0), at(99.0), at(100.0)), (1, 50, 99, 100));
    }

    #[test]
    fn figures_are_short() {
        let of = |micros| ms(Some(Duration::from_micros(micros)));
        assert_eq!((of(123_456).as_str(), of(12_345).as_str()), ("123", "12.3"));
        assert_eq!((of(1_234).as_str(), of(123).as_str()), ("1.23", "0.123"));
        let ratio = ratio(Some(Duration::from_millis(2)), Some(Duration::from_millis(5)));
        assert_eq!(ratio, "2.50x");
    }
}
