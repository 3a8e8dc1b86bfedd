//! Files that are no scenarios, files with many mistakes, and arguments: exit code 2 and a complaint that helps.

mod binary;

use binary::{coretwin, file, folder};

#[test]
fn what_is_no_scenario_file_is_explained() {
    let folder = folder("no-scenarios");
    let latin1 = file(&folder, "latin1.yaml", b"machine: server-16\n# caf\xe9\n");
    let binary = file(&folder, "binary.yaml", b"\x7fELF\x02\x01\x01\x00\x00");
    let huge = file(&folder, "huge.yaml", "# filler\n".repeat(200_000));
    let deep = file(&folder, "deep.yaml", "[".repeat(5_000));
    let bomb = file(&folder, "bomb.yaml", alias_bomb());
    let missing = folder.join("missing.yaml").display().to_string();
    let directory = folder.display().to_string();
    for (argument, place, phrase) in [
        (latin1.as_str(), ":2:6", "is not a text in UTF-8"),
        (&binary, ":1:", "is not YAML"),
        (&huge, "", "is larger than 1024 KiB"),
        (&deep, ":1:", "is not YAML"),
        (&bomb, ":", "is not YAML"),
        (&missing, "", "there is no such file"),
        (&directory, "", "is a folder, not a file"),
        ("ring-mpcm-16", "", "did you mean the shipped scenario `ring-mpmc-16`?"),
        ("ring-mpmc-16.yml", "", "did you mean the shipped scenario `ring-mpmc-16`?"),
    ] {
        let ran = coretwin(&["run", argument]);
        assert_eq!(ran.code, Some(2), "{argument}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{argument}");
        assert!(ran.stderr.starts_with(&format!("error: {argument}{place}")), "{argument}: {}", ran.stderr);
        assert!(ran.stderr.contains(phrase), "{argument} should say {phrase:?}, but says\n{}", ran.stderr);
    }
}

#[test]
fn a_bad_machine_file_is_named_with_its_own_place() {
    let folder = folder("machine-files");
    let machine = |name: &str, cores: &str| {
        let text = format!(
            "name: mine\nsummary: Mine\nextends: server-16\ntopology:\n  sockets: 1\n  llcs-per-socket: 1\n  \
             clusters-per-llc: {cores}\n  cores-per-cluster: 1\n  threads-per-core: 1\n"
        );
        file(&folder, name, text)
    };
    let scenario =
        |name: &str, machine: &str| file(&folder, name, format!("machine: {machine}\ndataplane: {{ kind: lock }}\n"));
    machine("good.yaml", "2");
    machine("none.yaml", "0");
    machine("billion.yaml", "1000000000");
    file(&folder, "broken.yaml", "name: [\n");
    let good = scenario("a.yaml", "good.yaml");
    assert_eq!(coretwin(&["check", &good]).code, Some(0), "{}", coretwin(&["check", &good]).stderr);
    for (machine, phrase) in [
        ("none.yaml", "has no CPUs"),
        ("billion.yaml", "has 1000000000 CPUs"),
        ("broken.yaml", "broken.yaml:1:"),
        ("missing.yaml", "cannot be read"),
        ("./", "cannot be read"),
    ] {
        let bad = scenario("b.yaml", machine);
        let ran = coretwin(&["run", &bad]);
        assert_eq!(ran.code, Some(2), "{machine}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("error: {bad}:1:10: machine: ")), "{machine}: {}", ran.stderr);
        assert!(ran.stderr.contains(phrase), "{machine}: {}", ran.stderr);
        assert!(ran.stderr.contains(machine.trim_end_matches("./")), "{machine}: {}", ran.stderr);
    }
}

/// Nine values that each hold the one before nine times.
fn alias_bomb() -> String {
    let mut text = String::from("a0: &a0 x\n");
    for level in 1..10 {
        let below = vec![format!("*a{}", level - 1); 9].join(", ");
        text += &format!("a{level}: &a{level} [{below}]\n");
    }
    text
}

#[test]
fn all_that_is_wrong_is_shown_in_the_order_of_the_lines() {
    let folder = folder("many-errors");
    let text =
        "machine: server-16\ndataplane:\n  kind: ring\n  burst: x\n  slots: 7\nlayout: { producers: 99 }\nseed: 3\n";
    let bad = file(&folder, "bad.yaml", text);
    let good = file(&folder, "good.yaml", "machine: server-16\ndataplane: { kind: ring }\n");
    let worse = file(&folder, "worse.yaml", "");
    let ran = coretwin(&["check", &bad, &good, &worse]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stdout, format!("{good}: fine, 2 threads\n"));
    let errors: Vec<&str> = ran.stderr.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
    let places = [
        format!("{bad}:4:10: dataplane.burst: is `x`, which is not a number"),
        format!("{bad}:5:10: dataplane.slots: is 7, which is not a power of two"),
        format!("{bad}:6:22: layout.producers: CPU 99 is not on the machine"),
        format!("{bad}:7:1: seed: there is no such field"),
        format!("{worse}:1:1: is empty"),
    ];
    assert_eq!(errors, places, "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `measure.seed`?"), "{}", ran.stderr);
}

#[test]
fn the_offending_line_is_shown() {
    let folder = folder("excerpt");
    let bad = file(&folder, "bad.yaml", "machine: server-16\ndataplane:\n  kind: ring\n  burst: 2048\n");
    let ran = coretwin(&["check", &bad]);
    let expected = format!(
        "error: {bad}:4:10: dataplane.burst: is 2048, but the ring has only 1024 slots\n\
         \u{20} |\n\
         4 |   burst: 2048\n\
         \u{20} |          ^^^^\n\
         \u{20} = help: take a smaller burst or more dataplane.slots\n"
    );
    assert_eq!(ran.stderr, expected);
}

#[test]
fn a_bad_change_names_its_argument() {
    for (arguments, first, help) in [
        (
            ["--set", "dataplane.producer=4"],
            "--set dataplane.producer=4: dataplane.producer: there is no such field",
            "did you mean `dataplane.producers`?",
        ),
        (
            ["--set", "producers=4"],
            "--set producers=4: producers: there is no such field",
            "did you mean `dataplane.producers`?",
        ),
        (["--set", "mesure.seed=4"], "--set mesure.seed=4: mesure: there is no such field", "did you mean `measure`?"),
        (
            ["--set", "dataplane.burst=0"],
            "--set dataplane.burst=0: dataplane.burst: is 0, which is too small",
            "write a whole number",
        ),
        (
            ["--set", "dataplane.burst="],
            "--set dataplane.burst=: dataplane.burst: has no value",
            "write a whole number",
        ),
        (
            ["--set", "dataplane.kind.x=1"],
            "--set dataplane.kind.x=1: `dataplane.kind` is `ring`, which has no field `x`",
            "set `dataplane.kind` itself",
        ),
        (["--set", "dataplane.burst=[1"], "--set dataplane.burst=[1: `[1` is not a YAML value", ""),
        (["--set", "dataplane.burst"], "--set dataplane.burst: has no `=`", "write `--set dataplane.burst=8`"),
        (["--set", "=8"], "--set =8: `` is not the path of a field", "write `--set dataplane.burst=8`"),
        (["--seed", "-1"], "--seed -1: measure.seed: is -1, which is below zero", "write a whole number"),
        (["--seed", "x"], "--seed x: measure.seed: is `x`, which is not a number", "write a whole number"),
        (
            ["--duration", "0 ms"],
            "--duration 0 ms: measure.duration: is `0 ms`, which is too short",
            "write a time from 100 ns to",
        ),
    ] {
        let ran = coretwin(&["run", "ring-mpmc-16", arguments[0], arguments[1]]);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("error: {first}")), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(help), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn wrong_arguments_exit_with_2() {
    for arguments in [&["run"][..], &["check"], &["runn", "x"], &["run", "ring-mpmc-16", "--nonsense"], &[]] {
        let ran = coretwin(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert_eq!(ran.stdout, "");
    }
}
