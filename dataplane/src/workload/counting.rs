//! Every thread updates counters.

use std::sync::atomic::Ordering::Relaxed;

use super::Meter;
use crate::counter::{Counters, Layout, Update, increment_by_exchange};
use crate::operation::{LOOP, PRIVATE_WORK};
use crate::{Atomic, Platform};

/// Counters that threads update by one at a time.
pub struct Counting<P: Platform> {
    counters: Counters<P>,
    update: Update,
}

impl<P: Platform> Counting<P> {
    /// Counters at zero for the threads `0..threads`, named as in [`Counters::new`].
    pub fn new(name: &str, update: Update, layout: Layout, threads: u32) -> Self {
        Self { counters: Counters::new(name, layout, threads), update }
    }

    /// One thread. An operation is an update.
    pub fn run(&self, thread: u32, private_work: u32, meter: &mut impl Meter) {
        let counter = self.counters.of_thread(thread);
        match self.update {
            Update::Add => repeat::<P>(private_work, meter, || counter.add(1, Relaxed)),
            Update::FetchAdd => repeat::<P>(private_work, meter, || {
                std::hint::black_box(counter.fetch_add(1, Relaxed));
            }),
            Update::CompareExchange => repeat::<P>(private_work, meter, || increment_by_exchange::<P>(counter)),
            Update::LoadStore => repeat::<P>(private_work, meter, || {
                let value = counter.load(Relaxed);
                counter.store(value.wrapping_add(1), Relaxed);
            }),
        }
    }

    /// What was counted.
    pub fn sum(&self) -> u64 {
        self.counters.sum()
    }
}

#[inline(always)]
fn repeat<P: Platform>(private_work: u32, meter: &mut impl Meter, update: impl Fn()) {
    loop {
        P::work(LOOP, 1);
        update();
        if !meter.done(1) {
            return;
        }
        P::work(PRIVATE_WORK, private_work);
    }
}

impl<P: Platform> Clone for Counting<P> {
    fn clone(&self) -> Self {
        Self { counters: self.counters.clone(), update: self.update }
    }
}
