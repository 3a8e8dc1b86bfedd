//! One simulated CPU: its clocks, what it has in flight, and how time passes at its front end.
//!
//! The core is out of order. Its *front* clock says when the next instruction issues; a load that misses does
//! not move it. Its *retire* clock says when everything so far has retired. The front runs at most the reorder
//! window ahead of the oldest instruction that has not retired. A front clock may lag behind global time
//! while loads are pending: others see only requests and retired stores, so this is causally safe.

use std::collections::VecDeque;

use crate::account::{Account, Category, Label, Numbering};
use crate::machine::CoreCosts;
use crate::random::Stream;
use crate::thread::WayBack;
use crate::time::Time;

/// One is this much in the fixed-point factors of the hot path.
pub(crate) const ONE: u64 = 1 << 16;

/// A store on its way from retirement to the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingStore {
    pub(crate) offset: u32,
    pub(crate) line: u32,
    /// 4 or 8; 0 for plain data, which is written at once because race-free code cannot tell.
    pub(crate) bytes: u8,
    pub(crate) value: u64,
    /// When it has retired and may be written.
    pub(crate) ready: Time,
    /// When it is written, if its line is not lost before.
    pub(crate) commit: Time,
}

/// An instruction that has issued but not retired.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// The front-end time that had been issued when it did.
    issued: Time,
    retires: Time,
    label: Label,
}

/// A poll of more lines than this is repeated without parking.
pub(crate) const WATCHED_MOST: usize = 8;

/// A poll that is being made, or has failed.
#[derive(Debug, Default)]
pub(crate) struct Poll {
    /// Set while the poll runs.
    pub(crate) active: bool,
    /// The category of time spent once a poll has failed.
    pub(crate) failing: Option<u32>,
    pub(crate) began: Time,
    /// Front-end time issued before it began.
    pub(crate) issued_before: Time,
    /// How long one failed poll took at the front end: the period of further ones.
    pub(crate) period: Time,
    pub(crate) watched: [u32; WATCHED_MOST],
    /// How many lines it reads; more than can be watched stay unnamed.
    pub(crate) reads: usize,
    /// It has written something, so it may not be skipped.
    pub(crate) wrote: bool,
}

/// What a CPU is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It has no thread, or its thread has ended.
    Idle,
    /// Its thread runs, or goes on at the time set in the order.
    Running,
    /// Its thread waits for a write to one of the lines it watches, or for a deadline.
    Parked,
}

/// What is to happen when a suspended thread's turn comes. The steps of an access are taken here, without a switch
/// to the thread in between.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// It goes on.
    Resume,
    /// It issues a load.
    Load {
        offset: usize,
        bytes: u8,
    },
    /// Its request for a line to load from has arrived.
    ServeLoad {
        line: usize,
    },
    /// It issues a locked operation.
    Locked {
        line: usize,
    },
    /// Its request for a line for a locked operation has arrived, which could take effect at `start` otherwise.
    ServeLocked {
        line: usize,
        start: Time,
    },
    /// Its locked operation can take effect now, if nothing came in between.
    TryLocked {
        line: usize,
    },
    /// Its locked operation as a pair: it loads the line; the request has arrived; it stores, if it has not lost the
    /// line meanwhile; the request to own it has arrived.
    LoadExclusive {
        line: usize,
    },
    ServeLoadExclusive {
        line: usize,
    },
    StoreExclusive {
        line: usize,
    },
    ServeStoreExclusive {
        line: usize,
    },
}

/// What a turn's steps have found out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turned {
    /// The value of a load that came from the CPU's own store buffer.
    pub(crate) forwarded: Option<u64>,
    /// When a locked operation's result is there.
    pub(crate) done: Time,
}

/// A simulated CPU.
pub(crate) struct Cpu {
    pub(crate) front: Time,
    /// The time of the last effect that was bound in the global order.
    pub(crate) bound: Time,
    pub(crate) retired: Time,
    /// When the youngest store is written.
    pub(crate) drained: Time,
    /// No locked operation's line was asked for before this: the front end started again here.
    pub(crate) restarted: Time,
    pub(crate) issued: Time,
    /// When the address of the next access is known, if it comes from a load.
    pub(crate) address_known: Time,
    /// When the last load or locked operation has its value.
    pub(crate) last_value: Time,
    /// The label of the last line waited for.
    pub(crate) last_label: Label,
    pub(crate) last_arrival: Time,
    in_flight: VecDeque<InFlight>,
    /// The front-end time up to which it may issue while the oldest instruction in flight has not retired.
    window_end: Time,
    pub(crate) stores: VecDeque<PendingStore>,
    pub(crate) state: State,
    pub(crate) turn: Turn,
    pub(crate) result: Turned,
    pub(crate) poll: Poll,
    pub(crate) account: Account,
    pub(crate) costs: CoreCosts,
    /// By how much front-end time is stretched now, [`ONE`] being not at all.
    pub(crate) stretch: u64,
    pub(crate) jitter: Stream,
    pub(crate) way_back: WayBack,
    pub(crate) thread_name: String,
    /// When its thread ended.
    pub(crate) ended: Option<Time>,
    numbering: Numbering,
}

impl Cpu {
    pub(crate) fn new(costs: CoreCosts, jitter: Stream, numbering: Numbering) -> Self {
        Self {
            front: Time::ZERO,
            bound: Time::ZERO,
            retired: Time::ZERO,
            drained: Time::ZERO,
            restarted: Time::ZERO,
            issued: Time::ZERO,
            address_known: Time::ZERO,
            last_value: Time::ZERO,
            last_label: Label::default(),
            last_arrival: Time::ZERO,
            in_flight: VecDeque::new(),
            window_end: Time::NEVER,
            stores: VecDeque::new(),
            state: State::Idle,
            turn: Turn::Resume,
            result: Turned::default(),
            poll: Poll::default(),
            account: Account::default(),
            costs,
            stretch: ONE,
            jitter,
            way_back: std::ptr::null(),
            thread_name: String::new(),
            ended: None,
            numbering,
        }
    }

    /// When the CPU's next effect may happen.
    #[inline]
    pub(crate) fn position(&self) -> Time {
        self.front.max(self.bound)
    }

    /// Moves the front clock, charging the time to a category, or to the wait whose polls are failing.
    #[inline]
    pub(crate) fn pass(&mut self, category: Category, time: Time) {
        let number = self.poll.failing.unwrap_or_else(|| self.numbering.number(category));
        self.charge(number, time);
    }

    /// Moves the front clock, charging the time to the category of this number.
    #[inline]
    pub(crate) fn charge(&mut self, number: u32, time: Time) {
        self.front += time;
        self.account.charge(number, time, self.front);
    }

    /// Moves the front clock to `until`, if it is not there yet.
    #[inline]
    pub(crate) fn stall(&mut self, label: Label, until: Time) {
        if until > self.front {
            self.pass(Category::Stall(label), until - self.front);
        }
    }

    /// Issues work that takes `time` when nothing stretches it. The front stalls where it would get further
    /// ahead of the oldest unretired instruction than the reorder window allows.
    #[inline]
    pub(crate) fn issue(&mut self, category: Category, time: Time) {
        let time = if self.stretch == ONE { time } else { Time(time.0 * self.stretch / ONE) };
        if self.issued + time <= self.window_end {
            self.issued += time;
            self.pass(category, time);
        } else {
            self.issue_beyond_window(category, time);
        }
    }

    fn issue_beyond_window(&mut self, category: Category, mut time: Time) {
        while let Some(oldest) = self.in_flight.front().copied() {
            if oldest.retires > self.front {
                let room = self.window_end.since(self.issued);
                if time <= room {
                    break;
                }
                self.issued += room;
                self.pass(category, room);
                time -= room;
                self.stall(oldest.label, oldest.retires);
            }
            self.in_flight.pop_front();
            self.window_end = match self.in_flight.front() {
                Some(next) => next.issued + self.costs.reorder_window,
                None => Time::NEVER,
            };
        }
        self.issued += time;
        self.pass(category, time);
    }

    /// Notes that the instruction just issued has its result at `done`; it retires then, or when those before it
    /// have.
    #[inline]
    pub(crate) fn complete(&mut self, done: Time, label: Label) {
        self.last_value = done;
        self.last_label = label;
        if done > self.retired {
            self.retired = done;
        }
        if self.retired > self.front + self.costs.hit {
            if self.in_flight.is_empty() {
                self.window_end = self.issued + self.costs.reorder_window;
            }
            self.in_flight.push_back(InFlight { issued: self.issued, retires: self.retired, label });
        }
    }

    /// A branch on the last value went the other way: the front end waits for the value and starts again.
    pub(crate) fn mispredict(&mut self) {
        self.stall(self.last_label, self.last_value);
        self.pass(Category::Mispredict, self.costs.mispredict);
        self.restarted = self.front;
    }

    /// The CPU's turn has come, at `now`; what is charged up to `certain` will stay.
    #[inline]
    pub(crate) fn resumed(&mut self, now: Time, certain: Time) {
        self.bound = self.bound.max(now);
        // A locked operation's request may arrive before the front has reached the operation itself.
        if self.front <= now {
            self.account.settle();
        }
        self.account.set_certain(certain);
    }

    /// The thread is about to write or to exchange something.
    #[inline]
    pub(crate) fn note_write(&mut self) {
        if self.poll.active {
            self.poll.wrote = true;
            self.leave_failing_poll();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::costs;
    use crate::random::stream;

    fn cpu(reorder_window_ns: u64) -> Cpu {
        let costs = CoreCosts { reorder_window: Time::from_ns(reorder_window_ns), ..costs() };
        Cpu::new(costs, stream(1, "cpu"), Numbering::new(1))
    }

    #[test]
    fn the_window_lets_some_work_overlap_a_miss() {
        let mut cpu = cpu(9);
        cpu.complete(Time::from_ns(100), Label(1));
        cpu.issue(Category::Access, Time::from_ns(30));
        // 9 ns run beside the miss, the other 21 after it.
        assert_eq!(cpu.front, Time::from_ns(121));
    }

    #[test]
    fn instructions_retire_in_order() {
        let mut cpu = cpu(9);
        cpu.complete(Time::from_ns(100), Label(1));
        cpu.issue(Category::Access, Time::from_ns(5));
        cpu.complete(Time::from_ns(50), Label(2));
        assert_eq!((cpu.last_value, cpu.retired), (Time::from_ns(50), Time::from_ns(100)));
    }
}
