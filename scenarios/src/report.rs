//! What running a scenario showed.

mod sums;
mod text;

use models::microbenchmark::Outcome;
use serde::Serialize;

use crate::checker::Setting;
use crate::scenario::Scenario;
use crate::statistics::Estimate;

/// The result document: what `coretwin run --json` prints.
///
/// All figures are of simulated time. The same scenario, seed and version give the same bytes; nothing in here
/// depends on the host. Times are whole picoseconds, rates are per second of simulated time. With several runs
/// (`measure.repeat`) rates are means with confidence intervals, and times and counts are sums over the runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Form of this document; 1. Fields may be added within a form, not removed or given another meaning.
    pub format: u32,
    /// Version of CoreTwin.
    pub version: String,
    /// Which scenario.
    pub scenario: Identity,
    /// The machine's name.
    pub machine: String,
    /// The software profile's name.
    pub software: String,
    /// Every field of the scenario with its value in force, and whether that is a default.
    pub settings: Vec<Setting>,
    /// Simulated time before measuring starts, of each run.
    pub warm_up_ps: u64,
    /// Simulated time measured, of each run.
    pub duration_ps: u64,
    /// What one operation is: "item", "update", "acquisition", "hand-off" or "pop and push".
    pub operation: String,
    /// Operations per second of the whole system. For a ring these are the items taken out of it; for the others,
    /// the sum over the threads.
    pub rate: Estimate,
    /// The same by role: all producers together, all consumers together.
    pub roles: Vec<Role>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// Where the threads' CPUs spent their time.
    pub cpus: Vec<Cpu>,
    /// Named shared objects, dearest first.
    pub lines: Vec<Line>,
    /// Whether the books balance in every run: what went in came out or is inside, and the time of each CPU is
    /// accounted for to the picosecond.
    pub balanced: bool,
    /// The runs, in the order of their seeds.
    pub runs: Vec<RunReport>,
}

/// Which scenario it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Name of the file, without folder and extension, or of the shipped scenario.
    pub name: String,
    /// Its first line of comment.
    pub summary: String,
    /// Changes when anything changes that the result depends on, but for seeds and version: settings and the
    /// profiles' contents. 16 hexadecimal digits.
    pub hash: String,
}

/// What all threads of a role did together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Role {
    /// The threads' name without its number: "producer".
    pub name: String,
    /// How many threads.
    pub threads: u32,
    /// Operations per second.
    pub rate: Estimate,
}

/// What one thread did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thread {
    /// Its name, such as "producer0".
    pub name: String,
    /// The CPU it ran on.
    pub cpu: u32,
    /// Operations completed in the measured time, over all runs.
    pub operations: u64,
    /// Operations per second.
    pub rate: Estimate,
}

/// Where one CPU spent the measured time, over all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cpu {
    /// Its number.
    pub cpu: u32,
    /// The thread on it.
    pub thread: String,
    /// The categories with any time, dearest first. Their times sum to the measured time.
    pub parts: Vec<Part>,
}

/// A category of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its name, such as "work:ring-burst" or "stall:ring.producer".
    pub category: String,
    /// Time spent.
    pub time_ps: u64,
    /// The same as a part of the measured time, 0 to 1.
    pub share: f64,
}

/// What the cache lines of one named object cost, over all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The object, such as "ring.producer" or "lock".
    pub name: String,
    /// Time that CPUs stalled or spun on it, summed over the CPUs.
    pub stall_ps: u64,
    /// The same as a part of all CPUs' measured time, 0 to 1.
    pub share: f64,
    /// Transfers between caches.
    pub transfers: u64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// Its seed.
    pub seed: u64,
    /// Operations per second of the whole system.
    pub rate: f64,
    /// Items put in since time zero; zero for systems without items.
    pub entered: u64,
    /// Items taken out since time zero.
    pub left: u64,
    /// Items inside at the end.
    pub inside: u64,
    /// Whether this run's books balance.
    pub balanced: bool,
    /// How long the turns of the threads' loops took that ended in the measured time.
    pub turn: Turn,
    /// Shared-memory accesses simulated since time zero.
    pub accesses: u64,
    /// Operations since time zero.
    pub operations: u64,
}

/// The distribution of the time between two completions of one thread (of an operation, or of a burst of items),
/// over all threads of a run. Exact to three digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// How many there were.
    pub count: u64,
    /// Half took no longer.
    pub median_ps: u64,
    /// 99 % took no longer.
    pub p99_ps: u64,
    /// 99.9 % took no longer.
    pub p999_ps: u64,
    /// The longest.
    pub longest_ps: u64,
}

impl Report {
    /// The report of a scenario's runs; `outcomes` holds at least one, in the order of the seeds. [`run`](crate::run)
    /// makes one; this is for those who advance the runs themselves.
    pub fn new(scenario: &Scenario, outcomes: &[Outcome]) -> Self {
        let seconds = scenario.duration.as_seconds_f64();
        let runs: Vec<RunReport> = outcomes
            .iter()
            .zip(scenario.seeds())
            .map(|(outcome, seed)| RunReport::new(outcome, seed, scenario.duration.as_ps(), seconds))
            .collect();
        let rates: Vec<f64> = runs.iter().map(|run| run.rate).collect();
        Self {
            format: 1,
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: scenario.identity(),
            machine: scenario.machine_name.clone(),
            software: scenario.software_name.clone(),
            settings: scenario.settings.clone(),
            warm_up_ps: scenario.warm_up.as_ps(),
            duration_ps: scenario.duration.as_ps(),
            operation: outcomes.first().map_or("", |outcome| outcome.operation).into(),
            rate: Estimate::from_runs(&rates),
            roles: sums::roles(outcomes, seconds),
            threads: sums::threads(outcomes, seconds),
            cpus: sums::cpus(outcomes),
            lines: sums::lines(outcomes),
            balanced: runs.iter().all(|run| run.balanced),
            runs,
        }
    }

    /// The document as JSON, ending in a line break.
    ///
    /// # Errors
    /// Never in practice: all parts have a form in JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}
