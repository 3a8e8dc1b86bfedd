//! Kinds of values that a field can hold: whole numbers, one of several words, texts.

use std::ops::RangeInclusive;

use models::quantity::{self, Bytes, Quantity};
use sim_core::Time;

use crate::checker::{Checker, Complaint};
use crate::diagnostic::{alternatives, nearest};

impl Checker<'_> {
    /// A whole number in a range.
    pub fn count(&mut self, path: &str, default: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        self.value(path, Some(default), &expected, |text| parse_count(text, &range), u64::to_string)
    }

    /// A whole number in a range, at most 2³² - 1.
    pub fn count_u32(&mut self, path: &str, default: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        self.count(path, default, range).and_then(|count| u32::try_from(count).ok())
    }

    /// One of several words.
    pub fn choice<T: Copy>(&mut self, path: &str, default: Option<&str>, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let word =
            self.value(path, default, &alternatives(&names), |text| parse_choice(text, &names), String::clone)?;
        words.iter().find(|(name, _)| *name == word).map(|(_, meaning)| *meaning)
    }
}

impl Checker<'_> {
    /// A time in a range.
    pub fn time(&mut self, path: &str, default: &str, range: RangeInclusive<Time>) -> Option<Time> {
        let expected = format!("a time such as {default}");
        self.value(path, Some(default), &expected, |text| parse_time(text, &range), |time| quantity::print(*time))
    }

    /// A number of bytes, one of a few.
    pub fn bytes(&mut self, path: &str, default: &str, allowed: &[u64]) -> Option<u64> {
        let printed: Vec<String> = allowed.iter().map(|bytes| quantity::print(Bytes(*bytes))).collect();
        let expected = printed.join(" or ");
        let parse = |text: &str| match parse_quantity::<Bytes>(text)?.0 {
            bytes if allowed.contains(&bytes) => Ok(bytes),
            _ => {
                Err(Complaint::new(format!("is `{text}`, which is not one of its values"), format!("write {expected}")))
            }
        };
        self.value(path, Some(default), &expected, parse, |bytes| quantity::print(Bytes(*bytes)))
    }
}

fn parse_quantity<Q: Quantity>(text: &str) -> Result<Q, Complaint> {
    quantity::parse(text).map_err(|error| Complaint::new(error.problem(), error.help()))
}

fn parse_time(text: &str, range: &RangeInclusive<Time>) -> Result<Time, Complaint> {
    let time = parse_quantity::<Time>(text)?;
    if range.contains(&time) {
        return Ok(time);
    }
    let (least, most) = (quantity::print(*range.start()), quantity::print(*range.end()));
    let size = if time < *range.start() { "short" } else { "long" };
    Err(Complaint::new(format!("is `{text}`, which is too {size}"), format!("write a time from {least} to {most}")))
}

/// Reads a whole number.
pub(crate) fn parse_count(text: &str, range: &RangeInclusive<u64>) -> Result<u64, Complaint> {
    let (least, most) = (range.start(), range.end());
    let help = format!("write a whole number from {least} to {most}");
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse::<u64>() {
            Ok(count) if range.contains(&count) => Ok(count),
            Ok(count) if count < *least => Err(Complaint::new(format!("is {count}, which is too small"), help)),
            Err(_) if text.starts_with('-') => Err(Complaint::new(format!("is {text}, which is below zero"), help)),
            _ => Err(Complaint::new(format!("is {text}, which is too large"), help)),
        };
    }
    let number = text.split_whitespace().next().unwrap_or("");
    let problem = if number.len() < text.len() && number.parse::<f64>().is_ok() {
        format!("is `{text}`, but takes a number without a unit")
    } else if text.parse::<f64>().is_ok_and(f64::is_finite) {
        format!("is {text}, which is not a whole number")
    } else {
        format!("is `{text}`, which is not a number")
    };
    Err(Complaint::new(problem, help))
}

fn parse_choice(text: &str, names: &[&str]) -> Result<String, Complaint> {
    if names.contains(&text) {
        return Ok(text.into());
    }
    let help = match nearest(text, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? It can be {}", alternatives(names)),
        None => format!("it can be {}", alternatives(names)),
    };
    Err(Complaint::new(format!("is `{text}`, which is not one of its values"), help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_say_what_is_wrong() {
        for (text, phrase) in [
            ("0", "too small"),
            ("65", "too large"),
            ("99999999999999999999999", "too large"),
            ("-3", "below zero"),
            ("8 B", "without a unit"),
            ("1.5", "not a whole number"),
            ("1e9", "not a whole number"),
            ("NaN", "not a number"),
            (".nan", "not a number"),
            ("inf", "not a number"),
            ("0x10", "not a number"),
            ("eight", "not a number"),
            ("", "not a number"),
        ] {
            let complaint = parse_count(text, &(1..=64)).unwrap_err();
            assert!(complaint.problem.contains(phrase), "{text}: {complaint:?}");
            assert_eq!(complaint.help, "write a whole number from 1 to 64");
        }
        assert_eq!(parse_count("64", &(1..=64)), Ok(64));
    }

    #[test]
    fn a_choice_suggests_the_nearest() {
        let complaint = parse_choice("tiket", &["ticket", "mcs"]).unwrap_err();
        assert_eq!(complaint.help, "did you mean `ticket`? It can be `ticket` or `mcs`");
    }
}
