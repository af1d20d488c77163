//! Packs that were cut are kept for a while, so that a cursor can go on in them.

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

/// Why no more of a pack can be shown.
#[derive(Debug, thiserror::Error)]
#[error("the result this cursor belongs to is no longer kept")]
pub struct CursorExpired;

impl Explain for CursorExpired {
    fn kind(&self) -> ErrorKind {
        ErrorKind::NotFound
    }

    fn help(&self) -> Option<String> {
        Some("run the runbook again; its pack has new cursors".to_owned())
    }
}

/// Packs that were cut, kept beside the repository for a while.
#[derive(Debug, Clone)]
pub struct KeptPacks {
    folder: PackFolder,
}

/// Where to go on.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The cursor, as it was printed.
    pub cursor: String,
    /// How the page is shown.
    pub view: ViewRequest,
}

/// More of a pack.
#[derive(Debug)]
pub struct Page {
    /// What is printed.
    pub printed: Styled,
    /// The same in the other format that was asked for.
    pub also: Option<Styled>,
    /// Done, or stale: its evidence does not stand, and the runbook is strict.
    pub ending: Ending,
}

impl KeptPacks {
    /// Those of the repository of `site`.
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

    /// Shows more of a pack that was cut. Nothing is run again; what the entries point at is judged anew, so
    /// that a page never shows what is no longer there.
    ///
    /// # Errors
    /// When the text is no cursor, the pack is no longer kept, or the budget is too small.
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

    /// The folder where packs are kept; `None` where there is no folder for what is kept at all.
    #[must_use]
    pub fn folder(&self) -> Option<RootedPath> {
        self.folder.place().ok()
    }

    /// Keeps `pack`.
    fn keep(&self, pack: &Pack, policy: &Policy) -> Result<(), NotKept> {
        let mut stored = StoredResult::of(pack, policy).ok_or(NotKept::SecretName)?;
        stored.repo = Some(Owner::without_lineage(self.folder.site.repo()));
        let results = self.folder.blobs().map_err(|_| NotKept::Unwritable)?;
        let text = serde_json::to_vec(&stored).map_err(|_| NotKept::Unwritable)?;
        // What could not be read again is not kept.
        if text.len() as u64 > MAX_BYTES {
            return Err(NotKept::TooLarge);
        }
        let put = results.put(&Cursor::key_of(&pack.key), &text);
        put.map_err(|_| NotKept::Unwritable)
    }

    /// Prints what fits of `pack`, and keeps it for the cursors where it is cut. Where that is not possible, it has
    /// none, and says so.
    ///
    /// # Errors
    /// When the budget is too small.
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

    /// The pack that `cursor` belongs to, if it is still kept and whole.
    #[must_use]
    pub fn find(&self, cursor: &Cursor) -> Option<KeptResult> {
        let stored = self
            .folder
            .read(&cursor.key(), |stored: &StoredResult| stored.repo.as_ref());
        let stored = stored.ok()??;
        stored.open()
    }
}
