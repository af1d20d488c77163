//! Checks documents of any kind for `windlass check`.
//!
//! Users just name a file, so we have to find out what it's meant to be. If in doubt, we treat it
//! as a runbook.

use std::path::Path;

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use windlass_base::{Diagnostics, Digest, RepoPath};
use windlass_context::{check_pack, check_payload};
use windlass_formula::{CookOptions, FormulaService, is_formula_file};
use windlass_ledger::for_formulas;
use windlass_memory::MemoryService;
use windlass_notebook::{RunbookFile, Transaction, check_anchor_lines};
use windlass_notebook::{SHARED_ANCHORS, SharedAnchors};
use windlass_plan::{Catalog, Document};
use windlass_repo::Snapshot;
use windlass_site::Error;
use windlass_vcontext::DocumentService;

use crate::run_service::RunService;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Anchors in JSON Lines format, for `anchor add --import`.
    AnchorLines,
    SharedAnchors,
    ContextPack,
    /// The payload that one node passes to another.
    EdgePayload,
    /// A transaction for `notebook edit`.
    Transaction,
}

/// The result of [`RunService::check_document`].
#[derive(Debug)]
pub enum CheckedDocument {
    /// A valid runbook, possibly with warnings.
    Runbook(Box<RunbookFile>),
    /// Any other document, valid or not: anchors, a transaction, a formula, a context pack, an edge
    /// payload, a vContext document, or a memory file.
    Other {
        /// The file as named by the user.
        file: String,
        /// The problems found. A valid document has no errors, but it may have warnings.
        found: Diagnostics,
    },
}

impl RunService {
    /// Checks the document `name`: the name of a runbook, or a file relative to the folder `start`.
    ///
    /// The kind follows from the file name and the fields. We only read the file once, so that all
    /// checks see the same contents.
    ///
    /// # Errors
    /// Returns an error if the document is missing or unreadable, or if it's invalid and may be
    /// meant as a runbook. For other documents, the problems are part of the result.
    pub fn check_document(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<CheckedDocument, Error> {
        let runbook = |runbook| CheckedDocument::Runbook(Box::new(runbook));
        let place = self.site.repo().path_of(&start.join(name));
        if let Some(path) = place.filter(|path| path.as_str().starts_with("memory/"))
            && let Some(found) =
                MemoryService::new(&self.site).check_memory_file(&path, snapshot)?
        {
            let file = path.to_string();
            return Ok(CheckedDocument::Other { file, found });
        }
        if is_formula_file(name) {
            let catalog = for_formulas(catalog.clone());
            let options = CookOptions {
                catalog: Some(&catalog),
                ..CookOptions::default()
            };
            let (file, found) =
                FormulaService::new(&self.site).check(name, start, snapshot, &options)?;
            return Ok(CheckedDocument::Other { file, found });
        }
        // This isn't the name of a file, so it can only be the name of a runbook.
        if ![".jsonl", ".json", ".yaml", ".yml", ".tron"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            return self
                .shelf()
                .find(name, start, snapshot, catalog)
                .map(runbook);
        }
        let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
        if windlass_vcontext::Document::is_likely(&file, &bytes) {
            let found = match windlass_vcontext::Document::parse(&file, &bytes) {
                Ok(document) => {
                    let documents = DocumentService::new(&self.site);
                    documents.check_vcontext(&document, &start.join(name), None, snapshot)
                }
                Err(found) => found,
            };
            return Ok(CheckedDocument::Other { file, found });
        }
        let document = Document::parse(&file, &bytes);
        let Some(sort) = sort_of(&file, &bytes, document.as_ref().ok()) else {
            let document = document.map_err(Error::document)?;
            let (path, digest) = (start.join(name), Digest::of_bytes(&bytes));
            // Resolve all nested runbooks with the same state of the notebook. If it were edited in
            // the meantime, we'd check a mixture that never existed.
            let same = self.shelf().with_one_notebook();
            let found = same.runbook_in(&document, digest, &path, snapshot, catalog);
            return found.map(runbook);
        };
        let found = check_other(sort, &file, &bytes);
        Ok(CheckedDocument::Other { file, found })
    }

    /// Returns the path of the file with the repository's shared anchors, if it exists.
    #[must_use]
    pub fn shared_anchors_file(&self) -> Option<RepoPath> {
        let file = RepoPath::parse(SHARED_ANCHORS).ok()?;
        self.site
            .repo()
            .root()
            .join(file.as_str())
            .exists()
            .then_some(file)
    }
}

fn check_other(sort: Sort, file: &str, bytes: &[u8]) -> Diagnostics {
    let found = match sort {
        Sort::AnchorLines => {
            let text = String::from_utf8_lossy(bytes);
            let checked = check_anchor_lines(file, &text);
            match checked.err().and_then(|error| error.found().cloned()) {
                Some(found) => Err(found),
                None => Ok(()),
            }
        }
        Sort::ContextPack | Sort::EdgePayload => match (Document::parse(file, bytes), sort) {
            (Ok(document), Sort::ContextPack) => return check_pack(&document),
            (Ok(document), _) => return check_payload(&document),
            (Err(found), _) => Err(found),
        },
        Sort::SharedAnchors => SharedAnchors::read(file, bytes).map(drop),
        Sort::Transaction => Transaction::read(file, bytes).map(drop),
    };
    found.err().unwrap_or_default()
}

/// Determines a document's kind from its name or its fields. Returns `None` for a runbook, and for
/// anything else that may be meant as one.
fn sort_of(file: &str, bytes: &[u8], document: Option<&Document>) -> Option<Sort> {
    if file.ends_with(".jsonl") {
        return Some(Sort::AnchorLines);
    }
    if file == SHARED_ANCHORS {
        return Some(Sort::SharedAnchors);
    }
    if let Some(document) = document {
        let value = document.value();
        let has = |field: &str| value.get(field).is_some();
        // Only a runbook has steps. It may still have a field that another kind has too.
        if has("steps") {
            return None;
        }
        if windlass_packs::context::is_likely_pack(value) {
            return Some(Sort::ContextPack);
        }
        if windlass_packs::context::is_likely_payload(value) {
            return Some(Sort::EdgePayload);
        }
        if value.is_array() || has("operations") {
            return Some(Sort::Transaction);
        }
        return has("anchors").then_some(Sort::SharedAnchors);
    }
    // We can't parse the document, e.g. because of its size. The names of its fields may still
    // reveal the kind.
    let fields = top_fields(bytes);
    let has = |field: &str| fields.iter().any(|name| name == field);
    match (has("operations"), has("anchors")) {
        (true, _) => Some(Sort::Transaction),
        (false, true) if !has("steps") => Some(Sort::SharedAnchors),
        _ => None,
    }
}

/// Maximum number of fields to examine for the kind.
const MAX_FIELDS: usize = 1_000;

/// Returns the names of the fields in a JSON object, up to the first syntax error.
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
    // Ignore syntax errors here. They're reported when the document itself is read.
    let _ = serde_json::Deserializer::from_slice(bytes).deserialize_map(Names(&mut names));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_kind_follows_fields() {
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
            let document = Document::parse(file, text.as_bytes()).ok();
            let sort = sort_of(file, text.as_bytes(), document.as_ref());
            assert_eq!(sort, want, "{file}: {text}");
        }
    }
}
