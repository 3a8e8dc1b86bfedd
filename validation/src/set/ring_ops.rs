//! Cycles per element of DPDK's ring by reservation, burst and placement: `ring_perf_autotest`.
//!
//! With two lcores the test adds up the cycles per element of the one that enqueues and the one that dequeues, both
//! counted over the whole run: twice the time per element. Bulks are constant pointers, so making items costs
//! nothing. The fit sees bulks of 8 on the single-producer ring, in each placement.

use models::microbenchmark::{Benchmark, Reservation};
use serde::Deserialize;
use sim_core::Time;

use super::{File, Point, Provenance, Set, load};
use crate::cell::{Interval, Kind};
use crate::error::Error;
use crate::experiment::{Differences, Experiment, Reading};
use crate::placement::Placement;

const FILES: [File; 3] = [
    ("ring-ops/xeon-2-sockets.yaml", include_str!("../../measurements/ring-ops/xeon-2-sockets.yaml")),
    ("ring-ops/x86-56-lcores.yaml", include_str!("../../measurements/ring-ops/x86-56-lcores.yaml")),
    ("ring-ops/thunderx2.yaml", include_str!("../../measurements/ring-ops/thunderx2.yaml")),
];

/// The bar for a held-out cell.
const TOLERANCE: f64 = 0.25;

/// DPDK's ring, per element.
pub struct RingOps;

/// One machine's file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Measurements {
    provenance: Provenance,
    machine: String,
    /// What DPDK's code costs on it.
    software: String,
    unit: String,
    /// Rate of the clock that the test reads.
    tsc_hz: f64,
    slots: u32,
    item_bytes: u32,
    cells: Vec<Measured>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    placement: Lcores,
    reservation: Producers,
    burst: u32,
    measured: Interval,
    #[serde(default)]
    fit: bool,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Lcores {
    OneLcore,
    TwoHyperthreads,
    TwoCores,
    TwoSockets,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Producers {
    Single,
    Multi,
}

impl Set for RingOps {
    fn name(&self) -> &'static str {
        "ring-ops"
    }

    fn about(&self) -> &'static str {
        "cycles per element of DPDK's ring by reservation, burst and placement, two Xeons and a ThunderX2"
    }

    fn null_model(&self) -> &'static str {
        "constant cost per bulk, the same for any number of producers"
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
        &["transfer.*", "operations.ring-burst", "operations.ring-item"]
    }
}

fn point(measurements: &Measurements, cell: &Measured) -> Point {
    let fitted = measurements.cells.iter().find(|other| other.fit && other.placement == cell.placement);
    let baseline = fitted.map(|fitted| fitted.measured.centre() * f64::from(fitted.burst) / f64::from(cell.burst));
    let (placement, lcores) = cell.placement.place();
    let (reservation, producers) = match cell.reservation {
        Producers::Single => (Reservation::Single, "sp-sc"),
        Producers::Multi => (Reservation::Multi, "mp-mc"),
    };
    Point {
        id: format!("{}/{lcores}/{producers}/{}", measurements.machine, cell.burst),
        unit: measurements.unit.clone(),
        kind: Kind::Value,
        measured: cell.measured,
        tolerance: TOLERANCE,
        fit: cell.fit,
        machine: measurements.machine.clone(),
        software: measurements.software.clone(),
        experiment: Experiment {
            benchmark: Benchmark::Ring {
                reservation,
                producers: 1,
                slots: measurements.slots,
                burst: cell.burst,
                item_bytes: measurements.item_bytes,
            },
            placement,
            private_work: 0,
            differences: Differences { without_operations: vec!["item-make"], ..Differences::default() },
            warm_up: Time::from_us(200),
            duration: Time::from_us(400),
            reading: Reading::CyclesPerItem { clock_hz: measurements.tsc_hz },
        },
        baseline,
        note: String::new(),
    }
}

impl Lcores {
    fn place(self) -> (Placement, &'static str) {
        match self {
            Self::OneLcore => (Placement::FirstCores(1), "one-lcore"),
            Self::TwoHyperthreads => (Placement::OneCore, "two-hyperthreads"),
            Self::TwoCores => (Placement::NearCores, "two-cores"),
            Self::TwoSockets => (Placement::FarCores, "two-sockets"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_sees_single_producer_bulks_of_eight_in_each_placement() {
        let points = RingOps.points().unwrap();
        let fitted: Vec<&str> = points.iter().filter(|point| point.fit).map(|point| point.id.as_str()).collect();
        let expected = [
            "xeon-2s-2ghz/one-lcore/sp-sc/8",
            "xeon-2s-2ghz/two-hyperthreads/sp-sc/8",
            "xeon-2s-2ghz/two-cores/sp-sc/8",
            "xeon-2s-2ghz/two-sockets/sp-sc/8",
            "xeon-2s-56-lcores/one-lcore/sp-sc/8",
            "xeon-2s-56-lcores/two-cores/sp-sc/8",
            "thunderx2-2s/two-cores/sp-sc/8",
        ];
        assert_eq!(fitted, expected);
        assert_eq!(points.len(), 18 + 10 + 4);
    }

    #[test]
    fn the_null_model_spreads_a_bulk_over_its_elements() {
        let points = RingOps.points().unwrap();
        let point = points.iter().find(|point| point.id == "thunderx2-2s/two-cores/mp-mc/32").unwrap();
        // 5.86 ticks per element in bulks of 8, a quarter of that in bulks of 32.
        assert!((point.baseline.unwrap() - 1.465).abs() < 1e-3);
    }
}
