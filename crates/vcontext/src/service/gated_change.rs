//! The only way to change an existing document. We read and write it under a lock and check the
//! invariants of every change. Items locked by other users stay unchanged, there are no new errors,
//! and the document records the change.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_base::{Diagnostics, Severity};
use windlass_site::{DocumentLock, Error};
use windlass_store::write_shared;

use super::{DocumentError, DocumentService};
use crate::{
    Author, CheckOptions, Document, Note, Value, accepted, check, keeps_locked, without_nulls,
};

/// The new contents of a document.
#[derive(Debug, Clone)]
pub struct DocumentDraft {
    /// The document to write.
    pub value: Value<'static>,
    /// The author of the change.
    pub author: Author,
    /// A description of the change, or `None` if it changes only the form and not the meaning.
    pub note: Option<Note>,
    /// True to write nothing.
    pub dry_run: bool,
}

impl DocumentService {
    /// Reads the document in the file `name`, changes it, and writes it under a lock. Nothing is
    /// written if `change` returns `None` or an equal value.
    ///
    /// # Errors
    /// Returns an error if the document can't be read, changed or written, or if another process
    /// holds the lock too long. Also if the change would introduce an error, or affect an item
    /// locked by another user.
    pub fn change_vcontext<T>(
        &self,
        name: &str,
        start: &Path,
        change: impl FnOnce(&Document) -> Result<(Option<DocumentDraft>, T), Error>,
    ) -> Result<T, Error> {
        self.change_vcontext_as(name, start, &Document::rewritten, change)
    }

    /// Writes `value` to the file `name`, in the given `form`. An existing document is changed like
    /// in [`DocumentService::change_vcontext`], and any other file is replaced.
    ///
    /// # Errors
    /// See [`DocumentService::change_vcontext`] and [`DocumentService::write_document`].
    pub fn put_vcontext(
        &self,
        name: &str,
        start: &Path,
        actor: Option<&str>,
        value: &Value<'static>,
        form: &dyn Fn(&Value<'static>) -> String,
    ) -> Result<(), Error> {
        self.writable(name, start, &form(value))?;
        let there = match start.join(name).exists() {
            true => self.vcontext(name, start, &self.site.snapshot()).ok(),
            false => None,
        };
        if there.is_none_or(|there| there.container().is_none()) {
            return self.write_document(name, start, &form(value));
        }
        let author = self.author(actor);
        self.change_vcontext_as(name, start, &|_, value| form(value), |document| {
            let is_same = without_nulls(document.value()) == without_nulls(value);
            let draft = DocumentDraft {
                value: value.clone(),
                author,
                note: (!is_same).then(|| Note::update("replaced by another document")),
                dry_run: false,
            };
            Ok((Some(draft), ()))
        })
    }

    /// Changes a document like [`DocumentService::change_vcontext`], and writes it in the given
    /// `form`.
    fn change_vcontext_as<T>(
        &self,
        name: &str,
        start: &Path,
        form: &dyn Fn(&Document, &Value<'static>) -> String,
        change: impl FnOnce(&Document) -> Result<(Option<DocumentDraft>, T), Error>,
    ) -> Result<T, Error> {
        let place = self.place_to_write(name, start)?;
        // Outside the repository, no other check reports a missing file.
        let _lock = DocumentLock::of_file(&self.site, &place)?;
        // Read the file again, since it may have changed before we took the lock.
        let (file, bytes) = self
            .site
            .files()
            .read_document(name, start, &self.site.snapshot())?;
        let document = Document::parse(&file, &bytes).map_err(Error::document)?;
        let (draft, answer) = change(&document)?;
        let Some(draft) = draft else {
            return Ok(answer);
        };
        let text = passed(&document, &draft, form)?;
        if !draft.dry_run && text != document.source().text() {
            // Editors ignore the lock, so check for changes once more.
            let (_, now) = self
                .site
                .files()
                .read_document(name, start, &self.site.snapshot())?;
            if now != bytes {
                return Err(DocumentError::Changed(file).into());
            }
            write_shared(&place, text.as_bytes())?;
        }
        Ok(answer)
    }
}

/// Returns the new document's text, after all checks.
fn passed(
    document: &Document,
    draft: &DocumentDraft,
    form: &dyn Fn(&Document, &Value<'static>) -> String,
) -> Result<String, Error> {
    let Some(note) = &draft.note else {
        // An older form hides many errors, so only check the locks.
        keeps_locked(document, &draft.value, &draft.author)?;
        return Ok(form(document, &draft.value));
    };
    let value = accepted(document, draft.value.clone(), &draft.author, note)?;
    let text = form(document, &value);
    let after = Document::parse(document.source().name(), text.as_bytes());
    refuse_worse(document, &after.map_err(Error::document)?)?;
    Ok(text)
}

/// Refuses an invalid `document`.
pub(super) fn refuse_invalid(document: &Document) -> Result<(), Error> {
    let found = check(document, &CheckOptions::default());
    match found.has_errors() {
        true => Err(Error::document(found)),
        false => Ok(()),
    }
}

/// Refuses errors in `after` that aren't in `before`.
fn refuse_worse(before: &Document, after: &Document) -> Result<(), Error> {
    let options = CheckOptions {
        before: Some(before),
        ..CheckOptions::default()
    };
    let found = check(after, &options);
    if !found.has_errors() {
        return Ok(());
    }
    let known = errors(&check(before, &CheckOptions::default()));
    let is_worse = errors(&found)
        .into_iter()
        .any(|(rule, count)| count > known.get(rule).copied().unwrap_or(0));
    match is_worse {
        true => Err(Error::document(found)),
        false => Ok(()),
    }
}

/// Counts each rule's violations.
fn errors(found: &Diagnostics) -> BTreeMap<&'static str, usize> {
    let mut count = BTreeMap::new();
    for one in found.iter().filter(|one| one.severity == Severity::Error) {
        *count.entry(one.rule).or_default() += 1;
    }
    count
}
