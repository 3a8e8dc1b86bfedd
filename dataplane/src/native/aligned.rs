//! A shared array that starts on a cache line of its own.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;

/// As [`Padded`](crate::Padded): two cache lines.
const ALIGNMENT: usize = 128;

/// A handle to a shared array. It holds the array's address itself, so that an access follows one pointer.
#[derive(Debug)]
pub struct AlignedSlice<T> {
    start: NonNull<T>,
    length: usize,
    owner: Arc<Allocation<T>>,
}

#[derive(Debug)]
struct Allocation<T> {
    start: NonNull<T>,
    length: usize,
    layout: Layout,
}

impl<T> AlignedSlice<T> {
    /// Allocates `length` elements and fills them in order.
    pub fn new(length: usize, mut element: impl FnMut(usize) -> T) -> Self {
        let layout = Layout::array::<T>(length)
            .and_then(|layout| layout.align_to(ALIGNMENT))
            .expect("an array that exceeds the address space cannot be asked for")
            .pad_to_align();
        let mut allocation = Allocation { start: NonNull::<T>::dangling(), length: 0, layout };
        if layout.size() > 0 {
            // SAFETY: the layout's size is not zero.
            let start = unsafe { alloc(layout) }.cast::<T>();
            allocation.start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        }
        for index in 0..length {
            let value = element(index);
            // SAFETY: the allocation has room for `length` elements. Elements of no size need none.
            unsafe { allocation.start.add(index).write(value) };
            allocation.length = index + 1;
        }
        Self { start: allocation.start, length, owner: Arc::new(allocation) }
    }
}

impl<T> Drop for Allocation<T> {
    fn drop(&mut self) {
        // SAFETY: the first `length` elements are initialised, and the last handle is gone.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.length).drop_in_place() };
        if self.layout.size() > 0 {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
        }
    }
}

impl<T> Clone for AlignedSlice<T> {
    fn clone(&self) -> Self {
        Self { start: self.start, length: self.length, owner: Arc::clone(&self.owner) }
    }
}

impl<T> Deref for AlignedSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `owner` keeps the elements alive, all `length` of them were written before the first handle
        // came to be, and nobody has exclusive access to them until the last handle is gone.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

// SAFETY: as of `Arc<[T]>`.
unsafe impl<T: Send + Sync> Send for AlignedSlice<T> {}
// SAFETY: as of `Arc<[T]>`.
unsafe impl<T: Send + Sync> Sync for AlignedSlice<T> {}
