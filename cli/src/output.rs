//! Results to stdout, complaints to stderr, and the exit code.

use std::ffi::OsString;
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

/// Makes sure that a file can be written, before anything long is done for it.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let bad = |problem: &str| Failure::BadInput(format!("error: {}: {problem}", path.display()));
    if path.is_dir() {
        return Err(bad("is a folder, not a file"));
    }
    if is_special(path) {
        return Ok(());
    }
    let temporary = beside(path).ok_or_else(|| bad("is not the name of a file"))?;
    let tried = File::create(&temporary).and_then(|_| fs::remove_file(&temporary));
    tried.map_err(|error| bad(&format!("cannot be written: {error}")))
}

/// Writes a file so that it appears whole or not at all: under another name beside its place, and then renamed.
/// Devices and pipes are written as they are.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let written = match beside(path) {
        Some(temporary) if !is_special(path) => {
            let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path));
            // After the rename there is nothing of that name any more.
            let _ = fs::remove_file(&temporary);
            written
        }
        _ => fs::write(path, text),
    };
    written.map_err(|error| Failure::Failed(format!("error: {}: cannot be written: {error}", path.display())))
}

/// Whether something is there that is no plain file, such as a device, and must not be replaced by one.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

/// A name in the same folder that no other process takes.
fn beside(path: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(format!(".{}", std::process::id()));
    Some(path.with_file_name(name))
}
