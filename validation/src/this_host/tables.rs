//! Tables of native measurements, each between two probes.

use std::time::Duration;

use super::points::NativePoint;
use crate::cell::Interval;
use crate::error::Error;
use crate::native::{self, Plan};
use crate::statistics::median;
use crate::validate::{Listener, Progress};

/// Tables to have of one placement.
const TABLES: usize = 3;

/// Tables to take at most.
const TABLES_MAX: usize = 7;

/// Latencies whose ratio is less belong to one placement.
const SAME_PLACEMENT: f64 = 1.3;

/// All points once, in millions of operations per second, and the latency between the CPUs before and after.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) before_ns: f64,
    pub(super) after_ns: f64,
    pub(super) rates: Vec<f64>,
}

/// Tables that were measured at one latency.
#[derive(Debug)]
pub(super) struct Placement<'a> {
    pub(super) latency_ns: f64,
    pub(super) tables: Vec<&'a Table>,
}

impl Table {
    fn latency_ns(&self) -> f64 {
        (self.before_ns + self.after_ns) / 2.0
    }

    /// Whether the placement was the same before and after.
    pub(super) fn held_still(&self) -> bool {
        same(self.before_ns, self.after_ns)
    }
}

fn same(one_ns: f64, other_ns: f64) -> bool {
    one_ns.max(other_ns) < one_ns.min(other_ns) * SAME_PLACEMENT
}

/// Measures all points again and again, until there are enough tables of one placement.
///
/// # Errors
/// The process may not run on these CPUs.
pub(super) fn take_tables(points: &[NativePoint], cpus: [u32; 2], listener: Listener<'_>) -> Result<Vec<Table>, Error> {
    let mut tables = Vec::new();
    while tables.len() < TABLES_MAX && placements(&tables).first().is_none_or(|first| first.tables.len() < TABLES) {
        let listen = |done: u64| {
            let begun = (tables.len() * points.len()) as u64;
            listener(Progress::Measured { done: begun + done, total: (TABLES * points.len()) as u64 });
        };
        tables.push(take_table(points, cpus, &listen).map_err(|error| Error::Host(error.to_string()))?);
    }
    Ok(tables)
}

fn take_table(points: &[NativePoint], cpus: [u32; 2], listen: &dyn Fn(u64)) -> Result<Table, native::Error> {
    let before_ns = native::probe(cpus)?.median;
    let mut rates = Vec::new();
    for point in points {
        let plan = Plan {
            repetitions: 9,
            duration: Duration::from_millis(3),
            ..Plan::new(point.benchmark.clone(), cpus[..point.threads as usize].to_vec(), point.private_work)
        };
        rates.push(native::measure(&plan)?.rate.median / 1e6);
        listen(rates.len() as u64);
    }
    Ok(Table { before_ns, after_ns: native::probe(cpus)?.median, rates })
}

/// The tables by placement, that of most tables first. Tables during which the placement moved are left out.
pub(super) fn placements(tables: &[Table]) -> Vec<Placement<'_>> {
    let mut placements: Vec<Placement<'_>> = Vec::new();
    for table in tables.iter().filter(|table| table.held_still()) {
        match placements.iter_mut().find(|placement| same(placement.latency_ns, table.latency_ns())) {
            Some(placement) => placement.tables.push(table),
            None => placements.push(Placement { latency_ns: table.latency_ns(), tables: vec![table] }),
        }
    }
    for placement in &mut placements {
        let latencies: Vec<f64> = placement.tables.iter().map(|table| table.latency_ns()).collect();
        placement.latency_ns = median(&latencies).unwrap_or(placement.latency_ns);
    }
    placements.sort_by_key(|placement| std::cmp::Reverse(placement.tables.len()));
    placements
}

/// What the tables say about one point: from the least to the greatest.
pub(super) fn interval(tables: &[&Table], point: usize) -> Interval {
    let rates = tables.iter().map(|table| table.rates[point]);
    Interval { lo: rates.clone().fold(f64::INFINITY, f64::min), hi: rates.fold(0.0, f64::max) }
}

/// The middle, over points and pairs of tables, of how much two tables differ, relative to the smaller figure.
pub(super) fn distance_between_runs(tables: &[&Table], points: &[usize]) -> f64 {
    let mut distances = Vec::new();
    for (index, one) in tables.iter().enumerate() {
        for other in &tables[index + 1..] {
            distances.extend(points.iter().map(|point| {
                let (a, b) = (one.rates[*point], other.rates[*point]);
                a.max(b) / a.min(b) - 1.0
            }));
        }
    }
    median(&distances).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(before_ns: f64, after_ns: f64, rates: [f64; 2]) -> Table {
        Table { before_ns, after_ns, rates: rates.to_vec() }
    }

    #[test]
    fn tables_are_kept_apart_by_placement() {
        let tables = [
            table(21.0, 22.0, [10.0, 5.0]),
            table(22.0, 124.0, [7.0, 3.0]),
            table(124.0, 121.0, [4.0, 2.0]),
            table(20.0, 21.0, [11.0, 6.0]),
        ];
        assert!(!tables[1].held_still());
        let placements = placements(&tables);
        let latencies: Vec<f64> = placements.iter().map(|placement| placement.latency_ns).collect();
        assert_eq!(latencies, [21.0, 122.5]);
        assert_eq!(placements[0].tables.len(), 2);
        assert_eq!(interval(&placements[0].tables, 1), Interval { lo: 5.0, hi: 6.0 });
        // 10 against 11 and 5 against 6: 10 % and 20 %.
        assert!((distance_between_runs(&placements[0].tables, &[0, 1]) - 0.15).abs() < 1e-12);
        assert_eq!(distance_between_runs(&placements[1].tables, &[0, 1]), 0.0);
    }
}
