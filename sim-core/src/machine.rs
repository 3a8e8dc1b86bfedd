//! What the simulator must be told about a machine: its CPUs, how far they are from each other, and what
//! their cores and caches cost. All of it comes from a machine profile; nothing here has a default.

use crate::error::Error;
use crate::time::{Frequency, Time};

/// A machine's CPUs (hardware threads) and the distances between them.
#[derive(Clone, Debug)]
pub struct MachineModel {
    /// The CPUs; a CPU's index here is its number everywhere in the simulator.
    pub cpus: Vec<CpuModel>,
    /// The distance classes that occur.
    pub distances: Vec<DistanceClass>,
    /// For the CPUs `a` and `b`, an index into `distances` at `a * cpus.len() + b`. Symmetric; the diagonal is
    /// not looked at.
    pub distance_between: Vec<u8>,
    /// What coherence traffic costs besides distance.
    pub coherence: CoherenceCosts,
}

impl MachineModel {
    /// The same machine with cores that do one thing after the other: each access is charged in full before the next
    /// instruction issues. The null model that an out-of-order core has to beat.
    pub fn in_order(&self) -> Self {
        let mut model = self.clone();
        for cpu in &mut model.cpus {
            cpu.costs.load_issue = cpu.costs.load_issue.max(cpu.costs.hit);
            cpu.costs.reorder_window = Time::ZERO;
            cpu.costs.locked_lead = Time::ZERO;
            cpu.costs.store_buffer_entries = 0;
        }
        model
    }

    /// Looks for contradictions.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let cpus = self.cpus.len();
        let wrong = if cpus == 0 {
            Some("it has no CPUs".to_owned())
        } else if self.distance_between.len() != cpus * cpus {
            Some(format!("{cpus} CPUs need {} distances, not {}", cpus * cpus, self.distance_between.len()))
        } else if self.distance_between.iter().any(|class| *class as usize >= self.distances.len()) {
            Some("a distance class does not exist".to_owned())
        } else if !self.coherence.line_bytes.is_power_of_two() || self.coherence.line_bytes < 8 {
            Some(format!("cache lines of {} bytes", self.coherence.line_bytes))
        } else if self.cpus.iter().any(|cpu| cpu.costs.load_issue == Time::ZERO) {
            Some("a load must take some time to issue".to_owned())
        } else {
            None
        };
        wrong.map_or(Ok(()), |wrong| Err(Error::Model(wrong)))
    }
}

/// One CPU: a hardware thread.
#[derive(Clone, Debug)]
pub struct CpuModel {
    /// The physical core it belongs to; CPUs with one number here are SMT siblings.
    pub core: u32,
    /// Clock rate while it works.
    pub frequency: Frequency,
    /// What its core costs.
    pub costs: CoreCosts,
}

/// A distance between two CPUs.
#[derive(Clone, Debug)]
pub struct DistanceClass {
    /// Its name in profiles and reports ("same LLC").
    pub name: String,
    /// How long a dependent load takes of a line that is dirty in the other CPU's cache.
    pub latency: Time,
}

/// What a core costs. Times are of one hardware thread that has the core for itself.
#[derive(Clone, Debug)]
pub struct CoreCosts {
    /// Front-end time of a load.
    pub load_issue: Time,
    /// Front-end time of a store.
    pub store_issue: Time,
    /// From a load's issue to its value, on a hit in the private cache.
    pub hit: Time,
    /// From a locked operation's start to its end, on a line that the core owns.
    pub locked: Time,
    /// A full fence with nothing to drain.
    pub fence: Time,
    /// From a store's retirement to the earliest moment it can be written to the cache.
    pub commit: Time,
    /// Between two writes from the store buffer to the cache.
    pub drain: Time,
    /// The spin hint (`pause`, `yield`).
    pub spin_hint: Time,
    /// From knowing that a branch went the other way to the next instruction's issue.
    pub mispredict: Time,
    /// How much work, in front-end time, the core issues past an instruction that has not retired.
    pub reorder_window: Time,
    /// How long before it reaches the front a locked operation's line is asked for.
    pub locked_lead: Time,
    /// Least time between two lines' arrivals at the core.
    pub line_gap: Time,
    /// Entries of the store buffer; with none the front end waits until each store is written.
    pub store_buffer_entries: u32,
    /// By how much front-end time stretches while an SMT sibling is at work: 1 is not at all, 2 is half speed.
    pub smt_stretch: f64,
}

/// What coherence traffic costs besides distance.
#[derive(Clone, Debug)]
pub struct CoherenceCosts {
    /// Bytes of a cache line; a power of two.
    pub line_bytes: u32,
    /// How long a load takes of a line that no cache holds.
    pub memory_latency: Time,
    /// The part of a transfer's latency that passes until the request is at the line's holder, 0 to 1.
    pub request_share: f64,
    /// How long a line stays after its arrival for a locked operation, as a part of the transfer's latency.
    pub locked_hold: f64,
    /// The same for a store.
    pub store_hold: f64,
    /// The same for a load.
    pub load_hold: f64,
    /// How long serving one more reader of a clean line keeps the next request for it waiting.
    pub read_service: Time,
    /// Whether a load of a line that is dirty elsewhere takes ownership with it (MOESI with migratory sharing)
    /// or leaves both with a shared copy.
    pub migratory_reads: bool,
    /// Where locked operations are carried out.
    pub locked_at: LockedAt,
    /// Transfers take up to this part longer or shorter, at random, 0 to 1.
    pub jitter: f64,
}

/// Where locked operations are carried out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LockedAt {
    /// In the requester's cache, after moving the line there.
    Core,
    /// In the requester's cache, as a pair of a load and a store that fails if the line was lost in between (Armv8.0).
    ExclusivePair,
    /// At the line's home, one after the other, each taking this long there (Arm's far atomics).
    Home(Time),
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A core with round figures.
    pub(crate) fn costs() -> CoreCosts {
        CoreCosts {
            load_issue: Time::from_ps(200),
            store_issue: Time::from_ps(500),
            hit: Time::from_ns(1),
            locked: Time::from_ns(5),
            fence: Time::from_ns(10),
            commit: Time::from_ns(1),
            drain: Time::from_ps(500),
            spin_hint: Time::from_ns(20),
            mispredict: Time::from_ns(5),
            reorder_window: Time::from_ns(10),
            locked_lead: Time::from_ns(20),
            line_gap: Time::from_ns(1),
            store_buffer_entries: 56,
            smt_stretch: 1.5,
        }
    }
}
