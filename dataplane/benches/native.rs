//! The dataplane code on native threads against the same algorithms written by hand on `std::sync::atomic`, and
//! against crossbeam's `ArrayQueue`: what being generic over the platform costs, which should be nothing.
//!
//! `cargo bench -p dataplane`; with two threads the figure is the time per item or operation of the pair.

#[path = "native/by_hand.rs"]
mod by_hand;

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use by_hand::HandRing;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use crossbeam_queue::ArrayQueue;
use dataplane::counter::{Counters, Layout};
use dataplane::{Atomic, Native, TicketLock};
use dataplane::{MpmcRing, SpscRing};

const SLOTS: u32 = 512;

/// Enqueues a burst and dequeues it, on one thread.
fn ring_one_thread(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ring, one thread");
    for burst in [1_usize, 8, 32] {
        group.throughput(Throughput::Elements(burst as u64));
        let items = vec![7_u64; burst];
        let mut out = vec![0_u64; burst];

        let ring = MpmcRing::<Native, u64>::new("ring", SLOTS).unwrap();
        group.bench_function(BenchmarkId::new("mpmc", burst), |bencher| {
            bencher.iter(|| (ring.enqueue_burst(black_box(&items)), ring.dequeue_burst(black_box(&mut out))));
        });
        let ring = HandRing::<true>::new(SLOTS);
        group.bench_function(BenchmarkId::new("mpmc by hand", burst), |bencher| {
            bencher.iter(|| (ring.enqueue_burst(black_box(&items)), ring.dequeue_burst(black_box(&mut out))));
        });
        let (mut producer, mut consumer) = SpscRing::<Native, u64>::new("ring", SLOTS).unwrap().split();
        group.bench_function(BenchmarkId::new("spsc", burst), |bencher| {
            bencher.iter(|| (producer.enqueue_burst(black_box(&items)), consumer.dequeue_burst(black_box(&mut out))));
        });
        let ring = HandRing::<false>::new(SLOTS);
        group.bench_function(BenchmarkId::new("spsc by hand", burst), |bencher| {
            bencher.iter(|| (ring.enqueue_burst(black_box(&items)), ring.dequeue_burst(black_box(&mut out))));
        });
        let queue = ArrayQueue::new(SLOTS as usize);
        group.bench_function(BenchmarkId::new("crossbeam ArrayQueue", burst), |bencher| {
            bencher.iter(|| {
                for item in black_box(&items) {
                    let _ = queue.push(*item);
                }
                for place in black_box(&mut out) {
                    *place = queue.pop().unwrap_or_default();
                }
            });
        });
    }
    group.finish();
}

/// Sends `count` items from a second thread to this one, and returns how long that took.
fn transfer(
    count: u64,
    burst: usize,
    mut enqueue: impl FnMut(&[u64]) -> usize + Send,
    mut dequeue: impl FnMut(&mut [u64]) -> usize,
) -> Duration {
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(move || {
            let items = vec![7; burst];
            let mut sent = 0;
            while sent < count {
                sent += enqueue(&items[..burst.min((count - sent) as usize)]) as u64;
            }
        });
        let mut items = vec![0; burst];
        let mut received = 0;
        while received < count {
            received += dequeue(black_box(&mut items)) as u64;
        }
    });
    start.elapsed()
}

fn ring_two_threads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ring, two threads, per item");
    for burst in [1_usize, 8, 32] {
        group.bench_function(BenchmarkId::new("mpmc", burst), |bencher| {
            let ring = MpmcRing::<Native, u64>::new("ring", SLOTS).unwrap();
            bencher.iter_custom(|count| {
                transfer(count, burst, |items| ring.enqueue_burst(items), |items| ring.dequeue_burst(items))
            });
        });
        group.bench_function(BenchmarkId::new("mpmc by hand", burst), |bencher| {
            let ring = HandRing::<true>::new(SLOTS);
            bencher.iter_custom(|count| {
                transfer(count, burst, |items| ring.enqueue_burst(items), |items| ring.dequeue_burst(items))
            });
        });
        group.bench_function(BenchmarkId::new("spsc", burst), |bencher| {
            let (mut producer, mut consumer) = SpscRing::<Native, u64>::new("ring", SLOTS).unwrap().split();
            bencher.iter_custom(|count| {
                transfer(count, burst, |items| producer.enqueue_burst(items), |items| consumer.dequeue_burst(items))
            });
        });
        group.bench_function(BenchmarkId::new("spsc by hand", burst), |bencher| {
            let ring = HandRing::<false>::new(SLOTS);
            bencher.iter_custom(|count| {
                transfer(count, burst, |items| ring.enqueue_burst(items), |items| ring.dequeue_burst(items))
            });
        });
    }
    group.bench_function("crossbeam ArrayQueue", |bencher| {
        let queue = ArrayQueue::new(SLOTS as usize);
        bencher.iter_custom(|count| {
            let dequeue = |items: &mut [u64]| {
                queue.pop().map_or(0, |item| {
                    items[0] = item;
                    1
                })
            };
            transfer(count, 1, |items| usize::from(queue.push(items[0]).is_ok()), dequeue)
        });
    });
    group.finish();
}

/// Runs `body` this often on each of two threads.
fn on_two_threads(count: u64, body: impl Fn() + Sync) -> Duration {
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..count).for_each(|_| body()));
        }
    });
    start.elapsed()
}

fn lock_and_counter(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ticket lock");
    let lock = TicketLock::<Native>::new();
    let by_hand = by_hand::HandTicketLock::default();
    group.bench_function("one thread", |bencher| bencher.iter(|| lock.with(|| black_box(1))));
    group.bench_function("one thread, by hand", |bencher| bencher.iter(|| by_hand.with(|| black_box(1))));
    group.bench_function("two threads", |bencher| {
        bencher.iter_custom(|count| on_two_threads(count, || lock.with(|| black_box(()))));
    });
    group.bench_function("two threads, by hand", |bencher| {
        bencher.iter_custom(|count| on_two_threads(count, || by_hand.with(|| black_box(()))));
    });
    group.finish();

    let mut group = criterion.benchmark_group("shared counter");
    let counters = Counters::<Native>::new("counter", Layout::Shared, 2);
    let counter = counters.of_thread(0);
    let by_hand = by_hand::Aligned(AtomicU64::new(0));
    group.bench_function("one thread", |bencher| bencher.iter(|| Atomic::fetch_add(counter, 1, Relaxed)));
    group.bench_function("one thread, by hand", |bencher| bencher.iter(|| by_hand.0.fetch_add(1, Relaxed)));
    group.bench_function("two threads", |bencher| {
        bencher.iter_custom(|count| on_two_threads(count, || Atomic::add(counter, 1, Relaxed)));
    });
    group.bench_function("two threads, by hand", |bencher| {
        bencher.iter_custom(|count| {
            on_two_threads(count, || {
                by_hand.0.fetch_add(1, Relaxed);
            })
        });
    });
    group.finish();
}

criterion_group!(benches, ring_one_thread, ring_two_threads, lock_and_counter);
criterion_main!(benches);
