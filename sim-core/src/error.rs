//! What can go wrong with a simulation.

use std::fmt;

use crate::time::Time;
use crate::wedge::Wedge;

/// Why a simulation cannot be built or cannot go on.
#[derive(Clone, Debug)]
pub enum Error {
    /// The machine model contradicts itself.
    Model(String),
    /// A thread was to run on a CPU that the machine does not have, or that has a thread.
    Placement(String),
    /// The host could not give a thread its stack.
    Stack(String),
    /// A simulated thread panicked.
    Panicked {
        /// Its CPU.
        cpu: usize,
        /// Its name.
        thread: String,
        /// Its clock when it did.
        at: Time,
        /// The panic's message.
        message: String,
    },
    /// Every thread waits for another one.
    Wedged(Wedge),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(what) => write!(f, "the machine model is not consistent: {what}"),
            Self::Placement(what) => f.write_str(what),
            Self::Stack(why) => write!(f, "a simulated thread could not get a stack: {why}"),
            Self::Panicked { cpu, thread, at, message } => {
                write!(f, "thread {thread} on CPU {cpu} panicked at {at}: {message}")
            }
            Self::Wedged(wedge) => wedge.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
