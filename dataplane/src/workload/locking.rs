//! Every thread takes one lock, works inside, and lets go.

use super::Meter;
use crate::lock::Lock;
use crate::operation::{CRITICAL_WORK, LOOP, PRIVATE_WORK};
use crate::{Padded, Platform, SharedCell};

/// A lock, and lines that are written while it is held.
pub struct Locking<P: Platform, L: Lock<P>> {
    lock: P::Shared<L>,
    lines: P::SharedSlice<Padded<P::Cell<u64>>>,
    critical_work: u32,
}

impl<P: Platform, L: Lock<P>> Locking<P, L> {
    /// A lock for the threads `0..threads`, named `name`; a critical section increments a counter on each of
    /// `lines` lines, named `name.data`, and does `critical_work` iterations of arithmetic.
    pub fn new(name: &str, threads: u32, lines: u32, critical_work: u32) -> Self {
        let lock = P::share(L::for_threads(threads));
        lock.label(name);
        let lines = P::share_slice(lines as usize, |_| Padded(P::Cell::new(0)));
        P::label::<[_]>(&lines, &format!("{name}.data"));
        Self { lock, lines, critical_work }
    }

    /// One thread. An operation is an acquisition.
    pub fn run(&self, thread: u32, private_work: u32, meter: &mut impl Meter) {
        loop {
            P::work(LOOP, 1);
            self.lock.hold(thread, || {
                for line in self.lines.iter() {
                    // SAFETY: the lock keeps others away.
                    unsafe { line.set(line.get().wrapping_add(1)) };
                }
                P::work(CRITICAL_WORK, self.critical_work);
            });
            if !meter.done(1) {
                return;
            }
            P::work(PRIVATE_WORK, private_work);
        }
    }

    /// What the lines count: each the number of critical sections, if the lock excludes.
    pub fn counts(&self, thread: u32) -> Vec<u64> {
        // SAFETY: the lock keeps others away.
        self.lock.hold(thread, || self.lines.iter().map(|line| unsafe { line.get() }).collect())
    }
}

impl<P: Platform, L: Lock<P>> Clone for Locking<P, L> {
    fn clone(&self) -> Self {
        Self { lock: self.lock.clone(), lines: self.lines.clone(), critical_work: self.critical_work }
    }
}
