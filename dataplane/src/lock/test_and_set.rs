//! Test-and-test-and-set.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::Lock;
use crate::operation::{LOCK_CALL, LOCK_WAIT};
use crate::{Atomic, Platform};

/// One word that whoever changes it from 0 to 1 owns. A loser waits until it reads the word as free, then tries
/// again, as in `rte_spinlock`; no order among waiters.
#[repr(C)]
pub struct TestAndSetLock<P: Platform> {
    held: P::AtomicU32,
}

impl<P: Platform> TestAndSetLock<P> {
    /// A free lock.
    pub fn new() -> Self {
        Self { held: P::AtomicU32::new(0) }
    }

    /// Runs `section` while holding the lock.
    #[inline]
    pub fn with<R>(&self, section: impl FnOnce() -> R) -> R {
        P::work(LOCK_CALL, 1);
        while self.held.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            P::branch_missed();
            P::spin_until(LOCK_WAIT, || (self.held.load(Relaxed) == 0).then_some(()));
        }
        let result = section();
        self.held.store(0, Release);
        result
    }
}

impl<P: Platform> Default for TestAndSetLock<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Platform> Lock<P> for TestAndSetLock<P> {
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
