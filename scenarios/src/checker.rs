//! Reads the fields of a document one by one, notes what is wrong with each, and goes on, so that one look at a
//! file shows all that is wrong with it. It also notes which fields were left out and got their defaults, and
//! which fields nobody asked for.

use serde::Serialize;

use crate::diagnostic::Source;
use crate::diagnostic::{Diagnostic, Diagnostics, nearest};
use crate::document::{Node, Place, Value};

/// A field's value in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The field, such as `dataplane.burst`.
    pub path: String,
    /// Its value, in the file's notation.
    pub value: String,
    /// Whether it was left out, so that this is its default.
    pub default: bool,
}

/// What is wrong with a value, and what would be right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub problem: String,
    pub help: String,
}

impl Complaint {
    pub fn new(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: help.into() }
    }
}

/// More complaints than this are not shown.
const COMPLAINTS_MAX: usize = 50;

/// See the module.
pub(crate) struct Checker<'a> {
    source: &'a Source,
    root: &'a Node,
    /// The paths of all fields that there are, as far as asked for.
    known: Vec<String>,
    /// Paths below which it is not known what fields there are.
    opaque: Vec<String>,
    complaints: Vec<(Place, String, Complaint)>,
    settings: Vec<Setting>,
}

impl<'a> Checker<'a> {
    pub fn new(source: &'a Source, root: &'a Node) -> Self {
        let (known, opaque, complaints, settings) = Default::default();
        Self { source, root, known, opaque, complaints, settings }
    }

    /// Notes that something is wrong with the field at a path, or with what is nearest above it in the file.
    pub fn complain(&mut self, path: &str, complaint: Complaint) {
        self.complaints.push((self.place_of(path), path.into(), complaint));
    }

    /// Whether the field at a path itself has been complained about.
    fn is_bad(&self, path: &str) -> bool {
        self.complaints.iter().any(|(_, at, _)| at == path)
    }

    /// Whether the document gives the field a value.
    pub fn is_given(&self, path: &str) -> bool {
        self.root.find(path).is_some_and(|node| !matches!(node.value, Value::Nothing))
    }

    /// Says that there is a group of fields at a path; its fields are read by their own paths afterwards.
    pub fn group(&mut self, path: &str, example: &str) {
        self.known.push(path.into());
        if let Some(node) = self.root.find(path)
            && matches!(node.value, Value::Scalar(_) | Value::List(_))
        {
            let problem = format!("{}, but should be a group of fields", node.value.describe());
            self.complain(path, Complaint::new(problem, format!("for example `{example}`")));
        }
    }

    /// Says that it cannot be known which fields there are below a path.
    pub fn leave_unchecked(&mut self, path: &str) {
        self.opaque.push(path.into());
    }

    /// The field's node, if it is there and has a value. From here on the field is known.
    pub fn node(&mut self, path: &str) -> Option<&'a Node> {
        self.known.push(path.into());
        self.root.find(path).filter(|node| !matches!(node.value, Value::Nothing))
    }

    /// Notes the value in force of a field.
    pub fn note(&mut self, path: &str, value: String, default: bool) {
        self.settings.push(Setting { path: path.into(), value, default });
    }

    /// Reads a field that holds one value. `default` is the text taken when it is left out; without one, the field
    /// must be there. `expected` says in a few words what it should hold.
    /// `print` writes a value in the one way in which reports show it.
    pub fn value<T>(
        &mut self,
        path: &str,
        default: Option<&str>,
        expected: &str,
        parse: impl Fn(&str) -> Result<T, Complaint>,
        print: impl Fn(&T) -> String,
    ) -> Option<T> {
        let text = match self.node(path).map(|node| &node.value) {
            Some(Value::Scalar(text)) => text.as_str(),
            Some(other) => {
                let problem = format!("{}, but should be one value", other.describe());
                self.complain(path, Complaint::new(problem, format!("write {expected}")));
                return None;
            }
            None => match default {
                // A name with nothing behind it is a slip; leaving the field out altogether is not.
                Some(text) if self.root.find(path).is_none() => text,
                _ if self.is_bad(parent(path)) && self.root.find(path).is_none() => return None,
                _ => {
                    let problem = if self.root.find(path).is_some() { "has no value" } else { "is missing" };
                    self.complain(path, Complaint::new(problem, format!("write {expected}")));
                    return None;
                }
            },
        };
        match parse(text) {
            Ok(value) => {
                self.note(path, print(&value), !self.is_given(path));
                Some(value)
            }
            Err(complaint) => {
                self.complain(path, complaint);
                None
            }
        }
    }

    /// Ends the reading: all complaints, those about unknown fields included, or the values in force.
    pub fn finish(mut self) -> Result<Vec<Setting>, Diagnostics> {
        self.check_names("", self.root);
        if self.complaints.is_empty() {
            return Ok(self.settings);
        }
        self.complaints.sort_by(|a, b| a.0.cmp(&b.0));
        self.complaints.truncate(COMPLAINTS_MAX);
        let diagnostics = self.complaints.into_iter().map(|(place, path, complaint)| {
            Diagnostic::at(self.source, &place, &path, complaint.problem, complaint.help)
        });
        Err(Diagnostics(diagnostics.collect()))
    }

    fn place_of(&self, path: &str) -> Place {
        let mut path = path;
        loop {
            match self.root.find(path) {
                Some(node) => return node.place.clone(),
                None => path = parent(path),
            }
        }
    }

    fn check_names(&mut self, path: &str, node: &'a Node) {
        let Value::Fields(fields) = &node.value else { return };
        for (index, field) in fields.iter().enumerate() {
            let child = if path.is_empty() { field.name.clone() } else { format!("{path}.{}", field.name) };
            if fields[..index].iter().any(|earlier| earlier.name == field.name) {
                let complaint = Complaint::new("is there twice", "leave one of them out");
                self.complaints.push((field.place.clone(), child, complaint));
                continue;
            }
            if self.opaque.contains(&child) {
                continue;
            }
            if field.name.contains(['.', '[']) || !self.known.contains(&child) {
                let complaint = self.unknown_field(path, &field.name);
                self.complaints.push((field.place.clone(), child, complaint));
            } else if self.known.iter().any(|known| parent(known) == child) {
                self.check_names(&child, &field.node);
            }
        }
    }

    fn unknown_field(&self, group: &str, name: &str) -> Complaint {
        let siblings: Vec<&String> = self.known.iter().filter(|known| parent(known) == group).collect();
        let by_name = nearest(name, siblings.iter().map(|path| last_step(path)));
        let sibling = by_name.and_then(|near| siblings.iter().copied().find(|path| last_step(path) == near));
        let elsewhere = || self.known.iter().find(|path| *path == name || last_step(path) == name);
        let help = match sibling.or_else(elsewhere) {
            Some(path) => format!("did you mean `{path}`?"),
            None if siblings.is_empty() => "there are no fields here".into(),
            None => {
                let names: Vec<&str> = siblings.iter().map(|path| last_step(path)).collect();
                format!("the fields here are {}", names.join(", "))
            }
        };
        Complaint::new("there is no such field", help)
    }
}

/// The path of the group that a field is in; empty for the document.
fn parent(path: &str) -> &str {
    path.rfind(['.', '[']).map_or("", |at| &path[..at])
}

fn last_step(path: &str) -> &str {
    path.rfind('.').map_or(path, |at| &path[at + 1..])
}
