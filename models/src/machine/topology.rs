//! Where a machine's CPUs are: which share a core, a cluster, a last-level cache, a socket.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::machine::error::Complaint;

/// More CPUs than any machine that the simulator is meant for.
pub(crate) const CPUS_MAX: u64 = 1024;

/// Where the CPUs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// As many of each unit in each larger one.
    Regular(Regular),
    /// One entry for each CPU.
    Listed(Vec<CpuEntry>),
}

/// A machine with as many of each unit in each larger one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Regular {
    /// Sockets of the machine.
    pub sockets: u64,
    /// Last-level caches of a socket.
    pub llcs_per_socket: u64,
    /// Clusters of cores with a common L2 for each last-level cache. Where each core has an L2 of its own, a cluster
    /// is one core.
    pub clusters_per_llc: u64,
    /// Cores of a cluster.
    pub cores_per_cluster: u64,
    /// Hardware threads of a core.
    pub threads_per_core: u64,
    /// What changes first, second and so on as the CPUs' numbers rise.
    #[serde(default = "usual_numbering")]
    pub numbering: Vec<Level>,
}

/// A unit of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Hardware thread.
    Thread,
    /// Core.
    Core,
    /// Cores with a common L2.
    Cluster,
    /// Cores with a common last-level cache.
    Llc,
    /// Socket.
    Socket,
}

/// One CPU of a machine that is listed. A left-out cluster is the core alone; last-level cache and socket are 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuEntry {
    /// The operating system's number.
    pub cpu: u64,
    /// Its core.
    pub core: u64,
    /// Its cluster, of cores with a common L2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<u64>,
    /// Its last-level cache.
    #[serde(default)]
    pub llc: u64,
    /// Its socket.
    #[serde(default)]
    pub socket: u64,
    /// Its core's kind, on a machine that has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Where one CPU is. Each number is unique on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub core: u64,
    /// A cluster's number, or that of a core that is in none.
    pub cluster: (bool, u64),
    pub llc: u64,
    pub socket: u64,
}

pub(super) fn usual_numbering() -> Vec<Level> {
    vec![Level::Core, Level::Cluster, Level::Llc, Level::Socket, Level::Thread]
}

impl Regular {
    fn count(&self, level: Level) -> u64 {
        match level {
            Level::Thread => self.threads_per_core,
            Level::Core => self.cores_per_cluster,
            Level::Cluster => self.clusters_per_llc,
            Level::Llc => self.llcs_per_socket,
            Level::Socket => self.sockets,
        }
    }

    fn places(&self) -> Result<Vec<Place>, Complaint> {
        let mut sorted = self.numbering.clone();
        sorted.sort_unstable();
        if sorted != [Level::Thread, Level::Core, Level::Cluster, Level::Llc, Level::Socket] {
            let help = "it names thread, core, cluster, llc and socket, each once; what changes first comes first";
            return Err(Complaint::new("does not name each unit once", help).about("topology.numbering"));
        }
        let product = self.numbering.iter().try_fold(1_u64, |product, level| product.checked_mul(self.count(*level)));
        let cpus = match product {
            Some(cpus @ 1..=CPUS_MAX) => cpus,
            Some(0) => return Err(too_few_or_many("has no CPUs")),
            Some(many) => return Err(too_few_or_many(&format!("has {many} CPUs"))),
            None => return Err(too_few_or_many("has more CPUs than can be counted")),
        };
        Ok((0..cpus).map(|cpu| self.place(cpu)).collect())
    }

    fn place(&self, cpu: u64) -> Place {
        let mut rest = cpu;
        let mut digits = BTreeMap::new();
        for level in &self.numbering {
            digits.insert(*level, rest % self.count(*level));
            rest /= self.count(*level);
        }
        let digit = |level| digits.get(&level).copied().unwrap_or(0);
        let socket = digit(Level::Socket);
        let llc = socket * self.llcs_per_socket + digit(Level::Llc);
        let cluster = llc * self.clusters_per_llc + digit(Level::Cluster);
        let core = cluster * self.cores_per_cluster + digit(Level::Core);
        Place { core, cluster: (true, cluster), llc, socket }
    }
}

fn too_few_or_many(problem: &str) -> Complaint {
    Complaint::new(problem, format!("a machine has 1 to {CPUS_MAX} CPUs")).about("topology")
}

impl Topology {
    /// Where each CPU is.
    pub(crate) fn places(&self) -> Result<Vec<Place>, Complaint> {
        match self {
            Self::Regular(regular) => regular.places(),
            Self::Listed(entries) => listed(entries),
        }
    }

    /// The kind of each CPU's core, if the topology names kinds.
    pub(crate) fn kind_of(&self, cpu: usize) -> Option<&str> {
        match self {
            Self::Regular(_) => None,
            Self::Listed(entries) => entries.iter().find(|entry| entry.cpu == cpu as u64)?.kind.as_deref(),
        }
    }
}

fn listed(entries: &[CpuEntry]) -> Result<Vec<Place>, Complaint> {
    match entries.len() as u64 {
        0 => return Err(too_few_or_many("has no CPUs")),
        many if many > CPUS_MAX => return Err(too_few_or_many(&format!("has {many} CPUs"))),
        _ => {}
    }
    let place = |entry: &CpuEntry| Place {
        core: entry.core,
        cluster: entry.cluster.map_or((false, entry.core), |cluster| (true, cluster)),
        llc: entry.llc,
        socket: entry.socket,
    };
    let by_number: BTreeMap<u64, &CpuEntry> = entries.iter().map(|entry| (entry.cpu, entry)).collect();
    if !by_number.keys().copied().eq(0..entries.len() as u64) {
        let help = format!("{} entries have the numbers 0 to {}, each once", entries.len(), entries.len() - 1);
        return Err(Complaint::new("does not number the CPUs one after the other", help).about("topology.cpus"));
    }
    let places: Vec<Place> = by_number.values().map(|entry| place(entry)).collect();
    check_nesting(&places)?;
    Ok(places)
}

/// A smaller unit lies in one larger one.
fn check_nesting(places: &[Place]) -> Result<(), Complaint> {
    let (mut clusters, mut llcs, mut sockets) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (cpu, place) in places.iter().enumerate() {
        let torn = if *clusters.entry(place.core).or_insert(place.cluster) != place.cluster {
            Some(format!("core {} in two clusters", place.core))
        } else if *llcs.entry(place.cluster).or_insert(place.llc) != place.llc {
            Some(format!("cluster or core {} at two last-level caches", place.cluster.1))
        } else if *sockets.entry(place.llc).or_insert(place.socket) != place.socket {
            Some(format!("last-level cache {} in two sockets", place.llc))
        } else {
            None
        };
        if let Some(torn) = torn {
            let help = "the numbers of cores, clusters and caches count over the whole machine";
            return Err(Complaint::new(format!("puts {torn}"), help).about(format!("topology.cpus.{cpu}")));
        }
    }
    Ok(())
}

impl Place {
    /// How far another CPU is, as profiles name it.
    pub(crate) fn distance(&self, other: &Self) -> Distance {
        if self.core == other.core {
            Distance::SameCore
        } else if self.cluster == other.cluster {
            Distance::SameCluster
        } else if self.llc == other.llc {
            Distance::SameLlc
        } else if self.socket == other.socket {
            Distance::SameSocket
        } else {
            Distance::OtherSocket
        }
    }
}

/// How far two CPUs are from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Distance {
    SameCore,
    SameCluster,
    SameLlc,
    SameSocket,
    OtherSocket,
}

impl Distance {
    pub(crate) const ALL: [Self; 5] =
        [Self::SameCore, Self::SameCluster, Self::SameLlc, Self::SameSocket, Self::OtherSocket];

    /// Its key under `transfer`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SameCore => "same-core",
            Self::SameCluster => "same-cluster",
            Self::SameLlc => "same-llc",
            Self::SameSocket => "same-socket",
            Self::OtherSocket => "other-socket",
        }
    }
}
