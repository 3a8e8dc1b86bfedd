//! The host that the command runs on, predicted and measured in the same call.
//!
//! Throughput of counters, a lock, rings and a stack is measured natively with one and two threads, as whole tables
//! between probes of the latency between the two CPUs: virtual machines are moved between placements in which that
//! differs severalfold, and a table during which it moved is taken again. What the hardware costs is measured too.
//! What cannot be measured apart is fitted on half of the points, chosen by a hash of their ids; the other half is
//! predicted. If a second placement was met, it is predicted with the same parameters and its own latency.

mod points;
mod tables;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::calibrate::search::Budget;
use crate::calibrate::{self, Fit, Task};
use crate::error::Error;
use crate::experiment::Machine;
use crate::host::{self, HostCpu, HostProfile};
use crate::profile::Profiles;
use crate::report::{Group, Judged, Report, Summary};
use crate::set::Point;
use crate::simulate::{Engine, Simulator};
use crate::validate::{Listener, Options, judge};
use points::{Family, NativePoint, native_points};
use tables::{Placement, Table, distance_between_runs, interval, placements, take_tables};

/// The set's name.
pub const NAME: &str = "this-host";

/// What it holds the simulator against, in a line.
pub const ABOUT: &str = "this host: counters, lock, rings and stack natively with one and two threads, half predicted";

const NULL_MODEL: &str = "each access charged in full, in order";

/// How long the fit may take.
const FIT_TIME: Duration = Duration::from_secs(75);

/// Measures this host, fits a profile of it to half of the points and predicts the other half.
///
/// # Errors
/// The host has only one CPU for this process, its placement never held still, or a simulation failed.
pub fn validate(options: &Options, listener: Listener<'_>) -> Result<Report, Error> {
    let cpus = two_cpus(&host::allowed()?)?;
    let points = native_points();
    let tables = take_tables(&points, [cpus[0].number, cpus[1].number], listener)?;
    let placements = placements(&tables);
    let Some(first) = placements.first() else {
        return Err(Error::Host("the latency between its CPUs moved during every table of measurements".to_owned()));
    };
    let host = host::measure(NAME, &cpus, &|_, _| ())?;
    let mut profiles = host.profiles.clone();
    set_latency(&mut profiles, &host, first.latency_ns);
    let cells = cells(&points, &first.tables, "");
    let fit = fit(&profiles, &cells, listener)?;
    profiles.apply(&fit, "coretwin validate this-host")?;
    let mut report = Findings { points: &points, options, listener }.of(&profiles, &cells, &first.tables, &fit, "")?;
    report.notes.push(format!(
        "{} tables of native measurements at a latency of {:.1} ns between CPUs {} and {}; {} discarded",
        first.tables.len(),
        first.latency_ns,
        cpus[0].number,
        cpus[1].number,
        tables.iter().filter(|table| !table.held_still()).count(),
    ));
    for second in &placements[1..] {
        set_latency(&mut profiles, &host, second.latency_ns);
        predict_elsewhere(&mut report, &Findings { points: &points, options, listener }, &profiles, second, &fit)?;
    }
    Ok(report)
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

/// Takes the latency at which the tables were measured, whatever it was while the profile was.
fn set_latency(profiles: &mut Profiles, host: &HostProfile, latency_ns: f64) {
    for (distance, _, figures) in &host.lines {
        let mut figure = figures.dependent_load;
        (figure.median, figure.p10, figure.p90) = (latency_ns, latency_ns, latency_ns);
        let parameter = host::measured(figure, "dependent loads of lines dirty in the other's cache, probes");
        profiles.machine.transfer.insert(distance.key().to_owned(), parameter);
    }
}

/// The points with what the tables say, on the machine `this-host`.
fn cells(points: &[NativePoint], tables: &[&Table], prefix: &str) -> Vec<Point> {
    let cell = |(index, point): (usize, &NativePoint)| point.cell(NAME, prefix, interval(tables, index));
    points.iter().enumerate().map(cell).collect()
}

fn fit(profiles: &Profiles, cells: &[Point], listener: Listener<'_>) -> Result<Fit, Error> {
    let paths: Vec<String> = host::PARAMETERS.iter().map(|path| (*path).to_owned()).collect();
    let task = Task { machine: NAME, profile: profiles, fit: &paths, points: cells };
    let budget = Budget { evaluations: 4000, until: Some(Instant::now() + FIT_TIME) };
    let options = calibrate::Options { seeds: 1, budget, ..calibrate::Options::default() };
    task.run(&Engine, options, None, listener)
}

/// Judges cells.
struct Findings<'a> {
    points: &'a [NativePoint],
    options: &'a Options,
    listener: Listener<'a>,
}

impl Findings<'_> {
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

    fn of(
        &self,
        profiles: &Profiles,
        cells: &[Point],
        tables: &[&Table],
        fit: &Fit,
        prefix: &str,
    ) -> Result<Report, Error> {
        let judged = self.judge(profiles, cells)?;
        let (groups, mut notes) = self.groups(&judged, tables, prefix);
        notes.extend(fit.to_string().lines().map(|line| line.trim().to_owned()));
        Ok(Report {
            set: NAME.to_owned(),
            summary: Summary::of(&judged, NULL_MODEL, fit.parameters.len()),
            cells: judged.into_iter().map(|judged| judged.cell).collect(),
            groups,
            notes,
        })
    }

    /// The bars: the family's own, or twice the distance between native runs if that is more, and half the null
    /// model's error.
    fn groups(&self, judged: &[Judged], tables: &[&Table], prefix: &str) -> (Vec<Group>, Vec<String>) {
        let mut notes = Vec::new();
        let group = |family: Family| {
            let of_family = |index: &usize| self.points[*index].family == family;
            let indices: Vec<usize> = (0..self.points.len()).filter(of_family).collect();
            let cells: Vec<Judged> = indices.iter().map(|index| judged[*index].clone()).collect();
            let between_runs = distance_between_runs(tables, &indices);
            notes.push(format!("{prefix}{}: native runs differ by {:.1} %", family.name(), between_runs * 100.0));
            let allowed = family.bar().map(|bar| bar.max(2.0 * between_runs));
            let mut group = Group::of(&format!("{prefix}{}", family.name()), &cells, allowed);
            let half_of_null = group.held_out_median_abs_error.zip(group.baseline_held_out_error);
            let beaten = half_of_null.is_none_or(|(error, null)| error <= null / 2.0);
            group.met = group.met.map(|met| met && beaten);
            group
        };
        let groups = Family::ALL.into_iter().map(group).collect();
        (groups, notes)
    }
}

/// Predicts a placement that no parameter was fitted in.
fn predict_elsewhere(
    report: &mut Report,
    findings: &Findings<'_>,
    profiles: &Profiles,
    placement: &Placement<'_>,
    fit: &Fit,
) -> Result<(), Error> {
    let prefix = format!("at {:.0} ns: ", placement.latency_ns);
    let mut cells = cells(findings.points, &placement.tables, &prefix);
    cells.iter_mut().for_each(|cell| cell.fit = false);
    let judged = findings.judge(profiles, &cells)?;
    let (groups, notes) = findings.groups(&judged, &placement.tables, &prefix);
    report.groups.extend(groups);
    report.notes.push(format!(
        "{} tables met another placement, with {:.1} ns between the CPUs: predicted with the {} parameters of the first",
        placement.tables.len(),
        placement.latency_ns,
        fit.parameters.len(),
    ));
    report.notes.extend(notes);
    report.cells.extend(judged.into_iter().map(|judged| judged.cell));
    Ok(())
}
