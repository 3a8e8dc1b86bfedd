//! Runs of good scenarios: what the reports say, and that they always say the same.

mod binary;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::{fs, thread};

use binary::{command, coretwin, file, folder};
use serde_json::Value;

/// A small ring scenario that runs in a blink.
const RING: &str = "\
# Two producers and two consumers
machine: server-16
dataplane: { kind: ring, producers: 2, consumers: 2 }
measure: { warm-up: 5 us, duration: 50 us }
";

fn json(arguments: &[&str]) -> Value {
    let ran = coretwin(arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    assert_eq!(ran.stderr, "", "{arguments:?}");
    serde_json::from_str(&ran.stdout).expect("stdout is one JSON document")
}

#[test]
fn every_shipped_scenario_runs_and_balances() {
    let listed = coretwin(&["list"]).stdout;
    let scenarios: Vec<&str> = listed
        .lines()
        .skip_while(|line| !line.starts_with("Scenarios"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(scenarios.len() >= 10, "{listed}");
    for name in scenarios {
        let report = json(&["run", name, "--duration", "20 us", "--set", "measure.warm-up=2 us", "--json"]);
        assert_eq!(report["scenario"]["name"], name);
        assert_eq!(report["balanced"], true, "{name}");
        assert!(report["rate"]["mean"].as_f64().is_some_and(|rate| rate > 0.0), "{name}: {}", report["rate"]);
        assert!(!report["scenario"]["summary"].as_str().unwrap_or("").is_empty(), "{name}");
    }
}

#[test]
fn the_document_is_the_same_byte_for_byte() {
    let folder = folder("same-bytes");
    let ring = file(&folder, "ring.yaml", RING);
    let arguments = ["run", &ring, "--set", "measure.repeat=3", "--json"];
    let first = coretwin(&arguments);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    // In parallel processes and with one host thread as well.
    let others: Vec<String> = thread::scope(|scope| {
        let run = |threads: &'static str| {
            scope.spawn(move || command(&arguments).env("RAYON_NUM_THREADS", threads).output().expect("runs").stdout)
        };
        let started = [run("1"), run("2"), run("5")];
        started.map(|one| String::from_utf8(one.join().expect("no panic")).expect("UTF-8")).into()
    });
    for other in others {
        assert_eq!(other, first.stdout);
    }
}

#[test]
fn seeds_differ_and_the_hash_does_not() {
    let folder = folder("seeds");
    let ring = file(&folder, "ring.yaml", RING);
    let [one, two] = ["1", "2"].map(|seed| json(&["run", &ring, "--seed", seed, "--json"]));
    assert_ne!(one["runs"], two["runs"]);
    assert_eq!(one["scenario"]["hash"], two["scenario"]["hash"]);
    let burst = json(&["run", &ring, "--set", "dataplane.burst=8", "--json"]);
    assert_ne!(one["scenario"]["hash"], burst["scenario"]["hash"]);
}

#[test]
fn repeats_give_a_mean_with_an_interval() {
    let folder = folder("repeats");
    let ring = file(&folder, "ring.yaml", RING);
    let report = json(&["run", &ring, "--set", "measure.repeat=4", "--seed", "10", "--json"]);
    let runs = report["runs"].as_array().expect("runs");
    let seeds: Vec<u64> = runs.iter().filter_map(|run| run["seed"].as_u64()).collect();
    assert_eq!(seeds, [10, 11, 12, 13]);
    let mean = runs.iter().filter_map(|run| run["rate"].as_f64()).sum::<f64>() / 4.0;
    assert!((report["rate"]["mean"].as_f64().expect("mean") / mean - 1.0).abs() < 1e-12);
    assert!(report["rate"]["half_width_95"].as_f64().is_some_and(|width| width > 0.0), "{}", report["rate"]);
    let single = json(&["run", &ring, "--json"]);
    assert_eq!(single["rate"]["half_width_95"], Value::Null);
}

#[test]
fn the_books_add_up_in_the_document() {
    let folder = folder("books");
    let ring = file(&folder, "ring.yaml", RING);
    let report = json(&["run", &ring, "--json"]);
    let number = |value: &Value| value.as_u64().expect("a whole number");
    assert_eq!(number(&report["duration_ps"]), 50_000_000);
    for cpu in report["cpus"].as_array().expect("cpus") {
        let parts = cpu["parts"].as_array().expect("parts");
        assert_eq!(parts.iter().map(|part| number(&part["time_ps"])).sum::<u64>(), 50_000_000, "{cpu}");
    }
    let run = &report["runs"][0];
    assert_eq!(number(&run["entered"]), number(&run["left"]) + number(&run["inside"]));
    assert!(number(&run["left"]) > 0);
    let consumers: u64 =
        report["threads"].as_array().expect("threads")[2..].iter().map(|t| number(&t["operations"])).sum();
    let rate = report["rate"]["mean"].as_f64().expect("rate");
    assert!((rate * 50e-6 - consumers as f64).abs() < 0.5, "{rate} {consumers}");
}

#[test]
fn the_report_for_people_names_what_matters() {
    let folder = folder("text");
    let ring = file(&folder, "ring.yaml", RING);
    let ran = coretwin(&["run", &ring, "--set", "layout.consumers=8,9"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stderr, "", "no progress unless stderr is a terminal");
    let hash = json(&["run", &ring, "--set", "layout.consumers=8,9", "--json"])["scenario"]["hash"].to_string();
    for phrase in [
        "ring: Two producers and two consumers\n",
        "machine server-16, software",
        "50 us measured after 5 us of warm-up, seed 1\n",
        concat!("coretwin ", env!("CARGO_PKG_VERSION"), ", scenario hash "),
        hash.trim_matches('"'),
        "Rate (item): ",
        "  2 x producer: ",
        "  2 x consumer: ",
        "work:ring-item",
        "ring.producer",
        "Books of seed 1: balanced; ",
        "Defaults taken:\n",
        "  dataplane.burst: 32\n",
        "  layout.producers: 0-1\n",
    ] {
        assert!(ran.stdout.contains(phrase), "{phrase:?} is missing in\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("layout.consumers:"), "not a default:\n{}", ran.stdout);
}

#[test]
fn changes_are_in_force() {
    let folder = folder("changes");
    let ring = file(&folder, "ring.yaml", RING);
    let arguments =
        ["run", &ring, "--set", "dataplane={ kind: lock, threads: 3 }", "--set", "layout.threads=[4, 6, 5]"];
    let report = json(&[&arguments[..], &["--seed", "7", "--duration", "30 us", "--json"]].concat());
    let cpus: Vec<u64> =
        report["threads"].as_array().expect("threads").iter().filter_map(|t| t["cpu"].as_u64()).collect();
    assert_eq!(cpus, [4, 6, 5]);
    assert_eq!(report["duration_ps"], 30_000_000);
    assert_eq!(report["runs"][0]["seed"], 7);
    let setting = |path: &str| {
        let settings = report["settings"].as_array().expect("settings");
        settings.iter().find(|setting| setting["path"] == path).expect(path).clone()
    };
    assert_eq!(setting("dataplane.algorithm")["default"], true);
    assert_eq!(setting("measure.seed")["default"], false);
}

#[test]
fn timing_goes_to_its_file_and_nowhere_else() {
    let folder = folder("timing");
    let ring = file(&folder, "ring.yaml", RING);
    let timing = folder.join("timing.json");
    let timed = coretwin(&["run", &ring, "--json", "--timing", timing.to_str().expect("UTF-8")]);
    assert_eq!(timed.code, Some(0), "{}", timed.stderr);
    assert_eq!(timed.stdout, coretwin(&["run", &ring, "--json"]).stdout);
    let figures: Value = serde_json::from_str(&fs::read_to_string(&timing).expect("the file")).expect("JSON");
    let fields = [
        "items_per_wall_second",
        "operations_per_wall_second",
        "accesses_per_wall_second",
        "real_time_factor",
        "wall_seconds",
    ];
    for field in fields {
        assert!(figures[field].as_f64().is_some_and(|value| value > 0.0), "{field}: {figures}");
    }
    let names: Vec<_> = fs::read_dir(&folder).expect("folder").map(|entry| entry.expect("entry").file_name()).collect();
    assert_eq!(names.len(), 2, "nothing but the two files: {names:?}");
}

#[test]
fn a_timing_file_that_cannot_be_is_refused_before_the_run() {
    let folder = folder("no-timing");
    for target in [folder.clone(), folder.join("no/such/folder.json")] {
        let ran = coretwin(&["run", "ring-mpmc-16", "--timing", target.to_str().expect("UTF-8")]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(target.to_str().expect("UTF-8")), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_and_not_replaced() {
    let folder = folder("device");
    let ring = file(&folder, "ring.yaml", RING);
    let ran = coretwin(&["run", &ring, "--json", "--timing", "/dev/stderr"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let figures: Value = serde_json::from_str(&ran.stderr).expect("JSON");
    assert!(figures["wall_seconds"].is_f64(), "{figures}");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let output = command(&["run", &ring]).stdout(full).output().expect("runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to stdout"));
}

#[test]
fn a_reader_may_stop_reading() {
    let folder = folder("broken-pipe");
    let text = RING.replace("producers: 2, consumers: 2", "producers: 8, consumers: 8");
    let ring = file(&folder, "ring.yaml", text);
    // More than a pipe holds, so that the writer still writes when the reader is gone.
    let mut child = command(&["run", &ring, "--json", "--set", "measure.repeat=500", "--duration", "1 us"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    drop(stdout);
    let ran = child.wait_with_output().expect("ends");
    assert_eq!((line.as_str(), ran.status.code()), ("{\n", Some(0)), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn a_file_wins_over_a_shipped_scenario_of_its_name() {
    let folder = folder("file-wins");
    file(&folder, "ring-spsc", RING.replace("Two producers", "Mine: two producers"));
    let output = command(&["run", "ring-spsc", "--json"]).current_dir(&folder).output().expect("runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["scenario"]["summary"], "Mine: two producers and two consumers");
}
