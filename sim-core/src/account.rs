//! Where every picosecond of a CPU goes.

use crate::time::Time;

/// A named piece of work, a named wait, or the handler of an interrupt: an index into the names that the
/// simulation was created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Activity(pub u16);

/// A name given to cache lines: an index into the simulation's labels. Label 0 is memory without a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(pub u16);

/// What a CPU spends time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// No thread to run.
    Idle,
    /// Issuing loads and stores.
    Access,
    /// Carrying out locked operations and fences.
    Locked,
    /// Starting again after a mispredicted branch.
    Mispredict,
    /// A named piece of work.
    Work(Activity),
    /// An interrupt's handler.
    Interrupt(Activity),
    /// Waiting for lines with this label to arrive, or for stores to them to leave a full store buffer.
    Stall(Label),
    /// Polling, for this reason, lines with this label.
    Wait(Activity, Label),
}

/// Numbers the categories densely, so that an account is an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    activities: u32,
}

const FIXED: u32 = 4;

impl Numbering {
    pub(crate) fn new(activities: usize) -> Self {
        Self { activities: activities as u32 }
    }

    #[inline]
    pub(crate) fn number(self, category: Category) -> u32 {
        let per_label = FIXED + 2 * self.activities;
        match category {
            Category::Idle => 0,
            Category::Access => 1,
            Category::Locked => 2,
            Category::Mispredict => 3,
            Category::Work(Activity(activity)) => FIXED + u32::from(activity),
            Category::Interrupt(Activity(activity)) => FIXED + self.activities + u32::from(activity),
            Category::Stall(Label(label)) => per_label + u32::from(label) * (1 + self.activities),
            Category::Wait(Activity(activity), Label(label)) => {
                per_label + u32::from(label) * (1 + self.activities) + 1 + u32::from(activity)
            }
        }
    }

    pub(crate) fn category(self, number: u32) -> Category {
        let per_label = FIXED + 2 * self.activities;
        match number {
            0 => Category::Idle,
            1 => Category::Access,
            2 => Category::Locked,
            3 => Category::Mispredict,
            n if n < FIXED + self.activities => Category::Work(Activity((n - FIXED) as u16)),
            n if n < per_label => Category::Interrupt(Activity((n - FIXED - self.activities) as u16)),
            n => {
                let label = Label(((n - per_label) / (1 + self.activities)) as u16);
                match (n - per_label) % (1 + self.activities) {
                    0 => Category::Stall(label),
                    wait => Category::Wait(Activity((wait - 1) as u16), label),
                }
            }
        }
    }
}

/// One CPU's account: a sum per category, and the latest pieces apart, where they may reach into the future.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    totals: Vec<Time>,
    recent: Vec<(u32, Time)>,
    /// Pieces that end no later than this go to the totals at once: nothing can delay or re-time them, and no observer
    /// looks at a time before.
    certain_until: Time,
    /// Time already charged to a wait at the end of a window whose pieces are still to come: a CPU may lag.
    prepaid: Time,
}

impl Account {
    /// Says that pieces that end no later than `certain` will stay as they are charged, and that no observer looks
    /// at a time before it.
    #[inline]
    pub(crate) fn set_certain(&mut self, certain: Time) {
        self.certain_until = if self.prepaid == Time::ZERO { certain } else { Time::ZERO };
    }

    /// Charges a piece of time that directly follows the previous piece and ends at `end`.
    #[inline]
    pub(crate) fn charge(&mut self, number: u32, time: Time, end: Time) {
        if end <= self.certain_until
            && self.recent.is_empty()
            && let Some(total) = self.totals.get_mut(number as usize)
        {
            *total += time;
        } else {
            self.charge_apart(number, time);
        }
    }

    fn charge_apart(&mut self, number: u32, mut time: Time) {
        if self.prepaid != Time::ZERO {
            let paid = self.prepaid.min(time);
            self.prepaid -= paid;
            time -= paid;
        }
        match self.recent.last_mut() {
            Some((last, sum)) if *last == number => *sum += time,
            _ => self.recent.push((number, time)),
        }
    }

    /// Says that all pieces so far lie in the past.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if !self.recent.is_empty() {
            self.settle_recent();
        }
    }

    fn settle_recent(&mut self) {
        for (number, time) in self.recent.drain(..) {
            let index = number as usize;
            if index >= self.totals.len() {
                self.totals.resize(index + 1, Time::ZERO);
            }
            self.totals[index] += time;
        }
    }

    /// The sums at `now`, where the pieces charged so far reach to `front`. If they do not reach `now`, what is
    /// missing counts as `waiting`.
    pub(crate) fn at(&self, now: Time, front: Time, waiting: u32) -> Vec<Time> {
        let mut copy = self.clone();
        let mut beyond = front.since(now);
        while beyond > Time::ZERO {
            let Some((_, time)) = copy.recent.last_mut() else { break };
            let cut = beyond.min(*time);
            *time -= cut;
            beyond -= cut;
            if *time == Time::ZERO {
                copy.recent.pop();
            }
        }
        copy.charge_apart(waiting, now.since(front));
        copy.settle();
        copy.totals
    }

    /// Closes a window at `now`: like [`at`](Self::at), and from here on the missing piece counts as charged, so
    /// that the next window starts exactly here.
    pub(crate) fn close_window(&mut self, now: Time, front: Time, waiting: u32) -> Vec<Time> {
        let sums = self.at(now, front, waiting);
        let missing = now.since(front);
        if missing > self.prepaid {
            let new = missing - self.prepaid;
            self.settle();
            let prepaid = std::mem::take(&mut self.prepaid);
            self.charge_apart(waiting, new);
            self.settle();
            self.prepaid = prepaid + new;
            self.certain_until = Time::ZERO;
        }
        sums
    }

    /// Inserts a piece that begins at `at`, delaying the pieces charged beyond it. They reach to `front`, which is
    /// not before `at`.
    pub(crate) fn insert(&mut self, at: Time, front: Time, number: u32, time: Time) {
        let mut beyond = front.since(at);
        let mut later = Vec::new();
        while beyond > Time::ZERO {
            let Some((number, piece)) = self.recent.pop() else { break };
            let part = beyond.min(piece);
            later.push((number, part));
            beyond -= part;
            if piece > part {
                self.recent.push((number, piece - part));
            }
        }
        self.recent.push((number, time));
        self.recent.extend(later.into_iter().rev());
    }

    /// Stretches or shrinks, in proportion, the pieces that lie beyond `now`, so that they end at `end` instead of
    /// `front`.
    pub(crate) fn retime(&mut self, now: Time, front: Time, end: Time) {
        let (mut old, mut new) = (front.since(now), end.since(now));
        for (_, time) in self.recent.iter_mut().rev() {
            if old == Time::ZERO {
                break;
            }
            let part = old.min(*time);
            // The last piece taken gets the remainder, so that the sum comes out exactly.
            let scaled = Time((u128::from(part.0) * u128::from(new.0) / u128::from(old.0)) as u64);
            *time = *time - part + scaled;
            old -= part;
            new -= scaled;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_and_categories_correspond() {
        let numbering = Numbering::new(3);
        for number in 0..60 {
            assert_eq!(numbering.number(numbering.category(number)), number);
        }
    }

    #[test]
    fn a_lagging_cpu_is_charged_once() {
        let mut account = Account::default();
        account.charge(1, Time(10), Time(10));
        assert_eq!(account.close_window(Time(16), Time(10), 5).iter().copied().sum::<Time>(), Time(16));
        account.charge(1, Time(4), Time(14));
        account.charge(2, Time(6), Time(20));
        let sums = account.at(Time(20), Time(20), 5);
        assert_eq!(sums, [0, 10, 4, 0, 0, 6].map(Time));
    }

    proptest! {
        #[test]
        fn sums_equal_elapsed_time(steps in prop::collection::vec((0_u8..4, 0_u64..50), 0..60)) {
            let (mut account, mut front, mut now) = (Account::default(), Time::ZERO, Time::ZERO);
            for (step, time) in steps {
                let time = Time(time);
                match step {
                    0 => {
                        front += time;
                        account.charge(time.0 as u32 % 5 + 1, time, front);
                    }
                    1 => {
                        now += time;
                        account.set_certain(now);
                    }
                    2 => {
                        account.retime(now, front, front.max(now) + time);
                        front = if front > now { front + time } else { front };
                    }
                    _ => {
                        let begins = front.max(now);
                        account.charge(0, begins - front, begins);
                        account.insert(now, begins, 7, time);
                        front = begins + time;
                    }
                }
                let peeked: Time = account.at(now, front, 0).iter().copied().sum();
                prop_assert_eq!(peeked, now);
                if step == 1 {
                    let closed: Time = account.close_window(now, front, 0).iter().copied().sum();
                    prop_assert_eq!(closed, now);
                }
                if front <= now {
                    account.settle();
                }
            }
        }
    }
}
