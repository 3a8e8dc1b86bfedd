//! What a microbenchmark's run showed.

use dataplane::operation::NAMES;
use sim_core::{Category, Latency, Snapshot, Time};

/// What a run showed, over the measured time.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What one operation is: "item", "add", "acquisition", "hand-off", "push-pop".
    pub operation: &'static str,
    /// The threads, in order.
    pub threads: Vec<ThreadOutcome>,
    /// Where each of those threads' CPUs spent its time, in the order of `threads`.
    pub accounts: Vec<CpuAccount>,
    /// Named objects and what their lines cost, dearest first.
    pub lines: Vec<LineOutcome>,
    /// Items put into the system, taken out of it, and inside at the end, since time zero: what goes in comes
    /// out or is inside. Zero for systems without items.
    pub conservation: Conservation,
    /// How long the turns of the threads' loops took that ended in the measured time: one operation, or one burst.
    pub turn: TurnTime,
    /// Shared-memory accesses simulated since time zero.
    pub accesses: u64,
    /// Operations since time zero (for wall-clock rates).
    pub operations_total: u64,
}

/// The distribution of the time between the completions of one thread, over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTime {
    /// How many there were.
    pub count: u64,
    /// Half took no longer.
    pub median: Time,
    /// 99 % took no longer.
    pub p99: Time,
    /// 99.9 % took no longer.
    pub p999: Time,
    /// The longest.
    pub longest: Time,
}

impl TurnTime {
    pub(super) fn new(latency: &Latency) -> Self {
        Self {
            count: latency.count(),
            median: latency.quantile(0.5),
            p99: latency.quantile(0.99),
            p999: latency.quantile(0.999),
            longest: latency.longest(),
        }
    }
}

/// What one thread did.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadOutcome {
    /// Its name, such as "producer0".
    pub name: String,
    /// The CPU it ran on.
    pub cpu: u32,
    /// Operations it completed in the measured time.
    pub operations: u64,
}

/// Where one CPU spent the measured time. The parts sum to it exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuAccount {
    /// The CPU.
    pub cpu: u32,
    /// Non-zero categories and their time, dearest first.
    pub parts: Vec<(String, Time)>,
}

/// What the lines of one named object cost.
#[derive(Clone, Debug, PartialEq)]
pub struct LineOutcome {
    /// The object's label, such as "ring.producer".
    pub name: String,
    /// Time that CPUs stalled or spun on it, summed over CPUs.
    pub stall: Time,
    /// Transfers of its lines between caches.
    pub transfers: u64,
}

/// Items since time zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Put in.
    pub entered: u64,
    /// Taken out.
    pub left: u64,
    /// Inside at the end.
    pub inside: u64,
}

/// A category's name in reports.
fn category_name(category: Category, labels: &[sim_core::LabelSnapshot]) -> String {
    let label = |label: sim_core::Label| labels[label.0 as usize].name.as_str();
    let activity = |activity: sim_core::Activity| NAMES[activity.0 as usize];
    match category {
        Category::Idle => "idle".to_owned(),
        Category::Access => "access".to_owned(),
        Category::Locked => "locked".to_owned(),
        Category::Mispredict => "mispredict".to_owned(),
        Category::Work(work) => format!("work:{}", activity(work)),
        Category::Interrupt(handler) => format!("interrupt:{}", activity(handler)),
        Category::Stall(on) => format!("stall:{}", label(on)),
        Category::Wait(reason, on) => format!("wait:{}:{}", activity(reason), label(on)),
    }
}

/// The account of one CPU between two snapshots, dearest category first.
pub(super) fn account_between(cpu: usize, from: &Snapshot, to: &Snapshot) -> CpuAccount {
    let before = |category: &Category| {
        let known = from.cpus[cpu].account.iter().find(|(other, _)| other == category);
        known.map_or(Time::ZERO, |(_, time)| *time)
    };
    let parts = to.cpus[cpu].account.iter().map(|(category, time)| (*category, *time - before(category)));
    let mut parts: Vec<(String, Time)> = parts
        .filter(|(_, time)| *time > Time::ZERO)
        .map(|(category, time)| (category_name(category, &to.labels), time))
        .collect();
    parts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    CpuAccount { cpu: cpu as u32, parts }
}

/// What the labelled lines cost between two snapshots, dearest first.
pub(super) fn lines_between(from: &Snapshot, to: &Snapshot) -> Vec<LineOutcome> {
    let line = |(number, label): (usize, &sim_core::LabelSnapshot)| LineOutcome {
        name: label.name.clone(),
        stall: to.time_on_label(number) - from.time_on_label(number),
        transfers: label.transfers - from.labels.get(number).map_or(0, |before| before.transfers),
    };
    let lines = to.labels.iter().enumerate().map(line);
    let mut lines: Vec<LineOutcome> = lines.filter(|line| line.stall > Time::ZERO || line.transfers > 0).collect();
    lines.sort_by(|a, b| b.stall.cmp(&a.stall).then_with(|| a.name.cmp(&b.name)));
    lines
}
