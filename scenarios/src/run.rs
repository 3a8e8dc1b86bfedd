//! Runs a scenario over its seeds, on all host cores.

use std::sync::atomic::{AtomicU64, Ordering};

use models::microbenchmark::{Error, Outcome, Run, Setup};
use rayon::prelude::*;
use sim_core::Time;

use crate::report::Report;
use crate::scenario::Scenario;

/// How far a scenario's runs are, all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time done.
    pub done: Time,
    /// Simulated time of all runs.
    pub all: Time,
}

/// Each run reports its progress so many times. How a run is cut changes nothing in its result.
const SLICES: u64 = 200;

/// Runs a scenario and reports what it showed. The runs go on side by side on all host cores; the report does not
/// depend on how many these are. `on_progress` is called now and then, on any thread.
///
/// # Errors
/// That of the first run, in the order of the seeds, whose simulation failed.
pub fn run(scenario: &Scenario, on_progress: &(dyn Fn(Progress) + Sync)) -> Result<Report, Error> {
    let seeds: Vec<u64> = scenario.seeds().collect();
    let all = (scenario.warm_up + scenario.duration) * scenario.repeat;
    let done = AtomicU64::new(0);
    let advanced = |by: Time| {
        let done = Time::from_ps(done.fetch_add(by.as_ps(), Ordering::Relaxed)) + by;
        on_progress(Progress { done, all });
    };
    // Collected whole before looking for errors, since which of several errors comes first must not depend on timing.
    let outcomes: Vec<Result<Outcome, Error>> =
        seeds.par_iter().map(|seed| run_once(&scenario.setup(*seed), &advanced)).collect();
    let outcomes = outcomes.into_iter().collect::<Result<Vec<Outcome>, Error>>()?;
    Ok(Report::new(scenario, &outcomes))
}

fn run_once(setup: &Setup, advanced: &(dyn Fn(Time) + Sync)) -> Result<Outcome, Error> {
    let mut run = Run::new(setup)?;
    let mut reached = Time::ZERO;
    for slice in 1..=SLICES {
        let limit = run.end() * slice / SLICES;
        run.advance(limit)?;
        advanced(limit.since(reached));
        reached = limit;
    }
    run.outcome()
}
