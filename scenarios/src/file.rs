//! Reading a scenario's text from a file, without trusting the file.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::document::Place;

/// Larger files are not scenarios.
const BYTES_MAX: u64 = 1 << 20;

/// The text of a file.
///
/// `instead` names what the file's name may have been meant for, if it cannot be found.
pub(crate) fn read(path: &Path, instead: impl Fn() -> String) -> Result<Source, Diagnostics> {
    let name = path.display().to_string();
    let unreadable = |error: std::io::Error| -> Diagnostics {
        let diagnostic = match error.kind() {
            ErrorKind::NotFound => Diagnostic::of_file(&name, "there is no such file", instead()),
            ErrorKind::PermissionDenied => {
                Diagnostic::of_file(&name, "may not be read", "check the file's permissions")
            }
            ErrorKind::IsADirectory => directory(&name),
            _ => Diagnostic::of_file(&name, format!("cannot be read: {error}"), ""),
        };
        diagnostic.into()
    };
    if path.is_dir() {
        return Err(directory(&name).into());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > BYTES_MAX {
        let problem = format!("is larger than {} KiB", BYTES_MAX >> 10);
        return Err(
            Diagnostic::of_file(&name, problem, "a scenario is a short YAML file; is this the right one?").into()
        );
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source { name, text }),
        Err(error) => Err(not_utf8(&name, &error).into()),
    }
}

fn directory(name: &str) -> Diagnostic {
    Diagnostic::of_file(name, "is a folder, not a file", "name a scenario file in it")
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Diagnostic {
    let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let text = String::from_utf8_lossy(valid);
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    let byte = error.as_bytes().get(valid.len()).copied().unwrap_or_default();
    let source = Source { name: name.into(), text: String::new() };
    let place = Place::File { line, column, length: 1 };
    let problem = format!("is not a text in UTF-8: the byte 0x{byte:02x} is none of its characters");
    Diagnostic::at(&source, &place, "", problem, "save the file as UTF-8".into())
}
