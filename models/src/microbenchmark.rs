//! The microbenchmarks on a simulated machine: line ping-pong, contended counter, lock with a critical section,
//! ring between producers and consumers, stack. Each thread also does private work between two operations.

use std::collections::BTreeMap;

use sim_core::{MachineModel, Time};

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
    /// Producers enqueue bursts, consumers dequeue them.
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

/// Where a set of counters lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterLayout {
    /// One counter for all threads.
    Shared,
    /// One per thread, next to each other: false sharing.
    PerThreadPacked,
    /// One per thread, each on its own line.
    PerThreadPadded,
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

/// What a run showed, over the measured time.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What one operation is: "item", "add", "acquisition", "hand-off", "push-pop".
    pub operation: &'static str,
    /// The threads, in order.
    pub threads: Vec<ThreadOutcome>,
    /// Where each of those threads' CPUs spent its time, in the order of `threads`.
    pub accounts: Vec<CpuAccount>,
    /// Named objects and what their lines cost, dearest first.
    pub lines: Vec<LineOutcome>,
    /// Items put into the system, taken out of it, and inside at the end, since time zero: what goes in comes
    /// out or is inside. Zero for systems without items.
    pub conservation: Conservation,
    /// Shared-memory accesses simulated since time zero.
    pub accesses: u64,
    /// Operations since time zero (for wall-clock rates).
    pub operations_total: u64,
}

/// What one thread did.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadOutcome {
    /// Its name, such as "producer0".
    pub name: String,
    /// The CPU it ran on.
    pub cpu: u32,
    /// Operations it completed in the measured time.
    pub operations: u64,
}

/// Where one CPU spent the measured time. The parts sum to it exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuAccount {
    /// The CPU.
    pub cpu: u32,
    /// Non-zero categories and their time, dearest first.
    pub parts: Vec<(String, Time)>,
}

/// What the lines of one named object cost.
#[derive(Clone, Debug, PartialEq)]
pub struct LineOutcome {
    /// The object's label, such as "ring.producer".
    pub name: String,
    /// Time that CPUs stalled or spun on it, summed over CPUs.
    pub stall: Time,
    /// Transfers of its lines between caches.
    pub transfers: u64,
}

/// Items since time zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Put in.
    pub entered: u64,
    /// Taken out.
    pub left: u64,
    /// Inside at the end.
    pub inside: u64,
}
