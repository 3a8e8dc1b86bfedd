//! What dataplane code may ask of the machine it runs on.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::atomic::Ordering;

use crate::Operation;

/// A machine that dataplane code runs on: native threads, a model checker, or a simulated machine.
///
/// Code that touches shared memory has no effects in `Drop` and takes closures instead of handing out guards:
/// a simulated thread may be dropped at any suspension.
pub trait Platform: Sized + Send + Sync + 'static {
    /// A shared 32-bit word.
    type AtomicU32: Atomic<u32>;
    /// A shared 64-bit word.
    type AtomicU64: Atomic<u64>;
    /// Shared plain data; the only route to it, so that no access goes unannounced.
    type Cell<T: Item>: SharedCell<T>;
    /// A handle to a shared object that starts on a cache line of its own.
    type Shared<T: Send + Sync + 'static>: Deref<Target = T> + Clone + Send + Sync;
    /// A handle to a shared array that starts on a cache line of its own.
    type SharedSlice<T: Send + Sync + 'static>: Deref<Target = [T]> + Clone + Send + Sync;

    /// Places an object in shared memory. On a simulated machine objects are never dropped, so `T` must not need
    /// it there (handles from here do not).
    fn share<T: Send + Sync + 'static>(value: T) -> Self::Shared<T>;

    /// Places an array of `length` elements in shared memory.
    fn share_slice<T: Send + Sync + 'static>(length: usize, element: impl FnMut(usize) -> T) -> Self::SharedSlice<T>;

    /// Names the cache lines that a shared object covers, for reports ("pool.ring.producer"). Where two names
    /// meet on one line the later one stays.
    fn label<T: ?Sized>(object: &T, name: &str);

    /// Does `count` units of a named piece of work. Natively the work is in the code around the call, so this
    /// is nothing; the exceptions are [`PRIVATE_WORK`](crate::operation::PRIVATE_WORK) and
    /// [`CRITICAL_WORK`](crate::operation::CRITICAL_WORK), which natively run an arithmetic loop of `count`
    /// iterations.
    fn work(operation: Operation, count: u32);

    /// Says that the address of the next access comes from the last value loaded, as in a linked list.
    fn dep();

    /// Says that a branch on the last value loaded or exchanged goes the way that is seldom taken, so that the
    /// CPU mispredicts it: a failed compare-exchange, an overflowing cache.
    fn branch_missed();

    /// A full memory fence.
    fn fence();

    /// Repeats `poll`, with the CPU's spin hint between failed polls, until it gives a value. A failed poll must
    /// have no side effects. The time spent is reported under `reason`.
    fn spin_until<R>(reason: Operation, poll: impl FnMut() -> Option<R>) -> R;

    /// Like [`spin_until`](Self::spin_until), but polls back to back, without the spin hint.
    fn poll_until<R>(reason: Operation, poll: impl FnMut() -> Option<R>) -> R;
}

/// A plain value that may be shared: items of rings, fields behind locks.
pub trait Item: Copy + Send + Sync + Default + Debug + 'static {}
impl<T: Copy + Send + Sync + Default + Debug + 'static> Item for T {}

/// A shared word. Methods mean what those of [`std::sync::atomic`] mean.
pub trait Atomic<V: Item>: Send + Sync + 'static {
    /// A word that holds `value`. Not `const`: model checkers register their words.
    fn new(value: V) -> Self;
    /// Reads the word.
    fn load(&self, order: Ordering) -> V;
    /// Writes the word.
    fn store(&self, value: V, order: Ordering);
    /// Adds, wrapping, and returns the old value, which the caller goes on to use: a simulated CPU's front end
    /// waits for it.
    fn fetch_add(&self, value: V, order: Ordering) -> V;
    /// Adds, wrapping, where nobody looks at the old value, so that the CPU need not wait for it.
    fn add(&self, value: V, order: Ordering);
    /// Replaces the word and returns the old value.
    fn swap(&self, value: V, order: Ordering) -> V;
    /// Writes `new` if the word holds `current`; returns the old value, as `Err` if it differed.
    fn compare_exchange(&self, current: V, new: V, success: Ordering, failure: Ordering) -> Result<V, V>;
}

/// Shared plain data. What may touch it when is the surrounding algorithm's promise, hence the unsafe methods.
pub trait SharedCell<T: Item>: Send + Sync + 'static {
    /// A cell that holds `value`.
    fn new(value: T) -> Self;

    /// Calls `read` with a pointer that is valid for reading during the call.
    fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R;

    /// Calls `write` with a pointer that is valid for reading and writing during the call.
    fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R;

    /// Reads the value.
    ///
    /// # Safety
    /// No other thread writes the cell during the call.
    unsafe fn get(&self) -> T {
        // SAFETY: the caller keeps writers away.
        self.with(|value| unsafe { *value })
    }

    /// Writes the value.
    ///
    /// # Safety
    /// No other thread reads or writes the cell during the call.
    unsafe fn set(&self, value: T) {
        // SAFETY: the caller keeps everybody else away.
        self.with_mut(|place| unsafe { *place = value });
    }

    /// Reads consecutive cells, as one copy of a block. Both slices have one length.
    ///
    /// # Safety
    /// No other thread writes the cells during the call.
    unsafe fn get_burst(cells: &[Self], values: &mut [T])
    where
        Self: Sized,
    {
        for (cell, value) in cells.iter().zip(values) {
            // SAFETY: the caller keeps writers away.
            *value = unsafe { cell.get() };
        }
    }

    /// Writes consecutive cells, as one copy of a block. Both slices have one length.
    ///
    /// # Safety
    /// No other thread reads or writes the cells during the call.
    unsafe fn set_burst(cells: &[Self], values: &[T])
    where
        Self: Sized,
    {
        for (cell, value) in cells.iter().zip(values) {
            // SAFETY: the caller keeps everybody else away.
            unsafe { cell.set(*value) };
        }
    }
}
