//! What is wrong with a line that is no anchor, and where in it.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use windlass_base::{Ident, LineSpan, RepoPath};

use crate::AnchorKind;
use crate::unknown_name::UnknownName;

/// The fields a line may have, and whether it must.
const FIELDS: [(&str, bool); 9] = [
    ("id", true),
    ("file", true),
    ("start_line", true),
    ("end_line", false),
    ("label", false),
    ("kind", false),
    ("symbol", false),
    ("tags", false),
    ("zone", false),
];

/// One thing that is wrong.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The sort of mistake.
    pub(crate) rule: &'static str,
    /// Which bytes of the line.
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// All that is wrong with `line`; at least one thing, as it is called for lines that could not be read.
pub(crate) fn faults(line: &str) -> Vec<Fault> {
    let whole = trimmed(line);
    let fields: Fields<'_> = match serde_json::from_str(line) {
        Ok(fields) => fields,
        Err(error) => return vec![no_object(line, &error)],
    };
    let mut found = Vec::new();
    for (at, (name, value)) in fields.0.iter().enumerate() {
        let value_range = range_of(line, value.get());
        let key_range = key_before(line, value_range.start);
        if !FIELDS.iter().any(|(known, _)| known == name) {
            found.push(unknown(name, key_range));
        } else if fields.0[..at].iter().any(|(earlier, _)| earlier == name) {
            found.push(Fault {
                rule: "anchor-field",
                range: key_range,
                message: format!("`{name}` stands twice in this object"),
                help: None,
            });
        } else if let Some((message, help)) = misfit(name, value.get()) {
            found.push(Fault {
                rule: "anchor-value",
                range: value_range,
                message,
                help,
            });
        }
    }
    for (name, _) in FIELDS.iter().filter(|(_, required)| *required) {
        if !fields.0.iter().any(|(there, _)| there == name) {
            found.push(Fault {
                rule: "anchor-field",
                range: whole.clone(),
                message: format!("`{name}` is missing"),
                help: Some(EXAMPLE.to_owned()),
            });
        }
    }
    if found.is_empty() {
        found.extend(reversed(line, &fields));
    }
    if found.is_empty() {
        found.push(Fault {
            rule: "anchor-line",
            range: whole,
            message: "this is no anchor".to_owned(),
            help: Some(EXAMPLE.to_owned()),
        });
    }
    found
}

const EXAMPLE: &str =
    r#"a line looks like `{"id":"errors","file":"src/error.rs","start_line":12,"end_line":31}`"#;

/// The fields of an object in the order of the text, each as often as it stands there.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(InOrder).map(Self)
    }
}

fn trimmed(line: &str) -> Range<usize> {
    let start = line.len() - line.trim_start().len();
    start..line.trim_end().len().max(start)
}

/// Where `part`, a slice of `line`, stands in it.
fn range_of(line: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    let start = start.min(line.len());
    start..(start + part.len()).min(line.len())
}

/// The key of the value that begins at the byte `value`.
fn key_before(line: &str, value: usize) -> Range<usize> {
    let before = line[..value].trim_end();
    let key = before.strip_suffix(':').unwrap_or(before).trim_end();
    let inside = key.strip_suffix('"').unwrap_or(key);
    let is_escaped = |at: usize| {
        inside[..at]
            .bytes()
            .rev()
            .take_while(|b| *b == b'\\')
            .count()
            % 2
            == 1
    };
    let mut quotes = inside.rmatch_indices('"').map(|(at, _)| at);
    let start = quotes.find(|at| !is_escaped(*at)).unwrap_or(0);
    start..key.len()
}

/// A line that is no JSON, or no object.
fn no_object(line: &str, error: &serde_json::Error) -> Fault {
    let whole = trimmed(line);
    let fault = |range, message: &str| Fault {
        rule: "anchor-line",
        range,
        message: message.to_owned(),
        help: Some(EXAMPLE.to_owned()),
    };
    match error.classify() {
        Category::Data => fault(whole, "an object is expected on each line"),
        Category::Eof => fault(
            whole.end..whole.end,
            "the object does not end on its line: each line holds a whole one",
        ),
        Category::Syntax | Category::Io => {
            // The column of the parser counts bytes.
            let mut at = error
                .column()
                .saturating_sub(1)
                .clamp(whole.start, whole.end);
            while !line.is_char_boundary(at) {
                at -= 1;
            }
            // A word is wrong as a whole.
            let before = line[..at].trim_end_matches(char::is_alphanumeric).len();
            let at = before.max(whole.start);
            let word = line[at..].find(|c: char| !c.is_alphanumeric());
            let next = line[at..].chars().next().map_or(0, char::len_utf8);
            let next = word.unwrap_or(line.len() - at).max(next);
            let after = at > whole.start && serde_json::from_str::<&RawValue>(&line[..at]).is_ok();
            let message = if after {
                "something follows the object: each line holds one"
            } else {
                "this is no JSON from here on"
            };
            fault(at..at + next, message)
        }
    }
}

fn unknown(name: &str, range: Range<usize>) -> Fault {
    let names = FIELDS.map(|(name, _)| name);
    let unknown = UnknownName::new("an anchor has no field", name, &names);
    Fault {
        rule: "anchor-field",
        range,
        message: unknown.message,
        help: Some(unknown.help),
    }
}

/// Why `value`, which is JSON, cannot be the field `name`; and what to do about it.
fn misfit(name: &str, value: &str) -> Option<(String, Option<String>)> {
    let expected = |what: &str| {
        let message = format!("`{name}` is {}, and {what} is expected", kind_of(value));
        Some((message, None))
    };
    let text = serde_json::from_str::<String>(value);
    match name {
        "start_line" | "end_line" => match serde_json::from_str::<Option<u32>>(value) {
            Ok(Some(1..)) => None,
            Ok(None) if name == "end_line" => None,
            Ok(Some(0)) => Some((format!("`{name}` is 0, and lines are counted from 1"), None)),
            _ => expected("a whole number from 1"),
        },
        "tags" | "zone" => match serde_json::from_str::<Option<Vec<String>>>(value) {
            Ok(_) => None,
            Err(_) => expected("a list of texts"),
        },
        "label" | "symbol" | "kind" if value == "null" => None,
        _ => match text {
            Err(_) => expected("a text"),
            Ok(text) => misfit_text(name, &text),
        },
    }
}

fn misfit_text(name: &str, text: &str) -> Option<(String, Option<String>)> {
    match name {
        "id" => {
            let error = Ident::parse(text).err()?;
            Some((format!("`id` cannot name an anchor: {error}"), None))
        }
        "file" => {
            let error = RepoPath::parse(text).err()?;
            Some((
                format!("`file` names no file of the repository: {error}"),
                None,
            ))
        }
        "kind" => {
            let kinds = AnchorKind::ALL.map(AnchorKind::as_str);
            if kinds.contains(&text) {
                return None;
            }
            let unknown = UnknownName::of_kind(text);
            Some((unknown.message, Some(unknown.help)))
        }
        _ => None,
    }
}

fn kind_of(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'"') => "a text",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a truth value",
        Some(b'n') => "null",
        _ => "another number",
    }
}

/// That the last line lies before the first.
fn reversed(line: &str, fields: &Fields<'_>) -> Option<Fault> {
    let number = |name: &str| {
        let (_, value) = fields.0.iter().find(|(there, _)| there == name)?;
        Some((serde_json::from_str::<u32>(value.get()).ok()?, value.get()))
    };
    let ((start, _), (end, value)) = (number("start_line")?, number("end_line")?);
    let error = LineSpan::new(start, end).err()?;
    Some(Fault {
        rule: "anchor-value",
        range: range_of(line, value),
        message: error.to_string(),
        help: None,
    })
}
