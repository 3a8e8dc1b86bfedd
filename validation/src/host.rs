//! A machine profile of the host, from measurements of it.

mod profile;
mod topology;

pub use profile::{HostProfile, PARAMETERS, measure, measured, same_latency};
pub use topology::{Distance, HostCpu, allowed};
