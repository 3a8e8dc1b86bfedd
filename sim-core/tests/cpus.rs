//! How time passes on a CPU: interrupts, SMT siblings, frequency, deadlines.

mod bench_machine;

use bench_machine::{WAIT, WORK, Word, machine, simulation};
use sim_core::{Activity, Category, Simulation, Stop, Time, access, wait};

fn time_in(simulation: &Simulation, cpu: usize, category: Category) -> Time {
    let account = &simulation.snapshot().cpus[cpu].account;
    account.iter().find(|(other, _)| *other == category).map_or(Time::ZERO, |(_, time)| *time)
}

/// Runs threads of pure work on these CPUs, with this many units each, and returns when each ended.
fn ends(simulation: &mut Simulation, work: &[(usize, u32)], from: Time) -> Vec<Time> {
    for (cpu, units) in work.iter().copied() {
        simulation.spawn(cpu, "worker", from, move || access::work(WORK, units)).unwrap();
    }
    assert_eq!(simulation.advance(Time::from_ms(1)).unwrap(), Stop::Ended);
    work.iter().map(|(cpu, _)| from + time_in(simulation, *cpu, Category::Work(WORK))).collect()
}

#[test]
fn an_interrupt_delays_what_it_interrupts() {
    let mut simulation = simulation(&machine(4), 1);
    let flag = simulation.build(|| Word::new("flag"));
    let body = move || {
        access::work(WORK, 1000);
        flag.store(access::now().as_ps());
    };
    simulation.spawn(0, "worker", Time::ZERO, body).unwrap();
    simulation.schedule_interrupt(Time::from_ns(300), 0, Time::from_ns(250), Activity(0));
    simulation.advance(Time::from_ns(400)).unwrap();
    assert_eq!(time_in(&simulation, 0, Category::Work(WORK)), Time::from_ns(300));
    assert_eq!(time_in(&simulation, 0, Category::Interrupt(WORK)), Time::from_ns(100));
    assert_eq!(simulation.advance(Time::from_us(10)).unwrap(), Stop::Ended);
    assert_eq!(simulation.build(|| flag.load()), Time::from_ns(1250).as_ps());
    assert_eq!(time_in(&simulation, 0, Category::Work(WORK)), Time::from_ns(1000));
}

#[test]
fn an_idle_cpu_handles_interrupts_too() {
    let mut simulation = simulation(&machine(2), 1);
    simulation.schedule_interrupt(Time::from_ns(300), 1, Time::from_ns(50), Activity(0));
    simulation.advance(Time::from_us(1)).unwrap();
    assert_eq!(time_in(&simulation, 1, Category::Interrupt(WORK)), Time::from_ns(50));
    assert_eq!(time_in(&simulation, 1, Category::Idle), Time::from_ns(950));
}

#[test]
fn siblings_slow_each_other_while_both_work() {
    // CPUs 0 and 1 are siblings; together each works at two thirds of its speed.
    let mut alone = simulation(&machine(4), 1);
    assert_eq!(ends(&mut alone, &[(0, 900), (2, 900)], Time::ZERO), [Time::from_ns(900); 2]);
    let mut together = simulation(&machine(4), 1);
    let ends = ends(&mut together, &[(0, 900), (1, 300)], Time::ZERO);
    // The second ends after 450 ns; by then the first has done 300 units and does the other 600 alone.
    assert_eq!(ends, [Time::from_ns(1050), Time::from_ns(450)]);
}

#[test]
fn a_change_of_speed_re_times_what_is_left() {
    let mut simulation = simulation(&machine(4), 1);
    simulation.spawn(0, "worker", Time::ZERO, || access::work(WORK, 1000)).unwrap();
    simulation.advance(Time::from_ns(400)).unwrap();
    simulation.set_speed(0, 0.5);
    assert_eq!(simulation.advance(Time::from_us(10)).unwrap(), Stop::Ended);
    assert_eq!(time_in(&simulation, 0, Category::Work(WORK)), Time::from_ns(1600));
}

#[test]
fn waits_end_by_a_write_or_at_their_deadline() {
    let mut simulation = simulation(&machine(4), 1);
    let (flag, results) = simulation.build(|| (Word::new("flag"), [Word::new("r0"), Word::new("r1")]));
    let waiter = move || {
        for result in results {
            flag.load();
            let woken = flag.wait(WAIT, access::now() + Time::from_us(1));
            result.store(1 + u64::from(woken == wait::Woken::Written));
        }
    };
    simulation.spawn(0, "waiter", Time::ZERO, waiter).unwrap();
    simulation.spawn(2, "writer", Time::from_ns(600), move || flag.store(1)).unwrap();
    assert_eq!(simulation.advance(Time::from_us(10)).unwrap(), Stop::Ended);
    assert_eq!(simulation.build(|| results.map(Word::load)), [2, 1]);
    let waited: Time = {
        let account = simulation.snapshot().cpus[0].account.clone();
        account.iter().filter(|(c, _)| matches!(c, Category::Wait(..))).map(|(_, time)| *time).sum()
    };
    assert!(waited > Time::from_ns(1400) && waited < Time::from_ns(1800), "{waited}");
}

#[test]
fn false_sharing_costs_what_sharing_costs() {
    // Two threads increment words of their own: on one line, and on two.
    let duration = |neighbours: bool| {
        let mut simulation = simulation(&machine(8), 1);
        let first = simulation.build(|| Word::new("a"));
        let second = if neighbours { first.neighbour(1) } else { simulation.build(|| Word::new("b")) };
        for (cpu, word) in [(0, first), (2, second)] {
            let body = move || (0..1000).for_each(|_| word.store(word.load() + 1));
            simulation.spawn(cpu, "adder", Time::ZERO, body).unwrap();
        }
        assert_eq!(simulation.advance(Time::from_ms(10)).unwrap(), Stop::Ended);
        assert_eq!(simulation.build(|| [first.load(), second.load()]), [1000; 2]);
        let idle = time_in(&simulation, 0, Category::Idle);
        Time::from_ms(10) - idle
    };
    let (shared, apart) = (duration(true), duration(false));
    assert!(shared > apart * 3, "{shared} on one line, {apart} on two");
}

#[test]
fn an_in_order_core_overlaps_nothing() {
    // Stores to, and loads from, lines that are in memory, 90 ns away.
    let duration = |model: &sim_core::MachineModel, write: bool| {
        let mut simulation = simulation(model, 1);
        let words: Vec<Word> = simulation.build(|| (0..10).map(|_| Word::new("w")).collect());
        let body = move || {
            for word in words {
                if write {
                    word.store(1);
                } else {
                    word.load();
                }
            }
            access::fence();
        };
        simulation.spawn(0, "t", Time::ZERO, body).unwrap();
        assert_eq!(simulation.advance(Time::from_ms(1)).unwrap(), Stop::Ended);
        Time::from_ms(1) - time_in(&simulation, 0, Category::Idle)
    };
    let model = machine(1);
    for write in [true, false] {
        assert!(duration(&model, write) < Time::from_ns(200));
        assert!(duration(&model.in_order(), write) > Time::from_ns(850));
    }
}
