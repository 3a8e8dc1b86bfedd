//! Quantities as people write them: "50 ms", "2.4 GHz", "64 B", "10 Mpps", "25 %".
//!
//! Every quantity is a whole number of a small base unit inside (picoseconds, hertz, bytes, thousandths of an item
//! per second, parts per trillion), so that reading and printing lose nothing and depend on no rounding mode.
//!
//! ```
//! use models::quantity;
//! use sim_core::Time;
//!
//! let time: Time = quantity::parse("12.5 ns").unwrap();
//! assert_eq!(time, Time::from_ps(12_500));
//! assert_eq!(quantity::print(time), "12.5 ns");
//! let error = quantity::parse::<Time>("50").unwrap_err();
//! assert_eq!(error.to_string(), "`50` has no unit: a time needs a unit, such as 50 ms");
//! ```
//!
//! A field of a YAML file becomes one with `#[serde(with = "models::quantity")]`.

mod dimension;
mod number;

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use sim_core::{Frequency, Time};

pub use dimension::Dimension;

/// A type that is written as a number with a unit.
pub trait Quantity: Copy {
    /// What it measures.
    const DIMENSION: Dimension;
    /// So many base units; `None` outside the dimension's limits.
    fn from_base(base: u64) -> Option<Self>;
    /// How many base units.
    fn to_base(self) -> u64;
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// How many things happen per second, in thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

/// A part or multiple of something, in parts per trillion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ratio(u64);

impl Rate {
    /// Things per second.
    pub fn per_second(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl Ratio {
    /// The part as a number; 1 is the whole.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

macro_rules! quantity {
    ($type:ty, $dimension:ident, $from:expr, $to:expr) => {
        impl Quantity for $type {
            const DIMENSION: Dimension = Dimension::$dimension;
            fn from_base(base: u64) -> Option<Self> {
                let from: fn(u64) -> Option<Self> = $from;
                if Self::DIMENSION.limits().contains(&base) { from(base) } else { None }
            }
            fn to_base(self) -> u64 {
                let to: fn(Self) -> u64 = $to;
                to(self)
            }
        }
    };
}

quantity!(Time, Time, |ps| Some(Self::from_ps(ps)), |time| time.as_ps());
quantity!(Frequency, Frequency, Self::from_hz, |frequency| frequency.as_hz());
quantity!(Bytes, Bytes, |bytes| Some(Self(bytes)), |bytes| bytes.0);
quantity!(Rate, Rate, |rate| Some(Self(rate)), |rate| rate.0);
quantity!(Ratio, Ratio, |ratio| Some(Self(ratio)), |ratio| ratio.0);

/// Reads a quantity.
///
/// # Errors
/// The text is no number, its unit is missing or of something else, or the number is out of range.
pub fn parse<Q: Quantity>(text: &str) -> Result<Q, Error> {
    let base = Q::DIMENSION.parse(text)?;
    Q::from_base(base).ok_or_else(|| Error::new(text, Q::DIMENSION, Problem::TooLarge))
}

/// Writes a quantity so that [`parse`] gives back exactly the same one.
pub fn print<Q: Quantity>(quantity: Q) -> String {
    Q::DIMENSION.print(quantity.to_base())
}

/// Reads a quantity from a scalar of a document.
///
/// # Errors
/// As [`parse`].
pub fn deserialize<'de, Q: Quantity, D: Deserializer<'de>>(deserializer: D) -> Result<Q, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).map_err(D::Error::custom)
}

/// Writes a quantity into a document.
///
/// # Errors
/// Those of the document's format.
pub fn serialize<Q: Quantity, S: Serializer>(quantity: &Q, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&print(*quantity))
}

/// Why a text is not the quantity that it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The text.
    pub text: String,
    /// What was wanted.
    pub dimension: Dimension,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It does not begin with a number.
    NotANumber,
    /// It is infinite, or not a number in the sense of floating-point arithmetic.
    NotFinite,
    /// It is below zero.
    Negative,
    /// It has no unit.
    NoUnit,
    /// No quantity has this unit.
    UnknownUnit(String),
    /// Another dimension has this unit.
    UnitOf(Dimension),
    /// It takes no unit.
    Unitless,
    /// It is not a whole number of base units.
    NotWhole,
    /// It is less than the limit.
    TooSmall,
    /// It is more than the limit.
    TooLarge,
}

impl Error {
    pub(crate) fn new(text: &str, dimension: Dimension, problem: Problem) -> Self {
        Self { text: text.to_owned(), dimension, problem }
    }

    /// What is wrong, as the end of a sentence that begins with the field's name.
    pub fn problem(&self) -> String {
        let (text, noun) = (&self.text, self.dimension.noun());
        match &self.problem {
            Problem::NotANumber => format!("is `{text}`, which is not {noun}"),
            Problem::NotFinite => format!("is `{text}`, which is not a finite number"),
            Problem::Negative => format!("is `{text}`, which is below zero"),
            Problem::NoUnit => format!("is `{text}`, which has no unit"),
            Problem::UnknownUnit(unit) => format!("is `{text}`, but {noun} has no unit called `{unit}`"),
            Problem::UnitOf(other) => format!("is `{text}`, which is {}, not {noun}", other.noun()),
            Problem::Unitless => format!("is `{text}`, but {noun} takes no unit"),
            Problem::NotWhole => format!("is `{text}`, but {noun} is a whole number"),
            Problem::TooSmall => format!("is `{text}`, which is too small"),
            Problem::TooLarge => format!("is `{text}`, which is too large"),
        }
    }

    /// What would be right.
    pub fn help(&self) -> String {
        let dimension = self.dimension;
        match &self.problem {
            Problem::NoUnit => format!("{} needs a unit, such as {}", dimension.noun(), dimension.example()),
            Problem::UnknownUnit(_) | Problem::UnitOf(_) => {
                format!("{} is in {}, such as {}", dimension.noun(), dimension.unit_names(), dimension.example())
            }
            Problem::TooSmall | Problem::TooLarge => {
                let limits = dimension.limits();
                let (least, most) = (dimension.print(*limits.start()), dimension.print(*limits.end()));
                format!("{} lies between {least} and {most}", dimension.noun())
            }
            _ => format!("write it as {}", dimension.example()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = self.problem();
        let sentence = problem.strip_prefix("is ").unwrap_or(&problem);
        let sentence = sentence.replacen(", which ", " ", 1).replacen(", but ", ": ", 1);
        write!(f, "{sentence}: {}", self.help())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
