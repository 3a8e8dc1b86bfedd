//! Two threads hand one line to and fro.

use std::sync::atomic::Ordering::{AcqRel, Acquire};

use super::Meter;
use crate::operation::{LOOP, PING_WAIT, PRIVATE_WORK};
use crate::{Atomic, Platform};

/// A word that says whose turn it is. Both threads try a compare-exchange until it is theirs, as in the
/// core-to-core latency benchmarks.
pub struct PingPong<P: Platform> {
    turn: P::Shared<P::AtomicU32>,
}

impl<P: Platform> PingPong<P> {
    /// It is thread 0's turn. The line is called `name`.
    pub fn new(name: &str) -> Self {
        let turn = P::share(P::AtomicU32::new(0));
        P::label(&*turn, name);
        Self { turn }
    }

    /// Thread 0 or 1. An operation is a hand-off to the other.
    pub fn run(&self, thread: u32, private_work: u32, meter: &mut impl Meter) {
        loop {
            P::work(LOOP, 1);
            let handed_over =
                P::poll_until(PING_WAIT, || match self.turn.compare_exchange(thread, 1 - thread, AcqRel, Acquire) {
                    Ok(_) => Some(true),
                    Err(_) => meter.stopped().then_some(false),
                });
            if !handed_over || !meter.done(1) {
                return;
            }
            P::work(PRIVATE_WORK, private_work);
        }
    }
}

impl<P: Platform> Clone for PingPong<P> {
    fn clone(&self) -> Self {
        Self { turn: self.turn.clone() }
    }
}
