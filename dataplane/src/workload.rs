//! What the threads of the microbenchmarks do: the same code natively, in tests and on a simulated machine.
//!
//! Each workload holds the shared objects, and has one method per kind of thread. A thread repeats its
//! operation, with private work after each, until its [`Meter`] ends it.

mod counting;
mod locking;
mod meter;
mod ping_pong;
mod ring;
mod stack;

pub use counting::Counting;
pub use locking::Locking;
pub use meter::{Limit, Meter, StopFlag};
pub use ping_pong::PingPong;
pub use ring::{Sequenced, consume, loop_back, produce};
pub use stack::Stacking;
