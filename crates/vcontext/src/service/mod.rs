//! vContext documents as files of the user: read like all others, written as a whole under a lock.

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

/// The documents of a repository, and those outside of it that the user names.
#[derive(Debug, Clone)]
pub struct DocumentService {
    site: Site,
}

impl DocumentService {
    /// The documents of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Reads the vContext document in the file `name`; `start` is the folder that relative paths are meant from.
    ///
    /// # Errors
    /// When it cannot be read, or is neither JSON nor TRON.
    pub fn vcontext(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
    ) -> Result<Document, Error> {
        let (file, bytes) = self.site.files().read_document(name, start, snapshot)?;
        Document::parse(&file, &bytes).map_err(Error::document)
    }

    /// The plan that the vContext document in the file `name` is; nothing where it is another sort of document, or none.
    ///
    /// # Errors
    /// When it is not valid, or holds a Playbook.
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

    /// What is wrong with a vContext document, and with what it links to; compared with what it was `before`, if that is
    /// given.
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

    /// The same; in commands that are advised the document is `called` as it was typed.
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

    /// Writes `text` into the file `name`, which need not be there, in one piece.
    ///
    /// # Errors
    /// When its name says that it is JSON and `text` is not; when it is secret, a link stands in its way, or it cannot be
    /// written.
    pub fn write_document(&self, name: &str, start: &Path, text: &str) -> Result<(), Error> {
        let place = self.writable(name, start, text)?;
        // Whoever changes it at the same time does so before or after.
        let _lock = DocumentLock::of_file(&self.site, &place)?;
        // Outside it may be a device.
        match place.root() == self.site.repo().root() {
            true => Ok(write_shared(&place, text.as_bytes())?),
            false => Ok(write_out(place.path(), text.as_bytes())?),
        }
    }

    /// Where `text` is written to, as the file `name`.
    fn writable(&self, name: &str, start: &Path, text: &str) -> Result<RootedPath, Error> {
        if name.ends_with(".json") && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
            return Err(DocumentError::NotJson(name.to_owned()).into());
        }
        self.place_to_write(name, start)
    }

    /// Location to which the file `name` is written. No link leads out of the repository, and nothing secret is written.
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
