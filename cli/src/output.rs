//! Results to stdout, complaints to stderr, and the exit code.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// The user's input is wrong: exit code 2.
    BadInput(String),
    /// Something went wrong with good input, or a result is not as wanted: exit code 1.
    Failed(String),
}

impl Failure {
    /// Says on stderr what is wrong. There is nobody to tell if that cannot be written.
    pub fn report(&self) {
        let (Self::BadInput(message) | Self::Failed(message)) = self;
        let _ = writeln!(io::stderr().lock(), "{}", message.trim_end());
    }

    /// The exit code that says so.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::BadInput(_) => 2,
            Self::Failed(_) => 1,
        })
    }
}

/// Writes a result to stdout. A reader that has seen enough and closed the pipe is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("error: cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// A file that appears whole or not at all: it is written under another name beside its place and then renamed.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
}

impl AtomicFile {
    /// Makes sure that the file can be written, before anything long is done for it.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let bad = |problem: &str| Failure::BadInput(format!("error: {}: {problem}", path.display()));
        if path.is_dir() {
            return Err(bad("is a folder, not a file"));
        }
        let Some(name) = path.file_name() else { return Err(bad("is not the name of a file")) };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}", std::process::id()));
        let temporary = path.with_file_name(hidden);
        let file = File::create(&temporary).map_err(|error| bad(&format!("cannot be written: {error}")))?;
        Ok(Self { path: path.into(), temporary, file })
    }

    /// Puts the text into its place.
    pub fn write(mut self, text: &str) -> Result<(), Failure> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| fs::rename(&self.temporary, &self.path));
        written.map_err(|error| Failure::Failed(format!("error: {}: cannot be written: {error}", self.path.display())))
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After the rename there is nothing of that name any more.
        let _ = fs::remove_file(&self.temporary);
    }
}
