//! Counters and a lock that ever more threads fight for: "A Concurrency Cost Hierarchy".
//!
//! Measured is a thread's own time per operation on one counter without private work, from one core to all.
//! The fit sees one and two threads (and five where two never leave a cluster of cores).

use models::microbenchmark::{Benchmark, CounterLayout, LockAlgorithm, Update};
use serde::Deserialize;
use sim_core::Time;

use super::{File, Point, Provenance, Set, load};
use crate::cell::{Interval, Kind};
use crate::error::Error;
use crate::experiment::{Differences, Experiment, Reading};
use crate::placement::Placement;

const FILES: [File; 2] = [
    ("contention/skylake-client.yaml", include_str!("../../measurements/contention/skylake-client.yaml")),
    ("contention/graviton1.yaml", include_str!("../../measurements/contention/graviton1.yaml")),
];

/// The bar for a held-out cell.
const TOLERANCE: f64 = 0.2;

/// Counters and a lock under contention.
pub struct Contention;

/// One machine's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measurements {
    provenance: Provenance,
    machine: String,
    software: String,
    unit: String,
    cells: Vec<Measured>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    benchmark: Operation,
    threads: u32,
    measured: Interval,
    #[serde(default)]
    fit: bool,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Operation {
    AtomicAdd,
    CasAdd,
    TicketSpin,
}

impl Set for Contention {
    fn name(&self) -> &'static str {
        "contention"
    }

    fn about(&self) -> &'static str {
        "atomic add, CAS loop and ticket lock by number of cores, Skylake client and Graviton 1"
    }

    fn null_model(&self) -> &'static str {
        "straight line through the fitted points"
    }

    fn provenance(&self) -> Result<Vec<Provenance>, Error> {
        FILES.into_iter().map(|file| Ok(load::<Measurements>(file)?.provenance)).collect()
    }

    fn points(&self) -> Result<Vec<Point>, Error> {
        let mut points = Vec::new();
        for file in FILES {
            let measurements: Measurements = load(file)?;
            points.extend(measurements.cells.iter().map(|cell| point(&measurements, cell)));
        }
        Ok(points)
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[
            "transfer.*",
            "core.mispredict",
            "coherence.locked-hold",
            "coherence.store-hold",
            "coherence.request-share",
            "coherence.read-service",
            "operations.lock-call",
        ]
    }
}

fn point(measurements: &Measurements, cell: &Measured) -> Point {
    let fitted: Vec<(f64, f64)> = measurements
        .cells
        .iter()
        .filter(|other| other.fit && other.benchmark == cell.benchmark)
        .map(|other| (f64::from(other.threads), other.measured.centre()))
        .collect();
    Point {
        id: format!("{}/{}/{}", measurements.machine, cell.benchmark.name(), cell.threads),
        unit: measurements.unit.clone(),
        kind: Kind::Value,
        measured: cell.measured,
        tolerance: TOLERANCE,
        fit: cell.fit,
        machine: measurements.machine.clone(),
        software: measurements.software.clone(),
        experiment: cell.benchmark.experiment(cell.threads),
        baseline: straight_line(&fitted, f64::from(cell.threads)),
        note: String::new(),
    }
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::AtomicAdd => "atomic-add",
            Self::CasAdd => "cas-add",
            Self::TicketSpin => "ticket-spin",
        }
    }

    fn experiment(self, threads: u32) -> Experiment {
        let counter = |update| Benchmark::Counter { update, layout: CounterLayout::Shared };
        let benchmark = match self {
            Self::AtomicAdd => counter(Update::Add),
            Self::CasAdd => counter(Update::CompareExchange),
            // The counter that the lock protects is an object of its own.
            Self::TicketSpin => Benchmark::Lock { algorithm: LockAlgorithm::Ticket, lines: 1, critical_work: 0 },
        };
        Experiment {
            benchmark,
            placement: Placement::FirstCores(threads),
            private_work: 0,
            differences: Differences { without_spin_hint: true, ..Differences::default() },
            warm_up: Time::from_us(20),
            duration: Time::from_us(200),
            reading: Reading::NsPerOperationPerThread,
        }
    }
}

/// The least-squares line through the points, at `x`; `None` if they do not determine one.
fn straight_line(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|point| (point.0 - mean_x) * (point.0 - mean_x)).sum();
    let slope = points.iter().map(|point| (point.0 - mean_x) * (point.1 - mean_y)).sum::<f64>() / spread;
    (spread > 0.0).then_some(mean_y + slope * (x - mean_x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_sees_one_and_two_threads_and_five_across_clusters() {
        let points = Contention.points().unwrap();
        let fitted: Vec<&str> = points.iter().filter(|point| point.fit).map(|point| point.id.as_str()).collect();
        let operations = ["atomic-add", "cas-add", "ticket-spin"];
        let skylake = operations.iter().flat_map(|op| [1, 2].map(|n| format!("skylake-client-4/{op}/{n}")));
        let graviton = operations.iter().flat_map(|op| [1, 2, 5].map(|n| format!("graviton1-16/{op}/{n}")));
        assert_eq!(fitted, skylake.chain(graviton).collect::<Vec<_>>());
        assert_eq!(points.len(), 3 * 4 + 3 * 16);
    }

    #[test]
    fn more_threads_than_cpus_are_left_out() {
        let points = Contention.points().unwrap();
        assert!(points.iter().all(|point| match &point.experiment.placement {
            Placement::FirstCores(threads) => *threads <= if point.machine == "graviton1-16" { 16 } else { 4 },
            _ => false,
        }));
    }

    #[test]
    fn the_null_model_is_a_straight_line() {
        assert_eq!(straight_line(&[(1.0, 10.0), (2.0, 30.0)], 4.0), Some(70.0));
        // Through (1, 0), (2, 3) and (3, 0) the best line is flat at 1.
        assert_eq!(straight_line(&[(1.0, 0.0), (2.0, 3.0), (3.0, 0.0)], 9.0), Some(1.0));
        assert_eq!(straight_line(&[(1.0, 10.0)], 2.0), None);
        let points = Contention.points().unwrap();
        let add = points.iter().find(|point| point.id == "skylake-client-4/atomic-add/4").unwrap();
        // 7.0 ns at one thread, about 44.6 at two: 7 + 3 * 37.6.
        assert!((add.baseline.unwrap() - 119.8).abs() < 0.3, "{:?}", add.baseline);
    }
}
