//! Locked operations: read-modify-writes and fences.
//!
//! On x86 a locked operation moves its line to the core and holds it there while it reads, changes and writes the
//! word. On Armv8.0 it is a pair of instructions: a load that leaves the line shared and remembers it, and a store
//! that fails if the line was lost meanwhile; of N CPUs that try at once one succeeds and the others load the line
//! again, so an operation gets dearer with each of them. Armv8.1 can carry operations out at the line's home.

use crate::access::{engine, in_turn, offset_of, order, order_at};
use crate::account::Category;
use crate::coherence::Purpose;
use crate::cpu::Turn;
use crate::engine::{Engine, NO_CPU};
use crate::machine::LockedAt;
use crate::time::Time;

/// A read-modify-write of a word of 4 or 8 bytes: `change` gets the old value and returns the new one, or `None` to
/// leave it. Returns the old value. If `used`, the front end waits for it.
#[inline]
pub fn locked(address: *const u8, bytes: u8, used: bool, change: impl FnOnce(u64) -> Option<u64>) -> u64 {
    let this = engine();
    let offset = offset_of(this, address);
    if this.running == NO_CPU {
        return this.modify(offset, bytes, change);
    }
    let line = offset >> this.line_shift;
    let turned = in_turn(Turn::Locked { line });
    let engine = engine();
    let old = engine.modify(offset, bytes, change);
    engine.finish_locked(line, turned.done, used);
    old
}

impl Engine {
    #[inline]
    fn modify(&mut self, offset: usize, bytes: u8, change: impl FnOnce(u64) -> Option<u64>) -> u64 {
        let old = self.arena.read(offset, bytes);
        if let Some(new) = change(old) {
            self.arena.write(offset, bytes, new);
        }
        old
    }

    /// A locked operation issues. Returns when it can take effect at the earliest.
    pub(crate) fn begin_locked(&mut self, number: usize, line: usize) -> Time {
        self.accesses += 1;
        let cpu = &mut self.cpus[number];
        let now = cpu.position();
        cpu.note_write();
        cpu.issue(Category::Access, cpu.costs.load_issue);
        let issue = cpu.front.max(std::mem::take(&mut cpu.address_known));
        let mut start = issue.max(cpu.retired);
        if let Some(youngest) = cpu.stores.back() {
            start = start.max(youngest.commit);
        }
        let lead = issue.since(cpu.costs.locked_lead).max(cpu.restarted);
        match self.locked_at {
            LockedAt::Core => {}
            LockedAt::Home(service) => {
                let (effect, back) = self.operate_at_home(number, line, start, service);
                let cpu = &mut self.cpus[number];
                cpu.result.done = back;
                cpu.turn = Turn::Resume;
                return effect;
            }
            LockedAt::ExclusivePair => {
                self.cpus[number].turn = Turn::LoadExclusive { line };
                return start;
            }
        }
        if self.lines.hold(line, number).write_until < start {
            let arrives = self.arrival_time(number, line, lead);
            if arrives > now {
                self.cpus[number].turn = Turn::ServeLocked { line, start };
                return arrives;
            }
            start = start.max(self.serve(number, line, Purpose::Locked, arrives).data);
        }
        self.cpus[number].turn = Turn::TryLocked { line };
        start
    }

    /// The request of a locked operation has arrived. Returns when it can take effect.
    pub(crate) fn serve_locked(&mut self, number: usize, line: usize, start: Time) -> Time {
        self.cpus[number].turn = Turn::TryLocked { line };
        let arrived = self.cpus[number].bound;
        start.max(self.serve(number, line, Purpose::Locked, arrived).data)
    }

    /// Carries a locked operation out at the CPU's position if the store buffer is empty and the line is here;
    /// otherwise returns when to try again.
    pub(crate) fn try_locked(&mut self, number: usize, line: usize) -> Option<Time> {
        let start = self.cpus[number].bound;
        self.write_back(number, start);
        if let Some(youngest) = self.cpus[number].stores.back() {
            return Some(youngest.commit);
        }
        if self.lines.hold(line, number).write_until < start {
            self.cpus[number].turn = Turn::ServeLocked { line, start };
            return Some(self.arrival_time(number, line, start));
        }
        self.take_effect(number, line, start);
        None
    }

    /// A locked operation takes effect at `start`, on a line that the CPU owns.
    fn take_effect(&mut self, number: usize, line: usize, start: Time) {
        let end = start + self.cpus[number].costs.locked;
        let entry = &mut self.lines.table[line];
        if entry.holder as usize == number {
            entry.modified = true;
            entry.available = entry.available.max(end);
        }
        let cpu = &mut self.cpus[number];
        cpu.result.done = end;
        cpu.turn = Turn::Resume;
    }

    /// The first half of a locked operation as a pair: loads the line, to share it. Returns when the second half can
    /// follow.
    pub(crate) fn load_exclusive(&mut self, number: usize, line: usize) -> Time {
        let now = self.cpus[number].bound;
        self.cpus[number].turn = Turn::StoreExclusive { line };
        let hit = self.cpus[number].costs.hit;
        if self.lines.hold(line, number).read_until > now {
            return now + hit;
        }
        self.cpus[number].turn = Turn::ServeLoadExclusive { line };
        self.arrival_time(number, line, now)
    }

    pub(crate) fn serve_load_exclusive(&mut self, number: usize, line: usize) -> Time {
        self.cpus[number].turn = Turn::StoreExclusive { line };
        let now = self.cpus[number].bound;
        self.serve(number, line, Purpose::Read, now).data + self.cpus[number].costs.hit
    }

    /// The second half: stores if the copy is still good, after making others give up theirs. If the copy has been
    /// lost, the pair begins again; returns when, or when the line is owned.
    pub(crate) fn store_exclusive(&mut self, number: usize, line: usize) -> Option<Time> {
        let now = self.cpus[number].bound;
        self.write_back(number, now);
        if let Some(youngest) = self.cpus[number].stores.back() {
            return Some(youngest.commit);
        }
        let hold = *self.lines.hold(line, number);
        if hold.write_until >= now {
            self.take_effect(number, line, now);
            return None;
        }
        if hold.read_until == Time::NEVER {
            self.cpus[number].turn = Turn::ServeStoreExclusive { line };
            return Some(self.arrival_time(number, line, now));
        }
        Some(self.begin_pair_again(number, line))
    }

    /// The request to own the line has arrived. If nobody has claimed it before, nothing comes in between any more.
    pub(crate) fn serve_store_exclusive(&mut self, number: usize, line: usize) -> Time {
        let now = self.cpus[number].bound;
        if self.lines.hold(line, number).read_until == Time::NEVER {
            self.cpus[number].turn = Turn::StoreExclusive { line };
            return self.serve(number, line, Purpose::Locked, now).data;
        }
        self.begin_pair_again(number, line)
    }

    /// The copy was lost between load and store, and the branch on that was mispredicted.
    fn begin_pair_again(&mut self, number: usize, line: usize) -> Time {
        self.cpus[number].turn = Turn::LoadExclusive { line };
        self.cpus[number].bound + self.cpus[number].costs.mispredict
    }

    #[inline]
    fn finish_locked(&mut self, line: usize, end: Time, used: bool) {
        let label = self.label_of(line);
        // A pair ends in a branch on whether its store succeeded.
        let used = used || self.locked_at == LockedAt::ExclusivePair;
        let cpu = &mut self.cpus[self.running];
        if used {
            cpu.stall(label, end.since(cpu.costs.locked));
            if end > cpu.front {
                cpu.pass(Category::Locked, end - cpu.front);
            }
            cpu.restarted = cpu.front;
        }
        cpu.complete(end, label);
    }
}

/// A full fence: waits until all own stores are written.
pub fn fence() {
    if !order() {
        return;
    }
    while let Some(start) = engine().begin_fence() {
        order_at(start);
    }
    let engine = engine();
    let cpu = &mut engine.cpus[engine.running];
    let (label, drained, cost) = (cpu.last_label, cpu.retired.max(cpu.drained), cpu.costs.fence);
    cpu.stall(label, drained);
    cpu.pass(Category::Locked, cost);
    cpu.retired = cpu.front;
    cpu.restarted = cpu.front;
}

impl Engine {
    /// When a fence should look again, or `None` when the store buffer is empty.
    fn begin_fence(&mut self) -> Option<Time> {
        let number = self.running;
        self.cpus[number].note_write();
        let now = self.cpus[number].position();
        self.write_back(number, now);
        self.cpus[number].stores.back().map(|youngest| youngest.commit)
    }
}
