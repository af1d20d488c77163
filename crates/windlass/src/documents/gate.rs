//! The one way by which a document that is there is changed: read and written under a lock, with what holds for every
//! change. Nothing that somebody else has locked is another afterwards; nothing is wrong that was not before; and the
//! document tells of the change as it tells of others.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_base::{Diagnostics, Severity};
use windlass_store::replace_shared;
use windlass_vcontext::{Author, CheckOptions, Document, Note, Value, accepted, check};

use crate::{Error, Workspace};

/// What a document is to be.
#[derive(Debug, Clone)]
pub struct DocumentDraft {
    /// Its value.
    pub value: Value<'static>,
    /// By whom and how it was changed; nothing where only its shape is another, by which it says the same.
    pub change: Option<(Author, Note)>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

impl Workspace {
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
        let place = self.place_to_write(name, start)?;
        // Outside of the repository nothing else says so that it is not there.
        let _lock = match place.parent().is_some_and(Path::is_dir) {
            true => Some(self.lock_document(&place)?),
            false => None,
        };
        // What the file was before the lock was taken does not matter.
        let (file, bytes) = self.read_document(name, start, &self.snapshot())?;
        let document = Document::parse(&file, &bytes).map_err(Error::Document)?;
        let (draft, answer) = change(&document)?;
        let Some(draft) = draft else {
            return Ok(answer);
        };
        let text = passed(&document, &draft)?;
        if !draft.dry_run && text != document.source().text() {
            // Editors know of no lock.
            let (_, now) = self.read_document(name, start, &self.snapshot())?;
            if now != bytes {
                return Err(Error::DocumentChanged(file));
            }
            replace_shared(&place, text.as_bytes())?;
        }
        Ok(answer)
    }
}

/// The text of what a document is to be.
fn passed(document: &Document, draft: &DocumentDraft) -> Result<String, Error> {
    let Some((author, note)) = &draft.change else {
        return Ok(document.rewritten(&draft.value));
    };
    let value = accepted(document, draft.value.clone(), author, note)?;
    let text = document.rewritten(&value);
    let after = Document::parse(document.source().name(), text.as_bytes());
    refuse_worse(document, &after.map_err(Error::Document)?)?;
    Ok(text)
}

/// That `document` is valid.
pub(crate) fn refuse_invalid(document: &Document) -> Result<(), Error> {
    let found = check(document, &CheckOptions::default());
    match found.has_errors() {
        true => Err(Error::Document(found)),
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
        true => Err(Error::Document(found)),
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
