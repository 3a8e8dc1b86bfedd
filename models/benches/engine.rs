//! Where the engine's time goes: wall time per simulated access by kind of access, per order decision, and of whole
//! rings. Criterion divides by the elements, so every figure reads as time per access (or per item, where it says so).
//!
//! What is counted comes from a first run: a simulation is deterministic.

use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use models::machine::Profile;
use models::microbenchmark::{Benchmark, Reservation, Run, Setup};
use models::software;
use sim_core::{MachineModel, Simulation, Time, access};

fn machine(name: &str) -> MachineModel {
    Profile::load(name).expect("a shipped profile").to_model().expect("a consistent profile")
}

/// Simulates threads that repeat `body` on the first CPUs for a while; returns the accesses and the wall time.
fn simulate(model: &MachineModel, cpus: usize, body: fn(*mut u8, usize)) -> (u64, u64, Duration) {
    let mut simulation = Simulation::new(model, Vec::new(), 1, 1 << 20).expect("a consistent model");
    let place = simulation.build(|| access::take_memory(64 * 64, 64).as_ptr());
    for cpu in 0..cpus {
        let endless = move || {
            loop {
                body(place, cpu);
            }
        };
        simulation.spawn(cpu, "t", Time::from_ns(cpu as u64), endless).expect("a free CPU");
    }
    let begin = Instant::now();
    simulation.advance(Time::from_us(50)).expect("nothing to go wrong");
    let wall = begin.elapsed();
    let snapshot = simulation.snapshot();
    (snapshot.accesses, snapshot.switches, wall)
}

fn part(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, cpus: usize, body: fn(*mut u8, usize)) {
    let model = machine("server-16");
    let (accesses, switches, _) = simulate(&model, cpus, body);
    group.throughput(Throughput::Elements(if accesses == 0 { switches } else { accesses }));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| (0..iterations).map(|_| simulate(&model, cpus, body).2).sum());
    });
}

fn parts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("access");
    part(&mut group, "load that hits", 1, |place, _| {
        access::load(place, 8);
    });
    part(&mut group, "store to an owned line", 1, |place, _| access::store(place, 8, 1));
    part(&mut group, "locked operation on an owned line", 1, |place, _| {
        access::locked(place, 8, true, |old| Some(old + 1));
    });
    part(&mut group, "load that misses, 2 CPUs", 2, |place, cpu| {
        let own = place.wrapping_add(64 * cpu);
        let other = place.wrapping_add(64 * (1 - cpu));
        access::store(own, 8, 1);
        access::load(other, 8);
    });
    part(&mut group, "locked operation on one line, 16 CPUs", 16, |place, _| {
        access::locked(place, 8, true, |old| Some(old + 1));
    });
    group.finish();
}

fn ring(machine_name: &str, cpus: u32) -> Setup {
    let software = software::Profile::load("microbenchmarks").expect("a shipped profile");
    Setup {
        machine: machine(machine_name),
        software: software.costs(),
        benchmark: Benchmark::Ring {
            reservation: Reservation::Multi,
            producers: cpus / 2,
            slots: 1024,
            burst: 32,
            item_bytes: 4,
        },
        placement: (0..cpus).collect(),
        private_work: 0,
        seed: 1,
        warm_up: Time::from_us(10),
        duration: Time::from_us(500),
    }
}

fn run(setup: &Setup) -> (u64, u64, Duration) {
    let mut run = Run::new(setup).expect("a ring that fits");
    let begin = Instant::now();
    run.advance(run.end()).expect("nothing to go wrong");
    let wall = begin.elapsed();
    let outcome = run.outcome().expect("the run is over");
    (outcome.accesses, outcome.conservation.left, wall)
}

fn rings(criterion: &mut Criterion) {
    for (counted, of) in [("per access", 0), ("per item", 1)] {
        let mut group = criterion.benchmark_group(format!("MPMC ring, bursts of 32, {counted}"));
        for (machine, cpus) in [("server-16", 8), ("server-16", 16), ("server-64", 64)] {
            let setup = ring(machine, cpus);
            let (accesses, items, _) = run(&setup);
            group.throughput(Throughput::Elements([accesses, items][of]));
            group.bench_function(format!("{cpus} CPUs"), |bencher| {
                bencher.iter_custom(|iterations| (0..iterations).map(|_| run(&setup).2).sum());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, parts, rings);
criterion_main!(benches);
