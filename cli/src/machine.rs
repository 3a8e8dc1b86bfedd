//! `coretwin machine`: what is known about machines.

use clap::{Args, Subcommand};
use scenarios::machine::{ParameterEntry, Profile, Value};

use crate::machine_measure;
use crate::output::{Failure, print};

/// Show machine profiles, or measure one.
#[derive(Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show a machine's parameters with their values, ranges and sources
    Show {
        /// The name of a machine that comes with CoreTwin (see `coretwin list`), or a profile's file
        name: String,
    },
    Measure(machine_measure::Arguments),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Show { name } => show(name),
        Command::Measure(arguments) => machine_measure::run(arguments),
    }
}

fn show(name: &str) -> Result<(), Failure> {
    let bad = |error: scenarios::machine::Error| Failure::BadInput(format!("error: {error}"));
    let profile = Profile::load(name).map_err(bad)?;
    let model = profile.to_model().map_err(bad)?;
    let mut text = format!("{}: {}\n", profile.name, profile.summary);
    text += &format!("\n{} CPUs; distances:", model.cpus.len());
    for class in &model.distances {
        text += &format!(" {} {},", class.name, class.latency);
    }
    text.truncate(text.trim_end_matches(',').len());
    text += &format!("\n\n{:<28} {:>10}  {:<22} source\n", "parameter", "value", "range");
    text += &numbers(&profile);
    text += &words(&profile);
    if let Some(calibration) = &profile.calibration {
        text += &format!("\nCalibrated by: {}\nFitted: {}\n", calibration.command, calibration.fitted.join(", "));
    }
    if !profile.sources.is_empty() {
        text += "\nSources:\n";
    }
    for source in &profile.sources {
        text += &format!("  {source}\n");
    }
    print(&text)
}

/// A row for each parameter that is a number.
fn numbers(profile: &Profile) -> String {
    let row = |entry: ParameterEntry| {
        let (value, low, high) = &entry.text;
        let range = format!("{low} to {high}");
        format!("{:<28} {value:>10}  {range:<22} {}\n", entry.path, entry.source)
    };
    profile.parameters().into_iter().map(row).collect()
}

/// A row for each parameter that is one of several words.
fn words(profile: &Profile) -> String {
    let mut text = String::new();
    for (section, parameters) in [("core", &profile.core), ("coherence", &profile.coherence)] {
        for (key, parameter) in parameters {
            if let Value::Word { word, words } = &parameter.value {
                let path = format!("{section}.{key}");
                text += &format!("{path:<28} {word:>10}  {:<22} {}\n", words.join(", "), parameter.source);
            }
        }
    }
    text
}
