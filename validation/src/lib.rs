//! Published and native measurements: comparison and calibration.
//!
//! A [`Set`] is a collection of measured figures, kept as data files with their source and conditions. Each
//! figure comes with an experiment, a microbenchmark on a named machine profile, that simulates it. [`validate`]
//! runs the experiments with several seeds and reports measured beside simulated figures, and beside the set's
//! error that of a null model. [`calibrate`] moves named parameters of a profile within their ranges until the
//! figures that the data marks for fitting are met as well as may be; it never looks at the others.

pub mod calibrate;
pub mod cell;
mod error;
pub mod experiment;
pub mod native;
pub mod placement;
mod profile;
pub mod report;
pub mod set;
pub mod simulate;
pub mod statistics;
#[cfg(test)]
mod testing;
pub mod validate;

pub use error::Error;
pub use profile::Profiles;
