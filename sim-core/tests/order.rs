//! A run's result depends on nothing but the model, the programs and the seed.

mod bench_machine;

use bench_machine::{Shared, Step, expected_counts, machine, random_program, simulation};
use proptest::prelude::*;
use rand::RngExt;
use sim_core::{LockedAt, MachineModel, Snapshot, Stop, Time, random};

const END: Time = Time::from_us(400);
const WINDOW: Time = Time::from_us(3);

/// How a run is cut into calls of `advance`.
#[derive(Clone, Copy, Debug)]
enum Slices {
    One,
    Equal(u64),
    Random(u64),
}

/// Runs a program; returns what was seen at the end of a window and of the run, and the two counted sums.
fn run(
    model: &MachineModel,
    program: &[Vec<Step>],
    seed: u64,
    slices: Slices,
    pauses: bool,
) -> (Snapshot, Snapshot, u64, u64) {
    let mut simulation = simulation(model, seed);
    let shared = simulation.build(|| Shared::new(6));
    for (cpu, steps) in program.iter().cloned().enumerate() {
        let pauses = pauses.then(|| random::stream(seed, &format!("pauses{cpu}")));
        let shared = shared.clone();
        let body = move || shared.run(&steps, pauses);
        simulation.spawn(cpu, &format!("t{cpu}"), Time::from_ps(cpu as u64 * 777), body).unwrap();
    }
    // Interrupts that hit work, stalls, polls and idle CPUs.
    for number in 0..10 {
        let (at, cpu) = (Time::from_ns(333 * number), number as usize % program.len());
        simulation.schedule_interrupt(at, cpu, Time::from_ns(41 * (number % 4)), bench_machine::WORK);
    }
    let mut limits: Vec<Time> = match slices {
        Slices::One => vec![],
        Slices::Equal(count) => (1..count).map(|i| Time(END.0 / count * i)).collect(),
        Slices::Random(seed) => {
            let mut draw = random::stream(seed, "slices");
            (0..200).map(|_| Time(draw.random_range(0..END.0))).collect()
        }
    };
    limits.push(END);
    limits.sort();
    let mut window = None;
    for limit in limits {
        if window.is_none() && limit >= WINDOW {
            simulation.advance(WINDOW).unwrap();
            window = Some(simulation.close_window());
        }
        simulation.advance(limit).unwrap();
        simulation.snapshot();
    }
    assert_eq!(simulation.advance(END).unwrap(), Stop::Ended, "the program should have ended by now");
    let end = simulation.close_window();
    let (adds, guarded) = simulation.build(|| (shared.adds.load(), shared.guarded.load()));
    (window.unwrap(), end, adds, guarded)
}

/// The part of a snapshot that results are made of.
fn shown((window, end, adds, guarded): (Snapshot, Snapshot, u64, u64)) -> String {
    let strip = |mut snapshot: Snapshot| {
        snapshot.switches = 0;
        format!("{snapshot:?}")
    };
    format!("{} {} {adds} {guarded}", strip(window), strip(end))
}

#[test]
fn slices_and_pauses_change_nothing() {
    let model = machine(8);
    let program = random_program(5, 8, 300, 6);
    let whole = shown(run(&model, &program, 1, Slices::One, false));
    for slices in [Slices::One, Slices::Equal(1000), Slices::Random(1), Slices::Random(2)] {
        for pauses in [false, true] {
            assert!(shown(run(&model, &program, 1, slices, pauses)) == whole, "{slices:?}, pauses: {pauses}");
        }
    }
    assert!(shown(run(&model, &program, 2, Slices::One, false)) != whole, "the seed should matter");
}

#[test]
fn simulations_side_by_side_do_not_disturb_each_other() {
    let program = random_program(9, 6, 200, 6);
    let alone = shown(run(&machine(6), &program, 3, Slices::One, false));
    std::thread::scope(|scope| {
        let runs = [0, 1, 2, 3].map(|i| {
            let program = &program;
            scope.spawn(move || shown(run(&machine(6), program, 3, Slices::Equal(7 + i), false)))
        });
        for run in runs {
            assert!(run.join().unwrap() == alone);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// On random machines: nothing is lost, accounts add up (asserted by every snapshot), and slices change nothing.
    #[test]
    fn random_machines_run_random_programs(
        seed in 0_u64..1000, cpus in 1_u32..9, migratory in any::<bool>(), locked_at in 0..3_u32,
        (locked_hold, store_hold, load_hold, jitter) in (0.0..1.0, 0.0..1.0, 0.0..0.5, 0.0..0.9),
        (window, lead, buffer) in (0_u64..40, 0_u64..60, 1_u32..10),
    ) {
        let mut model = machine(cpus);
        model.coherence.migratory_reads = migratory;
        let kinds = [LockedAt::Core, LockedAt::ExclusivePair, LockedAt::Home(Time::from_ns(9))];
        model.coherence.locked_at = kinds[locked_at as usize];
        model.coherence.locked_hold = locked_hold;
        model.coherence.store_hold = store_hold;
        model.coherence.load_hold = load_hold;
        model.coherence.jitter = jitter;
        for cpu in &mut model.cpus {
            cpu.costs.reorder_window = Time::from_ns(window);
            cpu.costs.locked_lead = Time::from_ns(lead);
            cpu.costs.store_buffer_entries = buffer;
        }
        let program = random_program(seed, cpus as usize, 60, 6);
        let whole = run(&model, &program, seed, Slices::One, false);
        prop_assert_eq!((whole.2, whole.3), expected_counts(&program));
        let whole = shown(whole);
        for (slices, pauses) in [(Slices::Random(seed), false), (Slices::One, true)] {
            let cut = shown(run(&model, &program, seed, slices, pauses));
            let same = cut.bytes().zip(whole.bytes()).take_while(|(a, b)| a == b).count();
            let around = same.saturating_sub(150)..(same + 100).min(whole.len()).min(cut.len());
            prop_assert!(cut == whole, "{slices:?} {pauses}: {}\n\n {}", &cut[around.clone()], &whole[around]);
        }
    }
}
