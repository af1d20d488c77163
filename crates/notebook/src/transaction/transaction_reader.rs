//! Parses a transaction document into operations.

use serde_json::Value;
use windlass_base::Diagnostics;
use windlass_plan::Node;

use super::anchor_reader::AnchorReader;
use super::field_reader::FieldReader;
use super::{Asked, AskedRunbook, MAX_OPERATIONS, Request, SCHEMA_VERSION, Transaction};
use crate::unknown_name::UnknownName;

pub(super) struct TransactionReader {
    fields: FieldReader,
}

impl TransactionReader {
    pub(super) fn new() -> Self {
        Self {
            fields: FieldReader::of_rule("transaction"),
        }
    }

    /// All errors, including those in operations that [`Self::transaction`] has skipped.
    pub(super) fn finish(self) -> Diagnostics {
        self.fields.finish()
    }

    /// Reads the transaction at `root`. Invalid operations are skipped and reported. If there is an
    /// error outside of the operations, this returns `None`.
    pub(super) fn transaction(&mut self, root: Node<'_>) -> Option<Transaction> {
        const HELP: &str =
            r#"it looks like `{"operations": [{"op": "delete_anchor", "id": "errors"}]}`"#;
        // A list of operations is a transaction as well, so agents don't have to wrap it.
        let (list, if_revision) = if root.value().is_array() {
            (root, None)
        } else {
            self.fields.check_names(
                root,
                "a transaction",
                &["schema_version", "if_revision", "operations"],
                HELP,
            )?;
            self.version(root)?;
            let if_revision = self.fields.parsed(root, "if_revision", "a whole number");
            (self.fields.required(root, "operations", HELP)?, if_revision)
        };
        if !list.value().is_array() {
            self.fields
                .refuse(list.place(), "`operations` must be a list", Some(HELP));
            return None;
        }
        let count = list.items().count();
        if count > MAX_OPERATIONS {
            let message = format!(
                "{count} operations exceed the {MAX_OPERATIONS} that one transaction may have"
            );
            self.fields
                .refuse(list.place(), message, Some("split it into several"));
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

    /// Checks the version, which is optional. Returns `None` if we cannot read this version.
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
                self.fields
                    .refuse(node.place(), message, Some("update windlass"));
            }
            _ => self.fields.refuse(
                node.place(),
                "`schema_version` must be a whole number from 1",
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
            self.fields
                .refuse(node.place(), "an operation must be an object", Some(HELP));
            return None;
        }
        let op = self.fields.text(node, "op", HELP)?;
        let what = match op.as_str() {
            "upsert_anchor" => {
                self.fields
                    .check_names(node, "this operation", &["op", "anchor"], HELP)?;
                let anchor = self.fields.required(node, "anchor", HELP)?;
                let mut reader = AnchorReader {
                    fields: &mut self.fields,
                };
                Asked::UpsertAnchor(Box::new(reader.anchor(anchor)?))
            }
            "upsert_runbook" => Asked::UpsertRunbook(self.runbook(node)?),
            "delete_anchor" | "delete_runbook" => {
                const HELP: &str = r#"it looks like `{"op": "delete_anchor", "id": "errors"}`"#;
                self.fields
                    .check_names(node, "this operation", &["op", "id"], HELP)?;
                let id = self.fields.text(node, "id", HELP)?;
                match op.as_str() {
                    "delete_anchor" => Asked::DeleteAnchor(id),
                    _ => Asked::DeleteRunbook(id),
                }
            }
            _ => {
                let place = node.get("op").unwrap_or(node).place();
                let unknown = UnknownName::new("unknown operation", &op, &OPS);
                self.fields.refuse_name(place, unknown);
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
        self.fields
            .check_names(node, "this operation", &["op", "runbook", "file"], HELP)?;
        match (node.get("runbook"), node.get("file")) {
            (Some(runbook), None) => match runbook.value() {
                Value::String(text) => Some(AskedRunbook::Text(text.clone())),
                value @ Value::Object(_) => {
                    let text = serde_json::to_string_pretty(value).ok()?;
                    // The notebook stores text, even if the document contains the runbook as an
                    // object.
                    Some(AskedRunbook::Text(text + "\n"))
                }
                _ => {
                    self.fields.refuse(
                        runbook.place(),
                        "`runbook` must be a string or an object",
                        Some(HELP),
                    );
                    None
                }
            },
            (None, Some(_)) => Some(AskedRunbook::File(self.fields.text(node, "file", HELP)?)),
            _ => {
                self.fields.refuse(
                    node.place(),
                    "this operation needs either `runbook` or `file`",
                    Some(HELP),
                );
                None
            }
        }
    }
}
