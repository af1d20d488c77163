//! Reads an anchor of a transaction.

use serde_json::Value;
use windlass_base::{Ident, LineSpan, Place, RepoPath};
use windlass_plan::Node;

use super::field_reader::FieldReader;
use super::{AskedAnchor, AskedPlace};
use crate::unknown_name::UnknownName;
use crate::{AnchorKind, Locator, LocatorKind};

pub(super) struct AnchorReader<'r> {
    pub(super) fields: &'r mut FieldReader,
}

impl AnchorReader<'_> {
    /// Reads the anchor at `node`. If it's invalid, this reports the errors and returns `None`.
    pub(super) fn anchor(&mut self, node: Node<'_>) -> Option<AskedAnchor> {
        const FIELDS: [&str; 8] = [
            "id", "kind", "label", "at", "evidence", "locator", "zone", "tags",
        ];
        const HELP: &str = r#"an anchor looks like `{"id": "errors", "at": ["src/error.rs:12-31"], "kind": "contract"}`"#;
        self.fields.check_names(node, "an anchor", &FIELDS, HELP)?;
        // Read all fields before giving up, in order to report all errors.
        let before = self.fields.refused();
        let id = self.ident(node, HELP);
        let kind = self.kind(node);
        let label = self.fields.optional_text(node, "label");
        let at = self.places(node);
        let locator = node.get("locator").and_then(|node| self.locator(node));
        let zone = self.fields.texts(node, "zone");
        let tags = self.fields.texts(node, "tags");
        let is_sound = self.fields.refused() == before;
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
        let id = self.fields.text(node, "id", help)?;
        match Ident::parse(&id) {
            Ok(id) => Some(id),
            Err(error) => {
                let place = node.get("id").unwrap_or(node).place();
                self.fields
                    .refuse(place, format!("`id` cannot name an anchor: {error}"), None);
                None
            }
        }
    }

    fn kind(&mut self, node: Node<'_>) -> Option<AnchorKind> {
        let text = self.fields.optional_text(node, "kind")?;
        let kind = AnchorKind::from_word(&text);
        if kind.is_none() {
            let place = node.get("kind").unwrap_or(node).place();
            self.fields.refuse_name(place, UnknownName::of_kind(&text));
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
                    None => self.fields.refuse(
                        node.place(),
                        "a place must be a string",
                        Some("write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`"),
                    ),
                }
            }
        }
        if let Some(evidence) = node.get("evidence") {
            if !evidence.value().is_array() {
                self.fields
                    .refuse(evidence.place(), "`evidence` must be a list", None);
            }
            for node in evidence.items() {
                places.extend(self.pointer(node));
            }
        }
        places
    }

    /// Reads a file and a range of its lines. Without `end_line`, the range is a single line.
    fn lines(&mut self, node: Node<'_>, help: &str) -> Option<(RepoPath, LineSpan)> {
        const NUMBER: &str = "a whole number from 1";
        let file = self
            .fields
            .required_as(node, "file", "a file of the repository", help);
        let start: u32 = self.fields.required_as(node, "start_line", NUMBER, help)?;
        let end: Option<Option<u32>> = self.fields.parsed(node, "end_line", NUMBER);
        match LineSpan::new(start, end.flatten().unwrap_or(start)) {
            Ok(span) => Some((file?, span)),
            Err(error) => {
                self.fields.refuse(node.place(), error.to_string(), None);
                None
            }
        }
    }

    fn pointer(&mut self, node: Node<'_>) -> Option<(AskedPlace, Place)> {
        const HELP: &str =
            r#"evidence looks like `{"file": "src/error.rs", "start_line": 12, "end_line": 31}`"#;
        // A capture in the document may be outdated, so we accept the field but capture the lines
        // again.
        const FIELDS: [&str; 5] = ["file", "start_line", "end_line", "source_hash", "capture"];
        self.fields.check_names(node, "evidence", &FIELDS, HELP)?;
        let lines = self.lines(node, HELP);
        let hash = self
            .fields
            .parsed(node, "source_hash", "the hash of the lines");
        let (file, span) = lines?;
        Some((AskedPlace::Lines(file, span, hash), node.place()))
    }

    fn locator(&mut self, node: Node<'_>) -> Option<Locator> {
        const HELP: &str = r#"a locator looks like `{"kind": "symbol", "value": "Error::help"}`"#;
        self.fields
            .check_names(node, "a locator", &["kind", "value"], HELP)?;
        let kinds = "`symbol`, `grep`, `path_glob`, `snippet_sha256` or `other`";
        let kind: LocatorKind = self.fields.required_as(node, "kind", kinds, HELP)?;
        let value = self.fields.text(node, "value", HELP)?;
        Some(Locator { kind, value })
    }
}
