//! What can be wrong with a profile.

use std::fmt;

/// Why a profile cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No shipped profile has this name.
    UnknownProfile {
        /// The name.
        name: String,
        /// What would be right.
        help: String,
    },
    /// A file could not be read.
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// Something in a profile is wrong.
    Invalid(Complaint),
}

/// One thing that is wrong with a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaint {
    /// The file, if it came from one.
    pub file: String,
    /// Line and column in the file, counted from 1, if known.
    pub place: Option<(u64, u64)>,
    /// The field's path, such as `core.hit`; empty for the document as a whole.
    pub path: String,
    /// What is wrong.
    pub problem: String,
    /// What would be right; empty if that is plain.
    pub help: String,
}

impl Complaint {
    pub(crate) fn new(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: help.into(), ..Self::default() }
    }

    /// The complaint with the path of the field it is about.
    pub(crate) fn about(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    /// The complaint with its place in a file.
    pub(crate) fn at(self, file: &str, place: Option<(u64, u64)>) -> Self {
        Self { file: file.to_owned(), place, ..self }
    }
}

impl From<Complaint> for Error {
    fn from(complaint: Complaint) -> Self {
        Self::Invalid(complaint)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            f.write_str(&self.file)?;
            if let Some((line, column)) = self.place {
                write!(f, ":{line}:{column}")?;
            }
            f.write_str(": ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{} ", self.path)?;
        }
        f.write_str(&self.problem)?;
        if !self.help.is_empty() {
            write!(f, "; {}", self.help)?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownProfile { name, help } => write!(f, "no profile is called `{name}`; {help}"),
            Self::Unreadable { file, why } => write!(f, "{file} cannot be read: {why}"),
            Self::Invalid(complaint) => complaint.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

/// The candidate that was most likely meant, if one is near enough.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |candidate: &str| strsim::damerau_levenshtein(word, candidate);
    let near = candidates.min_by_key(|candidate| distance(candidate))?;
    (distance(near) <= 2 + word.len() / 4).then_some(near)
}
