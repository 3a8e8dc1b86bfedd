//! From a profile to what the simulator takes.

use std::collections::BTreeMap;

use sim_core::{CoherenceCosts, CoreCosts, CpuModel, DistanceClass, Frequency, LockedAt, MachineModel, Time};

use crate::machine::error::{Complaint, Error};
use crate::machine::parameter::Value;
use crate::machine::topology::Place;
use crate::machine::{Parameter, Profile, Section};

/// A section under its path, with what it falls back on.
struct Lookup<'a> {
    path: String,
    own: Option<&'a Section>,
    section: &'a Section,
}

impl<'a> Lookup<'a> {
    fn find(&self, key: &str) -> Option<&'a Parameter> {
        self.own.and_then(|own| own.get(key)).or_else(|| self.section.get(key))
    }

    fn get(&self, key: &str) -> Result<&'a Parameter, Complaint> {
        let help = "give it, or extend a profile that has it";
        self.find(key).ok_or_else(|| Complaint::new("is missing", help).about(self.path_of(key)))
    }

    fn path_of(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    fn base(&self, key: &str) -> Result<u64, Complaint> {
        let not_a_number = || Complaint::new("is not a number", "").about(self.path_of(key));
        self.get(key)?.base().ok_or_else(not_a_number)
    }

    fn time(&self, key: &str) -> Result<Time, Complaint> {
        self.base(key).map(Time::from_ps)
    }

    fn ratio(&self, key: &str) -> Result<f64, Complaint> {
        self.base(key).map(|base| base as f64 / 1e12)
    }

    fn count(&self, key: &str) -> Result<u32, Complaint> {
        let too_large = |_| Complaint::new("is too large", "").about(self.path_of(key));
        self.base(key).and_then(|base| u32::try_from(base).map_err(too_large))
    }

    fn word(&self, key: &str) -> Result<&'a str, Complaint> {
        match &self.get(key)?.value {
            Value::Word { word, .. } => Ok(word),
            Value::Number { .. } => Err(Complaint::new("is not a word", "").about(self.path_of(key))),
        }
    }

    fn frequency(&self, key: &str) -> Result<Frequency, Complaint> {
        let outside = || Complaint::new("is no frequency", "").about(self.path_of(key));
        self.base(key).and_then(|hz| Frequency::from_hz(hz).ok_or_else(outside))
    }
}

impl Profile {
    /// What the simulator takes.
    ///
    /// # Errors
    /// Something is missing or contradicts itself. A profile that was loaded and changed only through
    /// [`Profile::set`] has none of that, unless a line's size was set to what is no power of two.
    pub fn to_model(&self) -> Result<MachineModel, Error> {
        let places = self.topology.places()?;
        let mut kinds = BTreeMap::new();
        let mut cpus = Vec::with_capacity(places.len());
        let mut kind_of_cpu = Vec::with_capacity(places.len());
        for (cpu, place) in places.iter().enumerate() {
            let kind = self.checked_kind(cpu)?;
            if !kinds.contains_key(kind) {
                kinds.insert(kind, self.core_of(kind)?);
            }
            let (frequency, costs) = &kinds[kind];
            cpus.push(CpuModel { core: place.core as u32, frequency: *frequency, costs: costs.clone() });
            kind_of_cpu.push(kind);
        }
        let (distances, distance_between) = self.distances(&places, &kind_of_cpu)?;
        Ok(MachineModel { cpus, distances, distance_between, coherence: self.coherence()? })
    }

    /// The kind of a CPU's core; empty on a machine that has no kinds.
    fn checked_kind(&self, cpu: usize) -> Result<&str, Complaint> {
        let path = format!("topology.cpus.{cpu}.kind");
        let known = || self.kinds.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.topology.kind_of(cpu) {
            None if self.kinds.is_empty() => Ok(""),
            None => Err(Complaint::new("is missing", format!("there are {}", known())).about(path)),
            Some(kind) if self.kinds.contains_key(kind) => Ok(kind),
            Some(kind) => {
                let help = if self.kinds.is_empty() { "the profile has no kinds".into() } else { known() };
                Err(Complaint::new(format!("is `{kind}`, which is unknown"), help).about(path))
            }
        }
    }

    fn core_of(&self, kind: &str) -> Result<(Frequency, CoreCosts), Complaint> {
        let path = if kind.is_empty() { "core".to_owned() } else { format!("kinds.{kind}") };
        let core = Lookup { path, own: self.kinds.get(kind), section: &self.core };
        let costs = CoreCosts {
            load_issue: core.time("load-issue")?,
            store_issue: core.time("store-issue")?,
            hit: core.time("hit")?,
            locked: core.time("locked")?,
            fence: core.time("fence")?,
            commit: core.time("commit")?,
            drain: core.time("drain")?,
            spin_hint: core.time("spin-hint")?,
            mispredict: core.time("mispredict")?,
            reorder_window: core.time("reorder-window")?,
            locked_lead: core.time("locked-lead")?,
            line_gap: core.time("line-gap")?,
            store_buffer_entries: core.count("store-buffer-entries")?,
            smt_stretch: core.ratio("smt-stretch")?,
        };
        Ok((core.frequency("frequency")?, costs))
    }

    fn coherence(&self) -> Result<CoherenceCosts, Complaint> {
        let costs = Lookup { path: "coherence".into(), own: None, section: &self.coherence };
        let line_bytes = costs.count("line-bytes")?;
        if !line_bytes.is_power_of_two() {
            let problem = format!("is {line_bytes} B, which is no power of two");
            return Err(Complaint::new(problem, "").about("coherence.line-bytes"));
        }
        let locked_at = match costs.word("locked-at")? {
            "home" => LockedAt::Home(costs.time("home-service")?),
            "exclusive-pair" => LockedAt::ExclusivePair,
            _ => LockedAt::Core,
        };
        Ok(CoherenceCosts {
            line_bytes,
            memory_latency: costs.time("memory-latency")?,
            request_share: costs.ratio("request-share")?,
            locked_hold: costs.ratio("locked-hold")?,
            store_hold: costs.ratio("store-hold")?,
            load_hold: costs.ratio("load-hold")?,
            read_service: costs.time("read-service")?,
            migratory_reads: costs.word("migratory-reads")? == "true",
            locked_at,
            jitter: costs.ratio("jitter")?,
        })
    }

    /// The distance classes that occur, and the class of each pair of CPUs.
    fn distances(&self, places: &[Place], kinds: &[&str]) -> Result<(Vec<DistanceClass>, Vec<u8>), Complaint> {
        let mut classes: Vec<DistanceClass> = Vec::new();
        // The class of a distance between two kinds is looked up once, not once for each pair of CPUs.
        let mut class_of = BTreeMap::new();
        let mut between = vec![0; places.len() * places.len()];
        for (a, b) in (0..places.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let distance = places[a].distance(&places[b]);
            let key = (distance, kinds[a].min(kinds[b]), kinds[a].max(kinds[b]));
            let class = match class_of.get(&key) {
                Some(class) => *class,
                None => {
                    let (name, latency) = self.transfer_between(distance.name(), kinds[a], kinds[b], (b, a))?;
                    let known = classes.iter().position(|class| class.name == name);
                    let class = known.unwrap_or(classes.len());
                    if known.is_none() {
                        classes.push(DistanceClass { name, latency });
                    }
                    let class = u8::try_from(class)
                        .map_err(|_| Complaint::new("has more than 256 classes", "").about("transfer"))?;
                    class_of.insert(key, class);
                    class
                }
            };
            between[a * places.len() + b] = class;
            between[b * places.len() + a] = class;
        }
        Ok((classes, between))
    }

    /// Key and latency of the transfer between CPUs of two kinds.
    fn transfer_between(
        &self,
        distance: &str,
        one: &str,
        other: &str,
        cpus: (usize, usize),
    ) -> Result<(String, Time), Complaint> {
        let keys = [format!("{distance}/{one}+{other}"), format!("{distance}/{other}+{one}"), distance.to_owned()];
        let found = keys.into_iter().find_map(|key| {
            let latency = self.transfer.get(&key)?.base()?;
            Some((key, Time::from_ps(latency)))
        });
        found.ok_or_else(|| {
            let problem = format!("is missing, but CPUs {} and {} are at this distance", cpus.0, cpus.1);
            Complaint::new(problem, "").about(format!("transfer.{distance}"))
        })
    }
}
