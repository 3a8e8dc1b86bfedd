//! Writing a profile as a document that people like to read.

use std::fmt::Write as _;

use crate::machine::parameter::{Parameter, Value};
use crate::machine::schema::{COHERENCE, CORE, Entry};
use crate::machine::topology::{Level, Topology};
use crate::machine::{Profile, Section};

pub(super) fn profile(profile: &Profile) -> String {
    let mut text = String::new();
    let mut line = |content: String| {
        text.push_str(&content);
        text.push('\n');
    };
    line(format!("name: {}", quoted(&profile.name)));
    line(format!("summary: {}", quoted(&profile.summary)));
    if !profile.sources.is_empty() {
        line("sources:".into());
        profile.sources.iter().for_each(|source| line(format!("  - {}", quoted(source))));
    }
    if let Some(calibration) = &profile.calibration {
        line("calibration:".into());
        line(format!("  command: {}", quoted(&calibration.command)));
        let fitted: Vec<String> = calibration.fitted.iter().map(|path| quoted(path)).collect();
        line(format!("  fitted: [{}]", fitted.join(", ")));
    }
    line(topology(&profile.topology));
    line(format!("core:{}", section(&profile.core, CORE, 2)));
    if !profile.kinds.is_empty() {
        line("kinds:".into());
        for (kind, parameters) in &profile.kinds {
            line(format!("  {}:{}", quoted(kind), section(parameters, CORE, 4)));
        }
    }
    line(format!("coherence:{}", section(&profile.coherence, COHERENCE, 2)));
    line(format!("transfer:{}", section(&profile.transfer, &[], 2)));
    text
}

fn topology(topology: &Topology) -> String {
    let mut text = "topology:".to_owned();
    match topology {
        Topology::Regular(regular) => {
            let numbering: Vec<&str> = regular.numbering.iter().map(|level| level_name(*level)).collect();
            for (key, count) in [
                ("sockets", regular.sockets),
                ("llcs-per-socket", regular.llcs_per_socket),
                ("clusters-per-llc", regular.clusters_per_llc),
                ("cores-per-cluster", regular.cores_per_cluster),
                ("threads-per-core", regular.threads_per_core),
            ] {
                let _ = write!(text, "\n  {key}: {count}");
            }
            let _ = write!(text, "\n  numbering: [{}]", numbering.join(", "));
        }
        Topology::Listed(entries) => {
            text.push_str("\n  cpus:");
            for entry in entries {
                let _ = write!(text, "\n    - {{ cpu: {}, core: {}", entry.cpu, entry.core);
                if let Some(cluster) = entry.cluster {
                    let _ = write!(text, ", cluster: {cluster}");
                }
                let _ = write!(text, ", llc: {}, socket: {}", entry.llc, entry.socket);
                if let Some(kind) = &entry.kind {
                    let _ = write!(text, ", kind: {}", quoted(kind));
                }
                text.push_str(" }");
            }
        }
    }
    text
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Thread => "thread",
        Level::Core => "core",
        Level::Cluster => "cluster",
        Level::Llc => "llc",
        Level::Socket => "socket",
    }
}

/// A section's parameters, one a line: first those that the schema names, in its order.
fn section(section: &Section, schema: &[Entry], indent: usize) -> String {
    if section.is_empty() {
        return " {}".to_owned();
    }
    let in_schema = schema.iter().filter_map(|entry| section.get_key_value(entry.key));
    let others = section.iter().filter(|(key, _)| schema.iter().all(|entry| entry.key != key.as_str()));
    let lines = in_schema
        .chain(others)
        .map(|(key, parameter)| format!("\n{:indent$}{key}: {}", "", write_parameter(parameter)));
    lines.collect()
}

/// A parameter on one line.
pub(crate) fn write_parameter(parameter: &Parameter) -> String {
    let source = quoted(&parameter.source);
    match &parameter.value {
        Value::Number { dimension, base, range } => {
            let print = |base: u64| dimension.print(base);
            let (value, low, high) = (print(*base), print(*range.start()), print(*range.end()));
            format!("{{ value: {value}, range: [{low}, {high}], source: {source} }}")
        }
        Value::Word { word, .. } => format!("{{ value: {word}, source: {source} }}"),
    }
}

/// A text in double quotes, as YAML has them.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", control as u32);
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
