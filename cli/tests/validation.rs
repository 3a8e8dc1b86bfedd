//! `coretwin validate` and `coretwin calibrate`.

mod binary;

use std::fs;

use binary::{coretwin, file, folder};
use serde_json::Value;

#[test]
fn without_a_name_the_sets_are_listed() {
    let ran = coretwin(&["validate"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for set in ["contention", "core-to-core", "ring-ops", "this-host"] {
        assert!(ran.stdout.contains(set), "{}", ran.stdout);
    }
    let ran = coretwin(&["validate", "--json"]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["sets"][0], "contention");
}

#[test]
fn the_document_holds_every_cell_and_the_summary() {
    let ran = coretwin(&["validate", "core-to-core", "--json", "--seeds", "1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["set"], "core-to-core");
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(document["summary"]["cells"], cells.len());
    let inside = cells.iter().filter(|cell| cell["inside"] == true).count();
    assert_eq!(document["summary"]["inside"], inside);
    let fields = ["id", "unit", "kind", "measured", "simulated", "error", "tolerance", "calibrated", "inside", "note"];
    for cell in cells {
        let names: Vec<&String> = cell.as_object().unwrap().keys().collect();
        assert!(names.len() == fields.len() && fields.iter().all(|field| cell.get(field).is_some()), "{names:?}");
    }
    // Nothing is held out of a self-check.
    assert_eq!(document["summary"]["held_out_median_abs_error"], Value::Null);
}

#[test]
fn a_set_simulates_the_same_every_time() {
    let once = coretwin(&["validate", "contention", "--json", "--seeds", "1"]);
    let again = coretwin(&["validate", "contention", "--json", "--seeds", "1"]);
    assert_eq!(once.code, Some(0), "{}", once.stderr);
    assert_eq!(once.stdout, again.stdout);
}

#[test]
fn what_does_not_exist_is_named() {
    let ran = coretwin(&["validate", "contenton"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("\"contenton\"") && ran.stderr.contains("ring-ops"), "{}", ran.stderr);
    let output = folder("calibrate-nothing").join("profile.yaml");
    let output = output.to_str().unwrap();
    let machine = ["--machine", "skylake-client-4", "-o", output];
    let ran = coretwin(&[&["calibrate", "contention", "--fit", "core.lokced"][..], &machine].concat());
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("\"core.lokced\"") && ran.stderr.contains("core.locked"), "{}", ran.stderr);
    let ran = coretwin(&["calibrate", "this-host", "-o", output]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn a_calibrated_profile_keeps_the_command_and_can_be_used() {
    let folder = folder("calibrate");
    let output = folder.join("skylake-client-4.yaml");
    let calibrate = |output: &str| {
        coretwin(&[
            "calibrate",
            "contention",
            "--machine",
            "skylake-client-4",
            "--fit",
            "transfer.*",
            "--evaluations",
            "6",
            "--seeds",
            "1",
            "-o",
            output,
        ])
    };
    let ran = calibrate(output.to_str().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("skylake-client-4/cas-add/2"), "the cells are named: {}", ran.stdout);
    let profile = fs::read_to_string(&output).unwrap();
    assert!(profile.contains("coretwin calibrate contention --fit transfer.* --machine"), "{profile}");
    let ran = coretwin(&["validate", "contention", "--seeds", "1", "--profiles", folder.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // A journal of another program helps nobody, and does no harm.
    let again = file(&folder, "again.yaml.journal", "0123456789abcdef 3ff0000000000000\nhalf a li");
    let ran = calibrate(again.trim_end_matches(".journal"));
    assert!(ran.stdout.contains("Took over 1 evaluations"), "{}", ran.stdout);
    let without_command = |profile: &str| {
        profile.lines().filter(|line| !line.contains("command:")).map(str::to_owned).collect::<Vec<_>>()
    };
    let second = fs::read_to_string(folder.join("again.yaml")).unwrap();
    assert_eq!(without_command(&second), without_command(&profile));
}
