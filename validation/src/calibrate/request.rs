//! From the names of sets to calibrated profiles in files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::journal::Journal;
use super::{Fit, Options, Task, Tunable};
use crate::error::Error;
use crate::profile::{self, Profiles};
use crate::set::{Point, Set, find};
use crate::simulate::{Engine, Simulator};
use crate::validate::Listener;

/// What to calibrate, and where to put it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Names of the sets on whose cells to fit.
    pub sets: Vec<String>,
    /// Paths of the parameters to fit, with a `*` at the end for any ending; without any, those that the sets name.
    pub fit: Vec<String>,
    /// Only this machine, of those that the sets have.
    pub machine: Option<String>,
    /// A folder with profiles to begin with; those that are not there are the shipped ones.
    pub profiles: Option<PathBuf>,
    /// The profile to write; a folder of profiles if several machines are calibrated.
    pub output: PathBuf,
    /// The command, for the profile to keep.
    pub command: String,
    /// How to calibrate.
    pub options: Options,
}

/// What a calibration did.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    /// One for each machine.
    pub fits: Vec<Fit>,
    /// The profiles written.
    pub files: Vec<PathBuf>,
    /// Evaluations that a journal of an earlier run knew.
    pub known_before: usize,
}

/// Fits the parameters of every machine of the sets, and writes the profiles. While it runs, evaluations are kept in
/// a journal beside the output; if it is killed, the same request goes on from there.
///
/// # Errors
/// A set or a parameter is unknown, a profile is wrong, or a file cannot be written.
pub fn calibrate(request: &Request, listener: Listener<'_>) -> Result<Calibrated, Error> {
    calibrate_on(&Engine, request, listener)
}

/// The same with something that stands in for the simulator.
pub(crate) fn calibrate_on(
    simulator: &dyn Simulator,
    request: &Request,
    listener: Listener<'_>,
) -> Result<Calibrated, Error> {
    let sets = request.sets.iter().map(|name| find(name)).collect::<Result<Vec<&dyn Set>, Error>>()?;
    let machines = points_by_machine(&sets, request.machine.as_deref())?;
    let several = machines.len() > 1;
    if several {
        fs::create_dir_all(&request.output).map_err(|error| file_error(&request.output, error))?;
    }
    let journal_path = journal_path(&request.output);
    let journal = Journal::open(&journal_path).map_err(|error| file_error(&journal_path, error))?;
    let known_before = journal.known();
    let mut calibrated = Calibrated { fits: Vec::new(), files: Vec::new(), known_before };
    for (name, points) in machines {
        let output = if several { request.output.join(format!("{name}.yaml")) } else { request.output.clone() };
        let run = Run { simulator, request, sets: &sets, journal: &journal, listener };
        match run.machine(&name, &points, &output) {
            Ok((fit, files)) => {
                calibrated.files.extend(files);
                calibrated.fits.push(fit);
            }
            Err(error) if journal.known() == 0 => {
                // The journal would help nobody; what went wrong matters more than that it cannot be deleted.
                let _ = journal.finish();
                return Err(error);
            }
            Err(error) => return Err(error),
        }
    }
    journal.finish().map_err(|error| file_error(&journal_path, error))?;
    Ok(calibrated)
}

/// What the calibrations of all machines share.
struct Run<'a> {
    simulator: &'a dyn Simulator,
    request: &'a Request,
    sets: &'a [&'a dyn Set],
    journal: &'a Journal,
    listener: Listener<'a>,
}

impl Run<'_> {
    /// Calibrates one machine and writes its profile.
    fn machine(&self, name: &str, points: &[Point], output: &Path) -> Result<(Fit, Vec<PathBuf>), Error> {
        let request = self.request;
        let mut profiles = profile::of_points(points, request.profiles.as_deref())?
            .remove(name)
            .ok_or_else(|| Error::Calibration(format!("machine {name} has no cells")))?;
        let fit = wanted(request, self.sets, &profiles);
        let task = Task { machine: name, profile: &profiles, fit: &fit, points };
        let fit = task.run(self.simulator, request.options, Some(self.journal), self.listener)?;
        profiles.apply(&fit, &request.command)?;
        let files = write(&profiles, &fit, output)?;
        Ok((fit, files))
    }
}

fn points_by_machine(sets: &[&dyn Set], only: Option<&str>) -> Result<BTreeMap<String, Vec<Point>>, Error> {
    let mut machines = BTreeMap::<String, Vec<Point>>::new();
    for set in sets {
        for point in set.points()? {
            machines.entry(point.machine.clone()).or_default().push(point);
        }
    }
    let Some(only) = only else { return Ok(machines) };
    match machines.remove_entry(only) {
        Some(entry) => Ok(BTreeMap::from([entry])),
        None => {
            let names: Vec<&str> = machines.keys().map(String::as_str).collect();
            let message = format!("the sets have no machine {only:?}; they have {}", names.join(", "));
            Err(Error::Calibration(message))
        }
    }
}

/// The paths asked for, or those that the sets name and the profile has.
fn wanted(request: &Request, sets: &[&dyn Set], profiles: &Profiles) -> Vec<String> {
    if !request.fit.is_empty() {
        return request.fit.clone();
    }
    let known = profiles.parameters();
    let named = sets.iter().flat_map(|set| set.parameters().iter().copied());
    let has = |path: &&str| known.iter().any(|parameter| super::matches(path, &parameter.path));
    named.filter(has).map(str::to_owned).collect()
}

/// Writes the machine's profile, and beside it the software's if that was fitted as well.
fn write(profiles: &Profiles, fit: &Fit, output: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = vec![output.to_owned()];
    write_atomically(output, &profiles.machine.to_yaml())?;
    if fit.parameters.iter().any(|fitted| profile::is_software(&fitted.parameter.path)) {
        let beside = output.with_extension("software.yaml");
        write_atomically(&beside, &profiles.software.to_yaml())?;
        files.push(beside);
    }
    Ok(files)
}

/// Writes a file so that it is there whole or not at all.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write_atomically(path: &Path, text: &str) -> Result<(), Error> {
    let partial = path.with_extension("partial");
    let written = fs::write(&partial, text).and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| file_error(path, error))
}

fn journal_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

fn file_error(path: &Path, source: std::io::Error) -> Error {
    Error::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::search::Budget;
    use crate::testing::Linear;
    use models::machine;

    fn request(output: &Path) -> Request {
        Request {
            sets: vec!["contention".into()],
            fit: vec!["core.locked".into(), "transfer.same-llc".into()],
            machine: Some("skylake-client-4".into()),
            profiles: None,
            output: output.to_owned(),
            command: "coretwin calibrate contention".into(),
            options: Options { budget: Budget { evaluations: 40, until: None }, ..Options::default() },
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("coretwin-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_profile_keeps_the_command_and_the_journal_is_gone() {
        let folder = folder("request");
        let output = folder.join("mine.yaml");
        let calibrated = calibrate_on(&Linear::default(), &request(&output), &|_| ()).unwrap();
        assert_eq!(calibrated.files, std::slice::from_ref(&output));
        let profile = machine::Profile::load(output.to_str().unwrap()).unwrap();
        let calibration = profile.calibration.unwrap();
        assert_eq!(calibration.command, "coretwin calibrate contention");
        assert_eq!(calibration.fitted, ["core.locked", "transfer.same-llc"]);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(left, ["mine.yaml"]);
    }

    #[test]
    fn each_machine_of_several_gets_a_file_and_fitted_software_one_beside_it() {
        let folder = folder("requests");
        let all = Request {
            machine: None,
            fit: vec!["core.locked".into(), "operations.lock-call".into()],
            ..request(&folder.join("out"))
        };
        let calibrated = calibrate_on(&Linear::default(), &all, &|_| ()).unwrap();
        let names: Vec<_> = calibrated.files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        let machines: Vec<&str> = calibrated.fits.iter().map(|fit| fit.machine.as_str()).collect();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(machines, ["graviton1-16", "skylake-client-4"]);
        let files = [
            "graviton1-16.yaml",
            "graviton1-16.software.yaml",
            "skylake-client-4.yaml",
            "skylake-client-4.software.yaml",
        ];
        assert_eq!(names, files);
    }

    #[test]
    fn a_calibration_that_cannot_begin_leaves_nothing_behind() {
        let folder = folder("request-fails");
        let wrong = Request { fit: vec!["core.lokced".into()], ..request(&folder.join("mine.yaml")) };
        let result = calibrate_on(&Linear::default(), &wrong, &|_| ());
        let left = fs::read_dir(&folder).unwrap().count();
        fs::remove_dir_all(&folder).unwrap();
        assert!(matches!(result, Err(Error::Calibration(_))), "{result:?}");
        assert_eq!(left, 0);
    }

    #[test]
    fn sets_and_machines_must_exist() {
        let output = Path::new("never-written.yaml");
        let unknown = Request { sets: vec!["contenton".into()], ..request(output) };
        assert!(matches!(calibrate_on(&Linear::default(), &unknown, &|_| ()), Err(Error::UnknownSet { .. })));
        let elsewhere = Request { machine: Some("cray-1".into()), ..request(output) };
        let error = calibrate_on(&Linear::default(), &elsewhere, &|_| ()).unwrap_err().to_string();
        assert!(error.contains("\"cray-1\"") && error.contains("skylake-client-4"), "{error}");
    }
}
