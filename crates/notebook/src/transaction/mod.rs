//! Transactions as documents: JSON, or YAML.

mod anchor_reader;
mod field_reader;
mod transaction_reader;
mod transaction_schema;

use std::borrow::Cow;

use serde::de::IgnoredAny;
use windlass_base::{Diagnostics, Ident, LineSpan, Place, RepoPath, SourceHash};
use windlass_plan::{Document, Node};

use self::anchor_reader::AnchorReader;
use self::field_reader::FieldReader;
use self::transaction_reader::TransactionReader;
use crate::{AnchorKind, Locator};

pub use self::transaction_schema::transaction_schema;

/// The newest version of the format.
const SCHEMA_VERSION: u64 = 1;

/// The most operations one transaction has.
const MAX_OPERATIONS: usize = 20_000;

/// What somebody wants to be done to a notebook, all or nothing.
#[derive(Debug)]
pub struct Transaction {
    /// The revision that the notebook must be at.
    pub(crate) if_revision: Option<u64>,
    /// What to do, in order.
    pub(crate) operations: Vec<Request>,
}

/// One operation, as it was asked for.
#[derive(Debug)]
pub(crate) struct Request {
    /// What to do.
    pub(crate) what: Asked,
    /// Where it is written.
    pub(crate) place: Place,
}

/// What an operation asks for. Places are still to be captured, and texts to be read.
#[derive(Debug)]
pub(crate) enum Asked {
    /// To save an anchor, or change the one of its name.
    UpsertAnchor(Box<AskedAnchor>),
    /// To take an anchor out.
    DeleteAnchor(String),
    /// To save a runbook, or put it in the place of the one of its name.
    UpsertRunbook(AskedRunbook),
    /// To take a runbook out.
    DeleteRunbook(String),
}

/// An anchor, as it was asked for. What is not said stays as it was.
#[derive(Debug)]
pub(crate) struct AskedAnchor {
    /// Its name.
    pub(crate) id: Ident,
    /// What sort of thing it is.
    pub(crate) kind: Option<AnchorKind>,
    /// What a person calls it.
    pub(crate) label: Option<String>,
    /// Where it is grounded.
    pub(crate) at: Vec<(AskedPlace, Place)>,
    /// How to look for it later.
    pub(crate) locator: Option<Locator>,
    /// Where to look for it later.
    pub(crate) zone: Option<Vec<String>>,
    /// Words to find it by.
    pub(crate) tags: Option<Vec<String>>,
}

/// Where an anchor is grounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskedPlace {
    /// `FILE:LINES` or `FILE#SYMBOL`.
    Text(String),
    /// Lines of a file, which must have this hash where one is given.
    Lines(RepoPath, LineSpan, Option<SourceHash>),
}

/// The text of a runbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskedRunbook {
    /// As it is given.
    Text(String),
    /// In this file.
    File(String),
}

impl Transaction {
    /// Reads the document called `name`.
    ///
    /// It holds `operations`, and perhaps `schema_version` and `if_revision`; or is the list of operations itself.
    ///
    /// # Errors
    /// Everything that is wrong with its form, with places; of a hundred findings, and how many more there are.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        match Self::read_in_part(name, bytes)? {
            (transaction, found) if found.is_empty() => Ok(transaction),
            (_, found) => Err(found),
        }
    }

    /// As [`Transaction::read`], but what is wrong with some operations does not keep the others from being looked at:
    /// those whose form is right, and what is wrong with the others.
    ///
    /// # Errors
    /// As [`Transaction::read`], where it cannot be known what it asks for.
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

/// Fault of an anchor on a line of its own, which `help` shows.
pub(crate) fn line_faults(line: Node<'_>, help: &str) -> Diagnostics {
    let mut fields = FieldReader::of_rule("anchor-field");
    let mut reader = AnchorReader {
        fields: &mut fields,
    };
    reader.line(line, help);
    fields.finish()
}

/// JSON writes characters beyond the first 65,536 as two escapes, which YAML does not know. They become one.
fn without_pairs(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_high = |at: usize| {
        bytes.get(at..at + 4).is_some_and(|start| {
            start.starts_with(b"\\u")
                && start[2].eq_ignore_ascii_case(&b'd')
                && b"89abAB".contains(&start[3])
        })
    };
    let has_pairs = (0..bytes.len()).any(is_high);
    if !has_pairs || serde_json::from_slice::<IgnoredAny>(bytes).is_err() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes.get(at..at + 12).filter(|_| is_high(at));
        let text = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        let char: Option<String> =
            text.and_then(|pair| serde_json::from_str(&format!("\"{pair}\"")).ok());
        match char {
            Some(char) => {
                out.extend_from_slice(char.as_bytes());
                at += 12;
            }
            // What follows a backslash is not looked at by itself: `\\ud83d` is no escape.
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

    /// What is said of a transaction of one operation: place, message, help.
    fn said(operation: &str) -> Vec<String> {
        let found = read(&format!("[{operation}]")).unwrap_err();
        let said = found.iter().map(|wrong| {
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
        said.collect()
    }

    #[test]
    fn all_that_is_wrong_is_said_with_its_place() {
        for (operation, wanted) in [
            ("7", &["edit.json:1:2: an operation is an object | …"][..]),
            ("{}", &["edit.json:1:2: `op` is missing | …"]),
            (
                r#"{"op":"upsert_anker"}"#,
                &[
                    "edit.json:1:8: there is no operation `upsert_anker` | did you mean `upsert_anchor`?",
                ],
            ),
            (
                r#"{"op":"upsert_anchor","anchor":{"id":"-","lable":"x","kind":"contrakt","at":[1],"tags":"t"}}"#,
                &[
                    "edit.json:1:43: an anchor has no field `lable` | did you mean `label`?",
                    "edit.json:1:39: `id` cannot name an anchor: `-` may not stand in an identifier: letters, digits, \
                     `_`, and after the first `.` and `-` | ",
                    "edit.json:1:62: there is no kind of anchors `contrakt` | did you mean `contract`?",
                    "edit.json:1:79: a place is a text | write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`",
                    "edit.json:1:89: `tags` is not a list of texts | ",
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
                    "edit.json:1:2: this operation needs one of `runbook` and `file` | give the document as `runbook` \
                     (its text, or an object), or name its `file`",
                ],
            ),
            (
                r#"{"op":"delete_anchor","ids":["a"]}"#,
                &[
                    "edit.json:1:24: this operation has no field `ids` | did you mean `id`?",
                    "edit.json:1:2: `id` is missing | …",
                ],
            ),
        ] {
            assert_eq!(said(operation), wanted, "{operation}");
        }
    }

    #[test]
    fn the_envelope_is_checked_too() {
        for (text, says) in [
            ("7", "a transaction is an object"),
            ("{}", "`operations` is missing"),
            (r#"{"operations":{}}"#, "`operations` is a list"),
            (
                r#"{"operations":[],"schema_version":2}"#,
                "this program reads 1",
            ),
            (
                r#"{"operations":[],"schema_version":"1"}"#,
                "is a whole number",
            ),
            (
                r#"{"operations":[],"if_revision":-1}"#,
                "`if_revision` is not a whole number",
            ),
            (
                r#"{"operations":[],"oprations":[]}"#,
                "has no field `oprations`",
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
    fn only_so_many_mistakes_are_shown() {
        let found = read(&format!("[{}]", ["{}"; 103].join(","))).unwrap_err();
        assert_eq!(found.iter().count(), 101);
        assert!(
            found
                .iter()
                .any(|wrong| wrong.message.starts_with("3 more mistakes"))
        );
    }

    #[test]
    fn runbooks_keep_their_text_and_json_its_characters() {
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
