//! Waiting: polling loops as events.
//!
//! A failed poll that only reads cannot succeed until one of the lines it read changes hands. So the CPU parks
//! on those lines, and the write that takes its copy away wakes it at the next turn of its loop; the time in
//! between is accounted as if each poll had been made. Woken, it reads the lines again, which costs what it
//! costs: N spinners that fetch one line after each other are why ticket locks collapse.

use crate::access::{engine, order, order_at, order_if_disturbed, park};
use crate::account::{Activity, Category, Label};
use crate::cpu::{Cpu, Poll, State, WATCHED_MOST};
use crate::engine::{Engine, NO_CPU};
use crate::time::Time;

/// Repeats `poll` until it gives a value; between failed polls the CPU executes its spin hint if `hint` says so. The
/// time after the first failed poll is accounted as waiting for `reason`.
#[inline]
pub fn poll_until<R>(reason: Activity, hint: bool, mut poll: impl FnMut() -> Option<R>) -> R {
    if engine().running == NO_CPU {
        return poll().expect("nothing can be waited for while a simulation is being built");
    }
    let outer = begin();
    loop {
        if let Some(result) = poll() {
            end(outer);
            return result;
        }
        if fail(reason, hint) {
            park(Time::NEVER);
        }
    }
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// One of the lines was written.
    Written,
    /// The deadline passed.
    Deadline,
}

/// Waits until another CPU takes one of the lines at these addresses away to write it, or until a deadline. Lines
/// already taken since they were last read end the wait at once.
pub fn wait_any(reason: Activity, addresses: &[*const u8], deadline: Time) -> Woken {
    if !order() {
        return Woken::Deadline;
    }
    let this = engine();
    let lines: Vec<usize> = addresses
        .iter()
        .map(|address| {
            let offset = this.arena.offset_of(*address).expect("waits are on the machine's shared memory");
            offset >> this.line_shift
        })
        .collect();
    let number = this.running;
    let now = this.cpus[number].position();
    if deadline <= now || lines.iter().any(|line| this.lines.hold(*line, number).read_until != Time::NEVER) {
        return if deadline <= now { Woken::Deadline } else { Woken::Written };
    }
    let label = lines.first().map_or(Label::default(), |line| this.label_of(*line));
    let category = this.numbering.number(Category::Wait(reason, label));
    let cpu = &mut this.cpus[number];
    let outer = std::mem::take(&mut cpu.poll);
    cpu.poll.failing = Some(category);
    cpu.stall(label, now);
    cpu.poll.began = cpu.front;
    cpu.poll.period = cpu.costs.load_issue;
    lines.iter().for_each(|line| cpu.poll.watch(*line));
    cpu.state = State::Parked;
    park(deadline);
    let this = engine();
    let cpu = &mut this.cpus[number];
    let timed_out = cpu.state == State::Parked;
    if timed_out {
        cpu.state = State::Running;
        cpu.stall(label, deadline);
    }
    cpu.poll = outer;
    if timed_out { Woken::Deadline } else { Woken::Written }
}

/// Sleeps until a moment on the running thread's CPU; the time is accounted as waiting for `reason`.
pub fn sleep_until(reason: Activity, until: Time) {
    wait_any(reason, &[], until);
    order_at(until);
}

fn begin() -> Poll {
    let this = engine();
    let cpu = &mut this.cpus[this.running];
    let outer = std::mem::take(&mut cpu.poll);
    cpu.restart_poll();
    outer
}

/// Ends a successful poll and goes back to the one around it.
fn end(outer: Poll) {
    order_if_disturbed();
    let this = engine();
    let cpu = &mut this.cpus[this.running];
    cpu.leave_failing_poll();
    let wrote = cpu.poll.wrote;
    cpu.poll = outer;
    cpu.poll.wrote |= wrote;
}

/// Deals with a failed poll. `true`: the CPU is parked, and the thread has to suspend until it is woken.
fn fail(reason: Activity, hint: bool) -> bool {
    order_if_disturbed();
    let this = engine();
    let number = this.running;
    let label = this.cpus[number].poll.watched().first().map_or(Label::default(), |line| this.label_of(*line as usize));
    let category = this.numbering.number(Category::Wait(reason, label));
    let cpu = &mut this.cpus[number];
    cpu.poll.failing = Some(category);
    if hint {
        let pause = cpu.costs.spin_hint;
        cpu.issue(Category::Access, pause);
    }
    cpu.poll.period = cpu.issued_since_poll();
    assert!(cpu.poll.period > Time::ZERO, "a poll that takes no time would go on for ever");
    // Whether the poll failed is known when its last value is there.
    let (label, value) = (cpu.last_label, cpu.last_value);
    cpu.stall(label, value);
    let reads_only = !cpu.poll.wrote && (1..=WATCHED_MOST).contains(&cpu.poll.reads);
    if !reads_only {
        cpu.restart_poll();
        return false;
    }
    let (watched, reads) = (cpu.poll.watched, cpu.poll.reads);
    let changes = watched[..reads].iter().map(|line| this.lines.hold(*line as usize, number).read_until).min();
    let cpu = &mut this.cpus[number];
    cpu.poll.began = cpu.front;
    match changes {
        Some(Time::NEVER) => {
            cpu.state = State::Parked;
            true
        }
        changes => {
            // A line is about to go: the polls until then fail as well.
            cpu.skip_polls_until(changes.unwrap_or(Time::ZERO));
            cpu.restart_poll();
            false
        }
    }
}

impl Engine {
    /// A line that a parked CPU watches is granted away at `at`: it notices at its next poll.
    pub(crate) fn wake(&mut self, number: usize, at: Time) {
        let waker = self.cpus.get(self.running).map_or(self.now, |cpu| cpu.position());
        let cpu = &mut self.cpus[number];
        cpu.state = State::Running;
        cpu.skip_polls_until(at);
        cpu.bound = cpu.bound.max(waker);
        let position = cpu.position();
        self.set_order(number, position);
        self.horizon = self.horizon.min(position);
        let certain = self.certain_until();
        if let Some(waker) = self.cpus.get_mut(self.running) {
            waker.account.set_certain(certain);
        }
    }
}

impl Poll {
    /// Notes that the poll reads a line.
    #[inline]
    pub(crate) fn watch(&mut self, line: usize) {
        let line = line as u32;
        if !self.watched().contains(&line) {
            if let Some(place) = self.watched.get_mut(self.reads) {
                *place = line;
            }
            self.reads += 1;
        }
    }

    /// The lines it reads, up to as many as can be watched.
    pub(crate) fn watched(&self) -> &[u32] {
        &self.watched[..self.reads.min(WATCHED_MOST)]
    }
}

impl Cpu {
    /// Begins to watch what the next poll does.
    fn restart_poll(&mut self) {
        self.poll.active = true;
        self.poll.wrote = false;
        self.poll.reads = 0;
        self.poll.issued_before = self.issued;
    }

    /// Moves the front to the first turn of the polling loop that is not before `at`.
    fn skip_polls_until(&mut self, at: Time) {
        let behind = at.since(self.poll.began);
        let turns = behind.0.div_ceil(self.poll.period.0);
        let turn = self.poll.began + Time(turns * self.poll.period.0);
        if turn > self.front
            && let Some(category) = self.poll.failing
        {
            self.charge(category, turn - self.front);
        }
    }

    fn issued_since_poll(&self) -> Time {
        self.issued - self.poll.issued_before
    }

    /// A poll that has failed before goes the other way now, at the latest when it writes: the branch on the last
    /// value was mispredicted.
    #[inline]
    pub(crate) fn leave_failing_poll(&mut self) {
        if self.poll.failing.is_some() {
            // Until the value is known, the CPU is still waiting.
            self.stall(self.last_label, self.last_value);
            self.poll.failing = None;
            self.mispredict();
        }
    }
}
