//! What a quantity measures: its units and limits.

use std::ops::RangeInclusive;

use super::number::Number;
use super::{Error, Problem};

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// A length of time, in picoseconds.
    Time,
    /// A clock rate, in hertz.
    Frequency,
    /// An amount of memory, in bytes.
    Bytes,
    /// Things per second, in thousandths.
    Rate,
    /// A part or multiple, in parts per trillion.
    Ratio,
    /// A whole number of things.
    Count,
}

/// A unit: its symbol, how many base units it is, and whether quantities are printed in it.
struct Unit(&'static str, u64, bool);

const TIME: &[Unit] = &[
    Unit("ps", 1, true),
    Unit("ns", 1_000, true),
    Unit("us", 1_000_000, true),
    Unit("µs", 1_000_000, false),
    Unit("ms", 1_000_000_000, true),
    Unit("s", 1_000_000_000_000, true),
];
const FREQUENCY: &[Unit] =
    &[Unit("Hz", 1, true), Unit("kHz", 1_000, true), Unit("MHz", 1_000_000, true), Unit("GHz", 1_000_000_000, true)];
const BYTES: &[Unit] = &[
    Unit("B", 1, true),
    Unit("kB", 1_000, false),
    Unit("KiB", 1 << 10, true),
    Unit("MB", 1_000_000, false),
    Unit("MiB", 1 << 20, true),
    Unit("GB", 1_000_000_000, false),
    Unit("GiB", 1 << 30, true),
];
const RATE: &[Unit] = &[
    Unit("pps", 1_000, true),
    Unit("kpps", 1_000_000, true),
    Unit("Mpps", 1_000_000_000, true),
    Unit("Gpps", 1_000_000_000_000, true),
];
const RATIO: &[Unit] = &[Unit("", 1_000_000_000_000, true), Unit("%", 10_000_000_000, false)];
const COUNT: &[Unit] = &[Unit("", 1, true)];

impl Dimension {
    const ALL: [Self; 6] = [Self::Time, Self::Frequency, Self::Bytes, Self::Rate, Self::Ratio, Self::Count];

    /// What a quantity of this dimension is called, with its article.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Time => "a time",
            Self::Frequency => "a frequency",
            Self::Bytes => "a size",
            Self::Rate => "a rate",
            Self::Ratio => "a ratio",
            Self::Count => "a count",
        }
    }

    /// A quantity as it may be written.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Time => "50 ms",
            Self::Frequency => "2.4 GHz",
            Self::Bytes => "64 B",
            Self::Rate => "10 Mpps",
            Self::Ratio => "0.25 or 25 %",
            Self::Count => "8",
        }
    }

    /// The unit in which figures of this dimension are customary, and how many base units it is.
    pub const fn customary_unit(self) -> (&'static str, u64) {
        match self {
            Self::Time => ("ns", 1_000),
            Self::Frequency => ("GHz", 1_000_000_000),
            Self::Bytes => ("B", 1),
            Self::Rate => ("Mpps", 1_000_000_000),
            Self::Ratio => ("", 1_000_000_000_000),
            Self::Count => ("", 1),
        }
    }

    /// The least and the greatest quantity, in base units. Times stop where two of them can still be added.
    pub const fn limits(self) -> RangeInclusive<u64> {
        match self {
            Self::Time => 0..=i64::MAX as u64,
            Self::Frequency => 1_000..=1_000_000_000_000,
            _ => 0..=u64::MAX,
        }
    }

    /// The symbols of its units: "ps, ns, us, ms or s".
    pub fn unit_names(self) -> String {
        let names: Vec<&str> = self.units().iter().filter(|unit| unit.2 || unit.0 == "%").map(|unit| unit.0).collect();
        match names.as_slice() {
            [] | [""] => "no unit".to_owned(),
            ["", second] => format!("{second} or no unit"),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        }
    }

    /// Reads a quantity of this dimension, in base units.
    ///
    /// # Errors
    /// The text is no number, its unit is missing or of something else, or the number is out of range.
    pub fn parse(self, text: &str) -> Result<u64, Error> {
        let wrong = |problem| Err(Error::new(text.trim(), self, problem));
        let unsigned = text.trim().strip_prefix('-').unwrap_or(text.trim());
        let Some((number, unit)) = Number::parse(unsigned) else {
            let word = unsigned.trim_start_matches(['.', '+']).to_ascii_lowercase();
            let infinite = ["nan", "inf"].iter().any(|name| word.starts_with(name));
            return wrong(if infinite { Problem::NotFinite } else { Problem::NotANumber });
        };
        let unit = unit.trim_start();
        let Some(Unit(_, scale, _)) = self.units().iter().find(|known| known.0 == unit) else {
            return wrong(self.complain_about_unit(unit));
        };
        if unsigned.len() < text.trim().len() {
            return wrong(Problem::Negative);
        }
        let Some(scaled) = number.scaled(*scale) else { return wrong(Problem::TooLarge) };
        let limits = self.limits();
        match scaled.base {
            _ if scaled.rounded && matches!(self, Self::Bytes | Self::Count) => wrong(Problem::NotWhole),
            0 if scaled.rounded => wrong(Problem::TooSmall),
            base if base < *limits.start() => wrong(Problem::TooSmall),
            base if base > *limits.end() => wrong(Problem::TooLarge),
            base => Ok(base),
        }
    }

    /// Writes so many base units so that [`Dimension::parse`] gives them back exactly.
    pub fn print(self, base: u64) -> String {
        let mut printed = self.units().iter().filter(|unit| unit.2);
        // Binary multiples are printed only where they are whole.
        let fits = |scale: u64| base >= scale && (self != Self::Bytes || base.is_multiple_of(scale));
        let Some(Unit(symbol, scale, _)) = printed.rfind(|unit| fits(unit.1)).or(self.units().first()) else {
            return base.to_string();
        };
        let digits = (scale.ilog10()) as usize;
        let fraction = format!("{:0digits$}", base % scale);
        let number = format!("{}.{fraction}", base / scale);
        let number = number.trim_end_matches('0').trim_end_matches('.');
        format!("{number} {symbol}").trim_end().to_owned()
    }

    const fn units(self) -> &'static [Unit] {
        match self {
            Self::Time => TIME,
            Self::Frequency => FREQUENCY,
            Self::Bytes => BYTES,
            Self::Rate => RATE,
            Self::Ratio => RATIO,
            Self::Count => COUNT,
        }
    }

    fn complain_about_unit(self, unit: &str) -> Problem {
        let has_it = |dimension: &Self| dimension.units().iter().any(|known| known.0 == unit);
        match Self::ALL.iter().find(|dimension| has_it(dimension)) {
            _ if unit.is_empty() => Problem::NoUnit,
            _ if self == Self::Count => Problem::Unitless,
            Some(other) => Problem::UnitOf(*other),
            None if unit.starts_with(|c: char| c.is_alphabetic()) => Problem::UnknownUnit(unit.to_owned()),
            None => Problem::NotANumber,
        }
    }
}
