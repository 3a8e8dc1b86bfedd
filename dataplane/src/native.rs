//! The platform of native threads: the standard library's atomics, and nothing else at run time.

mod aligned;

use std::cell::{Cell, UnsafeCell};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

pub use aligned::AlignedSlice;

use crate::padded::Padded;
use crate::platform::{Atomic, Item, Platform, SharedCell};
use crate::{Operation, operation};

/// Native threads of the host.
#[derive(Clone, Copy, Debug)]
pub struct Native;

impl Platform for Native {
    type AtomicU32 = AtomicU32;
    type AtomicU64 = AtomicU64;
    type Cell<T: Item> = NativeCell<T>;
    type Shared<T: Send + Sync + 'static> = NativeShared<T>;
    type SharedSlice<T: Send + Sync + 'static> = AlignedSlice<T>;

    fn share<T: Send + Sync + 'static>(value: T) -> Self::Shared<T> {
        NativeShared(Arc::new(Padded(value)))
    }

    fn share_slice<T: Send + Sync + 'static>(length: usize, element: impl FnMut(usize) -> T) -> Self::SharedSlice<T> {
        AlignedSlice::new(length, element)
    }

    #[inline(always)]
    fn label<T: ?Sized>(_object: &T, _name: &str) {}

    #[inline(always)]
    fn work(operation: Operation, count: u32) {
        if (operation == operation::PRIVATE_WORK || operation == operation::CRITICAL_WORK) && count > 0 {
            arithmetic(count);
        }
    }

    #[inline(always)]
    fn dep() {}

    #[inline(always)]
    fn branch_missed() {}

    #[inline(always)]
    fn fence() {
        fence(Ordering::SeqCst);
    }

    #[inline(always)]
    fn spin_until<R>(_reason: Operation, mut poll: impl FnMut() -> Option<R>) -> R {
        loop {
            if let Some(value) = poll() {
                return value;
            }
            std::hint::spin_loop();
        }
    }

    #[inline(always)]
    fn poll_until<R>(_reason: Operation, mut poll: impl FnMut() -> Option<R>) -> R {
        loop {
            if let Some(value) = poll() {
                return value;
            }
        }
    }
}

thread_local! {
    static ARITHMETIC: Cell<u64> = const { Cell::new(1) };
}

/// Iterates a shift, an exclusive-or and an add, each waiting for the one before: about three cycles per
/// iteration. A thread's calls go on where the last one stopped, so that an out-of-order core cannot run two
/// stretches of work at once.
#[inline(never)]
fn arithmetic(iterations: u32) {
    ARITHMETIC.with(|state| {
        let mut value = state.get();
        for _ in 0..iterations {
            value = (value ^ (value >> 7)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        }
        state.set(value);
    });
}

macro_rules! native_atomic {
    ($atomic:ty, $value:ty) => {
        impl Atomic<$value> for $atomic {
            #[inline(always)]
            fn new(value: $value) -> Self {
                <$atomic>::new(value)
            }

            #[inline(always)]
            fn load(&self, order: Ordering) -> $value {
                <$atomic>::load(self, order)
            }

            #[inline(always)]
            fn store(&self, value: $value, order: Ordering) {
                <$atomic>::store(self, value, order);
            }

            #[inline(always)]
            fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                <$atomic>::fetch_add(self, value, order)
            }

            #[inline(always)]
            fn add(&self, value: $value, order: Ordering) {
                <$atomic>::fetch_add(self, value, order);
            }

            #[inline(always)]
            fn swap(&self, value: $value, order: Ordering) -> $value {
                <$atomic>::swap(self, value, order)
            }

            #[inline(always)]
            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                <$atomic>::compare_exchange(self, current, new, success, failure)
            }
        }
    };
}

native_atomic!(AtomicU32, u32);
native_atomic!(AtomicU64, u64);

/// Shared plain data of [`Native`].
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct NativeCell<T>(UnsafeCell<T>);

// SAFETY: the pointers it hands out may be used by one writer or many readers only, which the code that
// dereferences them promises.
unsafe impl<T: Send> Sync for NativeCell<T> {}

impl<T: Item> SharedCell<T> for NativeCell<T> {
    #[inline(always)]
    fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[inline(always)]
    fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    #[inline(always)]
    fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }

    #[inline(always)]
    unsafe fn get_burst(cells: &[Self], values: &mut [T]) {
        assert_eq!(cells.len(), values.len(), "one value per cell");
        let source = UnsafeCell::raw_get(cells.as_ptr().cast::<UnsafeCell<T>>());
        // SAFETY: cells are transparent around their values, both blocks have this length and do not overlap
        // (`values` is borrowed exclusively), and the caller keeps writers away.
        unsafe { std::ptr::copy_nonoverlapping(source, values.as_mut_ptr(), values.len()) };
    }

    #[inline(always)]
    unsafe fn set_burst(cells: &[Self], values: &[T]) {
        assert_eq!(cells.len(), values.len(), "one value per cell");
        let target = UnsafeCell::raw_get(cells.as_ptr().cast::<UnsafeCell<T>>());
        // SAFETY: as above; the caller keeps everybody else away, and plain values hold no borrow of the cells.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), target, values.len()) };
    }
}

/// A handle to an object on cache lines of its own.
#[derive(Debug)]
pub struct NativeShared<T>(Arc<Padded<T>>);

impl<T> Clone for NativeShared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for NativeShared<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_objects_start_on_lines() {
        let object = Native::share(7_u8);
        assert_eq!((std::ptr::from_ref(&*object).addr() % 64, *object), (0, 7));
        let slice = Native::share_slice(5, |index| index as u16);
        assert_eq!((slice.as_ptr().addr() % 64, &*slice), (0, &[0, 1, 2, 3, 4][..]));
        assert!(Native::share_slice(0, |_| 0_u64).is_empty());
    }

    #[test]
    fn elements_are_dropped_with_the_last_handle() {
        let witness = Arc::new(());
        let slice = Native::share_slice(3, |_| Arc::clone(&witness));
        let other = slice.clone();
        drop(slice);
        assert_eq!((other.len(), Arc::strong_count(&witness)), (3, 4));
        drop(other);
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn work_goes_on_where_it_stopped() {
        let state = || ARITHMETIC.with(Cell::get);
        let start = state();
        Native::work(operation::PRIVATE_WORK, 3);
        Native::work(operation::CRITICAL_WORK, 4);
        let in_two = state();
        ARITHMETIC.with(|cell| cell.set(start));
        Native::work(operation::PRIVATE_WORK, 7);
        assert_eq!(state(), in_two);
        Native::work(operation::LOOP, 7);
        assert_eq!(state(), in_two);
    }
}
