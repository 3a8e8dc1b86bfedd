//! The rules of style that a machine can check, for every Rust file and every crate of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 60;
const LINE_CHARACTERS_MAX: usize = 120;

/// Marks of unfinished work. In two parts each, so that this file does not contain them.
const UNFINISHED: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("db", "g!(")];

/// Names of files, folders and modules that say nothing about what is inside.
const EMPTY_NAMES: [&str; 6] = ["util", "utils", "helper", "helpers", "common", "misc"];

/// Each crate's layer: a crate depends on crates of lower layers only.
const LAYERS: [(&str, u32); 7] = [
    ("sim-core", 0),
    ("dataplane", 0),
    ("models", 1),
    ("scenarios", 2),
    ("validation", 3),
    ("coretwin", 4),
    ("gui", 4),
];

#[test]
fn files_are_short() {
    check_files(|_, text| {
        let lines = text.lines().count();
        let long = lines > FILE_LINES_MAX;
        long.then(|| (lines, format!("{lines} lines in a file, at most {FILE_LINES_MAX}"))).into_iter().collect()
    });
}

#[test]
fn functions_fit_a_screen() {
    check_files(|_, text| {
        let lengths = function_lengths(text).into_iter();
        let long = lengths.filter(|(_, length)| *length > FUNCTION_LINES_MAX);
        long.map(|(at, length)| (at, format!("{length} lines in a function, at most {FUNCTION_LINES_MAX}"))).collect()
    });
}

#[test]
fn lines_are_short() {
    check_files(|_, text| {
        let lengths = (1..).zip(text.lines().map(|line| line.chars().count()));
        let long = lengths.filter(|(_, length)| *length > LINE_CHARACTERS_MAX);
        long.map(|(at, length)| (at, format!("{length} characters in a line, at most {LINE_CHARACTERS_MAX}"))).collect()
    });
}

#[test]
fn nothing_is_left_unfinished() {
    check_files(|_, text| {
        let marks = |line: &str| UNFINISHED.into_iter().filter(|mark| line.contains(mark)).collect::<Vec<_>>();
        let found = (1..).zip(text.lines()).flat_map(|(at, line)| marks(line).into_iter().map(move |mark| (at, mark)));
        found.map(|(at, mark)| (at, format!("`{mark}` marks unfinished work"))).collect()
    });
}

#[test]
fn names_say_what_is_inside() {
    let complaint = |at: usize, name: &str| (at, format!("`{name}` is no name: it says nothing about what is inside"));
    check_files(|path, text| {
        let parts = path.iter().map(|part| Path::new(part).file_stem().unwrap_or(part).to_string_lossy().into_owned());
        let of_file = parts.filter(|part| EMPTY_NAMES.contains(&part.as_str())).map(|part| complaint(1, &part));
        let modules = (1..).zip(text.lines()).filter_map(|(at, line)| Some((at, module_name(line)?)));
        let of_modules = modules.filter(|(_, name)| EMPTY_NAMES.contains(name)).map(|(at, name)| complaint(at, name));
        of_file.chain(of_modules).collect()
    });
}

#[test]
fn arrows_between_crates_point_one_way() {
    let mut complaints = Vec::new();
    let manifests = manifests();
    assert!(manifests.len() >= 6, "the workspace's crates were not found");
    for path in manifests {
        let text = read(&path);
        let shown = shown(&path);
        let name = text.lines().find_map(|line| line.strip_prefix("name = ")).map(|name| name.trim_matches('"'));
        let Some(layer) = name.and_then(layer_of) else {
            complaints.push(format!("{shown}:1: this crate has no layer yet: give it one in {}", file!()));
            continue;
        };
        for (at, dependency) in dependencies(&text) {
            if layer_of(dependency).is_some_and(|below| below >= layer) {
                complaints
                    .push(format!("{shown}:{at}: the crate may not depend on {dependency}, which is not below it"));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn functions_end_where_they_began() {
    let text = "    fn declared(\n        &self,\n    ) -> u32;\n    fn short() {}\n    pub(crate) const fn long() {\n\
                \x20       if x {\n        }\n    }\n";
    assert_eq!(function_lengths(text), [(1, 3), (4, 1), (5, 4)]);
}

#[test]
fn dependencies_are_found_in_every_section() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = { path = \"b\" }\n[lints]\nc = 1\n\
                    [target.'cfg(loom)'.dev-dependencies]\nd = \"1\"\n";
    assert_eq!(dependencies(manifest), [(4, "a"), (5, "b"), (9, "d")]);
}

/// Applies a rule to every file, and fails with all complaints: each a line's number and what is wrong there.
fn check_files(rule: impl Fn(&Path, &str) -> Vec<(usize, String)>) {
    let files = rust_files();
    assert!(files.len() > 50, "the workspace's files were not found");
    let complaints: Vec<String> = files
        .iter()
        .flat_map(|path| {
            let inside = path.strip_prefix(workspace()).expect("a file of the workspace");
            let found = rule(inside, &read(path)).into_iter();
            found.map(|(at, what)| format!("{}:{at}: {what}", inside.display())).collect::<Vec<_>>()
        })
        .collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Where each function of a formatted file begins, and how many lines it has. It ends with the first line that is
/// indented as its first one and closes a block or, for a declaration, ends a statement.
fn function_lengths(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| {
        let words = line.trim_start().split(' ');
        let mut words = words.skip_while(|word| word.starts_with("pub") || ["const", "unsafe", "async"].contains(word));
        words.next() == Some("fn")
    };
    let starts = lines.iter().enumerate().filter(|(_, line)| begins(line));
    starts
        .map(|(start, line)| {
            let indent = &line[..line.len() - line.trim_start().len()];
            let ends = |line: &&str| match line.strip_prefix(indent) {
                Some(rest) => !rest.starts_with(' ') && rest.ends_with(['}', ';']),
                None => false,
            };
            let last = lines[start..].iter().position(ends);
            (start + 1, last.map_or(lines.len() - start, |last| last + 1))
        })
        .collect()
}

/// The name of the module that a line begins or declares.
fn module_name(line: &str) -> Option<&str> {
    let mut words = line.trim_start().split([' ', ';']).skip_while(|word| word.starts_with("pub"));
    if words.next() == Some("mod") { words.next() } else { None }
}

/// The names of a manifest's dependencies of all kinds, with their lines.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (at, line) in (1..).zip(manifest.lines()) {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if inside && let Some((name, _)) = line.split_once(['.', '=', ' ']) {
            found.push((at, name));
        }
    }
    found
}

fn layer_of(name: &str) -> Option<u32> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|(_, layer)| *layer)
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

fn shown(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap_or(path).display().to_string()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.sort();
    paths
}

/// The manifests of all crates.
fn manifests() -> Vec<PathBuf> {
    let crates = entries(workspace()).into_iter().map(|folder| folder.join("Cargo.toml"));
    crates.filter(|manifest| manifest.is_file()).collect()
}

/// Every Rust file of every crate.
fn rust_files() -> Vec<PathBuf> {
    let crates = manifests().into_iter().filter_map(|manifest| manifest.parent().map(Path::to_owned));
    let mut folders: Vec<PathBuf> = crates.collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
