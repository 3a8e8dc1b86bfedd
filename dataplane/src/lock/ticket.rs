//! The ticket lock.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::Lock;
use crate::operation::{LOCK_CALL, LOCK_WAIT};
use crate::{Atomic, Platform};

/// First come, first served: a thread draws a number and waits until it is served. All waiters spin on one
/// word, and it shares its line with the number dispenser.
#[repr(C, align(8))]
pub struct TicketLock<P: Platform> {
    next: P::AtomicU32,
    current: P::AtomicU32,
}

impl<P: Platform> TicketLock<P> {
    /// A free lock.
    pub fn new() -> Self {
        Self { next: P::AtomicU32::new(0), current: P::AtomicU32::new(0) }
    }

    /// Runs `section` while holding the lock.
    #[inline]
    pub fn with<R>(&self, section: impl FnOnce() -> R) -> R {
        P::work(LOCK_CALL, 1);
        let mine = self.next.fetch_add(1, Relaxed);
        P::spin_until(LOCK_WAIT, || (self.current.load(Acquire) == mine).then_some(()));
        let result = section();
        // Only the holder writes `current`.
        let served = self.current.load(Relaxed);
        self.current.store(served.wrapping_add(1), Release);
        result
    }
}

impl<P: Platform> Default for TicketLock<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Platform> Lock<P> for TicketLock<P> {
    fn for_threads(_threads: u32) -> Self {
        Self::new()
    }

    fn label(&self, name: &str) {
        P::label(self, name);
    }

    #[inline]
    fn hold<R>(&self, _thread: u32, section: impl FnOnce() -> R) -> R {
        self.with(section)
    }
}
