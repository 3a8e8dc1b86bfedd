//! How far a candidate is from the cells it is fitted on.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::journal::{Journal, Key};
use super::{Parameter, Tunable};
use crate::error::Error;
use crate::set::Point;
use crate::simulate::{Simulator, figure};

/// What a cell counts whose simulation fails or shows nothing: as much as an error by a factor of a thousand.
const FAILURE: f64 = 6.9;

/// How far a candidate is from the cells it is fitted on: the mean of |ln(simulated / measured)|, in which half
/// and twice count the same. All candidates are simulated with the same seeds.
pub struct Objective<'a> {
    /// What simulates.
    pub simulator: &'a dyn Simulator,
    /// The profile that candidates change.
    pub profile: &'a dyn Tunable,
    /// The cells, all of one machine.
    pub points: &'a [Point],
    /// Seeds per cell.
    pub seeds: u32,
    /// Remembers values.
    pub journal: Option<&'a Journal>,
    /// What a value depends on besides the candidate.
    pub key: Key,
    /// The first failure.
    pub failure: Mutex<Option<Error>>,
}

impl Objective<'_> {
    /// The distance of the profile with these changes.
    pub fn value(&self, changes: &[(&str, f64)]) -> f64 {
        let Some(journal) = self.journal else { return self.evaluate(changes) };
        let with = |key: Key, change: &(&str, f64)| key.with(change.0.as_bytes()).with_number(change.1);
        journal.look_up(changes.iter().fold(self.key, with), || self.evaluate(changes))
    }

    /// Whether the distance, `before` as things stand, changes at all if this parameter goes to an end of its range.
    pub fn depends_on(&self, parameter: &Parameter, before: f64) -> bool {
        [parameter.lo, parameter.hi].into_iter().any(|end| self.value(&[(parameter.path.as_str(), end)]) != before)
    }

    /// The first failure since it was last taken.
    pub fn take_failure(&self) -> Option<Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn evaluate(&self, changes: &[(&str, f64)]) -> f64 {
        let machine = match self.profile.machine(changes) {
            Ok(machine) => machine,
            Err(error) => return self.failed(error),
        };
        let runs: Vec<(&Point, u64)> =
            self.points.iter().flat_map(|point| (0..u64::from(self.seeds)).map(move |seed| (point, seed))).collect();
        let distances: Vec<f64> = runs
            .into_par_iter()
            .map(|(point, seed)| match figure(self.simulator, &machine, point, seed) {
                Ok(simulated) => distance(simulated, point.measured.centre()),
                Err(error) => self.failed(error),
            })
            .collect();
        distances.iter().sum::<f64>() / distances.len().max(1) as f64
    }

    fn failed(&self, error: Error) -> f64 {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        FAILURE
    }
}

/// |ln(simulated / measured)|, at most what a failure counts.
#[expect(clippy::disallowed_methods, reason = "steers a fit; no simulation depends on its last bits")]
fn distance(simulated: f64, measured: f64) -> f64 {
    let distance = (simulated / measured).ln().abs();
    if distance < FAILURE { distance } else { FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_and_twice_are_equally_far() {
        assert_eq!(distance(50.0, 100.0), distance(200.0, 100.0));
        assert!((distance(200.0, 100.0) - std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(distance(100.0, 100.0), 0.0);
    }

    #[test]
    fn nothing_done_counts_as_failure() {
        assert_eq!(distance(f64::INFINITY, 100.0), FAILURE);
        assert_eq!(distance(f64::NAN, 100.0), FAILURE);
        assert_eq!(distance(0.0, 100.0), FAILURE);
    }
}
