//! Counters that several threads update.

use std::sync::atomic::Ordering::Relaxed;

use crate::{Atomic, Padded, Platform};

/// Where a set of counters lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One counter for all threads.
    Shared,
    /// One per thread, next to each other: false sharing.
    PerThreadPacked,
    /// One per thread, each on its own line.
    PerThreadPadded,
}

/// How a counter is updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// An atomic add whose result nobody uses.
    Add,
    /// An atomic add whose result is used.
    FetchAdd,
    /// Load, then compare-exchange until it succeeds.
    CompareExchange,
    /// Plain load and store: loses updates when shared.
    LoadStore,
}

/// Counters of events, one sum for all threads.
pub enum Counters<P: Platform> {
    /// See [`Layout::Shared`].
    Shared(P::Shared<P::AtomicU64>),
    /// See [`Layout::PerThreadPacked`].
    Packed(P::SharedSlice<P::AtomicU64>),
    /// See [`Layout::PerThreadPadded`].
    Padded(P::SharedSlice<Padded<P::AtomicU64>>),
}

impl<P: Platform> Counters<P> {
    /// Counters at zero, for the threads `0..threads`. Lines are named `name`, or `name.0`, `name.1`... if each
    /// thread has its own.
    pub fn new(name: &str, layout: Layout, threads: u32) -> Self {
        let zero = || P::AtomicU64::new(0);
        match layout {
            Layout::Shared => {
                let counter = P::share(zero());
                P::label(&*counter, name);
                Self::Shared(counter)
            }
            Layout::PerThreadPacked => {
                let counters = P::share_slice(threads as usize, |_| zero());
                P::label::<[_]>(&counters, name);
                Self::Packed(counters)
            }
            Layout::PerThreadPadded => {
                let counters = P::share_slice(threads as usize, |_| Padded(zero()));
                for (thread, counter) in counters.iter().enumerate() {
                    P::label(counter, &format!("{name}.{thread}"));
                }
                Self::Padded(counters)
            }
        }
    }

    /// The word that this thread updates.
    ///
    /// # Panics
    /// If there are fewer threads.
    pub fn of_thread(&self, thread: u32) -> &P::AtomicU64 {
        match self {
            Self::Shared(counter) => counter,
            Self::Packed(counters) => &counters[thread as usize],
            Self::Padded(counters) => &counters[thread as usize],
        }
    }

    /// The sum over all threads, each counter read once.
    pub fn sum(&self) -> u64 {
        match self {
            Self::Shared(counter) => counter.load(Relaxed),
            Self::Packed(counters) => counters.iter().map(|counter| counter.load(Relaxed)).sum(),
            Self::Padded(counters) => counters.iter().map(|counter| counter.load(Relaxed)).sum(),
        }
    }
}

impl<P: Platform> Clone for Counters<P> {
    fn clone(&self) -> Self {
        match self {
            Self::Shared(counter) => Self::Shared(counter.clone()),
            Self::Packed(counters) => Self::Packed(counters.clone()),
            Self::Padded(counters) => Self::Padded(counters.clone()),
        }
    }
}

/// Adds one to a counter by compare-exchange, however often others come in between.
#[inline]
pub fn increment_by_exchange<P: Platform>(counter: &P::AtomicU64) {
    let mut value = counter.load(Relaxed);
    loop {
        match counter.compare_exchange(value, value.wrapping_add(1), Relaxed, Relaxed) {
            Ok(_) => return,
            Err(now) => value = now,
        }
        P::branch_missed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Native;

    fn distance(layout: Layout) -> usize {
        let counters = Counters::<Native>::new("counter", layout, 2);
        let [first, second] = [0, 1].map(|thread| std::ptr::from_ref(counters.of_thread(thread)).addr());
        second - first
    }

    #[test]
    fn layouts_differ_in_distance() {
        assert_eq!(distance(Layout::Shared), 0);
        assert_eq!(distance(Layout::PerThreadPacked), 8);
        assert_eq!(distance(Layout::PerThreadPadded), 128);
    }
}
