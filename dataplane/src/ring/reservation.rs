//! How a side of a ring reserves slots and publishes them.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::operation::RING_TAIL_WAIT;
use crate::{Atomic, Platform};

/// One side's indices, both on one line.
#[repr(C)]
pub struct Side<P: Platform> {
    /// Up to where slots are reserved.
    pub head: P::AtomicU32,
    /// Up to where they are published to the other side.
    pub tail: P::AtomicU32,
}

impl<P: Platform> Side<P> {
    pub fn new() -> Self {
        Self { head: P::AtomicU32::new(0), tail: P::AtomicU32::new(0) }
    }
}

/// How many threads may be on one side of a ring: [`Single`] or [`Multi`].
pub trait Reservation: Send + Sync + 'static + sealed::Sealed {
    /// Reserves at most `wanted` slots, as many as there are; returns the first one's index and their number.
    /// A producer may be `lead` slots, a ring's capacity, ahead of the consumers' tail.
    #[doc(hidden)]
    fn reserve<P: Platform>(own: &Side<P>, other: &Side<P>, lead: u32, wanted: usize) -> (u32, u32);

    /// Publishes a reservation.
    #[doc(hidden)]
    fn publish<P: Platform>(own: &Side<P>, index: u32, count: u32);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Single {}
    impl Sealed for super::Multi {}
}

/// One thread at a time.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// Any number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Multi;

#[inline(always)]
fn at_most(wanted: usize, available: u32) -> u32 {
    // What is cut off here is above the capacity of any ring.
    available.min(u32::try_from(wanted).unwrap_or(u32::MAX))
}

impl Reservation for Single {
    #[inline(always)]
    fn reserve<P: Platform>(own: &Side<P>, other: &Side<P>, lead: u32, wanted: usize) -> (u32, u32) {
        let head = own.head.load(Relaxed);
        let tail = other.tail.load(Acquire);
        let count = at_most(wanted, tail.wrapping_add(lead).wrapping_sub(head));
        if count > 0 {
            own.head.store(head.wrapping_add(count), Relaxed);
        }
        (head, count)
    }

    #[inline(always)]
    fn publish<P: Platform>(own: &Side<P>, index: u32, count: u32) {
        own.tail.store(index.wrapping_add(count), Release);
    }
}

impl Reservation for Multi {
    #[inline(always)]
    fn reserve<P: Platform>(own: &Side<P>, other: &Side<P>, lead: u32, wanted: usize) -> (u32, u32) {
        // Whoever sees a head must also see the other side's tail that allowed it, or the difference below
        // could turn negative: hence acquire here and release in the exchange.
        let mut head = own.head.load(Acquire);
        loop {
            let tail = other.tail.load(Acquire);
            let count = at_most(wanted, tail.wrapping_add(lead).wrapping_sub(head));
            if count == 0 {
                return (head, 0);
            }
            match own.head.compare_exchange(head, head.wrapping_add(count), Release, Acquire) {
                Ok(_) => return (head, count),
                Err(moved) => head = moved,
            }
            P::branch_missed();
        }
    }

    #[inline(always)]
    fn publish<P: Platform>(own: &Side<P>, index: u32, count: u32) {
        // Acquires what the earlier reservations' owners did, so that the store below publishes it as well.
        P::spin_until(RING_TAIL_WAIT, || (own.tail.load(Acquire) == index).then_some(()));
        own.tail.store(index.wrapping_add(count), Release);
    }
}
