//! `coretwin validate`: measured beside simulated.

use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use validation::Error;
use validation::validate::{Options, Progress};

use crate::output::{Failure, print};

/// Hold the simulator against measurements.
///
/// Without a name, the sets are listed. Simulated are the stored, calibrated profiles; nothing is fitted, except for
/// `this-host`, which measures the host, fits a profile of it to half of the points and predicts the other half.
#[derive(Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Arguments {
    /// The set; without it, the sets are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print the cells and their summary as one JSON document, and nothing else, on stdout
    #[arg(long)]
    json: bool,
    /// Simulate every cell with so many seeds
    #[arg(long, value_name = "N", default_value_t = Options::default().seeds,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// Use the profiles in this folder, as `coretwin calibrate` writes them, instead of the shipped ones of that name
    #[arg(long, value_name = "FOLDER")]
    profiles: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Some(name) = &arguments.name else {
        let sets = validation::sets();
        let text = if arguments.json {
            let names: Vec<&str> = sets.iter().map(|(name, _)| *name).collect();
            serde_json::json!({ "sets": names }).to_string() + "\n"
        } else {
            let lines = sets.iter().map(|(name, about)| format!("  {name:<14} {about}\n"));
            "Validation sets (coretwin validate NAME):\n".to_owned() + &lines.collect::<String>()
        };
        return print(&text);
    };
    let options = Options { seeds: arguments.seeds, profiles: arguments.profiles.clone() };
    let report = with_progress(|listener| validation::validate(name, &options, listener))?;
    let text = if arguments.json {
        let json = serde_json::to_string_pretty(&report);
        json.map_err(|error| Failure::Failed(format!("error: {error}")))? + "\n"
    } else {
        report.to_string()
    };
    print(&text)
}

/// Does something long behind a progress bar, which draws nothing unless stderr is a terminal.
pub fn with_progress<R>(job: impl FnOnce(&(dyn Fn(Progress) + Sync)) -> Result<R, Error>) -> Result<R, Failure> {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} ({eta})");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let result = job(&|progress| {
        let (done, total) = match progress {
            Progress::Simulated { done, total } => {
                bar.set_message("simulating");
                (done, total)
            }
            Progress::Evaluated { machine, done, total, best } => {
                bar.set_message(format!("fitting {machine}: {best:.4}"));
                (done, total)
            }
            Progress::Measured { done, total } => {
                bar.set_message("measuring");
                (done, total)
            }
        };
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    result.map_err(|error| failure(&error))
}

/// What the user got wrong is told apart from what went wrong.
fn failure(error: &Error) -> Failure {
    let message = format!("error: {error}");
    match error {
        Error::UnknownSet { .. } | Error::Profile { .. } | Error::Calibration(_) | Error::File { .. } => {
            Failure::BadInput(message)
        }
        _ => Failure::Failed(message),
    }
}
