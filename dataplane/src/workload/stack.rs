//! Every thread pops a node off one stack and pushes it back.

use super::Meter;
use crate::operation::{LOOP, PRIVATE_WORK};
use crate::{Platform, Stack};

/// A stack with some nodes on it.
pub struct Stacking<P: Platform> {
    stack: Stack<P>,
}

impl<P: Platform> Stacking<P> {
    /// A stack with `items` nodes on it for each of `threads` threads, named as in [`Stack::new`].
    pub fn new(name: &str, items: u32, threads: u32) -> Self {
        let nodes = items * threads;
        let stack = Stack::new(name, nodes);
        for node in 0..nodes {
            stack.push(node);
        }
        Self { stack }
    }

    /// One thread. An operation is a pop, private work with the node, and its push; with less than one node per
    /// thread a pop may find nothing, and a turn counts as no operation.
    pub fn run(&self, private_work: u32, meter: &mut impl Meter) {
        loop {
            P::work(LOOP, 1);
            let node = self.stack.pop();
            P::work(PRIVATE_WORK, private_work);
            if let Some(node) = node {
                self.stack.push(node);
            }
            if !meter.done(u32::from(node.is_some())) {
                return;
            }
        }
    }

    /// Takes all nodes off.
    pub fn drain(&self) -> Vec<u32> {
        std::iter::from_fn(|| self.stack.pop()).collect()
    }
}

impl<P: Platform> Clone for Stacking<P> {
    fn clone(&self) -> Self {
        Self { stack: self.stack.clone() }
    }
}
