//! The `machine` and `software` fields: names of profiles, or files with profiles.

use std::collections::BTreeMap;
use std::path::Path;

use models::machine::{Error, Profile};
use models::software;
use sim_core::{MachineModel, Time};

use crate::checker::{Checker, Complaint};

/// The software profile that is taken when a scenario names none.
const SOFTWARE_DEFAULT: &str = "microbenchmarks";

/// A machine with its name.
pub(crate) type Machine = (String, MachineModel);
/// What one unit of each named operation costs, with the profile's name.
pub(crate) type Software = (String, BTreeMap<String, Time>);

/// Reads `machine`. Profiles in files are looked for from `folder`.
pub(crate) fn machine(checker: &mut Checker<'_>, folder: &Path) -> Option<Machine> {
    let load = |name: &str| {
        let profile = Profile::load(&located(name, folder)).map_err(complaint)?;
        Ok((profile.name.clone(), profile.to_model().map_err(complaint)?))
    };
    checker.value("machine", None, "the name of a machine, such as `server-16`", load, |(name, _)| name.clone())
}

/// Reads `software`. Profiles in files are looked for from `folder`.
pub(crate) fn software(checker: &mut Checker<'_>, folder: &Path) -> Option<Software> {
    let load = |name: &str| {
        let profile = software::Profile::load(&located(name, folder)).map_err(complaint)?;
        let costs = profile.costs();
        Ok((profile.name, costs))
    };
    let expected = "the name of a software profile";
    checker.value("software", Some(SOFTWARE_DEFAULT), expected, load, |(name, _)| name.clone())
}

/// The name of a profile as it is, or a file's path from the current folder.
fn located(name: &str, folder: &Path) -> String {
    let is_file = name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml");
    if is_file { folder.join(name).to_string_lossy().into_owned() } else { name.into() }
}

fn complaint(error: Error) -> Complaint {
    match error {
        Error::UnknownProfile { name, help } => {
            Complaint::new(format!("is `{name}`, which is not the name of a profile"), help)
        }
        Error::Unreadable { file, why } => {
            let help = "name a profile (see `coretwin list`) or a file, from the scenario's folder";
            Complaint::new(format!("names the file {file}, which cannot be read: {why}"), help)
        }
        Error::Invalid(inner) => {
            let help = inner.help.clone();
            let wrong = models::machine::Complaint { help: String::new(), ..inner };
            Complaint::new(format!("has a profile that is wrong: {wrong}"), help)
        }
    }
}
