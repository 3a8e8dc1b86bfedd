//! The microbenchmarks on a simulated machine: line ping-pong, contended counter, lock with a critical section,
//! ring between producers and consumers, stack. Each thread also does private work between two operations.

mod outcome;
mod run;
mod threads;

use std::collections::BTreeMap;

use sim_core::{MachineModel, Time};

pub use dataplane::counter::{Layout as CounterLayout, Update};
pub use outcome::{Conservation, CpuAccount, LineOutcome, Outcome, ThreadOutcome, TurnTime};
pub use run::{Error, Run, run};

/// Which microbenchmark, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Benchmark {
    /// Two threads hand one line to and fro with compare-exchange.
    PingPong,
    /// Every thread updates counters.
    Counter {
        /// How.
        update: Update,
        /// Where the counters are.
        layout: CounterLayout,
    },
    /// Every thread takes one lock, works inside, and lets go.
    Lock {
        /// The lock's algorithm.
        algorithm: LockAlgorithm,
        /// Cache lines written inside the critical section.
        lines: u32,
        /// Iterations of arithmetic inside the critical section.
        critical_work: u32,
    },
    /// Producers enqueue bursts, consumers dequeue them; a single thread does both in turn.
    Ring {
        /// Which reservation both sides use.
        reservation: Reservation,
        /// The first so many threads produce, the others consume.
        producers: u32,
        /// Slots; a power of two.
        slots: u32,
        /// Items per call.
        burst: u32,
        /// Bytes of an item: 4 or 8.
        item_bytes: u32,
    },
    /// Every thread pushes and pops a lock-free stack.
    Stack {
        /// Items that the stack starts with, per thread.
        items: u32,
    },
}

/// A lock's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockAlgorithm {
    /// Test-and-set after seeing it free.
    TestAndSet,
    /// First come, first served, all spinning on one word.
    Ticket,
    /// First come, first served, each spinning on a line of its own.
    Mcs,
}

/// How the two sides of a ring reserve slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// One producer and one consumer: plain stores.
    Single,
    /// Any number of each: compare-exchange.
    Multi,
}

/// A microbenchmark ready to run on a simulated machine.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The machine.
    pub machine: MachineModel,
    /// What one unit of each named operation costs, by its name in `dataplane::operation`.
    pub software: BTreeMap<String, Time>,
    /// What the threads do.
    pub benchmark: Benchmark,
    /// The CPU of each thread; its length is the number of threads. No CPU twice.
    pub placement: Vec<u32>,
    /// Iterations of private arithmetic between two operations.
    pub private_work: u32,
    /// Seed of every random stream.
    pub seed: u64,
    /// Simulated time before measuring starts.
    pub warm_up: Time,
    /// Simulated time measured.
    pub duration: Time,
}
