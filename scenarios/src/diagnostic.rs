//! Complaints about a scenario: where, what is wrong, and what would be right.

use std::fmt;

use crate::document::Place;

/// One thing that is wrong with a scenario file or with an argument that changes it.
///
/// Its display form is a paragraph with the offending line, ready to print:
///
/// ```text
/// error: ring.yaml:5:10: dataplane.burst: is 2048, but a ring of 1024 slots cannot hold it
///   |
/// 5 |   burst: 2048
///   |          ^^^^
///   = help: at most 1024, or more dataplane.slots
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file's name, or the whole argument of the command line that is to blame.
    pub source: String,
    /// Line in the file, counted from 1. Arguments have none, nor has a file that cannot be read.
    pub line: Option<usize>,
    /// Column in that line, in characters, counted from 1.
    pub column: Option<usize>,
    /// The field, such as `dataplane.burst`; empty for the document as a whole.
    pub path: String,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub help: Option<String>,
    /// The offending line and how many characters of it are to blame.
    excerpt: Option<(String, usize)>,
}

/// Everything that is wrong with one scenario, in the order of the lines. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

/// A source of values: a file's name and text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub name: String,
    pub text: String,
}

/// Longer lines are cut here when shown.
const EXCERPT_COLUMNS_MAX: usize = 160;

impl Diagnostic {
    /// A complaint about a place in a file, or about an argument.
    pub(crate) fn at(source: &Source, place: &Place, path: &str, problem: String, help: String) -> Self {
        let (name, line, column, excerpt) = match place {
            Place::Argument(argument) => (argument, None, None, None),
            Place::File { line, column, length } => {
                let shown = source.text.lines().nth(line - 1).filter(|_| *column <= EXCERPT_COLUMNS_MAX);
                let excerpt = shown.map(|text| {
                    let cut: String = text.chars().take(EXCERPT_COLUMNS_MAX).collect();
                    (cut.replace('\t', " "), (*length).min(EXCERPT_COLUMNS_MAX + 1 - column))
                });
                (&source.name, Some(*line), Some(*column), excerpt)
            }
        };
        let help = (!help.is_empty()).then_some(help);
        Self { source: name.clone(), line, column, path: path.into(), problem, help, excerpt }
    }

    /// A complaint about a file as a whole.
    pub(crate) fn of_file(name: &str, problem: impl Into<String>, help: impl Into<String>) -> Self {
        let help: String = help.into();
        Self {
            source: name.into(),
            line: None,
            column: None,
            path: String::new(),
            problem: problem.into(),
            help: (!help.is_empty()).then_some(help),
            excerpt: None,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.source)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        writeln!(f, ": {}", self.problem)?;
        let margin = self.line.map_or(0, |line| line.to_string().len());
        if let (Some((text, length)), Some(line), Some(column)) = (&self.excerpt, self.line, self.column) {
            writeln!(f, "{:margin$} |", "")?;
            writeln!(f, "{line} | {text}")?;
            writeln!(f, "{:margin$} | {:indent$}{}", "", "", "^".repeat(*length), indent = column - 1)?;
        }
        if let Some(help) = &self.help {
            writeln!(f, "{:margin$} = help: {help}", "")?;
        }
        Ok(())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

/// The candidate that `word` was most likely meant to be, if any is near.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let edits_max = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word.to_lowercase(), candidate), candidate))
        .filter(|(edits, _)| *edits <= edits_max)
        .min()
        .map(|(_, candidate)| candidate)
}

/// "`a`, `b` or `c`".
pub(crate) fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_points_at_the_value() {
        let source = Source { name: "ring.yaml".into(), text: "a: 1\nb: 2048\n".into() };
        let place = Place::File { line: 2, column: 4, length: 4 };
        let shown = Diagnostic::at(&source, &place, "b", "is wrong".into(), "do right".into()).to_string();
        assert_eq!(shown, "error: ring.yaml:2:4: b: is wrong\n  |\n2 | b: 2048\n  |    ^^^^\n  = help: do right\n");
    }

    #[test]
    fn the_nearest_word_is_near() {
        let words = ["producers", "consumers", "burst"];
        assert_eq!(nearest("producer", words), Some("producers"));
        assert_eq!(nearest("Bursts", words), Some("burst"));
        assert_eq!(nearest("brust", words), Some("burst"));
        assert_eq!(nearest("threads", words), None);
    }
}
