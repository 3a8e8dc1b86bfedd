//! Counting operations, and knowing when to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::Padded;

/// Counts a thread's operations and says when it should end.
pub trait Meter {
    /// Counts completed operations. Whether the thread should go on.
    fn done(&mut self, operations: u32) -> bool;

    /// Whether the thread should end although it waits for something. Asked in each turn of a wait.
    fn stopped(&self) -> bool;
}

/// Ends a thread after a number of operations.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Operations to go.
    pub left: u64,
}

impl Meter for Limit {
    #[inline]
    fn done(&mut self, operations: u32) -> bool {
        self.left = self.left.saturating_sub(u64::from(operations));
        self.left > 0
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.left == 0
    }
}

/// Ends a thread when a flag is set, and shows others how far it is.
#[derive(Debug)]
pub struct StopFlag<'a> {
    stop: &'a AtomicBool,
    shown: &'a Padded<AtomicU64>,
    operations: u64,
    turns: u32,
}

impl<'a> StopFlag<'a> {
    /// After so many turns the flag is looked at and the count shown: seldom enough to cost next to nothing.
    const TURNS: u32 = 64;

    /// Counts from what `shown` holds.
    pub fn new(stop: &'a AtomicBool, shown: &'a Padded<AtomicU64>) -> Self {
        Self { stop, shown, operations: shown.load(Relaxed), turns: 0 }
    }
}

impl Meter for StopFlag<'_> {
    #[inline]
    fn done(&mut self, operations: u32) -> bool {
        self.operations += u64::from(operations);
        self.turns += 1;
        if self.turns < Self::TURNS {
            return true;
        }
        self.turns = 0;
        self.shown.store(self.operations, Relaxed);
        !self.stopped()
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }
}
