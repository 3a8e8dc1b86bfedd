//! How a run is cut into calls changes nothing in its report, not a byte.

use models::microbenchmark::Run;
use scenarios::{LIBRARY, Report, Scenario};
use sim_core::Time;

/// The report of a scenario whose run stops at each of these times.
fn report(scenario: &Scenario, stops: impl IntoIterator<Item = Time>) -> String {
    let mut run = Run::new(&scenario.setup(scenario.seed)).unwrap();
    for stop in stops {
        run.advance(stop).unwrap();
    }
    run.advance(run.end()).unwrap();
    Report::new(scenario, &[run.outcome().unwrap()]).to_json().unwrap()
}

/// Numbers from 0 to 999 that look random (the generator of Park and Miller).
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(seed), |number| Some(number * 48_271 % 0x7fff_ffff)).map(|number| number % 1_000)
}

#[test]
fn every_shipped_scenario_gives_the_same_bytes_however_it_is_cut() {
    for shipped in LIBRARY {
        let text = shipped.text.lines().filter(|line| !line.starts_with("measure:")).collect::<Vec<_>>().join("\n");
        let text = format!("{text}\nmeasure: {{ warm-up: 2 us, duration: 8 us }}\n");
        let scenario = Scenario::from_text(shipped.name, &text, &[]).unwrap();
        let whole = report(&scenario, []);
        let thousand = (1..=1_000).map(|slice| Time::from_ns(10) * slice);
        assert!(report(&scenario, thousand) == whole, "{} in 1,000 slices", shipped.name);
        let mut now = Time::ZERO;
        let random = numbers(17).take(50).map(|ns| {
            now += Time::from_ns(ns);
            now
        });
        assert!(report(&scenario, random) == whole, "{} in random slices", shipped.name);
    }
}
