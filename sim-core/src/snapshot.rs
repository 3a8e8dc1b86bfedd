//! What an observer may see of a simulation between two calls of `advance`.

use crate::access::COUNTERS;
use crate::account::Category;
use crate::cpu::State;
use crate::engine::Engine;
use crate::time::Time;

/// A simulation's state at one moment. Sums are since time zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The moment.
    pub now: Time,
    /// The CPUs, by number.
    pub cpus: Vec<CpuSnapshot>,
    /// The labels of lines, by number.
    pub labels: Vec<LabelSnapshot>,
    /// Shared-memory accesses.
    pub accesses: u64,
    /// Times that a thread was resumed.
    pub switches: u64,
}

/// One CPU's state.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuSnapshot {
    /// Its thread's name; empty if it never had one.
    pub thread: String,
    /// Whether it is waiting for a write.
    pub parked: bool,
    /// Time by category, categories in their order; the sum is exactly `now`.
    pub account: Vec<(Category, Time)>,
    /// The thread's counters.
    pub counters: [u64; COUNTERS],
}

/// What happened to the lines of one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSnapshot {
    /// The name.
    pub name: String,
    /// Transfers between caches and from memory.
    pub transfers: u64,
}

impl Snapshot {
    pub(crate) fn new(engine: &Engine, sums: impl Fn(usize) -> Vec<Time>) -> Self {
        let cpu = |number: usize| {
            let sums = sums(number);
            let total: Time = sums.iter().copied().sum();
            assert_eq!(total, engine.now, "the account of CPU {number} does not add up");
            let used = sums.iter().enumerate().filter(|(_, time)| **time > Time::ZERO);
            CpuSnapshot {
                thread: engine.cpus[number].thread_name.clone(),
                parked: engine.cpus[number].state == State::Parked,
                account: used.map(|(n, time)| (engine.numbering.category(n as u32), *time)).collect(),
                counters: engine.counters[number],
            }
        };
        let labels = engine.labels.iter().zip(&engine.transfers);
        Self {
            now: engine.now,
            cpus: (0..engine.cpus.len()).map(cpu).collect(),
            labels: labels
                .map(|(name, transfers)| LabelSnapshot { name: name.clone(), transfers: *transfers })
                .collect(),
            accesses: engine.accesses,
            switches: engine.switches,
        }
    }

    /// Time that all CPUs together stalled or waited on lines of this label.
    pub fn time_on_label(&self, label: usize) -> Time {
        let on_label = |category: &Category| match category {
            Category::Stall(l) | Category::Wait(_, l) => l.0 as usize == label,
            _ => false,
        };
        self.cpus.iter().flat_map(|cpu| &cpu.account).filter(|(c, _)| on_label(c)).map(|(_, time)| *time).sum()
    }
}
