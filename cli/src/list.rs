//! `coretwin list`: what comes with CoreTwin.

use clap::Args;
use scenarios::{LIBRARY, machine, software};

use crate::output::{Failure, print};

/// List the scenarios, machines and software profiles that come with CoreTwin.
#[derive(Args)]
pub struct Arguments {}

/// Runs the command.
pub fn run(_: &Arguments) -> Result<(), Failure> {
    let broken = |error: machine::Error| Failure::Failed(format!("error: {error}"));
    let scenarios = LIBRARY.iter().map(|shipped| (shipped.name.to_owned(), shipped.summary().to_owned())).collect();
    let machines = machine::Profile::shipped().map_err(broken)?;
    let software = software::Profile::shipped_names()
        .map(|name| software::Profile::load(name).map(|profile| (profile.name, profile.summary)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(broken)?;
    let groups: [(&str, Vec<(String, String)>); 3] = [
        ("Scenarios, for `coretwin run NAME`:", scenarios),
        ("Machines, for `machine: NAME` in a scenario and `coretwin machine show NAME`:", machines),
        ("Software, for `software: NAME` in a scenario:", software),
    ];
    let mut text = String::new();
    for (index, (title, entries)) in groups.into_iter().enumerate() {
        text += &format!("{}{title}\n", if index > 0 { "\n" } else { "" });
        for (name, summary) in entries {
            text += &format!("  {name:<24} {summary}\n");
        }
    }
    print(&text)
}
