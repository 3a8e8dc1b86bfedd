//! What a simulated thread may do: touch shared memory, work, look at the clock, count.
//!
//! These functions act on the simulation that the calling host thread is running. Called while a simulation is
//! being built (outside its threads) they change memory and cost nothing. Called without a simulation, or on
//! memory that is not the simulation's, they panic: a fault of the program, not of its input.
//!
//! Every access is ordered: the thread suspends until no other CPU can come first. What an access needs from
//! other caches is asked for at the front clock, which may lag behind; its value is bound when it is granted.

use std::ptr::NonNull;

use crate::account::Category;
use crate::coherence::Purpose;
use crate::cpu::{PendingStore, Turn, Turned};
use crate::engine::{Engine, NO_CPU, current};
use crate::thread::suspend;
use crate::time::Time;

pub use crate::locked::{fence, locked};
pub use crate::work::{branch_missed, count, dep, now, work};

/// How many counters each thread has.
pub const COUNTERS: usize = 4;

/// The current engine, for a moment in which nothing suspends.
#[inline]
pub(crate) fn engine<'a>() -> &'a mut Engine {
    let engine = current();
    assert!(!engine.is_null(), "shared memory of a simulated machine was used outside its simulation");
    // SAFETY: the pointer is set only while its simulation is alive and being built, run or dropped on this host
    // thread. Callers let the reference go before anything suspends or calls `engine` again.
    unsafe { &mut *engine }
}

/// Suspends the running thread until its position is `at` in the global order.
#[inline]
pub(crate) fn order_at(at: Time) {
    let engine = engine();
    if at < engine.horizon {
        let cpu = &mut engine.cpus[engine.running];
        cpu.bound = cpu.bound.max(at);
        return;
    }
    suspend_until(at, Turn::Resume);
}

/// Suspends the running thread until `at`; then `turn` happens, and when that is done, the thread goes on.
#[inline(always)]
fn suspend_until(at: Time, turn: Turn) {
    let engine = engine();
    if engine.dropping {
        return;
    }
    engine.set_order(engine.running, at);
    let cpu = &mut engine.cpus[engine.running];
    cpu.turn = turn;
    let way_back = cpu.way_back;
    // SAFETY: this is the running thread's own stack.
    unsafe { suspend(way_back) };
}

/// Suspends the running thread until it is woken or its deadline passes.
pub(crate) fn park(deadline: Time) {
    suspend_until(deadline, Turn::Resume);
}

/// Waits for the running thread's turn at its own position; `false` when no thread is running.
#[inline]
pub(crate) fn order() -> bool {
    let engine = engine();
    if engine.running == NO_CPU {
        return false;
    }
    let position = engine.cpus[engine.running].position();
    order_at(position);
    true
}

/// On a machine where something may delay or stretch work under way, waits for the running thread's turn before more
/// time passes at its front: then only the piece of work that began last is re-timed, whatever code came before it.
/// `false` when no thread is running.
#[inline]
pub(crate) fn order_if_disturbed() -> bool {
    let engine = engine();
    if engine.disturbed { order() } else { engine.running != NO_CPU }
}

/// Lets `turn` happen when the running thread's turn comes, and returns what it found out.
#[inline]
pub(crate) fn in_turn(turn: Turn) -> Turned {
    let this = engine();
    let number = this.running;
    let cpu = &mut this.cpus[number];
    let position = cpu.position();
    if position >= this.horizon {
        suspend_until(position, turn);
    } else {
        cpu.turn = turn;
        if let Some(later) = this.take_turn(number) {
            let turn = this.cpus[number].turn;
            suspend_until(later, turn);
        }
    }
    let engine = engine();
    engine.cpus[number].result
}

impl Engine {
    /// Takes the steps that the running CPU's turn consists of, as far as it comes first. When the rest has to wait,
    /// returns until when.
    #[inline]
    pub(crate) fn take_turn(&mut self, number: usize) -> Option<Time> {
        loop {
            let later = match self.cpus[number].turn {
                Turn::Resume => return None,
                Turn::Load { offset, bytes } => {
                    self.cpus[number].turn = Turn::Resume;
                    self.begin_load(number, offset, bytes)?
                }
                Turn::ServeLoad { line } => self.serve_load(number, line)?,
                Turn::Locked { line } => self.begin_locked(number, line),
                Turn::ServeLocked { line, start } => self.serve_locked(number, line, start),
                Turn::TryLocked { line } => self.try_locked(number, line)?,
                Turn::LoadExclusive { line } => self.load_exclusive(number, line),
                Turn::ServeLoadExclusive { line } => self.serve_load_exclusive(number, line),
                Turn::StoreExclusive { line } => self.store_exclusive(number, line)?,
                Turn::ServeStoreExclusive { line } => self.serve_store_exclusive(number, line),
            };
            if later >= self.horizon && !self.dropping {
                return Some(later);
            }
            let cpu = &mut self.cpus[number];
            cpu.bound = cpu.bound.max(later);
        }
    }
}

/// Waits for the running thread's turn and does nothing: no result may depend on it.
pub fn pause_without_effect() {
    order();
}

#[inline]
pub(crate) fn offset_of(engine: &Engine, address: *const u8) -> usize {
    match engine.arena.offset_of(address) {
        Some(offset) => offset,
        None => outside(),
    }
}

#[cold]
fn outside() -> ! {
    panic!("an access outside the simulated machine's shared memory: place shared objects there first")
}

/// Places `bytes` bytes in shared memory, starting on a line of their own.
///
/// # Panics
/// If the simulation's memory is full.
pub fn take_memory(bytes: usize, align: usize) -> NonNull<u8> {
    engine().take_memory(bytes, align).expect("the simulated machine's shared memory is full: give it a larger arena")
}

/// A number that tells the current simulation from all others of this process. It never reaches a result.
#[inline]
pub fn simulation_id() -> u64 {
    engine().id
}

/// Names the lines that `bytes` bytes at `address` cover.
pub fn label(address: *const u8, bytes: usize, name: &str) {
    let engine = engine();
    let label = engine.label(name);
    let first = offset_of(engine, address);
    let (from, to) = (first >> engine.line_shift, (first + bytes.max(1) - 1) >> engine.line_shift);
    for line in &mut engine.lines.table[from..=to] {
        line.label = label;
    }
}

/// Loads a word of 4 or 8 bytes.
#[inline]
pub fn load(address: *const u8, bytes: u8) -> u64 {
    let this = engine();
    let offset = offset_of(this, address);
    if this.running == NO_CPU {
        return this.arena.read(offset, bytes);
    }
    let turned = in_turn(Turn::Load { offset, bytes });
    turned.forwarded.unwrap_or_else(|| engine().arena.read(offset, bytes))
}

impl Engine {
    /// A load issues. If it has to wait for its request to arrive, or for its line to be granted, returns until when;
    /// the value is bound on the grant.
    fn begin_load(&mut self, number: usize, offset: usize, bytes: u8) -> Option<Time> {
        let line = offset >> self.line_shift;
        self.accesses += 1;
        let label = self.label_of(line);
        let cpu = &mut self.cpus[number];
        let now = cpu.position();
        cpu.issue(Category::Access, cpu.costs.load_issue);
        let issue = cpu.front.max(std::mem::take(&mut cpu.address_known));
        let hit = cpu.costs.hit;
        if cpu.poll.active {
            cpu.poll.watch(line);
        }
        cpu.result.forwarded = None;
        if !cpu.stores.is_empty() {
            self.write_back(number, now);
            self.cpus[number].result.forwarded = self.forward(number, offset, bytes);
        }
        if self.cpus[number].result.forwarded.is_some() || self.lines.hold(line, number).read_until > now {
            self.cpus[number].complete(issue + hit, label);
            return None;
        }
        let arrives = self.arrival_time(number, line, issue);
        if arrives > now {
            self.cpus[number].turn = Turn::ServeLoad { line };
            return Some(arrives);
        }
        self.finish_load(number, line, now, arrives)
    }

    fn serve_load(&mut self, number: usize, line: usize) -> Option<Time> {
        self.cpus[number].turn = Turn::Resume;
        let now = self.cpus[number].bound;
        self.finish_load(number, line, now, now)
    }

    /// Serves a load's request, which has arrived at `arrived`.
    fn finish_load(&mut self, number: usize, line: usize, now: Time, arrived: Time) -> Option<Time> {
        let arrival = self.serve(number, line, Purpose::Read, arrived);
        let label = self.label_of(line);
        let cpu = &mut self.cpus[number];
        cpu.complete(arrival.data + cpu.costs.hit, label);
        (arrival.grant > now).then_some(arrival.grant)
    }

    /// The youngest value for a word in the CPU's own store buffer.
    fn forward(&self, cpu: usize, offset: usize, bytes: u8) -> Option<u64> {
        let stores = self.cpus[cpu].stores.iter().rev();
        stores.filter(|store| store.bytes == bytes && store.offset as usize == offset).map(|store| store.value).next()
    }
}

/// Stores a word of 4 or 8 bytes.
#[inline]
pub fn store(address: *const u8, bytes: u8, value: u64) {
    if !order() {
        let engine = engine();
        let offset = offset_of(engine, address);
        engine.arena.write(offset, bytes, value);
        return;
    }
    wait_for_buffer();
    let engine = engine();
    let offset = offset_of(engine, address);
    engine.begin_store(offset, bytes, value);
}

/// Stalls while the store buffer is full.
#[inline]
fn wait_for_buffer() {
    loop {
        let engine = engine();
        let number = engine.running;
        let now = engine.cpus[number].position();
        engine.write_back(number, now);
        let cpu = &mut engine.cpus[number];
        if cpu.stores.len() < cpu.costs.store_buffer_entries.max(1) as usize {
            return;
        }
        let oldest = cpu.stores[0];
        let label = engine.label_of(oldest.line as usize);
        engine.cpus[number].stall(label, oldest.commit);
        order();
    }
}

impl Engine {
    #[inline]
    fn begin_store(&mut self, offset: usize, bytes: u8, value: u64) {
        let number = self.running;
        let line = offset >> self.line_shift;
        self.accesses += 1;
        let cpu = &mut self.cpus[number];
        let now = cpu.position();
        cpu.note_write();
        cpu.issue(Category::Access, cpu.costs.store_issue);
        let issue = cpu.front.max(std::mem::take(&mut cpu.address_known));
        let retired = cpu.front.max(cpu.retired);
        let ready = retired + cpu.costs.commit;
        let earliest = ready.max(cpu.drained + cpu.costs.drain);
        let idle = cpu.stores.is_empty() && cpu.retired <= now;
        if idle && self.lines.hold(line, number).write_until > earliest {
            // An empty buffer and an owned line: the store takes effect at once.
            let entry = &mut self.lines.table[line];
            entry.modified = true;
            entry.available = entry.available.max(earliest);
            self.cpus[number].drained = earliest;
            if bytes != 0 {
                self.arena.write(offset, bytes, value);
            }
            return;
        }
        let claimed = self.lines.hold(line, number).write_until;
        let commit = self.own_for_store(number, line, issue, earliest);
        self.buffer_store(
            number,
            PendingStore { offset: offset as u32, line: line as u32, bytes, value, ready, commit },
        );
        if self.cpus[number].costs.store_buffer_entries == 0 {
            let label = self.label_of(line);
            self.cpus[number].stall(label, commit);
        }
        if claimed > earliest && claimed != Time::NEVER {
            // The line has been granted to somebody from a later moment on, who will not look into this buffer again.
            self.write_back(number, commit);
        }
    }
}

/// Reads plain data of any length; the caller copies it out afterwards. The lines are asked for together.
pub fn read_plain(address: *const u8, bytes: usize) {
    if bytes == 0 || !order() {
        return;
    }
    let engine = engine();
    let first = offset_of(engine, address);
    if let Some(grant) = engine.begin_reads(first, bytes) {
        order_at(grant);
    }
}

impl Engine {
    /// Loads from each line that a block covers; returns when the last is granted, if in the future.
    fn begin_reads(&mut self, first: usize, bytes: usize) -> Option<Time> {
        let number = self.running;
        let line_bytes = 1 << self.line_shift;
        let mut offset = first;
        let mut last = None;
        while offset < first + bytes {
            let wait = self.begin_load(number, offset, 0);
            // The requests for the lines are all under way at once, so none waits for another's arrival.
            last = last.max(match (wait, self.cpus[number].turn) {
                (Some(arrives), Turn::ServeLoad { line }) => {
                    self.cpus[number].turn = Turn::Resume;
                    let now = self.cpus[number].position();
                    self.finish_load(number, line, now, arrives)
                }
                (wait, _) => wait,
            });
            offset = (offset + line_bytes) & !(line_bytes - 1);
        }
        last
    }
}

/// Writes plain data of any length; the caller has copied or copies it in at the same moment, since code without
/// races cannot tell. What is modelled is when the lines are owned.
pub fn write_plain(address: *const u8, bytes: usize) {
    if bytes == 0 || !order() {
        return;
    }
    let (first, line_bytes) = {
        let engine = engine();
        (offset_of(engine, address), 1 << engine.line_shift)
    };
    let mut offset = first;
    while offset < first + bytes {
        wait_for_buffer();
        engine().begin_store(offset, 0, 0);
        offset = (offset + line_bytes) & !(line_bytes - 1);
    }
}
