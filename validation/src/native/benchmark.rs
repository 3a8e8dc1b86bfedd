//! The threads of each microbenchmark, on the host.

use dataplane::Native;
use dataplane::lock::{Lock, McsLock, TestAndSetLock, TicketLock};
use dataplane::ring::{Multi, Ring, Single};
use dataplane::workload::{Counting, Locking, PingPong, Sequenced, Stacking, StopFlag, consume, loop_back, produce};
use models::microbenchmark::{Benchmark, LockAlgorithm, Reservation};

use super::Error;

/// What a thread does until its meter stops it.
pub(super) type Body = Box<dyn FnOnce(&mut StopFlag<'_>) + Send>;

/// Builds the shared objects of a benchmark and its threads. A ring with one thread has it on both ends.
pub(super) fn build(benchmark: &Benchmark, threads: u32, work: u32) -> Result<Vec<Body>, Error> {
    Ok(match *benchmark {
        Benchmark::PingPong if threads == 2 => {
            let ping_pong = PingPong::<Native>::new("ping-pong");
            each(threads, |thread| {
                let ping_pong = ping_pong.clone();
                move |meter: &mut StopFlag<'_>| ping_pong.run(thread, work, meter)
            })
        }
        Benchmark::PingPong => return Err(Error::Unsuitable(format!("a ping-pong has 2 threads, not {threads}"))),
        Benchmark::Counter { update, layout } => {
            let counting = Counting::<Native>::new("counter", update, layout, threads);
            each(threads, |thread| {
                let counting = counting.clone();
                move |meter: &mut StopFlag<'_>| counting.run(thread, work, meter)
            })
        }
        Benchmark::Lock { algorithm, lines, critical_work } => match algorithm {
            LockAlgorithm::TestAndSet => locking::<TestAndSetLock<Native>>(threads, lines, critical_work, work),
            LockAlgorithm::Ticket => locking::<TicketLock<Native>>(threads, lines, critical_work, work),
            LockAlgorithm::Mcs => locking::<McsLock<Native>>(threads, lines, critical_work, work),
        },
        Benchmark::Stack { items } => {
            let stacking = Stacking::<Native>::new("stack", items, threads);
            each(threads, |_| {
                let stacking = stacking.clone();
                move |meter: &mut StopFlag<'_>| stacking.run(work, meter)
            })
        }
        Benchmark::Ring { reservation, producers, slots, burst, item_bytes } => {
            let shape = Shape { producers, threads, slots, burst, work };
            shape.check(reservation)?;
            match (reservation, item_bytes) {
                (Reservation::Single, 4) => single_ring::<u32>(shape)?,
                (Reservation::Single, 8) => single_ring::<u64>(shape)?,
                (Reservation::Multi, 4) => multi_ring::<u32>(shape)?,
                (Reservation::Multi, 8) => multi_ring::<u64>(shape)?,
                _ => return Err(Error::Unsuitable(format!("items of {item_bytes} bytes: they have 4 or 8"))),
            }
        }
    })
}

fn each<F: FnOnce(&mut StopFlag<'_>) + Send + 'static>(threads: u32, body: impl Fn(u32) -> F) -> Vec<Body> {
    (0..threads).map(|thread| Box::new(body(thread)) as Body).collect()
}

fn locking<L: Lock<Native>>(threads: u32, lines: u32, critical_work: u32, work: u32) -> Vec<Body> {
    let locking = Locking::<Native, L>::new("lock", threads, lines, critical_work);
    each(threads, |thread| {
        let locking = locking.clone();
        move |meter: &mut StopFlag<'_>| locking.run(thread, work, meter)
    })
}

#[derive(Clone, Copy)]
struct Shape {
    producers: u32,
    threads: u32,
    slots: u32,
    burst: u32,
    work: u32,
}

impl Shape {
    fn check(&self, reservation: Reservation) -> Result<(), Error> {
        let &Self { producers, threads, burst, .. } = self;
        let wrong = |why: String| Err(Error::Unsuitable(why));
        match reservation {
            _ if burst == 0 => wrong("a burst holds at least one item".to_owned()),
            Reservation::Single if threads > 2 => wrong(format!(
                "a ring with single reservation has one producer and one consumer, not {threads} threads"
            )),
            _ if threads > 1 && (producers == 0 || producers >= threads) => {
                wrong(format!("{producers} producers of {threads} threads leave no producer or no consumer"))
            }
            _ => Ok(()),
        }
    }
}

fn single_ring<T: Sequenced>(shape: Shape) -> Result<Vec<Body>, Error> {
    let Shape { threads, slots, burst, work, .. } = shape;
    let ring = Ring::<Native, T, Single, Single>::new("ring", slots);
    let (mut producer, mut consumer) = ring.map_err(|error| Error::Unsuitable(error.to_string()))?.split();
    if threads == 1 {
        return Ok(vec![Box::new(move |meter| {
            loop_back(&mut producer, &mut consumer, burst, work, meter, |_| ());
        })]);
    }
    Ok(vec![
        Box::new(move |meter| produce(&mut producer, 0, burst, work, meter)),
        Box::new(move |meter| consume(&mut consumer, burst, work, meter, |_| ())),
    ])
}

fn multi_ring<T: Sequenced>(shape: Shape) -> Result<Vec<Body>, Error> {
    let Shape { producers, threads, slots, burst, work } = shape;
    let ring = Ring::<Native, T, Multi, Multi>::new("ring", slots);
    let (mut producer, mut consumer) = ring.map_err(|error| Error::Unsuitable(error.to_string()))?.split();
    if threads == 1 {
        return Ok(vec![Box::new(move |meter| {
            loop_back(&mut producer, &mut consumer, burst, work, meter, |_| ());
        })]);
    }
    let mut bodies = each(producers, |number| {
        let mut producer = producer.clone();
        move |meter: &mut StopFlag<'_>| produce(&mut producer, number, burst, work, meter)
    });
    bodies.extend(each(threads - producers, |_| {
        let mut consumer = consumer.clone();
        move |meter: &mut StopFlag<'_>| consume(&mut consumer, burst, work, meter, |_| ())
    }));
    Ok(bodies)
}
