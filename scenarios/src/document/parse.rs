//! From YAML to the tree.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::{DuplicateKeyPolicy, Location, MessageFormatter, NonFiniteFloatPolicy, Spanned, UserMessageFormatter};

use super::{Field, Node, Place, Value};

/// Why a text is not a YAML document, and where.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub problem: String,
    pub place: Place,
}

/// Reads a YAML document. A document without content is [`Value::Nothing`].
pub(crate) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let options = serde_yaml::options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        null_as_string: true,
        with_snippet: false,
        budget: serde_yaml::budget! { max_nodes: NODES_MAX },
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: NODES_MAX },
    };
    match serde_yaml::from_str_with_options::<Raw>(text, options) {
        Ok(raw) if !matches!(raw.0.value, RawValue::Nothing) => Ok(locate(raw.0, text)),
        Ok(_) => Ok(Node { place: START, value: Value::Nothing }),
        Err(_) if is_blank(text) => Ok(Node { place: START, value: Value::Nothing }),
        Err(error) => {
            let problem = UserMessageFormatter.format_message(error.without_snippet()).into_owned();
            let place = error.location().map_or(START, |location| file_place(location, ""));
            Err(tab_indentation(&problem, &place, text).unwrap_or(SyntaxError { problem, place }))
        }
    }
}

/// The parser reports a tab in the indentation where the value before it begins; this finds the tab itself.
fn tab_indentation(problem: &str, place: &Place, text: &str) -> Option<SyntaxError> {
    let Place::File { line: reported, .. } = place else { return None };
    let tab_at = |line: &str| line.find(|c: char| c != ' ').filter(|at| line[*at..].starts_with('\t'));
    let mut lines = text.lines().enumerate().skip(reported - 1);
    let (index, column) = lines.find_map(|(index, line)| Some((index, tab_at(line)?)))?;
    problem.contains("tab").then(|| SyntaxError {
        problem: "there is a tab in the indentation, where only spaces may be".into(),
        place: Place::File { line: index + 1, column: column + 1, length: 1 },
    })
}

/// No scenario comes near this many values; what does is an attack or the wrong file.
const NODES_MAX: usize = 10_000;

const START: Place = Place::File { line: 1, column: 1, length: 1 };

fn is_blank(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || line == "---")
}

/// What serde hands over, before scalars get their text back.
struct Raw(Spanned<RawValue>);

enum RawValue {
    Nothing,
    /// A number or truth value, whose text is in the source.
    Plain,
    Text(String),
    List(Vec<Raw>),
    Fields(Vec<(Spanned<String>, Raw)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Spanned::deserialize(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for RawValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, a list or fields")
    }

    fn visit_unit<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<RawValue, E> {
        Ok(RawValue::Plain)
    }

    fn visit_i64<E>(self, _: i64) -> Result<RawValue, E> {
        Ok(RawValue::Plain)
    }

    fn visit_u64<E>(self, _: u64) -> Result<RawValue, E> {
        Ok(RawValue::Plain)
    }

    fn visit_f64<E>(self, _: f64) -> Result<RawValue, E> {
        Ok(RawValue::Plain)
    }

    fn visit_str<E>(self, text: &str) -> Result<RawValue, E> {
        Ok(RawValue::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<RawValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(RawValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<RawValue, A::Error> {
        let mut fields: Vec<(Spanned<String>, Raw)> = Vec::new();
        while let Some(name) = entries.next_key::<Spanned<String>>()? {
            fields.push((name, entries.next_value()?));
        }
        Ok(RawValue::Fields(fields))
    }
}

fn locate(raw: Spanned<RawValue>, text: &str) -> Node {
    let value = match raw.value {
        RawValue::Nothing => Value::Nothing,
        RawValue::Plain => Value::Scalar(source_text(raw.defined, text).to_owned()),
        RawValue::Text(scalar) => Value::Scalar(scalar),
        RawValue::List(items) => Value::List(items.into_iter().map(|item| locate(item.0, text)).collect()),
        RawValue::Fields(fields) => {
            Value::Fields(fields.into_iter().map(|(name, node)| locate_field(name, node, text)).collect())
        }
    };
    Node { place: file_place(raw.referenced, text), value }
}

fn locate_field(name: Spanned<String>, raw: Raw, text: &str) -> Field {
    let place = file_place(name.referenced, text);
    let mut node = locate(raw.0, text);
    if matches!(node.value, Value::Nothing) {
        // Where nothing stands there is nothing to point at.
        node.place = place.clone();
    }
    Field { name: name.value, place, node }
}

/// The part of the source that a location covers.
fn source_text(location: Location, text: &str) -> &str {
    let span = location.span();
    match (span.byte_offset(), span.byte_len()) {
        (Some(start), Some(length)) => text.get(start as usize..(start + length) as usize).unwrap_or("").trim_end(),
        _ => "",
    }
}

fn file_place(location: Location, text: &str) -> Place {
    let first_line = source_text(location, text).lines().next().unwrap_or("");
    Place::File {
        line: location.line().max(1) as usize,
        column: location.column().max(1) as usize,
        length: first_line.chars().count().max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize, length: usize) -> Place {
        Place::File { line, column, length }
    }

    #[test]
    fn values_keep_their_text_and_place() {
        let text = "a: 1.50\nb: { c: [x, 'y z', 0x10, .nan, yes], d: }\n";
        let root = parse(text).unwrap();
        for (path, scalar, place) in [
            ("a", "1.50", at(1, 4, 4)),
            ("b.c[0]", "x", at(2, 10, 1)),
            ("b.c[1]", "y z", at(2, 13, 5)),
            ("b.c[2]", "0x10", at(2, 20, 4)),
            ("b.c[3]", ".nan", at(2, 26, 4)),
            ("b.c[4]", "yes", at(2, 32, 3)),
        ] {
            let node = root.find(path).unwrap();
            assert!(matches!(&node.value, Value::Scalar(text) if text == scalar), "{path}: {:?}", node.value);
            assert_eq!(node.place, place, "{path}");
        }
        assert!(matches!(root.find("b.d").unwrap().value, Value::Nothing));
        assert!(root.find("b.e").is_none() && root.find("a.b").is_none() && root.find("b.c[5]").is_none());
    }

    #[test]
    fn an_alias_stands_where_it_is_used() {
        let root = parse("a: &n 17\nb: *n\n").unwrap();
        let b = root.find("b").unwrap();
        assert!(matches!(&b.value, Value::Scalar(text) if text == "17"), "{:?}", b.value);
        assert!(matches!(b.place, Place::File { line: 2, column: 4, .. }), "{:?}", b.place);
    }

    #[test]
    fn a_text_without_content_is_nothing() {
        for text in ["", "\n\n", "# only a comment\n", "---\n"] {
            assert!(matches!(parse(text).unwrap().value, Value::Nothing), "{text:?}");
        }
    }

    #[test]
    fn syntax_errors_say_where() {
        for (text, line) in [("a: 1\nb: [1, 2\n", 2), ("a: 1\n\tb: 2\n", 2), ("a: b: c\n", 1)] {
            let error = parse(text).unwrap_err();
            assert!(matches!(error.place, Place::File { line: at, .. } if at == line), "{text:?}: {error:?}");
        }
    }
}
