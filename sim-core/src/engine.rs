//! The state of a simulation that its threads and its scheduler share.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::account::{Activity, Category, Label, Numbering};
use crate::arena::Arena;
use crate::coherence::{Fractions, LostLine};
use crate::cpu::{Cpu, ONE, State};
use crate::lines::Lines;
use crate::machine::{LockedAt, MachineModel};
use crate::order::Order;
use crate::random::stream;
use crate::time::Time;
use rand::seq::SliceRandom;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// No thread is running.
pub(crate) const NO_CPU: usize = usize::MAX;

/// An interrupt to come. Ordered by time, then by when it was scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Interrupt {
    pub(crate) at: Time,
    pub(crate) sequence: u64,
    pub(crate) cpu: usize,
    pub(crate) duration: Time,
    pub(crate) activity: Activity,
}

pub(crate) struct Engine {
    /// Different for every simulation of the process.
    pub(crate) id: u64,
    /// What a unit of each activity takes.
    pub(crate) work: Vec<Time>,
    pub(crate) arena: Arena,
    pub(crate) lines: Lines,
    pub(crate) cpus: Vec<Cpu>,
    pub(crate) order: Order,
    /// Each CPU's place among those with equal times, and the CPU at each place.
    pub(crate) rank_of: Vec<usize>,
    pub(crate) cpu_at: Vec<usize>,
    /// Physical core of each CPU.
    pub(crate) core_of: Vec<u32>,
    pub(crate) running: usize,
    /// The running thread may go on while its position is strictly less than this.
    pub(crate) horizon: Time,
    pub(crate) now: Time,
    /// Until when the scheduler has been asked to go on.
    pub(crate) limit: Time,
    pub(crate) interrupts: BinaryHeap<Reverse<Interrupt>>,
    pub(crate) interrupts_scheduled: u64,
    /// Latency between CPUs `a` and `b` at `a * cpus + b`.
    pub(crate) latencies: Vec<Time>,
    pub(crate) memory_latency: Time,
    pub(crate) read_service: Time,
    pub(crate) migratory_reads: bool,
    pub(crate) locked_at: LockedAt,
    pub(crate) fractions: Fractions,
    pub(crate) line_shift: u32,
    pub(crate) labels: Vec<String>,
    pub(crate) label_numbers: BTreeMap<String, Label>,
    /// Transfers between caches or from memory, by label.
    pub(crate) transfers: Vec<u64>,
    pub(crate) lost: Vec<LostLine>,
    pub(crate) numbering: Numbering,
    /// What each CPU's thread has counted, by counter.
    pub(crate) counters: Vec<[u64; crate::access::COUNTERS]>,
    pub(crate) accesses: u64,
    pub(crate) switches: u64,
    /// Interrupts, SMT siblings or changes of speed may re-time work under way.
    pub(crate) disturbed: bool,
    /// Threads are being dropped: nothing may suspend any more.
    pub(crate) dropping: bool,
}

impl Engine {
    pub(crate) fn new(model: &MachineModel, work: Vec<Time>, seed: u64, arena_bytes: usize) -> Self {
        let cpus = model.cpus.len();
        let numbering = Numbering::new(work.len());
        let mut cpu_at: Vec<usize> = (0..cpus).collect();
        cpu_at.shuffle(&mut stream(seed, "cpu-rank"));
        let mut rank_of = vec![0; cpus];
        for (rank, cpu) in cpu_at.iter().enumerate() {
            rank_of[*cpu] = rank;
        }
        let coherence = &model.coherence;
        let fixed = |ratio: f64| (ratio * ONE as f64).round() as u64;
        Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            work,
            arena: Arena::new(arena_bytes),
            lines: Lines::new(cpus),
            cpus: (0..cpus)
                .map(|cpu| {
                    Cpu::new(model.cpus[cpu].costs.clone(), stream(seed, &format!("transfer-jitter.{cpu}")), numbering)
                })
                .collect(),
            order: Order::new(cpus),
            rank_of,
            cpu_at,
            core_of: model.cpus.iter().map(|cpu| cpu.core).collect(),
            running: NO_CPU,
            horizon: Time::NEVER,
            now: Time::ZERO,
            limit: Time::ZERO,
            interrupts: BinaryHeap::new(),
            interrupts_scheduled: 0,
            latencies: model.distance_between.iter().map(|class| model.distances[*class as usize].latency).collect(),
            memory_latency: coherence.memory_latency,
            read_service: coherence.read_service,
            migratory_reads: coherence.migratory_reads,
            locked_at: coherence.locked_at,
            fractions: Fractions {
                request: fixed(coherence.request_share),
                locked_hold: fixed(coherence.locked_hold),
                store_hold: fixed(coherence.store_hold),
                load_hold: fixed(coherence.load_hold),
                jitter: fixed(coherence.jitter),
            },
            line_shift: coherence.line_bytes.trailing_zeros(),
            labels: vec!["memory".to_owned()],
            label_numbers: BTreeMap::new(),
            transfers: vec![0],
            lost: Vec::new(),
            numbering,
            counters: vec![[0; crate::access::COUNTERS]; cpus],
            accesses: 0,
            switches: 0,
            disturbed: shares_cores(model),
            dropping: false,
        }
    }

    /// Sets when a CPU wants to go on.
    #[inline]
    pub(crate) fn set_order(&mut self, cpu: usize, time: Time) {
        self.order.set(self.rank_of[cpu], time);
    }

    /// Until when the running CPU's account is certain: nothing re-times its work, and no observer looks before.
    #[inline]
    pub(crate) fn certain_until(&self) -> Time {
        if self.disturbed { self.horizon.since(Time(1)) } else { self.limit }
    }

    /// The label with this name, made if need be.
    pub(crate) fn label(&mut self, name: &str) -> Label {
        if let Some(label) = self.label_numbers.get(name) {
            return *label;
        }
        let label = Label(u16::try_from(self.labels.len()).expect("a simulation has fewer than 65,536 labels"));
        self.labels.push(name.to_owned());
        self.transfers.push(0);
        self.label_numbers.insert(name.to_owned(), label);
        label
    }

    /// Takes shared memory that starts on a line of its own, or `None` if the arena is full.
    pub(crate) fn take_memory(&mut self, bytes: usize, align: usize) -> Option<std::ptr::NonNull<u8>> {
        let line = 1 << self.line_shift;
        let place = self.arena.take(bytes.next_multiple_of(line), align.max(line))?;
        self.lines.grow(self.arena.used() >> self.line_shift);
        Some(place)
    }

    /// Runs the handler of the next interrupt: whatever its CPU was doing ends that much later.
    pub(crate) fn take_interrupt(&mut self, interrupt: Interrupt) {
        let Interrupt { at, cpu: number, duration, activity, .. } = interrupt;
        self.now = at;
        let waiting = self.waiting_category(number);
        let cpu = &mut self.cpus[number];
        // Entry drains the store buffer.
        let begins = if cpu.stores.is_empty() { at } else { at.max(cpu.drained) };
        if cpu.front < begins {
            cpu.charge(self.numbering.number(waiting), begins - cpu.front);
        }
        let number_of_handler = self.numbering.number(Category::Interrupt(activity));
        cpu.account.insert(begins, cpu.front, number_of_handler, duration);
        cpu.front += duration;
        cpu.retired = cpu.retired.max(begins + duration);
        if cpu.state == State::Running {
            let resumes = self.order_time(number).max(self.cpus[number].position());
            self.set_order(number, resumes);
        }
    }

    /// When a CPU wants to go on.
    fn order_time(&self, cpu: usize) -> Time {
        self.order.time(self.rank_of[cpu])
    }

    /// What a CPU that has nothing charged up to now is waiting for.
    pub(crate) fn waiting_category(&self, cpu: usize) -> Category {
        let cpu = &self.cpus[cpu];
        match (cpu.state, cpu.poll.failing) {
            (State::Idle, _) => Category::Idle,
            (_, Some(number)) => self.numbering.category(number),
            _ => Category::Stall(cpu.last_label),
        }
    }

    /// A CPU starts or stops running a thread at `at`: its SMT siblings' work in progress is re-timed.
    pub(crate) fn change_activity(&mut self, cpu: usize, at: Time) {
        for sibling in 0..self.cpus.len() {
            if sibling != cpu && self.core_of[sibling] == self.core_of[cpu] {
                let other = self.cpus[cpu].state != State::Idle;
                let stretch = if other { self.cpus[sibling].costs.smt_stretch } else { 1.0 };
                self.set_stretch(sibling, at, (stretch * ONE as f64).round() as u64);
                let stretch =
                    if self.cpus[sibling].state != State::Idle { self.cpus[cpu].costs.smt_stretch } else { 1.0 };
                self.set_stretch(cpu, at, (stretch * ONE as f64).round() as u64);
            }
        }
    }

    /// From `at` on, a CPU's front end works slower or faster; what is left of its work in progress ends later or
    /// earlier.
    pub(crate) fn set_stretch(&mut self, number: usize, at: Time, stretch: u64) {
        let cpu = &mut self.cpus[number];
        let old = std::mem::replace(&mut cpu.stretch, stretch);
        if old == stretch || cpu.front <= at || cpu.state != State::Running {
            return;
        }
        let left = u128::from((cpu.front - at).0) * u128::from(stretch) / u128::from(old);
        let end = at + Time(left as u64);
        cpu.account.retime(at, cpu.front, end);
        let moved_alone = cpu.bound < cpu.front;
        cpu.front = end;
        if number != self.running && moved_alone {
            let position = self.cpus[number].position();
            self.set_order(number, position);
            self.horizon = self.horizon.min(position);
        }
    }
}

/// Whether two CPUs of a machine are SMT siblings.
fn shares_cores(model: &MachineModel) -> bool {
    let mut cores: Vec<u32> = model.cpus.iter().map(|cpu| cpu.core).collect();
    cores.sort_unstable();
    cores.windows(2).any(|pair| pair[0] == pair[1])
}

thread_local! {
    /// The simulation that this host thread is building, running or dropping.
    static CURRENT: Cell<*mut Engine> = const { Cell::new(std::ptr::null_mut()) };
}

/// The current simulation's engine, or null.
#[inline]
pub(crate) fn current() -> *mut Engine {
    CURRENT.get()
}

/// Makes an engine the current one and returns the one before.
pub(crate) fn set_current(engine: *mut Engine) -> *mut Engine {
    CURRENT.replace(engine)
}
