//! Machine profiles: what is known about a machine, as a YAML file that people can read, check and change.
//!
//! A profile says where the CPUs are (topology), what the cores cost, what coherence traffic costs, and how long a
//! line takes from one CPU to another by their distance. Every number carries the range that is plausible for it
//! and where it comes from:
//!
//! ```yaml
//! name: two-cores
//! summary: Two cores that share a last-level cache
//! extends: server-16                # what this file leaves out is as there
//! topology: { sockets: 1, llcs-per-socket: 1, clusters-per-llc: 2, cores-per-cluster: 1, threads-per-core: 1 }
//! core:
//!   hit: { value: 1.1 ns, range: [0.9 ns, 2 ns], source: "measured: dependent loads from the L1 cache" }
//! transfer:
//!   same-llc: { value: 35 ns, range: [20 ns, 60 ns], source: "assumed; range of desktop parts" }
//! ```
//!
//! The distances are `same-core` (SMT siblings), `same-cluster` (cores that share an L2), `same-llc`, `same-socket`
//! and `other-socket`; two CPUs have the first that fits. A machine with several kinds of cores gives each kind's
//! differences from `core` under `kinds`, and may give a transfer between two kinds apart, as
//! `same-llc/performance+efficient`. [`Profile::to_model`] makes from this what the simulator takes.
//!
//! Calibration moves parameters by their paths, such as `core.reorder-window`, `kinds.efficient.hit`,
//! `coherence.store-hold` or `transfer.same-llc`, and only within their ranges ([`Profile::set`]).

mod error;
mod file;
mod model;
mod parameter;
mod schema;
mod shipped;
mod topology;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub(crate) use error::nearest;
pub use error::{Complaint, Error};
pub(crate) use file::{RawSection, read_parameter, syntax};
pub use parameter::{Parameter, ParameterEntry, Value};
pub use schema::{COHERENCE, CORE, Entry, Kind};
pub use topology::{CpuEntry, Level, Regular, Topology};
pub(crate) use write::{quoted, write_parameter};

/// Parameters by their keys.
pub type Section = BTreeMap<String, Parameter>;

/// Everything that is known about a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The name by which scenarios ask for it.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// Where its figures come from, in general.
    pub sources: Vec<String>,
    /// How it was calibrated, if it was.
    pub calibration: Option<Calibration>,
    /// Where the CPUs are.
    pub topology: Topology,
    /// What a core costs; the keys are those of [`CORE`].
    pub core: Section,
    /// The kinds of cores, if there are several, with what differs from `core`.
    pub kinds: BTreeMap<String, Section>,
    /// What coherence traffic costs; the keys are those of [`COHERENCE`].
    pub coherence: Section,
    /// Latency of a transfer by distance, or by distance and two kinds of cores.
    pub transfer: Section,
}

/// How a profile was calibrated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Calibration {
    /// The command that did it.
    pub command: String,
    /// The paths of the parameters that it moved.
    pub fitted: Vec<String>,
}

impl Profile {
    /// The shipped profile of this name, or the one in this file: a name with a `/` or ending in `.yaml` or `.yml`
    /// is a file's.
    ///
    /// # Errors
    /// There is no such profile, the file cannot be read, or something in it is wrong.
    pub fn load(name_or_path: &str) -> Result<Self, Error> {
        file::load(name_or_path, Path::new(""))
    }

    /// Reads a profile from a text. `file` is what errors call it; files that it extends are looked for beside it.
    ///
    /// # Errors
    /// Something in it is wrong.
    pub fn from_yaml(file: &str, text: &str) -> Result<Self, Error> {
        file::from_yaml(file, text)
    }

    /// The profiles that need no file: name and one line about it, by name.
    ///
    /// # Errors
    /// Never for the profiles as shipped.
    pub fn shipped() -> Result<Vec<(String, String)>, Error> {
        shipped::names().map(|name| Self::load(name).map(|profile| (profile.name, profile.summary))).collect()
    }

    /// The names of the profiles that need no file.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        shipped::names()
    }

    /// The profile as a document that reads back as the same one. What it once extended is written out.
    pub fn to_yaml(&self) -> String {
        write::profile(self)
    }

    /// All parameters that are numbers, in the order of a profile.
    pub fn parameters(&self) -> Vec<ParameterEntry> {
        let core = self.core.iter().map(|(key, parameter)| (format!("core.{key}"), parameter));
        let kinds = self.kinds.iter().flat_map(|(kind, section)| {
            section.iter().map(move |(key, parameter)| (format!("kinds.{kind}.{key}"), parameter))
        });
        let coherence = self.coherence.iter().map(|(key, parameter)| (format!("coherence.{key}"), parameter));
        let transfer = self.transfer.iter().map(|(key, parameter)| (format!("transfer.{key}"), parameter));
        core.chain(kinds).chain(coherence).chain(transfer).filter_map(|(path, p)| p.entry(path)).collect()
    }

    /// The parameter with this path.
    pub fn parameter(&self, path: &str) -> Option<&Parameter> {
        let (section, key) = path.split_once('.')?;
        match section {
            "core" => self.core.get(key),
            "coherence" => self.coherence.get(key),
            "transfer" => self.transfer.get(key),
            "kinds" => {
                let (kind, key) = key.split_once('.')?;
                self.kinds.get(kind)?.get(key)
            }
            _ => None,
        }
    }

    /// Moves a number within its range. The value is in the unit that [`Profile::parameters`] names.
    ///
    /// # Errors
    /// There is no such number, or the value lies outside its range.
    pub fn set(&mut self, path: &str, value: f64) -> Result<(), Error> {
        self.parameter_mut(path)?.set(value).map_err(|complaint| complaint.about(path).into())
    }

    /// Gives a parameter the value that a text says, such as "12 ns".
    ///
    /// # Errors
    /// There is no such parameter, the text is no value for it, or the value lies outside its range.
    pub fn set_text(&mut self, path: &str, text: &str) -> Result<(), Error> {
        self.parameter_mut(path)?.set_text(text).map_err(|complaint| complaint.about(path).into())
    }

    fn parameter_mut(&mut self, path: &str) -> Result<&mut Parameter, Error> {
        if self.parameter(path).is_none() {
            let entries = self.parameters();
            let near = nearest(path, entries.iter().map(|entry| entry.path.as_str()));
            let help = match near {
                Some(near) => format!("did you mean {near}?"),
                None => "paths look like core.hit, coherence.store-hold or transfer.same-llc".to_owned(),
            };
            return Err(Complaint::new("is no parameter of this profile", help).about(path).into());
        }
        let (section, key) = path.split_once('.').unwrap_or((path, ""));
        let found = match section {
            "core" => self.core.get_mut(key),
            "coherence" => self.coherence.get_mut(key),
            "transfer" => self.transfer.get_mut(key),
            _ => key.split_once('.').and_then(|(kind, key)| self.kinds.get_mut(kind)?.get_mut(key)),
        };
        found.ok_or_else(|| Complaint::new("is no parameter of this profile", "").about(path).into())
    }
}

#[cfg(test)]
mod tests;
