//! Machines and programs for the tests of the simulator.

#![allow(dead_code, reason = "each test uses its part")]

use rand::RngExt;
use sim_core::{
    Activity, CoherenceCosts, CoreCosts, CpuModel, DistanceClass, Frequency, LockedAt, MachineModel, Simulation, Time,
    access, random, wait,
};

/// Work of which one unit takes 1 ns.
pub const WORK: Activity = Activity(0);
/// A reason to wait.
pub const WAIT: Activity = Activity(1);

/// A core with round figures.
pub fn core_costs() -> CoreCosts {
    CoreCosts {
        load_issue: Time::from_ps(200),
        store_issue: Time::from_ps(500),
        hit: Time::from_ns(1),
        locked: Time::from_ns(5),
        fence: Time::from_ns(10),
        commit: Time::from_ns(1),
        drain: Time::from_ps(500),
        spin_hint: Time::from_ns(20),
        mispredict: Time::from_ns(5),
        reorder_window: Time::from_ns(10),
        locked_lead: Time::from_ns(20),
        line_gap: Time::from_ns(1),
        store_buffer_entries: 8,
        smt_stretch: 1.5,
    }
}

/// A machine of this many CPUs: two sockets, pairs of SMT siblings, so that all kinds of distance occur.
pub fn machine(cpus: u32) -> MachineModel {
    let frequency = Frequency::from_hz(2_000_000_000).unwrap();
    let class = |name: &str, ns| DistanceClass { name: name.to_owned(), latency: Time::from_ns(ns) };
    let between = |a: u32, b: u32| match (a / 2 == b / 2, a < cpus / 2, b < cpus / 2) {
        (true, _, _) => 0,
        (_, x, y) if x == y => 1,
        _ => 2,
    };
    MachineModel {
        cpus: (0..cpus).map(|cpu| CpuModel { core: cpu / 2, frequency, costs: core_costs() }).collect(),
        distances: vec![class("same core", 8), class("same socket", 50), class("other socket", 120)],
        distance_between: (0..cpus * cpus).map(|pair| between(pair / cpus, pair % cpus)).collect(),
        coherence: CoherenceCosts {
            line_bytes: 64,
            memory_latency: Time::from_ns(90),
            request_share: 0.4,
            locked_hold: 0.33,
            store_hold: 0.5,
            load_hold: 0.01,
            read_service: Time::from_ns(3),
            migratory_reads: true,
            locked_at: LockedAt::Core,
            jitter: 0.05,
        },
    }
}

/// A simulation of a machine with the two activities above.
pub fn simulation(model: &MachineModel, seed: u64) -> Simulation {
    Simulation::new(model, vec![Time::from_ns(1), Time::ZERO], seed, 1 << 20).unwrap()
}

/// A shared 64-bit word, by address.
#[derive(Clone, Copy)]
pub struct Word(*mut u8);

impl Word {
    /// A word at zero on a line of its own, with a label.
    pub fn new(name: &str) -> Self {
        let place = access::take_memory(8, 8).as_ptr();
        access::label(place, 8, name);
        Self(place)
    }

    /// Another word, so many words further on the same lines.
    pub fn neighbour(self, words: usize) -> Self {
        Self(self.0.wrapping_add(8 * words))
    }

    pub fn load(self) -> u64 {
        access::load(self.0, 8)
    }

    pub fn store(self, value: u64) {
        access::store(self.0, 8, value);
    }

    pub fn fetch_add(self, value: u64) -> u64 {
        access::locked(self.0, 8, true, |old| Some(old.wrapping_add(value)))
    }

    pub fn add(self, value: u64) {
        access::locked(self.0, 8, false, |old| Some(old.wrapping_add(value)));
    }

    pub fn exchange(self, current: u64, new: u64) -> bool {
        access::locked(self.0, 8, true, |old| (old == current).then_some(new)) == current
    }

    /// Waits for a write to the word, or for a deadline.
    pub fn wait(self, reason: Activity, deadline: Time) -> wait::Woken {
        wait::wait_any(reason, &[self.0], deadline)
    }

    pub fn await_value(self, value: u64, hint: bool) {
        wait::poll_until(WAIT, hint, || (self.load() == value).then_some(()));
    }
}

/// One step of a random program.
#[derive(Clone, Debug)]
pub enum Step {
    Load(usize),
    DependentLoad(usize),
    Store(usize),
    Add(usize),
    FetchAdd(usize),
    Fence,
    BranchMissed,
    Work(u32),
    /// Takes a ticket lock, adds to a plain word, lets go.
    Locked,
    Plain(usize, usize),
}

/// A random program: each thread's steps, over this many words.
pub fn random_program(seed: u64, threads: usize, steps: usize, words: usize) -> Vec<Vec<Step>> {
    let mut draw = random::stream(seed, "program");
    let mut step = move |_| {
        let word = draw.random_range(0..words);
        match draw.random_range(0..12_u32) {
            0..3 => Step::Load(word),
            3 => Step::DependentLoad(word),
            4..6 => Step::Store(word),
            6 => Step::Add(word),
            7 => Step::FetchAdd(word),
            8 => [Step::Fence, Step::BranchMissed][word % 2].clone(),
            9 => Step::Work(draw.random_range(0..200)),
            10 => Step::Locked,
            _ => Step::Plain(word, draw.random_range(1..200)),
        }
    };
    (0..threads).map(|_| (0..steps).map(&mut step).collect()).collect()
}

/// The words that a random program uses.
#[derive(Clone)]
pub struct Shared {
    pub data: Vec<Word>,
    /// Two words on one line: the next ticket, and the one being served.
    pub lock: Word,
    pub guarded: Word,
    /// Counts the program's adds, each on top of the first data word's line.
    pub adds: Word,
}

impl Shared {
    pub fn new(words: usize) -> Self {
        // Plain blocks of up to 200 bytes may follow a word; every second one shares its line.
        let data = (0..words).map(|word| {
            let first = Word(access::take_memory(256, 64).as_ptr());
            access::label(first.0, 256, &format!("data{}", word / 2));
            if word % 2 == 0 { first } else { first.neighbour(1) }
        });
        Self { data: data.collect(), lock: Word::new("lock"), guarded: Word::new("guarded"), adds: Word::new("adds") }
    }

    /// Runs one thread's steps, with an effect-free pause before some of them if `pauses` is given.
    pub fn run(&self, steps: &[Step], mut pauses: Option<random::Stream>) {
        for step in steps {
            if let Some(pauses) = &mut pauses {
                for _ in 0..pauses.random_range(0..3_u32) {
                    access::pause_without_effect();
                }
            }
            match *step {
                Step::Load(word) => {
                    self.data[word].load();
                }
                Step::DependentLoad(word) => {
                    access::dep();
                    self.data[word].load();
                }
                Step::Store(word) => self.data[word].store(7),
                Step::Add(_) => self.adds.add(1),
                Step::FetchAdd(_) => {
                    self.adds.fetch_add(1);
                }
                Step::Fence => access::fence(),
                Step::BranchMissed => access::branch_missed(),
                Step::Work(units) => access::work(WORK, units),
                Step::Locked => self.locked(),
                Step::Plain(word, bytes) if word % 2 == 0 => access::read_plain(self.data[word].0, bytes),
                Step::Plain(word, bytes) => access::write_plain(self.data[word].0, bytes),
            }
        }
    }

    fn locked(&self) {
        let mine = self.lock.fetch_add(1);
        let served = self.lock.neighbour(1);
        served.await_value(mine, true);
        self.guarded.store(self.guarded.load() + 1);
        served.store(mine + 1);
    }
}

/// How often each counting step occurs in a program: adds, and locked sections.
pub fn expected_counts(program: &[Vec<Step>]) -> (u64, u64) {
    let count = |wanted: fn(&Step) -> bool| program.iter().flatten().filter(|step| wanted(step)).count() as u64;
    (count(|s| matches!(s, Step::Add(_) | Step::FetchAdd(_))), count(|s| matches!(s, Step::Locked)))
}
