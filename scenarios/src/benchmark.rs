//! The `dataplane` group of a scenario: which microbenchmark, and its parameters.

use models::microbenchmark::{Benchmark, CounterLayout, LockAlgorithm, Reservation, Update};

use crate::checker::{Checker, Complaint};

/// What the `dataplane` group describes. Parts are missing where it is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Dataplane {
    pub benchmark: Option<Benchmark>,
    /// Iterations of private arithmetic between two operations.
    pub private_work: Option<u32>,
    /// The threads, in the order of the benchmark's placement.
    pub threads: Vec<ThreadGroup>,
}

/// Threads that are placed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThreadGroup {
    /// Name of the field in `layout`.
    pub name: &'static str,
    /// Path of the field that says how many there are.
    pub counted_by: &'static str,
    /// How many there are, if that is known.
    pub count: Option<u32>,
}

/// No machine has more.
pub(crate) const THREADS_MAX: u32 = 1 << 20;
const WORK_MAX: u32 = 1_000_000;
const SLOTS_MAX: u32 = 1 << 20;
const ITEMS_MAX: u32 = 1 << 16;
const LINES_MAX: u32 = 1_024;

#[derive(Clone, Copy)]
enum Kind {
    Ring,
    Counter,
    Lock,
    PingPong,
    Stack,
}

const KINDS: &[(&str, Kind)] = &[
    ("ring", Kind::Ring),
    ("counter", Kind::Counter),
    ("lock", Kind::Lock),
    ("ping-pong", Kind::PingPong),
    ("stack", Kind::Stack),
];

/// Reads the `dataplane` group. Nothing if not even its kind is known.
pub(crate) fn read(checker: &mut Checker<'_>) -> Option<Dataplane> {
    checker.group("dataplane", "dataplane: { kind: ring, producers: 8, consumers: 8 }");
    let Some(kind) = checker.choice("dataplane.kind", None, KINDS) else {
        checker.leave_unchecked("dataplane");
        return None;
    };
    let (benchmark, threads) = match kind {
        Kind::Ring => ring(checker),
        Kind::Counter => counter(checker),
        Kind::Lock => lock(checker),
        Kind::PingPong => (Some(Benchmark::PingPong), vec![PAIR]),
        Kind::Stack => stack(checker),
    };
    let private_work = checker.count_u32("dataplane.work", "0", 0..=WORK_MAX);
    Some(Dataplane { benchmark, private_work, threads })
}

type Parts = (Option<Benchmark>, Vec<ThreadGroup>);

fn ring(checker: &mut Checker<'_>) -> Parts {
    let words = [("multi", Reservation::Multi), ("single", Reservation::Single)];
    let reservation = checker.choice("dataplane.reservation", Some("multi"), &words);
    let producers = group(checker, "producers", "dataplane.producers", "1");
    let consumers = group(checker, "consumers", "dataplane.consumers", "1");
    let slots = checker.value("dataplane.slots", Some("1024"), "a power of two", parse_slots, u32::to_string);
    let burst = checker.count_u32("dataplane.burst", "32", 1..=SLOTS_MAX);
    let item_bytes = checker.bytes("dataplane.item", "4 B", &[4, 8]);
    if let (Some(slots), Some(burst)) = (slots, burst)
        && burst > slots
    {
        let problem = format!("is {burst}, but the ring has only {slots} slots");
        checker.complain("dataplane.burst", Complaint::new(problem, "take a smaller burst or more dataplane.slots"));
    }
    for group in [&producers, &consumers] {
        if let (Some(Reservation::Single), Some(count @ 2..)) = (reservation, group.count) {
            let problem = format!("is {count}, but `reservation: single` allows one on each side");
            checker.complain(group.counted_by, Complaint::new(problem, "write 1, or `reservation: multi`"));
        }
    }
    let benchmark = || {
        Some(Benchmark::Ring {
            reservation: reservation?,
            producers: producers.count?,
            slots: slots?,
            burst: burst?,
            // 4 or 8, so it fits.
            item_bytes: item_bytes? as u32,
        })
    };
    (benchmark(), vec![producers, consumers])
}

fn counter(checker: &mut Checker<'_>) -> Parts {
    let updates = [
        ("fetch-add", Update::FetchAdd),
        ("add", Update::Add),
        ("compare-exchange", Update::CompareExchange),
        ("load-store", Update::LoadStore),
    ];
    let layouts = [
        ("shared", CounterLayout::Shared),
        ("packed", CounterLayout::PerThreadPacked),
        ("padded", CounterLayout::PerThreadPadded),
    ];
    let update = checker.choice("dataplane.update", Some("fetch-add"), &updates);
    let layout = checker.choice("dataplane.counters", Some("shared"), &layouts);
    let benchmark = update.zip(layout).map(|(update, layout)| Benchmark::Counter { update, layout });
    (benchmark, vec![threads(checker)])
}

fn lock(checker: &mut Checker<'_>) -> Parts {
    let words =
        [("ticket", LockAlgorithm::Ticket), ("mcs", LockAlgorithm::Mcs), ("test-and-set", LockAlgorithm::TestAndSet)];
    let algorithm = checker.choice("dataplane.algorithm", Some("ticket"), &words);
    let lines = checker.count_u32("dataplane.lines", "1", 0..=LINES_MAX);
    let critical_work = checker.count_u32("dataplane.critical-work", "0", 0..=WORK_MAX);
    let benchmark = || Some(Benchmark::Lock { algorithm: algorithm?, lines: lines?, critical_work: critical_work? });
    (benchmark(), vec![threads(checker)])
}

fn stack(checker: &mut Checker<'_>) -> Parts {
    let items = checker.count_u32("dataplane.items", "16", 1..=ITEMS_MAX);
    (items.map(|items| Benchmark::Stack { items }), vec![threads(checker)])
}

fn threads(checker: &mut Checker<'_>) -> ThreadGroup {
    group(checker, "threads", "dataplane.threads", "2")
}

/// The two threads of a ping-pong, which no field counts.
const PAIR: ThreadGroup = ThreadGroup { name: "threads", counted_by: "dataplane.kind", count: Some(2) };

fn group(checker: &mut Checker<'_>, name: &'static str, counted_by: &'static str, default: &str) -> ThreadGroup {
    ThreadGroup { name, counted_by, count: checker.count_u32(counted_by, default, 1..=THREADS_MAX) }
}

fn parse_slots(text: &str) -> Result<u32, Complaint> {
    let range = 1..=u64::from(SLOTS_MAX);
    let slots = crate::fields::parse_count(text, &range)?;
    if !slots.is_power_of_two() {
        let above = slots.next_power_of_two();
        let help = format!("write {} or {above}", above / 2);
        return Err(Complaint::new(format!("is {slots}, which is not a power of two"), help));
    }
    // In range, so it fits.
    Ok(slots as u32)
}
