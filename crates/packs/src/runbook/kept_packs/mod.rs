//! Keeps cut packs for a limited time, so that a cursor can continue them.

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

/// Error for a cursor whose pack has been removed from the store.
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

/// Store of cut packs, kept outside the repository.
#[derive(Debug, Clone)]
pub struct KeptPacks {
    folder: PackFolder,
}

/// Request for a pack's next page.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The cursor, as printed.
    pub cursor: String,
    /// The page's format and limits.
    pub view: ViewRequest,
}

/// A pack's next page.
#[derive(Debug)]
pub struct Page {
    /// The page in the requested format.
    pub printed: Styled,
    /// The page in the second requested format.
    pub also: Option<Styled>,
    /// Outcome for the evidence on the page: done, or stale if the runbook is strict.
    pub ending: Ending,
}

impl KeptPacks {
    /// Returns the pack store for the repository of `site`.
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

    /// Returns the next page of a cut pack. No step runs again. The evidence is verified once more,
    /// since the files may have changed since the last page.
    ///
    /// # Errors
    /// Returns an error if the text is not a cursor, if the pack is no longer stored, or if the
    /// budget is too small.
    pub fn page(&self, request: &PageRequest) -> Result<Page, Error> {
        let cursor: Cursor = request.cursor.parse()?;
        let kept = self.find(&cursor).ok_or(CursorExpired)?;
        let (section, snapshot) = (usize::from(cursor.section), self.folder.site.snapshot());
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

    /// Returns the folder of stored packs, or `None` if there is no state folder.
    #[must_use]
    pub fn folder(&self) -> Option<RootedPath> {
        self.folder.place().ok()
    }

    /// Stores `pack` under its key, with the `policy` needed by later pages.
    fn keep(&self, pack: &Pack, policy: &Policy) -> Result<(), NotKept> {
        let mut stored = StoredResult::of(pack, policy).ok_or(NotKept::SecretName)?;
        stored.repo = Some(Owner::without_lineage(self.folder.site.repo()));
        let results = self.folder.blobs().map_err(|_| NotKept::Unwritable)?;
        let text = serde_json::to_vec(&stored).map_err(|_| NotKept::Unwritable)?;
        // Don't write a pack that we'd refuse to read back.
        if text.len() as u64 > MAX_BYTES {
            return Err(NotKept::TooLarge);
        }
        let put = results.put(&Cursor::key_of(&pack.key), &text);
        put.map_err(|_| NotKept::Unwritable)
    }

    /// Prints the part of `pack` that fits the limit. If that cuts the pack, stores it for cursors.
    /// If it can't be stored, the output says why and has no cursors.
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
        pack.calls.kept = false;
        pack.notes.push(why.to_string());
        Ok(Printed {
            cursors_lost: Some(why),
            ..Printed::of(pack, snapshot, options, also)?
        })
    }

    /// Returns the stored pack for `cursor`, or `None` if it doesn't exist or is damaged.
    #[must_use]
    pub fn find(&self, cursor: &Cursor) -> Option<KeptResult> {
        let stored = self
            .folder
            .read(&cursor.key(), |stored: &StoredResult| stored.repo.as_ref());
        let stored = stored.ok()??;
        stored.open()
    }
}
