//! What tests share: a small machine, and a stand-in for the simulator.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use models::microbenchmark::{Benchmark, Conservation, Outcome, Setup, ThreadOutcome};
use sim_core::{CoherenceCosts, CoreCosts, CpuModel, DistanceClass, Frequency, LockedAt, MachineModel, Time};

use crate::experiment::Machine;
use crate::simulate::Simulator;

/// A machine of two sockets, each with half of the CPUs, of which two make a core when there are more than four.
/// Between sockets a transfer takes three times as long.
pub(crate) fn machine(cpus: u32, locked_ns: f64, transfer_ns: f64) -> Machine {
    let per_core = if cpus > 4 { 2 } else { 1 };
    let costs = CoreCosts {
        load_issue: Time::from_ps(200),
        store_issue: Time::from_ps(500),
        hit: Time::from_ns(1),
        locked: Time::from_ns_f64(locked_ns),
        fence: Time::from_ns(10),
        commit: Time::from_ns(1),
        drain: Time::from_ps(500),
        spin_hint: Time::from_ns(20),
        mispredict: Time::from_ns(5),
        reorder_window: Time::from_ns(10),
        locked_lead: Time::from_ns(20),
        line_gap: Time::from_ns(1),
        store_buffer_entries: 56,
        smt_stretch: 1.5,
    };
    let cpu = |number: u32| CpuModel {
        core: number / per_core,
        frequency: Frequency::from_hz(2_000_000_000).unwrap(),
        costs: costs.clone(),
    };
    let class =
        |name: &str, factor| DistanceClass { name: name.to_owned(), latency: Time::from_ns_f64(transfer_ns * factor) };
    let socket = |cpu: u32| u8::from(cpu >= cpus / 2);
    let between = (0..cpus * cpus).map(|index| u8::from(socket(index / cpus) != socket(index % cpus)));
    let model = MachineModel {
        cpus: (0..cpus).map(cpu).collect(),
        distances: vec![class("same socket", 1.0), class("other socket", 3.0)],
        distance_between: between.collect(),
        coherence: CoherenceCosts {
            line_bytes: 64,
            memory_latency: Time::from_ns(90),
            request_share: 0.4,
            locked_hold: 0.33,
            store_hold: 0.5,
            load_hold: 0.0,
            read_service: Time::from_ns(3),
            migratory_reads: true,
            locked_at: LockedAt::Core,
            jitter: 0.0,
        },
    };
    Machine { model, software: BTreeMap::from([("loop".to_owned(), Time::from_ns(1))]) }
}

/// Stands in for the simulator: an operation of one of n threads takes a locked operation, n - 1 transfers and a call
/// of a lock, if that has a cost.
#[derive(Default)]
pub(crate) struct Linear {
    /// How often it was asked.
    pub(crate) runs: AtomicU64,
}

impl Simulator for Linear {
    fn run(&self, setup: &Setup) -> Result<Outcome, String> {
        self.runs.fetch_add(1, Relaxed);
        let threads = setup.placement.len() as u64;
        let locked = setup.machine.cpus[0].costs.locked;
        let call = setup.software.get("lock-call").copied().unwrap_or_default();
        let each = locked + setup.machine.distances[0].latency * (threads - 1) + call;
        let thread = |cpu: &u32| ThreadOutcome {
            name: format!("thread{cpu}"),
            cpu: *cpu,
            operations: setup.duration.as_ps() / each.as_ps(),
        };
        Ok(Outcome {
            operation: if matches!(setup.benchmark, Benchmark::Ring { .. }) { "item" } else { "update" },
            threads: setup.placement.iter().map(thread).collect(),
            accounts: vec![],
            lines: vec![],
            conservation: Conservation::default(),
            accesses: 0,
            operations_total: 0,
            turn: models::microbenchmark::TurnTime::default(),
        })
    }
}

/// A simulator that cannot run anything.
pub(crate) struct Broken;

impl Simulator for Broken {
    fn run(&self, _: &Setup) -> Result<Outcome, String> {
        Err("broken".to_owned())
    }
}
