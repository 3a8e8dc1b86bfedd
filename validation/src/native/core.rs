//! What one core costs, measured on one thread.

use std::cell::Cell;
use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Instant;

use dataplane::operation::PRIVATE_WORK;
use dataplane::{Native, Padded, Platform};
use serde::{Deserialize, Serialize};

use super::{Error, Figure, pinned};

/// Repetitions of each figure, of 10 to 100 microseconds.
const REPETITIONS: usize = 101;

/// What one core costs, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreFigures {
    /// A load whose address the load before gave, on lines in the first-level cache.
    pub hit: Figure,
    /// One of many loads that need not wait for each other.
    pub load: Figure,
    /// One of many stores.
    pub store: Figure,
    /// A locked add to a line that the core owns, result unused.
    pub locked_add: Figure,
    /// A compare-exchange of an owned line that succeeds, each of the value that the one before left.
    pub compare_exchange: Figure,
    /// A full fence with nothing to drain.
    pub fence: Figure,
    /// A store and a full fence after it.
    pub store_and_fence: Figure,
    /// The spin hint.
    pub spin_hint: Figure,
    /// One iteration of the benchmarks' private work.
    pub work_iteration: Figure,
    /// A call of private work for one iteration, less the iteration.
    pub work_call: Figure,
}

/// Measures a core.
///
/// # Errors
/// The process may not run on this CPU.
pub fn measure_core(cpu: u32) -> Result<CoreFigures, Error> {
    pinned::run_one(cpu, || {
        let word = Padded(AtomicU64::new(0));
        let words: Vec<AtomicU64> = (0..64).map(AtomicU64::new).collect();
        let work_iteration = repeat(10_000, || Native::work(PRIVATE_WORK, 10_000));
        let work_of_one = repeat(5_000, || (0..5_000).for_each(|_| Native::work(PRIVATE_WORK, black_box(1))));
        CoreFigures {
            hit: hit(),
            load: repeat(64 * 200, || loads(&words)),
            store: repeat(64 * 200, || stores(&words)),
            locked_add: repeat(5_000, || {
                for _ in 0..5_000 {
                    word.fetch_add(1, Ordering::Relaxed);
                }
            }),
            compare_exchange: repeat(5_000, || compare_exchanges(&word)),
            fence: repeat(2_000, || {
                for turn in 0..2_000 {
                    fence(Ordering::SeqCst);
                    // Keeps fences apart, which would be merged into one.
                    black_box(turn);
                }
            }),
            store_and_fence: repeat(2_000, || {
                for value in 0..2_000 {
                    word.store(value, Ordering::Relaxed);
                    fence(Ordering::SeqCst);
                }
            }),
            spin_hint: repeat(1_000, || (0..1_000).for_each(|_| spin_loop())),
            work_iteration,
            work_call: Figure {
                median: work_of_one.median - work_iteration.median,
                p10: work_of_one.p10 - work_iteration.median,
                p90: work_of_one.p90 - work_iteration.median,
                ..work_of_one
            },
        }
    })
}

/// Times a body that does something `count` times, and gives nanoseconds for one.
fn repeat(count: u32, mut body: impl FnMut()) -> Figure {
    body();
    let times: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            let start = Instant::now();
            body();
            start.elapsed().as_nanos() as f64 / f64::from(count)
        })
        .collect();
    Figure::of(&times)
}

/// Follows a circle of pointers through a few lines.
fn hit() -> Figure {
    struct Node<'a> {
        next: Cell<Option<&'a Padded<Node<'a>>>>,
    }

    const STEPS: u32 = 10_000;
    let nodes: Vec<Padded<Node<'_>>> = (0..16).map(|_| Padded(Node { next: Cell::new(None) })).collect();
    for (index, node) in nodes.iter().enumerate() {
        node.next.set(Some(&nodes[(index + 5) % nodes.len()]));
    }
    let mut here = &nodes[0];
    repeat(STEPS, || {
        for _ in 0..STEPS {
            let Some(next) = here.next.get() else { break };
            here = next;
        }
        black_box(here.next.as_ptr());
    })
}

fn loads(words: &[AtomicU64]) {
    let mut sum = 0_u64;
    for _ in 0..200 {
        for word in words {
            sum = sum.wrapping_add(word.load(Ordering::Relaxed));
        }
    }
    black_box(sum);
}

fn stores(words: &[AtomicU64]) {
    for value in 0..200 {
        for word in words {
            word.store(value, Ordering::Relaxed);
        }
    }
}

fn compare_exchanges(word: &AtomicU64) {
    let mut value = word.load(Ordering::Relaxed);
    for _ in 0..5_000 {
        // Nobody else is there, so it never fails.
        let (Ok(old) | Err(old)) =
            word.compare_exchange(value, value.wrapping_add(1), Ordering::Relaxed, Ordering::Relaxed);
        value = old.wrapping_add(1);
    }
}
