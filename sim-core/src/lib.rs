//! Discrete-event core: time, order, simulated CPUs, coherent memory, accounting.

pub mod access;
mod account;
mod arena;
mod coherence;
mod cpu;
mod engine;
mod error;
mod latency;
mod lines;
mod locked;
mod machine;
mod order;
pub mod random;
mod simulation;
mod snapshot;
mod thread;
mod time;
pub mod wait;
mod wedge;

pub use account::{Activity, Category, Label};
pub use error::Error;
pub use latency::Latency;
pub use machine::{CoherenceCosts, CoreCosts, CpuModel, DistanceClass, LockedAt, MachineModel};
pub use simulation::{Simulation, Stop};
pub use snapshot::{CpuSnapshot, LabelSnapshot, Snapshot};
pub use time::{Frequency, Time};
pub use wedge::{Waiting, Wedge};
