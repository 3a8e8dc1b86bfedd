use proptest::prelude::*;
use sim_core::LockedAt;

use super::*;

/// A complete profile with one thing to go wrong in each line.
const SMALL: &str = "\
name: small
summary: Four CPUs
extends: server-16
topology: { sockets: 1, llcs-per-socket: 1, clusters-per-llc: 2, cores-per-cluster: 1, threads-per-core: 2 }
core:
  hit: { value: 1 ns, range: [0.5 ns, 2 ns], source: manual }
transfer:
  same-core: { value: 8 ns, range: [4 ns, 12 ns], source: measured }
";

fn with(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    SMALL.replacen(old, new, 1)
}

fn message(text: &str) -> String {
    match Profile::from_yaml("small.yaml", text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

fn latency_ns(profile: &Profile, a: usize, b: usize) -> f64 {
    let model = profile.to_model().unwrap();
    model.distances[model.distance_between[a * model.cpus.len() + b] as usize].latency.as_ns_f64()
}

#[test]
fn every_shipped_profile_loads_and_is_symmetric() {
    for name in Profile::shipped_names() {
        let profile = Profile::load(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(profile.name, name);
        assert!(!profile.summary.is_empty(), "{name}");
        let model = profile.to_model().unwrap();
        let cpus = model.cpus.len();
        assert_eq!(model.distance_between.len(), cpus * cpus);
        for (a, b) in (0..cpus).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let class = model.distance_between[a * cpus + b];
            assert_eq!(class, model.distance_between[b * cpus + a], "{name}: {a} and {b}");
            assert!((class as usize) < model.distances.len());
        }
    }
    assert_eq!(Profile::shipped().unwrap().len(), Profile::shipped_names().count());
}

#[test]
fn every_shipped_profile_writes_itself() {
    for name in Profile::shipped_names() {
        let profile = Profile::load(name).unwrap();
        let again = Profile::from_yaml("again.yaml", &profile.to_yaml()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, profile, "{name}");
    }
}

#[test]
fn every_number_has_a_source_and_lies_in_its_range() {
    for name in Profile::shipped_names() {
        for entry in Profile::load(name).unwrap().parameters() {
            assert!(entry.range.0 <= entry.value && entry.value <= entry.range.1, "{name}: {entry:?}");
            assert!(entry.source.len() > 3, "{name}: {entry:?}");
        }
    }
}

#[test]
fn errors_name_file_line_and_field() {
    for (old, new, expected) in [
        ("value: 1 ns", "value: 3 ns", "small.yaml:6:8: core.hit is 3 ns, outside its range of 500 ps to 2 ns"),
        ("value: 1 ns", "value: 1", "small.yaml:6:8: core.hit is `1`, which has no unit; a time needs a unit, such as"),
        ("value: 1 ns", "value: 1 Mpps", "small.yaml:6:8: core.hit is `1 Mpps`, which is a rate, not a time"),
        ("value: 1 ns", "value: .nan", "small.yaml:6:8: core.hit is `.nan`, which is not a finite number"),
        ("value: 1 ns", "value: -1 ns", "small.yaml:6:8: core.hit is `-1 ns`, which is below zero"),
        ("value: 1 ns", "value: 1 s", "core.hit is 1 s; it lies between 0 ps and 1 us"),
        ("value: 1 ns, ", "", "small.yaml:6:8: core.hit has no value"),
        ("[0.5 ns, 2 ns]", "[2 ns, 0.5 ns]", "small.yaml:6:8: core.hit has a reversed range, 2 ns to 0.5 ns"),
        ("[0.5 ns, 2 ns]", "[0.5 ns, 2]", "small.yaml:6:8: core.hit has a range that ends with `2`, which has no unit"),
        ("[0.5 ns, 2 ns]", "[0.5 ns]", "core.hit has a range that is not two values"),
        ("range: [0.5 ns, 2 ns], ", "", "core.hit has no range"),
        ("source: manual", "source: \" \"", "small.yaml:6:8: core.hit has no source"),
        (", source: manual", "", "small.yaml:6:8: core.hit has no source"),
        ("  hit:", "  hti:", "small.yaml:6:8: core.hti is unknown; did you mean hit?"),
        ("same-core:", "same-cores:", "small.yaml:8:15: transfer.same-cores is unknown; did you mean same-core?"),
        ("same-core:", "same-core/big+small:", "transfer.same-core/big+small names kinds of cores"),
        ("summary", "sumary", "small.yaml:2:1: unknown field `sumary`"),
        ("source: manual", "sauce: manual", "small.yaml:6:46: unknown field `sauce`, expected one of value"),
        ("  hit: { value: 1 ns, range: [0.5 ns, 2 ns], source: manual }", "  hit: 1 ns", "small.yaml:6:8"),
        ("extends: server-16\n", "", "small.yaml: core.load-issue is missing"),
        ("server-16", "else.yaml", "small.yaml:3:10: extends is else.yaml, which cannot be read: "),
        ("server-16", "server-61", "small.yaml:3:10: extends is `server-61`, which is no profile; did you mean"),
        (
            "  same-core: { value: 8 ns, range: [4 ns, 12 ns], source: measured }",
            "  {}",
            "transfer.same-core is missing, but CPUs 0 and 2",
        ),
        ("sockets: 1", "sockets: 0", "small.yaml: topology has no CPUs; a machine has 1 to 1024 CPUs"),
        ("sockets: 1", "sockets: 1000000000", "topology has 4000000000 CPUs; a machine has 1 to 1024"),
        ("sockets: 1", "sockets: 18446744073709551615", "topology has more CPUs than can be counted"),
        ("sockets: 1, ", "", "small.yaml:4:11: topology is not complete"),
        ("threads-per-core: 2", "threads-per-core: two", "small.yaml:4:"),
        (
            "threads-per-core: 2",
            "threads-per-core: 2, numbering: [core, core]",
            "topology.numbering does not name each unit",
        ),
    ] {
        let message = message(&with(old, new));
        assert!(message.contains(expected), "{old} -> {new}\n  is:       {message}\n  expected: {expected}");
    }
    assert!(message("- 1\n- 2\n").starts_with("small.yaml:1:1"), "{}", message("- 1\n- 2\n"));
    assert!(matches!(Profile::load("nowhere/else.yaml"), Err(Error::Unreadable { .. })));
    assert!(matches!(Profile::load("server"), Err(Error::UnknownProfile { .. })));
}

#[test]
fn what_a_profile_leaves_out_is_as_in_the_one_it_extends() {
    let (base, small) = (Profile::load("server-16").unwrap(), Profile::from_yaml("small.yaml", SMALL).unwrap());
    assert_eq!(small.parameter("core.hit").unwrap().text(), "1 ns");
    assert_eq!(small.parameter("core.locked"), base.parameter("core.locked"));
    assert_eq!(small.parameter("transfer.same-llc"), base.parameter("transfer.same-llc"));
}

#[test]
fn files_may_extend_files_beside_them_but_not_in_a_circle() {
    let folder = std::env::temp_dir().join(format!("coretwin-profiles-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    write("small.yaml", SMALL);
    let child = write("child.yaml", "name: child\nsummary: As small\nextends: small.yaml\n");
    assert_eq!(Profile::load(&child).unwrap().to_model().unwrap().cpus.len(), 4);
    write("egg.yaml", "name: egg\nsummary: \"?\"\nextends: hen.yaml\n");
    let hen = write("hen.yaml", "name: hen\nsummary: \"?\"\nextends: egg.yaml\n");
    let error = Profile::load(&hen).unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(error.contains(":3:10: extends goes in a circle"), "{error}");
}

#[test]
fn siblings_are_numbered_last_unless_told_otherwise() {
    let usual = Profile::from_yaml("small.yaml", SMALL).unwrap();
    assert_eq!((latency_ns(&usual, 0, 1), latency_ns(&usual, 0, 2)), (40.0, 8.0));
    let numbering = "threads-per-core: 2, numbering: [thread, core, cluster, llc, socket]";
    let adjacent = Profile::from_yaml("small.yaml", &with("threads-per-core: 2", numbering)).unwrap();
    assert_eq!((latency_ns(&adjacent, 0, 1), latency_ns(&adjacent, 0, 2)), (8.0, 40.0));
}

#[test]
fn distances_are_those_of_the_smallest_common_unit() {
    let server = Profile::load("server-64").unwrap();
    let far = ["same-llc", "same-socket", "other-socket"]
        .map(|key| server.parameter(&format!("transfer.{key}")).unwrap().base().unwrap() as f64 / 1e3);
    assert_eq!([15, 16, 32].map(|cpu| latency_ns(&server, 0, cpu)), far);
    let clusters = Profile::load("lx2160a").unwrap();
    assert!(latency_ns(&clusters, 0, 1) < latency_ns(&clusters, 0, 2));
}

#[test]
fn kinds_of_cores_differ_in_costs_and_distances() {
    let hybrid = Profile::load("i7-12700k").unwrap();
    let model = hybrid.to_model().unwrap();
    let (performance, efficient) = (&model.cpus[0], &model.cpus[16]);
    assert!(performance.frequency > efficient.frequency);
    assert_eq!(performance.costs.mispredict, efficient.costs.mispredict);
    let latency = |a, b| latency_ns(&hybrid, a, b);
    assert_eq!(latency(0, 16), latency(16, 0));
    assert!(latency(0, 2) < latency(0, 16) && latency(0, 16) < latency(16, 17));

    let text = hybrid.to_yaml();
    let error = message(&text.replacen("kind: \"efficient\"", "kind: \"eficient\"", 1));
    assert!(error.contains("topology.cpus.16.kind is `eficient`, which is unknown; efficient, performance"), "{error}");
    let error = message(&text.replacen(", kind: \"efficient\"", "", 1));
    assert!(error.contains("topology.cpus.16.kind is missing"), "{error}");
    let error = message(&text.replacen("same-llc/performance+performance", "same-llc/performance+power", 1));
    assert!(error.contains("does not name two kinds of cores"), "{error}");
}

#[test]
fn listed_cpus_must_nest() {
    let listed = |entries: &str| with(SMALL.lines().nth(3).unwrap(), &format!("topology:\n  cpus: [{entries}]"));
    let good = "{ cpu: 1, core: 0 }, { cpu: 0, core: 0 }, { cpu: 2, core: 5 }";
    let profile = Profile::from_yaml("small.yaml", &listed(good)).unwrap();
    assert_eq!((latency_ns(&profile, 0, 1), latency_ns(&profile, 0, 2)), (8.0, 40.0));
    for (entries, expected) in [
        ("", "topology has no CPUs"),
        ("{ cpu: 0, core: 0 }, { cpu: 0, core: 1 }", "topology.cpus does not number the CPUs one after the other"),
        ("{ cpu: 1, core: 0 }", "topology.cpus does not number the CPUs"),
        ("{ cpu: 0, core: 0 }, { cpu: 1, core: 0, cluster: 1 }", "topology.cpus.1 puts core 0 in two clusters"),
        ("{ cpu: 0, core: 0, llc: 0 }, { cpu: 1, core: 0, llc: 1 }", "topology.cpus.1 puts cluster or core 0 at two"),
        ("{ cpu: 0, core: 0 }, { cpu: 1, core: 1, socket: 1 }", "topology.cpus.1 puts last-level cache 0 in two"),
        ("{ cpu: 0, core: 0, kind: big }", "topology.cpus.0.kind is `big`, which is unknown; the profile has no kinds"),
    ] {
        let message = message(&listed(entries));
        assert!(message.contains(expected), "{entries}: {message}");
    }
}

#[test]
fn locked_operations_at_the_home_need_a_service_time() {
    let at_home = format!("{SMALL}coherence:\n  locked-at: {{ value: home, source: manual }}\n");
    assert!(message(&at_home).contains("coherence.home-service is missing"), "{}", message(&at_home));
    let complete = format!("{at_home}  home-service: {{ value: 9 ns, range: [5 ns, 20 ns], source: measured }}\n");
    let model = Profile::from_yaml("small.yaml", &complete).unwrap().to_model().unwrap();
    assert_eq!(model.coherence.locked_at, LockedAt::Home(sim_core::Time::from_ns(9)));
    let nowhere = at_home.replace("value: home", "value: memory");
    assert!(message(&nowhere).contains("coherence.locked-at is `memory`; it is one of core, exclusive-pair, home"));
}

#[test]
fn parameters_move_only_within_their_ranges() {
    let mut profile = Profile::from_yaml("small.yaml", SMALL).unwrap();
    profile.set("transfer.same-core", 11.5).unwrap();
    assert_eq!(latency_ns(&profile, 0, 2), 11.5);
    for outside in [3.999, 12.001, -1.0, f64::NAN, f64::INFINITY] {
        let error = profile.set("transfer.same-core", outside).unwrap_err().to_string();
        assert!(error.starts_with("transfer.same-core "), "{error}");
    }
    profile.set_text("core.hit", "1.5 ns").unwrap();
    assert_eq!(profile.to_model().unwrap().cpus[0].costs.hit.as_ns_f64(), 1.5);
    profile.set_text("coherence.migratory-reads", "false").unwrap();
    assert!(!profile.to_model().unwrap().coherence.migratory_reads);
    let unknown = profile.set("core.reorder-windows", 9.0).unwrap_err().to_string();
    assert_eq!(unknown, "core.reorder-windows is no parameter of this profile; did you mean core.reorder-window?");
    assert!(profile.set("coherence.locked-at", 1.0).unwrap_err().to_string().contains("is a word"));
}

#[test]
fn a_calibrated_profile_keeps_the_command() {
    let mut profile = Profile::from_yaml("small.yaml", SMALL).unwrap();
    let command = "coretwin calibrate contention -o \"my \\ profile.yaml\"".to_owned();
    profile.calibration = Some(Calibration { command, fitted: vec!["core.hit".into()] });
    assert_eq!(Profile::from_yaml("again.yaml", &profile.to_yaml()).unwrap(), profile);
}

proptest! {
    /// At both ends of its range, and anywhere between, every parameter gives a machine.
    #[test]
    fn every_point_of_the_ranges_is_a_machine(positions in proptest::collection::vec(0.0..=1.0, 40)) {
        let mut profile = Profile::load("skylake-client-4").unwrap();
        for (entry, position) in profile.parameters().iter().zip(positions) {
            let value = entry.range.0 + position * (entry.range.1 - entry.range.0);
            // A size stays a power of two.
            if entry.unit != "B" {
                prop_assert!(profile.set(&entry.path, value).is_ok(), "{} = {value}", entry.path);
            }
        }
        prop_assert!(profile.to_model().is_ok());
        prop_assert_eq!(&Profile::from_yaml("again.yaml", &profile.to_yaml()).unwrap(), &profile);
    }

    #[test]
    fn regular_machines_have_all_their_cpus(counts in proptest::array::uniform5(1_u64..5)) {
        let [sockets, llcs_per_socket, clusters_per_llc, cores_per_cluster, threads_per_core] = counts;
        let numbering = vec![Level::Socket, Level::Thread, Level::Core, Level::Llc, Level::Cluster];
        let regular = Regular {
            sockets, llcs_per_socket, clusters_per_llc, cores_per_cluster, threads_per_core, numbering,
        };
        let cores = counts[..4].iter().product::<u64>();
        match Topology::Regular(regular).places() {
            Ok(places) => {
                let number: std::collections::BTreeSet<u64> = places.iter().map(|place| place.core).collect();
                prop_assert_eq!(number.len() as u64, cores);
                prop_assert_eq!(places.len() as u64, cores * threads_per_core);
                prop_assert!(places.iter().all(|place| place.core < cores && place.socket < sockets));
            }
            Err(_) => prop_assert!(cores * threads_per_core > 1024),
        }
    }
}
