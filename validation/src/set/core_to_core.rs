//! A self-check: the simulated ping-pong gives back the latencies that the machine profiles were made from.
//!
//! Each cell is a machine and a distance between two of its CPUs. Measured is the median hand-off over all pairs of
//! CPUs at that distance; the profile's transfer latencies were worked out from it, so nothing is held out.

use models::microbenchmark::Benchmark;
use serde::Deserialize;
use sim_core::Time;

use super::{File, MICROBENCHMARKS, Point, Provenance, Set, load};
use crate::cell::{Interval, Kind};
use crate::error::Error;
use crate::experiment::{Differences, Experiment, Reading};
use crate::placement::Placement;
use crate::profile::Profiles;
use crate::statistics::median;

const FILE: File = ("core-to-core/cells.yaml", include_str!("../../measurements/core-to-core/cells.yaml"));

/// The bar for a cell.
const TOLERANCE: f64 = 0.05;

/// Hand-offs by distance.
pub struct CoreToCore;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measurements {
    provenance: Provenance,
    unit: String,
    cells: Vec<Measured>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    machine: String,
    distance: String,
    /// Pairs of CPUs at this distance.
    cpus: Vec<[u32; 2]>,
    /// Over all pairs at this distance.
    median: f64,
    quartiles: [f64; 2],
    /// How many pairs were measured.
    pairs: u32,
    /// The published file.
    file: String,
}

impl Set for CoreToCore {
    fn name(&self) -> &'static str {
        "core-to-core"
    }

    fn about(&self) -> &'static str {
        "self-check: hand-off of a line by distance, chiplets, two sockets, clusters of two, hybrid"
    }

    fn null_model(&self) -> &'static str {
        "one latency for all pairs of a machine"
    }

    fn provenance(&self) -> Result<Vec<Provenance>, Error> {
        Ok(vec![load::<Measurements>(FILE)?.provenance])
    }

    fn points(&self) -> Result<Vec<Point>, Error> {
        let measurements: Measurements = load(FILE)?;
        Ok(measurements.cells.iter().map(|cell| point(&measurements, cell)).collect())
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["transfer.*"]
    }

    /// A latency for each cell.
    fn parameters_fitted(&self, points: &[Point], _: &[&Profiles]) -> usize {
        points.len()
    }
}

fn point(measurements: &Measurements, cell: &Measured) -> Point {
    let pairs = cell.cpus.iter().map(|pair| pair.to_vec()).collect();
    Point {
        id: format!("{}/{}", cell.machine, cell.distance),
        unit: measurements.unit.clone(),
        kind: Kind::Value,
        measured: Interval { lo: cell.median, hi: cell.median },
        tolerance: TOLERANCE,
        fit: true,
        machine: cell.machine.clone(),
        software: MICROBENCHMARKS.to_owned(),
        experiment: Experiment {
            benchmark: Benchmark::PingPong,
            placement: Placement::AnyOf(pairs),
            private_work: 0,
            differences: Differences::default(),
            warm_up: Time::from_us(10),
            duration: Time::from_us(200),
            reading: Reading::NsPerOperation,
        },
        baseline: one_latency(measurements, &cell.machine),
        note: format!("{} pairs, quartiles {} to {}; {}", cell.pairs, cell.quartiles[0], cell.quartiles[1], cell.file),
    }
}

/// The median hand-off over all pairs of a machine, each distance's pairs taken at their median.
fn one_latency(measurements: &Measurements, machine: &str) -> Option<f64> {
    let of_machine = measurements.cells.iter().filter(|cell| cell.machine == machine);
    let each: Vec<f64> = of_machine.flat_map(|cell| (0..cell.pairs).map(|_| cell.median)).collect();
    median(&each)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn machines_of_all_kinds_are_there() {
        let points = CoreToCore.points().unwrap();
        let machines: BTreeSet<&str> = points.iter().map(|point| point.machine.as_str()).collect();
        assert!(machines.len() >= 10, "{machines:?}");
        let has = |text: &str| points.iter().any(|point| point.id.contains(text));
        // Chiplets, several sockets, clusters that share a cache, and cores of two kinds.
        for kind in ["/same-socket", "/other-socket", "lx2160a/same-cluster", "performance+efficient"] {
            assert!(has(kind), "no {kind}");
        }
        let ids: BTreeSet<&str> = points.iter().map(|point| point.id.as_str()).collect();
        assert_eq!(ids.len(), points.len());
    }

    #[test]
    fn the_null_model_is_the_median_over_pairs() {
        // Of the 28 pairs of an i7-6700K 4 are siblings and 24 are not.
        let points = CoreToCore.points().unwrap();
        let siblings = points.iter().find(|point| point.id == "i7-6700k/same-core").unwrap();
        assert_eq!(siblings.measured, Interval { lo: 6.9, hi: 6.9 });
        assert_eq!(siblings.baseline, Some(19.7));
    }
}
