//! A simulated microbenchmark that yields a cell's figure.

use std::collections::BTreeMap;

use models::microbenchmark::{Benchmark, Outcome, Setup};
use sim_core::{MachineModel, Time};

use crate::placement::Placement;

/// A machine as the simulator takes it, with what code costs on it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The hardware.
    pub model: MachineModel,
    /// What one unit of each named operation costs.
    pub software: BTreeMap<String, Time>,
}

/// A simulated microbenchmark that yields a cell's figure. It names no machine: the same experiment runs on a
/// stored profile, on a candidate of a calibration, and on a null model's machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// What the threads do.
    pub benchmark: Benchmark,
    /// Where they stand.
    pub placement: Placement,
    /// Iterations of private arithmetic between two operations.
    pub private_work: u32,
    /// How the code measured differs from the dataplane's.
    pub differences: Differences,
    /// Simulated time before measuring starts.
    pub warm_up: Time,
    /// Simulated time measured.
    pub duration: Time,
    /// The figure.
    pub reading: Reading,
}

/// How the code measured differs from the dataplane's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Operations that it does not have: they cost nothing.
    pub without_operations: Vec<&'static str>,
    /// Waiting polls without the spin hint.
    pub without_spin_hint: bool,
}

/// What figure to take from a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// Nanoseconds of one thread per operation of its own.
    NsPerOperationPerThread,
    /// Nanoseconds of the system per operation of any thread.
    NsPerOperation,
    /// Millions of operations per second, of all threads that end an operation's way through the system: for
    /// rings those that consume.
    MillionPerSecond,
    /// Cycles of a clock with this rate in hertz that all threads together spend per item through a ring.
    CyclesPerItem {
        /// The clock's rate.
        clock_hz: f64,
    },
}

impl Experiment {
    /// The experiment on a machine; `None` if the machine has no CPUs that stand as the placement asks.
    pub fn setup(&self, machine: &Machine, seed: u64) -> Option<Setup> {
        let mut model = machine.model.clone();
        if self.differences.without_spin_hint {
            for cpu in &mut model.cpus {
                cpu.costs.spin_hint = Time::ZERO;
            }
        }
        let mut software = machine.software.clone();
        for operation in &self.differences.without_operations {
            software.insert((*operation).to_owned(), Time::ZERO);
        }
        Some(Setup {
            placement: self.placement.resolve(&model, seed)?,
            machine: model,
            software,
            benchmark: self.benchmark.clone(),
            private_work: self.private_work,
            seed,
            warm_up: self.warm_up,
            duration: self.duration,
        })
    }
}

impl Reading {
    /// The figure of a run; infinite if nothing got done.
    pub fn read(self, setup: &Setup, outcome: &Outcome) -> f64 {
        let threads = setup.placement.len() as f64;
        let operations = completed(&setup.benchmark, outcome) as f64;
        let elapsed_ns = setup.duration.as_ns_f64();
        match self {
            Self::NsPerOperationPerThread => elapsed_ns * threads / operations,
            Self::NsPerOperation => elapsed_ns / operations,
            Self::MillionPerSecond => operations / elapsed_ns * 1e3,
            Self::CyclesPerItem { clock_hz } => elapsed_ns * 1e-9 * clock_hz * threads / operations,
        }
    }
}

/// Operations completed: for a ring the items taken out, for all else the operations of all threads.
fn completed(benchmark: &Benchmark, outcome: &Outcome) -> u64 {
    let skipped = match benchmark {
        Benchmark::Ring { producers, .. } if outcome.threads.len() > 1 => *producers as usize,
        _ => 0,
    };
    outcome.threads.iter().skip(skipped).map(|thread| thread.operations).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::machine;
    use models::microbenchmark::{Conservation, Reservation, ThreadOutcome};

    fn ring() -> Experiment {
        Experiment {
            benchmark: Benchmark::Ring {
                reservation: Reservation::Multi,
                producers: 1,
                slots: 64,
                burst: 8,
                item_bytes: 8,
            },
            placement: Placement::NearCores,
            private_work: 0,
            differences: Differences { without_operations: vec!["loop"], without_spin_hint: true },
            warm_up: Time::from_us(1),
            duration: Time::from_us(100),
            reading: Reading::CyclesPerItem { clock_hz: 2e9 },
        }
    }

    fn outcome(operations: [u64; 2]) -> Outcome {
        let threads = operations.map(|operations| ThreadOutcome { name: String::new(), cpu: 0, operations });
        Outcome {
            operation: "item",
            threads: threads.to_vec(),
            accounts: vec![],
            lines: vec![],
            conservation: Conservation::default(),
            accesses: 0,
            operations_total: 0,
            turn: models::microbenchmark::TurnTime::default(),
        }
    }

    #[test]
    fn readings_are_what_the_benchmarks_print() {
        let ring = ring();
        let setup = ring.setup(&machine(4, 5.0, 30.0), 1).unwrap();
        // 10,000 items came out in 100 us, 10 ns each: on each of two threads 20 cycles of 2 GHz.
        let outcome = outcome([10_100, 10_000]);
        assert_eq!(ring.reading.read(&setup, &outcome), 40.0);
        assert_eq!(Reading::NsPerOperation.read(&setup, &outcome), 10.0);
        assert_eq!(Reading::MillionPerSecond.read(&setup, &outcome), 100.0);
        let counter = Setup { benchmark: Benchmark::PingPong, ..setup };
        // 20,100 hand-offs by two threads.
        assert!((Reading::NsPerOperationPerThread.read(&counter, &outcome) - 2e5 / 20_100.0).abs() < 1e-9);
    }

    #[test]
    fn differences_reach_the_setup_and_only_it() {
        let machine = machine(4, 5.0, 30.0);
        let setup = ring().setup(&machine, 3).unwrap();
        assert_eq!(setup.software["loop"], Time::ZERO);
        assert!(setup.machine.cpus.iter().all(|cpu| cpu.costs.spin_hint == Time::ZERO));
        assert_eq!(machine.software["loop"], Time::from_ns(1));
        assert_eq!(setup.seed, 3);
    }
}
