//! Several native threads on every structure, with bounded work: nothing is lost, nothing comes twice.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use dataplane::counter::{Layout, Update};
use dataplane::lock::Lock;
use dataplane::ring::{Consumer, MpmcRing, Multi, Producer, Reservation, Ring, Single, SpscRing};
use dataplane::workload::{
    Counting, Limit, Locking, Meter, PingPong, Sequenced, Stacking, consume, loop_back, produce,
};
use dataplane::{McsLock, Native, TestAndSetLock, TicketLock};

const THREADS: u32 = 4;
const OPERATIONS: u64 = 20_000;
/// Fewer where threads wait for each other: a waiter spins for a whole time slice if there is no CPU for the thread
/// that it waits for.
const WAITING_OPERATIONS: u64 = 2_000;

/// Ends all its threads together after a number of operations.
struct SharedLimit<'a> {
    left: &'a AtomicU64,
}

impl Meter for SharedLimit<'_> {
    fn done(&mut self, operations: u32) -> bool {
        self.left.fetch_sub(u64::from(operations), Relaxed);
        !self.stopped()
    }

    fn stopped(&self) -> bool {
        self.left.load(Relaxed) == 0
    }
}

fn on_threads(threads: u32, body: impl Fn(u32) + Sync) {
    thread::scope(|scope| {
        for thread in 0..threads {
            let body = &body;
            scope.spawn(move || body(thread));
        }
    });
}

#[test]
fn counters_lose_nothing() {
    for update in [Update::Add, Update::FetchAdd, Update::CompareExchange] {
        for layout in [Layout::Shared, Layout::PerThreadPacked, Layout::PerThreadPadded] {
            let counting = Counting::<Native>::new("counter", update, layout, THREADS);
            on_threads(THREADS, |thread| counting.run(thread, 0, &mut Limit { left: OPERATIONS }));
            assert_eq!(counting.sum(), u64::from(THREADS) * OPERATIONS, "{update:?} {layout:?}");
        }
    }
}

#[test]
fn per_thread_counters_need_no_atomic_updates() {
    for layout in [Layout::PerThreadPacked, Layout::PerThreadPadded] {
        let counting = Counting::<Native>::new("counter", Update::LoadStore, layout, THREADS);
        on_threads(THREADS, |thread| counting.run(thread, 0, &mut Limit { left: OPERATIONS }));
        assert_eq!(counting.sum(), u64::from(THREADS) * OPERATIONS, "{layout:?}");
    }
}

fn exclusion<L: Lock<Native>>(threads: u32) {
    let locking = Locking::<Native, L>::new("lock", threads, 3, 2);
    on_threads(threads, |thread| locking.run(thread, 1, &mut Limit { left: WAITING_OPERATIONS }));
    assert_eq!(locking.counts(0), [u64::from(threads) * WAITING_OPERATIONS; 3]);
}

#[test]
fn locks_exclude() {
    exclusion::<TestAndSetLock<Native>>(THREADS);
    // With more threads than CPUs, a fair lock waits for whole time slices: two will do.
    exclusion::<TicketLock<Native>>(2);
    exclusion::<McsLock<Native>>(2);
}

#[test]
fn a_ping_pong_alternates() {
    let ping_pong = PingPong::<Native>::new("line");
    on_threads(2, |thread| ping_pong.run(thread, 0, &mut Limit { left: 500 }));
}

/// Sends bursts of 5; every consumer must see each producer's items in order, and together they must see all of
/// them once.
fn conservation<T, Producers, Consumers>(
    producers: Vec<Producer<Native, T, Producers, Consumers>>,
    consumers: Vec<Consumer<Native, T, Producers, Consumers>>,
) where
    T: Sequenced,
    Producers: Reservation,
    Consumers: Reservation,
{
    let producer_count = producers.len() as u32;
    let left = AtomicU64::new(u64::from(producer_count) * WAITING_OPERATIONS);
    let received = thread::scope(|scope| {
        for (mut producer, number) in producers.into_iter().zip(0..) {
            scope.spawn(move || produce(&mut producer, number, 5, 0, &mut Limit { left: WAITING_OPERATIONS }));
        }
        let threads = consumers.into_iter().map(|mut consumer| {
            let left = &left;
            scope.spawn(move || {
                let mut items = Vec::new();
                consume(&mut consumer, 7, 0, &mut SharedLimit { left }, |burst| items.extend_from_slice(burst));
                items
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<Vec<T>>>()
    });

    let mut all = vec![Vec::new(); producer_count as usize];
    for items in &received {
        let mut last = vec![None; producer_count as usize];
        for item in items {
            let (producer, sequence) = item.parts();
            let before = last[producer as usize].replace(sequence);
            assert!(before < Some(sequence), "a consumer saw {sequence} of producer {producer} after {before:?}");
            all[producer as usize].push(sequence);
        }
    }
    for sequences in &mut all {
        sequences.sort_unstable();
        assert!(sequences.iter().copied().eq(0..WAITING_OPERATIONS as u32), "items lost or seen twice");
    }
}

#[test]
fn a_single_producer_single_consumer_ring_keeps_items() {
    let (producer, consumer) = SpscRing::<Native, u32>::new("ring", 16).unwrap().split();
    conservation(vec![producer], vec![consumer]);
    let (producer, consumer) = SpscRing::<Native, u64>::new("ring", 16).unwrap().split();
    conservation(vec![producer], vec![consumer]);
}

#[test]
fn a_multi_producer_multi_consumer_ring_keeps_items() {
    let (producer, consumer) = MpmcRing::<Native, u32>::new("ring", 16).unwrap().split();
    conservation(vec![producer.clone(), producer], vec![consumer.clone(), consumer]);
    let (producer, consumer) = MpmcRing::<Native, u64>::new("ring", 16).unwrap().split();
    conservation(vec![producer.clone(), producer], vec![consumer.clone(), consumer]);
}

#[test]
fn rings_with_one_thread_on_one_side_keep_items() {
    let (producer, consumer) = Ring::<Native, u64, Multi, Single>::new("ring", 16).unwrap().split();
    conservation(vec![producer.clone(), producer], vec![consumer]);
    let (producer, consumer) = Ring::<Native, u64, Single, Multi>::new("ring", 16).unwrap().split();
    conservation(vec![producer], vec![consumer.clone(), consumer]);
}

#[test]
fn one_thread_gets_back_what_it_sends() {
    let (mut producer, mut consumer) = SpscRing::<Native, u64>::new("ring", 4).unwrap().split();
    let mut received = Vec::new();
    loop_back(&mut producer, &mut consumer, 6, 0, &mut Limit { left: 10 }, |items| received.extend_from_slice(items));
    assert!(received.iter().map(|item| item.parts().1).eq(0..12), "{received:?}");
}

#[test]
fn a_stack_keeps_its_nodes() {
    let stacking = Stacking::<Native>::new("stack", 2, THREADS);
    on_threads(THREADS, |_| stacking.run(0, &mut Limit { left: OPERATIONS }));
    let mut nodes = stacking.drain();
    nodes.sort_unstable();
    assert!(nodes.iter().copied().eq(0..2 * THREADS));
}
