//! The ring with head and tail reservation, as `rte_ring` of DPDK.
//!
//! ```text
//!            consumer.tail   consumer.head         producer.tail   producer.head
//!                 │               │                     │               │
//!   ···  free     │ being read    │  filled             │ being written │   free  ···
//! ```
//!
//! Each side first *reserves* slots by moving its head, copies its items, then *publishes* by moving its tail
//! to where its head was moved. With several threads on a side ([`Multi`]) the head moves by compare-exchange,
//! and a thread publishes only after those that reserved before it; with one ([`Single`]) plain stores do.
//! The indices run freely through all of `u32`, so all slots of a ring are usable.
//!
//! ```
//! use dataplane::ring::SpscRing;
//! use dataplane::Native;
//!
//! let (mut producer, mut consumer) = SpscRing::<Native, u64>::new("ring", 4)?.split();
//! assert_eq!(producer.enqueue_burst(&[1, 2, 3, 4, 5]), 4);
//!
//! let mut items = [0; 3];
//! assert_eq!(consumer.dequeue_burst(&mut items), 3);
//! assert_eq!(items, [1, 2, 3]);
//! # Ok::<(), dataplane::ring::SizeError>(())
//! ```

mod reservation;

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::Ordering::Acquire;

use reservation::Side;
pub use reservation::{Multi, Reservation, Single};

use crate::operation::{RING_BURST, RING_ITEM};
use crate::platform::{Item, SharedCell};
use crate::{Atomic, Padded, Platform};

/// One producer, one consumer.
pub type SpscRing<P, T> = Ring<P, T, Single, Single>;
/// Any number of producers and consumers.
pub type MpmcRing<P, T> = Ring<P, T, Multi, Multi>;

/// A bounded queue of plain items. See the [module](self).
pub struct Ring<P: Platform, T: Item, Producers = Multi, Consumers = Multi> {
    sides: P::Shared<Sides<P>>,
    slots: P::SharedSlice<P::Cell<T>>,
    mask: u32,
    threads: PhantomData<(Producers, Consumers)>,
}

#[repr(C)]
struct Sides<P: Platform> {
    producer: Padded<Side<P>>,
    consumer: Padded<Side<P>>,
}

/// A ring cannot have this many slots: it must be a power of two, at most 2^30.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeError {
    /// The slots asked for.
    pub slots: u32,
}

impl fmt::Display for SizeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a ring cannot have {} slots: the number must be a power of two, at most 2^30", self.slots)
    }
}

impl std::error::Error for SizeError {}

impl<P: Platform, T: Item, Producers, Consumers> Ring<P, T, Producers, Consumers> {
    /// An empty ring. Its lines are named `name.producer`, `name.consumer` and `name.slots`.
    ///
    /// # Errors
    /// If `slots` is not a power of two, or larger than 2^30.
    pub fn new(name: &str, slots: u32) -> Result<Self, SizeError> {
        if !slots.is_power_of_two() || slots > 1 << 30 {
            return Err(SizeError { slots });
        }
        let sides = P::share(Sides { producer: Padded(Side::new()), consumer: Padded(Side::new()) });
        let slots_shared = P::share_slice(slots as usize, |_| P::Cell::new(T::default()));
        P::label(&sides.producer, &format!("{name}.producer"));
        P::label(&sides.consumer, &format!("{name}.consumer"));
        P::label::<[_]>(&slots_shared, &format!("{name}.slots"));
        Ok(Self { sides, slots: slots_shared, mask: slots - 1, threads: PhantomData })
    }

    /// How many items fit.
    pub fn capacity(&self) -> u32 {
        self.mask + 1
    }

    /// How many items are published and not yet reserved for reading. Somebody else may change that at once.
    pub fn len(&self) -> u32 {
        let head = self.sides.consumer.head.load(Acquire);
        let tail = self.sides.producer.tail.load(Acquire);
        // Either may be older than the other, so the difference may be negative or exceed the capacity.
        (tail.wrapping_sub(head) as i32).clamp(0, self.capacity() as i32) as u32
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ring's two ends. An end can be cloned if its side is [`Multi`].
    #[expect(clippy::type_complexity, reason = "a plain pair")]
    pub fn split(self) -> (Producer<P, T, Producers, Consumers>, Consumer<P, T, Producers, Consumers>) {
        (Producer { ring: self.another_handle() }, Consumer { ring: self })
    }

    fn another_handle(&self) -> Self {
        Self { sides: self.sides.clone(), slots: self.slots.clone(), mask: self.mask, threads: PhantomData }
    }

    /// Copies items into the slots from an index on.
    ///
    /// # Safety
    /// Nobody else accesses the slots.
    #[inline(always)]
    unsafe fn write(&self, index: u32, items: &[T]) {
        let start = (index & self.mask) as usize;
        // SAFETY: the caller keeps everybody else away from all these slots.
        unsafe {
            if let Some(slots) = self.slots.get(start..start + items.len()) {
                return P::Cell::set_burst(slots, items);
            }
            let (first, rest) = items.split_at(self.slots.len() - start);
            P::Cell::set_burst(&self.slots[start..], first);
            P::Cell::set_burst(&self.slots[..rest.len()], rest);
        }
    }

    /// Copies the items in the slots from an index on.
    ///
    /// # Safety
    /// Nobody writes the slots.
    #[inline(always)]
    unsafe fn read(&self, index: u32, items: &mut [T]) {
        let start = (index & self.mask) as usize;
        // SAFETY: the caller keeps writers away from all these slots.
        unsafe {
            if let Some(slots) = self.slots.get(start..start + items.len()) {
                return P::Cell::get_burst(slots, items);
            }
            let (first, rest) = items.split_at_mut(self.slots.len() - start);
            P::Cell::get_burst(&self.slots[start..], first);
            P::Cell::get_burst(&self.slots[..rest.len()], rest);
        }
    }
}

impl<P: Platform, T: Item, Producers: Reservation, Consumers: Reservation> Ring<P, T, Producers, Consumers> {
    /// # Safety
    /// No other thread enqueues during the call, unless `Producers` is [`Multi`].
    #[inline(always)]
    unsafe fn enqueue(&self, items: &[T]) -> usize {
        P::work(RING_BURST, 1);
        let (producer, consumer) = (&*self.sides.producer, &*self.sides.consumer);
        let (index, count) = Producers::reserve(producer, consumer, self.capacity(), items.len());
        if count == 0 {
            return 0;
        }
        P::work(RING_ITEM, count);
        // SAFETY: the slots are reserved for this thread until it publishes them: consumers read up to the
        // producers' tail only, and have published that they are through with the slots' last items.
        unsafe { self.write(index, &items[..count as usize]) };
        Producers::publish(producer, index, count);
        count as usize
    }

    /// # Safety
    /// No other thread dequeues during the call, unless `Consumers` is [`Multi`].
    #[inline(always)]
    unsafe fn dequeue(&self, items: &mut [T]) -> usize {
        P::work(RING_BURST, 1);
        let (producer, consumer) = (&*self.sides.producer, &*self.sides.consumer);
        let (index, count) = Consumers::reserve(consumer, producer, 0, items.len());
        if count == 0 {
            return 0;
        }
        P::work(RING_ITEM, count);
        // SAFETY: the slots are reserved for this thread until it publishes them: producers have published
        // their items and write only below the consumers' tail plus the capacity.
        unsafe { self.read(index, &mut items[..count as usize]) };
        Consumers::publish(consumer, index, count);
        count as usize
    }
}

impl<P: Platform, T: Item, Consumers: Reservation> Ring<P, T, Multi, Consumers> {
    /// Enqueues as many of the items as fit, from the first on, and returns how many did.
    #[inline]
    pub fn enqueue_burst(&self, items: &[T]) -> usize {
        // SAFETY: producers are `Multi`.
        unsafe { self.enqueue(items) }
    }
}

impl<P: Platform, T: Item, Producers: Reservation> Ring<P, T, Producers, Multi> {
    /// Fills `items` from its start with what the ring holds, oldest first, and returns how many it got.
    #[inline]
    pub fn dequeue_burst(&self, items: &mut [T]) -> usize {
        // SAFETY: consumers are `Multi`.
        unsafe { self.dequeue(items) }
    }
}

impl<P: Platform, T: Item> Clone for Ring<P, T, Multi, Multi> {
    fn clone(&self) -> Self {
        self.another_handle()
    }
}

/// The end of a ring that items go into.
pub struct Producer<P: Platform, T: Item, Producers = Multi, Consumers = Multi> {
    ring: Ring<P, T, Producers, Consumers>,
}

impl<P: Platform, T: Item, Producers: Reservation, Consumers: Reservation> Producer<P, T, Producers, Consumers> {
    /// Enqueues as many of the items as fit, from the first on, and returns how many did.
    #[inline]
    pub fn enqueue_burst(&mut self, items: &[T]) -> usize {
        // SAFETY: if producers are `Single` there is one end that cannot be cloned, and it is borrowed here.
        unsafe { self.ring.enqueue(items) }
    }
}

impl<P: Platform, T: Item, Consumers> Clone for Producer<P, T, Multi, Consumers> {
    fn clone(&self) -> Self {
        Self { ring: self.ring.another_handle() }
    }
}

/// The end of a ring that items come out of.
pub struct Consumer<P: Platform, T: Item, Producers = Multi, Consumers = Multi> {
    ring: Ring<P, T, Producers, Consumers>,
}

impl<P: Platform, T: Item, Producers: Reservation, Consumers: Reservation> Consumer<P, T, Producers, Consumers> {
    /// Fills `items` from its start with what the ring holds, oldest first, and returns how many it got.
    #[inline]
    pub fn dequeue_burst(&mut self, items: &mut [T]) -> usize {
        // SAFETY: if consumers are `Single` there is one end that cannot be cloned, and it is borrowed here.
        unsafe { self.ring.dequeue(items) }
    }
}

impl<P: Platform, T: Item, Producers> Clone for Consumer<P, T, Producers, Multi> {
    fn clone(&self) -> Self {
        Self { ring: self.ring.another_handle() }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::Native;

    #[test]
    fn each_side_is_on_a_line_of_its_own() {
        assert_eq!(offset_of!(Sides<Native>, producer), 0);
        assert_eq!(offset_of!(Sides<Native>, consumer), 128);
        assert_eq!(size_of::<Sides<Native>>(), 256);
        assert_eq!(align_of::<Sides<Native>>(), 128);
        assert_eq!((offset_of!(Side<Native>, head), offset_of!(Side<Native>, tail)), (0, 4));
    }

    #[test]
    fn slots_are_dense_and_start_on_a_line() {
        let ring = MpmcRing::<Native, u32>::new("ring", 16).unwrap();
        assert_eq!(size_of_val::<[_]>(&ring.slots), 16 * 4);
        assert_eq!(ring.slots.as_ptr() as usize % 64, 0);
    }

    #[test]
    fn indices_run_through_the_end_of_their_range() {
        let ring = MpmcRing::<Native, u64>::new("ring", 4).unwrap();
        let start = u32::MAX - 1;
        for side in [&ring.sides.producer, &ring.sides.consumer] {
            side.head.store(start, Relaxed);
            side.tail.store(start, Relaxed);
        }
        for round in 0..3 {
            let items = [round, round + 1, round + 2, round + 3, round + 4];
            assert_eq!(ring.enqueue_burst(&items), 4);
            let mut received = [0; 5];
            assert_eq!(ring.dequeue_burst(&mut received), 4);
            assert_eq!(received[..4], items[..4]);
        }
        assert!(ring.is_empty());
    }
}
