//! Parses TOML and records the position of every key and value.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeString, DeTable, DeValue};
use windlass_base::{Diagnostic, Diagnostics, Place, Source};

use super::document_tree::Document;
use super::offsets::Offsets;
use super::positions::{NodeId, Positions};
use super::source_text::{LIMIT, MAX_NODES, decode};
use crate::quote::harmless;

/// The maximum number of syntax errors that we report, since later ones usually follow from the
/// first.
const MAX_ERRORS: usize = 3;

pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Document, Diagnostics> {
    let source = decode(name, bytes, LIMIT)?;
    let (table, errors) = DeTable::parse_recoverable(source.text());
    if !errors.is_empty() {
        return Err(syntax_errors(&source, &errors));
    }
    let mut reader = Reader {
        source: &source,
        positions: Positions::default(),
        found: Diagnostics::default(),
    };
    let all = 0..source.text().len();
    let value = reader.table(table.into_inner(), all.clone());
    if reader.positions.len() > MAX_NODES {
        let message = format!("the document has more than {MAX_NODES} values");
        let error = Diagnostic::error("document-size", message).at(Place::new(&source, all));
        return Err(error.help("split it").into());
    }
    if reader.found.has_errors() {
        return Err(reader.found);
    }
    let positions = reader.positions;
    Ok(Document::new(value, positions, Offsets::in_bytes(), source))
}

fn syntax_errors(source: &Arc<Source>, errors: &[toml::de::Error]) -> Diagnostics {
    let mut found = Diagnostics::default();
    let mut errors: Vec<_> = errors.iter().collect();
    errors.sort_by_key(|error| error.span().map(|span| span.start));
    for error in errors.into_iter().take(MAX_ERRORS) {
        let message = harmless(error.message().lines().next().unwrap_or("not TOML"));
        let mut diagnostic = Diagnostic::error("toml-syntax", message);
        diagnostic.place = error.span().map(|span| Place::new(source, span));
        found.push(diagnostic);
    }
    found
}

struct Reader<'s> {
    source: &'s Arc<Source>,
    positions: Positions,
    found: Diagnostics,
}

impl Reader<'_> {
    /// Converts a value and everything in it.
    ///
    /// The recursion cannot overflow the stack, because the `toml` parser limits the nesting.
    fn value(&mut self, value: Spanned<DeValue<'_>>) -> Value {
        let span = value.span();
        match value.into_inner() {
            DeValue::String(text) => self.leaf(&span, Value::String(text.into_owned())),
            DeValue::Boolean(truth) => self.leaf(&span, Value::Bool(truth)),
            DeValue::Datetime(time) => self.leaf(&span, Value::String(time.to_string())),
            DeValue::Integer(integer) => {
                let value = whole(&integer);
                self.number(&span, value, integer.as_str())
            }
            DeValue::Float(float) => {
                let value = fraction(&float);
                self.number(&span, value, float.as_str())
            }
            DeValue::Array(items) => {
                let node = self.positions.open(&span);
                let mut values = Vec::with_capacity(items.len());
                let mut nodes = Vec::with_capacity(items.len());
                for item in items {
                    nodes.push(self.positions.next_node());
                    values.push(self.value(item));
                }
                self.positions.close(node);
                self.positions.index_list(node, nodes);
                Value::Array(values)
            }
            DeValue::Table(table) => self.table(table, span),
        }
    }

    fn table(&mut self, table: DeTable<'_>, span: Range<usize>) -> Value {
        let node = self.positions.open(&span);
        // The parser loses the order of the fields, so we sort them by their position in the text.
        let mut fields: Vec<(Spanned<DeString<'_>>, Spanned<DeValue<'_>>)> =
            table.into_iter().collect();
        fields.sort_by_key(|(key, _)| key.span().start);
        let mut map = Map::with_capacity(fields.len());
        let mut keys = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            keys.push(self.leaf_node(&key.span()));
            let value = self.value(value);
            map.insert(key.into_inner().into_owned(), value);
        }
        self.positions.close(node);
        self.positions.index_mapping(node, map.keys(), keys);
        Value::Object(map)
    }

    fn leaf_node(&mut self, span: &Range<usize>) -> NodeId {
        let node = self.positions.open(span);
        self.positions.close(node);
        node
    }

    fn leaf(&mut self, span: &Range<usize>, value: Value) -> Value {
        self.leaf_node(span);
        value
    }

    fn number(&mut self, span: &Range<usize>, value: Option<Number>, text: &str) -> Value {
        self.leaf_node(span);
        let Some(number) = value else {
            let message = format!("`{}` is not a supported number", harmless(text));
            let place = Place::new(self.source, span.clone());
            self.found
                .push(Diagnostic::error("toml-number", message).at(place));
            return Value::Null;
        };
        Value::Number(number)
    }
}

fn whole(integer: &DeInteger<'_>) -> Option<Number> {
    let (text, radix) = (integer.as_str(), integer.radix());
    let signed = i64::from_str_radix(text, radix).map(Number::from);
    let number = signed.or_else(|_| u64::from_str_radix(text, radix).map(Number::from));
    number.ok()
}

fn fraction(float: &DeFloat<'_>) -> Option<Number> {
    float.as_str().parse().ok().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use crate::Document;
    use crate::tests::shown;

    fn read(text: &str) -> String {
        match Document::parse_toml("x.toml", text.as_bytes()) {
            Ok(document) => document.value().to_string(),
            Err(found) => shown(&found),
        }
    }

    fn at(text: &str, pointer: &str) -> String {
        let document = Document::parse_toml("x.toml", text.as_bytes()).unwrap();
        let node = document.at(pointer).unwrap();
        let (key, value) = (node.key_place(), node.place());
        let (key_text, value_text) = (&text[key.range.clone()], &text[value.range.clone()]);
        format!("{key} {key_text:?} | {value} {value_text:?}")
    }

    #[test]
    fn toml_keys_keep_order() {
        let text = "b = 1\na = [1, 'x']\n[t]\nz = 1.5\ny = 2020-01-02\n[[l]]\nq = true\n[[l]]\n";
        assert_snapshot!(read(text), @r#"{"b":1,"a":[1,"x"],"t":{"z":1.5,"y":"2020-01-02"},"l":[{"q":true},{}]}"#);
        assert_snapshot!(read("a = 0xff\nb = 1_000\nc = -3\nd.e = 'f'"), @r#"{"a":255,"b":1000,"c":-3,"d":{"e":"f"}}"#);
    }

    #[test]
    fn toml_parts_located() {
        let text = "u = 'ä' # ö\n[[steps]]\nid = \"one\"\n[[steps]]\nneeds = ['a', 'b']\n";
        assert_snapshot!(at(text, "/u"), @r#"x.toml:1:1 "u" | x.toml:1:5 "'ä'""#);
        assert_snapshot!(at(text, "/steps/0/id"), @r#"x.toml:3:1 "id" | x.toml:3:6 "\"one\"""#);
        assert_snapshot!(at(text, "/steps/1"), @r#"x.toml:4:1 "[[steps]]" | x.toml:4:1 "[[steps]]""#);
        assert_snapshot!(at(text, "/steps/1/needs/1"), @r#"x.toml:5:15 "'b'" | x.toml:5:15 "'b'""#);
        let many: String = (0..100).map(|at| format!("k{at} = {at}\n")).collect();
        assert_snapshot!(at(&many, "/k99"), @r#"x.toml:100:1 "k99" | x.toml:100:7 "99""#);
    }

    #[test]
    fn toml_errors_located() {
        assert_snapshot!(read("a = 1\na = 2\n"), @"x.toml:2:1: error[toml-syntax]: duplicate key");
        assert_snapshot!(read("a = [1,\nb = \"x\ny\"\n"), @"
        x.toml:2:1: error[toml-syntax]: string values must be quoted, expected literal string
        x.toml:2:3: error[toml-syntax]: unexpected `=` in array, expected value, `]`
        x.toml:2:5: error[toml-syntax]: missing comma between array elements, expected `,`
        ");
        assert_snapshot!(read("a = inf\nb = 99999999999999999999\n"), @"
        x.toml:1:5: error[toml-number]: `inf` is not a supported number
        x.toml:2:5: error[toml-number]: `99999999999999999999` is not a supported number
        ");
        assert_snapshot!(read("\u{feff}a = 1\r\nb = 2\r\n"), @r#"{"a":1,"b":2}"#);
        let deep = format!("a = {}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(read(&deep).contains("toml-syntax"));
    }
}
