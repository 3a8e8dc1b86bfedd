//! A lock-free stack of numbered nodes.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::operation::STACK_CALL;
use crate::{Atomic, Padded, Platform};

/// Treiber's stack ("Systems programming: coping with parallelism", IBM RJ 5118, 1986) of the nodes
/// `0..nodes`. The top is one word: the first node and a tag that every change increments, so that an exchange
/// fails if the top was changed and changed back meanwhile (short of 2^32 changes). Each node's link has a line
/// of its own, as in the header of a buffer.
pub struct Stack<P: Platform> {
    top: P::Shared<P::AtomicU64>,
    next: P::SharedSlice<Padded<P::AtomicU32>>,
}

/// Stands for no node.
const NONE: u32 = u32::MAX;

#[inline(always)]
fn first(top: u64) -> u32 {
    top as u32
}

#[inline(always)]
fn changed(top: u64, first: u32) -> u64 {
    let tag = (top >> 32) as u32;
    u64::from(tag.wrapping_add(1)) << 32 | u64::from(first)
}

impl<P: Platform> Stack<P> {
    /// An empty stack for so many nodes. Its lines are named `name.top` and `name.next`.
    pub fn new(name: &str, nodes: u32) -> Self {
        let top = P::share(P::AtomicU64::new(u64::from(NONE)));
        let next = P::share_slice(nodes as usize, |_| Padded(P::AtomicU32::new(NONE)));
        P::label(&*top, &format!("{name}.top"));
        P::label::<[_]>(&next, &format!("{name}.next"));
        Self { top, next }
    }

    /// Puts a node on top. It must not be on the stack.
    ///
    /// # Panics
    /// If the stack has no node of this number.
    #[inline]
    pub fn push(&self, node: u32) {
        P::work(STACK_CALL, 1);
        let mut top = self.top.load(Relaxed);
        loop {
            self.next[node as usize].store(first(top), Relaxed);
            match self.top.compare_exchange(top, changed(top, node), Release, Relaxed) {
                Ok(_) => return,
                Err(now) => top = now,
            }
            P::branch_missed();
        }
    }

    /// Takes the node on top.
    #[inline]
    pub fn pop(&self) -> Option<u32> {
        P::work(STACK_CALL, 1);
        // Acquires the first node's link and whatever its pusher wrote before.
        let mut top = self.top.load(Acquire);
        loop {
            let node = first(top);
            if node == NONE {
                return None;
            }
            P::dep();
            // Somebody may have popped the node and pushed it elsewhere by now; then the exchange fails.
            let next = self.next[node as usize].load(Relaxed);
            // Relaxed, as this value was acquired when it was loaded, and as an exchange carries on what
            // earlier pushes released.
            match self.top.compare_exchange(top, changed(top, next), Relaxed, Acquire) {
                Ok(_) => return Some(node),
                Err(now) => top = now,
            }
            P::branch_missed();
        }
    }
}

impl<P: Platform> Clone for Stack<P> {
    fn clone(&self) -> Self {
        Self { top: self.top.clone(), next: self.next.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Native;

    #[test]
    fn last_in_first_out() {
        let stack = Stack::<Native>::new("stack", 3);
        assert_eq!(stack.pop(), None);
        for node in [1, 0, 2] {
            stack.push(node);
        }
        assert_eq!([stack.pop(), stack.pop(), stack.pop(), stack.pop()], [Some(2), Some(0), Some(1), None]);
    }

    #[test]
    fn every_change_changes_the_word() {
        let stack = Stack::<Native>::new("stack", 1);
        stack.push(0);
        let before = stack.top.load(Relaxed);
        stack.pop();
        stack.push(0);
        assert_eq!(first(stack.top.load(Relaxed)), first(before));
        assert_ne!(stack.top.load(Relaxed), before);
    }

    #[test]
    fn each_link_has_a_line() {
        assert_eq!(size_of::<Padded<<Native as Platform>::AtomicU32>>(), 128);
    }
}
