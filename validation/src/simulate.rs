//! Simulates cells, on all host cores, each with several seeds.

use std::collections::BTreeMap;

use models::microbenchmark::{Outcome, Setup};
use rayon::prelude::*;

use crate::error::Error;
use crate::experiment::Machine;
use crate::set::Point;

/// Runs microbenchmarks: the simulator, or what stands in for it in tests.
pub trait Simulator: Sync {
    /// What a setup shows.
    ///
    /// # Errors
    /// The run failed: why, in words.
    fn run(&self, setup: &Setup) -> Result<Outcome, String>;
}

/// The simulator itself.
pub struct Engine;

impl Simulator for Engine {
    fn run(&self, setup: &Setup) -> Result<Outcome, String> {
        models::microbenchmark::run(setup).map_err(|error| error.to_string())
    }
}

/// The figure of one point on a machine, with one seed.
///
/// # Errors
/// The machine has no such CPUs, or the run failed.
pub fn figure(simulator: &dyn Simulator, machine: &Machine, point: &Point, seed: u64) -> Result<f64, Error> {
    let Some(setup) = point.experiment.setup(machine, seed) else {
        let wanted = format!("CPUs for {:?}, which {} needs", point.experiment.placement, point.id);
        return Err(Error::Placement { machine: point.machine.clone(), wanted });
    };
    match simulator.run(&setup) {
        Ok(outcome) => Ok(point.experiment.reading.read(&setup, &outcome)),
        Err(message) => Err(Error::Simulation { cell: point.id.clone(), message }),
    }
}

/// The figures of all points on their machines, with the seeds `0..seeds`: one list per point. `done` is called
/// after each run.
///
/// # Errors
/// The first failure, in the order of the points.
pub fn figures(
    simulator: &dyn Simulator,
    machines: &BTreeMap<String, Machine>,
    points: &[Point],
    seeds: u32,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Vec<f64>>, Error> {
    let runs: Vec<(&Point, u64)> =
        points.iter().flat_map(|point| (0..u64::from(seeds)).map(move |seed| (point, seed))).collect();
    let results: Vec<Result<f64, Error>> = runs
        .into_par_iter()
        .map(|(point, seed)| {
            let result = match machines.get(&point.machine) {
                Some(machine) => figure(simulator, machine, point, seed),
                None => Err(Error::Profile { machine: point.machine.clone(), message: "is not loaded".into() }),
            };
            done();
            result
        })
        .collect();
    let figures = results.into_iter().collect::<Result<Vec<f64>, Error>>()?;
    Ok(figures.chunks(seeds.max(1) as usize).map(<[f64]>::to_vec).collect())
}
