//! Who comes first: a tournament over the times at which the CPUs want to go on.

use crate::time::Time;

/// A competitor's time since the origin in the upper bits and its index below them: the lesser key comes first.
type Key = u64;

const INDEX_BITS: u32 = 10;

/// The most competitors there can be.
pub(crate) const COMPETITORS_MOST: usize = 1 << INDEX_BITS;

/// Cutting an index to this many bits spares the check of array bounds.
const MASK: usize = 2 * COMPETITORS_MOST - 1;

/// Times further than this from the origin (5 hours) count as this far.
const SPAN: u64 = Key::MAX >> INDEX_BITS;

/// A tournament tree over competitors, each with a time. The least time wins; of equal times the competitor
/// with the lower index (the CPU's rank) wins.
///
/// Its loops run without branches that depend on who wins, which no CPU could predict.
#[derive(Debug)]
pub(crate) struct Order {
    /// Node `i` holds the least key of its subtree; its children are `2i` and `2i + 1`. Leaves start at `leaves`.
    nodes: Box<[Key; MASK + 1]>,
    leaves: usize,
    times: Box<[Time; COMPETITORS_MOST]>,
    origin: Time,
}

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
        let leaves = competitors.next_power_of_two();
        let times = Box::new([Time::NEVER; COMPETITORS_MOST]);
        let mut order = Self { nodes: Box::new([Key::MAX; MASK + 1]), leaves, times, origin: Time::ZERO };
        order.rebuild(Time::ZERO);
        order
    }

    /// Sets one competitor's time.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, time: Time) {
        self.times[index % COMPETITORS_MOST] = time;
        let mut least = time.since(self.origin).0.min(SPAN) << INDEX_BITS | index as Key;
        let mut node = (self.leaves + index) & MASK;
        self.nodes[node] = least;
        while node > 1 {
            least = least.min(self.nodes[node ^ 1]);
            node /= 2;
            self.nodes[node] = least;
        }
    }

    /// One competitor's time.
    #[inline]
    pub(crate) fn time(&self, index: usize) -> Time {
        self.times[index % COMPETITORS_MOST]
    }

    /// The competitor who comes first. With nobody left its time is [`Time::NEVER`].
    #[inline]
    pub(crate) fn winner(&mut self) -> Winner {
        let index = self.nodes[1] as usize % COMPETITORS_MOST;
        let time = self.time(index);
        if time.since(self.origin).0 > SPAN / 2 && time != Time::NEVER {
            let earliest = self.times[..self.leaves].iter().copied().min();
            self.rebuild(earliest.unwrap_or(time));
            return self.winner();
        }
        let mut second = Key::MAX;
        let mut node = (self.leaves + index) & MASK;
        while node > 1 {
            second = second.min(self.nodes[node ^ 1]);
            node /= 2;
        }
        let rival = second as usize % COMPETITORS_MOST;
        // Against a rival of higher index a tie is won.
        let horizon = self.time(rival).saturating_add(Time(u64::from(rival > index)));
        Winner { index, time, horizon: if second == Key::MAX { Time::NEVER } else { horizon } }
    }

    /// Counts times from another origin, which no competitor's time precedes.
    fn rebuild(&mut self, origin: Time) {
        self.origin = origin;
        for index in 0..self.leaves {
            self.set(index, self.times[index]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_order_reaches_through_all_of_time() {
        let mut order = Order::new(3);
        let month = Time::from_ms(30 * 86_400_000);
        order.set(0, month + Time(2));
        order.set(1, month + Time(1));
        order.set(2, Time(5));
        assert_eq!(order.winner().index, 2);
        order.set(2, month + Time(3));
        assert_eq!(order.winner(), Winner { index: 1, time: month + Time(1), horizon: month + Time(2) });
    }

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
