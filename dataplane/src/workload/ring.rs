//! Producers enqueue bursts, consumers dequeue them.

use super::Meter;
use crate::Platform;
use crate::operation::{ITEM_MAKE, LOOP, PRIVATE_WORK, RING_EMPTY, RING_FULL};
use crate::platform::Item;
use crate::ring::{Consumer, Producer, Reservation};

/// An item that says who produced it, and as which of its items.
pub trait Sequenced: Item {
    /// An item of a producer. High bits of either number may be lost.
    fn from_parts(producer: u32, sequence: u32) -> Self;
    /// The producer, and the sequence number among its items.
    fn parts(self) -> (u32, u32);
    /// The sequence number after this one.
    fn following(sequence: u32) -> u32;
}

impl Sequenced for u32 {
    #[inline(always)]
    fn from_parts(producer: u32, sequence: u32) -> Self {
        producer << 24 | sequence & 0xff_ffff
    }

    fn parts(self) -> (u32, u32) {
        (self >> 24, self & 0xff_ffff)
    }

    fn following(sequence: u32) -> u32 {
        sequence.wrapping_add(1) & 0xff_ffff
    }
}

impl Sequenced for u64 {
    #[inline(always)]
    fn from_parts(producer: u32, sequence: u32) -> Self {
        u64::from(producer) << 32 | u64::from(sequence)
    }

    fn parts(self) -> (u32, u32) {
        ((self >> 32) as u32, self as u32)
    }

    fn following(sequence: u32) -> u32 {
        sequence.wrapping_add(1)
    }
}

/// A producer: makes a burst, enqueues all of it in as many calls as it takes, does its private work. An
/// operation is an item. It ends between two calls, so that the last burst may be in part on the ring.
pub fn produce<P: Platform, T: Sequenced, Producers: Reservation, Consumers: Reservation>(
    ring: &mut Producer<P, T, Producers, Consumers>,
    producer: u32,
    burst: u32,
    private_work: u32,
    meter: &mut impl Meter,
) {
    let mut items = vec![T::default(); burst as usize];
    let mut sequence = 0_u32;
    loop {
        P::work(LOOP, 1);
        make::<P, T>(&mut items, producer, sequence);
        let mut sent = 0;
        while sent < items.len() {
            let count = P::poll_until(RING_FULL, || match ring.enqueue_burst(&items[sent..]) {
                0 => meter.stopped().then_some(0),
                count => Some(count),
            });
            sent += count;
            if count == 0 || !meter.done(count as u32) {
                return;
            }
        }
        sequence = sequence.wrapping_add(burst);
        P::work(PRIVATE_WORK, private_work);
    }
}

#[inline(always)]
fn make<P: Platform, T: Sequenced>(items: &mut [T], producer: u32, sequence: u32) {
    P::work(ITEM_MAKE, items.len() as u32);
    for (item, number) in items.iter_mut().zip(0..) {
        *item = T::from_parts(producer, sequence.wrapping_add(number));
    }
}

/// A consumer: dequeues what there is, up to a burst, shows it to `inspect`, does its private work. An operation
/// is an item.
pub fn consume<P: Platform, T: Sequenced, Producers: Reservation, Consumers: Reservation>(
    ring: &mut Consumer<P, T, Producers, Consumers>,
    burst: u32,
    private_work: u32,
    meter: &mut impl Meter,
    mut inspect: impl FnMut(&[T]),
) {
    let mut items = vec![T::default(); burst as usize];
    loop {
        P::work(LOOP, 1);
        let count = P::poll_until(RING_EMPTY, || match ring.dequeue_burst(&mut items) {
            0 => meter.stopped().then_some(0),
            count => Some(count),
        });
        // Without this the copy of items that `inspect` does not look at would be optimised away.
        inspect(std::hint::black_box(&items[..count]));
        if count == 0 || !meter.done(count as u32) {
            return;
        }
        P::work(PRIVATE_WORK, private_work);
    }
}

/// One thread on both ends: makes a burst, enqueues it, dequeues what there is, shows it to `inspect`, does its
/// private work. An operation is an item that came out.
pub fn loop_back<P: Platform, T: Sequenced, Producers: Reservation, Consumers: Reservation>(
    producer: &mut Producer<P, T, Producers, Consumers>,
    consumer: &mut Consumer<P, T, Producers, Consumers>,
    burst: u32,
    private_work: u32,
    meter: &mut impl Meter,
    mut inspect: impl FnMut(&[T]),
) {
    let mut items = vec![T::default(); burst as usize];
    let mut sequence = 0_u32;
    loop {
        P::work(LOOP, 1);
        make::<P, T>(&mut items, 0, sequence);
        let sent = producer.enqueue_burst(&items);
        sequence = sequence.wrapping_add(sent as u32);
        let count = consumer.dequeue_burst(&mut items);
        inspect(std::hint::black_box(&items[..count]));
        if !meter.done(count as u32) {
            return;
        }
        P::work(PRIVATE_WORK, private_work);
    }
}
