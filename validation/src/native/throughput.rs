//! The throughput of a microbenchmark on the host's threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use dataplane::Padded;
use dataplane::workload::StopFlag;
use models::microbenchmark::Benchmark;
use serde::{Deserialize, Serialize};

use super::{Error, Figure, benchmark, pinned};

/// What to measure, and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the threads do. A ring with one thread has it on both ends.
    pub benchmark: Benchmark,
    /// The CPU of each thread.
    pub cpus: Vec<u32>,
    /// Iterations of private arithmetic between two operations.
    pub private_work: u32,
    /// Repetitions, each with new objects and threads.
    pub repetitions: usize,
    /// Of each repetition, the time before measuring starts.
    pub warm_up: Duration,
    /// Of each repetition, the time measured.
    pub duration: Duration,
}

impl Plan {
    /// 15 repetitions of 4 ms.
    pub fn new(benchmark: Benchmark, cpus: Vec<u32>, private_work: u32) -> Self {
        let (warm_up, duration) = (Duration::from_millis(1), Duration::from_millis(4));
        Self { benchmark, cpus, private_work, repetitions: 15, warm_up, duration }
    }
}

/// A repetition counts if no thread waited for its CPU for more than this part of it.
const WAITED_AT_MOST: f64 = 0.02;
/// So many times the repetitions asked for are tried at most.
const TRIES_PER_REPETITION: usize = 3;

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Operations per second of all threads that end an operation's way through the system: for rings the consumers.
    pub rate: Figure,
    /// Repetitions in which other processes took a thread's CPU. They count only if too few others came about:
    /// then the figure is of a busy host, and its middle may be anything.
    pub disturbed: usize,
}

/// Measures a microbenchmark.
///
/// # Errors
/// The process may not run on these CPUs, or the benchmark not with so many threads.
pub fn measure(plan: &Plan) -> Result<Throughput, Error> {
    let (mut quiet, mut disturbed) = (Vec::new(), Vec::new());
    for _ in 0..plan.repetitions * TRIES_PER_REPETITION {
        if quiet.len() == plan.repetitions {
            break;
        }
        let (rate, waited) = repetition(plan)?;
        let counts = waited <= WAITED_AT_MOST * (plan.warm_up + plan.duration).as_secs_f64();
        if counts { &mut quiet } else { &mut disturbed }.push(rate);
    }
    let disturbed_count = disturbed.len();
    if quiet.len() * 2 < plan.repetitions {
        quiet.append(&mut disturbed);
    }
    Ok(Throughput { rate: Figure::of(&quiet), disturbed: disturbed_count })
}

/// Operations per second, and the seconds that the most disturbed thread waited for its CPU.
fn repetition(plan: &Plan) -> Result<(f64, f64), Error> {
    let bodies = benchmark::build(&plan.benchmark, plan.cpus.len() as u32, plan.private_work)?;
    let stop = Padded(AtomicBool::new(false));
    let counts: Vec<Padded<AtomicU64>> = plan.cpus.iter().map(|_| Padded::default()).collect();
    let metered = bodies.into_iter().zip(&counts).map(|(body, count)| {
        let stop = &stop;
        move || {
            let before = pinned::waited();
            body(&mut StopFlag::new(stop, count));
            // Where nobody says how long it was, it counts as none.
            before.zip(pinned::waited()).map_or(Duration::ZERO, |(before, after)| after - before)
        }
    });
    let skipped = match plan.benchmark {
        Benchmark::Ring { producers, .. } if counts.len() > 1 => producers as usize,
        _ => 0,
    };
    let look = || (Instant::now(), counts.iter().skip(skipped).map(|count| count.load(Relaxed)).sum::<u64>());
    let window = || {
        thread::sleep(plan.warm_up);
        let (start, before) = look();
        thread::sleep(plan.duration);
        let (end, after) = look();
        stop.store(true, Relaxed);
        (after - before) as f64 / (end - start).as_secs_f64()
    };
    let (waited, rate) = pinned::run(&plan.cpus, metered.collect(), window)?;
    Ok((rate, waited.into_iter().max().unwrap_or_default().as_secs_f64()))
}
