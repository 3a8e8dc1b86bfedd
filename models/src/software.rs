//! Software profiles: what the named pieces of work in the dataplane code cost.
//!
//! ```yaml
//! name: microbenchmarks
//! summary: …
//! operations:
//!   ring-burst: { value: 3 ns, range: [1 ns, 10 ns], source: "assumed: some 30 instructions" }
//! ```
//!
//! Every operation of [`dataplane::operation`] has a cost; those that are waits have none. Parameters look as those
//! of [machine profiles](crate::machine), and so does the path by which calibration moves one:
//! `operations.ring-burst`.

use std::collections::BTreeMap;
use std::path::Path;

use dataplane::Operation;
use serde::Deserialize;
use sim_core::Time;

use crate::machine::{
    Complaint, Error, Kind, Parameter, ParameterEntry, RawSection, Section, nearest, quoted, read_parameter, syntax,
    write_parameter,
};
use crate::quantity::Dimension;

/// Names and texts of the profiles that come with the product.
const SHIPPED: &[(&str, &str)] = &[
    ("microbenchmarks", include_str!("../profiles/software/microbenchmarks.yaml")),
    ("microbenchmarks-armv8.0", include_str!("../profiles/software/microbenchmarks-armv8.0.yaml")),
    ("rings-xeon-2ghz", include_str!("../profiles/software/rings-xeon-2ghz.yaml")),
    ("rings-xeon-56-lcores", include_str!("../profiles/software/rings-xeon-56-lcores.yaml")),
    ("rings-thunderx2", include_str!("../profiles/software/rings-thunderx2.yaml")),
];

/// What a cost is: at most a millisecond for one unit of work.
const COST: Kind = Kind::Number(Dimension::Time, 0..=1_000_000_000);

/// Endings of the names of waits, which take as long as they take.
const WAITS: [&str; 4] = ["-wait", "-empty", "-full", "-retry"];

/// What the named pieces of work cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The name by which scenarios ask for it.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// What one unit of each operation costs.
    pub operations: Section,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    name: String,
    summary: String,
    operations: RawSection,
}

/// Whether an operation is a wait.
pub fn is_wait(name: &str) -> bool {
    WAITS.iter().any(|ending| name.ends_with(ending))
}

impl Profile {
    /// The shipped profile of this name, or the one in this file: a name with a `/` or ending in `.yaml` or `.yml`
    /// is a file's.
    ///
    /// # Errors
    /// There is no such profile, the file cannot be read, or something in it is wrong.
    pub fn load(name_or_path: &str) -> Result<Self, Error> {
        if name_or_path.contains('/') || name_or_path.ends_with(".yaml") || name_or_path.ends_with(".yml") {
            let text = std::fs::read_to_string(Path::new(name_or_path))
                .map_err(|error| Error::Unreadable { file: name_or_path.to_owned(), why: error.to_string() })?;
            return Self::from_yaml(name_or_path, &text);
        }
        match SHIPPED.iter().find(|(name, _)| *name == name_or_path) {
            Some((name, text)) => Self::from_yaml(&format!("{name}.yaml"), text),
            None => {
                let names: Vec<&str> = Self::shipped_names().collect();
                let help = format!("there are {}; a file's name ends in .yaml", names.join(", "));
                Err(Error::UnknownProfile { name: name_or_path.to_owned(), help })
            }
        }
    }

    /// The names of the profiles that need no file.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// Reads a profile from a text. `file` is what errors call it.
    ///
    /// # Errors
    /// Something in it is wrong, or an operation has no cost.
    pub fn from_yaml(file: &str, text: &str) -> Result<Self, Error> {
        let document: Document = serde_yaml::from_str(text).map_err(|error| syntax(file, &error))?;
        let mut operations = Section::new();
        for (name, raw) in document.operations {
            let place = Some((raw.referenced.line(), raw.referenced.column()));
            let read = check_name(&name).and_then(|()| read_parameter(&COST, &raw.value));
            let cost = read.map_err(|complaint| complaint.about(path_of(&name)).at(file, place))?;
            operations.insert(name, cost);
        }
        let missing = Operation::all().find(|operation| {
            let name = operation.name();
            !is_wait(name) && !operations.contains_key(name)
        });
        if let Some(missing) = missing {
            let complaint = Complaint::new("has no cost", "give it, even if it is 0 ns").about(path_of(missing.name()));
            return Err(complaint.at(file, None).into());
        }
        Ok(Self { name: document.name, summary: document.summary, operations })
    }

    /// What one unit of each operation costs, by its name.
    pub fn costs(&self) -> BTreeMap<String, Time> {
        let cost = |parameter: &Parameter| Time::from_ps(parameter.base().unwrap_or(0));
        self.operations.iter().map(|(name, parameter)| (name.clone(), cost(parameter))).collect()
    }

    /// All costs as calibration sees them.
    pub fn parameters(&self) -> Vec<ParameterEntry> {
        self.operations.iter().filter_map(|(name, parameter)| parameter.entry(path_of(name))).collect()
    }

    /// Moves a cost within its range, in nanoseconds.
    ///
    /// # Errors
    /// There is no such operation, or the value lies outside its range.
    pub fn set(&mut self, path: &str, value_ns: f64) -> Result<(), Error> {
        let name = path.strip_prefix("operations.").unwrap_or(path);
        let result = match self.operations.get_mut(name) {
            Some(parameter) => parameter.set(value_ns),
            None => Err(check_name(name).err().unwrap_or_else(|| Complaint::new("has no cost here", ""))),
        };
        result.map_err(|complaint| complaint.about(path_of(name)).into())
    }

    /// The profile as a document that reads back as the same one.
    pub fn to_yaml(&self) -> String {
        let costs: String = self
            .operations
            .iter()
            .map(|(name, parameter)| format!("  {name}: {}\n", write_parameter(parameter)))
            .collect();
        format!("name: {}\nsummary: {}\noperations:\n{costs}", quoted(&self.name), quoted(&self.summary))
    }
}

fn path_of(name: &str) -> String {
    format!("operations.{name}")
}

/// A cost belongs to an operation that the code knows and that is no wait.
fn check_name(name: &str) -> Result<(), Complaint> {
    if is_wait(name) {
        return Err(Complaint::new("is a wait", "waits have no cost; leave it out"));
    }
    if Operation::from_name(name).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = Operation::all().map(Operation::name).filter(|known| !is_wait(known)).collect();
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known.join(", ")),
    };
    Err(Complaint::new("is no operation of the dataplane code", help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> &'static str {
        SHIPPED[0].1
    }

    fn error(text: &str) -> String {
        Profile::from_yaml("mine.yaml", text).unwrap_err().to_string()
    }

    #[test]
    fn every_shipped_profile_loads_and_writes_itself() {
        for name in Profile::shipped_names() {
            let profile = Profile::load(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(profile.name, name);
            assert_eq!(Profile::from_yaml("again.yaml", &profile.to_yaml()).unwrap(), profile);
            let costs = profile.costs();
            assert!(costs["private-work"] > Time::ZERO && !costs.contains_key("lock-wait"));
        }
    }

    #[test]
    fn an_unknown_name_gets_a_suggestion() {
        let text = shipped().replace("  ring-burst:", "  ring-brust:");
        let message = error(&text);
        assert!(message.contains("operations.ring-brust is no operation"), "{message}");
        assert!(message.ends_with("did you mean ring-burst?") && message.starts_with("mine.yaml:"), "{message}");
    }

    #[test]
    fn a_missing_cost_is_an_error_and_a_wait_has_none() {
        let without: String =
            shipped().lines().filter(|line| !line.contains("ring-item:")).map(|l| format!("{l}\n")).collect();
        assert_eq!(error(&without), "mine.yaml: operations.ring-item has no cost; give it, even if it is 0 ns");
        let wait = format!("{}  lock-wait: {{ value: 1 ns, range: [0 ns, 2 ns], source: x }}\n", shipped());
        assert!(error(&wait).contains("operations.lock-wait is a wait"), "{}", error(&wait));
        assert!(matches!(Profile::load("microbenchmark"), Err(Error::UnknownProfile { .. })));
    }

    #[test]
    fn costs_move_within_their_range() {
        let mut profile = Profile::load("microbenchmarks").unwrap();
        let entry = profile.parameters().into_iter().find(|entry| entry.path == "operations.ring-burst").unwrap();
        profile.set("operations.ring-burst", entry.range.1).unwrap();
        assert_eq!(profile.costs()["ring-burst"].as_ns_f64(), entry.range.1);
        assert!(profile.set("operations.ring-burst", entry.range.1 + 1.0).is_err());
        assert!(profile.set("operations.lock-wait", 1.0).is_err());
    }
}
