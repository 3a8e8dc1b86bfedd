//! A YAML document as a tree in which every value knows where it was written, so that each complaint about it
//! can point there.

mod parse;

pub(crate) use parse::parse;

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// On the command line, as this argument.
    Argument(String),
    /// In the file. Line and column count from 1; the length is in characters.
    File {
        /// Its line.
        line: usize,
        /// Its first character's column.
        column: usize,
        /// How many characters it takes.
        length: usize,
    },
}

/// A value and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Value,
}

/// A YAML value. Scalars keep their text as written: what type a field wants is for its reader to say.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Nothing after the colon, `~` or `null`.
    Nothing,
    Scalar(String),
    List(Vec<Node>),
    /// In the order written; a name may be there twice.
    Fields(Vec<Field>),
}

/// A field of a mapping.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: String,
    /// Where its name stands.
    pub place: Place,
    pub node: Node,
}

impl Value {
    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Nothing => "has no value".into(),
            Self::Scalar(text) => format!("is `{text}`"),
            Self::List(_) => "is a list".into(),
            Self::Fields(_) => "is a group of fields".into(),
        }
    }
}

impl Node {
    /// The node at a dotted path below this one, such as `dataplane.burst` or `layout.threads[2]`; the empty path
    /// is the node itself.
    pub fn find(&self, path: &str) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        let (step, rest) = split_step(path);
        let child = match &self.value {
            Value::Fields(fields) => &fields.iter().find(|field| field.name == step)?.node,
            Value::List(items) => items.get(step.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok()?)?,
            Value::Nothing | Value::Scalar(_) => return None,
        };
        child.find(rest)
    }
}

/// Splits `a.b.c` into `a` and `b.c`, and `a[2]` into `a` and `[2]`.
fn split_step(path: &str) -> (&str, &str) {
    match path.char_indices().skip(1).find(|(_, c)| matches!(c, '.' | '[')) {
        Some((at, '.')) => (&path[..at], &path[at + 1..]),
        Some((at, _)) => path.split_at(at),
        None => (path, ""),
    }
}
