//! Your own ring on 64 cores: Vyukov's bounded queue, 32 producers and 32 consumers.
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use dataplane::operation::{Operation, RING_EMPTY, RING_FULL, RING_ITEM};
use dataplane::{Atomic, Platform, SharedCell};
use models::{machine, sim_platform::Sim, software};
use sim_core::{Simulation, Time, access};

/// A slot: whose turn it is (`position` to fill it, `position + 1` to empty it), and what is in it.
#[repr(C)]
pub struct Slot<P: Platform>(P::AtomicU32, P::Cell<u64>);

/// The ring: its slots, and the positions that producers and consumers take next.
pub struct OwnRing<P: Platform> {
    slots: P::SharedSlice<Slot<P>>,
    tail: P::Shared<P::AtomicU32>,
    head: P::Shared<P::AtomicU32>,
}

impl<P: Platform> OwnRing<P> {
    /// A ring of this many slots, a power of two.
    pub fn new(slots: u32) -> Self {
        let slot = |index| Slot(P::AtomicU32::new(index as u32), P::Cell::new(0));
        let end = || P::share(P::AtomicU32::new(0));
        let ring = Self { slots: P::share_slice(slots as usize, slot), tail: end(), head: end() };
        P::label::<[_]>(&ring.slots, "slots");
        P::label(&*ring.tail, "tail");
        P::label(&*ring.head, "head");
        ring
    }

    /// Takes a position once its slot's turn is `ahead` of it, and has `act` use the slot, whose turn becomes `next`.
    fn take<R>(&self, end: &P::AtomicU32, ahead: u32, next: u32, act: impl FnOnce(&P::Cell<u64>) -> R) -> Option<R> {
        P::work(RING_ITEM, 1);
        let mut position = end.load(Relaxed);
        loop {
            let Slot(turn, item) = &self.slots[position as usize % self.slots.len()];
            P::dep(); // The slot's address comes from the position just loaded.
            match turn.load(Acquire).wrapping_sub(position.wrapping_add(ahead)) as i32 {
                ..0 => return None,
                0 => match end.compare_exchange(position, position.wrapping_add(1), Relaxed, Relaxed) {
                    Ok(_) => {
                        let result = act(item);
                        turn.store(position.wrapping_add(next), Release);
                        return Some(result);
                    }
                    Err(moved) => position = moved,
                },
                _ => position = end.load(Relaxed),
            }
            P::branch_missed();
        }
    }

    /// Puts an item in, waiting for room.
    pub fn enqueue(&self, value: u64) {
        // SAFETY: whoever took the position has the slot until it passes the turn on.
        P::poll_until(RING_FULL, || self.take(&self.tail, 0, 1, |item| unsafe { item.set(value) }));
    }

    /// Takes an item out, waiting for one.
    pub fn dequeue(&self) -> u64 {
        // SAFETY: as above.
        P::poll_until(RING_EMPTY, || self.take(&self.head, 1, self.slots.len() as u32, |item| unsafe { item.get() }))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", report(Time::from_us(200))?);
    Ok(())
}

/// Runs the ring for some simulated time on a machine of 64 cores: throughput, and the dearest lines.
pub fn report(time: Time) -> Result<String, Box<dyn std::error::Error>> {
    let machine = machine::Profile::load("server-64")?.to_model()?;
    let costs = software::Profile::load("microbenchmarks")?.costs();
    let work = Operation::all().map(|operation| costs.get(operation.name()).copied().unwrap_or_default()).collect();
    let mut simulation = Simulation::new(&machine, work, 1, 1 << 20)?;
    let ring = Arc::new(simulation.build(|| OwnRing::<Sim>::new(1024)));
    for core in 0..32 {
        let (producer, consumer) = (Arc::clone(&ring), Arc::clone(&ring));
        let produce = move || loop {
            producer.enqueue(7);
        };
        let consume = move || loop {
            consumer.dequeue();
            access::count(0, 1);
        };
        simulation.spawn(core, "producer", Time::ZERO, produce)?;
        simulation.spawn(core + 32, "consumer", Time::ZERO, consume)?;
    }
    simulation.advance(time)?;

    let seen = simulation.snapshot();
    let items: u64 = seen.cpus.iter().map(|cpu| cpu.counters[0]).sum();
    let mut text = format!("{:.2} million items/s\n", items as f64 / time.as_seconds_f64() / 1e6);
    for (number, label) in seen.labels.iter().enumerate() {
        let share = seen.time_on_label(number).as_ps() as f64 / (64 * time.as_ps()) as f64;
        text += &format!("{:6} {:5.1} % of the CPUs' time, {} transfers\n", label.name, share * 100.0, label.transfers);
    }
    Ok(text)
}
