//! Names of the pieces of work that the code here does, and of the places where it waits.
//!
//! An operation is a small integer. Natively it means nothing; on a simulated machine the software profile
//! says what one unit of it costs, and the accounting reports time by these names.

/// A named piece of work or a named wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(u16);

macro_rules! operations {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($constant),* }
        $($(#[$doc])* pub const $constant: Operation = Operation(Index::$constant as u16);)*
        /// Every operation's name, by its index.
        pub const NAMES: &[&str] = &[$($name),*];
    };
}

operations! {
    /// Private work between two shared operations of a benchmark; one unit is one loop iteration.
    PRIVATE_WORK = "private-work";
    /// Work inside a critical section of a benchmark; one unit is one loop iteration.
    CRITICAL_WORK = "critical-work";
    /// One turn of a benchmark's loop: counting, comparing, jumping back.
    LOOP = "loop";
    /// Making one item of a benchmark; one unit is one item.
    ITEM_MAKE = "item-make";
    /// Instructions of a ring operation besides its memory accesses; one unit is one burst.
    RING_BURST = "ring-burst";
    /// Copying one item into or out of a ring besides its memory accesses; one unit is one item.
    RING_ITEM = "ring-item";
    /// Instructions of a lock's acquire and release besides its memory accesses.
    LOCK_CALL = "lock-call";
    /// Instructions of a push or pop besides its memory accesses.
    STACK_CALL = "stack-call";
    /// Waiting for a lock's holder.
    LOCK_WAIT = "lock-wait";
    /// Waiting for earlier reservations of a ring to be published.
    RING_TAIL_WAIT = "ring-tail-wait";
    /// Polling a ring that is empty.
    RING_EMPTY = "ring-empty";
    /// Polling a ring that is full.
    RING_FULL = "ring-full";
    /// Waiting for the other side of a ping-pong.
    PING_WAIT = "ping-wait";
    /// Retrying a read that a writer overlapped.
    SEQLOCK_RETRY = "seqlock-retry";
}

impl Operation {
    /// The operation's index into [`NAMES`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The name that profiles and reports use.
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// The operation with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().position(|known| *known == name).map(|index| Self(index as u16))
    }

    /// All operations, in the order of their indices.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NAMES.len() as u16).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_operations() {
        for operation in Operation::all() {
            assert_eq!(Operation::from_name(operation.name()), Some(operation));
        }
        assert_eq!(Operation::from_name("no such work"), None);
    }
}
