//! The book and the README: every page is there, every link leads somewhere, and every command prints what the page
//! says.
//!
//! A block that begins with "```console run" holds commands after `$ `, each followed by what it prints to stdout and
//! stderr, like so:
//!
//! ```text
//! $ coretwin check ring-spsc
//! ring-spsc: fine, 2 threads
//! ```
//!
//! Each is run by the shell in the page's folder, so it writes no files.
//! `BOOK=write cargo test -p coretwin --test book` puts what they print now into the pages; the difference is then
//! to be read and committed like any other.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use scenarios::machine::{COHERENCE, CORE};

/// A fenced block of a page.
struct Block<'a> {
    /// The line of its opening fence, counted from 0.
    start: usize,
    /// What is written after the opening fence.
    language: &'a str,
    lines: &'a [&'a str],
}

#[test]
fn the_summary_lists_every_page() {
    let summary = read(&book().join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = links(&summary).map(|(_, link)| book().join(link)).collect();
    let pages: BTreeSet<PathBuf> = pages().into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert!(pages.len() > 15, "the book's pages were not found");
    let missing: Vec<_> = listed.difference(&pages).collect();
    assert!(missing.is_empty(), "SUMMARY.md lists pages that do not exist: {missing:#?}");
    let unlisted: Vec<_> = pages.difference(&listed).collect();
    assert!(unlisted.is_empty(), "SUMMARY.md does not list {unlisted:#?}");
}

#[test]
fn links_lead_somewhere() {
    let mut complaints = Vec::new();
    for page in pages().into_iter().chain(documents()) {
        let text = read(&page);
        let links = links(&text).filter(|(_, link)| !link.contains("://"));
        for (at, link) in links.chain(includes(&text)) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { folder(&page).join(file) };
            if !target.exists() {
                complaints.push(format!("{}:{at}: there is no {link}", shown(&page)));
            } else if !anchor.is_empty() && !anchors(&read(&target)).contains(&anchor.to_owned()) {
                complaints.push(format!("{}:{at}: there is no heading for {link}", shown(&page)));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn commands_print_what_the_pages_say() {
    let mut complaints = Vec::new();
    let mut commands = 0;
    let write = env::var_os("BOOK").is_some_and(|wish| wish == "write");
    for page in pages().into_iter().chain(documents()) {
        let text = read(&page);
        let lines: Vec<&str> = text.lines().collect();
        let mut now = String::new();
        let mut written = 0;
        for block in blocks(&lines).filter(|block| block.language == "console run") {
            let start = block.start + 1;
            now += &joined(&lines[written..start]);
            written = start + block.lines.len();
            for (offset, command, output) in commands_of(block.lines) {
                commands += 1;
                let printed = run(command, folder(&page));
                if printed != joined(output) && !write {
                    let place = format!("{}:{}", shown(&page), start + offset + 1);
                    complaints.push(format!("{place}: `{command}` prints\n{printed}"));
                }
                now += &format!("$ {command}\n{printed}");
            }
        }
        now += &joined(&lines[written..]);
        if write && now != text {
            fs::write(&page, now).expect("the page can be written");
        }
    }
    assert!(commands > 15, "the pages' commands were not found");
    assert!(complaints.is_empty(), "\n{}\nBOOK=write puts this into the pages.\n", complaints.join("\n"));
}

#[test]
fn commands_of_the_readme_work() {
    let text = read(&workspace().join("README.md"));
    let lines: Vec<&str> = text.lines().collect();
    let mut commands = 0;
    for block in blocks(&lines).filter(|block| block.language == "sh") {
        for (offset, line) in block.lines.iter().enumerate() {
            let ours = line.strip_prefix("cargo run --release --bin coretwin -- ").or(line.strip_prefix("coretwin "));
            if let Some(arguments) = ours {
                commands += 1;
                let place = format!("README.md:{}", block.start + offset + 2);
                let ran = shell(&format!("coretwin {arguments}"), workspace());
                assert!(ran.status.success(), "{place}: {}", String::from_utf8_lossy(&ran.stdout));
            }
        }
    }
    assert!(commands > 5, "the README's commands were not found");
}

#[test]
fn the_readme_and_the_checks_run_the_same_tests() {
    const TESTS: &str = "cargo test --workspace";
    for document in ["README.md", ".ci/run"] {
        let text = read(&workspace().join(document));
        assert!(text.lines().any(|line| line == TESTS), "{document} has no line `{TESTS}`");
    }
}

#[test]
fn the_page_of_machine_profiles_names_every_parameter() {
    let page = read(&book().join("model/machine-profiles.md"));
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    for parameter in CORE.iter().chain(COHERENCE) {
        let name = format!("`{}`", parameter.key);
        assert!(rows.iter().any(|row| row.contains(&name)), "{name} has no row");
    }
}

#[test]
fn the_parts_of_a_page_are_found() {
    let page = "# A heading: `code`, twice\n[a](one.md) and [b](two.md#x)\n```console run\n$ one\n1\n$ two\n```\n\
                ```sh\n[no](link.md)\n{{#include three.yaml}}\n```\n";
    let lines: Vec<&str> = page.lines().collect();
    let console = blocks(&lines).next().expect("a block");
    assert_eq!((console.start, console.language, console.lines.len()), (2, "console run", 3));
    assert_eq!(commands_of(&["$ one", "1", "2", "$ two"]), [(0, "one", &["1", "2"][..]), (3, "two", &[][..])]);
    assert_eq!(links(page).collect::<Vec<_>>(), [(2, "one.md"), (2, "two.md#x")]);
    assert_eq!(includes(page).collect::<Vec<_>>(), [(10, "three.yaml")]);
    assert_eq!(anchors(page), ["a-heading-code-twice"]);
}

/// The fenced blocks of a page.
fn blocks<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = Block<'a>> {
    let mut fences = (0..lines.len()).filter(|number| lines[*number].starts_with("```"));
    std::iter::from_fn(move || {
        let (start, end) = (fences.next()?, fences.next().expect("every block ends"));
        Some(Block { start, language: lines[start].trim_start_matches('`'), lines: &lines[start + 1..end] })
    })
}

/// The commands of a block: the number of its line, the command, and the lines of its output.
fn commands_of<'a>(lines: &'a [&'a str]) -> Vec<(usize, &'a str, &'a [&'a str])> {
    let starts: Vec<usize> = (0..lines.len()).filter(|number| lines[*number].starts_with("$ ")).collect();
    assert_eq!(starts.first(), Some(&0), "a console block begins with a command: {lines:?}");
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().zip(ends).map(|(start, end)| (*start, &lines[*start][2..], &lines[start + 1..end])).collect()
}

/// What a command prints, on stdout and stderr.
fn run(command: &str, folder: &Path) -> String {
    assert!(command.starts_with("coretwin "), "the book runs nothing but coretwin: {command}");
    String::from_utf8(shell(command, folder).stdout).expect("output is UTF-8")
}

/// Runs a command by the shell, stderr going where stdout goes.
fn shell(command: &str, folder: &Path) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_coretwin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths([binary.parent().expect("a folder").to_owned()].into_iter().chain(env::split_paths(&path)));
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(folder).env("PATH", path.expect("a path"));
    shell.output().expect("the shell starts")
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// The lines outside fenced blocks, with their numbers counted from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The targets of a page's links, with their lines.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text)
        .flat_map(|(at, line)| line.split("](").skip(1).filter_map(move |rest| Some((at, rest.split_once(')')?.0))))
}

/// The files whose text mdBook is to include, with their lines.
fn includes(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let targets = (1..).zip(text.lines());
    targets.filter_map(|(at, line)| Some((at, line.split_once("{{#include ")?.1.split_once("}}")?.0)))
}

/// The anchors of a page's headings, as mdBook makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    let letters = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    headings.map(|(_, heading)| letters(heading)).collect()
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

fn book() -> PathBuf {
    workspace().join("docs/src")
}

/// The documents beside the book.
fn documents() -> impl Iterator<Item = PathBuf> {
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].into_iter().map(|name| workspace().join(name))
}

/// Every page of the book.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![book()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the book's folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn folder(page: &Path) -> &Path {
    page.parent().expect("a page lies in a folder")
}

fn shown(page: &Path) -> String {
    page.strip_prefix(workspace()).unwrap_or(page).display().to_string()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
