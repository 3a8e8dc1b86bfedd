//! The validation sets: measurements, and the experiments that stand for them.

mod contention;
mod core_to_core;
mod ring_ops;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::cell::{Interval, Kind};
use crate::error::Error;
use crate::experiment::Experiment;
use crate::profile::Profiles;

/// One measured figure and the experiment that simulates it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Names it within its set.
    pub id: String,
    /// Unit of the figures.
    pub unit: String,
    /// How they are compared.
    pub kind: Kind,
    /// What was measured.
    pub measured: Interval,
    /// The greatest error that counts as right.
    pub tolerance: f64,
    /// Whether parameters may be fitted on it. Stands in the data, not in the code.
    pub fit: bool,
    /// The machine profile it is simulated on.
    pub machine: String,
    /// The software profile that goes with it.
    pub software: String,
    /// What yields the simulated figure.
    pub experiment: Experiment,
    /// What the set's null model says, if it can say anything.
    pub baseline: Option<f64>,
    /// What there is to say about it.
    pub note: String,
}

/// Where a file of measurements comes from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Provenance {
    /// Publication, repository and commit.
    pub source: String,
    /// Under which terms the figures may be used.
    pub licence: String,
    /// What was measured on.
    pub hardware: String,
    /// How it was measured.
    pub conditions: String,
    /// What the ends of the intervals are.
    pub interval: String,
    /// Which published figures are not used, and why.
    pub left_out: String,
}

/// Measurements of one kind, with the machines and experiments that stand for them.
pub trait Set: Sync {
    /// Names it on the command line.
    fn name(&self) -> &'static str;

    /// What it holds the simulator against, in a line.
    fn about(&self) -> &'static str;

    /// The null model that the simulator has to beat, in a few words.
    fn null_model(&self) -> &'static str;

    /// Where the measurements come from, one for each file.
    ///
    /// # Errors
    /// A file of measurements is not as it should be.
    fn provenance(&self) -> Result<Vec<Provenance>, Error>;

    /// The figures.
    ///
    /// # Errors
    /// A file of measurements is not as it should be.
    fn points(&self) -> Result<Vec<Point>, Error>;

    /// Paths of the profile parameters that a calibration fits unless told otherwise.
    fn parameters(&self) -> &'static [&'static str];

    /// How many parameters of these profiles were fitted on the set's points.
    fn parameters_fitted(&self, _points: &[Point], profiles: &[&Profiles]) -> usize {
        profiles.iter().map(|profiles| profiles.fitted()).sum()
    }
}

/// The software profile of code that is like the dataplane's own.
pub(crate) const MICROBENCHMARKS: &str = "microbenchmarks";

/// All sets that rest on stored measurements.
pub fn stored() -> [&'static dyn Set; 3] {
    [&contention::Contention, &core_to_core::CoreToCore, &ring_ops::RingOps]
}

/// The stored set with this name.
///
/// # Errors
/// There is none.
pub fn find(name: &str) -> Result<&'static dyn Set, Error> {
    let known = || stored().iter().map(|set| set.name()).collect();
    let found = stored().into_iter().find(|set| set.name() == name);
    found.ok_or_else(|| Error::UnknownSet { name: name.to_owned(), known: known() })
}

/// A file of measurements, compiled in: its name, and its text.
type File = (&'static str, &'static str);

fn load<T: DeserializeOwned>((name, text): File) -> Result<T, Error> {
    serde_yaml::from_str(text)
        .map_err(|error| Error::Measurements { file: name.to_owned(), message: error.to_string() })
}
