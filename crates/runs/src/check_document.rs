//! Validation of documents of any kind, as in `windlass check`.

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

/// Kinds of documents other than runbooks and formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Anchors in JSON Lines format, as read by `anchor add --import`.
    AnchorLines,
    SharedAnchors,
    ContextPack,
    /// A payload passed from one node to another.
    EdgePayload,
    /// A transaction for `notebook edit`.
    Transaction,
}

/// The result of checking a document.
#[derive(Debug)]
pub enum CheckedDocument {
    /// A valid runbook with its warnings.
    Runbook(Box<RunbookFile>),
    /// Any other document: anchors, a transaction, a formula, a context pack, an edge payload, a
    /// vContext document, or a memory file.
    Other {
        /// The file name as given by the user.
        file: String,
        /// Findings of the checks.
        found: Diagnostics,
    },
}

impl RunService {
    /// Checks the document `name`, which is either a runbook (by name or file) or a file of another
    /// kind. We tell the kinds apart by file name and fields. Relative paths refer to the folder
    /// `start`. The file is read only once, so that all checks see the same contents.
    ///
    /// # Errors
    /// Returns an error if the document cannot be found or read. An invalid document that may be a
    /// runbook is an error too, whereas findings about other documents are part of the result.
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
                Ok(document) => DocumentService::new(&self.site).check_vcontext_called(
                    &document,
                    &start.join(name),
                    None,
                    Some(name),
                    snapshot,
                ),
                Err(found) => found,
            };
            return Ok(CheckedDocument::Other { file, found });
        }
        let document = Document::parse(&file, &bytes);
        let Some(sort) = sort_of(&file, &bytes, document.as_ref().ok()) else {
            let document = document.map_err(Error::document)?;
            let (path, digest) = (start.join(name), Digest::of_bytes(&bytes));
            // Resolve all nested runbooks in the same state of the notebook. If someone edits it
            // meanwhile, the result would otherwise mix two states.
            let same = self.shelf().with_one_notebook();
            let found = same.runbook_in(&document, digest, &path, snapshot, catalog);
            return found.map(runbook);
        };
        let found = check_other(sort, &file, &bytes);
        Ok(CheckedDocument::Other { file, found })
    }

    /// Returns the path of the repository's shared anchors file, or `None` if there is no such
    /// file.
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

/// Checks a document that isn't a runbook.
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

/// Determines a document's kind from its name or its fields. Returns `None` for anything that is,
/// or may be, a runbook.
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
    // We can't parse the document as YAML, for example because it's too large. Its field names
    // still give away the kind.
    let fields = top_fields(bytes);
    let has = |field: &str| fields.iter().any(|name| name == field);
    match (has("operations"), has("anchors")) {
        (true, _) => Some(Sort::Transaction),
        (false, true) if !has("steps") => Some(Sort::SharedAnchors),
        _ => None,
    }
}

/// Maximum number of fields inspected to determine the kind.
const MAX_FIELDS: usize = 1_000;

/// Returns the field names of a JSON object, up to the first syntax error.
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
    // Ignore syntax errors here: the document's own reader reports them.
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
