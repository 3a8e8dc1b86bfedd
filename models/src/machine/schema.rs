//! Which parameters a profile has: their keys, what they measure, the limits of what makes sense, and what they mean.

use std::ops::RangeInclusive;

use crate::quantity::Dimension;

/// A parameter that a section may have.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its key.
    pub key: &'static str,
    /// What its value looks like.
    pub kind: Kind,
    /// Whether every machine needs it.
    pub required: bool,
    /// What it means.
    pub about: &'static str,
}

/// What a parameter's value looks like.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A number of this dimension within these limits, in base units.
    Number(Dimension, RangeInclusive<u64>),
    /// One of these words.
    Word(&'static [&'static str]),
}

const NS: u64 = 1_000;
const US: u64 = 1_000_000;
const MHZ: u64 = 1_000_000;
const PERCENT: u64 = 10_000_000_000;

const fn time(key: &'static str, limits: RangeInclusive<u64>, about: &'static str) -> Entry {
    Entry { key, kind: Kind::Number(Dimension::Time, limits), required: true, about }
}

const fn ratio(key: &'static str, limits_percent: RangeInclusive<u64>, about: &'static str) -> Entry {
    let limits = *limits_percent.start() * PERCENT..=*limits_percent.end() * PERCENT;
    Entry { key, kind: Kind::Number(Dimension::Ratio, limits), required: true, about }
}

/// What a core has.
pub const CORE: &[Entry] = &[
    Entry {
        key: "frequency",
        kind: Kind::Number(Dimension::Frequency, 100 * MHZ..=10_000 * MHZ),
        required: true,
        about: "clock rate while it works",
    },
    time("load-issue", 1..=US, "front-end time of a load"),
    time("store-issue", 0..=US, "front-end time of a store"),
    time("hit", 0..=US, "from a load's issue to its value, on a hit in the private cache"),
    time("locked", 0..=10 * US, "a locked operation on a line that the core owns"),
    time("fence", 0..=10 * US, "a full fence with nothing to drain"),
    time("commit", 0..=US, "from a store's retirement to the earliest moment it can be written to the cache"),
    time("drain", 0..=US, "between two writes from the store buffer to the cache"),
    time("spin-hint", 0..=10 * US, "the spin hint: pause, yield"),
    time("mispredict", 0..=US, "from knowing that a branch went the other way to the next instruction's issue"),
    time("reorder-window", 0..=10 * US, "work that the core issues past an instruction that has not retired"),
    time("locked-lead", 0..=10 * US, "how long before it reaches the front a locked operation's line is asked for"),
    time("line-gap", 0..=US, "least time between two lines' arrivals at the core"),
    Entry {
        key: "store-buffer-entries",
        kind: Kind::Number(Dimension::Count, 1..=1024),
        required: true,
        about: "entries of the store buffer",
    },
    ratio("smt-stretch", 100..=400, "by how much front-end time stretches while the SMT sibling is at work"),
];

/// What coherence has.
pub const COHERENCE: &[Entry] = &[
    Entry {
        key: "line-bytes",
        kind: Kind::Number(Dimension::Bytes, 16..=1024),
        required: true,
        about: "size of a cache line, a power of two",
    },
    time("memory-latency", 0..=100 * US, "a load of a line that no cache holds"),
    ratio("request-share", 0..=100, "part of a transfer's latency until the request is at the line's holder"),
    ratio("locked-hold", 0..=400, "how long a line stays for a locked operation, as a part of the latency"),
    ratio("store-hold", 0..=400, "how long a line stays for a store, as a part of the latency"),
    ratio("load-hold", 0..=400, "how long a line stays for a load, as a part of the latency"),
    time("read-service", 0..=10 * US, "how long one more reader of a clean line keeps the next request waiting"),
    Entry {
        key: "migratory-reads",
        kind: Kind::Word(&["true", "false"]),
        required: true,
        about: "whether a load of a line that is dirty elsewhere takes ownership with it",
    },
    Entry {
        key: "locked-at",
        kind: Kind::Word(&["core", "exclusive-pair", "home"]),
        required: true,
        about: "how locked operations are carried out: in the requester's cache, there as a pair of exclusive load and \
                store, or at the line's home",
    },
    Entry {
        key: "home-service",
        kind: Kind::Number(Dimension::Time, 1..=10 * US),
        required: false,
        about: "how long the line's home needs for one locked operation, if they are carried out there",
    },
    ratio("jitter", 0..=99, "transfers take up to this part longer or shorter, at random"),
];

/// What each transfer is.
pub(crate) const TRANSFER: Kind = Kind::Number(Dimension::Time, NS / 10..=100 * US);
