//! Runs the built `coretwin` and keeps what it said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a command left behind.
pub struct Ran {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

/// The command, not yet started.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coretwin"));
    command.args(arguments);
    command
}

/// Runs `coretwin` with these arguments.
pub fn coretwin(arguments: &[&str]) -> Ran {
    let Output { status, stdout, stderr } = command(arguments).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// An empty folder for one test.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test's files");
    folder
}

/// A file in a folder; its path as an argument.
pub fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for the test");
    path.to_str().expect("a path in UTF-8").to_owned()
}
