//! Stores packs that had to be cut, so that a cursor can continue them.
//!
//! A cursor leads to a stored pack and a position in it. The store is limited in size. If a
//! cursor's pack is gone, the user has to run the runbook again ([`CursorExpired`]).

mod ending;
mod kept_health;
mod kept_result;
mod printed_result;
mod rejudge;

use windlass_plan::Policy;
use windlass_repo::{Owner, Snapshot};
use windlass_site::{Error, ErrorKind, Explain, Site};
use windlass_store::{BlobLimits, RootedPath};

use self::kept_result::MAX_BYTES;
use crate::pack_folder::PackFolder;
use crate::runbook::view_request::view_options;
use crate::{Cursor, Format, Pack, Styled, ViewOptions, ViewRequest};

pub use self::ending::Ending;
pub use self::kept_result::{KeptResult, NotKept, StoredResult};
pub use self::printed_result::Printed;
pub use self::rejudge::{Rejudged, is_stale, judged_ending, judged_status};

const LIMITS: BlobLimits = BlobLimits {
    max_count: 100,
    max_bytes: 256 << 20,
};

/// The cursor's pack is not stored anymore.
#[derive(Debug, thiserror::Error)]
#[error("the result of this cursor is no longer stored")]
pub struct CursorExpired;

impl Explain for CursorExpired {
    fn kind(&self) -> ErrorKind {
        ErrorKind::NotFound
    }

    fn help(&self) -> Option<String> {
        Some("run the runbook again to get new cursors".to_owned())
    }
}

/// A store for cut packs, outside of the repository.
#[derive(Debug, Clone)]
pub struct KeptPacks {
    folder: PackFolder,
}

/// A request for the next page of a pack.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The cursor as we printed it.
    pub cursor: String,
    /// The format and limits of the page.
    pub view: ViewRequest,
}

/// The page that a cursor leads to.
#[derive(Debug)]
pub struct Page {
    /// The page in the requested format.
    pub printed: Styled,
    /// The page in the second format, if the request has one.
    pub also: Option<Styled>,
    /// Done, or stale if the runbook is strict and evidence on the page is stale.
    pub ending: Ending,
}

impl KeptPacks {
    /// Opens the store for the repository of `site`. We do not create anything until there is a
    /// pack to store.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        let folder = PackFolder {
            site: site.clone(),
            name: "packs",
            limits: LIMITS,
            max_bytes: MAX_BYTES,
        };
        Self { folder }
    }

    /// Gets the next page of a cut pack. We do not run any step again, but verify the evidence once
    /// more, since the files may have changed since the last page.
    ///
    /// # Errors
    /// Returns an error if this is not a cursor, if we do not have the pack anymore, or if the
    /// budget is too small.
    pub fn page(&self, request: &PageRequest) -> Result<Page, Error> {
        let cursor: Cursor = request.cursor.parse()?;
        let kept = self.find(&cursor).ok_or(CursorExpired)?;
        let (section, snapshot) = (usize::from(cursor.section), self.folder.site.snapshot());
        // The cursor comes from the user, so there may be no such section.
        if kept.pack.sections.len() <= section {
            return Err(CursorExpired.into());
        }
        let judged = kept.rejudged(&snapshot, Some(section));
        let options = ViewOptions {
            from: Some(cursor),
            ..view_options(&request.view, &judged.policy)
        };
        let (mut pack, ending) = (judged.pack, judged.ending);
        pack.calls.caller = self.folder.site.caller().cloned();
        let printed = Printed::of(&pack, &snapshot, &options, request.view.also)?;
        Ok(Page {
            printed: printed.main,
            also: printed.also,
            ending,
        })
    }

    /// The folder that packs are stored in. `None` if there is no state folder.
    #[must_use]
    pub fn folder(&self) -> Option<RootedPath> {
        self.folder.place().ok()
    }

    /// Later pages are shown with the options in `policy`, so we have to store them too.
    fn keep(&self, pack: &Pack, policy: &Policy) -> Result<(), NotKept> {
        let mut stored = StoredResult::of(pack, policy).ok_or(NotKept::SecretName)?;
        stored.repo = Some(Owner::without_lineage(self.folder.site.repo()));
        let results = self.folder.blobs().map_err(|_| NotKept::Unwritable)?;
        let text = serde_json::to_vec(&stored).map_err(|_| NotKept::Unwritable)?;
        // Don't write a pack that we'd refuse to read.
        if text.len() as u64 > MAX_BYTES {
            return Err(NotKept::TooLarge);
        }
        let put = results.put(&Cursor::key_of(&pack.key), &text);
        put.map_err(|_| NotKept::Unwritable)
    }

    /// Prints the part of `pack` that fits the limit. If we have to cut it, we store it for
    /// cursors. If we cannot store it, the output says why, and has no cursors.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub fn print(
        &self,
        pack: &mut Pack,
        snapshot: &Snapshot,
        options: &ViewOptions,
        policy: &Policy,
        also: Option<Format>,
    ) -> Result<Printed, Error> {
        pack.calls.caller = self.folder.site.caller().cloned();
        let printed = Printed::of(pack, snapshot, options, also)?;
        let lost = printed.cut.then(|| self.keep(pack, policy).err());
        let Some(why) = lost.flatten() else {
            return Ok(printed);
        };
        // Print the pack again. Its cursors would lead nowhere, so this time there are none.
        pack.calls.kept = false;
        pack.notes.push(why.to_string());
        Ok(Printed {
            cursors_lost: Some(why),
            ..Printed::of(pack, snapshot, options, also)?
        })
    }

    /// Reads the cursor's pack. Returns `None` if we do not have it, or it is damaged.
    #[must_use]
    pub fn find(&self, cursor: &Cursor) -> Option<KeptResult> {
        let stored = self
            .folder
            .read(&cursor.key(), |stored: &StoredResult| stored.repo.as_ref());
        let stored = stored.ok()??;
        stored.open()
    }
}
