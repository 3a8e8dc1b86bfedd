//! What it costs to get lines that another CPU has written.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering, fence};
use std::time::Instant;

use dataplane::Padded;
use models::microbenchmark::Benchmark;
use serde::{Deserialize, Serialize};

use super::{Error, Figure, Plan, measure, pinned};

/// Lines per round: they fit into a first-level cache, and a page or two fewer than a translation buffer holds.
const LINES: usize = 128;
/// Rounds of each figure, of 1 to 20 microseconds.
const ROUNDS: usize = 200;

/// What lines cost that the other CPU has just written, in nanoseconds per line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineFigures {
    /// A load whose address the load before gave: the latency.
    pub dependent_load: Figure,
    /// One of many loads that need not wait for each other: the gap between arrivals.
    pub load: Figure,
    /// One of many stores, drained at the end.
    pub store: Figure,
    /// One of many locked adds, results unused.
    pub locked_add: Figure,
    /// A locked add whose address the one before gave.
    pub dependent_locked_add: Figure,
    /// A hand-off of a line with compare-exchange, there or back.
    pub hand_off: Figure,
}

/// The latency of a line that the second CPU has written to the first, in nanoseconds: what tells one placement of a
/// virtual machine's CPUs from another. Takes a few milliseconds.
///
/// # Errors
/// The process may not run on these CPUs.
pub fn probe(cpus: [u32; 2]) -> Result<Figure, Error> {
    rounds(cpus, chase)
}

/// Measures how the first CPU gets lines from the second.
///
/// # Errors
/// The process may not run on these CPUs.
pub fn measure_lines(cpus: [u32; 2]) -> Result<LineFigures, Error> {
    let hand_off = measure(&Plan::new(Benchmark::PingPong, cpus.to_vec(), 0))?;
    Ok(LineFigures {
        dependent_load: rounds(cpus, chase)?,
        load: rounds(cpus, |lines| {
            let values = lines.order.iter().map(|line| lines.next[*line].load(Ordering::Relaxed));
            black_box(values.fold(0, usize::wrapping_add));
        })?,
        store: rounds(cpus, |lines| {
            for line in &lines.order {
                lines.next[*line].store(*line, Ordering::Relaxed);
            }
            fence(Ordering::SeqCst);
        })?,
        locked_add: rounds(cpus, |lines| {
            for line in &lines.order {
                lines.next[*line].fetch_add(1, Ordering::Relaxed);
            }
        })?,
        dependent_locked_add: rounds(cpus, |lines| {
            let mut line = 0;
            for _ in 0..LINES {
                line = lines.next[line].fetch_add(0, Ordering::Relaxed);
            }
            black_box(line);
        })?,
        hand_off: hand_off.rate.reciprocal(1e9),
    })
}

/// Follows the circle once.
fn chase(lines: &Lines) {
    let mut line = 0;
    for _ in 0..LINES {
        line = lines.next[line].load(Ordering::Relaxed);
    }
    black_box(line);
}

/// Lines in a circle, in an order that no prefetcher foresees.
struct Lines {
    next: Vec<Padded<AtomicUsize>>,
    order: Vec<usize>,
}

impl Lines {
    fn new() -> Self {
        // A full-period linear congruential sequence: modulus a power of two, increment odd, multiplier 4k + 1.
        let following = |line: usize| (line * 77 + 45) % LINES;
        let order: Vec<usize> = std::iter::successors(Some(0), |line| Some(following(*line))).take(LINES).collect();
        let next = (0..LINES).map(|line| Padded(AtomicUsize::new(following(line)))).collect();
        Self { next, order }
    }

    /// Writes every line, with what it held at first.
    fn write(&self) {
        for pair in self.order.windows(2) {
            self.next[pair[0]].store(pair[1], Ordering::Relaxed);
        }
        self.next[self.order[LINES - 1]].store(self.order[0], Ordering::Relaxed);
    }
}

/// In each round the second CPU writes all lines, then the first touches them; nanoseconds per line.
fn rounds(cpus: [u32; 2], touch: impl Fn(&Lines) + Sync) -> Result<Figure, Error> {
    let lines = Lines::new();
    // Rounds begun: odd while the second CPU is to write, even while the first is to touch.
    let turn = Padded(AtomicU32::new(1));
    let ended = Padded(AtomicBool::new(false));
    let writer = || {
        while !ended.load(Ordering::Acquire) {
            if turn.load(Ordering::Acquire) % 2 == 1 {
                lines.write();
                turn.fetch_add(1, Ordering::Release);
            }
            std::hint::spin_loop();
        }
        Vec::new()
    };
    let toucher = || {
        let round = |_| {
            while turn.load(Ordering::Acquire) % 2 == 1 {
                std::hint::spin_loop();
            }
            let start = Instant::now();
            touch(&lines);
            let elapsed = start.elapsed();
            turn.fetch_add(1, Ordering::Release);
            elapsed.as_nanos() as f64 / LINES as f64
        };
        let times: Vec<f64> = (0..ROUNDS).map(round).collect();
        ended.store(true, Ordering::Release);
        times
    };
    let bodies: Vec<Box<dyn FnOnce() -> Vec<f64> + Send>> = vec![Box::new(toucher), Box::new(writer)];
    let (times, ()) = pinned::run(&cpus, bodies, || ())?;
    Ok(Figure::of(&times.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circle_passes_through_every_line() {
        let lines = Lines::new();
        let mut visited = lines.order.clone();
        visited.sort_unstable();
        assert!(visited.into_iter().eq(0..LINES));
        lines.write();
        for (index, line) in lines.order.iter().enumerate() {
            assert_eq!(lines.next[*line].load(Ordering::Relaxed), lines.order[(index + 1) % LINES]);
        }
    }
}
