use std::fmt;

use windlass_tron::{Limits, ReadOptions, Value, WriteOptions};

use crate::{json, without_nulls};

/// The encoding of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    /// JSON.
    Json,
    /// TRON, a form of JSON with classes for similar objects.
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

/// The layout of a document, apart from its encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The indentation per level.
    ///
    /// If there's none, everything is on one line, which in TRON comes after the classes.
    pub indent: Option<String>,
    /// True if the text ends with a line break.
    pub ends_line: bool,
}

impl Layout {
    /// A layout without any optional white space.
    #[must_use]
    pub fn compact() -> Self {
        Self {
            indent: None,
            ends_line: false,
        }
    }

    /// A layout for people: two spaces per level, and a line break at the end.
    #[must_use]
    pub fn pretty() -> Self {
        Self {
            indent: Some("  ".to_owned()),
            ends_line: true,
        }
    }

    /// Detects the layout of `text` from its first two lines, apart from the classes of TRON.
    pub(crate) fn of(text: &str) -> Self {
        let body = text.trim_start();
        let data: Vec<&str> = body
            .lines()
            .filter(|line| !line.starts_with("class ") && !line.trim().is_empty())
            .take(2)
            .collect();
        let indent = data.get(1).map(|line| {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            // The second line may not be indented, e.g. in a document without outer braces.
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

/// Writes all of `value`, including unknown fields. The order of fields and the text of numbers
/// stay the same.
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

/// Converts a text of any size to compact JSON or TRON.
///
/// The values are never all in memory at once, so we lift the default limits on size. Those on
/// depth and classes still apply.
///
/// # Errors
/// Returns an error if the text is neither JSON nor TRON, or contains a duplicate key.
pub fn convert_text(text: &str, encoding: Encoding) -> Result<String, windlass_tron::Error> {
    let options = ReadOptions {
        limits: Limits {
            bytes: usize::MAX,
            expanded: usize::MAX,
            ..Limits::default()
        },
        ..ReadOptions::default()
    };
    match encoding {
        Encoding::Json => options.text_to_json(text),
        Encoding::Tron => options.text_to_tron(text),
    }
}

/// Writes `value` as TRON with as few tokens as possible, and never with more than compact JSON or
/// the reference encoder would need.
///
/// For longer documents, we try fewer classes to save time, so the result may not be the smallest
/// one.
///
/// Classes may use quoted properties, which some readers don't support. In an instance, `null` may
/// stand for an absent field of the specification.
#[must_use]
pub fn lightest_tron(value: &Value<'_>) -> String {
    let weigh = windlass_tokens::count;
    let exact = WriteOptions {
        weigh: Some(&weigh),
        quoted_properties: true,
        ..WriteOptions::default()
    };
    let padded = WriteOptions {
        null_is_absent: true,
        ..exact
    };
    let (exact, padded) = (exact.value_to_string(value), padded.value_to_string(value));
    let is_lighter = || weigh(&padded) < weigh(&exact);
    // In fields outside of the specification, `null` is a value. Make sure that we haven't added
    // any there.
    let is_same = || {
        let plain = without_nulls(value);
        plain == *value && Value::parse(&padded).is_ok_and(|read| without_nulls(&read) == plain)
    };
    match padded != exact && is_lighter() && is_same() {
        true => padded,
        false => exact,
    }
}
