//! The queue lock of Mellor-Crummey and Scott ("Algorithms for scalable synchronization on shared-memory
//! multiprocessors", ACM TOCS 9(1), 1991).

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::Lock;
use crate::operation::{LOCK_CALL, LOCK_WAIT};
use crate::{Atomic, Padded, Platform};

/// First come, first served, each waiter spinning on a line of its own, which the holder before it writes.
#[repr(C)]
pub struct McsLock<P: Platform> {
    /// Who came last: its thread number plus one, or 0 if the lock is free.
    tail: P::AtomicU32,
    nodes: P::SharedSlice<Padded<Node<P>>>,
}

#[repr(C)]
struct Node<P: Platform> {
    /// Who waits behind this thread: its number plus one, or 0 while nobody is known to.
    next: P::AtomicU32,
    waiting: P::AtomicU32,
}

impl<P: Platform> McsLock<P> {
    /// A free lock for the threads `0..threads`.
    pub fn new(threads: u32) -> Self {
        let node = |_| Padded(Node { next: P::AtomicU32::new(0), waiting: P::AtomicU32::new(0) });
        Self { tail: P::AtomicU32::new(0), nodes: P::share_slice(threads as usize, node) }
    }

    /// Runs `section` while holding the lock.
    ///
    /// # Panics
    /// If the lock was not made for this thread's number.
    #[inline]
    pub fn with<R>(&self, thread: u32, section: impl FnOnce() -> R) -> R {
        P::work(LOCK_CALL, 1);
        self.acquire(thread);
        let result = section();
        self.release(thread);
        result
    }

    #[inline]
    fn acquire(&self, thread: u32) {
        let node = &self.nodes[thread as usize];
        node.next.store(0, Relaxed);
        node.waiting.store(1, Relaxed);
        // Publishes the node to the next thread, and takes over what the last holder wrote if it is free.
        let before = self.tail.swap(thread + 1, AcqRel);
        if before != 0 {
            P::branch_missed();
            P::dep();
            self.nodes[before as usize - 1].next.store(thread + 1, Release);
            P::spin_until(LOCK_WAIT, || (node.waiting.load(Acquire) == 0).then_some(()));
        }
    }

    #[inline]
    fn release(&self, thread: u32) {
        let node = &self.nodes[thread as usize];
        // Acquires, so that the store to the next thread's `waiting` comes after its own.
        let mut next = node.next.load(Acquire);
        if next == 0 {
            if self.tail.compare_exchange(thread + 1, 0, Release, Relaxed).is_ok() {
                return;
            }
            P::branch_missed();
            next = P::spin_until(LOCK_WAIT, || Some(node.next.load(Acquire)).filter(|next| *next != 0));
        }
        P::dep();
        self.nodes[next as usize - 1].waiting.store(0, Release);
    }
}

impl<P: Platform> Lock<P> for McsLock<P> {
    fn for_threads(threads: u32) -> Self {
        Self::new(threads)
    }

    fn label(&self, name: &str) {
        P::label(self, name);
        for (thread, node) in self.nodes.iter().enumerate() {
            P::label(node, &format!("{name}.node{thread}"));
        }
    }

    #[inline]
    fn hold<R>(&self, thread: u32, section: impl FnOnce() -> R) -> R {
        self.with(thread, section)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::Native;

    #[test]
    fn nodes_do_not_share_lines() {
        assert_eq!((offset_of!(Node<Native>, next), offset_of!(Node<Native>, waiting)), (0, 4));
        assert_eq!(size_of::<Padded<Node<Native>>>(), 128);
    }
}
