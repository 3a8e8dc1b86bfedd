//! Fits profile parameters to the cells that their data marks for it.
//!
//! The objective is the mean of |ln(simulated / measured)| over those cells, with fixed seeds. CMA-ES moves the named
//! parameters inside the ranges that their profile gives them. Every evaluation is written to a journal, so that a
//! calibration that was killed goes on where it was.

pub mod journal;
pub mod objective;
mod request;
pub mod search;

use std::fmt;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::Error;
use crate::experiment::Machine;
use crate::set::Point;
use crate::simulate::Simulator;
use crate::validate::{Listener, Progress};
use journal::{Journal, Key};
use objective::Objective;
pub use request::{Calibrated, Request, calibrate};
use search::{Best, Budget, minimise};

/// A number of a profile that may be fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Where it stands, such as "core.reorder-window" or "software.ring-burst".
    pub path: String,
    /// What it is, in the profile's base unit.
    pub value: f64,
    /// The least that its source allows.
    pub lo: f64,
    /// The most that its source allows.
    pub hi: f64,
}

/// A machine's profile, as calibration sees it.
pub trait Tunable: Sync {
    /// The numbers that have a range.
    fn parameters(&self) -> Vec<Parameter>;

    /// The machine with some of them changed.
    ///
    /// # Errors
    /// The profile does not hold together with these values.
    fn machine(&self, changes: &[(&str, f64)]) -> Result<Machine, Error>;

    /// The whole profile as text: what an evaluation depends on besides the changes.
    fn fingerprint(&self) -> String;
}

/// How to calibrate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seeds that every cell is simulated with.
    pub seeds: u32,
    /// Seed of the search.
    pub search_seed: u64,
    /// How long to search, for each machine.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Self { seeds: 2, search_seed: 1, budget: Budget { evaluations: 1000, until: None } }
    }
}

/// What a calibration did to one machine's profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The machine.
    pub machine: String,
    /// The parameters fitted.
    pub parameters: Vec<Fitted>,
    /// Paths of parameters that were to be fitted but that no cell depends on: they are left as they were.
    pub without_effect: Vec<String>,
    /// The ids of the cells that it was fitted on.
    pub cells: Vec<String>,
    /// Mean |ln(simulated / measured)| before.
    pub before: f64,
    /// And after.
    pub after: f64,
    /// Candidates tried.
    pub evaluations: u64,
    /// The first candidate that could not be simulated, and why; such candidates count as very bad.
    pub failure: Option<String>,
}

/// What a calibration did to one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The parameter before.
    pub parameter: Parameter,
    /// Its value after.
    pub value: f64,
}

/// Changes of a parameter within this part of its range from an end count as being at that end.
const AT_BOUND: f64 = 0.005;

impl Fitted {
    /// Whether it ended at an end of its range: the source's range, not the cells, decided its value.
    pub fn at_bound(&self) -> bool {
        let Parameter { lo, hi, .. } = self.parameter;
        (self.value - lo).min(hi - self.value) <= (hi - lo) * AT_BOUND
    }
}

/// What a calibration has to go by, for one machine.
pub struct Task<'a> {
    /// The machine's name.
    pub machine: &'a str,
    /// Its profile.
    pub profile: &'a dyn Tunable,
    /// Paths of the parameters to fit; a `*` at the end stands for any ending.
    pub fit: &'a [String],
    /// The cells, all of this machine. Only those marked for fitting are looked at.
    pub points: &'a [Point],
}

impl Task<'_> {
    /// Fits the parameters.
    ///
    /// # Errors
    /// A path names no parameter, or there is no cell to fit on.
    pub fn run(
        &self,
        simulator: &dyn Simulator,
        options: Options,
        journal: Option<&Journal>,
        listener: Listener<'_>,
    ) -> Result<Fit, Error> {
        let named = chosen(&self.profile.parameters(), self.fit, self.machine)?;
        let points: Vec<Point> = self.points.iter().filter(|point| point.fit).cloned().collect();
        if points.is_empty() {
            return Err(Error::Calibration(format!("no cell of machine {} is marked for fitting", self.machine)));
        }
        let objective = Objective {
            simulator,
            profile: self.profile,
            points: &points,
            seeds: options.seeds,
            journal,
            key: key(self.profile, &points, options.seeds),
            failure: Mutex::new(None),
        };
        let before = objective.value(&[]);
        // Candidates may be odd, but the profile as it stands has to work.
        if let Some(failure) = objective.take_failure() {
            return Err(failure);
        }
        let (parameters, idle): (Vec<Parameter>, Vec<Parameter>) =
            named.into_iter().partition(|parameter| objective.depends_on(parameter, before));
        let best = self.search(&parameters, &objective, options, listener);
        let fitted = parameters.iter().zip(&best.point);
        Ok(Fit {
            machine: self.machine.to_owned(),
            parameters: fitted
                .map(|(parameter, share)| Fitted { value: parameter.at(*share), parameter: parameter.clone() })
                .collect(),
            without_effect: idle.into_iter().map(|parameter| parameter.path).collect(),
            cells: points.iter().map(|point| point.id.clone()).collect(),
            before,
            after: objective.value(&changes(&parameters, &best.point)),
            evaluations: best.evaluations,
            failure: objective.take_failure().map(|failure| failure.to_string()),
        })
    }

    fn search(
        &self,
        parameters: &[Parameter],
        objective: &Objective<'_>,
        options: Options,
        listener: Listener<'_>,
    ) -> Best {
        let start: Vec<f64> = parameters.iter().map(Parameter::share).collect();
        let done = AtomicU64::new(0);
        let least = Mutex::new(f64::INFINITY);
        minimise(&start, options.search_seed, options.budget, &|shares| {
            let value = objective.value(&changes(parameters, shares));
            let best = {
                let mut least = least.lock().unwrap_or_else(PoisonError::into_inner);
                *least = least.min(value);
                *least
            };
            let done = done.fetch_add(1, Relaxed) + 1;
            let total = options.budget.evaluations;
            listener(Progress::Evaluated { machine: self.machine.to_owned(), done, total, best });
            value + PREFERENCE * distance_from(&start, shares)
        })
    }
}

/// Where the cells leave a parameter open it should stay as its source has it: a candidate as far from there as the
/// ranges allow has to be better by this much.
const PREFERENCE: f64 = 0.002;

/// The mean square of how far the coordinates lie from the start.
fn distance_from(start: &[f64], shares: &[f64]) -> f64 {
    start.iter().zip(shares).map(|(one, other)| (one - other) * (one - other)).sum::<f64>() / start.len().max(1) as f64
}

/// The parameters with the values at these parts of their ranges.
fn changes<'a>(parameters: &'a [Parameter], shares: &[f64]) -> Vec<(&'a str, f64)> {
    let moved = parameters.iter().zip(shares).map(|(parameter, share)| (parameter.path.as_str(), parameter.at(*share)));
    moved.collect()
}

impl Parameter {
    /// Where the value lies in its range, 0 to 1.
    fn share(&self) -> f64 {
        ((self.value - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0)
    }

    /// The value at a part of the range, rounded to four digits so that the profile can show all of it.
    fn at(&self, share: f64) -> f64 {
        let value = self.lo + (self.hi - self.lo) * share;
        let rounded = format!("{value:.3e}").parse().unwrap_or(value);
        f64::clamp(rounded, self.lo, self.hi)
    }
}

/// Whether a path, which may end in a `*`, names the parameter.
fn matches(path: &str, name: &str) -> bool {
    match path.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == path,
    }
}

/// The parameters that the paths name, in the profile's order.
fn chosen(parameters: &[Parameter], paths: &[String], machine: &str) -> Result<Vec<Parameter>, Error> {
    for path in paths {
        if !parameters.iter().any(|parameter| matches(path, &parameter.path)) {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.path.as_str()).collect();
            let names = names.join(", ");
            return Err(Error::Calibration(format!(
                "the profile of machine {machine} has no parameter {path:?} with a range; it has {names}"
            )));
        }
    }
    let wanted = |parameter: &&Parameter| paths.iter().any(|path| matches(path, &parameter.path));
    Ok(parameters.iter().filter(wanted).cloned().collect())
}

/// What an evaluation depends on besides the changes: this program, the profile, the cells, the seeds.
fn key(profile: &dyn Tunable, points: &[Point], seeds: u32) -> Key {
    let program = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    let key = Key::new().with(&program).with_number(f64::from(seeds)).with(profile.fingerprint().as_bytes());
    points.iter().fold(key, |key, point| {
        let key = key.with(point.id.as_bytes()).with(format!("{:?}", point.experiment).as_bytes());
        key.with_number(point.measured.lo).with_number(point.measured.hi)
    })
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} parameters on {} cells, {} candidates; mean |ln(simulated / measured)| {:.4} before, {:.4} after",
            self.machine,
            self.parameters.len(),
            self.cells.len(),
            self.evaluations,
            self.before,
            self.after
        )?;
        let width = self.parameters.iter().map(|fitted| fitted.parameter.path.len()).max().unwrap_or(0);
        for fitted in &self.parameters {
            let Parameter { path, value, lo, hi } = &fitted.parameter;
            let bound = if fitted.at_bound() { "  at its bound" } else { "" };
            writeln!(f, "  {path:width$}  {value:>10} -> {:<10}  range {lo}..{hi}{bound}", fitted.value)?;
        }
        if !self.without_effect.is_empty() {
            writeln!(f, "  no cell depends on {}: left as it was", self.without_effect.join(", "))?;
        }
        writeln!(f, "  cells: {}", self.cells.join(", "))?;
        match &self.failure {
            Some(failure) => writeln!(f, "  some candidates could not be simulated; the first: {failure}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
