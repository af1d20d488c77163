//! Merge of document versions.

use std::path::Path;

use windlass_base::Diagnostics;
use windlass_site::{DocumentLock, Error};
use windlass_store::write_shared;

use super::{DocumentDraft, DocumentError, DocumentService};
use crate::{ChangeKind, CheckOptions, Document, MergedDocument, Note, check, merge_documents};

/// A merged document with its text and findings.
#[derive(Debug, Clone)]
pub struct MergedVcontext {
    /// The result of the merge.
    pub merged: MergedDocument,
    /// The merged document's text.
    pub text: String,
    /// Findings in the merged document. It must not be written if there are errors.
    pub found: Diagnostics,
}

impl DocumentService {
    /// Merges `ours` and `theirs`, which both derive from `base`, on behalf of `actor`.
    ///
    /// # Errors
    /// Returns an error if the result is too large for a document.
    pub fn merge_vcontext(
        &self,
        base: &Document,
        ours: &Document,
        theirs: &Document,
        actor: Option<&str>,
    ) -> Result<MergedVcontext, Error> {
        let author = self.author(actor);
        let merged = merge_documents(base.value(), ours.value(), theirs.value(), &author);
        let text = ours.rewritten(&merged.value);
        // Two changes that are valid on their own may form a cycle together.
        let whole = Document::parse(ours.source().name(), text.as_bytes());
        let found = check(&whole.map_err(Error::document)?, &CheckOptions::default());
        Ok(MergedVcontext {
            merged,
            text,
            found,
        })
    }

    /// Writes a merged document to the file `name`. If that's the file of `ours`, it must not have
    /// changed since. A fork merged into its parent is marked in its own file. Returns true if
    /// there's a fork.
    ///
    /// # Errors
    /// See [`DocumentService::write_document`]. Also returns an error if the file has changed or
    /// the document has errors.
    pub fn write_merged(
        &self,
        name: &str,
        start: &Path,
        merged: &MergedVcontext,
        [ours, theirs]: [(&str, &Document); 2],
        actor: Option<&str>,
    ) -> Result<bool, Error> {
        self.write_merge(name, start, merged, ours)?;
        let (file, document) = theirs;
        let place = |name: &str| start.join(name).canonicalize().ok();
        let Some(fork) = merged
            .merged
            .fork
            .as_ref()
            .filter(|_| place(file) != place(name))
        else {
            return Ok(false);
        };
        self.change_vcontext(file, start, |now| {
            if now.value() != document.value() {
                return Err(DocumentError::Changed(file.to_owned()).into());
            }
            let draft = DocumentDraft {
                value: fork.clone(),
                author: self.author(actor),
                note: Some(Note {
                    operation: ChangeKind::Merge,
                    what: "merged into its parent".to_owned(),
                }),
                dry_run: false,
            };
            Ok((Some(draft), true))
        })
    }

    fn write_merge(
        &self,
        name: &str,
        start: &Path,
        merged: &MergedVcontext,
        ours: (&str, &Document),
    ) -> Result<(), Error> {
        if merged.found.has_errors() {
            return Err(Error::document(merged.found.clone()));
        }
        let place = self.writable(name, start, &merged.text)?;
        let _lock = DocumentLock::of_file(&self.site, &place)?;
        let (file, document) = ours;
        let same =
            |real: std::path::PathBuf| place.path().canonicalize().is_ok_and(|own| own == real);
        if start.join(file).canonicalize().is_ok_and(same) {
            let (_, now) = self
                .site
                .files()
                .read_document(name, start, &self.site.snapshot())?;
            if now != document.source().text().as_bytes() {
                return Err(DocumentError::Changed(name.to_owned()).into());
            }
        }
        Ok(write_shared(&place, merged.text.as_bytes())?)
    }
}
