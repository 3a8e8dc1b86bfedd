//! What goes wrong ends in an error that says where, and dropping a simulation at any moment is safe.

mod bench_machine;

use bench_machine::{Shared, WAIT, WORK, Word, machine, random_program, simulation};
use rand::RngExt;
use sim_core::{Error, Stop, Time, access, random, wait};

#[test]
fn a_circle_of_waits_is_named() {
    let mut simulation = simulation(&machine(4), 1);
    let (a, b) = simulation.build(|| (Word::new("fork.left"), Word::new("fork.right")));
    for (cpu, name, mine, other) in [(1, "plato", a, b), (3, "kant", b, a)] {
        let body = move || {
            mine.store(1);
            access::work(WORK, 500);
            other.await_value(0, true);
        };
        simulation.spawn(cpu, name, Time::ZERO, body).unwrap();
    }
    let Err(Error::Wedged(wedge)) = simulation.advance(Time::from_ms(1)) else { panic!("it should be wedged") };
    assert_eq!(wedge.circle, [1, 3]);
    let message = wedge.to_string();
    assert!(
        message.contains("plato on CPU 1 waits for a write to fork.right, last written by kant on CPU 3"),
        "{message}"
    );
}

#[test]
fn waiting_for_a_thread_that_ended_is_a_wedge() {
    let mut simulation = simulation(&machine(2), 1);
    let flag = simulation.build(|| Word::new("flag"));
    simulation.spawn(0, "setter", Time::ZERO, move || flag.store(1)).unwrap();
    simulation.spawn(1, "waiter", Time::ZERO, move || flag.await_value(2, false)).unwrap();
    let error = simulation.advance(Time::from_ms(1)).unwrap_err().to_string();
    assert!(error.contains("waiter on CPU 1 waits for a write to flag"), "{error}");
    assert!(error.contains("setter on CPU 0, which has ended"), "{error}");
}

#[test]
fn a_panic_names_thread_cpu_and_time() {
    let mut simulation = simulation(&machine(2), 1);
    let body = || {
        access::work(WORK, 1000);
        panic!("out of buffers");
    };
    simulation.spawn(1, "worker", Time::ZERO, body).unwrap();
    let error = simulation.advance(Time::from_ms(1)).unwrap_err().to_string();
    assert_eq!(error, "thread worker on CPU 1 panicked at 1 us: out of buffers");
}

#[test]
fn a_poll_without_time_is_an_error() {
    let mut simulation = simulation(&machine(2), 1);
    simulation.spawn(0, "stuck", Time::ZERO, || wait::poll_until(WAIT, false, || None)).unwrap();
    let error = simulation.advance(Time::from_ms(1)).unwrap_err().to_string();
    assert!(error.contains("a poll that takes no time"), "{error}");
}

#[test]
fn memory_of_others_is_refused() {
    let mut simulation = simulation(&machine(2), 1);
    let body = || {
        access::load(std::ptr::from_ref(&0_u64).cast(), 8);
    };
    simulation.spawn(0, "stray", Time::ZERO, body).unwrap();
    let error = simulation.advance(Time::from_ms(1)).unwrap_err().to_string();
    assert!(error.contains("outside the simulated machine's shared memory"), "{error}");
}

#[test]
fn impossible_machines_and_placements_are_refused() {
    let mut model = machine(2);
    model.distance_between.pop();
    assert!(matches!(sim_core::Simulation::new(&model, vec![], 1, 1), Err(Error::Model(_))));
    let mut simulation = simulation(&machine(2), 1);
    assert!(matches!(simulation.spawn(2, "t", Time::ZERO, || ()), Err(Error::Placement(_))));
    simulation.spawn(1, "t", Time::ZERO, || ()).unwrap();
    assert!(matches!(simulation.spawn(1, "u", Time::ZERO, || ()), Err(Error::Placement(_))));
}

#[test]
fn runs_can_be_dropped_at_any_moment() {
    let program = random_program(3, 4, 100, 6);
    let mut draw = random::stream(4, "stops");
    let mut stopped = 0;
    for _ in 0..1000 {
        let mut simulation = simulation(&machine(4), 1);
        let shared = simulation.build(|| Shared::new(6));
        for (cpu, steps) in program.iter().cloned().enumerate() {
            let shared = shared.clone();
            simulation.spawn(cpu, "t", Time::ZERO, move || shared.run(&steps, None)).unwrap();
        }
        let stop = simulation.advance(Time(draw.random_range(0..Time::from_us(8).0))).unwrap();
        stopped += u32::from(stop == Stop::Limit);
    }
    assert!(stopped > 500, "most runs should have been dropped with threads under way, not {stopped}");
}
