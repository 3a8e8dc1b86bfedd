//! The host itself, measured: what its hardware costs, and what the dataplane code does on its real threads.
//!
//! Everything runs on threads pinned to given CPUs, as many short repetitions, of which the median counts: hosts
//! are often virtual machines that lose milliseconds now and then. They may also be moved between placements of
//! their CPUs that differ severalfold in latency, so every table of measurements belongs between two
//! [probes](probe), and is worth nothing if they differ.

mod benchmark;
mod core;
mod error;
mod figure;
mod lines;
mod pinned;
mod software;
mod throughput;

pub use core::{CoreFigures, measure_core};
pub use error::Error;
pub use figure::Figure;
pub use lines::{LineFigures, measure_lines, probe};
pub use pinned::allowed_cpus;
pub use software::{OperationFigure, measure_operations, operations};
pub use throughput::{Plan, Throughput, measure};
