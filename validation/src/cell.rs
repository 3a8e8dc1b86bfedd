//! One figure, measured and simulated.

use std::fmt;

use serde::ser::SerializeTuple;
use serde::{Deserialize, Serialize, Serializer};

use crate::statistics::quantile;

/// How a simulated figure is held against a measured one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Should lie in the interval; the error is relative to its nearest end.
    #[default]
    Value,
    /// Should be no less than the interval's lower end: the measurement was limited by something else.
    AtLeast,
    /// Should be no more than the interval's upper end.
    AtMost,
    /// Numbers that stand for categories: right (error 0) or wrong (error 1).
    Category,
    /// A share in percent; the error is in percentage points from the nearest end.
    Points,
}

/// What a measurement allows the true value to be. An end without bound is infinite, and `null` in JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least it can be.
    pub lo: f64,
    /// The most it can be.
    pub hi: f64,
}

impl Interval {
    /// The value between the ends at which the ratios to both are equal; a single finite end stands for itself.
    pub fn centre(self) -> f64 {
        match (self.lo.is_finite(), self.hi.is_finite()) {
            (true, true) if self.lo > 0.0 => (self.lo * self.hi).sqrt(),
            (true, true) => (self.lo + self.hi) / 2.0,
            (true, false) => self.lo,
            _ => self.hi,
        }
    }

    /// How far `value` lies outside an interval that has to hold it as `kind` says; negative when it is too
    /// small. Relative to the nearest end, or in points, or 0 and 1 for categories.
    pub fn error(self, kind: Kind, value: f64) -> f64 {
        let (lo, hi) = match kind {
            Kind::AtLeast => (self.lo, f64::INFINITY),
            Kind::AtMost => (f64::NEG_INFINITY, self.hi),
            Kind::Value | Kind::Category | Kind::Points => (self.lo, self.hi),
        };
        let nearest = if value < lo {
            lo
        } else if value > hi {
            hi
        } else if value.is_nan() {
            return f64::NAN;
        } else {
            return 0.0;
        };
        match kind {
            Kind::Points => value - nearest,
            Kind::Category => 1.0,
            _ if nearest == 0.0 => (value - nearest).signum() * f64::INFINITY,
            _ => (value - nearest) / nearest.abs(),
        }
    }
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_tuple(2)?;
        for end in [self.lo, self.hi] {
            pair.serialize_element(&end.is_finite().then_some(end))?;
        }
        pair.end()
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (lo, hi) = <(Option<f64>, Option<f64>)>::deserialize(deserializer)?;
        let interval = Self { lo: lo.unwrap_or(f64::NEG_INFINITY), hi: hi.unwrap_or(f64::INFINITY) };
        if interval.lo <= interval.hi && (lo.is_some() || hi.is_some()) {
            return Ok(interval);
        }
        Err(serde::de::Error::custom(format!("[{}, {}] is not an interval", interval.lo, interval.hi)))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lo.is_finite(), self.hi.is_finite()) {
            (true, true) if figure(self.lo) == figure(self.hi) => write!(f, "{}", figure(self.lo)),
            (true, true) => write!(f, "{}..{}", figure(self.lo), figure(self.hi)),
            (true, false) => write!(f, ">= {}", figure(self.lo)),
            _ => write!(f, "<= {}", figure(self.hi)),
        }
    }
}

/// A number with about four significant digits.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A figure simulated with several seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Simulated {
    /// The middle one.
    pub median: f64,
    /// A tenth of them is less.
    pub p10: f64,
    /// A tenth of them is more.
    pub p90: f64,
}

impl Simulated {
    /// Summarises the values of all seeds; `None` without values.
    pub fn of(values: &[f64]) -> Option<Self> {
        Some(Self { median: quantile(values, 0.5)?, p10: quantile(values, 0.1)?, p90: quantile(values, 0.9)? })
    }
}

/// One figure, measured and simulated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Names it within its set.
    pub id: String,
    /// Unit of the measured and simulated figures.
    pub unit: String,
    /// How they are compared.
    pub kind: Kind,
    /// What was measured.
    pub measured: Interval,
    /// What the simulator says.
    pub simulated: Simulated,
    /// Of the simulated median, relative to the nearest end of the interval or in points; 0 inside, negative
    /// below it.
    pub error: f64,
    /// The greatest error that counts as right.
    pub tolerance: f64,
    /// Whether the cell served to fit the profile it is simulated with.
    pub calibrated: bool,
    /// Whether the error is within the tolerance.
    pub inside: bool,
    /// What there is to say about it.
    pub note: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_relative_to_the_nearest_end() {
        let interval = Interval { lo: 40.0, hi: 50.0 };
        assert_eq!(interval.error(Kind::Value, 45.0), 0.0);
        assert_eq!(interval.error(Kind::Value, 50.0), 0.0);
        assert_eq!(interval.error(Kind::Value, 55.0), 0.1);
        assert_eq!(interval.error(Kind::Value, 30.0), -0.25);
        assert_eq!(interval.error(Kind::AtLeast, 1e9), 0.0);
        assert_eq!(interval.error(Kind::AtLeast, 30.0), -0.25);
        assert_eq!(interval.error(Kind::AtMost, 1.0), 0.0);
        assert_eq!(interval.error(Kind::Points, 53.0), 3.0);
        assert_eq!(interval.error(Kind::Points, 38.5), -1.5);
        assert_eq!(interval.error(Kind::Category, 2.0), 1.0);
        assert!(interval.error(Kind::Value, f64::NAN).is_nan());
    }

    #[test]
    fn intervals_may_be_open() {
        let open: Interval = serde_json::from_str("[12.5, null]").unwrap();
        assert_eq!(open, Interval { lo: 12.5, hi: f64::INFINITY });
        assert_eq!(serde_json::to_string(&open).unwrap(), "[12.5,null]");
        assert!(serde_json::from_str::<Interval>("[2, 1]").is_err());
        assert!(serde_json::from_str::<Interval>("[null, null]").is_err());
    }

    #[test]
    fn the_centre_has_equal_ratios_to_both_ends() {
        assert_eq!(Interval { lo: 4.0, hi: 9.0 }.centre(), 6.0);
        assert_eq!(Interval { lo: 0.0, hi: 1.0 }.centre(), 0.5);
        assert_eq!(Interval { lo: f64::NEG_INFINITY, hi: 3.0 }.centre(), 3.0);
    }

    #[test]
    fn seeds_are_summarised_by_quantiles() {
        let values: Vec<f64> = (0..=10).map(f64::from).collect();
        assert_eq!(Simulated::of(&values), Some(Simulated { median: 5.0, p10: 1.0, p90: 9.0 }));
        assert_eq!(Simulated::of(&[]), None);
    }
}
