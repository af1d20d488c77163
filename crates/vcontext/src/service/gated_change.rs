//! The one way by which a document that is there is changed: read and written under a lock, with what holds for every
//! change. Nothing that somebody else has locked is another afterwards; nothing is wrong that was not before; and the
//! document tells of the change as it tells of others.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_base::{Diagnostics, Severity};
use windlass_site::{DocumentLock, Error};
use windlass_store::write_shared;

use super::{DocumentError, DocumentService};
use crate::{
    Author, CheckOptions, Document, Note, Value, accepted, check, keeps_locked, without_nulls,
};

/// What a document is to be.
#[derive(Debug, Clone)]
pub struct DocumentDraft {
    /// Its value.
    pub value: Value<'static>,
    /// By whom it is changed.
    pub author: Author,
    /// How; nothing where only its shape is another, by which it says the same.
    pub note: Option<Note>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

impl DocumentService {
    /// Reads the document in the file `name`, changes it, and writes it, while nobody else does so. Nothing is written
    /// where `change` gives nothing, or what is there.
    ///
    /// # Errors
    /// When it cannot be read, changed or written, or somebody else does not come to an end with it; when something would
    /// be wrong with it that is not now, or an item would be changed that somebody else has locked.
    pub fn change_vcontext<T>(
        &self,
        name: &str,
        start: &Path,
        change: impl FnOnce(&Document) -> Result<(Option<DocumentDraft>, T), Error>,
    ) -> Result<T, Error> {
        self.change_vcontext_as(name, start, &Document::rewritten, change)
    }

    /// Writes `value` into the file `name`, in a `form` of its own. Where there is a document already, this is a change of
    /// it like any other; anything else that is there is replaced.
    ///
    /// # Errors
    /// As [`DocumentService::change_vcontext`] and [`DocumentService::write_document`].
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
                note: (!is_same).then(|| Note::update("put in its place by another document")),
                dry_run: false,
            };
            Ok((Some(draft), ()))
        })
    }

    /// As [`DocumentService::change_vcontext`], where the text is in a `form` that is asked for.
    fn change_vcontext_as<T>(
        &self,
        name: &str,
        start: &Path,
        form: &dyn Fn(&Document, &Value<'static>) -> String,
        change: impl FnOnce(&Document) -> Result<(Option<DocumentDraft>, T), Error>,
    ) -> Result<T, Error> {
        let place = self.place_to_write(name, start)?;
        // Outside of the repository nothing else says so that it is not there.
        let _lock = DocumentLock::of_file(&self.site, &place)?;
        // What the file was before the lock was taken does not matter.
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
            // Editors know of no lock.
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

/// The text of what a document is to be.
fn passed(
    document: &Document,
    draft: &DocumentDraft,
    form: &dyn Fn(&Document, &Value<'static>) -> String,
) -> Result<String, Error> {
    let Some(note) = &draft.note else {
        // In an older shape much that is wrong cannot be seen.
        keeps_locked(document, &draft.value, &draft.author)?;
        return Ok(form(document, &draft.value));
    };
    let value = accepted(document, draft.value.clone(), &draft.author, note)?;
    let text = form(document, &value);
    let after = Document::parse(document.source().name(), text.as_bytes());
    refuse_worse(document, &after.map_err(Error::document)?)?;
    Ok(text)
}

/// That `document` is valid.
pub(super) fn refuse_invalid(document: &Document) -> Result<(), Error> {
    let found = check(document, &CheckOptions::default());
    match found.has_errors() {
        true => Err(Error::document(found)),
        false => Ok(()),
    }
}

/// That nothing is wrong with `after` that is not with `before`.
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

/// How often each rule is broken.
fn errors(found: &Diagnostics) -> BTreeMap<&'static str, usize> {
    let mut count = BTreeMap::new();
    for one in found.iter().filter(|one| one.severity == Severity::Error) {
        *count.entry(one.rule).or_default() += 1;
    }
    count
}
