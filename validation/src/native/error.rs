//! What can go wrong on the host.

use std::fmt;

/// Why the host could not be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The process may not run on enough CPUs.
    TooFewCpus {
        /// As many are needed.
        needed: usize,
        /// The CPUs that it may run on.
        allowed: Vec<u32>,
    },
    /// The process may not run on a CPU, or the host has no such CPU.
    NotAllowed {
        /// The CPU.
        cpu: u32,
        /// The CPUs that it may run on.
        allowed: Vec<u32>,
    },
    /// The operating system does not say which CPUs the process may run on.
    NoAffinity,
    /// The operating system refused to pin a thread.
    Refused {
        /// To this CPU.
        cpu: u32,
    },
    /// The benchmark cannot run with these threads.
    Unsuitable(String),
    /// A thread ended in a panic.
    Panicked {
        /// The thread's CPU.
        cpu: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewCpus { needed, allowed } => {
                write!(f, "measuring needs {needed} CPUs; this process may run on {allowed:?} (see `taskset -p $$`)")
            }
            Self::NotAllowed { cpu, allowed } => {
                write!(f, "this process may not run on CPU {cpu}, only on {allowed:?} (see `taskset -p $$`)")
            }
            Self::NoAffinity => write!(f, "this operating system does not say which CPUs a process may run on"),
            Self::Refused { cpu } => write!(f, "the operating system refused to pin a thread to CPU {cpu}"),
            Self::Unsuitable(why) => write!(f, "this benchmark cannot run: {why}"),
            Self::Panicked { cpu } => write!(f, "the thread on CPU {cpu} panicked"),
        }
    }
}

impl std::error::Error for Error {}
