//! The simulated machine as a [`Platform`]: where dataplane code meets the simulator.
//!
//! Shared objects are placed in the simulation's arena with the layout that they have natively; every access
//! goes to [`sim_core::access`] by address. Objects there are never dropped.

use std::cell::UnsafeCell;
use std::mem::{align_of, needs_drop, size_of, size_of_val};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use dataplane::platform::Item;
use dataplane::{Atomic, Operation, Platform, SharedCell};
use sim_core::{Activity, access, wait};

/// The simulation that the host thread is building or running.
#[derive(Clone, Copy, Debug)]
pub struct Sim;

/// The activity that an operation is to the simulator.
#[inline(always)]
fn activity(operation: Operation) -> Activity {
    Activity(operation.index() as u16)
}

impl Platform for Sim {
    type AtomicU32 = Word<u32>;
    type AtomicU64 = Word<u64>;
    type Cell<T: Item> = Plain<T>;
    type Shared<T: Send + Sync + 'static> = Placed<T>;
    type SharedSlice<T: Send + Sync + 'static> = Placed<[T]>;

    fn share<T: Send + Sync + 'static>(value: T) -> Placed<T> {
        const { assert!(!needs_drop::<T>(), "objects in simulated memory are never dropped") };
        let place = access::take_memory(size_of::<T>(), align_of::<T>()).cast::<T>();
        // SAFETY: the memory is fresh, large enough and aligned.
        unsafe { place.write(value) };
        Placed { place, simulation: access::simulation_id() }
    }

    fn share_slice<T: Send + Sync + 'static>(length: usize, mut element: impl FnMut(usize) -> T) -> Placed<[T]> {
        const { assert!(!needs_drop::<T>(), "objects in simulated memory are never dropped") };
        let first = access::take_memory(size_of::<T>() * length, align_of::<T>()).cast::<T>();
        for index in 0..length {
            // SAFETY: as in `share`; the index is within the memory taken.
            unsafe { first.add(index).write(element(index)) };
        }
        Placed { place: NonNull::slice_from_raw_parts(first, length), simulation: access::simulation_id() }
    }

    fn label<T: ?Sized>(object: &T, name: &str) {
        access::label(std::ptr::from_ref(object).cast(), size_of_val(object), name);
    }

    #[inline(always)]
    fn work(operation: Operation, count: u32) {
        access::work(activity(operation), count);
    }

    #[inline(always)]
    fn dep() {
        access::dep();
    }

    #[inline(always)]
    fn branch_missed() {
        access::branch_missed();
    }

    fn fence() {
        access::fence();
    }

    #[inline(always)]
    fn spin_until<R>(reason: Operation, poll: impl FnMut() -> Option<R>) -> R {
        wait::poll_until(activity(reason), true, poll)
    }

    #[inline(always)]
    fn poll_until<R>(reason: Operation, poll: impl FnMut() -> Option<R>) -> R {
        wait::poll_until(activity(reason), false, poll)
    }
}

/// A handle to an object in simulated memory, good while its simulation is being built or run.
#[derive(Debug)]
pub struct Placed<T: ?Sized> {
    place: NonNull<T>,
    simulation: u64,
}

impl<T: ?Sized> Clone for Placed<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Placed<T> {}

// SAFETY: following the handle requires its simulation to be the current one of the host thread, and a simulation
// never leaves its host thread.
unsafe impl<T: ?Sized + Send + Sync> Send for Placed<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for Placed<T> {}

impl<T: ?Sized> Deref for Placed<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        assert!(self.simulation == access::simulation_id(), "a shared object was used outside its simulation");
        // SAFETY: the object was placed in the arena of the simulation that is current, which is therefore alive;
        // nothing in the arena is dropped or moved before the arena itself is.
        unsafe { self.place.as_ref() }
    }
}

/// A shared word in simulated memory.
#[derive(Debug)]
#[repr(transparent)]
pub struct Word<V>(UnsafeCell<V>);

// SAFETY: the word is read and written only through the simulator, which runs one simulated thread at a time on one
// host thread, and refuses words that are not in the current simulation's memory.
unsafe impl<V: Send> Sync for Word<V> {}

impl<V> Word<V> {
    #[inline(always)]
    fn address(&self) -> *const u8 {
        self.0.get().cast_const().cast()
    }
}

macro_rules! atomic_word {
    ($word:ty) => {
        impl Atomic<$word> for Word<$word> {
            #[inline(always)]
            fn new(value: $word) -> Self {
                Self(UnsafeCell::new(value))
            }

            #[inline(always)]
            fn load(&self, _order: Ordering) -> $word {
                access::load(self.address(), size_of::<$word>() as u8) as $word
            }

            #[inline(always)]
            fn store(&self, value: $word, order: Ordering) {
                access::store(self.address(), size_of::<$word>() as u8, u64::from(value));
                if order == Ordering::SeqCst {
                    access::fence();
                }
            }

            #[inline(always)]
            fn fetch_add(&self, value: $word, _order: Ordering) -> $word {
                let add = |old: u64| Some(u64::from((old as $word).wrapping_add(value)));
                access::locked(self.address(), size_of::<$word>() as u8, true, add) as $word
            }

            #[inline(always)]
            fn add(&self, value: $word, _order: Ordering) {
                let add = |old: u64| Some(u64::from((old as $word).wrapping_add(value)));
                access::locked(self.address(), size_of::<$word>() as u8, false, add);
            }

            #[inline(always)]
            fn swap(&self, value: $word, _order: Ordering) -> $word {
                access::locked(self.address(), size_of::<$word>() as u8, true, |_| Some(u64::from(value))) as $word
            }

            #[inline(always)]
            fn compare_exchange(
                &self,
                current: $word,
                new: $word,
                _success: Ordering,
                _failure: Ordering,
            ) -> Result<$word, $word> {
                let exchange = |old: u64| (old as $word == current).then_some(u64::from(new));
                let old = access::locked(self.address(), size_of::<$word>() as u8, true, exchange) as $word;
                if old == current { Ok(old) } else { Err(old) }
            }
        }
    };
}

atomic_word!(u32);
atomic_word!(u64);

/// Plain data in simulated memory.
#[derive(Debug)]
#[repr(transparent)]
pub struct Plain<T>(UnsafeCell<T>);

// SAFETY: whoever follows the pointers that `with` and `with_mut` hand out promises that nobody interferes; between
// simulated threads nothing runs at the same time anyway.
unsafe impl<T: Send> Sync for Plain<T> {}

impl<T: Item> SharedCell<T> for Plain<T> {
    #[inline(always)]
    fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[inline(always)]
    fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        access::read_plain(self.0.get().cast_const().cast(), size_of::<T>());
        read(self.0.get())
    }

    #[inline(always)]
    fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        access::write_plain(self.0.get().cast_const().cast(), size_of::<T>());
        write(self.0.get())
    }

    #[inline(always)]
    unsafe fn get_burst(cells: &[Self], values: &mut [T]) {
        access::read_plain(cells.as_ptr().cast(), size_of_val(cells));
        for (cell, value) in cells.iter().zip(values) {
            // SAFETY: the caller keeps writers away, and the cell is valid.
            *value = unsafe { *cell.0.get() };
        }
    }

    #[inline(always)]
    unsafe fn set_burst(cells: &[Self], values: &[T]) {
        access::write_plain(cells.as_ptr().cast(), size_of_val(cells));
        for (cell, value) in cells.iter().zip(values) {
            // SAFETY: the caller keeps everybody else away, and the cell is valid.
            unsafe { *cell.0.get() = *value };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, size_of};

    use dataplane::lock::{McsLock, TestAndSetLock, TicketLock};
    use dataplane::ring::{Multi, Ring};
    use dataplane::{Native, Padded, Platform, Stack};

    use super::Sim;

    /// The parts that all shared objects consist of have one layout natively and simulated, and the objects declare
    /// `repr(C)`, so that each field lies where it does natively.
    #[test]
    fn parts_have_their_native_layout() {
        fn same<A, B>() {
            assert_eq!((size_of::<A>(), align_of::<A>()), (size_of::<B>(), align_of::<B>()));
        }
        same::<<Sim as Platform>::AtomicU32, <Native as Platform>::AtomicU32>();
        same::<<Sim as Platform>::AtomicU64, <Native as Platform>::AtomicU64>();
        same::<<Sim as Platform>::Cell<u32>, <Native as Platform>::Cell<u32>>();
        same::<<Sim as Platform>::Cell<u64>, <Native as Platform>::Cell<u64>>();
        same::<Padded<<Sim as Platform>::AtomicU32>, Padded<<Native as Platform>::AtomicU32>>();
        same::<TicketLock<Sim>, TicketLock<Native>>();
        same::<TestAndSetLock<Sim>, TestAndSetLock<Native>>();
    }

    /// Where the real objects lie in simulated memory: by line, as natively.
    #[test]
    fn objects_lie_on_the_lines_they_lie_on_natively() {
        let model = crate::machine::Profile::load("server-16").unwrap().to_model().unwrap();
        let mut simulation = sim_core::Simulation::new(&model, vec![], 1, 1 << 16).unwrap();
        simulation.build(|| {
            let words = Sim::share_slice(20, |_| <<Sim as Platform>::AtomicU64 as dataplane::Atomic<u64>>::new(0));
            assert_eq!(words.as_ptr().addr() % 64, 0);
            let padded =
                Sim::share_slice(2, |_| Padded(<<Sim as Platform>::AtomicU32 as dataplane::Atomic<u32>>::new(0)));
            let apart = std::ptr::from_ref(&padded[1]).addr() - std::ptr::from_ref(&padded[0]).addr();
            assert_eq!(apart, size_of::<Padded<<Native as Platform>::AtomicU32>>());
            // Structures with handles inside can be made as well.
            drop((McsLock::<Sim>::new(2), Stack::<Sim>::new("s", 2), Ring::<Sim, u32, Multi, Multi>::new("r", 4)));
        });
    }

    #[test]
    #[should_panic(expected = "outside its simulation")]
    fn a_handle_is_refused_outside_its_simulation() {
        let model = crate::machine::Profile::load("server-16").unwrap().to_model().unwrap();
        let mut first = sim_core::Simulation::new(&model, vec![], 1, 1 << 16).unwrap();
        let handle = first.build(|| Sim::share(7_u64));
        let mut second = sim_core::Simulation::new(&model, vec![], 1, 1 << 16).unwrap();
        second.build(|| *handle);
    }
}
