//! vContext documents in files. We read them like all other documents, and write them as a whole
//! under a lock.

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

/// The documents of a repository, and those outside it that the user names.
#[derive(Debug, Clone)]
pub struct DocumentService {
    site: Site,
}

impl DocumentService {
    /// Creates the service for `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Reads the vContext document in the file `name`. Relative paths start at the folder `start`.
    ///
    /// # Errors
    /// Returns an error if it can't be read, or is neither JSON nor TRON.
    pub fn vcontext(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<Document, Error> {
        let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
        Document::parse(&file, &bytes).map_err(Error::document)
    }

    /// Converts the vContext document in the file `name` to a plan, or returns `None` for any other
    /// kind of document.
    ///
    /// # Errors
    /// Returns an error if it's invalid or holds a Playbook.
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

    /// Checks a vContext document and its links, and compares it with its version `before` if there
    /// is one.
    #[must_use]
    pub fn check_vcontext(
        &self,
        document: &Document,
        path: &Path,
        before: Option<&Document>,
        snapshot: &Snapshot,
    ) -> Diagnostics {
        self.check_vcontext_called(document, path, before, None, snapshot)
    }

    /// Checks a document like [`DocumentService::check_vcontext`]. Suggested commands use the name
    /// `called`, as typed.
    #[must_use]
    pub fn check_vcontext_called(
        &self,
        document: &Document,
        path: &Path,
        before: Option<&Document>,
        called: Option<&str>,
        snapshot: &Snapshot,
    ) -> Diagnostics {
        let beside = Beside::new(&self.site, snapshot, path);
        let options = CheckOptions {
            linked: Some(&beside),
            before,
            called,
        };
        check(document, &options)
    }

    /// Writes `text` to the file `name`, new or existing, atomically.
    ///
    /// # Errors
    /// Returns an error if `text` isn't JSON but the name says so. Also if the file is secret,
    /// behind a link, or can't be written.
    pub fn write_document(&self, name: &str, start: &Path, text: &str) -> Result<(), Error> {
        let place = self.writable(name, start, text)?;
        // Lets concurrent writers run one after the other.
        let _lock = DocumentLock::of_file(&self.site, &place)?;
        // A file outside the repository may be a device.
        match place.root() == self.site.repo().root() {
            true => Ok(write_shared(&place, text.as_bytes())?),
            false => Ok(write_out(place.path(), text.as_bytes())?),
        }
    }

    /// Returns the location for writing `text` to the file `name`.
    fn writable(&self, name: &str, start: &Path, text: &str) -> Result<RootedPath, Error> {
        if name.ends_with(".json") && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
            return Err(DocumentError::NotJson(name.to_owned()).into());
        }
        self.place_to_write(name, start)
    }

    /// Returns the location for writing the file `name`. Refuses secret files, and links out of the
    /// repository.
    fn place_to_write(&self, name: &str, start: &Path) -> Result<RootedPath, Error> {
        let path = start.join(name);
        match self.site.repo().path_of(&path) {
            Some(path) => {
                if let Err(refusal @ Refusal::Secret { .. }) = self.site.snapshot().read(&path) {
                    return Err(unreadable(path.as_str(), &refusal));
                }
                self.site.files().document_place(&path)
            }
            None if self.site.is_confined() => Err(SiteError::Outside(name.to_owned()).into()),
            None if self.site.files().is_led_out(&path) => Err(led_out(name)),
            None => Ok(RootedPath::resolved(&path)),
        }
    }
}
