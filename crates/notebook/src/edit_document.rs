//! Transactions as documents: JSON, or YAML.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use windlass_base::{
    Diagnostic, Diagnostics, Ident, LineSpan, Place, RepoPath, SourceHash, counted, did_you_mean,
};
use windlass_plan::{Document, Node};

use crate::{AnchorKind, Locator, LocatorKind};

/// The newest version of the format.
pub(crate) const SCHEMA_VERSION: u64 = 1;

/// The most operations one transaction has.
pub(crate) const MAX_OPERATIONS: usize = 20_000;

/// The most findings that are shown.
const MAX_FINDINGS: usize = 100;

/// The rule that a transaction breaks whose form is wrong.
const RULE: &str = "transaction";

/// What somebody wants to be done to a notebook, all or nothing.
#[derive(Debug)]
pub struct Transaction {
    /// The revision that the notebook must be at.
    pub if_revision: Option<u64>,
    /// What to do, in order.
    pub operations: Vec<Request>,
}

/// One operation, as it was asked for.
#[derive(Debug)]
pub struct Request {
    /// What to do.
    pub what: Asked,
    /// Where it is written.
    pub place: Place,
}

/// What an operation asks for. Places are still to be captured, and texts to be read.
#[derive(Debug)]
pub enum Asked {
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
pub struct AskedAnchor {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: Option<AnchorKind>,
    /// What a person calls it.
    pub label: Option<String>,
    /// Where it is grounded.
    pub at: Vec<(AskedPlace, Place)>,
    /// How to look for it later.
    pub locator: Option<Locator>,
    /// Where to look for it later.
    pub zone: Option<Vec<String>>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
}

/// Where an anchor is grounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedPlace {
    /// `FILE:LINES` or `FILE#SYMBOL`.
    Text(String),
    /// Lines of a file, which must have this hash where one is given.
    Lines(RepoPath, LineSpan, Option<SourceHash>),
}

/// The text of a runbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedRunbook {
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
    pub fn read_in_part(name: &str, bytes: &[u8]) -> Result<(Self, Diagnostics), Diagnostics> {
        let document = Document::parse(name, &without_pairs(bytes))?;
        let mut reader = Reader::default();
        match reader.transaction(document.root()) {
            Some(transaction) => Ok((transaction, reader.finish())),
            None => Err(reader.finish()),
        }
    }
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

#[derive(Default)]
struct Reader {
    found: Diagnostics,
    total: usize,
}

impl Reader {
    fn refuse(&mut self, place: Place, message: impl Into<String>, help: Option<&str>) {
        self.total += 1;
        if self.total <= MAX_FINDINGS {
            let wrong = Diagnostic::error(RULE, message).at(place);
            self.found.push(match help {
                Some(help) => wrong.help(help),
                None => wrong,
            });
        }
    }

    fn finish(mut self) -> Diagnostics {
        if let Some(more) = self
            .total
            .checked_sub(MAX_FINDINGS)
            .filter(|more| *more > 0)
        {
            let message = format!("{} in this document", counted(more, "more mistake"));
            self.found.push(Diagnostic::error(RULE, message));
        }
        self.found
    }

    fn transaction(&mut self, root: Node<'_>) -> Option<Transaction> {
        const HELP: &str =
            r#"it looks like `{"operations": [{"op": "delete_anchor", "id": "errors"}]}`"#;
        let (list, if_revision) = if root.value().is_array() {
            (root, None)
        } else {
            self.fields(
                root,
                "a transaction",
                &["schema_version", "if_revision", "operations"],
                HELP,
            )?;
            self.version(root)?;
            let if_revision = self.parsed(root, "if_revision", "a whole number");
            (self.required(root, "operations", HELP)?, if_revision)
        };
        if !list.value().is_array() {
            self.refuse(list.place(), "`operations` is a list", Some(HELP));
            return None;
        }
        let count = list.items().count();
        if count > MAX_OPERATIONS {
            let message =
                format!("{count} operations are more than the {MAX_OPERATIONS} of one transaction");
            self.refuse(list.place(), message, Some("split it into several"));
            return None;
        }
        let mut operations = Vec::with_capacity(count);
        for node in list.items() {
            operations.extend(self.operation(node));
        }
        Some(Transaction {
            if_revision,
            operations,
        })
    }

    /// Nothing where it is of a version whose meaning is not known.
    fn version(&mut self, root: Node<'_>) -> Option<()> {
        let Some(node) = root.get("schema_version") else {
            return Some(());
        };
        match node.value().as_u64() {
            Some(1..=SCHEMA_VERSION) => return Some(()),
            Some(version) if version > SCHEMA_VERSION => {
                let message = format!(
                    "this transaction has schema_version {version}; this program reads {SCHEMA_VERSION}"
                );
                self.refuse(node.place(), message, Some("update windlass"));
            }
            _ => self.refuse(
                node.place(),
                "`schema_version` is a whole number from 1",
                None,
            ),
        }
        None
    }

    fn operation(&mut self, node: Node<'_>) -> Option<Request> {
        const OPS: [&str; 4] = [
            "upsert_anchor",
            "delete_anchor",
            "upsert_runbook",
            "delete_runbook",
        ];
        const HELP: &str = r#"an operation looks like `{"op": "upsert_anchor", "anchor": {"id": "errors", "at": ["src/error.rs:12-31"]}}`"#;
        if !node.value().is_object() {
            self.refuse(node.place(), "an operation is an object", Some(HELP));
            return None;
        }
        let op = self.text(node, "op", HELP)?;
        let what = match op.as_str() {
            "upsert_anchor" => {
                self.fields(node, "this operation", &["op", "anchor"], HELP)?;
                let anchor = self.required(node, "anchor", HELP)?;
                Asked::UpsertAnchor(Box::new(self.anchor(anchor)?))
            }
            "upsert_runbook" => Asked::UpsertRunbook(self.runbook(node)?),
            "delete_anchor" | "delete_runbook" => {
                const HELP: &str = r#"it looks like `{"op": "delete_anchor", "id": "errors"}`"#;
                self.fields(node, "this operation", &["op", "id"], HELP)?;
                let id = self.text(node, "id", HELP)?;
                match op.as_str() {
                    "delete_anchor" => Asked::DeleteAnchor(id),
                    _ => Asked::DeleteRunbook(id),
                }
            }
            _ => {
                let help = match did_you_mean(&op, OPS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are: {}", OPS.join(", ")),
                };
                let place = node.get("op").unwrap_or(node).place();
                let op: String = op.chars().take(60).collect();
                self.refuse(place, format!("there is no operation `{op}`"), Some(&help));
                return None;
            }
        };
        Some(Request {
            what,
            place: node.place(),
        })
    }

    fn runbook(&mut self, node: Node<'_>) -> Option<AskedRunbook> {
        const HELP: &str =
            "give the document as `runbook` (its text, or an object), or name its `file`";
        self.fields(node, "this operation", &["op", "runbook", "file"], HELP)?;
        match (node.get("runbook"), node.get("file")) {
            (Some(runbook), None) => match runbook.value() {
                Value::String(text) => Some(AskedRunbook::Text(text.clone())),
                value @ Value::Object(_) => {
                    let text = serde_json::to_string_pretty(value).ok()?;
                    Some(AskedRunbook::Text(text + "\n"))
                }
                _ => {
                    self.refuse(
                        runbook.place(),
                        "`runbook` is a text or an object",
                        Some(HELP),
                    );
                    None
                }
            },
            (None, Some(_)) => Some(AskedRunbook::File(self.text(node, "file", HELP)?)),
            _ => {
                self.refuse(
                    node.place(),
                    "this operation needs one of `runbook` and `file`",
                    Some(HELP),
                );
                None
            }
        }
    }

    fn anchor(&mut self, node: Node<'_>) -> Option<AskedAnchor> {
        const FIELDS: [&str; 8] = [
            "id", "kind", "label", "at", "evidence", "locator", "zone", "tags",
        ];
        const HELP: &str = r#"an anchor looks like `{"id": "errors", "at": ["src/error.rs:12-31"], "kind": "contract"}`"#;
        self.fields(node, "an anchor", &FIELDS, HELP)?;
        let before = self.total;
        let id = self.ident(node, HELP);
        let kind = self.kind(node);
        let label = self.optional_text(node, "label");
        let at = self.places(node);
        let locator = node.get("locator").and_then(|node| self.locator(node));
        let zone = self.texts(node, "zone");
        let tags = self.texts(node, "tags");
        let is_sound = self.total == before;
        Some(AskedAnchor {
            id: id.filter(|_| is_sound)?,
            kind,
            label,
            at,
            locator,
            zone,
            tags,
        })
    }

    fn ident(&mut self, node: Node<'_>, help: &str) -> Option<Ident> {
        let id = self.text(node, "id", help)?;
        match Ident::parse(&id) {
            Ok(id) => Some(id),
            Err(error) => {
                let place = node.get("id").unwrap_or(node).place();
                self.refuse(place, format!("`id` cannot name an anchor: {error}"), None);
                None
            }
        }
    }

    fn kind(&mut self, node: Node<'_>) -> Option<AnchorKind> {
        let text = self.optional_text(node, "kind")?;
        let kind = AnchorKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text);
        if kind.is_none() {
            let kinds = AnchorKind::ALL.map(AnchorKind::as_str);
            let help = match did_you_mean(&text, kinds) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", kinds.join(", ")),
            };
            let place = node.get("kind").unwrap_or(node).place();
            let text: String = text.chars().take(60).collect();
            self.refuse(
                place,
                format!("there is no kind of anchors `{text}`"),
                Some(&help),
            );
        }
        kind
    }

    fn places(&mut self, node: Node<'_>) -> Vec<(AskedPlace, Place)> {
        let mut places = Vec::new();
        if let Some(at) = node.get("at") {
            let list: Vec<Node<'_>> = match at.value() {
                Value::Array(_) => at.items().collect(),
                _ => vec![at],
            };
            for node in list {
                match node.value().as_str() {
                    Some(text) => places.push((AskedPlace::Text(text.to_owned()), node.place())),
                    None => self.refuse(
                        node.place(),
                        "a place is a text",
                        Some("write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`"),
                    ),
                }
            }
        }
        if let Some(evidence) = node.get("evidence") {
            if !evidence.value().is_array() {
                self.refuse(evidence.place(), "`evidence` is a list", None);
            }
            for node in evidence.items() {
                places.extend(self.pointer(node));
            }
        }
        places
    }

    fn pointer(&mut self, node: Node<'_>) -> Option<(AskedPlace, Place)> {
        const HELP: &str =
            r#"evidence looks like `{"file": "src/error.rs", "start_line": 12, "end_line": 31}`"#;
        // What was noted at an earlier capture is noted anew.
        const FIELDS: [&str; 5] = ["file", "start_line", "end_line", "source_hash", "capture"];
        self.fields(node, "evidence", &FIELDS, HELP)?;
        let file: RepoPath = self.required_as(node, "file", "a file of the repository", HELP)?;
        let start: u32 = self.required_as(node, "start_line", "a whole number from 1", HELP)?;
        let end = self.parsed(node, "end_line", "a whole number from 1");
        let hash = self.parsed(node, "source_hash", "the hash of the lines");
        match LineSpan::new(start, end.unwrap_or(start)) {
            Ok(span) => Some((AskedPlace::Lines(file, span, hash), node.place())),
            Err(error) => {
                self.refuse(node.place(), error.to_string(), None);
                None
            }
        }
    }

    fn locator(&mut self, node: Node<'_>) -> Option<Locator> {
        const HELP: &str = r#"a locator looks like `{"kind": "symbol", "value": "Error::help"}`"#;
        self.fields(node, "a locator", &["kind", "value"], HELP)?;
        let kinds = "`symbol`, `grep`, `path_glob`, `snippet_sha256` or `other`";
        let kind: LocatorKind = self.required_as(node, "kind", kinds, HELP)?;
        let value = self.text(node, "value", HELP)?;
        Some(Locator { kind, value })
    }

    /// Refuses what is no object, and fields that are not `known`.
    fn fields(&mut self, node: Node<'_>, what: &str, known: &[&str], help: &str) -> Option<()> {
        let Some(fields) = node.value().as_object() else {
            self.refuse(node.place(), format!("{what} is an object"), Some(help));
            return None;
        };
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            let place = node.get(name).unwrap_or(node).key_place();
            let help = match did_you_mean(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", known.join(", ")),
            };
            let name: String = name.chars().take(60).collect();
            self.refuse(place, format!("{what} has no field `{name}`"), Some(&help));
        }
        Some(())
    }

    fn required<'a>(&mut self, node: Node<'a>, name: &str, help: &str) -> Option<Node<'a>> {
        let field = node.get(name);
        if field.is_none() {
            self.refuse(node.place(), format!("`{name}` is missing"), Some(help));
        }
        field
    }

    fn text(&mut self, node: Node<'_>, name: &str, help: &str) -> Option<String> {
        self.required(node, name, help)?;
        self.optional_text(node, name)
    }

    fn optional_text(&mut self, node: Node<'_>, name: &str) -> Option<String> {
        self.parsed(node, name, "a text")
    }

    fn texts(&mut self, node: Node<'_>, name: &str) -> Option<Vec<String>> {
        self.parsed(node, name, "a list of texts")
    }

    fn required_as<T: DeserializeOwned>(
        &mut self,
        node: Node<'_>,
        name: &str,
        expected: &str,
        help: &str,
    ) -> Option<T> {
        self.required(node, name, help)?;
        self.parsed(node, name, expected)
    }

    /// The field `name`, if there is one and it is what is `expected`.
    fn parsed<T: DeserializeOwned>(
        &mut self,
        node: Node<'_>,
        name: &str,
        expected: &str,
    ) -> Option<T> {
        let field = node.get(name)?;
        let value = T::deserialize(field.value());
        if let Err(error) = &value {
            let message = format!("`{name}` is not {expected}");
            let error = error.to_string();
            let why = (!error.starts_with("invalid type")).then_some(error.as_str());
            self.refuse(field.place(), message, why);
        }
        value.ok()
    }
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
