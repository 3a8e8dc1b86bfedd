//! The native measurements run, for a moment, wherever the tests run. What they measure is not looked at.

use std::time::Duration;

use dataplane::counter::{Layout, Update};
use models::microbenchmark::{Benchmark, LockAlgorithm, Reservation};
use validation::native::{Error, Plan, allowed_cpus, measure, operations, probe};

fn brief(benchmark: Benchmark, cpus: &[u32]) -> Plan {
    let moment = Duration::from_micros(500);
    Plan { repetitions: 1, warm_up: moment, duration: moment, ..Plan::new(benchmark, cpus.to_vec(), 3) }
}

fn ring(reservation: Reservation, item_bytes: u32) -> Benchmark {
    Benchmark::Ring { reservation, producers: 1, slots: 64, burst: 8, item_bytes }
}

#[test]
fn every_benchmark_runs_on_one_thread() {
    let cpu = allowed_cpus().unwrap()[0];
    for (name, benchmark) in operations() {
        let throughput = measure(&brief(benchmark, &[cpu])).unwrap();
        assert!(throughput.rate.median >= 0.0, "{name}: {throughput:?}");
        assert!((1..=3).contains(&throughput.rate.repetitions), "{name}: {throughput:?}");
        assert!(throughput.disturbed <= 3, "{name}: {throughput:?}");
    }
}

#[test]
fn every_benchmark_runs_on_two_threads() {
    let allowed = allowed_cpus().unwrap();
    let lock = |algorithm| Benchmark::Lock { algorithm, lines: 1, critical_work: 2 };
    let benchmarks = [
        Benchmark::PingPong,
        Benchmark::Counter { update: Update::CompareExchange, layout: Layout::Shared },
        Benchmark::Counter { update: Update::LoadStore, layout: Layout::PerThreadPacked },
        lock(LockAlgorithm::TestAndSet),
        lock(LockAlgorithm::Ticket),
        lock(LockAlgorithm::Mcs),
        ring(Reservation::Single, 4),
        ring(Reservation::Multi, 8),
        Benchmark::Stack { items: 2 },
    ];
    let &[first, second, ..] = allowed.as_slice() else {
        let error = measure(&brief(Benchmark::PingPong, &[allowed[0], allowed[0] + 1])).unwrap_err();
        assert_eq!(error, Error::TooFewCpus { needed: 2, allowed });
        return;
    };
    for benchmark in benchmarks {
        let throughput = measure(&brief(benchmark.clone(), &[first, second])).unwrap();
        assert!(throughput.rate.median >= 0.0, "{benchmark:?}: {throughput:?}");
    }
    assert!(probe([first, second]).unwrap().median > 0.0);
}

#[test]
fn benchmarks_that_cannot_run_say_so() {
    let cpu = allowed_cpus().unwrap()[0];
    let wrong = [
        Benchmark::PingPong,
        ring(Reservation::Single, 3),
        Benchmark::Ring { reservation: Reservation::Multi, producers: 1, slots: 48, burst: 8, item_bytes: 8 },
        Benchmark::Ring { reservation: Reservation::Multi, producers: 1, slots: 64, burst: 0, item_bytes: 8 },
    ];
    for benchmark in wrong {
        let result = measure(&brief(benchmark.clone(), &[cpu]));
        assert!(matches!(result, Err(Error::Unsuitable(_))), "{benchmark:?}: {result:?}");
    }
}
