//! Dataplane code written once and run everywhere: locks, rings, counters and stacks that are generic over
//! the [`Platform`] they run on.
//!
//! The same source runs on native threads ([`Native`]), under the model checker loom, and on a simulated
//! machine (the platform `Sim` of the `models` crate). Natively everything but the atomics compiles to
//! nothing.

pub mod counter;
pub mod lock;
#[cfg(loom)]
pub mod loom_platform;
pub mod native;
pub mod operation;
pub mod padded;
pub mod platform;
pub mod ring;
pub mod seqlock;
pub mod stack;
pub mod workload;

pub use counter::Counters;
pub use lock::{McsLock, TestAndSetLock, TicketLock};
#[cfg(loom)]
pub use loom_platform::Loom;
pub use native::Native;
pub use operation::Operation;
pub use padded::Padded;
pub use platform::{Atomic, Platform, SharedCell};
pub use ring::{MpmcRing, Ring, SpscRing};
pub use seqlock::SeqLock;
pub use stack::Stack;
