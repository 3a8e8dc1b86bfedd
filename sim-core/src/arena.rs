//! The memory that simulated CPUs share.
//!
//! Shared objects live in one block that never moves. A cache line's identity is its offset in the block
//! divided by the line size, so the layout of the real objects decides what shares a line, and host addresses
//! never reach a result.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Alignment of the memory handed out first: whole pages, so that offsets and addresses agree modulo any line size.
const PAGE: usize = 4096;

/// Alignment of the block. With more than this, the standard library zeroes a block by writing to all of it instead
/// of taking zeroed pages as they are touched.
const BLOCK_ALIGN: usize = 16;

/// One block of zeroed memory, handed out front to back and never taken back.
#[derive(Debug)]
pub(crate) struct Arena {
    block: NonNull<u8>,
    /// The first page boundary in the block.
    base: NonNull<u8>,
    capacity: usize,
    used: usize,
}

impl Arena {
    /// A block of this many bytes. The host's pages are taken only when touched.
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.max(PAGE).next_multiple_of(PAGE);
        let layout = Self::layout(capacity);
        // SAFETY: the layout's size is not zero.
        let block = unsafe { alloc_zeroed(layout) };
        let Some(block) = NonNull::new(block) else { handle_alloc_error(layout) };
        // SAFETY: the block is a page longer than the capacity.
        let base = unsafe { block.add(block.align_offset(PAGE)) };
        Self { block, base, capacity, used: 0 }
    }

    fn layout(capacity: usize) -> Layout {
        Layout::from_size_align(capacity + PAGE, BLOCK_ALIGN).expect("an arena is smaller than half the address space")
    }

    /// Bytes handed out so far.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Takes `bytes` bytes aligned to `align` (a power of two of at most 4096); `None` if the arena is full.
    pub(crate) fn take(&mut self, bytes: usize, align: usize) -> Option<NonNull<u8>> {
        let start = self.used.next_multiple_of(align);
        let end = start.checked_add(bytes)?;
        if end > self.capacity {
            return None;
        }
        self.used = end;
        // SAFETY: `start` lies within the block.
        Some(unsafe { self.base.add(start) })
    }

    /// The offset of an address, if the arena has handed it out.
    #[inline]
    pub(crate) fn offset_of(&self, address: *const u8) -> Option<usize> {
        let offset = (address as usize).wrapping_sub(self.base.as_ptr() as usize);
        (offset < self.used).then_some(offset)
    }

    /// Reads a word of 4 or 8 bytes at an offset handed out, aligned to its size.
    #[inline]
    pub(crate) fn read(&self, offset: usize, bytes: u8) -> u64 {
        debug_assert!(offset + bytes as usize <= self.used);
        // SAFETY: the word lies within the block and is aligned; all bytes of the block are initialised; the
        // simulator runs on one host thread, and the words are `UnsafeCell`s to the objects they belong to.
        unsafe {
            let place = self.base.as_ptr().add(offset);
            if bytes == 4 { u64::from(place.cast::<u32>().read()) } else { place.cast::<u64>().read() }
        }
    }

    /// Writes a word of 4 or 8 bytes at an offset handed out, aligned to its size.
    #[inline]
    pub(crate) fn write(&mut self, offset: usize, bytes: u8, value: u64) {
        debug_assert!(offset + bytes as usize <= self.used);
        // SAFETY: as for `read`; nobody holds a plain reference to the inside of a shared word.
        unsafe {
            let place = self.base.as_ptr().add(offset);
            if bytes == 4 { place.cast::<u32>().write(value as u32) } else { place.cast::<u64>().write(value) }
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with the same layout.
        unsafe { dealloc(self.block.as_ptr(), Self::layout(self.capacity)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_out_aligned_memory_until_it_is_full() {
        let mut arena = Arena::new(PAGE);
        assert_eq!(arena.take(10, 64).and_then(|p| arena.offset_of(p.as_ptr())), Some(0));
        let second = arena.take(8, 64).unwrap();
        assert_eq!(arena.offset_of(second.as_ptr()), Some(64));
        arena.write(64, 8, u64::MAX - 1);
        assert_eq!((arena.read(64, 8), arena.read(64, 4)), (u64::MAX - 1, 0xffff_fffe));
        assert!(arena.take(PAGE, 1).is_none());
        assert_eq!(arena.offset_of(std::ptr::from_ref(&0_u8)), None);
    }
}
