//! The reference pages of the book name every field and every default.

use scenarios::{LIBRARY, Scenario};

const SCENARIO_PAGE: &str = include_str!("../../docs/src/reference/scenario-file.md");
const RESULT_PAGE: &str = include_str!("../../docs/src/reference/result-document.md");

#[test]
fn the_page_names_every_field_with_its_default() {
    for kind in ["ring", "counter", "lock", "ping-pong", "stack"] {
        let text = format!("machine: {}\ndataplane: {{ kind: {kind} }}\n", machine());
        let scenario = Scenario::from_text("minimal.yaml", &text, &[]).unwrap();
        for setting in &scenario.settings {
            let field = format!("`{}`", setting.path);
            let row = SCENARIO_PAGE.lines().find(|line| line.starts_with("| `") && line.contains(&field));
            let row = row.unwrap_or_else(|| panic!("{field} has no row"));
            let is_named = row.contains(&format!("| `{}` |", setting.value));
            assert!(is_named || !setting.default || setting.path.starts_with("layout."), "{setting:?}: {row}");
        }
    }
}

#[test]
fn the_page_names_every_field_of_the_result() {
    let text =
        format!("machine: {}\ndataplane: {{ kind: ring }}\nmeasure: {{ warm-up: 1 us, duration: 5 us }}\n", machine());
    let scenario = Scenario::from_text("minimal.yaml", &text, &[]).unwrap();
    let report = scenarios::run(&scenario, &|_| {}).unwrap();
    let document: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    let mut names = Vec::new();
    field_names(&document, &mut names);
    for name in names {
        assert!(RESULT_PAGE.contains(&format!("`{name}`")), "{name} is not on the page");
    }
}

fn field_names(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            names.push(name.clone());
            field_names(value, names);
        }),
        serde_json::Value::Array(items) => items.iter().for_each(|item| field_names(item, names)),
        _ => {}
    }
}

/// A machine that comes with CoreTwin: that of the first shipped scenario.
fn machine() -> String {
    Scenario::load(LIBRARY[0].name, &[]).unwrap().machine_name
}
