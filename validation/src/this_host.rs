//! The host that the command runs on, predicted and measured in the same call.
//!
//! Throughput of counters, a lock, rings and a stack is measured natively with one and two threads, in short pieces
//! between probes of the latency between the two CPUs: virtual machines are moved between placements in which that
//! differs severalfold. What the hardware costs is measured too. What cannot be measured apart is fitted on half of the
//! points, chosen by a hash of their ids; the other half is predicted. If another placement was met, it is predicted
//! with the same parameters and its own latency.

mod points;
mod samples;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::calibrate::search::Budget;
use crate::calibrate::{self, Fit, Task};
use crate::error::Error;
use crate::experiment::Machine;
use crate::host::{self, HostCpu};
use crate::native::Figure;
use crate::placement::Placement;
use crate::profile::Profiles;
use crate::report::{Group, Judged, Report, Summary};
use crate::set::Point;
use crate::simulate::{Engine, Simulator};
use crate::validate::{Listener, Options, judge};
use points::{Family, NativePoint, native_points};
use samples::{Table, collect};

/// The set's name.
pub const NAME: &str = "this-host";

/// What it holds the simulator against, in a line.
pub const ABOUT: &str = "this host: counters, lock, rings and stack natively with one and two threads, half predicted";

const NULL_MODEL: &str = "each access charged in full, in order";

/// How long the fit may take.
const FIT_TIME: Duration = Duration::from_secs(75);

/// A placement counts if its table has this part of the points with two threads.
const FULL_ENOUGH: f64 = 0.5;

/// Measures this host, fits a profile of it to half of the points and predicts the other half.
///
/// # Errors
/// The process may run on one core only, the CPUs never held still, or a simulation failed.
pub fn validate(options: &Options, listener: Listener<'_>) -> Result<Report, Error> {
    let cpus = two_cpus(&host::allowed()?)?;
    let numbers = [cpus[0].number, cpus[1].number];
    let points = native_points();
    let samples = collect(&points, numbers, listener)?;
    let mut tables = samples.tables();
    let two_threads: Vec<usize> = (0..points.len()).filter(|point| points[*point].threads == 2).collect();
    let first = tables.remove(0);
    if first.share_of(&two_threads) == 0.0 {
        return Err(Error::Host(format!("CPUs {} and {} were moved all the time", numbers[0], numbers[1])));
    }
    tables.retain(|table| table.share_of(&two_threads) >= FULL_ENOUGH);
    let mut profiles = host::measure(NAME, &cpus, Some(first.latency_ns), &|_, _| ())?.profiles;
    set_latency(&mut profiles, first.latency_ns);
    let cells = cells(&points, &first, "");
    let fit = fit(&profiles, &cells, listener)?;
    profiles.apply(&fit, "coretwin validate this-host")?;
    let mut findings = Findings::new(&points, options, listener);
    findings.add(&profiles, &cells, &first, "")?;
    findings.notes.extend(fit.to_string().lines().map(|line| line.trim().to_owned()));
    findings.notes.push(format!(
        "measured at a latency of {:.1} ns between CPUs {} and {}; they were moved during {} pieces of measuring",
        first.latency_ns, numbers[0], numbers[1], samples.moved
    ));
    for second in &tables {
        set_latency(&mut profiles, second.latency_ns);
        findings.predict_elsewhere(&profiles, second)?;
    }
    Ok(findings.report(&fit))
}

/// The first CPU, and the nearest one that is not a hardware thread of the same core.
fn two_cpus(allowed: &[HostCpu]) -> Result<[HostCpu; 2], Error> {
    let Some(first) = allowed.first() else { return Err(Error::Host("no CPU is allowed".to_owned())) };
    let others = allowed.iter().filter(|other| first.distance(other) != host::Distance::SameCore);
    match others.min_by_key(|other| first.distance(other)) {
        Some(second) => Ok([*first, *second]),
        None => {
            Err(Error::Host("this process may run on one core only, and two are needed (see `taskset`)".to_owned()))
        }
    }
}

/// Takes the latency at which a table was measured, whatever it was while the profile was.
fn set_latency(profiles: &mut Profiles, latency_ns: f64) {
    let figure = Figure { median: latency_ns, p10: latency_ns, p90: latency_ns, repetitions: 1 };
    let parameter = host::measured(figure, "hand-offs before and after every measurement");
    for latency in profiles.machine.transfer.values_mut() {
        *latency = parameter.clone();
    }
}

/// The points with what a table says, on the machine `this-host`; without those of which it has too little.
fn cells(points: &[NativePoint], table: &Table, prefix: &str) -> Vec<Point> {
    let cell = |(index, point): (usize, &NativePoint)| Some(point.cell(NAME, prefix, table.interval(index)?));
    points.iter().enumerate().filter_map(cell).collect()
}

fn fit(profiles: &Profiles, cells: &[Point], listener: Listener<'_>) -> Result<Fit, Error> {
    let paths: Vec<String> = host::PARAMETERS.iter().map(|path| (*path).to_owned()).collect();
    let task = Task { machine: NAME, profile: profiles, fit: &paths, points: cells };
    let budget = Budget { evaluations: 4000, until: Some(Instant::now() + FIT_TIME) };
    let options = calibrate::Options { seeds: 1, budget, ..calibrate::Options::default() };
    task.run(&Engine, options, None, listener)
}

/// What was found, placement by placement.
struct Findings<'a> {
    points: &'a [NativePoint],
    options: &'a Options,
    listener: Listener<'a>,
    judged: Vec<Judged>,
    groups: Vec<Group>,
    notes: Vec<String>,
}

impl<'a> Findings<'a> {
    fn new(points: &'a [NativePoint], options: &'a Options, listener: Listener<'a>) -> Self {
        Self { points, options, listener, judged: Vec::new(), groups: Vec::new(), notes: Vec::new() }
    }

    fn report(self, fit: &Fit) -> Report {
        Report {
            set: NAME.to_owned(),
            summary: Summary::of(&self.judged, NULL_MODEL, fit.parameters.len()),
            cells: self.judged.into_iter().map(|judged| judged.cell).collect(),
            groups: self.groups,
            notes: self.notes,
        }
    }

    /// Predicts a placement that no parameter was fitted in. One thread is nowhere else than before.
    fn predict_elsewhere(&mut self, profiles: &Profiles, table: &Table) -> Result<(), Error> {
        let prefix = format!("at {:.0} ns: ", table.latency_ns);
        let mut cells = cells(self.points, table, &prefix);
        cells.retain(|cell| cell.experiment.placement == Placement::FirstCores(2));
        cells.iter_mut().for_each(|cell| cell.fit = false);
        self.notes.push(format!(
            "another placement, with {:.1} ns between the CPUs, is predicted with the parameters of the first",
            table.latency_ns
        ));
        self.add(profiles, &cells, table, &prefix)
    }

    /// Judges the cells of a table.
    fn add(&mut self, profiles: &Profiles, cells: &[Point], table: &Table, prefix: &str) -> Result<(), Error> {
        let judged = self.judge(profiles, cells)?;
        for family in Family::ALL {
            let group = self.group(family, &judged, table, prefix);
            self.groups.push(group);
        }
        self.judged.extend(judged);
        Ok(())
    }

    /// Simulates the cells on the profiles and on the null model's machine.
    fn judge(&self, profiles: &Profiles, cells: &[Point]) -> Result<Vec<Judged>, Error> {
        let machine = profiles.to_machine()?;
        let null = Machine { model: machine.model.in_order(), software: machine.software.clone() };
        let simulate = |machine: Machine, seeds| {
            let machines = BTreeMap::from([(NAME.to_owned(), machine)]);
            judge(&Engine as &dyn Simulator, &machines, cells, seeds, self.listener)
        };
        let mut judged = simulate(machine, self.options.seeds)?;
        for (judged, null) in judged.iter_mut().zip(simulate(null, 1)?) {
            judged.baseline = Some(null.cell.simulated.median);
        }
        Ok(judged)
    }

    /// The bars: the family's own, or twice the distance between native runs if that is more, and half the null
    /// model's error.
    fn group(&mut self, family: Family, judged: &[Judged], table: &Table, prefix: &str) -> Group {
        let of_family: Vec<&NativePoint> = self.points.iter().filter(|point| point.family == family).collect();
        let is_of_family =
            |judged: &&Judged| of_family.iter().any(|point| judged.cell.id == format!("{prefix}{}", point.id));
        let cells: Vec<Judged> = judged.iter().filter(is_of_family).cloned().collect();
        let indices: Vec<usize> = (0..self.points.len()).filter(|index| self.points[*index].family == family).collect();
        let between_runs = table.distance_between_runs(&indices);
        let name = format!("{prefix}{}", family.name());
        self.notes.push(format!("{name}: native runs differ by {:.1} %", between_runs * 100.0));
        let mut group = Group::of(&name, &cells, family.bar().map(|bar| bar.max(2.0 * between_runs)));
        let errors = group.held_out_median_abs_error.zip(group.baseline_held_out_error);
        let beats_null = errors.is_none_or(|(error, null)| error <= null / 2.0);
        group.met = group.met.map(|met| met && beats_null);
        group
    }
}
