//! Measures the first two CPUs of this host, briefly, and prints what it found.

use dataplane::counter::{Layout, Update};
use models::microbenchmark::{Benchmark, LockAlgorithm, Reservation};
use validation::native::probe;
use validation::native::{Error, Figure, Plan, allowed_cpus, measure, measure_core, measure_lines, measure_operations};

fn main() -> Result<(), Error> {
    let allowed = allowed_cpus()?;
    let &[first, second, ..] = allowed.as_slice() else {
        return Err(Error::TooFewCpus { needed: 2, allowed });
    };
    show("probe", "ns", probe([first, second])?);
    println!("{:#?}", measure_core(first)?);
    println!("{:#?}", measure_lines([first, second])?);
    for operation in measure_operations(first)? {
        show(&operation.name, "ns", operation.time_ns);
    }
    let ring = |reservation, burst| Benchmark::Ring { reservation, producers: 1, slots: 512, burst, item_bytes: 8 };
    let benchmarks = [
        ("fetch-add", Benchmark::Counter { update: Update::FetchAdd, layout: Layout::Shared }),
        ("compare-exchange", Benchmark::Counter { update: Update::CompareExchange, layout: Layout::Shared }),
        ("ticket", Benchmark::Lock { algorithm: LockAlgorithm::Ticket, lines: 1, critical_work: 0 }),
        ("SPSC ring, 8", ring(Reservation::Single, 8)),
        ("MPMC ring, 8", ring(Reservation::Multi, 8)),
        ("stack", Benchmark::Stack { items: 4 }),
    ];
    for (name, benchmark) in benchmarks {
        for private_work in [0, 64] {
            let measured = measure(&Plan::new(benchmark.clone(), vec![first, second], private_work))?;
            let time = measured.rate.reciprocal(1e9);
            show(&format!("{name}, work {private_work} ({} disturbed)", measured.disturbed), "ns", time);
        }
    }
    show("probe", "ns", probe([first, second])?);
    Ok(())
}

fn show(name: &str, unit: &str, figure: Figure) {
    println!("{name:34} {:8.2} {unit} ({:.2} to {:.2})", figure.median, figure.p10, figure.p90);
}
