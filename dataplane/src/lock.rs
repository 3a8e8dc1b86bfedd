//! Spinning locks. They take the critical section as a closure: nothing happens in a guard's drop.
//!
//! A section that panics leaves its lock held.

mod mcs;
mod test_and_set;
mod ticket;

pub use mcs::McsLock;
pub use test_and_set::TestAndSetLock;
pub use ticket::TicketLock;

use crate::Platform;

/// Any of the locks, for code that is generic over the algorithm.
pub trait Lock<P: Platform>: Send + Sync + 'static {
    /// A free lock for the threads `0..threads`.
    fn for_threads(threads: u32) -> Self;

    /// Names its cache lines, once it is where it stays.
    fn label(&self, name: &str);

    /// Runs `section` while holding the lock, as the thread with this number. Two threads with one number at a
    /// time is a mistake that queue locks do not survive; the others do not look at it.
    fn hold<R>(&self, thread: u32, section: impl FnOnce() -> R) -> R;
}
