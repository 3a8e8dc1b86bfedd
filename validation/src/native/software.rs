//! What the dataplane code costs on one thread, where no line ever moves.

use std::time::Duration;

use dataplane::counter::{Layout, Update};
use models::microbenchmark::{Benchmark, LockAlgorithm, Reservation};
use serde::{Deserialize, Serialize};

use super::{Error, Figure, Plan, measure};

/// What a microbenchmark costs on one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationFigure {
    /// The benchmark's name in [`operations`].
    pub name: String,
    /// Nanoseconds per operation, the turn of the loop around it included. An operation of a ring is an item that
    /// went in and out.
    pub time_ns: Figure,
}

/// The microbenchmarks on one thread from which the costs of the code follow, with their names.
pub fn operations() -> Vec<(String, Benchmark)> {
    let counter = |update| Benchmark::Counter { update, layout: Layout::Shared };
    let lock = |algorithm| Benchmark::Lock { algorithm, lines: 0, critical_work: 0 };
    let mut operations = vec![
        ("counter load-store".to_owned(), counter(Update::LoadStore)),
        ("counter add".to_owned(), counter(Update::Add)),
        ("counter fetch-add".to_owned(), counter(Update::FetchAdd)),
        ("counter compare-exchange".to_owned(), counter(Update::CompareExchange)),
        ("lock test-and-set".to_owned(), lock(LockAlgorithm::TestAndSet)),
        ("lock ticket".to_owned(), lock(LockAlgorithm::Ticket)),
        ("lock mcs".to_owned(), lock(LockAlgorithm::Mcs)),
        ("stack".to_owned(), Benchmark::Stack { items: 4 }),
    ];
    for (name, reservation) in [("single", Reservation::Single), ("multi", Reservation::Multi)] {
        for item_bytes in [4, 8] {
            for burst in [1, 8, 32] {
                let ring = Benchmark::Ring { reservation, producers: 1, slots: 512, burst, item_bytes };
                operations.push((format!("ring {name} {item_bytes} B, bursts of {burst}"), ring));
            }
        }
    }
    operations
}

/// Measures all of [`operations`] on one CPU; takes half a second.
///
/// # Errors
/// The process may not run on this CPU.
pub fn measure_operations(cpu: u32) -> Result<Vec<OperationFigure>, Error> {
    let measured = |(name, benchmark)| {
        let warm_up = Duration::from_micros(200);
        let plan = Plan { warm_up, duration: Duration::from_millis(1), ..Plan::new(benchmark, vec![cpu], 0) };
        Ok(OperationFigure { name, time_ns: measure(&plan)?.rate.reciprocal(1e9) })
    };
    operations().into_iter().map(measured).collect()
}
