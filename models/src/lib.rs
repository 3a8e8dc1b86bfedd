//! Hardware models and the systems built from them and the dataplane code.

pub mod machine;
pub mod microbenchmark;
pub mod quantity;
pub mod sim_platform;
pub mod software;
