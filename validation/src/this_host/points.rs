//! What is measured and predicted.

use models::microbenchmark::{Benchmark, CounterLayout, LockAlgorithm, Reservation, Update};
use sim_core::Time;

use crate::calibrate::journal::Key;
use crate::cell::{Interval, Kind};
use crate::experiment::{Differences, Experiment, Reading};
use crate::placement::Placement;
use crate::set::{MICROBENCHMARKS, Point};

/// Iterations of private work.
const WORK: [u32; 6] = [0, 16, 32, 64, 128, 256];

/// Items per call of a ring.
const BURSTS: [u32; 3] = [1, 8, 32];

/// Turns of the threads' loops to simulate.
const TURNS: f64 = 2_000.0;

/// Slots of a ring.
const SLOTS: u32 = 512;

/// Points that share a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    SingleProducerRing,
    Shared,
    ExchangeLoop,
    Stack,
}

impl Family {
    pub(super) const ALL: [Self; 4] = [Self::SingleProducerRing, Self::Shared, Self::ExchangeLoop, Self::Stack];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::SingleProducerRing => "single-producer rings",
            Self::Shared => "multi-producer rings, locks and counters",
            Self::ExchangeLoop => "compare-exchange loops",
            Self::Stack => "stacks",
        }
    }

    /// The error allowed on points not fitted; loops of compare-exchange are the known hard case, and only reported.
    pub(super) const fn bar(self) -> Option<f64> {
        match self {
            Self::SingleProducerRing => Some(0.1),
            Self::Shared => Some(0.2),
            Self::ExchangeLoop | Self::Stack => None,
        }
    }
}

/// A microbenchmark on one or two CPUs.
#[derive(Clone, Debug)]
pub(super) struct NativePoint {
    pub(super) id: String,
    pub(super) family: Family,
    pub(super) benchmark: Benchmark,
    pub(super) threads: u32,
    pub(super) private_work: u32,
    /// Whether parameters may be fitted on it.
    pub(super) fit: bool,
}

/// All points.
pub(super) fn native_points() -> Vec<NativePoint> {
    let counter = |update| Benchmark::Counter { update, layout: CounterLayout::Shared };
    let ring = |reservation, burst| Benchmark::Ring { reservation, producers: 1, slots: SLOTS, burst, item_bytes: 8 };
    let ticket = Benchmark::Lock { algorithm: LockAlgorithm::Ticket, lines: 1, critical_work: 0 };
    let mut benchmarks = vec![
        ("fetch-add".to_owned(), Family::Shared, counter(Update::FetchAdd)),
        ("compare-exchange".to_owned(), Family::ExchangeLoop, counter(Update::CompareExchange)),
        ("ticket-lock".to_owned(), Family::Shared, ticket),
        ("stack".to_owned(), Family::Stack, Benchmark::Stack { items: 4 }),
    ];
    for burst in BURSTS {
        let (single, multi) = (ring(Reservation::Single, burst), ring(Reservation::Multi, burst));
        benchmarks.push((format!("spsc-ring/burst-{burst}"), Family::SingleProducerRing, single));
        benchmarks.push((format!("mpmc-ring/burst-{burst}"), Family::Shared, multi));
    }
    let mut points = Vec::new();
    for (name, family, benchmark) in benchmarks {
        for threads in [1, 2] {
            points.extend(WORK.map(|private_work| NativePoint {
                id: format!("{name}/{threads}-threads/work-{private_work}"),
                family,
                benchmark: benchmark.clone(),
                threads,
                private_work,
                fit: false,
            }));
        }
    }
    choose_half(&mut points);
    points
}

/// Of every family that half is for fitting whose ids have the lesser hashes.
fn choose_half(points: &mut [NativePoint]) {
    for family in Family::ALL {
        let mut of_family: Vec<&mut NativePoint> = points.iter_mut().filter(|point| point.family == family).collect();
        of_family.sort_by_key(|point| Key::new().with(point.id.as_bytes()).value());
        let half = of_family.len() / 2;
        of_family.into_iter().take(half).for_each(|point| point.fit = true);
    }
}

impl NativePoint {
    /// Long enough for some thousand turns of the threads' loops, as fast as they were natively.
    fn duration(&self, measured: Interval) -> Time {
        let items_per_turn = match self.benchmark {
            Benchmark::Ring { burst, .. } => f64::from(burst),
            _ => 1.0,
        };
        let turns_us = TURNS * items_per_turn / measured.centre();
        Time::from_ns_f64(turns_us.clamp(20.0, 200.0) * 1e3)
    }

    /// The point as a cell of the set, measured as the interval says, in millions of operations per second.
    pub(super) fn cell(&self, machine: &str, prefix: &str, measured: Interval) -> Point {
        Point {
            id: format!("{prefix}{}", self.id),
            unit: "million operations per second".to_owned(),
            kind: Kind::Value,
            measured,
            tolerance: self.family.bar().unwrap_or(0.2),
            fit: self.fit,
            machine: machine.to_owned(),
            software: MICROBENCHMARKS.to_owned(),
            experiment: Experiment {
                benchmark: self.benchmark.clone(),
                placement: Placement::FirstCores(self.threads),
                private_work: self.private_work,
                differences: Differences::default(),
                warm_up: Time::from_us(if self.threads == 1 { 5 } else { 60 }),
                duration: self.duration(measured),
                reading: Reading::MillionPerSecond,
            },
            baseline: None,
            note: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_every_family_is_for_fitting() {
        let points = native_points();
        assert_eq!(points.len(), 10 * 2 * 6);
        for family in Family::ALL {
            let of_family: Vec<_> = points.iter().filter(|point| point.family == family).collect();
            let fitted = of_family.iter().filter(|point| point.fit).count();
            assert_eq!(fitted * 2, of_family.len(), "{}", family.name());
        }
    }

    #[test]
    fn the_choice_never_changes() {
        let points = native_points();
        let counters = points.iter().filter(|point| point.id.starts_with("fetch-add/2") && point.fit);
        let fitted: Vec<&str> = counters.map(|point| point.id.as_str()).collect();
        let expected = [0, 16, 32, 64].map(|work| format!("fetch-add/2-threads/work-{work}"));
        assert_eq!(fitted, expected);
    }
}
