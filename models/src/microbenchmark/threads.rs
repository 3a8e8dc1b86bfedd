//! The threads of each microbenchmark, on the simulated machine.

use std::cell::RefCell;
use std::rc::Rc;

use dataplane::lock::{Lock, McsLock, TestAndSetLock, TicketLock};
use dataplane::ring::{Multi, Reservation as RingReservation, Ring, Single, SizeError};
use dataplane::workload::{Counting, Locking, Meter, PingPong, Sequenced, Stacking, consume, loop_back, produce};
use sim_core::{Latency, Time, access};

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
    turns: Turns,
    last: Time,
}

/// How long the turns of all threads took that ended after the warm-up.
#[derive(Clone)]
pub(super) struct Turns {
    pub(super) latency: Rc<RefCell<Latency>>,
    warm_up: Time,
}

impl Meter for Count {
    #[inline(always)]
    fn done(&mut self, operations: u32) -> bool {
        access::count(OPERATIONS, u64::from(operations));
        if let Some(counter) = self.also {
            access::count(counter, u64::from(operations));
        }
        let now = access::now();
        if now >= self.turns.warm_up {
            self.turns.latency.borrow_mut().record(now - self.last);
        }
        self.last = now;
        true
    }

    #[inline(always)]
    fn stopped(&self) -> bool {
        false
    }
}

impl Turns {
    /// A meter that also counts in this counter.
    fn meter(&self, also: Option<usize>) -> Count {
        Count { also, turns: self.clone(), last: Time::ZERO }
    }
}

/// Builds the shared objects of a benchmark and its threads.
pub(super) fn build(setup: &Setup) -> Result<(Vec<ThreadBody>, Turns), SizeError> {
    let threads = setup.placement.len() as u32;
    let work = setup.private_work;
    let turns = Turns { latency: Rc::default(), warm_up: setup.warm_up };
    let bodies = match setup.benchmark {
        Benchmark::PingPong => {
            let ping_pong = PingPong::<Sim>::new("ping-pong");
            each(threads, "player", |thread| {
                let (ping_pong, mut meter) = (ping_pong.clone(), turns.meter(None));
                move || ping_pong.run(thread, work, &mut meter)
            })
        }
        Benchmark::Counter { update, layout } => {
            let counting = Counting::<Sim>::new("counter", update, layout, threads);
            each(threads, "counter", |thread| {
                let (counting, mut meter) = (counting.clone(), turns.meter(None));
                move || counting.run(thread, work, &mut meter)
            })
        }
        Benchmark::Lock { algorithm, lines, critical_work } => {
            let shape = LockShape { threads, lines, critical_work, work };
            match algorithm {
                LockAlgorithm::TestAndSet => locking::<TestAndSetLock<Sim>>(shape, &turns),
                LockAlgorithm::Ticket => locking::<TicketLock<Sim>>(shape, &turns),
                LockAlgorithm::Mcs => locking::<McsLock<Sim>>(shape, &turns),
            }
        }
        Benchmark::Stack { items } => {
            let stacking = Stacking::<Sim>::new("stack", items, threads);
            each(threads, "worker", |_| {
                let (stacking, mut meter) = (stacking.clone(), turns.meter(None));
                move || stacking.run(work, &mut meter)
            })
        }
        Benchmark::Ring { reservation, producers, slots, burst, item_bytes } => {
            let shape = RingShape { producers, consumers: threads.saturating_sub(producers), slots, burst, work };
            match (reservation, item_bytes) {
                (Reservation::Single, 4) if threads == 1 => looped_ring::<u32, Single>(shape, &turns)?,
                (Reservation::Single, _) if threads == 1 => looped_ring::<u64, Single>(shape, &turns)?,
                (Reservation::Multi, 4) if threads == 1 => looped_ring::<u32, Multi>(shape, &turns)?,
                (Reservation::Multi, _) if threads == 1 => looped_ring::<u64, Multi>(shape, &turns)?,
                (Reservation::Single, 4) => single_ring::<u32>(shape, &turns)?,
                (Reservation::Single, _) => single_ring::<u64>(shape, &turns)?,
                (Reservation::Multi, 4) => multi_ring::<u32>(shape, &turns)?,
                (Reservation::Multi, _) => multi_ring::<u64>(shape, &turns)?,
            }
        }
    };
    Ok((bodies, turns))
}

fn each<F: FnOnce() + 'static>(threads: u32, role: &str, body: impl Fn(u32) -> F) -> Vec<ThreadBody> {
    (0..threads).map(|thread| ThreadBody { name: format!("{role}{thread}"), body: Box::new(body(thread)) }).collect()
}

#[derive(Clone, Copy)]
struct LockShape {
    threads: u32,
    lines: u32,
    critical_work: u32,
    work: u32,
}

fn locking<L: Lock<Sim>>(shape: LockShape, turns: &Turns) -> Vec<ThreadBody> {
    let locking = Locking::<Sim, L>::new("lock", shape.threads, shape.lines, shape.critical_work);
    each(shape.threads, "locker", |thread| {
        let (locking, mut meter) = (locking.clone(), turns.meter(None));
        move || locking.run(thread, shape.work, &mut meter)
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

/// One thread on both ends.
fn looped_ring<T: Sequenced, R: RingReservation + 'static>(
    shape: RingShape,
    turns: &Turns,
) -> Result<Vec<ThreadBody>, SizeError> {
    let RingShape { slots, burst, work, .. } = shape;
    let (mut producer, mut consumer) = Ring::<Sim, T, R, R>::new("ring", slots)?.split();
    let (mut meter, mut order) = (turns.meter(Some(LEFT)), OrderCheck::new(1));
    let body = move || {
        loop_back(&mut producer, &mut consumer, burst, work, &mut meter, |items| {
            // What the thread takes out it has put in before.
            access::count(ENTERED, items.len() as u64);
            order.check(items);
        });
    };
    Ok(vec![ThreadBody { name: "looper0".to_owned(), body: Box::new(body) }])
}

fn single_ring<T: Sequenced>(shape: RingShape, turns: &Turns) -> Result<Vec<ThreadBody>, SizeError> {
    let RingShape { slots, burst, work, .. } = shape;
    let (mut producer, mut consumer) = Ring::<Sim, T, Single, Single>::new("ring", slots)?.split();
    let (mut entered, mut left) = (turns.meter(Some(ENTERED)), turns.meter(Some(LEFT)));
    let mut order = OrderCheck::new(1);
    let produce = move || produce(&mut producer, 0, burst, work, &mut entered);
    let consume = move || consume(&mut consumer, burst, work, &mut left, |items| order.check(items));
    Ok(vec![
        ThreadBody { name: "producer0".to_owned(), body: Box::new(produce) },
        ThreadBody { name: "consumer0".to_owned(), body: Box::new(consume) },
    ])
}

fn multi_ring<T: Sequenced>(shape: RingShape, turns: &Turns) -> Result<Vec<ThreadBody>, SizeError> {
    let RingShape { producers, consumers, slots, burst, work } = shape;
    let (producer, consumer) = Ring::<Sim, T, Multi, Multi>::new("ring", slots)?.split();
    let mut bodies = each(producers, "producer", |number| {
        let (mut producer, mut meter) = (producer.clone(), turns.meter(Some(ENTERED)));
        move || produce(&mut producer, number, burst, work, &mut meter)
    });
    bodies.extend(each(consumers, "consumer", |_| {
        let (mut consumer, mut meter) = (consumer.clone(), turns.meter(Some(LEFT)));
        // Items of one producer are dequeued in order, though two consumers may look at theirs in another.
        let mut order = OrderCheck::new(producers);
        move || consume(&mut consumer, burst, work, &mut meter, |items| order.check(items))
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
