//! Dataplane code written once and run everywhere: locks, rings, counters and stacks that are generic over
//! the [`Platform`] they run on.
//!
//! The same source runs on native threads ([`Native`]), under the model checker loom, and on a simulated
//! machine (the platform `Sim` of the `models` crate). Natively everything but the atomics compiles to
//! nothing.

pub mod operation;
pub mod platform;

pub use operation::Operation;
pub use platform::{Atomic, Platform, SharedCell};
