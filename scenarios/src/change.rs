//! Changes to a scenario from the command line: `--set dataplane.burst=8`.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{self, Field, Node, Place, Value};

/// A field of a scenario that gets another value than its file says. It is checked as the file is, and a
/// complaint about it names the argument it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The argument as typed, for messages: `--set dataplane.burst=8`.
    argument: String,
    /// The field, such as `dataplane.burst`.
    path: String,
    /// The value, in YAML.
    value: String,
}

impl Change {
    /// The change that the argument of a `--set PATH=VALUE` asks for.
    ///
    /// # Errors
    /// When there is no `=` or the path is not one, such as `a..b`.
    pub fn set(assignment: &str) -> Result<Self, Diagnostics> {
        let argument = format!("--set {assignment}");
        let Some((path, value)) = assignment.split_once('=') else {
            return Err(Diagnostic::of_file(&argument, "has no `=`", "write `--set dataplane.burst=8`").into());
        };
        let path = path.trim();
        if path.split('.').any(|step| step.is_empty() || step.contains(char::is_whitespace)) {
            let problem = format!("`{path}` is not the path of a field");
            return Err(Diagnostic::of_file(&argument, problem, "write `--set dataplane.burst=8`").into());
        }
        Ok(Self { path: path.into(), value: value.into(), argument })
    }

    /// A change under an argument of its own, such as `--seed 7`.
    pub fn from_argument(argument: &str, path: &str, value: &str) -> Self {
        Self { argument: argument.into(), path: path.into(), value: value.into() }
    }

    /// Makes the change in a document.
    pub(crate) fn apply(&self, root: &mut Node) -> Result<(), Diagnostics> {
        let mut value = document::parse(&self.value).map_err(|error| {
            let problem = format!("`{}` is not a YAML value: {}", self.value, error.problem);
            let help = "quote texts with special characters: 'path=\"text\"'";
            Diagnostics::from(Diagnostic::of_file(&self.argument, problem, help))
        })?;
        self.mark(&mut value);
        *self.target(root)? = value;
        Ok(())
    }

    /// Says of all values below that they come from this argument.
    fn mark(&self, node: &mut Node) {
        node.place = self.place();
        match &mut node.value {
            Value::Nothing | Value::Scalar(_) => {}
            Value::List(items) => items.iter_mut().for_each(|item| self.mark(item)),
            Value::Fields(fields) => fields.iter_mut().for_each(|field| {
                field.place = self.place();
                self.mark(&mut field.node);
            }),
        }
    }

    /// The node at the path; fields that are not there are added.
    fn target<'a>(&self, root: &'a mut Node) -> Result<&'a mut Node, Diagnostics> {
        let mut node = root;
        let mut done = String::new();
        for step in self.path.split('.') {
            if matches!(node.value, Value::Nothing) {
                node.value = Value::Fields(Vec::new());
            }
            let description = node.value.describe();
            let Value::Fields(fields) = &mut node.value else {
                let problem = format!("`{done}` {description}, which has no field `{step}`");
                let help = format!("set `{done}` itself");
                return Err(Diagnostic::of_file(&self.argument, problem, help).into());
            };
            let index = fields.iter().position(|field| field.name == step).unwrap_or_else(|| {
                let node = Node { place: self.place(), value: Value::Nothing };
                fields.push(Field { name: step.into(), place: self.place(), node });
                fields.len() - 1
            });
            node = &mut fields[index].node;
            done = if done.is_empty() { step.into() } else { format!("{done}.{step}") };
        }
        Ok(node)
    }

    fn place(&self) -> Place {
        Place::Argument(self.argument.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, assignment: &str) -> Result<Node, Diagnostics> {
        let mut root = document::parse(text).unwrap();
        Change::set(assignment).unwrap().apply(&mut root)?;
        Ok(root)
    }

    #[test]
    fn a_change_replaces_or_adds() {
        for (path, text) in [("a.b", "a: { b: 1 }"), ("a.b", "a: { c: 1 }"), ("a.b", "a:"), ("a.b", "d: 1"), ("a", "")]
        {
            let root = applied(text, &format!("{path}=5 ms")).unwrap();
            let node = root.find(path).unwrap();
            assert!(matches!(&node.value, Value::Scalar(value) if value == "5 ms"), "{text}: {node:?}");
            assert_eq!(node.place, Place::Argument(format!("--set {path}=5 ms")));
        }
    }

    #[test]
    fn a_value_may_be_a_group_or_hold_an_equals_sign() {
        let root = applied("a: 1", "a={ b: [x=1] }").unwrap();
        assert!(matches!(&root.find("a.b[0]").unwrap().value, Value::Scalar(value) if value == "x=1"));
    }

    #[test]
    fn what_cannot_be_set_is_named() {
        for (assignment, phrase) in [("a.b=1", "`a` is `1`, which has no field `b`"), ("a=[", "is not a YAML value")] {
            let error = applied("a: 1", assignment).unwrap_err().to_string();
            assert!(error.contains(phrase) && error.contains(&format!("--set {assignment}")), "{error}");
        }
        for assignment in ["a", "=1", "a..b=1", "a b=1", ".=1"] {
            assert!(Change::set(assignment).is_err(), "{assignment}");
        }
    }
}
