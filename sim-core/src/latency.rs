//! Distributions of times.

use hdrhistogram::Histogram;

use crate::time::Time;

/// How many decimal digits of a recorded time are kept.
const DIGITS: u8 = 3;

/// A distribution of times, exact to three digits.
#[derive(Clone, Debug)]
pub struct Latency {
    histogram: Histogram<u64>,
}

impl Default for Latency {
    fn default() -> Self {
        let histogram = Histogram::new(DIGITS).expect("three digits are among those that a histogram can keep");
        Self { histogram }
    }
}

impl Latency {
    /// Adds a time. Times of more than an hour count as an hour.
    #[inline]
    pub fn record(&mut self, time: Time) {
        const HOUR: Time = Time::from_ms(3_600_000);
        self.histogram.record(time.min(HOUR).as_ps()).expect("a histogram that resizes takes any time");
    }

    /// Adds another distribution.
    pub fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("a histogram that resizes takes any other");
    }

    /// How many times were recorded.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The least time that this part of all (0 to 1) does not exceed; zero if there are none.
    pub fn quantile(&self, part: f64) -> Time {
        Time(self.histogram.value_at_quantile(part).min(self.histogram.max()))
    }

    /// The longest time.
    pub fn longest(&self) -> Time {
        Time(self.histogram.max())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact_to_three_digits() {
        let mut all = Latency::default();
        for part in 0..2 {
            let mut latency = Latency::default();
            (1..=500).for_each(|n| latency.record(Time::from_ns(2 * n - part)));
            all.add(&latency);
        }
        assert_eq!(all.count(), 1000);
        for (part, ns) in [(0.5, 500.0), (0.9, 900.0), (0.99, 990.0), (1.0, 1000.0)] {
            let error = (all.quantile(part).as_ns_f64() / ns - 1.0).abs();
            assert!(error < 1e-3, "{part}: {}", all.quantile(part));
        }
    }
}
