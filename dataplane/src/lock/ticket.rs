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

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::Native;

    #[test]
    fn both_words_are_side_by_side() {
        assert_eq!((offset_of!(TicketLock<Native>, next), offset_of!(TicketLock<Native>, current)), (0, 4));
        assert_eq!((size_of::<TicketLock<Native>>(), align_of::<TicketLock<Native>>()), (8, 8));
    }

    #[test]
    fn numbers_wrap_around() {
        let lock = TicketLock::<Native>::new();
        lock.next.store(u32::MAX, Relaxed);
        lock.current.store(u32::MAX, Relaxed);
        assert_eq!((lock.with(|| 1), lock.with(|| 2)), (1, 2));
    }
}
