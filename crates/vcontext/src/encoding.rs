use std::fmt;

use windlass_tron::{Value, WriteOptions};

use crate::json;

/// Encoding of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// JSON.
    Json,
    /// TRON: JSON with classes for similar objects.
    Tron,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON",
            Self::Tron => "TRON",
        })
    }
}

/// Layout of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Indentation per level; `None` for a single line (in TRON, below the classes).
    pub indent: Option<String>,
    /// True if the text ends with a line end.
    pub ends_line: bool,
}

impl Layout {
    /// Returns the layout without optional whitespace.
    #[must_use]
    pub fn compact() -> Self {
        Self {
            indent: None,
            ends_line: false,
        }
    }

    /// Returns the layout for people: two spaces per level, and a final line end.
    #[must_use]
    pub fn pretty() -> Self {
        Self {
            indent: Some("  ".to_owned()),
            ends_line: true,
        }
    }

    /// Detects the layout of `text`.
    pub(crate) fn of(text: &str) -> Self {
        let body = text.trim_start();
        let data: Vec<&str> = body
            .lines()
            .filter(|line| !line.starts_with("class ") && !line.trim().is_empty())
            .take(2)
            .collect();
        let indent = data.get(1).map(|line| {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            match &line[..blanks] {
                "" => "  ".to_owned(),
                blanks => blanks.to_owned(),
            }
        });
        Self {
            indent,
            ends_line: text.ends_with('\n'),
        }
    }
}

/// Writes `value` completely: the order of fields, unknown fields and the text of numbers are preserved.
#[must_use]
pub fn write(value: &Value<'_>, encoding: Encoding, layout: &Layout) -> String {
    let mut text = match encoding {
        Encoding::Json => json::written(value, layout.indent.as_deref()),
        Encoding::Tron => WriteOptions {
            pretty: layout.indent.is_some(),
            ..WriteOptions::default()
        }
        .value_to_string(value),
    };
    if layout.ends_line {
        text.push('\n');
    }
    text
}

/// Maximum size of a text whose classes are chosen by token count, in bytes: the text is counted about fifty
/// times.
const MAX_COUNTED_BYTES: usize = 1 << 20;

/// Writes `value` as TRON with as few tokens as possible, and never more than compact JSON. Documents above
/// one mebibyte use the classes that save characters, or none if these save no tokens.
#[must_use]
pub fn lightest_tron(value: &Value<'_>) -> String {
    let weigh = windlass_tokens::count;
    let json = write(value, Encoding::Json, &Layout::compact());
    let is_short = json.len() <= MAX_COUNTED_BYTES;
    let options = WriteOptions {
        weigh: is_short.then_some(&weigh),
        ..WriteOptions::default()
    };
    let tron = options.value_to_string(value);
    match is_short || weigh(&tron) < weigh(&json) {
        true => tron,
        false => json,
    }
}
