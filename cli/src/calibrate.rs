//! `coretwin calibrate`: fits profile parameters to measurements.

use std::path::PathBuf;

use clap::Args;
use validation::calibrate::search::Budget;
use validation::calibrate::{Options, Request};

use crate::output::{Failure, print};
use crate::validate::with_progress;

/// Fit profile parameters to the cells of validation sets that are marked for it.
///
/// Parameters move only inside the ranges that their sources give them. The command says what it fitted, on which
/// cells, and which parameters ended at a bound; the profile keeps the command. A calibration that was stopped goes on
/// where it was when the same command is given again.
#[derive(Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Arguments {
    /// The sets (see `coretwin validate`)
    #[arg(required = true, value_name = "SET")]
    sets: Vec<String>,
    /// A parameter to fit, such as core.reorder-window or operations.ring-burst; `transfer.*` names all that begin so.
    /// May be given many times; without it, those that the sets name are fitted
    #[arg(long, value_name = "PARAM", num_args = 1..)]
    fit: Vec<String>,
    /// The profile to write. If the sets have several machines, a folder with a profile for each
    #[arg(short, long, value_name = "PROFILE")]
    output: PathBuf,
    /// Only this machine of those that the sets have
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Begin with the profiles in this folder instead of the shipped ones of that name
    #[arg(long, value_name = "FOLDER")]
    profiles: Option<PathBuf>,
    /// Try about so many candidates for each machine
    #[arg(long, value_name = "N", default_value_t = Options::default().budget.evaluations)]
    evaluations: u64,
    /// Simulate every cell with so many seeds
    #[arg(long, value_name = "N", default_value_t = Options::default().seeds,
        value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: u32,
    /// Seed of the search
    #[arg(long, value_name = "N", default_value_t = Options::default().search_seed)]
    search_seed: u64,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let request = Request {
        sets: arguments.sets.clone(),
        fit: arguments.fit.clone(),
        machine: arguments.machine.clone(),
        profiles: arguments.profiles.clone(),
        output: arguments.output.clone(),
        command: command(arguments),
        options: Options {
            seeds: arguments.seeds,
            search_seed: arguments.search_seed,
            budget: Budget { evaluations: arguments.evaluations, until: None },
        },
    };
    let calibrated = with_progress(|listener| validation::calibrate(&request, listener))?;
    let mut text = String::new();
    if calibrated.known_before > 0 {
        text += &format!("Took over {} evaluations of a run that was stopped.\n", calibrated.known_before);
    }
    for fit in &calibrated.fits {
        text += &fit.to_string();
    }
    for file in &calibrated.files {
        text += &format!("Wrote {}.\n", file.display());
    }
    print(&text)
}

/// The command that does the same again, whatever the defaults will be by then.
fn command(arguments: &Arguments) -> String {
    let mut words = vec!["coretwin calibrate".to_owned()];
    words.extend(arguments.sets.iter().cloned());
    if !arguments.fit.is_empty() {
        words.push(format!("--fit {}", arguments.fit.join(" ")));
    }
    words.extend(arguments.machine.iter().map(|machine| format!("--machine {machine}")));
    words.extend(arguments.profiles.iter().map(|folder| format!("--profiles {}", folder.display())));
    words.push(format!("--evaluations {}", arguments.evaluations));
    words.push(format!("--seeds {} --search-seed {}", arguments.seeds, arguments.search_seed));
    words.push(format!("-o {}", arguments.output.display()));
    words.join(" ")
}
