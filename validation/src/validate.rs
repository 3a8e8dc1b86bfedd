//! Holds the simulator against a set.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::cell::{Cell, Simulated};
use crate::error::Error;
use crate::experiment::Machine;
use crate::report::{Judged, Report, Summary};
use crate::set::{Point, Set};
use crate::simulate::{Simulator, figures};

/// How to validate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seeds that every cell is simulated with.
    pub seeds: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { seeds: 5 }
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

/// Simulates a set's points on their machines and judges them. The machines have `parameters_fitted` parameters
/// that were fitted on the points marked for it.
///
/// # Errors
/// The measurements are not as they should be, or a simulation failed.
pub fn validate_on(
    set: &dyn Set,
    simulator: &dyn Simulator,
    machines: &BTreeMap<String, Machine>,
    parameters_fitted: usize,
    options: Options,
    listener: Listener<'_>,
) -> Result<Report, Error> {
    let points = set.points()?;
    let judged = judge(simulator, machines, &points, options, listener)?;
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
    options: Options,
    listener: Listener<'_>,
) -> Result<Vec<Judged>, Error> {
    let total = points.len() as u64 * u64::from(options.seeds);
    let done = AtomicU64::new(0);
    let figures = figures(simulator, machines, points, options.seeds, &|| {
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
    fn a_set_is_simulated_and_judged() {
        let machines = BTreeMap::from([
            ("skylake-client-4".to_owned(), machine(4, 7.0, 37.6)),
            ("graviton1-16".to_owned(), machine(16, 8.8, 40.0)),
        ]);
        let set = find("contention").unwrap();
        let heard = AtomicU64::new(0);
        let listener = |_| {
            heard.fetch_add(1, Relaxed);
        };
        let options = Options { seeds: 2 };
        let report = validate_on(set, &Linear::default(), &machines, 4, options, &listener);
        // The Graviton of this test has hyper-threads and therefore too few cores.
        assert!(matches!(report, Err(Error::Placement { .. })), "{report:?}");

        let mut points = set.points().unwrap();
        points.retain(|point| point.machine == "skylake-client-4");
        let judged = judge(&Linear::default(), &machines, &points, options, &listener).unwrap();
        let add3 = &judged[2].cell;
        assert_eq!(add3.id, "skylake-client-4/atomic-add/3");
        assert!((add3.simulated.median - 82.2).abs() < 0.1, "{add3:?}");
        // Measured are 69.85 to 70.15 ns.
        assert!((add3.error - (82.2 - 70.15) / 70.15).abs() < 2e-3, "{add3:?}");
        assert!(add3.inside && !add3.calibrated);
        assert_eq!(judged.iter().filter(|judged| judged.cell.calibrated).count(), 6);
        assert!(heard.into_inner() >= 2 * points.len() as u64);
    }
}
