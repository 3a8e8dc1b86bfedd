//! The threads of each microbenchmark, on the simulated machine.

use dataplane::lock::{Lock, McsLock, TestAndSetLock, TicketLock};
use dataplane::ring::{Multi, Ring, Single, SizeError};
use dataplane::workload::{Counting, Locking, Meter, PingPong, Sequenced, Stacking, consume, produce};
use sim_core::access;

use super::{Benchmark, LockAlgorithm, Reservation, Setup};
use crate::sim_platform::Sim;

/// A thread's name and what it does.
pub(super) struct ThreadBody {
    pub(super) name: String,
    pub(super) body: Box<dyn FnOnce()>,
}

/// The counter of completed operations.
pub(super) const OPERATIONS: usize = 0;
/// The counter of items put in.
pub(super) const ENTERED: usize = 1;
/// The counter of items taken out.
pub(super) const LEFT: usize = 2;

/// Counts in the simulator, and never stops a thread: the simulation's end does.
struct Count {
    also: Option<usize>,
}

impl Meter for Count {
    #[inline(always)]
    fn done(&mut self, operations: u32) -> bool {
        access::count(OPERATIONS, u64::from(operations));
        if let Some(counter) = self.also {
            access::count(counter, u64::from(operations));
        }
        true
    }

    #[inline(always)]
    fn stopped(&self) -> bool {
        false
    }
}

/// Builds the shared objects of a benchmark and its threads.
pub(super) fn build(setup: &Setup) -> Result<Vec<ThreadBody>, SizeError> {
    let threads = setup.placement.len() as u32;
    let work = setup.private_work;
    let count = || Count { also: None };
    Ok(match setup.benchmark {
        Benchmark::PingPong => {
            let ping_pong = PingPong::<Sim>::new("ping-pong");
            each(threads, "player", |thread| {
                let ping_pong = ping_pong.clone();
                move || ping_pong.run(thread, work, &mut count())
            })
        }
        Benchmark::Counter { update, layout } => {
            let counting = Counting::<Sim>::new("counter", update, layout, threads);
            each(threads, "counter", |thread| {
                let counting = counting.clone();
                move || counting.run(thread, work, &mut count())
            })
        }
        Benchmark::Lock { algorithm, lines, critical_work } => match algorithm {
            LockAlgorithm::TestAndSet => locking::<TestAndSetLock<Sim>>(threads, lines, critical_work, work),
            LockAlgorithm::Ticket => locking::<TicketLock<Sim>>(threads, lines, critical_work, work),
            LockAlgorithm::Mcs => locking::<McsLock<Sim>>(threads, lines, critical_work, work),
        },
        Benchmark::Stack { items } => {
            let stacking = Stacking::<Sim>::new("stack", items, threads);
            each(threads, "worker", |_| {
                let stacking = stacking.clone();
                move || stacking.run(work, &mut count())
            })
        }
        Benchmark::Ring { reservation, producers, slots, burst, item_bytes } => {
            let shape = RingShape { producers, consumers: threads - producers, slots, burst, work };
            match (reservation, item_bytes) {
                (Reservation::Single, 4) => single_ring::<u32>(shape)?,
                (Reservation::Single, _) => single_ring::<u64>(shape)?,
                (Reservation::Multi, 4) => multi_ring::<u32>(shape)?,
                (Reservation::Multi, _) => multi_ring::<u64>(shape)?,
            }
        }
    })
}

fn each<F: FnOnce() + 'static>(threads: u32, role: &str, body: impl Fn(u32) -> F) -> Vec<ThreadBody> {
    (0..threads).map(|thread| ThreadBody { name: format!("{role}{thread}"), body: Box::new(body(thread)) }).collect()
}

fn locking<L: Lock<Sim>>(threads: u32, lines: u32, critical_work: u32, work: u32) -> Vec<ThreadBody> {
    let locking = Locking::<Sim, L>::new("lock", threads, lines, critical_work);
    each(threads, "locker", |thread| {
        let locking = locking.clone();
        move || locking.run(thread, work, &mut Count { also: None })
    })
}

#[derive(Clone, Copy)]
struct RingShape {
    producers: u32,
    consumers: u32,
    slots: u32,
    burst: u32,
    work: u32,
}

fn single_ring<T: Sequenced>(shape: RingShape) -> Result<Vec<ThreadBody>, SizeError> {
    let RingShape { slots, burst, work, .. } = shape;
    let (mut producer, mut consumer) = Ring::<Sim, T, Single, Single>::new("ring", slots)?.split();
    let mut order = OrderCheck::new(1);
    let produce = move || produce(&mut producer, 0, burst, work, &mut Count { also: Some(ENTERED) });
    let consume =
        move || consume(&mut consumer, burst, work, &mut Count { also: Some(LEFT) }, |items| order.check(items));
    Ok(vec![
        ThreadBody { name: "producer0".to_owned(), body: Box::new(produce) },
        ThreadBody { name: "consumer0".to_owned(), body: Box::new(consume) },
    ])
}

fn multi_ring<T: Sequenced>(shape: RingShape) -> Result<Vec<ThreadBody>, SizeError> {
    let RingShape { producers, consumers, slots, burst, work } = shape;
    let (producer, consumer) = Ring::<Sim, T, Multi, Multi>::new("ring", slots)?.split();
    let mut bodies = each(producers, "producer", |number| {
        let mut producer = producer.clone();
        move || produce(&mut producer, number, burst, work, &mut Count { also: Some(ENTERED) })
    });
    bodies.extend(each(consumers, "consumer", |_| {
        let mut consumer = consumer.clone();
        // Items of one producer are dequeued in order, though two consumers may look at theirs in another.
        let mut order = OrderCheck::new(producers);
        move || {
            consume(&mut consumer, burst, work, &mut Count { also: Some(LEFT) }, |items| order.check(items));
        }
    }));
    Ok(bodies)
}

/// Checks that one consumer gets each producer's items in order and none twice.
struct OrderCheck {
    /// For each producer, the least number that its next item may have.
    next: Vec<Option<u32>>,
}

impl OrderCheck {
    fn new(producers: u32) -> Self {
        Self { next: vec![None; producers as usize] }
    }

    fn check<T: Sequenced>(&mut self, items: &[T]) {
        for item in items {
            let (producer, sequence) = item.parts();
            let next = &mut self.next[producer as usize];
            // Numbers wrap around: "not before" is a difference of less than half the 24 bits that all items keep.
            let ahead = sequence.wrapping_sub(next.unwrap_or(sequence)) & 0xff_ffff;
            assert!(ahead < 1 << 23, "item {sequence} of producer {producer} came too late or twice");
            *next = Some(T::following(sequence));
        }
    }
}
