//! From measurements of the host to a machine profile.

use std::collections::BTreeMap;

use models::machine::{Parameter, Topology, Value};
use models::quantity::Dimension;

use super::topology::{Distance, HostCpu};
use crate::error::Error;
use crate::native::{self, CoreFigures, Figure, LineFigures};
use crate::profile::Profiles;
use crate::statistics::median;

/// The profile that gives what cannot be measured from outside.
const BASE: &str = "server-16";

/// Pairs of CPUs measured at each distance.
const PAIRS: usize = 4;

/// How often the lines between two CPUs are measured again if these were moved.
const TRIES: u32 = 30;

/// Latencies up to this factor from each other are those of one placement of a virtual machine's CPUs.
const SAME_PLACEMENT: f64 = 1.4;

/// A measured parameter may be off by this part when it is compared with another run's.
const UNCERTAINTY: f64 = 0.1;

/// What cannot be measured apart, and is fitted to throughput.
pub const PARAMETERS: &[&str] = &[
    "core.load-issue",
    "core.store-issue",
    "core.commit",
    "core.mispredict",
    "core.reorder-window",
    "core.locked-lead",
    "coherence.request-share",
    "coherence.locked-hold",
    "coherence.store-hold",
    "coherence.load-hold",
    "operations.loop",
    "operations.item-make",
    "operations.ring-burst",
    "operations.ring-item",
    "operations.lock-call",
    "operations.stack-call",
];

/// A profile of the host and what it rests on.
#[derive(Clone, Debug)]
pub struct HostProfile {
    /// The profiles. CPU number i is the i-th of the CPUs measured.
    pub profiles: Profiles,
    /// What one core costs.
    pub core: CoreFigures,
    /// What lines cost by distance: the pair of CPUs, and the figures.
    pub lines: Vec<(Distance, [u32; 2], LineFigures)>,
}

/// Measures these CPUs and makes a profile of them. `done` hears how many of how many steps are done. Virtual
/// machines move their CPUs while they are measured: lines are measured again until the latency was the same all the
/// time, and is about `latency_ns` if that is wanted.
///
/// # Errors
/// The process may not run on the CPUs, or there is only one.
pub fn measure(
    name: &str,
    cpus: &[HostCpu],
    latency_ns: Option<f64>,
    done: &dyn Fn(u64, u64),
) -> Result<HostProfile, Error> {
    let host = |error: native::Error| Error::Host(error.to_string());
    let pairs = pairs(cpus);
    let Some(first) = cpus.first().filter(|_| !pairs.is_empty()) else {
        return Err(Error::Host("measuring needs two CPUs".to_owned()));
    };
    let steps = pairs.len() as u64 + 1;
    let core = native::measure_core(first.number).map_err(host)?;
    let mut lines = Vec::new();
    for (distance, pair) in pairs {
        done(lines.len() as u64 + 1, steps);
        lines.push((distance, pair, steady_lines(pair, latency_ns).map_err(host)?));
    }
    done(steps, steps);
    let mut profiles = Profiles::load(BASE, "microbenchmarks")?;
    describe(&mut profiles, name, cpus);
    put_core(&mut profiles, &core);
    put_lines(&mut profiles, &lines);
    Ok(HostProfile { profiles, core, lines })
}

/// What lines cost between two CPUs while they hold still.
fn steady_lines(pair: [u32; 2], latency_ns: Option<f64>) -> Result<LineFigures, native::Error> {
    let mut lines = native::measure_lines(pair)?;
    for _ in 0..TRIES {
        let load_ns = lines.dependent_load.median;
        let as_wanted = latency_ns.is_none_or(|wanted| same_latency(load_ns, wanted));
        if same_latency(load_ns, lines.hand_off.median) && as_wanted {
            break;
        }
        lines = native::measure_lines(pair)?;
    }
    Ok(lines)
}

/// Whether two latencies are those of one placement. A probe that saw no hand-off at all is of none.
pub fn same_latency(one_ns: f64, other_ns: f64) -> bool {
    let (less, more) = (one_ns.min(other_ns), one_ns.max(other_ns));
    more.is_finite() && more <= less * SAME_PLACEMENT
}

/// Up to so many pairs of CPUs at each distance that occurs, spread over the machine.
fn pairs(cpus: &[HostCpu]) -> Vec<(Distance, [u32; 2])> {
    let mut by_distance = BTreeMap::<Distance, Vec<[u32; 2]>>::new();
    for (index, one) in cpus.iter().enumerate() {
        for other in &cpus[index + 1..] {
            by_distance.entry(one.distance(other)).or_default().push([one.number, other.number]);
        }
    }
    let spread = |(distance, pairs): (Distance, Vec<[u32; 2]>)| {
        let step = pairs.len().div_ceil(PAIRS);
        pairs.into_iter().step_by(step.max(1)).map(move |pair| (distance, pair))
    };
    by_distance.into_iter().flat_map(spread).collect()
}

fn describe(profiles: &mut Profiles, name: &str, cpus: &[HostCpu]) {
    let machine = &mut profiles.machine;
    machine.name = name.to_owned();
    machine.summary = format!("This host: {} CPUs, measured", cpus.len());
    machine.sources = vec![
        "Measured means: by microbenchmarks on this host; ranges are their spread and a tenth.".to_owned(),
        format!("All else is as on {BASE}: not measured."),
    ];
    machine.topology = Topology::Listed(cpus.iter().enumerate().map(|(index, cpu)| cpu.entry(index)).collect());
    machine.calibration = None;
    machine.transfer.clear();
    profiles.software.name = format!("{name}-software");
}

fn put_core(profiles: &mut Profiles, core: &CoreFigures) {
    let costs = [
        ("hit", core.hit, "a load whose address the load before gave"),
        ("load-issue", core.load, "one of many independent loads that hit"),
        ("drain", core.store, "one of many stores to owned lines"),
        ("locked", core.locked_add, "a locked addition to an owned line"),
        ("fence", core.fence, "a full fence with nothing to drain"),
        ("spin-hint", core.spin_hint, "the spin hint"),
    ];
    for (key, figure, what) in costs {
        profiles.machine.core.insert(key.to_owned(), measured(figure, what));
    }
    let iteration = measured(core.work_iteration, "an iteration of the benchmarks' arithmetic loop");
    for operation in ["private-work", "critical-work"] {
        profiles.software.operations.insert(operation.to_owned(), iteration.clone());
    }
}

fn put_lines(profiles: &mut Profiles, lines: &[(Distance, [u32; 2], LineFigures)]) {
    let mut by_distance = BTreeMap::<Distance, Vec<Figure>>::new();
    for (distance, _, figures) in lines {
        by_distance.entry(*distance).or_default().push(figures.dependent_load);
    }
    for (distance, figures) in by_distance {
        let what = format!("dependent loads of lines dirty in the other's cache, {} pairs of CPUs", figures.len());
        profiles.machine.transfer.insert(distance.key().to_owned(), measured(middle(&figures), &what));
    }
    let gaps: Vec<Figure> = lines.iter().map(|(_, _, figures)| figures.load).collect();
    let gap = measured(middle(&gaps), "independent loads of lines dirty in another cache");
    profiles.machine.core.insert("line-gap".to_owned(), gap);
}

/// The middle of several figures, with the spread of all.
fn middle(figures: &[Figure]) -> Figure {
    let least = figures.iter().map(|figure| figure.p10).fold(f64::INFINITY, f64::min);
    let most = figures.iter().map(|figure| figure.p90).fold(0.0, f64::max);
    let medians: Vec<f64> = figures.iter().map(|figure| figure.median).collect();
    let repetitions = figures.iter().map(|figure| figure.repetitions).sum();
    Figure { median: median(&medians).unwrap_or(f64::NAN), p10: least, p90: most, repetitions }
}

/// A time that was measured, in nanoseconds, as a parameter.
pub fn measured(figure: Figure, what: &str) -> Parameter {
    // Nothing takes less than a picosecond, and what was not measured is not a number.
    let picoseconds = |ns: f64| ((ns * 1e3).round() as u64).max(1);
    let base = picoseconds(figure.median);
    let lo = picoseconds(figure.p10.min(figure.median) * (1.0 - UNCERTAINTY)).min(base);
    let hi = picoseconds(figure.p90.max(figure.median) * (1.0 + UNCERTAINTY)).max(base);
    Parameter {
        value: Value::Number { dimension: Dimension::Time, base, range: lo..=hi },
        source: format!("measured: {what}, {} repetitions", figure.repetitions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(number: u32) -> HostCpu {
        // Two sockets of eight cores.
        HostCpu { number, core: number, cluster: number, llc: number / 8 * 8, socket: number / 8 * 8 }
    }

    #[test]
    fn a_few_pairs_of_each_distance_are_measured() {
        let cpus: Vec<HostCpu> = (0..16).map(cpu).collect();
        let pairs = pairs(&cpus);
        let of = |distance| pairs.iter().filter(|pair| pair.0 == distance).map(|pair| pair.1).collect::<Vec<_>>();
        assert_eq!(of(Distance::SameLlc), [[0, 1], [2, 4], [8, 9], [10, 12]]);
        assert_eq!(of(Distance::OtherSocket), [[0, 8], [2, 8], [4, 8], [6, 8]]);
        assert_eq!(pairs.len(), 8);
    }

    #[test]
    fn a_probe_that_saw_nothing_is_of_no_placement() {
        assert!(same_latency(100.0, 140.0) && !same_latency(100.0, 141.0));
        assert!(!same_latency(f64::INFINITY, f64::INFINITY) && !same_latency(f64::NAN, f64::NAN));
    }

    #[test]
    fn a_measured_profile_can_be_written_and_read() {
        let figure = Figure { median: 21.0, p10: 20.0, p90: 24.0, repetitions: 200 };
        let parameter = measured(figure, "hand-offs");
        assert_eq!(parameter.base(), Some(21_000));
        assert_eq!(parameter.source, "measured: hand-offs, 200 repetitions");
        let Value::Number { range, .. } = &parameter.value else { panic!("{parameter:?}") };
        assert_eq!(*range, 18_000..=26_400);

        let mut profiles = Profiles::load(BASE, "microbenchmarks").unwrap();
        describe(&mut profiles, "here", &[cpu(0), cpu(1)]);
        profiles.machine.transfer.insert("same-llc".to_owned(), parameter);
        let again = models::machine::Profile::from_yaml("here.yaml", &profiles.machine.to_yaml()).unwrap();
        assert_eq!(again, profiles.machine);
        assert_eq!(again.to_model().unwrap().cpus.len(), 2);
    }
}
