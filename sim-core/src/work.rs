//! What a thread does besides accesses: work, hints about its control flow and addresses, its clock and counters.

use crate::access::{engine, order_if_disturbed};
use crate::account::{Activity, Category};
use crate::engine::NO_CPU;
use crate::time::Time;

/// Does `count` units of a named piece of work; what a unit takes was said when the simulation was made.
#[inline]
pub fn work(activity: Activity, count: u32) {
    if order_if_disturbed() {
        let engine = engine();
        let time = engine.work[activity.0 as usize] * u64::from(count);
        if time > Time::ZERO {
            engine.cpus[engine.running].issue(Category::Work(activity), time);
        }
    }
}

/// The address of the next access comes from the last value loaded.
#[inline]
pub fn dep() {
    let engine = engine();
    if engine.running != NO_CPU {
        let cpu = &mut engine.cpus[engine.running];
        cpu.address_known = cpu.last_value;
    }
}

/// A branch on the last value was mispredicted: the front end waits for the value and starts again.
pub fn branch_missed() {
    if order_if_disturbed() {
        let engine = engine();
        engine.cpus[engine.running].mispredict();
    }
}

/// The running thread's clock. What delays the work before it, such as an interrupt, is in it.
#[inline]
pub fn now() -> Time {
    order_if_disturbed();
    let engine = engine();
    engine.cpus.get(engine.running).map_or(engine.now, |cpu| cpu.front)
}

/// Adds to one of the running thread's counters, at no cost.
#[inline]
pub fn count(counter: usize, amount: u64) {
    let engine = engine();
    if engine.running != NO_CPU {
        engine.counters[engine.running][counter] += amount;
    }
}
