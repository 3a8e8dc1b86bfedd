//! Remembers evaluations, so that a calibration that was killed need not repeat them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Hashes what an evaluation depends on (FNV-1a, 64 bits: the same on every host).
#[derive(Clone, Copy, Debug)]
pub struct Key(u64);

impl Key {
    /// The hash of nothing.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Goes on with some bytes and their number.
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> Self {
        let all = bytes.iter().copied().chain((bytes.len() as u64).to_le_bytes());
        Self(all.fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// Goes on with a number.
    #[must_use]
    pub fn with_number(self, number: f64) -> Self {
        self.with(&number.to_bits().to_le_bytes())
    }

    /// The hash.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Default for Key {
    fn default() -> Self {
        Self::new()
    }
}

/// A file of evaluations: a line with the key in hexadecimal and the value's bits for each.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    known: BTreeMap<u64, f64>,
    file: File,
    /// The first failure to write; the calibration goes on and reports it.
    failure: Option<io::Error>,
}

impl Journal {
    /// Opens the journal or begins one. A line cut off when the writer was killed is passed over.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let known = text.lines().filter_map(parse).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(Self { path: path.to_owned(), state: Mutex::new(State { known, file, failure: None }) })
    }

    /// The value known for a key, or else the value that `evaluate` gives, which is then known.
    pub fn look_up(&self, key: Key, evaluate: impl FnOnce() -> f64) -> f64 {
        if let Some(value) = self.lock().known.get(&key.value()) {
            return *value;
        }
        let value = evaluate();
        let mut state = self.lock();
        state.known.insert(key.value(), value);
        let line = format!("{:016x} {:016x}\n", key.value(), value.to_bits());
        if let Err(error) = state.file.write_all(line.as_bytes()) {
            state.failure.get_or_insert(error);
        }
        value
    }

    /// How many values are known.
    pub fn known(&self) -> usize {
        self.lock().known.len()
    }

    /// Deletes the file: the calibration is done.
    ///
    /// # Errors
    /// A value could not be written earlier, or the file cannot be deleted.
    pub fn finish(self) -> io::Result<()> {
        if let Some(failure) = self.lock().failure.take() {
            return Err(failure);
        }
        std::fs::remove_file(&self.path)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is whole between any two statements above, even if a thread panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse(line: &str) -> Option<(u64, f64)> {
    let (key, value) = line.split_once(' ')?;
    let hexadecimal = |text: &str| (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok()).flatten();
    Some((hexadecimal(key)?, f64::from_bits(hexadecimal(value)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // Published test vector: the hash of "a". The length that follows is hashed the same way.
        let a = Key(Key::new().0 ^ u64::from(b'a')).0.wrapping_mul(0x0100_0000_01b3);
        assert_eq!(a, 0xaf63_dc4c_8601_ec8c);
        let length = 1_u64.to_le_bytes();
        let expected = length.iter().fold(a, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        assert_eq!(Key::new().with(b"a").value(), expected);
    }

    #[test]
    fn what_was_evaluated_is_known_after_a_kill() {
        let path = std::env::temp_dir().join(format!("coretwin-journal-{}", std::process::id()));
        let key = |number| Key::new().with_number(number);
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.look_up(key(1.0), || 0.25), 0.25);
        assert_eq!(journal.look_up(key(2.0), || f64::INFINITY), f64::INFINITY);
        drop(journal);
        // The kill came in the middle of a line.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}0123456789abcdef 3f")).unwrap();

        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.known(), 2);
        assert_eq!(journal.look_up(key(1.0), || panic!("evaluated twice")), 0.25);
        assert_eq!(journal.look_up(key(3.0), || 0.5), 0.5);
        drop(journal);
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.known(), 3);
        journal.finish().unwrap();
        assert!(!path.exists());
    }
}
