//! The `coretwin` command. Each subcommand is a module with its arguments and a function that runs it.

mod calibrate;
mod check;
mod list;
mod machine;
mod machine_measure;
mod output;
mod run;
mod timing;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A digital twin of multicore dataplanes: runs real ring, lock and queue code on simulated machines.
#[derive(Parser)]
#[command(name = "coretwin", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  all is well
  1  a run failed, or a result is outside what was asked for
  2  bad input: arguments, or a file that is missing or wrong";

#[derive(Subcommand)]
enum Command {
    Run(run::Arguments),
    Check(check::Arguments),
    List(list::Arguments),
    Machine(machine::Arguments),
    Validate(validate::Arguments),
    Calibrate(calibrate::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Machine(arguments) => machine::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Calibrate(arguments) => calibrate::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}
