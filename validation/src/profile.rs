//! Profiles as validation uses them: a machine, and what code costs on it.

use std::collections::BTreeMap;
use std::path::Path;

use models::{machine, software};

use crate::calibrate::{Fit, Parameter, Tunable};
use crate::error::Error;
use crate::experiment::Machine;
use crate::set::Point;

/// Paths of software parameters begin with this; all others are the machine's.
const SOFTWARE: &str = "operations.";

/// What the source of a fitted parameter begins with; after it stands what its range rests on.
const FITTED: &str = "fitted by the calibration above, inside its range; ";

/// Whether a path is that of a software parameter.
pub(crate) fn is_software(path: &str) -> bool {
    path.starts_with(SOFTWARE)
}

/// The profiles of the points' machines, by machine. A file `MACHINE.yaml` or `MACHINE.software.yaml` in the folder,
/// as a calibration writes them, goes before the shipped profile.
///
/// # Errors
/// A profile cannot be loaded.
pub(crate) fn of_points(points: &[Point], folder: Option<&Path>) -> Result<BTreeMap<String, Profiles>, Error> {
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such folder");
        return Err(Error::File { path: folder.to_owned(), source });
    }
    let mut profiles = BTreeMap::new();
    for point in points {
        if !profiles.contains_key(&point.machine) {
            let in_folder = |ending: &str, shipped: &str| {
                let file = folder.map(|folder| folder.join(format!("{}{ending}", point.machine)));
                let file = file.filter(|file| file.exists());
                file.map_or_else(|| shipped.to_owned(), |file| file.to_string_lossy().into_owned())
            };
            let machine = in_folder(".yaml", &point.machine);
            let software = in_folder(".software.yaml", &point.software);
            profiles.insert(point.machine.clone(), Profiles::load(&machine, &software)?);
        }
    }
    Ok(profiles)
}

/// A machine's profile and that of the software on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profiles {
    /// The machine.
    pub machine: machine::Profile,
    /// What code costs on it.
    pub software: software::Profile,
}

impl Profiles {
    /// Loads shipped profiles, or those in files.
    ///
    /// # Errors
    /// There are no such profiles, or something in them is wrong.
    pub fn load(machine: &str, software: &str) -> Result<Self, Error> {
        let failed =
            |name: &str, error: machine::Error| Error::Profile { machine: name.to_owned(), message: error.to_string() };
        Ok(Self {
            machine: machine::Profile::load(machine).map_err(|error| failed(machine, error))?,
            software: software::Profile::load(software).map_err(|error| failed(software, error))?,
        })
    }

    /// How many parameters of the two were fitted by a calibration.
    pub fn fitted(&self) -> usize {
        self.machine.calibration.as_ref().map_or(0, |calibration| calibration.fitted.len())
    }

    /// Gives the parameters the values of a fit, and keeps in the machine's profile the command that made it.
    ///
    /// # Errors
    /// The fit is not one of these profiles.
    pub fn apply(&mut self, fit: &Fit, command: &str) -> Result<(), Error> {
        for fitted in &fit.parameters {
            self.set(&fitted.parameter.path, fitted.value)?;
            if let Some(source) = self.source_mut(&fitted.parameter.path) {
                let before = source.strip_prefix(FITTED).unwrap_or(source);
                *source = format!("{FITTED}{before}");
            }
        }
        let fitted = fit.parameters.iter().map(|fitted| fitted.parameter.path.clone()).collect();
        self.machine.calibration = Some(machine::Calibration { command: command.to_owned(), fitted });
        Ok(())
    }

    /// What the simulator takes.
    ///
    /// # Errors
    /// The profile does not hold together.
    pub fn to_machine(&self) -> Result<Machine, Error> {
        let model = self.machine.to_model().map_err(|error| self.failed(&error))?;
        Ok(Machine { model, software: self.software.costs() })
    }

    fn set(&mut self, path: &str, value: f64) -> Result<(), Error> {
        let result = if is_software(path) { self.software.set(path, value) } else { self.machine.set(path, value) };
        result.map_err(|error| self.failed(&error))
    }

    /// Where a parameter comes from.
    fn source_mut(&mut self, path: &str) -> Option<&mut String> {
        let (section, key) = path.split_once('.')?;
        let machine = &mut self.machine;
        let (section, key) = match section {
            "operations" => (&mut self.software.operations, key),
            "core" => (&mut machine.core, key),
            "coherence" => (&mut machine.coherence, key),
            "transfer" => (&mut machine.transfer, key),
            _ => {
                let (kind, key) = key.split_once('.')?;
                (machine.kinds.get_mut(kind)?, key)
            }
        };
        section.get_mut(key).map(|parameter| &mut parameter.source)
    }

    fn failed(&self, error: &machine::Error) -> Error {
        Error::Profile { machine: self.machine.name.clone(), message: error.to_string() }
    }
}

impl Tunable for Profiles {
    fn parameters(&self) -> Vec<Parameter> {
        let entries = self.machine.parameters().into_iter().chain(self.software.parameters());
        let parameter = |entry: machine::ParameterEntry| Parameter {
            path: entry.path,
            value: entry.value,
            lo: entry.range.0,
            hi: entry.range.1,
        };
        entries.map(parameter).filter(|parameter| parameter.lo < parameter.hi).collect()
    }

    fn machine(&self, changes: &[(&str, f64)]) -> Result<Machine, Error> {
        let mut changed = self.clone();
        for (path, value) in changes {
            changed.set(path, *value)?;
        }
        changed.to_machine()
    }

    fn fingerprint(&self) -> String {
        self.machine.to_yaml() + &self.software.to_yaml()
    }
}
