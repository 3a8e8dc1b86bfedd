//! A scenario: a machine, a dataplane, a layout, and what to measure.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use models::microbenchmark::{Benchmark, Setup};
use sim_core::{MachineModel, Time};

use crate::change::Change;
use crate::checker::{Checker, Setting};
use crate::diagnostic::{Diagnostic, Diagnostics, Source, nearest};
use crate::document::{self, Node, Value};
use crate::library::{LIBRARY, Shipped, summary};
use crate::report::Identity;
use crate::{benchmark, file, layout, profiles};

/// A scenario that has been checked and can be run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of its file, without folder and extension, or of the shipped scenario.
    pub name: String,
    /// Its first line of comment.
    pub summary: String,
    /// The machine's name.
    pub machine_name: String,
    /// The machine.
    pub machine: MachineModel,
    /// The software profile's name.
    pub software_name: String,
    /// What one unit of each named operation costs.
    pub software: BTreeMap<String, Time>,
    /// What the threads do.
    pub benchmark: Benchmark,
    /// The CPU of each thread.
    pub placement: Vec<u32>,
    /// Iterations of private arithmetic between two operations.
    pub private_work: u32,
    /// Simulated time before measuring starts.
    pub warm_up: Time,
    /// Simulated time measured.
    pub duration: Time,
    /// Seed of the first run.
    pub seed: u64,
    /// How many runs; each has the next seed.
    pub repeat: u64,
    /// All fields with their values in force.
    pub settings: Vec<Setting>,
}

impl Scenario {
    /// Loads a scenario from a file, or a shipped one by its name, with changes. A file wins over a shipped scenario
    /// of the same name.
    ///
    /// # Errors
    /// Everything that is wrong with the file and with the changes.
    pub fn load(name_or_file: &str, changes: &[Change]) -> Result<Self, Diagnostics> {
        let path = Path::new(name_or_file);
        match Shipped::by_name(name_or_file) {
            Some(shipped) if !path.exists() => {
                let source = Source { name: format!("{}.yaml", shipped.name), text: shipped.text.into() };
                Self::read(&source, Path::new(""), changes)
            }
            _ => {
                let source = file::read(path, || not_found(name_or_file))?;
                Self::read(&source, path.parent().unwrap_or(Path::new("")), changes)
            }
        }
    }

    /// Reads a scenario from a text. `name` stands for the file in messages; profiles given as files are looked for
    /// in the current folder.
    ///
    /// # Errors
    /// Everything that is wrong with the text and with the changes.
    pub fn from_text(name: &str, text: &str, changes: &[Change]) -> Result<Self, Diagnostics> {
        Self::read(&Source { name: name.into(), text: text.into() }, Path::new(""), changes)
    }

    /// One run of the scenario, ready to start.
    pub fn setup(&self, seed: u64) -> Setup {
        Setup {
            machine: self.machine.clone(),
            software: self.software.clone(),
            benchmark: self.benchmark.clone(),
            placement: self.placement.clone(),
            private_work: self.private_work,
            seed,
            warm_up: self.warm_up,
            duration: self.duration,
        }
    }

    /// The seeds of its runs.
    pub fn seeds(&self) -> impl Iterator<Item = u64> + use<> {
        (0..self.repeat).map({
            let first = self.seed;
            move |run| first.wrapping_add(run)
        })
    }

    /// Its name and a hash of all that its result depends on, but for the seeds.
    pub fn identity(&self) -> Identity {
        let mut content = String::new();
        let measured = |setting: &&Setting| !matches!(setting.path.as_str(), "measure.seed" | "measure.repeat");
        for setting in self.settings.iter().filter(measured) {
            // Writing to a string cannot fail.
            let _ = writeln!(content, "{}: {}", setting.path, setting.value);
        }
        let _ = write!(content, "{:?} {:?}", self.machine, self.software);
        let hash = format!("{:016x}", fnv1a_64(content.as_bytes()));
        Identity { name: self.name.clone(), summary: self.summary.clone(), hash }
    }

    fn read(source: &Source, folder: &Path, changes: &[Change]) -> Result<Self, Diagnostics> {
        let root = changed_document(source, changes)?;
        let mut checker = Checker::new(source, &root);
        let machine = profiles::machine(&mut checker, folder);
        let software = profiles::software(&mut checker, folder);
        let dataplane = benchmark::read(&mut checker);
        let cpus = machine.as_ref().map(|(_, machine)| machine.cpus.len() as u32);
        let threads = dataplane.as_ref().map(|dataplane| dataplane.threads.as_slice());
        let placement = layout::read(&mut checker, threads, cpus);
        let measure = Measure::read(&mut checker);
        let settings = checker.finish()?;
        let built = || {
            let ((machine_name, machine), (software_name, software)) = (machine?, software?);
            let (dataplane, measure) = (dataplane?, measure?);
            Some(Self {
                name: stem(&source.name),
                summary: summary(&source.text).into(),
                machine_name,
                machine,
                software_name,
                software,
                benchmark: dataplane.benchmark?,
                placement: placement?,
                private_work: dataplane.private_work?,
                warm_up: measure.warm_up,
                duration: measure.duration,
                seed: measure.seed,
                repeat: measure.repeat,
                settings,
            })
        };
        // Whatever is missing has been complained about, so that `finish` has returned already.
        built().ok_or_else(|| Diagnostic::of_file(&source.name, "is incomplete", "").into())
    }
}

/// The `measure` group.
struct Measure {
    warm_up: Time,
    duration: Time,
    seed: u64,
    repeat: u64,
}

const REPEAT_MAX: u64 = 10_000;
const WARM_UP_MAX: Time = Time::from_ms(1_000_000);
const DURATION_MIN: Time = Time::from_ns(100);
const DURATION_MAX: Time = Time::from_ms(1_000_000);

impl Measure {
    fn read(checker: &mut Checker<'_>) -> Option<Self> {
        checker.group("measure", "measure: { duration: 1 ms }");
        let warm_up = checker.time("measure.warm-up", "50 us", Time::ZERO..=WARM_UP_MAX);
        let duration = checker.time("measure.duration", "1 ms", DURATION_MIN..=DURATION_MAX);
        let seed = checker.count("measure.seed", "1", 0..=u64::MAX);
        let repeat = checker.count("measure.repeat", "1", 1..=REPEAT_MAX);
        Some(Self { warm_up: warm_up?, duration: duration?, seed: seed?, repeat: repeat? })
    }
}

/// The document with the changes made, if it is a group of fields at all.
fn changed_document(source: &Source, changes: &[Change]) -> Result<Node, Diagnostics> {
    let mut root = document::parse(&source.text).map_err(|error| {
        let problem = format!("is not YAML: {}", error.problem);
        Diagnostic::at(source, &error.place, "", problem, "`coretwin list` names shipped examples".into())
    })?;
    if !matches!(root.value, Value::Fields(_)) {
        let problem = match &root.value {
            Value::Nothing => "is empty".into(),
            other => format!("{}, but should be a group of fields", other.describe()),
        };
        let help = "a scenario has the fields machine, dataplane, layout and measure";
        return Err(Diagnostic::at(source, &root.place, "", problem, help.into()).into());
    }
    let failed: Vec<Diagnostic> =
        changes.iter().filter_map(|change| change.apply(&mut root).err()).flat_map(|failed| failed.0).collect();
    if failed.is_empty() { Ok(root) } else { Err(Diagnostics(failed)) }
}

fn not_found(name: &str) -> String {
    let wanted = stem(name);
    match nearest(&wanted, LIBRARY.iter().map(|shipped| shipped.name)) {
        Some(near) => format!("did you mean the shipped scenario `{near}`?"),
        None => "`coretwin list` names the shipped scenarios".into(),
    }
}

fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.into(), |stem| stem.to_string_lossy().into_owned())
}

/// The 64-bit FNV-1a hash (IETF draft-eastlake-fnv).
fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
