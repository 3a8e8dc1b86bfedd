//! Scenario files: loading, checking, building, running, reporting.
//!
//! A scenario is one YAML document: a machine, a dataplane, a layout of threads on CPUs, and what to measure. What is
//! left out has a default, and the report says which defaults were taken. A file is checked as a whole before
//! anything runs; each complaint names the file, the line, the field's path, and what would be right.
//!
//! ```no_run
//! use scenarios::{Change, Scenario};
//!
//! let changes = [Change::set("dataplane.burst=8")?];
//! let scenario = Scenario::load("ring-mpmc-16", &changes)?;
//! let report = scenarios::run(&scenario, &|_| {})?;
//! println!("{:.0} items/s", report.rate.mean);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod benchmark;
mod change;
mod checker;
mod cpu_list;
mod diagnostic;
mod document;
mod fields;
mod file;
mod layout;
mod library;
mod profiles;
pub mod report;
mod run;
mod scenario;
mod statistics;

pub use change::Change;
pub use checker::Setting;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use library::{LIBRARY, Shipped};
pub use models::microbenchmark::Error;
pub use models::{machine, software};
pub use report::{Report, RunReport};
pub use run::{Progress, run};
pub use scenario::Scenario;
pub use statistics::Estimate;
