//! What can go wrong.

use std::fmt;
use std::path::PathBuf;

/// Why a validation or a calibration has no result.
#[derive(Debug)]
pub enum Error {
    /// No set has this name.
    UnknownSet {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A file of measurements does not say what it should.
    Measurements {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A machine profile cannot be had, or does not fit the set.
    Profile {
        /// The machine.
        machine: String,
        /// What is wrong.
        message: String,
    },
    /// A simulation failed.
    Simulation {
        /// The cell.
        cell: String,
        /// How.
        message: String,
    },
    /// The machine has no CPUs that stand as a cell's threads do.
    Placement {
        /// The machine.
        machine: String,
        /// What was looked for.
        wanted: String,
    },
    /// The calibration was asked for something that cannot be fitted.
    Calibration(String),
    /// Measuring the host failed.
    Host(String),
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSet { name, known } => {
                write!(f, "there is no validation set {name:?}; there are {}", known.join(", "))
            }
            Self::Measurements { file, message } => write!(f, "measurements {file}: {message}"),
            Self::Profile { machine, message } => write!(f, "machine profile {machine}: {message}"),
            Self::Simulation { cell, message } => write!(f, "simulating {cell}: {message}"),
            Self::Placement { machine, wanted } => write!(f, "machine {machine} has no {wanted}"),
            Self::Calibration(message) => write!(f, "{message}"),
            Self::Host(message) => write!(f, "measuring this host: {message}"),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            _ => None,
        }
    }
}
