//! Each kind of mistake in a scenario file is explained, at the place where it is.

mod binary;

use binary::{coretwin, file, folder};

/// A bad scenario: what is wrong, its text, and the line and column, the path and two phrases of the complaint.
struct Bad(&'static str, &'static str, (usize, usize), &'static str, [&'static str; 2]);

const BAD: &[Bad] = &[
    Bad(
        "unknown-field",
        "machine: server-16\ndataplane:\n  kind: ring\n  producer: 8\n",
        (4, 3),
        "dataplane.producer",
        ["there is no such field", "did you mean `dataplane.producers`?"],
    ),
    Bad(
        "unknown-group",
        "machine: server-16\ndataplane: { kind: ring }\ntrafic: {}\n",
        (3, 1),
        "trafic",
        ["there is no such field", "the fields here are machine, software, dataplane, layout, measure"],
    ),
    Bad(
        "field-of-another-kind",
        "machine: server-16\ndataplane: { kind: stack, burst: 8 }\n",
        (2, 27),
        "dataplane.burst",
        ["there is no such field", "the fields here are kind, items, threads, work"],
    ),
    Bad(
        "wrong-unit",
        "machine: server-16\ndataplane: { kind: ring }\nmeasure:\n  duration: 5 GHz\n",
        (4, 13),
        "measure.duration",
        ["which is a frequency, not a time", "a time is in "],
    ),
    Bad(
        "missing-unit",
        "machine: server-16\ndataplane: { kind: ring }\nmeasure:\n  duration: 5\n",
        (4, 13),
        "measure.duration",
        ["which has no unit", "a time needs a unit, such as"],
    ),
    Bad(
        "unit-where-none-belongs",
        "machine: server-16\ndataplane: { kind: ring, burst: 32 B }\n",
        (2, 33),
        "dataplane.burst",
        ["takes a number without a unit", "write a whole number"],
    ),
    Bad(
        "nan-count",
        "machine: server-16\ndataplane: { kind: ring, burst: .nan }\n",
        (2, 33),
        "dataplane.burst",
        ["which is not a number", "write a whole number"],
    ),
    Bad(
        "nan-time",
        "machine: server-16\ndataplane: { kind: ring }\nmeasure: { duration: NaN ms }\n",
        (3, 22),
        "measure.duration",
        ["is `NaN ms`, which is not", "write it as"],
    ),
    Bad(
        "no-time",
        "machine: server-16\ndataplane: { kind: ring }\nmeasure: { duration: 0 ms }\n",
        (3, 22),
        "measure.duration",
        ["is `0 ms`, which is too short", "write a time from 100 ns to"],
    ),
    Bad(
        "no-threads",
        "machine: server-16\ndataplane: { kind: ring, producers: 0 }\n",
        (2, 37),
        "dataplane.producers",
        ["is 0, which is too small", "write a whole number from 1"],
    ),
    Bad(
        "a-billion-threads",
        "machine: server-16\ndataplane:\n  kind: lock\n  threads: 1000000000\n",
        (4, 12),
        "dataplane.threads",
        ["is 1000000000, which is too large", "write a whole number from 1"],
    ),
    Bad(
        "more-threads-than-cpus",
        "machine: server-16\ndataplane: { kind: ring, producers: 15, consumers: 2 }\n",
        (2, 37),
        "dataplane.producers",
        ["17 threads in all, but the machine has 16 CPUs", "take fewer, or a larger machine"],
    ),
    Bad(
        "cpu-twice",
        "machine: server-16\ndataplane: { kind: lock }\nlayout:\n  threads: [3, 3]\n",
        (4, 12),
        "layout.threads",
        ["gives CPU 3 a second thread", "a CPU of its own"],
    ),
    Bad(
        "cpu-in-two-groups",
        "machine: server-16\ndataplane: { kind: ring }\nlayout:\n  producers: 5\n  consumers: 5\n",
        (5, 14),
        "layout.consumers",
        ["gives CPU 5 a second thread", "a CPU of its own"],
    ),
    Bad(
        "cpu-not-there",
        "machine: server-16\ndataplane: { kind: lock }\nlayout: { threads: \"15-16\" }\n",
        (3, 20),
        "layout.threads",
        ["CPU 16 is not on the machine", "it has the CPUs 0 to 15"],
    ),
    Bad(
        "too-few-cpus",
        "machine: server-16\ndataplane: { kind: lock, threads: 4 }\nlayout: { threads: \"0-2\" }\n",
        (3, 20),
        "layout.threads",
        ["has 3 CPUs for 4 threads", "dataplane.threads"],
    ),
    Bad(
        "burst-beyond-slots",
        "machine: server-16\ndataplane:\n  kind: ring\n  slots: 16\n",
        (3, 3),
        "dataplane.burst",
        ["is 32, but the ring has only 16 slots", "smaller burst"],
    ),
    Bad(
        "slots-no-power-of-two",
        "machine: server-16\ndataplane: { kind: ring, slots: 1000 }\n",
        (2, 33),
        "dataplane.slots",
        ["is 1000, which is not a power of two", "write 512 or 1024"],
    ),
    Bad(
        "two-on-a-single-side",
        "machine: server-16\ndataplane:\n  kind: ring\n  reservation: single\n  consumers: 2\n",
        (5, 14),
        "dataplane.consumers",
        ["`reservation: single` allows one on each side", "`reservation: multi`"],
    ),
    Bad(
        "unknown-word",
        "machine: server-16\ndataplane: { kind: lock, algorithm: tiket }\n",
        (2, 37),
        "dataplane.algorithm",
        ["is `tiket`", "did you mean `ticket`?"],
    ),
    Bad(
        "unknown-kind",
        "machine: server-16\ndataplane: { kind: rings, producers: 4 }\n",
        (2, 20),
        "dataplane.kind",
        ["is `rings`", "did you mean `ring`?"],
    ),
    Bad(
        "unknown-machine",
        "machine: server-61\ndataplane: { kind: ring }\n",
        (1, 10),
        "machine",
        ["server-61", "server-16"],
    ),
    Bad("no-machine", "dataplane: { kind: ring }\n", (1, 1), "machine", ["is missing", "write "]),
    Bad("no-dataplane", "machine: server-16\n", (1, 1), "dataplane.kind", ["is missing", "`ring`"]),
    Bad(
        "field-without-value",
        "machine: server-16\ndataplane: { kind: ring }\nmeasure:\n  seed:\n",
        (4, 3),
        "measure.seed",
        ["has no value", "write a whole number"],
    ),
    Bad(
        "field-twice",
        "machine: server-16\nmachine: server-16\ndataplane: { kind: ring }\n",
        (2, 1),
        "machine",
        ["is there twice", "leave one of them out"],
    ),
    Bad(
        "group-for-a-value",
        "machine: server-16\ndataplane: { kind: ring, burst: { a: 1 } }\n",
        (2, 33),
        "dataplane.burst",
        ["is a group of fields, but should be one value", "write a whole number"],
    ),
    Bad(
        "value-for-a-group",
        "machine: server-16\ndataplane: ring\n",
        (2, 12),
        "dataplane",
        ["is `ring`, but should be a group of fields", "for example `dataplane: { kind: ring"],
    ),
    Bad(
        "fraction",
        "machine: server-16\ndataplane: { kind: ring, burst: 1.5 }\n",
        (2, 33),
        "dataplane.burst",
        ["is 1.5, which is not a whole number", "write a whole number"],
    ),
    Bad(
        "negative",
        "machine: server-16\ndataplane: { kind: ring }\nmeasure: { seed: -1 }\n",
        (3, 18),
        "measure.seed",
        ["is -1, which is below zero", "write a whole number"],
    ),
    Bad(
        "not-yaml",
        "machine: server-16\ndataplane: { kind: ring\nmeasure: ]\n",
        (3, 8),
        "",
        ["is not YAML", "coretwin list"],
    ),
    Bad("tab", "machine: server-16\ndataplane:\n\tkind: ring\n", (3, 1), "", ["is not YAML", "coretwin list"]),
    Bad(
        "prose",
        "Dear simulator, please run a ring.\n",
        (1, 1),
        "",
        ["but should be a group of fields", "a scenario has the fields"],
    ),
    Bad("list", "- machine: server-16\n", (1, 1), "", ["is a list", "a scenario has the fields"]),
    Bad("empty", "", (1, 1), "", ["is empty", "a scenario has the fields"]),
    Bad("only-comments", "# nothing\n\n# at all\n", (1, 1), "", ["is empty", "a scenario has the fields"]),
];

#[test]
fn each_bad_scenario_is_explained_with_its_place() {
    let folder = folder("bad-scenarios");
    for Bad(name, text, (line, column), path, phrases) in BAD {
        let file = file(&folder, &format!("{name}.yaml"), text);
        let ran = coretwin(&["run", &file]);
        assert_eq!(ran.code, Some(2), "{name}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{name}");
        let separator = if path.is_empty() { "" } else { ": " };
        let first = format!("error: {file}:{line}:{column}{separator}{path}: ");
        assert!(ran.stderr.starts_with(&first), "{name} should start with\n{first}\nbut is\n{}", ran.stderr);
        for phrase in phrases {
            assert!(ran.stderr.contains(phrase), "{name} should say {phrase:?}, but says\n{}", ran.stderr);
        }
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "{name} has one error, but:\n{}", ran.stderr);
    }
}
