//! Merges versions of a document.

use std::path::Path;

use windlass_base::Diagnostics;
use windlass_site::Error;
use windlass_store::write_shared;

use super::{DocumentDraft, DocumentError, DocumentService};
use crate::{ChangeKind, CheckOptions, Document, MergedDocument, Note, check, merge_documents};

/// A merged document, its text and its findings.
#[derive(Debug, Clone)]
pub struct MergedVcontext {
    /// The value and the conflicts.
    pub merged: MergedDocument,
    /// The text to write.
    pub text: String,
    /// Findings in the merged document.
    ///
    /// [`DocumentService::write_merged`] refuses a document with errors.
    pub found: Diagnostics,
}

impl DocumentService {
    /// Merges `ours` and `theirs`, two versions derived from `base`, on behalf of `actor`.
    ///
    /// This doesn't write anything.
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
        // Two changes that are valid by themselves may form a cycle together.
        let whole = Document::parse(ours.source().name(), text.as_bytes());
        let found = check(&whole.map_err(Error::document)?, &CheckOptions::default());
        Ok(MergedVcontext {
            merged,
            text,
            found,
        })
    }

    /// Writes a merged document to the file `name`.
    ///
    /// The file of `ours` must not have changed since it was read. After merging a fork into its
    /// parent, we also mark the fork as merged in its own file, and return true.
    ///
    /// # Errors
    /// Returns the errors of [`DocumentService::write_document`], and another one if the file has
    /// changed or the document contains errors.
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
        // If the merge was written to the fork's own file, there's nothing left to mark.
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
        let target = self.lock_for(name, start, &merged.text)?;
        let (file, document) = ours;
        let same = |real: std::path::PathBuf| {
            target
                .place
                .path()
                .canonicalize()
                .is_ok_and(|own| own == real)
        };
        // Only compare the contents if we're about to overwrite the file of `ours`.
        if start.join(file).canonicalize().is_ok_and(same) {
            let (_, now) = target.read()?;
            if now != document.source().text().as_bytes() {
                return Err(DocumentError::Changed(name.to_owned()).into());
            }
        }
        Ok(write_shared(&target.place, merged.text.as_bytes())?)
    }
}
