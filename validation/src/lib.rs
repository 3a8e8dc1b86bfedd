//! Published and native measurements: comparison and calibration.
//!
//! A [`Set`](set::Set) is a collection of measured figures, kept as data files with their source and conditions. Each
//! figure comes with an experiment, a microbenchmark on a named machine profile, that simulates it. [`validate()`]
//! runs the experiments with several seeds and reports measured beside simulated figures, and beside the set's
//! error that of a null model. [`calibrate()`] moves named parameters of a profile within their ranges until the
//! figures that the data marks for fitting are met as well as may be; it never looks at the others.

pub mod calibrate;
pub mod cell;
mod error;
pub mod experiment;
pub mod host;
pub mod native;
pub mod placement;
mod profile;
pub mod report;
pub mod set;
pub mod simulate;
pub mod statistics;
#[cfg(test)]
mod testing;
pub mod this_host;
pub mod validate;

pub use calibrate::calibrate;
pub use error::Error;
pub use profile::Profiles;

use set::stored;
use validate::{Listener, Options};

/// What there is to validate: name and one line about it.
pub fn sets() -> Vec<(&'static str, &'static str)> {
    let stored = stored().into_iter().map(|set| (set.name(), set.about()));
    stored.chain([(this_host::NAME, this_host::ABOUT)]).collect()
}

/// Simulates a set and holds it against its measurements, with the profiles as they are stored: nothing is fitted,
/// except for `this-host`, which measures the host and fits a profile of it to half of the points.
///
/// # Errors
/// There is no such set, its measurements or profiles are not as they should be, or a simulation failed.
pub fn validate(name: &str, options: &Options, listener: Listener<'_>) -> Result<report::Report, Error> {
    if name == this_host::NAME {
        return this_host::validate(options, listener);
    }
    validate::validate_set(set::find(name)?, &simulate::Engine, options, listener)
}
