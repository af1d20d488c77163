//! Reads transactions from documents in JSON or YAML.
//!
//! At this point, we only check the form of the operations. The locations and files that they name
//! are looked up later, when the transaction is applied.

mod anchor_reader;
mod field_reader;
mod transaction_reader;
mod transaction_schema;

use std::borrow::Cow;

use serde::de::IgnoredAny;
use windlass_base::{Diagnostics, Ident, LineSpan, Place, RepoPath, SourceHash};
use windlass_plan::Document;

use self::transaction_reader::TransactionReader;
use crate::{AnchorKind, Locator};

pub use self::transaction_schema::transaction_schema;

/// Newest readable version of the format.
const SCHEMA_VERSION: u64 = 1;

/// Maximum number of operations in a transaction.
const MAX_OPERATIONS: usize = 20_000;

/// Changes to a notebook, to apply together or not at all.
#[derive(Debug)]
pub struct Transaction {
    /// Required revision of the notebook.
    pub(crate) if_revision: Option<u64>,
    pub(crate) operations: Vec<Request>,
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) what: Asked,
    /// Position in the document, for errors.
    pub(crate) place: Place,
}

/// The contents of an operation. Locations and files still have to be captured and read.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Save an anchor, or change an existing one of the same name.
    UpsertAnchor(Box<AskedAnchor>),
    DeleteAnchor(String),
    /// Save a runbook, replacing any other of the same name.
    UpsertRunbook(AskedRunbook),
    DeleteRunbook(String),
}

/// A requested anchor. A field of `None` keeps the existing anchor's value.
#[derive(Debug)]
pub(crate) struct AskedAnchor {
    pub(crate) id: Ident,
    pub(crate) kind: Option<AnchorKind>,
    pub(crate) label: Option<String>,
    /// The anchor's locations, each with its position in the document.
    pub(crate) at: Vec<(AskedPlace, Place)>,
    /// Locator for finding the anchor once its evidence is stale.
    pub(crate) locator: Option<Locator>,
    pub(crate) zone: Option<Vec<String>>,
    pub(crate) tags: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskedPlace {
    /// Location in the form `FILE:LINES` or `FILE#SYMBOL`.
    Text(String),
    /// Lines of a file. A hash, if given, must match the lines.
    Lines(RepoPath, LineSpan, Option<SourceHash>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskedRunbook {
    Text(String),
    File(String),
}

impl Transaction {
    /// Reads the document `name`. It is an object with `operations`, and optionally
    /// `schema_version` and `if_revision`, or just the list of operations.
    ///
    /// # Errors
    /// Returns up to one hundred errors with their positions, and the number of others.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match Self::read_in_part(name, bytes)? {
            (transaction, found) if found.is_empty() => Ok(transaction),
            (_, found) => Err(found),
        }
    }

    /// Like [`Transaction::read`], but returns the valid operations together with the errors of
    /// invalid ones.
    ///
    /// # Errors
    /// Returns the errors if the document itself is invalid, without any readable operation.
    pub(crate) fn read_in_part(
        name: &str,
        bytes: &[u8],
    ) -> Result<(Self, Diagnostics), Diagnostics> {
        let document = Document::parse(name, &without_pairs(bytes))?;
        let mut reader = TransactionReader::new();
        match reader.transaction(document.root()) {
            Some(transaction) => Ok((transaction, reader.finish())),
            None => Err(reader.finish()),
        }
    }
}

/// Replaces surrogate pairs with their characters. JSON writes a character beyond U+FFFF as two
/// escapes. YAML does not support these.
fn without_pairs(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_high = |at: usize| {
        bytes.get(at..at + 4).is_some_and(|start| {
            start.starts_with(b"\\u")
                && start[2].eq_ignore_ascii_case(&b'd')
                && b"89abAB".contains(&start[3])
        })
    };
    let has_pairs = (0..bytes.len()).any(is_high);
    // Only JSON has pairs. Any other document stays unchanged.
    if !has_pairs || serde_json::from_slice::<IgnoredAny>(bytes).is_err() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        // A pair consists of twelve characters, e.g. `\ud83d\ude00`.
        let pair = bytes.get(at..at + 12).filter(|_| is_high(at));
        let text = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        let char: Option<String> =
            text.and_then(|pair| serde_json::from_str(&format!("\"{pair}\"")).ok());
        match char {
            Some(char) => {
                out.extend_from_slice(char.as_bytes());
                at += 12;
            }
            // In `\\ud83d`, the second backslash is escaped and doesn't begin a surrogate, so skip
            // both.
            None => {
                let step = if bytes[at] == b'\\' { 2 } else { 1 };
                out.extend_from_slice(&bytes[at..(at + step).min(bytes.len())]);
                at += step;
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Transaction, Diagnostics> {
        Transaction::read("edit.json", text.as_bytes())
    }

    /// Position, message and help of each error in a transaction with a single operation.
    fn findings(operation: &str) -> Vec<String> {
        let found = read(&format!("[{operation}]")).unwrap_err();
        let lines = found.iter().map(|wrong| {
            let place = wrong
                .place
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let help = wrong.help.as_deref().unwrap_or_default();
            let help = if help.contains(" looks like ") {
                "…"
            } else {
                help
            };
            format!("{place}: {} | {help}", wrong.message)
        });
        lines.collect()
    }

    #[test]
    fn transaction_errors_all_located() {
        for (operation, wanted) in [
            (
                "7",
                &["edit.json:1:2: an operation must be an object | …"][..],
            ),
            ("{}", &["edit.json:1:2: `op` is missing | …"]),
            (
                r#"{"op":"upsert_anker"}"#,
                &[
                    "edit.json:1:8: unknown operation `upsert_anker` | did you mean `upsert_anchor`?",
                ],
            ),
            (
                r#"{"op":"upsert_anchor","anchor":{"id":"-","lable":"x","kind":"contrakt","at":[1],"tags":"t"}}"#,
                &[
                    "edit.json:1:43: an anchor does not have the field `lable` | did you mean `label`?",
                    "edit.json:1:39: `id` cannot name an anchor: `-` is not allowed in an identifier: use letters, digits, \
                     `_`, and after the first `.` and `-` | ",
                    "edit.json:1:62: unknown anchor kind `contrakt` | did you mean `contract`?",
                    "edit.json:1:79: a place must be a string | write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`",
                    "edit.json:1:89: `tags` is not a list of strings | ",
                ],
            ),
            (
                r#"{"op":"upsert_anchor","anchor":{"id":"a","evidence":[{"file":"../x","start_line":2},{"file":"x","start_line":2,"end_line":1}]}}"#,
                &[
                    "edit.json:1:63: `file` is not a file of the repository | `../x` leads upwards (`..`): give a path \
                     inside the repository",
                    "edit.json:1:86: the last line (1) lies before the first (2) | ",
                ],
            ),
            (
                r#"{"op":"upsert_runbook","file":"a","runbook":"b"}"#,
                &[
                    "edit.json:1:2: this operation needs either `runbook` or `file` | give the document as `runbook` \
                     (its text, or an object), or name its `file`",
                ],
            ),
            (
                r#"{"op":"delete_anchor","ids":["a"]}"#,
                &[
                    "edit.json:1:24: this operation does not have the field `ids` | did you mean `id`?",
                    "edit.json:1:2: `id` is missing | …",
                ],
            ),
        ] {
            assert_eq!(findings(operation), wanted, "{operation}");
        }
    }

    #[test]
    fn transaction_envelope_checked() {
        for (text, says) in [
            ("7", "a transaction must be an object"),
            ("{}", "`operations` is missing"),
            (r#"{"operations":{}}"#, "`operations` must be a list"),
            (
                r#"{"operations":[],"schema_version":2}"#,
                "this program reads 1",
            ),
            (
                r#"{"operations":[],"schema_version":"1"}"#,
                "must be a whole number",
            ),
            (
                r#"{"operations":[],"if_revision":-1}"#,
                "`if_revision` is not a whole number",
            ),
            (
                r#"{"operations":[],"oprations":[]}"#,
                "does not have the field `oprations`",
            ),
        ] {
            let found = read(text).unwrap_err();
            let first = found.iter().next().unwrap();
            assert!(first.message.contains(says), "{text}: {}", first.message);
            assert!(first.place.is_some(), "{text}");
        }
        assert_eq!(
            read(r#"{"operations":[],"if_revision":7}"#)
                .unwrap()
                .if_revision,
            Some(7)
        );
    }

    #[test]
    fn transaction_mistakes_over_limit_counted() {
        let found = read(&format!("[{}]", ["{}"; 103].join(","))).unwrap_err();
        assert_eq!(found.iter().count(), 101);
        assert!(
            found
                .iter()
                .any(|wrong| wrong.message.starts_with("3 more mistakes"))
        );
    }

    #[test]
    fn runbook_text_and_escapes_kept() {
        let text = r##"[{"op":"upsert_runbook","runbook":"# why\nid: \ud83d\ude00 \\ud83d\\ude00\n"},
            {"op":"upsert_runbook","runbook":{"id":"b","a":1}}]"##;
        let transaction = read(text).unwrap();
        let texts: Vec<&str> = transaction
            .operations
            .iter()
            .map(|request| match &request.what {
                Asked::UpsertRunbook(AskedRunbook::Text(text)) => text.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(texts[0], "# why\nid: \u{1f600} \\ud83d\\ude00\n");
        assert_eq!(texts[1], "{\n  \"id\": \"b\",\n  \"a\": 1\n}\n");
    }
}
