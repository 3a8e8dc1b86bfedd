//! The sequence lock: readers that write nothing.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::operation::{LOCK_WAIT, SEQLOCK_RETRY};
use crate::{Atomic, Platform};

/// Words that are read far more often than written. A writer makes the sequence number odd, writes, and makes
/// it even again; a reader that finds it odd, or changed after reading, reads once more.
///
/// A reader may look at words that are just being written, so they are atomic, and not a
/// [`Cell`](Platform::Cell). Each is loaded with acquire and stored with release, which orders them with the
/// sequence number without a fence and costs nothing on x86 (H.-J. Boehm, "Can seqlocks get along with
/// programming language memory models?", MSPC 2012). Short of 2^31 writes during a read, no torn value is
/// returned.
#[repr(C)]
pub struct SeqLock<P: Platform, const WORDS: usize> {
    sequence: P::AtomicU32,
    words: [P::AtomicU64; WORDS],
}

impl<P: Platform, const WORDS: usize> SeqLock<P, WORDS> {
    /// A lock around these words.
    pub fn new(words: [u64; WORDS]) -> Self {
        Self { sequence: P::AtomicU32::new(0), words: words.map(P::AtomicU64::new) }
    }

    /// All words as one writer left them.
    #[inline]
    pub fn read(&self) -> [u64; WORDS] {
        P::spin_until(SEQLOCK_RETRY, || {
            let before = self.sequence.load(Acquire);
            if before % 2 == 1 {
                return None;
            }
            let words = std::array::from_fn(|index| self.words[index].load(Acquire));
            (self.sequence.load(Relaxed) == before).then_some(words)
        })
    }

    /// Writes all words. Writers wait for each other.
    #[inline]
    pub fn write(&self, words: [u64; WORDS]) {
        let before = P::spin_until(LOCK_WAIT, || {
            let before = self.sequence.load(Relaxed);
            if before % 2 == 1 {
                return None;
            }
            self.sequence.compare_exchange(before, before.wrapping_add(1), Acquire, Relaxed).ok()
        });
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Release);
        }
        self.sequence.store(before.wrapping_add(2), Release);
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::Native;

    #[test]
    fn reads_what_was_written_last() {
        let lock = SeqLock::<Native, 3>::new([1, 2, 3]);
        assert_eq!(lock.read(), [1, 2, 3]);
        lock.write([4, 5, 6]);
        assert_eq!(lock.read(), [4, 5, 6]);
    }

    #[test]
    fn words_follow_the_sequence_number() {
        assert_eq!((offset_of!(SeqLock<Native, 2>, sequence), offset_of!(SeqLock<Native, 2>, words)), (0, 8));
    }
}
