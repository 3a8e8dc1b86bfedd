//! `coretwin machine measure`: a profile of the host.

use std::path::PathBuf;

use clap::Args;
use validation::Error;
use validation::host::{self, HostProfile};
use validation::native::{self, Figure, OperationFigure};
use validation::validate::Progress;

use crate::output::{Failure, check_writable, print, write_whole};
use crate::validate::with_progress;

/// Measure this host and write a machine profile of it.
///
/// Measured are loads, stores, fences and locked operations of one core, the latency and throughput of lines that pass
/// between pairs of CPUs at every distance, and the dataplane code on one thread. All else is taken from a general
/// profile. What code costs is written beside the profile, as NAME.software.yaml. Leave the host alone meanwhile.
#[derive(Args)]
#[command(after_help = crate::EXIT_CODES)]
pub struct Arguments {
    /// The profile to write
    #[arg(short, long, value_name = "PROFILE")]
    output: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_writable(&arguments.output)?;
    let beside = arguments.output.with_extension("software.yaml");
    let name = arguments.output.file_stem().map_or("this-host".into(), |stem| stem.to_string_lossy());
    let (measured, operations) = with_progress(|listener| {
        let cpus = host::allowed()?;
        let measured = host::measure(&name, &cpus, None, &|done, total| listener(Progress::Measured { done, total }))?;
        let operations = native::measure_operations(cpus[0].number);
        Ok((measured, operations.map_err(|error| Error::Host(error.to_string()))?))
    })?;
    write_whole(&arguments.output, &measured.profiles.machine.to_yaml())?;
    write_whole(&beside, &measured.profiles.software.to_yaml())?;
    let files = format!("\nWrote {} and {}.\n", arguments.output.display(), beside.display());
    print(&(table(&measured, &operations) + &files))
}

/// What was measured, for people.
fn table(measured: &HostProfile, operations: &[OperationFigure]) -> String {
    let core = &measured.core;
    let mut text = row("on one core", "median", "p10..p90");
    for (name, figure) in [
        ("dependent load, hit", core.hit),
        ("load", core.load),
        ("store", core.store),
        ("locked addition", core.locked_add),
        ("compare-exchange", core.compare_exchange),
        ("fence", core.fence),
        ("store and fence", core.store_and_fence),
        ("spin hint", core.spin_hint),
        ("iteration of private work", core.work_iteration),
    ] {
        text += &figures(name, figure);
    }
    for (distance, [one, other], lines) in &measured.lines {
        text +=
            &format!("\n{}\n", row(&format!("lines, {}, CPUs {one} and {other}", distance.key()), "", "").trim_end());
        for (name, figure) in [
            ("dependent load", lines.dependent_load),
            ("load", lines.load),
            ("store", lines.store),
            ("locked addition", lines.locked_add),
            ("dependent locked addition", lines.dependent_locked_add),
            ("hand-off by compare-exchange", lines.hand_off),
        ] {
            text += &figures(name, figure);
        }
    }
    text += "\ndataplane code on one thread, per operation\n";
    text.extend(operations.iter().map(|operation| figures(&operation.name, operation.time_ns)));
    text
}

fn figures(name: &str, figure: Figure) -> String {
    row(name, &format!("{:.2} ns", figure.median), &format!("{:.2}..{:.2}", figure.p10, figure.p90))
}

fn row(name: &str, median: &str, spread: &str) -> String {
    format!("{name:<40} {median:>12} {spread:>18}\n")
}
