//! `coretwin check`: are these scenarios right?

use clap::Args;
use scenarios::Scenario;

use crate::output::{Failure, print};

/// Check scenario files without running them.
///
/// Every file is checked, and every complaint about it shown. Exit code 2 if there are any.
#[derive(Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Arguments {
    /// Scenario files, or names of shipped scenarios
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut complaints = Vec::new();
    for file in &arguments.files {
        match Scenario::load(file, &[]) {
            Ok(scenario) => print(&format!("{file}: fine, {} threads\n", scenario.placement.len()))?,
            Err(diagnostics) => complaints.push(diagnostics.to_string()),
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(Failure::BadInput(complaints.join("\n"))) }
}
