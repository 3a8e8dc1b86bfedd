//! The throughput of a microbenchmark on the host's threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use dataplane::Padded;
use dataplane::workload::StopFlag;
use models::microbenchmark::Benchmark;

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

/// Operations per second of all threads that end an operation's way through the system: for rings the consumers.
///
/// # Errors
/// The process may not run on these CPUs, or the benchmark not with so many threads.
pub fn measure(plan: &Plan) -> Result<Figure, Error> {
    let rates: Result<Vec<f64>, Error> = (0..plan.repetitions).map(|_| repetition(plan)).collect();
    Ok(Figure::of(&rates?))
}

fn repetition(plan: &Plan) -> Result<f64, Error> {
    let bodies = benchmark::build(&plan.benchmark, plan.cpus.len() as u32, plan.private_work)?;
    let stop = Padded(AtomicBool::new(false));
    let counts: Vec<Padded<AtomicU64>> = plan.cpus.iter().map(|_| Padded::default()).collect();
    let metered = bodies.into_iter().zip(&counts).map(|(body, count)| {
        let stop = &stop;
        move || body(&mut StopFlag::new(stop, count))
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
    let (_, rate) = pinned::run(&plan.cpus, metered.collect(), window)?;
    Ok(rate)
}
