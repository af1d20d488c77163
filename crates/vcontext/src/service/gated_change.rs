//! The only way to change an existing document.
//!
//! We read and write the document under a lock, and check three things in between: items locked by
//! other users must be unchanged, there must be no new errors, and the document must record the
//! change.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_base::{Diagnostics, Severity};
use windlass_site::Error;

use super::DocumentService;
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
    /// The entry for the change log.
    ///
    /// There is none for a change that only affects the form, such as a migration.
    pub note: Option<Note>,
    /// If true, we check everything but write nothing.
    pub dry_run: bool,
}

impl DocumentService {
    /// Reads, changes and writes the document in the file `name`, all under a lock. If `change`
    /// returns `None` or an equal value, we do not write anything.
    ///
    /// # Errors
    /// Returns an error if the document cannot be read, changed or written, or if another process
    /// holds the lock for too long. We also refuse a change that adds errors, or affects items
    /// locked by another user.
    pub fn change_vcontext<T>(
        &self,
        name: &str,
        start: &Path,
        change: impl FnOnce(&Document) -> Result<(Option<DocumentDraft>, T), Error>,
    ) -> Result<T, Error> {
        // Outside the repository, nothing else would report a missing file.
        let file = self.lock(name, start)?;
        let (shown, bytes) = file.read()?;
        let document = Document::parse(&shown, &bytes).map_err(Error::document)?;
        let (draft, answer) = change(&document)?;
        if let Some(draft) = draft {
            let text = passed(&document, &draft, &|value| document.rewritten(value))?;
            if !draft.dry_run {
                file.replace(&document, &bytes, &text)?;
            }
        }
        Ok(answer)
    }

    /// Writes `value` to the file `name` in the given `form`.
    ///
    /// For an existing document, this works like [`DocumentService::change_vcontext`]. Any other
    /// file is simply replaced.
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
        let text = form(value);
        let file = self.lock_for(name, start, &text)?;
        let old = match start.join(name).exists() {
            true => file.read().ok(),
            false => None,
        };
        let parsed = |(shown, bytes): (String, Vec<u8>)| {
            let old = Document::parse(&shown, &bytes).ok()?;
            old.container().is_some().then_some((old, bytes))
        };
        let Some((old, bytes)) = old.and_then(parsed) else {
            return file.write(&text);
        };
        // If only the form changes, locks don't matter and we need no author. Determining the
        // author may mean asking git for the name.
        if old.value() == value || without_nulls(old.value()) == without_nulls(value) {
            return file.replace(&old, &bytes, &text);
        }
        let draft = DocumentDraft {
            value: value.clone(),
            author: self.author(actor),
            note: Some(Note::update("replaced by another document")),
            dry_run: false,
        };
        file.replace(&old, &bytes, &passed(&old, &draft, form)?)
    }
}

/// Returns the text of the new document, once it has passed all checks.
fn passed(
    document: &Document,
    draft: &DocumentDraft,
    form: &dyn Fn(&Value<'static>) -> String,
) -> Result<String, Error> {
    let Some(note) = &draft.note else {
        // In an older form, many errors aren't found. Comparing errors makes no sense then, so only
        // check the locks.
        keeps_locked(document, &draft.value, &draft.author)?;
        return Ok(form(&draft.value));
    };
    let value = accepted(document, draft.value.clone(), &draft.author, note)?;
    let text = form(&value);
    let after = Document::parse(document.source().name(), text.as_bytes());
    refuse_worse(document, &after.map_err(Error::document)?)?;
    Ok(text)
}

pub(super) fn refuse_invalid(document: &Document) -> Result<(), Error> {
    let found = check(document, &CheckOptions::default());
    match found.has_errors() {
        true => Err(Error::document(found)),
        false => Ok(()),
    }
}

/// Refuses `after` if it has errors that `before` does not have.
///
/// We compare their number by rule, because a change may move an error that was there before.
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

fn errors(found: &Diagnostics) -> BTreeMap<&'static str, usize> {
    let mut count = BTreeMap::new();
    for one in found.iter().filter(|one| one.severity == Severity::Error) {
        *count.entry(one.rule).or_default() += 1;
    }
    count
}
