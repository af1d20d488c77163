//! Parses JSON and records the position of every key and value.

use std::sync::Arc;

use serde_json::{Map, Number, Value};
use windlass_base::{Diagnostic, Diagnostics, Place, Source};
use windlass_tron::{Category, Limits, PlaceId, Places, ReadOptions};

use super::document_tree::Document;
use super::offsets::Offsets;
use super::positions::Positions;
use super::source_text::{LIMIT, MAX_DEPTH, MAX_NODES, decode, json_place};
use crate::quote::harmless;

const BOM: char = '\u{feff}';

/// Parses strict JSON.
///
/// The positions come from the TRON reader. That reader accepts more than JSON, so serde_json
/// checks the text first.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Document, Diagnostics> {
    let source = decode(name, bytes, LIMIT)?;
    let text = source.text().trim_start_matches(BOM);
    let skipped = source.text().len() - text.len();
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        // We parse again into a value, because that gives a better message.
        let error = serde_json::from_str::<Value>(text).err().unwrap_or(error);
        return Err(not_json(&source, skipped, &error).into());
    }
    let options = ReadOptions {
        limits: Limits {
            depth: MAX_DEPTH,
            ..Limits::default()
        },
        ..ReadOptions::default()
    };
    let (value, places) = options
        .located(text)
        .map_err(|error| refused(&source, skipped, &error))?;
    let mut reader = Reader {
        source: &source,
        places: places.moved_by(skipped),
        positions: Positions::default(),
        found: Diagnostics::default(),
    };
    let root = reader.places.root();
    let value = reader.value(&value, root);
    if reader.positions.len() > MAX_NODES {
        let message = format!("the document has more than {MAX_NODES} values");
        let place = Place::new(&source, 0..source.text().len());
        let error = Diagnostic::error("document-size", message).at(place);
        return Err(error.help("split it").into());
    }
    if reader.found.has_errors() {
        return Err(reader.found);
    }
    let positions = reader.positions;
    Ok(Document::new(
        value,
        positions,
        Offsets::in_bytes(),
        source.clone(),
    ))
}

fn not_json(source: &Arc<Source>, skipped: usize, error: &serde_json::Error) -> Diagnostic {
    let message = error.to_string();
    let reason = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(reason, _)| reason);
    Diagnostic::error(
        "json-syntax",
        format!("this is not JSON: {}", harmless(reason)),
    )
    .at(json_place(source, skipped, error))
    .help("check this line and the one before: quotes, brackets and commas")
}

fn refused(source: &Arc<Source>, skipped: usize, error: &windlass_tron::Error) -> Diagnostic {
    let is_twice = error.message().ends_with("is there twice");
    let (rule, help) = match error.category() {
        Category::Limit => ("json-depth", "flatten the document"),
        _ if is_twice => ("json-duplicate-key", "remove one of the two, or rename it"),
        _ => ("json-syntax", "write it as JSON has it"),
    };
    let range = error.place().map_or(0..0, |place| place.range.clone());
    let place = Place::new(source, range.start + skipped..range.end + skipped);
    Diagnostic::error(rule, harmless(error.message()))
        .at(place)
        .help(help)
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    places: Places,
    positions: Positions,
    found: Diagnostics,
}

impl Reader<'_> {
    /// Converts a value and everything in it.
    ///
    /// The recursion cannot overflow the stack, because the TRON reader limits the depth.
    fn value(&mut self, value: &windlass_tron::Value<'_>, id: PlaceId) -> Value {
        let node = self.positions.open(&self.places.range(id));
        let value = match value {
            windlass_tron::Value::Null => Value::Null,
            windlass_tron::Value::Bool(truth) => Value::Bool(*truth),
            windlass_tron::Value::Number(number) => self.number(number.as_str(), id),
            windlass_tron::Value::String(text) => Value::String(text.as_str().to_owned()),
            windlass_tron::Value::Array(items) => {
                let mut nodes = Vec::with_capacity(items.len());
                let mut values = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    nodes.push(self.positions.next_node());
                    values.push(self.part(item, id, at));
                }
                self.positions.index_list(node, nodes);
                Value::Array(values)
            }
            windlass_tron::Value::Object(members) => {
                let mut keys = Vec::with_capacity(members.len());
                let mut map = Map::with_capacity(members.len());
                for (at, (key, member)) in members.iter().enumerate() {
                    let part = self.places.part(id, at);
                    let range = part.and_then(|part| self.places.key(part));
                    let key_node = self.positions.open(&range.unwrap_or(0..0));
                    self.positions.close(key_node);
                    keys.push(key_node);
                    let member = self.part(member, id, at);
                    map.insert(key.as_str().to_owned(), member);
                }
                self.positions.index_mapping(node, map.keys(), keys);
                Value::Object(map)
            }
        };
        self.positions.close(node);
        value
    }

    fn part(&mut self, value: &windlass_tron::Value<'_>, of: PlaceId, at: usize) -> Value {
        match self.places.part(of, at) {
            Some(id) => self.value(value, id),
            None => Value::Null,
        }
    }

    fn number(&mut self, text: &str, id: PlaceId) -> Value {
        let is_whole = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        let number = match is_whole {
            true => (text.parse::<u64>().map(Number::from).ok())
                .or_else(|| text.parse::<i64>().map(Number::from).ok()),
            false => text.parse().ok().and_then(Number::from_f64),
        };
        if let Some(number) = number {
            return Value::Number(number);
        }
        let message = format!("`{}` is not a supported number", harmless(text));
        let place = Place::new(self.source, self.places.range(id));
        self.found
            .push(Diagnostic::error("json-number", message).at(place));
        Value::Null
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::Document;
    use crate::tests::shown;

    fn read(text: &str) -> Result<Document, String> {
        Document::parse("x.json", text.as_bytes()).map_err(|found| shown(&found))
    }

    #[test]
    fn json_escapes_decoded() {
        for (text, value) in [
            (r#""Launch 🚀 \/ \u0000""#, "Launch 🚀 / \u{0}"),
            ("\"\u{85}\u{2028}\u{7f}\"", "\u{85}\u{2028}\u{7f}"),
            ("\u{feff}\"x\"", "x"),
        ] {
            assert_eq!(read(text).unwrap().value(), value, "{text}");
        }
    }

    #[test]
    fn json_errors_located() {
        for (text, line, message) in [
            ("{\"a\":1,\n}", "x.json:2:1", "trailing comma"),
            ("[1,\n2,]", "x.json:2:3", "trailing comma"),
            ("{a: 1}", "x.json:1:2", "key must be a string"),
            ("{'a': 1}", "x.json:1:2", "key must be a string"),
            ("a: 1", "x.json:1:1", "expected value"),
            ("class A: x\n\n[A(1)]", "x.json:1:1", "expected value"),
            ("{\"a\":1}\n{\"b\":2}", "x.json:2:1", "trailing characters"),
            ("# no\n1", "x.json:1:1", "expected value"),
            ("", "x.json:1:1", "EOF"),
            ("{\"a\":1,\n\"a\":2}", "x.json:2:1", "is there twice"),
            ("[\"\\ud83d\"]", "x.json:1:3", "surrogate"),
            ("[\"\\ud83d\\u0041\"]", "x.json:1:3", "surrogate"),
            ("[01]", "x.json:1:3", "invalid number"),
            ("[NaN]", "x.json:1:2", "expected value"),
            ("[1e999]", "x.json:1:2", "is not a supported number"),
            (
                "[18446744073709551616]",
                "x.json:1:2",
                "is not a supported number",
            ),
            ("[\"a\nb\"]", "x.json:2:1", "control character"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.contains(message), "{text}: {found}");
            assert!(found.contains(line), "{text}: {found}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
        assert!(read(&format!("{}1{}", "[".repeat(65), "]".repeat(65))).is_err());
    }

    #[test]
    fn json_parts_located() {
        let text = "{ \"ä\": [1, { \"b\": \"c\" }] }";
        let document = read(text).unwrap();
        let node = document.at("/ä/1/b").unwrap();
        assert_eq!(&text[node.key_place().range], "\"b\"");
        assert_eq!(&text[node.place().range], "\"c\"");
        let many: Vec<String> = (0..200).map(|at| format!("\"k{at}\": [{at}]")).collect();
        let text = format!("{{{}}}", many.join(",\n"));
        let document = read(&text).unwrap();
        assert_eq!(&text[document.at("/k170/0").unwrap().place().range], "170");
    }

    proptest! {
        /// A text that serde_json accepts gives the same value here, and any rubbish after that
        /// text is an error.
        #[test]
        fn json_value_equals_serde_json(text in "(\\[|\\{\"a\":)?([0-9]{1,3}|\"\\PC{0,6}\"|true|null)?(\\]|\\})?", rubbish in "[^ \\t\\r\\n0-9.eE]\\PC{0,8}") {
            match (read(&text), serde_json::from_str::<serde_json::Value>(&text)) {
                (Ok(read), theirs) => {
                    prop_assert_eq!(read.value(), &theirs.unwrap());
                    let text = format!("{text}{rubbish}");
                    prop_assert!(read_fails(&text), "{}", text);
                }
                (Err(error), theirs) => prop_assert!(theirs.is_err(), "{text}: {error}"),
            }
        }
    }

    fn read_fails(text: &str) -> bool {
        read(text).is_err()
    }
}
