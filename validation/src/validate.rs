//! Holds the simulator against a set.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::cell::{Cell, Simulated};
use crate::error::Error;
use crate::experiment::Machine;
use crate::profile;
use crate::report::{Judged, Report, Summary};
use crate::set::{Point, Set};
use crate::simulate::{Simulator, figures};

/// How to validate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seeds that every cell is simulated with.
    pub seeds: u32,
    /// A folder with profiles to use, as a calibration writes them; those that are not there are the shipped ones.
    pub profiles: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { seeds: 5, profiles: None }
    }
}

/// What is going on, for whoever shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// So many of the simulations are done.
    Simulated {
        /// Done.
        done: u64,
        /// Of.
        total: u64,
    },
    /// So many candidates of a calibration were tried.
    Evaluated {
        /// The machine whose parameters are fitted.
        machine: String,
        /// Candidates tried.
        done: u64,
        /// At most about so many.
        total: u64,
        /// The least mean |ln(simulated / measured)| so far.
        best: f64,
    },
    /// So many of the native points are measured.
    Measured {
        /// Done.
        done: u64,
        /// Of.
        total: u64,
    },
}

/// Hears of progress, from any thread.
pub type Listener<'a> = &'a (dyn Fn(Progress) + Sync);

/// Simulates a set with its calibrated profiles and judges it. Nothing is fitted.
///
/// # Errors
/// The measurements or a profile are not as they should be, or a simulation failed.
pub(crate) fn validate_set(
    set: &dyn Set,
    simulator: &dyn Simulator,
    options: &Options,
    listener: Listener<'_>,
) -> Result<Report, Error> {
    let points = set.points()?;
    let profiles = profile::of_points(&points, options.profiles.as_deref())?;
    let mut machines = BTreeMap::new();
    for (name, profiles) in &profiles {
        machines.insert(name.clone(), profiles.to_machine()?);
    }
    let judged = judge(simulator, &machines, &points, options.seeds, listener)?;
    let parameters_fitted = set.parameters_fitted(&points, &profiles.values().collect::<Vec<_>>());
    let sources = set.provenance()?;
    Ok(Report {
        set: set.name().to_owned(),
        summary: Summary::of(&judged, set.null_model(), parameters_fitted),
        cells: judged.into_iter().map(|judged| judged.cell).collect(),
        groups: Vec::new(),
        notes: sources.into_iter().map(|from| format!("measured on {}: {}", from.hardware, from.source)).collect(),
    })
}

/// Simulates points on their machines and judges them.
///
/// # Errors
/// A simulation failed.
pub fn judge(
    simulator: &dyn Simulator,
    machines: &BTreeMap<String, Machine>,
    points: &[Point],
    seeds: u32,
    listener: Listener<'_>,
) -> Result<Vec<Judged>, Error> {
    let total = points.len() as u64 * u64::from(seeds);
    let done = AtomicU64::new(0);
    let figures = figures(simulator, machines, points, seeds, &|| {
        listener(Progress::Simulated { done: done.fetch_add(1, Relaxed) + 1, total });
    })?;
    let judged = points.iter().zip(figures).map(|(point, values)| {
        let simulated = Simulated::of(&values);
        let none = || Error::Simulation { cell: point.id.clone(), message: "no seed was simulated".to_owned() };
        Ok(Judged { cell: cell(point, simulated.ok_or_else(none)?), baseline: point.baseline })
    });
    judged.collect()
}

fn cell(point: &Point, simulated: Simulated) -> Cell {
    let error = point.measured.error(point.kind, simulated.median);
    Cell {
        id: point.id.clone(),
        unit: point.unit.clone(),
        kind: point.kind,
        measured: point.measured,
        simulated,
        error,
        tolerance: point.tolerance,
        calibrated: point.fit,
        inside: error.abs() <= point.tolerance,
        note: point.note.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::find;
    use crate::testing::{Linear, machine};

    #[test]
    fn points_are_simulated_and_judged() {
        let machines = BTreeMap::from([("skylake-client-4".to_owned(), machine(4, 7.0, 37.6))]);
        let mut points = find("contention").unwrap().points().unwrap();
        points.retain(|point| point.machine == "skylake-client-4");
        let heard = AtomicU64::new(0);
        let listener = |_| {
            heard.fetch_add(1, Relaxed);
        };
        let judged = judge(&Linear::default(), &machines, &points, 2, &listener).unwrap();
        let add3 = &judged[2].cell;
        assert_eq!(add3.id, "skylake-client-4/atomic-add/3");
        assert!((add3.simulated.median - 82.2).abs() < 0.1, "{add3:?}");
        // Measured are 69.85 to 70.15 ns.
        assert!((add3.error - (82.2 - 70.15) / 70.15).abs() < 2e-3, "{add3:?}");
        assert!(add3.inside && !add3.calibrated);
        assert_eq!(judged.iter().filter(|judged| judged.cell.calibrated).count(), 6);
        assert_eq!(heard.into_inner(), 2 * points.len() as u64);
    }

    #[test]
    fn a_machine_with_too_few_cores_is_an_error() {
        let machines = BTreeMap::from([("graviton1-16".to_owned(), machine(4, 8.8, 40.0))]);
        let mut points = find("contention").unwrap().points().unwrap();
        points.retain(|point| point.machine == "graviton1-16");
        let judged = judge(&Linear::default(), &machines, &points, 1, &|_| ());
        assert!(matches!(judged, Err(Error::Placement { .. })), "{judged:?}");
    }

    #[test]
    fn every_stored_set_runs_on_its_shipped_profiles() {
        for set in crate::set::stored() {
            let options = Options { seeds: 1, profiles: None };
            let report = validate_set(set, &Linear::default(), &options, &|_| ());
            let report = report.unwrap_or_else(|error| panic!("{}: {error}", set.name()));
            assert_eq!(report.summary.cells, report.cells.len());
            assert!(report.cells.iter().all(|cell| cell.simulated.median > 0.0));
        }
    }
}
