//! Checking documents that are no runbooks.

use std::path::Path;

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use windlass_base::{Diagnostics, RepoPath};
use windlass_notebook::Transaction;
use windlass_notebook::shared::{SHARED_ANCHORS, SharedAnchors};
use windlass_plan::Document;
use windlass_repo::Snapshot;

use crate::{Error, Workspace};

/// Sorts of documents that are no runbooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Anchors as JSON Lines, for `anchor add --from`.
    AnchorLines,
    /// Anchors as they are handed over.
    SharedAnchors,
    /// A transaction for `notebook edit`.
    Transaction,
}

impl Workspace {
    /// Checks the document `name`, if it is one of anchors or a transaction: the file as the user knows it, and what
    /// is wrong with it. `start` is the folder that relative paths are meant from.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn check_document(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<Option<(String, Diagnostics)>, Error> {
        if ![".jsonl", ".json", ".yaml", ".yml"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            return Ok(None);
        }
        let (file, bytes) = self.read_document(name, start, snapshot)?;
        let Some(sort) = sort_of(&file, &bytes) else {
            return Ok(None);
        };
        let found = match sort {
            Sort::AnchorLines => {
                let text = String::from_utf8_lossy(&bytes);
                match self.check_anchor_lines(&file, &text) {
                    Err(Error::Document(found)) => found,
                    _ => Diagnostics::default(),
                }
            }
            Sort::SharedAnchors => match SharedAnchors::read(&file, &bytes) {
                Ok(_) => Diagnostics::default(),
                Err(found) => found,
            },
            Sort::Transaction => match Transaction::read(&file, &bytes) {
                Ok(_) => Diagnostics::default(),
                Err(found) => found,
            },
        };
        Ok(Some((file, found)))
    }

    /// The file of anchors that are handed over in this repository, if there is one.
    #[must_use]
    pub fn shared_anchors_file(&self) -> Option<RepoPath> {
        let file = RepoPath::parse(SHARED_ANCHORS).ok()?;
        self.repo()
            .root()
            .join(file.as_str())
            .exists()
            .then_some(file)
    }
}

/// What sort of document it is, by its name, or by the fields it has; nothing for runbooks, and what may be one.
fn sort_of(file: &str, bytes: &[u8]) -> Option<Sort> {
    if file.ends_with(".jsonl") {
        return Some(Sort::AnchorLines);
    }
    if file == SHARED_ANCHORS {
        return Some(Sort::SharedAnchors);
    }
    if let Ok(document) = Document::parse(file, bytes) {
        let value = document.value();
        let has = |field: &str| value.get(field).is_some();
        if has("steps") {
            return None;
        }
        if value.is_array() || has("operations") {
            return Some(Sort::Transaction);
        }
        return has("anchors").then_some(Sort::SharedAnchors);
    }
    // It may be too large for YAML, or JSON that YAML does not take.
    let fields = top_fields(bytes);
    let has = |field: &str| fields.iter().any(|name| name == field);
    match (has("operations"), has("anchors")) {
        (true, _) => Some(Sort::Transaction),
        (false, true) if !has("steps") => Some(Sort::SharedAnchors),
        _ => None,
    }
}

/// The most fields that are looked at.
const MAX_FIELDS: usize = 1_000;

/// The names of the fields of a JSON object, as far as it is one.
fn top_fields(bytes: &[u8]) -> Vec<String> {
    struct Names<'a>(&'a mut Vec<String>);

    impl<'de> Visitor<'de> for Names<'_> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
            while self.0.len() < MAX_FIELDS
                && let Some(name) = map.next_key()?
            {
                self.0.push(name);
                map.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut names = Vec::new();
    // What is wrong with it is said by whoever reads it.
    let _ = serde_json::Deserializer::from_slice(bytes).deserialize_map(Names(&mut names));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_apart_by_their_fields() {
        use Sort::{SharedAnchors, Transaction};
        for (file, text, want) in [
            ("a.json", r#"{"anchors":[]}"#, Some(SharedAnchors)),
            ("a.yaml", "operations: []\n", Some(Transaction)),
            ("a.json", r#"[{"op":"x"}]"#, Some(Transaction)),
            (
                "a.json",
                r#"{"operations":[], "x": "\ud83d\ude00""#,
                Some(Transaction),
            ),
            ("a.yaml", "schema_version: 1\nsteps: []\nanchors: 1\n", None),
            ("a.yaml", "a: [", None),
            ("a.json", "", None),
            (SHARED_ANCHORS, "what", Some(SharedAnchors)),
        ] {
            assert_eq!(sort_of(file, text.as_bytes()), want, "{file}: {text}");
        }
    }
}
