//! From the outcomes of the runs to the parts of the report.

use models::microbenchmark::{Conservation, CpuAccount, Outcome, ThreadOutcome};

use super::{Cpu, Line, Part, Role, RunReport, Thread, Turn};
use crate::statistics::Estimate;

impl RunReport {
    pub(super) fn new(outcome: &Outcome, seed: u64, duration_ps: u64, seconds: f64) -> Self {
        let Conservation { entered, left, inside } = outcome.conservation;
        let accounted = |account: &CpuAccount| account.parts.iter().map(|(_, time)| time.as_ps()).sum::<u64>();
        let balanced = entered == left + inside && outcome.accounts.iter().all(|cpu| accounted(cpu) == duration_ps);
        Self {
            seed,
            rate: system_operations(outcome) as f64 / seconds,
            entered,
            left,
            inside,
            balanced,
            turn: Turn {
                count: outcome.turn.count,
                median_ps: outcome.turn.median.as_ps(),
                p99_ps: outcome.turn.p99.as_ps(),
                p999_ps: outcome.turn.p999.as_ps(),
                longest_ps: outcome.turn.longest.as_ps(),
            },
            accesses: outcome.accesses,
            operations: outcome.operations_total,
        }
    }
}

/// Operations of the whole system: an item passes a ring once, though two threads handle it.
fn system_operations(outcome: &Outcome) -> u64 {
    let is_ring = outcome.threads.iter().any(|thread| role(&thread.name) == "consumer");
    outcome
        .threads
        .iter()
        .filter(|thread| !is_ring || role(&thread.name) == "consumer")
        .map(|thread| thread.operations)
        .sum()
}

fn role(thread: &str) -> &str {
    thread.trim_end_matches(|c: char| c.is_ascii_digit())
}

pub(super) fn roles(outcomes: &[Outcome], seconds: f64) -> Vec<Role> {
    let mut names: Vec<&str> = Vec::new();
    for thread in outcomes.iter().take(1).flat_map(|outcome| &outcome.threads) {
        if !names.contains(&role(&thread.name)) {
            names.push(role(&thread.name));
        }
    }
    let report = |name: &str| {
        let of_role = |outcome: &Outcome| -> (u32, u64) {
            let threads = outcome.threads.iter().filter(|thread| role(&thread.name) == name);
            threads.fold((0, 0), |(count, sum), thread| (count + 1, sum + thread.operations))
        };
        let rates: Vec<f64> = outcomes.iter().map(|outcome| of_role(outcome).1 as f64 / seconds).collect();
        let threads = outcomes.first().map_or(0, |outcome| of_role(outcome).0);
        Role { name: name.into(), threads, rate: Estimate::from_runs(&rates) }
    };
    names.into_iter().map(report).collect()
}

pub(super) fn threads(outcomes: &[Outcome], seconds: f64) -> Vec<Thread> {
    let Some(first) = outcomes.first() else { return Vec::new() };
    let report = |(index, thread): (usize, &ThreadOutcome)| {
        let operations: Vec<u64> = outcomes.iter().map(|outcome| outcome.threads[index].operations).collect();
        let rates: Vec<f64> = operations.iter().map(|count| *count as f64 / seconds).collect();
        Thread {
            name: thread.name.clone(),
            cpu: thread.cpu,
            operations: operations.iter().sum(),
            rate: Estimate::from_runs(&rates),
        }
    };
    first.threads.iter().enumerate().map(report).collect()
}

pub(super) fn cpus(outcomes: &[Outcome]) -> Vec<Cpu> {
    let Some(first) = outcomes.first() else { return Vec::new() };
    let report = |index: usize| {
        let mut sums: Vec<(&str, u64)> = Vec::new();
        for (category, time) in outcomes.iter().flat_map(|outcome| &outcome.accounts[index].parts) {
            match sums.iter_mut().find(|(known, _)| known == category) {
                Some((_, sum)) => *sum += time.as_ps(),
                None => sums.push((category, time.as_ps())),
            }
        }
        // Dearest first; the sort is stable and the names make it independent of the order of the runs.
        sums.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let total = sums.iter().map(|(_, sum)| sum).sum::<u64>().max(1) as f64;
        let part =
            |(category, sum): (&str, u64)| Part { category: category.into(), time_ps: sum, share: sum as f64 / total };
        Cpu {
            cpu: first.accounts[index].cpu,
            thread: first.threads.get(index).map_or_else(String::new, |thread| thread.name.clone()),
            parts: sums.into_iter().map(part).collect(),
        }
    };
    (0..first.accounts.len()).map(report).collect()
}

pub(super) fn lines(outcomes: &[Outcome]) -> Vec<Line> {
    let mut sums: Vec<(&str, u64, u64)> = Vec::new();
    for line in outcomes.iter().flat_map(|outcome| &outcome.lines) {
        match sums.iter_mut().find(|(known, ..)| *known == line.name) {
            Some((_, stall, transfers)) => {
                *stall += line.stall.as_ps();
                *transfers += line.transfers;
            }
            None => sums.push((&line.name, line.stall.as_ps(), line.transfers)),
        }
    }
    sums.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let accounts = outcomes.iter().flat_map(|outcome| &outcome.accounts);
    let total = accounts.flat_map(|account| &account.parts).map(|(_, time)| time.as_ps()).sum::<u64>().max(1) as f64;
    let report = |(name, stall_ps, transfers): (&str, u64, u64)| Line {
        name: name.into(),
        stall_ps,
        share: stall_ps as f64 / total,
        transfers,
    };
    sums.into_iter().map(report).collect()
}
