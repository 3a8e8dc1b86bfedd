//! Discrete-event core: time, order, simulated CPUs, coherent memory, accounting.

pub mod machine;
pub mod time;

pub use machine::{CoherenceCosts, CoreCosts, CpuModel, DistanceClass, LockedAt, MachineModel};
pub use time::{Frequency, Time};
