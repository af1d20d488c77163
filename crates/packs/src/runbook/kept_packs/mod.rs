//! Stores cut packs for a limited time, so that a cursor can continue them.

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

/// Error for a cursor whose pack is no longer stored.
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

/// Store of packs that were cut. It is outside of the repository.
#[derive(Debug, Clone)]
pub struct KeptPacks {
    folder: PackFolder,
}

/// Request for the next page of a pack.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// Cursor, as it was printed.
    pub cursor: String,
    /// Format and limits of the page.
    pub view: ViewRequest,
}

/// Next page of a pack.
#[derive(Debug)]
pub struct Page {
    /// Page in the requested format.
    pub printed: Styled,
    /// Page in the second requested format.
    pub also: Option<Styled>,
    /// Outcome for the evidence on the page. It is either done, or stale if the runbook is strict.
    pub ending: Ending,
}

impl KeptPacks {
    /// Returns the store for the repository of `site`.
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

    /// Returns the next page of a cut pack. No step runs again. The evidence is verified again, so that a page never
    /// shows outdated text.
    ///
    /// # Errors
    /// Returns an error if the text is not a cursor, if the pack is no longer stored, or if the budget is too small.
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

    /// Returns the folder of stored packs. Returns `None` if there is no state folder.
    #[must_use]
    pub fn folder(&self) -> Option<RootedPath> {
        self.folder.place().ok()
    }

    /// Stores `pack` under its key, together with the `policy` that later pages need.
    fn keep(&self, pack: &Pack, policy: &Policy) -> Result<(), NotKept> {
        let mut stored = StoredResult::of(pack, policy).ok_or(NotKept::SecretName)?;
        stored.repo = Some(Owner::without_lineage(self.folder.site.repo()));
        let results = self.folder.blobs().map_err(|_| NotKept::Unwritable)?;
        let text = serde_json::to_vec(&stored).map_err(|_| NotKept::Unwritable)?;
        // A pack above this size could not be read again.
        if text.len() as u64 > MAX_BYTES {
            return Err(NotKept::TooLarge);
        }
        let put = results.put(&Cursor::key_of(&pack.key), &text);
        put.map_err(|_| NotKept::Unwritable)
    }

    /// Prints the part of `pack` that fits the limit. If the pack is cut, stores it for cursors. If it cannot be
    /// stored, the output contains no cursors and states the reason.
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

    /// Returns the stored pack of `cursor`. Returns `None` if it does not exist or is damaged.
    #[must_use]
    pub fn find(&self, cursor: &Cursor) -> Option<KeptResult> {
        let stored = self
            .folder
            .read(&cursor.key(), |stored: &StoredResult| stored.repo.as_ref());
        let stored = stored.ok()??;
        stored.open()
    }
}
