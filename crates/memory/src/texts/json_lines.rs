//! Reads JSON Lines files. We set invalid lines aside and report them, so that a single bad line
//! doesn't make the others unusable.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};
use windlass_base::{Place, Source, in_parallel};

use crate::texts::line_bytes::{has_mark, is_mark};

/// A line with a valid JSON object.
#[derive(Debug, Clone)]
pub struct JsonLine {
    /// The line number (1-based).
    pub number: u32,
    /// The byte range of the object, without whitespace around it.
    pub range: Range<usize>,
    /// The object's members, including unknown ones.
    pub fields: Map<String, Value>,
}

/// A line that we couldn't parse.
#[derive(Debug, Clone)]
pub struct FaultyLine {
    /// The error's location.
    pub place: Place,
    /// Reason for messages.
    pub why: String,
}

/// The beginnings of lines that an unfinished merge leaves in a file.
const MERGE_MARKS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

pub(crate) fn read(source: &Arc<Source>, threads: usize) -> (Vec<JsonLine>, Vec<FaultyLine>) {
    /// Number of lines per unit of work for a thread.
    const PIECE: usize = 256;
    let mut at = 0;
    let written: Vec<(u32, Range<usize>)> = (1..)
        .zip(source.text().split_inclusive('\n'))
        .map(|(number, line)| {
            let start = at;
            at += line.len();
            (number, start..at)
        })
        .collect();
    let read = in_parallel(&written, threads, PIECE, |piece| {
        let (mut lines, mut faulty) = (Vec::new(), Vec::new());
        for (number, line) in piece {
            match read_line(source, *number, line.clone()) {
                Some(Ok(line)) => lines.push(line),
                Some(Err(line)) => faulty.push(line),
                None => {}
            }
        }
        (lines, faulty)
    });
    let (lines, faulty): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let lines = lines.into_iter().flatten();
    (lines.collect(), faulty.into_iter().flatten().collect())
}

fn read_line(
    source: &Arc<Source>,
    number: u32,
    line: Range<usize>,
) -> Option<Result<JsonLine, FaultyLine>> {
    let start = line.start;
    let line = &source.text()[line];
    let object = object_in(line, start == 0);
    let trimmed = &line[object.clone()];
    if trimmed.is_empty() {
        return None;
    }
    let range = start + object.start..start + object.end;
    let faulty = |from: usize, why: String| {
        let place = Place::new(source, from..range.end);
        Some(Err(FaultyLine { place, why }))
    };
    // Bytes that aren't valid UTF-8 were replaced by placeholder characters when the file was read.
    if has_mark(trimmed)
        && let Some(at) = trimmed.find(is_mark)
    {
        return faulty(range.start + at, "it is not valid UTF-8".to_owned());
    }
    if MERGE_MARKS.iter().any(|mark| trimmed.starts_with(mark)) {
        let why = "it is an unresolved conflict marker";
        return faulty(range.start, why.to_owned());
    }
    match serde_json::from_str::<Fields>(trimmed) {
        Ok(Fields(fields)) => Some(Ok(JsonLine {
            number,
            range,
            fields,
        })),
        Err(error) if error.is_data() && !trimmed.starts_with('{') => {
            faulty(range.start, "it is not a JSON object".to_owned())
        }
        Err(error) => {
            let column = range.start + boundary(trimmed, error.column().saturating_sub(1));
            let why = match error.is_eof() {
                true => "it ends within an object".to_owned(),
                false => without_place(&error),
            };
            faulty(column.min(range.end), why)
        }
    }
}

/// The members of an object. A repeated key is an error, because we can't tell which of its values
/// was meant. (serde_json would silently take the last one.)
struct Fields(Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor).map(Self)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        while let Some((key, value)) = members.next_entry::<String, Value>()? {
            if fields.contains_key(&key) {
                let shown = key.escape_debug();
                return Err(A::Error::custom(format!("duplicate field `{shown}`")));
            }
            fields.insert(key, value);
        }
        Ok(fields)
    }
}

/// The range of the object on `line`, without whitespace around it. With `is_first`, the line may
/// start with a byte order mark.
pub(crate) fn object_in(line: &str, is_first: bool) -> Range<usize> {
    let marked = is_first && line.starts_with('\u{feff}');
    let mark = if marked { '\u{feff}'.len_utf8() } else { 0 };
    let rest = line[mark..].trim_start();
    let start = line.len() - rest.len();
    start..start + rest.trim_end().len()
}

/// The last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Removes the position from a message by serde. We parse each line by itself, so that would always
/// be line 1.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

impl JsonLine {
    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    /// Returns the strings in the list `field`, without any other values in it.
    pub(crate) fn texts(&self, field: &str) -> Vec<String> {
        let list = self.fields.get(field).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// Returns the location of the key `field`, or that of the whole line if there's no such key.
    pub(crate) fn place_of(&self, source: &Arc<Source>, field: &str) -> Place {
        let line = &source.text()[self.range.clone()];
        let key = format!("\"{field}\"");
        let found = line.find(&key).filter(|_| self.fields.contains_key(field));
        match found {
            Some(at) => Place::new(
                source,
                self.range.start + at..self.range.start + at + key.len(),
            ),
            None => Place::new(source, self.range.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_line_set_aside() {
        let text = "\u{feff}{\"a\":1}\r\n\n  {\"b\": [1,\n3\n<<<<<<< HEAD\n{\"c\":\"ü\"}";
        let source = Source::new("x.jsonl", text);
        let (lines, faulty) = read(&source, 2);
        let told: Vec<_> = lines
            .iter()
            .map(|l| (l.number, &text[l.range.clone()]))
            .collect();
        assert_eq!(told, [(1, "{\"a\":1}"), (6, "{\"c\":\"ü\"}")]);
        let faulty: Vec<_> = faulty
            .iter()
            .map(|f| (f.place.position().line, &*f.why))
            .collect();
        assert_eq!(
            faulty,
            [
                (3, "it ends within an object"),
                (4, "it is not a JSON object"),
                (5, "it is an unresolved conflict marker")
            ]
        );
    }
}
