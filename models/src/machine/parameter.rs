//! One parameter of a profile: its value, the range that is plausible for it, and where it comes from.

use std::ops::RangeInclusive;

use crate::machine::error::Complaint;
use crate::machine::schema::Kind;
use crate::quantity::Dimension;

/// A parameter of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What it is set to.
    pub value: Value,
    /// Where that comes from: a measurement, a manual, a paper, or an honest "assumed".
    pub source: String,
}

/// What a parameter is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number {
        /// What it measures.
        dimension: Dimension,
        /// The number, in the dimension's base unit.
        base: u64,
        /// The range that is plausible for it, in the same unit.
        range: RangeInclusive<u64>,
    },
    /// One of several words.
    Word {
        /// The word.
        word: String,
        /// The words that it may be.
        words: &'static [&'static str],
    },
}

/// A parameter that is a number, as calibration and lists see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterEntry {
    /// Its path, such as `core.reorder-window`.
    pub path: String,
    /// Its value, in `unit`.
    pub value: f64,
    /// The range that is plausible for it, in `unit`.
    pub range: (f64, f64),
    /// The unit; empty for ratios and counts.
    pub unit: &'static str,
    /// Where it comes from.
    pub source: String,
    /// Value and range as a profile writes them.
    pub text: (String, String, String),
}

impl Parameter {
    /// Reads a parameter from a document's texts.
    ///
    /// # Errors
    /// A text cannot be read, the range is missing or reversed, or the value lies outside.
    pub(crate) fn read(kind: &Kind, value: &str, range: Option<[&str; 2]>, source: &str) -> Result<Self, Complaint> {
        if source.trim().is_empty() {
            return Err(Complaint::new("has no source", "say where the number comes from, or write \"assumed\""));
        }
        let source = source.to_owned();
        match kind {
            Kind::Word(words) => {
                let mut parameter = Self { value: Value::Word { word: String::new(), words }, source };
                parameter.set_text(value)?;
                Ok(parameter)
            }
            Kind::Number(dimension, limits) => {
                let quantity = |what: &str, text: &str| read_number(what, *dimension, limits, text);
                let Some([low, high]) = range else {
                    let help = format!("write range: [{value}, {value}] with what is plausible");
                    return Err(Complaint::new("has no range", help));
                };
                let base = quantity("", value)?;
                let least = quantity("has a range that begins with", low)?;
                let range = least..=quantity("has a range that ends with", high)?;
                if range.start() > range.end() {
                    return Err(Complaint::new(
                        format!("has a reversed range, {low} to {high}"),
                        "write the lesser value first",
                    ));
                }
                check_inside(*dimension, base, &range)?;
                Ok(Self { value: Value::Number { dimension: *dimension, base, range }, source })
            }
        }
    }

    /// The number in base units, if the parameter is one.
    pub fn base(&self) -> Option<u64> {
        match &self.value {
            Value::Number { base, .. } => Some(*base),
            Value::Word { .. } => None,
        }
    }

    /// The value as a profile writes it.
    pub fn text(&self) -> String {
        match &self.value {
            Value::Number { dimension, base, .. } => dimension.print(*base),
            Value::Word { word, .. } => word.clone(),
        }
    }

    /// Moves a number within its range; the value is in the customary unit of its dimension.
    ///
    /// # Errors
    /// The parameter is a word, or the value lies outside its range.
    pub fn set(&mut self, value: f64) -> Result<(), Complaint> {
        let Value::Number { dimension, base, range } = &mut self.value else {
            return Err(Complaint::new("is a word, not a number", ""));
        };
        let (_, scale) = dimension.customary_unit();
        let moved = (value * scale as f64).round();
        // Beyond 2^63 the conversion would saturate; no limit is so large.
        if !(0.0..9.2e18).contains(&moved) {
            return Err(Complaint::new(format!("cannot be {value}"), ""));
        }
        check_inside(*dimension, moved as u64, range)?;
        *base = moved as u64;
        Ok(())
    }

    /// Gives it the value that a text says.
    ///
    /// # Errors
    /// The text is no value for it, or lies outside its range.
    pub fn set_text(&mut self, text: &str) -> Result<(), Complaint> {
        match &mut self.value {
            Value::Number { dimension, base, range } => {
                let moved = dimension.parse(text).map_err(|error| Complaint::new(error.problem(), error.help()))?;
                check_inside(*dimension, moved, range)?;
                *base = moved;
            }
            Value::Word { word, words } => {
                let Some(known) = words.iter().find(|known| **known == text) else {
                    return Err(Complaint::new(format!("is `{text}`"), format!("it is one of {}", words.join(", "))));
                };
                *word = (*known).to_owned();
            }
        }
        Ok(())
    }

    /// What calibration sees of it, if it is a number.
    pub(crate) fn entry(&self, path: String) -> Option<ParameterEntry> {
        let Value::Number { dimension, base, range } = &self.value else { return None };
        let (unit, scale) = dimension.customary_unit();
        let in_unit = |base: u64| base as f64 / scale as f64;
        let print = |base: u64| dimension.print(base);
        Some(ParameterEntry {
            path,
            value: in_unit(*base),
            range: (in_unit(*range.start()), in_unit(*range.end())),
            unit,
            source: self.source.clone(),
            text: (print(*base), print(*range.start()), print(*range.end())),
        })
    }
}

/// Reads one number; `what` goes before the problem.
fn read_number(what: &str, dimension: Dimension, limits: &RangeInclusive<u64>, text: &str) -> Result<u64, Complaint> {
    let base = dimension.parse(text).map_err(|error| {
        let problem = error.problem();
        let shown = if what.is_empty() { problem } else { problem.replacen("is", what, 1) };
        Complaint::new(shown, error.help())
    })?;
    if limits.contains(&base) {
        return Ok(base);
    }
    let verb = if what.is_empty() { "is" } else { what };
    let (least, most) = (dimension.print(*limits.start()), dimension.print(*limits.end()));
    Err(Complaint::new(format!("{verb} {text}"), format!("it lies between {least} and {most}")))
}

fn check_inside(dimension: Dimension, base: u64, range: &RangeInclusive<u64>) -> Result<(), Complaint> {
    if range.contains(&base) {
        return Ok(());
    }
    let (value, low, high) = (dimension.print(base), dimension.print(*range.start()), dimension.print(*range.end()));
    let help = "change the value, or widen the range and say in the source why";
    Err(Complaint::new(format!("is {value}, outside its range of {low} to {high}"), help))
}
