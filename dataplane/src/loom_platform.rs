//! The platform of the model checker loom, which tries the orders in which threads may run and the values that
//! weakly ordered loads may return. Layout means nothing here.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, AtomicU64, fence};

use crate::Operation;
use crate::platform::{Atomic, Item, Platform, SharedCell};

/// Threads of a loom model.
#[derive(Clone, Copy, Debug)]
pub struct Loom;

impl Platform for Loom {
    type AtomicU32 = LoomWord<AtomicU32>;
    type AtomicU64 = LoomWord<AtomicU64>;
    type Cell<T: Item> = LoomCell<T>;
    type Shared<T: Send + Sync + 'static> = LoomShared<T>;
    type SharedSlice<T: Send + Sync + 'static> = Arc<[T]>;

    fn share<T: Send + Sync + 'static>(value: T) -> Self::Shared<T> {
        LoomShared(Arc::new(value))
    }

    fn share_slice<T: Send + Sync + 'static>(length: usize, element: impl FnMut(usize) -> T) -> Self::SharedSlice<T> {
        (0..length).map(element).collect()
    }

    fn label<T: ?Sized>(_object: &T, _name: &str) {}

    fn work(_operation: Operation, _count: u32) {}

    fn dep() {}

    fn branch_missed() {}

    fn fence() {
        fence(Ordering::SeqCst);
    }

    fn spin_until<R>(_reason: Operation, mut poll: impl FnMut() -> Option<R>) -> R {
        loop {
            if let Some(value) = poll() {
                return value;
            }
            loom::thread::yield_now();
        }
    }

    fn poll_until<R>(reason: Operation, poll: impl FnMut() -> Option<R>) -> R {
        Self::spin_until(reason, poll)
    }
}

/// A handle to a shared object of a loom model.
#[derive(Debug)]
pub struct LoomShared<T>(Arc<T>);

impl<T> Clone for LoomShared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for LoomShared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A shared word of a loom model.
///
/// Of an atomic's accesses loom remembers the last one alone, a load as well. A thread that loads a word before it
/// stores to it thereby hides that another thread had loaded it first, and loom never tries the store before that
/// load. Each access here comes after a read-modify-write of a word beside it, which depends on all others, so that
/// both orders of any two accesses are tried; as it is relaxed it makes nothing visible.
#[derive(Debug)]
pub struct LoomWord<A> {
    word: A,
    order: AtomicU32,
}

impl<A> LoomWord<A> {
    fn in_turn(&self) -> &A {
        self.order.fetch_add(1, Ordering::Relaxed);
        &self.word
    }
}

macro_rules! loom_atomic {
    ($atomic:ty, $value:ty) => {
        impl Atomic<$value> for LoomWord<$atomic> {
            fn new(value: $value) -> Self {
                Self { word: <$atomic>::new(value), order: AtomicU32::new(0) }
            }

            fn load(&self, order: Ordering) -> $value {
                self.in_turn().load(order)
            }

            fn store(&self, value: $value, order: Ordering) {
                self.in_turn().store(value, order);
            }

            fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.in_turn().fetch_add(value, order)
            }

            fn add(&self, value: $value, order: Ordering) {
                self.in_turn().fetch_add(value, order);
            }

            fn swap(&self, value: $value, order: Ordering) -> $value {
                self.in_turn().swap(value, order)
            }

            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.in_turn().compare_exchange(current, new, success, failure)
            }
        }
    };
}

loom_atomic!(AtomicU32, u32);
loom_atomic!(AtomicU64, u64);

/// Shared plain data whose accesses loom checks for races.
#[derive(Debug)]
pub struct LoomCell<T>(UnsafeCell<T>);

// SAFETY: loom fails a model in which two threads race for the value.
unsafe impl<T: Send> Sync for LoomCell<T> {}

impl<T: Item> SharedCell<T> for LoomCell<T> {
    fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        self.0.with(read)
    }

    fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        self.0.with_mut(write)
    }
}
