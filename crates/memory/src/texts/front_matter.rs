//! The YAML frontmatter of a record, between two lines of `---`.
//!
//! Most blocks only consist of lines such as `status: active`, which we parse on our own. That's a
//! lot faster than a YAML parser, and a memory may have thousands of records. We only use the
//! parser if a value doesn't look plain, and it has the final say about errors.

use std::ops::Range;

use serde_json::Value;
use windlass_base::one_line;
use windlass_plan::Document;

/// A field, with the locations of its name and of its lines.
#[derive(Debug, Clone)]
pub struct Field {
    /// The name as written, without quotes.
    pub key: String,
    /// The value. Without quotes, this is text even where YAML would read a number: an ID such as
    /// `007` must not turn into `7`.
    pub value: Value,
    /// The range of the field's lines, including line breaks.
    pub lines: Range<usize>,
    /// The range of the field's name.
    pub key_range: Range<usize>,
}

impl Field {
    /// The value as text. The items of a list are joined with commas.
    #[must_use]
    pub fn says(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let items = items.iter().map(|item| match item {
                    Value::String(text) => text.clone(),
                    item => item.to_string(),
                });
                items.collect::<Vec<_>>().join(", ")
            }
            Value::Null => String::new(),
            value => value.to_string(),
        }
    }

    /// Takes the value from a parsed `document`, but keeps numbers and booleans as they're written.
    fn take(&mut self, document: &Document) {
        match document.value().get(&self.key) {
            Some(Value::Array(items)) => {
                let items = items.iter().map(|item| match item {
                    Value::Number(_) | Value::Bool(_) => Value::String(item.to_string()),
                    item => item.clone(),
                });
                self.value = items.collect();
            }
            Some(Value::Number(_) | Value::Bool(_) | Value::Null) | None => {}
            Some(value) => self.value = value.clone(),
        }
    }
}

/// A record's frontmatter.
#[derive(Debug, Clone, Default)]
pub struct FrontMatter {
    /// The range between the two lines of `---`.
    pub block: Range<usize>,
    /// Offset of the text after the frontmatter.
    pub end: usize,
    /// The fields in the order of the text. A repeated field is in the list twice.
    pub fields: Vec<Field>,
    /// The first error, and its range.
    pub fault: Option<(Range<usize>, String)>,
}

impl FrontMatter {
    /// Returns `None` if the opening or the closing line is missing.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
        // Accept blank lines above the frontmatter.
        let mark = text.len() - text[mark..].trim_start().len();
        let first = text[mark..].split_inclusive('\n').next()?;
        if first.trim_end() != "---" {
            return None;
        }
        let start = mark + first.len();
        let mut at = start;
        for line in text[start..].split_inclusive('\n') {
            if matches!(line.trim_end(), "---" | "...") {
                let mut front = Self {
                    block: start..at,
                    end: at + line.len(),
                    ..Self::default()
                };
                front.read(text);
                return Some(front);
            }
            at += line.len();
        }
        None
    }

    fn read(&mut self, text: &str) {
        let block = &text[self.block.clone()];
        let mut at = self.block.start;
        let mut is_plain = true;
        for line in block.split_inclusive('\n') {
            let lines = at..at + line.len();
            at = lines.end;
            let content = line.trim_end();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let key = content.split_once(':').filter(|(key, rest)| {
                is_key(unquoted(key)) && (rest.is_empty() || rest.starts_with([' ', '\t']))
            });
            match (key, self.fields.last_mut()) {
                (Some((key, rest)), _) => {
                    let value = rest.trim();
                    is_plain = is_plain && is_plain_value(value);
                    self.fields.push(Field {
                        key: unquoted(key).to_owned(),
                        value: Value::String(value.to_owned()),
                        key_range: lines.start..lines.start + key.len(),
                        lines,
                    });
                }
                // Part of a value that spans several lines. We don't parse it here.
                (None, Some(field)) if content.starts_with([' ', '\t', '-', ']', '}']) => {
                    is_plain = false;
                    field.lines.end = lines.end;
                }
                _ => {
                    is_plain = false;
                    self.fault = Some((
                        lines.start..lines.start + content.len(),
                        "expected a field of the form `key: value`".to_owned(),
                    ));
                }
            }
        }
        if !is_plain && self.fault.is_none() {
            self.read_yaml(text);
        }
        self.note_doubles();
    }

    /// Parses the values as YAML. If the block as a whole is invalid, we parse each field by
    /// itself, so that we can still use the other fields.
    fn read_yaml(&mut self, text: &str) {
        let block = &text[self.block.clone()];
        let found = match Document::parse("frontmatter", block.as_bytes()) {
            Ok(document) => {
                self.fields
                    .iter_mut()
                    .for_each(|field| field.take(&document));
                return;
            }
            Err(found) => found,
        };
        for field in &mut self.fields {
            let lines = &text[field.lines.clone()];
            if let Ok(document) = Document::parse("frontmatter", lines.as_bytes()) {
                field.take(&document);
            }
        }
        let first = found.into_iter().find(|one| one.place.is_some());
        let range = first
            .as_ref()
            .and_then(|one| Some(one.place.as_ref()?.range.clone()));
        let range = range.unwrap_or(0..0);
        let range = self.block.start + range.start..self.block.start + range.end;
        let why = first.map_or_else(|| "not valid YAML".to_owned(), |one| one.message);
        self.fault = Some((range, why));
    }

    fn note_doubles(&mut self) {
        let double = (1..self.fields.len()).find(|at| {
            let key = &self.fields[*at].key;
            self.fields[..*at].iter().any(|other| other.key == *key)
        });
        if let (None, Some(double)) = (&self.fault, double) {
            let field = &self.fields[double];
            let why = format!("duplicate field `{}`", field.key);
            self.fault = Some((field.key_range.clone(), why));
        }
    }

    /// Finds a field by its name. Case, hyphens, underscores and spaces don't matter.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields
            .iter()
            .find(|field| is_same_name(&field.key, key))
    }

    /// Returns the value of a field, or `None` if it's empty or not a string.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        let text = self.field(key)?.value.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Returns the values of a field, from a YAML list or from text with commas.
    #[must_use]
    pub fn texts(&self, key: &str) -> Vec<&str> {
        let Some(field) = self.field(key) else {
            return Vec::new();
        };
        let texts: Vec<&str> = match &field.value {
            Value::String(text) => text.split(',').collect(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let texts = texts.into_iter().map(str::trim);
        texts.filter(|text| !text.is_empty()).collect()
    }
}

pub(crate) fn is_same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
        letters.flat_map(char::to_lowercase).collect()
    };
    one == other || plain(one) == plain(other)
}

fn unquoted(key: &str) -> &str {
    let inner = |mark: char| key.strip_prefix(mark)?.strip_suffix(mark);
    inner('"').or_else(|| inner('\'')).unwrap_or(key)
}

fn is_key(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(char::is_alphabetic)
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.'))
        && !key.ends_with(' ')
}

/// True if YAML would read `value` as this very text, so we don't have to parse it.
fn is_plain_value(value: &str) -> bool {
    let begins = value.starts_with([
        '"', '\'', '[', '{', '&', '*', '!', '|', '>', '@', '`', '%', '#', '-', '?', ',', ']', '}',
    ]);
    // A leading `-` usually starts a list, but not in front of a digit. We keep numbers as they're
    // written anyway.
    let is_number = value
        .strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    (!begins || is_number)
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.ends_with(':')
}

/// Quotes `value` if that's necessary to read it back unchanged. Line breaks become spaces.
pub(crate) fn scalar(value: &str) -> String {
    let one_line = one_line(value);
    match serde_yaml::to_string(&one_line) {
        Ok(yaml) => yaml.trim_end().to_owned(),
        Err(_) => Value::String(one_line).to_string(),
    }
}

/// Formats the frontmatter of a new record, including both lines of `---`.
pub(crate) fn new_front_matter(fields: &[(&str, &str)]) -> String {
    let line = |(key, value): &(&str, &str)| format!("{key}: {}\n", scalar(value));
    format!("---\n{}---\n", fields.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_read_as_written() {
        let text = "\u{feff}---\r\nid: a-1\r\nTitle: \"x: y\"\r\n# note\r\nrelated:\r\n  - a\r\n  - b\r\nsuperseded-by: 12\r\n---\r\n# T\r\n";
        let front = FrontMatter::of(text).unwrap();
        assert!(front.fault.is_none(), "{:?}", front.fault);
        assert_eq!(front.text("id"), Some("a-1"));
        assert_eq!(front.text("title"), Some("x: y"));
        assert_eq!(front.texts("related"), ["a", "b"]);
        assert_eq!(front.text("superseded_by"), Some("12"));
        assert_eq!(&text[front.end..], "# T\r\n");
        let related = front.field("related").unwrap();
        assert_eq!(
            &text[related.lines.clone()],
            "related:\r\n  - a\r\n  - b\r\n"
        );
    }

    #[test]
    fn common_shapes_are_parsed() {
        let text = "\n\n---\n\"id\": a-1\ntitle: Cache: evict the oldest\nkeywords:\n  - lru\n  - 2024\ntags: [api, 3]\nnote: >\n  two\n  lines\n---\nText\n";
        let front = FrontMatter::of(text).unwrap();
        assert_eq!(front.text("id"), Some("a-1"));
        assert_eq!(front.text("title"), Some("Cache: evict the oldest"));
        assert_eq!(front.texts("keywords"), ["lru", "2024"]);
        assert_eq!(front.texts("tags"), ["api", "3"]);
        assert_eq!(front.text("note"), Some("two lines"));
        assert!(front.fault.is_some(), "it is told all the same");
    }

    #[test]
    fn invalid_yaml_keeps_other_fields() {
        for (text, place, id) in [
            ("---\nid: a\ntitle: Fix: it\n---\n", None, Some("a")),
            ("---\nid: a\nwhat\n---\n", Some("what"), Some("a")),
            ("---\nid: a\nid: b\n---\n", Some("id"), Some("a")),
            ("---\nid: [a\n---\n", None, Some("[a")),
        ] {
            let front = FrontMatter::of(text).unwrap();
            let (range, _) = front.fault.clone().expect(text);
            assert!(range.end <= text.len());
            if let Some(place) = place {
                assert_eq!(&text[range], place);
            }
            assert_eq!(front.text("id"), id, "{text}");
        }
        assert!(FrontMatter::of("---\nid: a\n").is_none());
        assert!(FrontMatter::of("# x\n---\nid: a\n---\n").is_none());
    }

    #[test]
    fn scalar_round_trip() {
        for value in [
            "plain",
            "a: b",
            "- x",
            "#1",
            "null",
            "\"q\"",
            "ünï code",
            "it's",
            "a #b",
            "007",
            "12",
            "True",
            "--- x",
            "x:",
            "\u{1f680} up",
        ] {
            let text = format!("---\nkey: {}\n---\n", scalar(value));
            let front = FrontMatter::of(&text).unwrap();
            assert_eq!(front.text("key"), Some(value), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_never_panics(text in "(---\n)?(\\PC{0,12}(\n|\r\n|: )?){0,8}(---\n)?\\PC{0,8}") {
            if let Some(front) = FrontMatter::of(&text) {
                for field in &front.fields {
                    proptest::prop_assert!(text.get(field.lines.clone()).is_some());
                }
                proptest::prop_assert!(text.get(front.end..).is_some());
            }
        }
    }
}
