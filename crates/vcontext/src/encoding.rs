use std::fmt;

use windlass_tron::{Value, WriteOptions};

use crate::json;

/// How a document is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// JSON.
    Json,
    /// TRON: JSON, and classes for objects that are alike.
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

/// How a document is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// What each level is indented by; nothing where all of it stands on one line (in TRON, below the classes).
    pub indent: Option<String>,
    /// Whether a line end stands at the end.
    pub ends_line: bool,
}

impl Layout {
    /// Without a blank that need not be there.
    #[must_use]
    pub fn compact() -> Self {
        Self {
            indent: None,
            ends_line: false,
        }
    }

    /// For people: two blanks for each level, and a line end at the end.
    #[must_use]
    pub fn pretty() -> Self {
        Self {
            indent: Some("  ".to_owned()),
            ends_line: true,
        }
    }

    /// That of `text`.
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

/// Writes `value`. Nothing is left out: the order of fields, fields that nobody knows and the text of numbers stay.
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

/// The longest text whose classes are chosen by its tokens, in bytes: the whole of it is weighed some fifty times.
const MOST: usize = 1 << 20;

/// `value` as TRON of as few tokens as can be found, and never of more than compact JSON. Longer documents than a
/// mebibyte have the classes that save characters, or none where these save no tokens.
#[must_use]
pub fn lightest_tron(value: &Value<'_>) -> String {
    let weigh = windlass_tokens::count;
    let json = write(value, Encoding::Json, &Layout::compact());
    let is_short = json.len() <= MOST;
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
