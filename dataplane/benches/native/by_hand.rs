//! The ring and the ticket lock written by hand on `std::sync::atomic`, with no platform in between.

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering::*};

/// A value on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub struct Aligned<T>(pub T);

#[derive(Default)]
struct Side {
    head: AtomicU32,
    tail: AtomicU32,
}

/// The head and tail reservation ring of `u64`, with compare-exchange if `MULTI`.
pub struct HandRing<const MULTI: bool> {
    producer: Aligned<Side>,
    consumer: Aligned<Side>,
    slots: Box<[UnsafeCell<u64>]>,
}

// SAFETY: slots are accessed between reservation and publication only; without `MULTI` the benchmark has one thread
// on each side.
unsafe impl<const MULTI: bool> Sync for HandRing<MULTI> {}

impl<const MULTI: bool> HandRing<MULTI> {
    /// An empty ring; `slots` is a power of two.
    pub fn new(slots: u32) -> Self {
        let slots = (0..slots).map(|_| UnsafeCell::new(0)).collect();
        Self { producer: Aligned::default(), consumer: Aligned::default(), slots }
    }

    /// Enqueues as many as fit.
    #[inline]
    pub fn enqueue_burst(&self, items: &[u64]) -> usize {
        let (index, count) = Self::reserve(&self.producer.0, &self.consumer.0, self.slots.len() as u32, items.len());
        if count == 0 {
            return 0;
        }
        let start = index as usize & (self.slots.len() - 1);
        let room = self.slots.len() - start;
        let base = self.slots.as_ptr().cast_mut().cast::<u64>();
        // SAFETY: the slots are reserved, `room` of them up to the array's end, the others from its start.
        unsafe {
            if count as usize <= room {
                base.add(start).copy_from_nonoverlapping(items.as_ptr(), count as usize);
            } else {
                base.add(start).copy_from_nonoverlapping(items.as_ptr(), room);
                base.copy_from_nonoverlapping(items.as_ptr().add(room), count as usize - room);
            }
        }
        Self::publish(&self.producer.0, index, count);
        count as usize
    }

    /// Dequeues what there is.
    #[inline]
    pub fn dequeue_burst(&self, items: &mut [u64]) -> usize {
        let (index, count) = Self::reserve(&self.consumer.0, &self.producer.0, 0, items.len());
        if count == 0 {
            return 0;
        }
        let start = index as usize & (self.slots.len() - 1);
        let room = self.slots.len() - start;
        let base = self.slots.as_ptr().cast::<u64>();
        // SAFETY: the slots are reserved, `room` of them up to the array's end, the others from its start.
        unsafe {
            if count as usize <= room {
                items.as_mut_ptr().copy_from_nonoverlapping(base.add(start), count as usize);
            } else {
                items.as_mut_ptr().copy_from_nonoverlapping(base.add(start), room);
                items.as_mut_ptr().add(room).copy_from_nonoverlapping(base, count as usize - room);
            }
        }
        Self::publish(&self.consumer.0, index, count);
        count as usize
    }

    #[inline(always)]
    fn reserve(own: &Side, other: &Side, lead: u32, wanted: usize) -> (u32, u32) {
        let mut head = own.head.load(Acquire);
        loop {
            let available = other.tail.load(Acquire).wrapping_add(lead).wrapping_sub(head);
            let count = available.min(wanted as u32);
            if count == 0 {
                return (head, 0);
            }
            if !MULTI {
                own.head.store(head.wrapping_add(count), Relaxed);
                return (head, count);
            }
            match own.head.compare_exchange(head, head.wrapping_add(count), Release, Acquire) {
                Ok(_) => return (head, count),
                Err(moved) => head = moved,
            }
        }
    }

    #[inline(always)]
    fn publish(own: &Side, index: u32, count: u32) {
        while MULTI && own.tail.load(Acquire) != index {
            spin_loop();
        }
        own.tail.store(index.wrapping_add(count), Release);
    }
}

/// The ticket lock.
#[derive(Default)]
#[repr(align(128))]
pub struct HandTicketLock {
    next: AtomicU32,
    current: AtomicU32,
}

impl HandTicketLock {
    /// Runs `section` while holding the lock.
    #[inline]
    pub fn with<R>(&self, section: impl FnOnce() -> R) -> R {
        let mine = self.next.fetch_add(1, Relaxed);
        while self.current.load(Acquire) != mine {
            spin_loop();
        }
        let result = section();
        self.current.store(self.current.load(Relaxed).wrapping_add(1), Release);
        result
    }
}
