//! How fast a simulation ran on this host: the only figures that differ from host to host.

use std::time::Duration;

use scenarios::Report;
use serde_json::{Map, Value, json};

/// The document of `--timing`.
pub fn document(report: &Report, wall: Duration) -> String {
    let seconds = wall.as_secs_f64().max(1e-9);
    let runs = report.runs.len() as u64;
    let simulated_ps = (report.warm_up_ps + report.duration_ps) * runs;
    let sum = |count: fn(&scenarios::RunReport) -> u64| report.runs.iter().map(count).sum::<u64>() as f64;
    let mut figures = Map::new();
    if report.operation == "item" {
        figures.insert("items_per_wall_second".into(), json!(sum(|run| run.left) / seconds));
    }
    figures.insert("operations_per_wall_second".into(), json!(sum(|run| run.operations) / seconds));
    figures.insert("accesses_per_wall_second".into(), json!(sum(|run| run.accesses) / seconds));
    figures.insert("real_time_factor".into(), json!(simulated_ps as f64 / 1e12 / seconds));
    figures.insert("wall_seconds".into(), json!(seconds));
    figures.insert("runs".into(), json!(runs));
    format!("{:#}\n", Value::Object(figures))
}
