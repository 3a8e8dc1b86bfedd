//! Padding against false sharing.

use std::ops::Deref;

/// A value on cache lines of its own. Two lines wide, as CPUs also fetch lines in adjacent pairs, and as some
/// have lines of 128 bytes.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub struct Padded<T>(pub T);

impl<T> Deref for Padded<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
