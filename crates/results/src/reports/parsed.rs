//! Parses reports to values. If a text cannot be parsed to its end, everything before that is kept.

use roxmltree::Node;
use serde_json::{Map, Value};

use super::format::Format;
use crate::extent::{Extent, extent};

pub(super) struct Parsed {
    /// Byte offsets of the report in the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The parsed value, or `Null` if nothing of it can be parsed.
    pub(super) value: Value,
    /// True if its end could not be parsed.
    pub(super) is_cut: bool,
}

/// Places to try as the beginning of a JSON report, at most.
const MAX_STARTS: usize = 256;

pub(super) fn parsed(format: &Format, text: &str) -> Vec<Parsed> {
    match (&format.xml, format.lines) {
        (Some(root), _) => xml(format, root, text),
        (None, true) => lines(text).into_iter().collect(),
        (None, false) => json(format, text),
    }
}

fn json(format: &Format, text: &str) -> Vec<Parsed> {
    let mut found: Vec<Parsed> = Vec::new();
    let mut cut = None;
    let mut at = 0;
    for (start, _) in line_starts(text, '{').take(MAX_STARTS) {
        if start < at {
            continue;
        }
        let rest = &text[start..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let end = start + values.byte_offset();
                if format.is_marked(&text[start..end]) {
                    found.push(Parsed {
                        start,
                        end,
                        value,
                        is_cut: false,
                    });
                    at = end;
                }
            }
            // This report is used if there's no complete one.
            Some(Err(error)) if cut.is_none() && format.is_marked(rest) => {
                let until = offset(rest, error.line(), error.column());
                cut = Some(salvaged(rest, until, start, text.len()));
            }
            _ => {}
        }
    }
    match found.is_empty() {
        true => cut.into_iter().collect(),
        false => found,
    }
}

/// Returns the offsets of lines that begin with `first`, after blanks.
fn line_starts(text: &str, first: char) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    });
    lines.filter_map(move |(start, line)| {
        let blanks = line.len() - line.trim_start().len();
        line[blanks..]
            .starts_with(first)
            .then_some((start + blanks, line))
    })
}

/// Converts a position reported by serde to a byte offset, at most the end of the text.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let before: usize = before.map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Parses the complete values of a JSON text before byte `until`.
fn salvaged(text: &str, until: usize, start: usize, end: usize) -> Parsed {
    let mut open: Vec<char> = Vec::new();
    let (mut is_text, mut is_escaped) = (false, false);
    // The last position at which closing all open objects and lists makes the text complete.
    let mut whole: Option<(usize, Vec<char>)> = None;
    for (at, c) in text[..until].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ if is_text => {}
            '{' | '[' => {
                open.push(if c == '{' { '}' } else { ']' });
                whole = Some((at + 1, open.clone()));
            }
            '}' | ']' => {
                open.pop();
                whole = Some((at + 1, open.clone()));
            }
            ',' => whole = Some((at, open.clone())),
            _ => {}
        }
    }
    let value = whole.and_then(|(at, open)| {
        let closed: String = text[..at].chars().chain(open.into_iter().rev()).collect();
        serde_json::from_str(&closed).ok()
    });
    Parsed {
        start,
        end,
        value: value.unwrap_or(Value::Null),
        is_cut: true,
    }
}

/// Parses one JSON value per line. Other lines between them are output of the program.
fn lines(text: &str) -> Option<Parsed> {
    let mut values = Vec::new();
    let (mut first, mut end) = (None, 0);
    let mut is_cut = false;
    for (start, line) in line_starts(text, '{') {
        match serde_json::from_str::<Value>(line) {
            Ok(value) => values.push(value),
            Err(_) => is_cut = true,
        }
        first.get_or_insert(start);
        end = (start + line.trim_start().len()).min(text.len());
    }
    Some(Parsed {
        start: first?,
        end,
        value: Value::Array(values),
        is_cut,
    })
}

fn xml(format: &Format, root: &str, text: &str) -> Vec<Parsed> {
    let tag = format!("<{root}");
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(&tag) {
        let start = at + next;
        let telling: Vec<&str> = format.telling.iter().map(String::as_str).collect();
        let (document, end, is_cut) = match extent(text, start, &format.unit, &telling) {
            Extent::Whole(end) => (text[start..end].to_owned(), end, false),
            Extent::Cut { end, next, missing } => {
                (format!("{}{missing}", &text[start..end]), next, true)
            }
        };
        let read = roxmltree::Document::parse(&document).ok();
        let value = read
            .as_ref()
            .map(|document| xml_value(document.root_element(), 0));
        found.push(Parsed {
            start,
            end,
            is_cut: is_cut || value.is_none(),
            value: value.unwrap_or(Value::Null),
        });
        at = end.max(start + tag.len());
    }
    found
}

/// Elements nested deeper than this are ignored.
const MAX_DEPTH: usize = 64;

/// Converts an element: attributes and text to members, elements of the same name to a list.
fn xml_value(element: Node<'_, '_>, depth: usize) -> Value {
    let mut members = Map::new();
    for attribute in element.attributes() {
        members.insert(attribute.name().to_owned(), attribute.value().into());
    }
    let texts = element.children().filter(Node::is_text);
    let text: String = texts.filter_map(|node| node.text()).collect();
    if !text.trim().is_empty() {
        members.insert("#text".to_owned(), text.into());
    }
    let children = element
        .children()
        .filter(|node| node.is_element() && depth < MAX_DEPTH);
    for child in children {
        let value = xml_value(child, depth + 1);
        let list = members
            .entry(child.tag_name().name())
            .or_insert_with(|| Value::Array(Vec::new()));
        match list {
            Value::Array(list) => list.push(value),
            // An element takes precedence over an attribute of the same name.
            attribute => *attribute = Value::Array(vec![value]),
        }
    }
    Value::Object(members)
}
