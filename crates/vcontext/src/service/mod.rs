//! vContext documents in files. They're read like all other documents, and written as a whole under
//! a lock.

mod document_error;
mod edited_item;
mod fork_file;
mod gated_change;
mod linked_files;
mod merged_versions;
mod new_document;
mod playbook_events;

use std::path::Path;

use windlass_base::Diagnostics;
use windlass_plan::Plan;
use windlass_repo::{Refusal, Snapshot};
use windlass_site::{DocumentLock, Error, Site, SiteError, led_out, unreadable};
use windlass_store::{RootedPath, write_out, write_shared};

pub use self::document_error::DocumentError;
pub use self::edited_item::{ItemRequest, ItemWork};
pub use self::fork_file::{ForkRequest, Forked};
pub use self::gated_change::DocumentDraft;
use self::gated_change::refuse_invalid;
use self::linked_files::Beside;
pub use self::merged_versions::MergedVcontext;
pub use self::playbook_events::{EventRequest, Recorded};
use crate::{CheckOptions, Document, as_plan, check};

/// Access to the documents of a repository, and to documents elsewhere that the user has named.
#[derive(Debug, Clone)]
pub struct DocumentService {
    site: Site,
}

impl DocumentService {
    /// Creates the service without reading anything.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Reads the vContext document in the file `name`.
    ///
    /// A relative path starts at the folder `start`.
    ///
    /// # Errors
    /// Returns an error if the file can't be read, or is neither JSON nor TRON.
    pub fn vcontext(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<Document, Error> {
        let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
        Document::parse(&file, &bytes).map_err(Error::document)
    }

    /// Converts the vContext document in the file `name` to a plan. Returns `None` if it's another
    /// kind of document.
    ///
    /// # Errors
    /// Returns an error if the document is invalid or contains a Playbook.
    pub fn vcontext_plan(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<Option<Plan>, Error> {
        if !name.ends_with(".json") && !name.ends_with(".tron") {
            return Ok(None);
        }
        let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
        if !Document::is_likely(&file, &bytes) {
            return Ok(None);
        }
        let document = Document::parse(&file, &bytes).map_err(Error::document)?;
        as_plan(&document).map(Some).map_err(Error::document)
    }

    /// Checks a vContext document and its links. If there's a version `before`, we also compare the
    /// two.
    #[must_use]
    pub fn check_vcontext(
        &self,
        document: &Document,
        path: &Path,
        before: Option<&Document>,
        snapshot: &Snapshot,
    ) -> Diagnostics {
        let beside = Beside::new(&self.site, snapshot, path);
        let options = CheckOptions {
            linked: Some(&beside),
            before,
        };
        check(document, &options)
    }

    /// Writes `text` to the file `name`, whether it exists or not. The write is atomic.
    ///
    /// # Errors
    /// Returns an error if `text` isn't JSON despite a JSON name, or if the file is secret, behind
    /// a link, or can't be written.
    pub fn write_document(&self, name: &str, start: &Path, text: &str) -> Result<(), Error> {
        self.lock_for(name, start, text)?.write(text)
    }

    fn lock_for<'a>(
        &'a self,
        name: &'a str,
        start: &'a Path,
        text: &str,
    ) -> Result<LockedFile<'a>, Error> {
        if name.ends_with(".json") && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
            return Err(DocumentError::NotJson(name.to_owned()).into());
        }
        self.lock(name, start)
    }

    /// Locks the file `name`, so that concurrent writers run one after the other.
    ///
    /// We refuse secret files, and links that lead out of the repository.
    fn lock<'a>(&'a self, name: &'a str, start: &'a Path) -> Result<LockedFile<'a>, Error> {
        let path = start.join(name);
        let inside = self.site.repo().path_of(&path);
        let place = match &inside {
            Some(path) => self.site.files().document_place(path)?,
            None if self.site.is_confined() => {
                return Err(SiteError::Outside(name.to_owned()).into());
            }
            None if self.site.files().is_led_out(&path) => return Err(led_out(name)),
            None => RootedPath::resolved(&path),
        };
        let file = LockedFile {
            site: &self.site,
            name,
            start,
            _lock: DocumentLock::of_file(&self.site, &place)?,
            place,
            snapshot: self.site.snapshot(),
        };
        if let Some(path) = inside
            && let Err(refusal @ Refusal::Secret { .. }) = file.snapshot.read(&path)
        {
            return Err(unreadable(path.as_str(), &refusal));
        }
        Ok(file)
    }
}

/// A file that no other Windlass process writes while this exists.
struct LockedFile<'a> {
    site: &'a Site,
    name: &'a str,
    start: &'a Path,
    place: RootedPath,
    /// The state of the file at its first read under the lock.
    snapshot: Snapshot,
    /// There's no lock if the folder doesn't exist. Reading or writing the file will fail in that
    /// case.
    _lock: Option<DocumentLock>,
}

impl LockedFile<'_> {
    /// Returns the file's bytes, and its name for messages.
    fn read(&self) -> Result<(String, Vec<u8>), Error> {
        let files = self.site.files();
        files.read_document(self.name, self.start, &self.snapshot)
    }

    fn write(&self, text: &str) -> Result<(), Error> {
        // Outside of the repository, the file may be a device such as `/dev/stdout`.
        match self.place.root() == self.site.repo().root() {
            true => Ok(write_shared(&self.place, text.as_bytes())?),
            false => Ok(write_out(self.place.path(), text.as_bytes())?),
        }
    }

    /// Writes `text` in place of `old`, which was read as `bytes`.
    ///
    /// Editors ignore our lock, so it's an error if the file has changed since then.
    fn replace(&self, old: &Document, bytes: &[u8], text: &str) -> Result<(), Error> {
        if old.source().text() == text {
            return Ok(());
        }
        let files = self.site.files();
        let (file, now) = files.read_document(self.name, self.start, &self.site.snapshot())?;
        if now != bytes {
            return Err(DocumentError::Changed(file).into());
        }
        Ok(write_shared(&self.place, text.as_bytes())?)
    }
}
