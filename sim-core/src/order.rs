//! Who comes first: a tournament over the times at which the CPUs want to go on.

use crate::time::Time;

/// A tournament tree over competitors, each with a time. The least time wins; of equal times the competitor
/// with the lower index (the CPU's rank) wins.
#[derive(Debug)]
pub(crate) struct Order {
    /// Node `i` holds the least time of its subtree; its children are `2i` and `2i + 1`. Leaves start at `leaves`.
    /// The array is as long as the largest tournament needs, so that an index cut to [`MASK`] needs no check.
    nodes: Box<[Time; MASK + 1]>,
    leaves: usize,
}

/// The most competitors there can be.
pub(crate) const COMPETITORS_MOST: usize = 1024;
const MASK: usize = 2 * COMPETITORS_MOST - 1;

/// The winner, and until when it may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Winner {
    pub(crate) index: usize,
    pub(crate) time: Time,
    /// The winner stays the winner as long as its time is strictly less than this.
    pub(crate) horizon: Time,
}

impl Order {
    /// A tournament between this many competitors, none of whom wants to go on.
    pub(crate) fn new(competitors: usize) -> Self {
        assert!(competitors <= COMPETITORS_MOST, "a machine has at most {COMPETITORS_MOST} CPUs");
        Self { nodes: Box::new([Time::NEVER; MASK + 1]), leaves: competitors.next_power_of_two() }
    }

    /// Sets one competitor's time.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, time: Time) {
        let mut node = (self.leaves + index) & MASK;
        self.nodes[node] = time;
        while node > 1 {
            let least = self.nodes[node].min(self.nodes[node ^ 1]);
            node /= 2;
            self.nodes[node] = least;
        }
    }

    /// One competitor's time.
    pub(crate) fn time(&self, index: usize) -> Time {
        self.nodes[self.leaves + index]
    }

    /// The competitor who comes first. With nobody left its time is [`Time::NEVER`].
    #[inline]
    pub(crate) fn winner(&self) -> Winner {
        let time = self.nodes[1];
        let mut horizon = Time::NEVER;
        let mut node = 1;
        while node < self.leaves {
            let (left, right) = (self.nodes[2 * node & MASK], self.nodes[(2 * node + 1) & MASK]);
            // On the way to the left, the right side ranks behind and loses a tie.
            let to_right = usize::from(left != time);
            let rival = if to_right == 1 { left } else { Time(right.0.saturating_add(1)) };
            horizon = horizon.min(rival);
            node = (2 * node + to_right) & MASK;
        }
        Winner { index: node - self.leaves, time, horizon }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn least_time_then_least_index_wins(times in prop::collection::vec(0_u64..8, 1..40)) {
            let mut order = Order::new(times.len());
            for (index, time) in times.iter().enumerate() {
                order.set(index, Time(*time));
            }
            let expected = (0..times.len()).min_by_key(|i| (times[*i], *i)).unwrap();
            let winner = order.winner();
            prop_assert_eq!((winner.index, winner.time), (expected, Time(times[expected])));
            // One step before the horizon it still wins, at the horizon it does not.
            let rival = (0..times.len()).filter(|i| *i != expected).min_by_key(|i| (times[*i], *i));
            if let Some(rival) = rival {
                let bound = Time(times[rival] + u64::from(rival > expected));
                prop_assert_eq!(winner.horizon, bound);
            }
        }
    }
}
