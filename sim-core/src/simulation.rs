//! A simulation as its owner sees it: build, advance, look, close a window.

use std::cmp::Reverse;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::account::{Activity, Category};
use crate::cpu::State;
use crate::engine::{Engine, Interrupt, NO_CPU, set_current};
use crate::error::Error;
use crate::machine::MachineModel;
use crate::snapshot::Snapshot;
use crate::thread::Thread;
use crate::time::Time;

/// How much stack a simulated thread has, in bytes. It runs ordinary Rust, whose debug builds are not frugal.
const STACK_BYTES: usize = 256 * 1024;

/// A simulation with its threads. It never leaves the host thread that made it; many run side by side.
pub struct Simulation {
    engine: *mut Engine,
    /// The thread of each CPU.
    threads: Vec<Option<Thread>>,
}

/// Why [`Simulation::advance`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The limit was reached.
    Limit,
    /// All threads have ended.
    Ended,
}

impl Simulation {
    /// A simulation of this machine. `work` says what a unit of each named activity takes (zero for reasons to wait);
    /// `arena_bytes` how much shared memory (the host's memory is taken as it is touched).
    ///
    /// # Errors
    /// If the model contradicts itself.
    pub fn new(model: &MachineModel, work: Vec<Time>, seed: u64, arena_bytes: usize) -> Result<Self, Error> {
        model.check()?;
        let engine = Box::into_raw(Box::new(Engine::new(model, work, seed, arena_bytes)));
        Ok(Self { engine, threads: model.cpus.iter().map(|_| None).collect() })
    }

    fn engine(&self) -> &Engine {
        // SAFETY: allocated in `new`, freed in `drop`; while this reference lives, no simulated thread runs.
        unsafe { &*self.engine }
    }

    fn engine_mut(&mut self) -> &mut Engine {
        // SAFETY: as in `engine`.
        unsafe { &mut *self.engine }
    }

    /// Runs `build` with this simulation as the current one, so that it can place shared objects, or look at them
    /// once all threads have ended.
    pub fn build<R>(&mut self, build: impl FnOnce() -> R) -> R {
        if self.threads.iter().all(Option::is_none) {
            let engine = self.engine_mut();
            (0..engine.cpus.len()).for_each(|cpu| engine.write_back(cpu, Time::NEVER));
        }
        let _entered = Entered::new(self.engine);
        build()
    }

    /// Gives a CPU the thread to run from `start` on.
    ///
    /// # Errors
    /// If there is no such CPU or it has a thread, or the host has no memory for the thread's stack.
    pub fn spawn(&mut self, cpu: usize, name: &str, start: Time, body: impl FnOnce() + 'static) -> Result<(), Error> {
        match self.threads.get(cpu) {
            None => return Err(Error::Placement(format!("there is no CPU {cpu}"))),
            Some(Some(_)) => return Err(Error::Placement(format!("CPU {cpu} has a thread already"))),
            Some(None) => {}
        }
        let started = move |way_back| crate::access::engine().cpus[cpu].way_back = way_back;
        let body = || {
            body();
            // Its last work is still under way: it ends when its turn comes after that.
            crate::access::pause_without_effect();
        };
        let thread = Thread::new(STACK_BYTES, started, body).map_err(|error| Error::Stack(error.to_string()))?;
        self.threads[cpu] = Some(thread);
        let engine = self.engine_mut();
        let start = start.max(engine.now);
        let idle = engine.numbering.number(Category::Idle);
        let this = &mut engine.cpus[cpu];
        this.charge(idle, start - this.front);
        (this.bound, this.state) = (start, State::Running);
        name.clone_into(&mut this.thread_name);
        engine.set_order(cpu, start);
        engine.change_activity(cpu, start);
        Ok(())
    }

    /// Lets an interrupt happen: its handler takes `duration` on the CPU, and what runs there ends that much later.
    pub fn schedule_interrupt(&mut self, at: Time, cpu: usize, duration: Time, activity: Activity) {
        let engine = self.engine_mut();
        engine.disturbed = true;
        let sequence = engine.interrupts_scheduled;
        engine.interrupts_scheduled += 1;
        engine.interrupts.push(Reverse(Interrupt { at: at.max(engine.now), sequence, cpu, duration, activity }));
    }

    /// Lets a CPU's clock run at `ratio` times the frequency of its model from now on.
    pub fn set_speed(&mut self, cpu: usize, ratio: f64) {
        let engine = self.engine_mut();
        engine.disturbed = true;
        let now = engine.now;
        let stretch = (crate::cpu::ONE as f64 / ratio).round() as u64;
        engine.set_stretch(cpu, now, stretch);
    }

    /// Lets everything happen that happens until `limit`, inclusive. How a run is cut into calls changes nothing.
    ///
    /// # Errors
    /// If a thread panics, or every thread waits for another one.
    pub fn advance(&mut self, limit: Time) -> Result<Stop, Error> {
        self.engine_mut().limit = limit;
        let entered = Entered::new(self.engine);
        let engine = self.engine;
        let threads = &mut self.threads;
        let outcome = catch_unwind(AssertUnwindSafe(|| run(engine, threads, limit)));
        drop(entered);
        outcome.unwrap_or_else(|panic| {
            let running = self.engine().running;
            let cpu = &self.engine().cpus[running];
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(Error::Panicked {
                cpu: running,
                thread: cpu.thread_name.clone(),
                at: cpu.front,
                message: message.unwrap_or_else(|| "no message".to_owned()),
            })
        })
    }

    /// The time up to which everything has happened.
    pub fn now(&self) -> Time {
        self.engine().now
    }

    /// What an observer may see at the current time. Looking changes nothing.
    pub fn snapshot(&self) -> Snapshot {
        let engine = self.engine();
        Snapshot::new(engine, |cpu| {
            let waiting = engine.numbering.number(engine.waiting_category(cpu));
            engine.cpus[cpu].account.at(engine.now, engine.cpus[cpu].front, waiting)
        })
    }

    /// Like [`snapshot`](Self::snapshot), and accounts from here on start exactly at this moment: the difference
    /// between two closings is what happened between them, and no part of it is negative.
    pub fn close_window(&mut self) -> Snapshot {
        let engine = self.engine_mut();
        let sums: Vec<Vec<Time>> = (0..engine.cpus.len())
            .map(|cpu| {
                let waiting = engine.numbering.number(engine.waiting_category(cpu));
                let (now, front) = (engine.now, engine.cpus[cpu].front);
                engine.cpus[cpu].account.close_window(now, front, waiting)
            })
            .collect();
        Snapshot::new(engine, |cpu| sums[cpu].clone())
    }
}

/// Runs threads and interrupts in order until `limit`.
fn run(engine: *mut Engine, threads: &mut [Option<Thread>], limit: Time) -> Result<Stop, Error> {
    loop {
        // SAFETY: the engine lives as long as the simulation; no simulated thread runs while this reference does.
        let this = unsafe { &mut *engine };
        let winner = this.order.winner();
        let interrupt = this.interrupts.peek().map_or(Time::NEVER, |next| next.0.at);
        let next = winner.time.min(interrupt);
        if next > limit || next == Time::NEVER {
            return stop(this, limit, next);
        }
        if interrupt <= winner.time {
            if let Some(Reverse(interrupt)) = this.interrupts.pop() {
                this.take_interrupt(interrupt);
            }
            continue;
        }
        let cpu = this.cpu_at[winner.index];
        this.now = winner.time;
        this.horizon = winner.horizon.min(interrupt).min(limit.saturating_add(Time(1)));
        this.running = cpu;
        let certain = this.certain_until();
        this.cpus[cpu].resumed(winner.time, certain);
        if let Some(later) = this.take_turn(cpu) {
            this.order.set(winner.index, later);
            continue;
        }
        this.switches += 1;
        let suspended = threads[cpu].as_mut().is_some_and(Thread::resume);
        // SAFETY: as above; the thread has suspended or ended.
        let this = unsafe { &mut *engine };
        if !suspended {
            threads[cpu] = None;
            this.end_thread(cpu);
        }
        this.running = NO_CPU;
    }
}

/// Nothing is left to do until `limit`.
fn stop(engine: &mut Engine, limit: Time, next: Time) -> Result<Stop, Error> {
    let any = |state| engine.cpus.iter().any(|cpu| cpu.state == state);
    if next == Time::NEVER && any(State::Parked) {
        return Err(Error::Wedged(engine.wedge()));
    }
    engine.now = engine.now.max(limit);
    if next == Time::NEVER { Ok(Stop::Ended) } else { Ok(Stop::Limit) }
}

impl Engine {
    /// A thread has returned: its CPU is idle from its last instruction on.
    fn end_thread(&mut self, number: usize) {
        let cpu = &mut self.cpus[number];
        let at = cpu.position();
        cpu.stall(cpu.last_label, at);
        cpu.state = State::Idle;
        cpu.ended = Some(at);
        self.set_order(number, Time::NEVER);
        self.change_activity(number, at);
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.engine_mut().dropping = true;
        self.engine_mut().horizon = Time::NEVER;
        let entered = Entered::new(self.engine);
        for cpu in 0..self.threads.len() {
            self.engine_mut().running = cpu;
            // Unwinds the thread's stack if it is suspended.
            self.threads[cpu] = None;
        }
        drop(entered);
        // SAFETY: allocated by `Box` in `new`, and nothing refers to it any more.
        drop(unsafe { Box::from_raw(self.engine) });
    }
}

/// Makes a simulation the current one until dropped.
struct Entered {
    before: *mut Engine,
}

impl Entered {
    fn new(engine: *mut Engine) -> Self {
        Self { before: set_current(engine) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        set_current(self.before);
    }
}
