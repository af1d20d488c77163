//! vContext documents: files of the user, read like all others, written as a whole under a lock.

mod begin;
mod error;
mod fork;
mod gate;
mod item;
mod lightest;
mod linked;
mod lock;
mod merge;
mod page;
mod playbook;

use std::path::Path;

use windlass_base::Diagnostics;
use windlass_plan::Plan;
use windlass_repo::{Refusal, Snapshot};
use windlass_store::{RootedPath, write_out, write_shared};
use windlass_vcontext::{CheckOptions, Document, Migrated, as_plan, check, migrate};

pub use self::fork::{ForkRequest, Forked};
pub use self::gate::DocumentDraft;
pub(crate) use self::gate::refuse_invalid;
pub use self::item::{ItemRequest, ItemWork};
pub use self::lightest::lightest_tron;
pub(crate) use self::lock::DocumentLock;
pub use self::merge::MergedVcontext;
pub use self::page::{FittingPage, ListPage};
pub use self::playbook::{EventRequest, Recorded};
use crate::documents::linked::Beside;
use crate::{Error, Workspace};
pub use error::DocumentError;
use windlass_site::SiteError;
use windlass_site::led_out;
use windlass_site::unreadable;

impl Workspace {
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
        let (file, bytes) = self.files().read_document(name, start, snapshot)?;
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
        let (file, bytes) = self.files().read_document(name, start, snapshot)?;
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
        let beside = Beside::new(self, snapshot, path);
        let options = CheckOptions {
            linked: Some(&beside),
            before,
            called,
        };
        check(document, &options)
    }

    /// Brings a vContext document into the shape of version 0.4.
    ///
    /// # Errors
    /// When it is of a later version, or no such document.
    pub fn migrate_vcontext(&self, document: &Document) -> Result<Migrated, Error> {
        Ok(migrate(document.value())?)
    }

    /// Writes `text` into the file `name`, which need not be there, in one piece.
    ///
    /// # Errors
    /// When its name says that it is JSON and `text` is not; when it is secret, a link stands in its way, or it cannot be
    /// written.
    pub fn write_document(&self, name: &str, start: &Path, text: &str) -> Result<(), Error> {
        let place = self.writable(name, start, text)?;
        // Whoever changes it at the same time does so before or after.
        let _lock = self.lock_document(&place)?;
        // Outside it may be a device.
        match place.root() == self.repo().root() {
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
        match self.repo().path_of(&path) {
            Some(path) => {
                if let Err(refusal @ Refusal::Secret { .. }) = self.snapshot().read(&path) {
                    return Err(unreadable(path.as_str(), &refusal));
                }
                self.files().document_place(&path)
            }
            None if self.is_confined() => Err(SiteError::Outside(name.to_owned()).into()),
            None if self.files().is_led_out(&path) => Err(led_out(name)),
            None => Ok(RootedPath::resolved(&path)),
        }
    }
}
