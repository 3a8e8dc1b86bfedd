//! `coretwin run`: runs a scenario and reports what it showed.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use scenarios::{Change, Progress, Report, Scenario};

use crate::output::{Failure, check_writable, print, write_whole};
use crate::timing;

/// Run a scenario and report rates, cycle accounting, and the hottest lines and locks.
///
/// Progress is shown on stderr if that is a terminal. The report is the same, byte for byte, for the same scenario,
/// seed and version, on any host.
#[derive(Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Arguments {
    /// A scenario file, or the name of a shipped scenario (see `coretwin list`)
    #[arg(value_name = "FILE")]
    file: String,
    /// Seed of the first run: short for --set measure.seed=N
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    seed: Option<String>,
    /// Simulated time to measure, such as "2 ms": short for --set measure.duration=T
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Give a field another value: --set dataplane.burst=8; may be given many times
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Print the report as one JSON document, and nothing else, on stdout
    #[arg(long)]
    json: bool,
    /// Write how fast the simulation ran, as JSON, to this file
    #[arg(long, value_name = "FILE")]
    timing: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let scenario = load(arguments)?;
    if let Some(path) = &arguments.timing {
        check_writable(path)?;
    }
    let start = Instant::now();
    let report = with_progress(&scenario)?;
    let wall = start.elapsed();
    if let Some(path) = &arguments.timing {
        write_whole(path, &timing::document(&report, wall))?;
    }
    let text = if arguments.json {
        report.to_json().map_err(|error| Failure::Failed(format!("error: {error}")))?
    } else {
        report.to_string()
    };
    print(&text)?;
    if report.balanced {
        Ok(())
    } else {
        Err(Failure::Failed("error: the books do not balance; please report this with the scenario and seed".into()))
    }
}

/// The scenario with all changes; those of `--set` first, so that `--seed` and `--duration` win.
fn load(arguments: &Arguments) -> Result<Scenario, Failure> {
    let mut changes = Vec::new();
    let mut complaints = Vec::new();
    for assignment in &arguments.set {
        match Change::set(assignment) {
            Ok(change) => changes.push(change),
            Err(diagnostics) => complaints.push(diagnostics.to_string()),
        }
    }
    if !complaints.is_empty() {
        return Err(Failure::BadInput(complaints.join("\n")));
    }
    for (argument, path, value) in
        [("--seed", "measure.seed", &arguments.seed), ("--duration", "measure.duration", &arguments.duration)]
    {
        if let Some(value) = value {
            changes.push(Change::from_argument(&format!("{argument} {value}"), path, value));
        }
    }
    Scenario::load(&arguments.file, &changes).map_err(|diagnostics| Failure::BadInput(diagnostics.to_string()))
}

/// Runs the scenario behind a progress bar, which draws nothing unless stderr is a terminal.
fn with_progress(scenario: &Scenario) -> Result<Report, Failure> {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {percent} % ({eta})");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(scenario.name.clone());
    let report = scenarios::run(scenario, &|progress: Progress| {
        bar.set_length(progress.all.as_ps() / 1_000);
        bar.set_position(progress.done.as_ps() / 1_000);
    });
    bar.finish_and_clear();
    report.map_err(|error| Failure::Failed(format!("error: {}: {error}", scenario.name)))
}
