//! Running a microbenchmark.

use std::fmt;

use dataplane::Operation;
use rand::RngExt;
use sim_core::{Simulation, Snapshot, Time, random};

use super::outcome::{account_between, lines_between};
use super::threads::{ENTERED, LEFT, OPERATIONS, ThreadBody, Turns, build};
use super::{Benchmark, Conservation, Outcome, Setup, ThreadOutcome, TurnTime};

/// Shared memory of a microbenchmark, in bytes; the largest ring needs 8 GiB / 2^30 slots of it per slot.
const ARENA_BYTES: usize = 256 << 20;

/// Threads start within this time of each other, at random.
const START_WITHIN: Time = Time::from_ns(500);

/// Why a microbenchmark could not run.
#[derive(Clone, Debug)]
pub enum Error {
    /// The setup makes no sense: what is wrong, and what would be right.
    Setup(String),
    /// The simulation failed.
    Simulation(sim_core::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(what) => f.write_str(what),
            Self::Simulation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<sim_core::Error> for Error {
    fn from(error: sim_core::Error) -> Self {
        Self::Simulation(error)
    }
}

/// Runs a microbenchmark from beginning to end.
///
/// # Errors
/// If the setup makes no sense, or the simulation fails.
pub fn run(setup: &Setup) -> Result<Outcome, Error> {
    let mut run = Run::new(setup)?;
    run.advance(run.end())?;
    run.outcome()
}

/// A microbenchmark under way.
pub struct Run {
    simulation: Simulation,
    benchmark: Benchmark,
    placement: Vec<u32>,
    warm_up: Time,
    end: Time,
    window_opened: Option<Snapshot>,
    window_closed: Option<Snapshot>,
    turns: Turns,
}

impl Run {
    /// Places a microbenchmark on its machine, at time zero.
    ///
    /// # Errors
    /// If the setup makes no sense.
    pub fn new(setup: &Setup) -> Result<Self, Error> {
        check(setup)?;
        let cost = |operation: Operation| setup.software.get(operation.name()).copied().unwrap_or_default();
        let work: Vec<Time> = Operation::all().map(cost).collect();
        let mut simulation = Simulation::new(&setup.machine, work, setup.seed, ARENA_BYTES)?;
        let (bodies, turns) = simulation.build(|| build(setup)).map_err(|error| Error::Setup(error.to_string()))?;
        let mut phases = random::stream(setup.seed, "start-phases");
        for (ThreadBody { name, body }, cpu) in bodies.into_iter().zip(&setup.placement) {
            let start = Time(phases.random_range(0..START_WITHIN.as_ps()));
            simulation.spawn(*cpu as usize, &name, start, body)?;
        }
        Ok(Self {
            simulation,
            benchmark: setup.benchmark.clone(),
            placement: setup.placement.clone(),
            warm_up: setup.warm_up,
            end: setup.warm_up + setup.duration,
            window_opened: None,
            window_closed: None,
            turns,
        })
    }

    /// The simulated time at which the run is over.
    pub fn end(&self) -> Time {
        self.end
    }

    /// The simulated time up to which everything has happened.
    pub fn now(&self) -> Time {
        self.simulation.now()
    }

    /// Goes on until `limit`, or to the end if that comes first. How a run is cut into calls changes nothing.
    ///
    /// # Errors
    /// If the simulation fails, or items were lost.
    pub fn advance(&mut self, limit: Time) -> Result<(), Error> {
        let limit = limit.min(self.end);
        if self.window_opened.is_none() && limit >= self.warm_up {
            self.simulation.advance(self.warm_up)?;
            self.window_opened = Some(self.simulation.close_window());
        }
        self.simulation.advance(limit)?;
        if limit == self.end && self.window_closed.is_none() {
            self.window_closed = Some(self.simulation.close_window());
        }
        Ok(())
    }

    /// What an observer may see now.
    pub fn snapshot(&self) -> Snapshot {
        self.simulation.snapshot()
    }

    /// What the measured time showed, once the run is over.
    ///
    /// # Errors
    /// If it is not over, or if items were lost or made up.
    pub fn outcome(&self) -> Result<Outcome, Error> {
        let (Some(opened), Some(closed)) = (&self.window_opened, &self.window_closed) else {
            return Err(Error::Setup("the run is not over yet".to_owned()));
        };
        let thread = |cpu: &u32| ThreadOutcome {
            name: closed.cpus[*cpu as usize].thread.clone(),
            cpu: *cpu,
            operations: counted(closed, *cpu, OPERATIONS) - counted(opened, *cpu, OPERATIONS),
        };
        let total = |counter| self.placement.iter().map(|cpu| counted(closed, *cpu, counter)).sum::<u64>();
        Ok(Outcome {
            operation: operation_name(&self.benchmark),
            threads: self.placement.iter().map(thread).collect(),
            accounts: self.placement.iter().map(|cpu| account_between(*cpu as usize, opened, closed)).collect(),
            lines: lines_between(opened, closed),
            conservation: conservation(&self.benchmark, total(ENTERED), total(LEFT))?,
            turn: TurnTime::new(&self.turns.latency.borrow()),
            accesses: closed.accesses,
            operations_total: total(OPERATIONS),
        })
    }
}

fn counted(snapshot: &Snapshot, cpu: u32, counter: usize) -> u64 {
    snapshot.cpus[cpu as usize].counters[counter]
}

/// What goes in comes out or is inside, and a ring holds at most its slots.
fn conservation(benchmark: &Benchmark, entered: u64, left: u64) -> Result<Conservation, Error> {
    let slots = match benchmark {
        Benchmark::Ring { slots, .. } => u64::from(*slots),
        _ => 0,
    };
    match entered.checked_sub(left) {
        Some(inside) if inside <= slots => Ok(Conservation { entered, left, inside }),
        _ => Err(Error::Setup(format!("{entered} items entered a ring of {slots} slots and {left} left it"))),
    }
}

fn operation_name(benchmark: &Benchmark) -> &'static str {
    match benchmark {
        Benchmark::PingPong => "hand-off",
        Benchmark::Counter { .. } => "update",
        Benchmark::Lock { .. } => "acquisition",
        Benchmark::Ring { .. } => "item",
        Benchmark::Stack { .. } => "pop and push",
    }
}

fn check(setup: &Setup) -> Result<(), Error> {
    let threads = setup.placement.len();
    let wrong = |what: String| Err(Error::Setup(what));
    let mut cpus = setup.placement.clone();
    cpus.sort_unstable();
    cpus.dedup();
    if threads == 0 || cpus.len() < threads {
        return wrong("each thread needs a CPU of its own, and there must be a thread".to_owned());
    }
    match setup.benchmark {
        Benchmark::PingPong if threads != 2 => wrong(format!("a ping-pong has 2 threads, not {threads}")),
        Benchmark::Ring { producers, .. } if threads > 1 && (producers == 0 || producers as usize >= threads) => {
            wrong(format!("{producers} producers of {threads} threads leave no producer or no consumer"))
        }
        Benchmark::Ring { reservation: super::Reservation::Single, .. } if threads > 2 => {
            wrong(format!("a ring with single reservation has one producer and one consumer, not {threads} threads"))
        }
        Benchmark::Ring { burst: 0, .. } => wrong("a burst holds at least one item".to_owned()),
        Benchmark::Ring { item_bytes, .. } if item_bytes != 4 && item_bytes != 8 => {
            wrong(format!("items of {item_bytes} bytes: they have 4 or 8"))
        }
        _ => Ok(()),
    }
}
