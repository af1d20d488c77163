use windlass_pack::{Cursor, PackStatus, SectionStatus, Styled, ViewOptions, verify_entry, view};
use windlass_plan::{FreshnessMode, Policy};

use crate::refresh::{text_policy, view_options};
use crate::{Error, ViewRequest, Workspace, assemble};

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
    /// Whether its evidence does not stand, and the runbook is strict.
    pub is_stale: bool,
}

impl Workspace {
    /// Shows more of a pack that was cut. Nothing is run again; what the entries point at is judged anew, so
    /// that a page never shows what is no longer there.
    ///
    /// # Errors
    /// When the text is no cursor, the pack is no longer kept, or the budget is too small.
    pub fn page(&self, request: &PageRequest) -> Result<Page, Error> {
        let cursor: Cursor = request.cursor.parse()?;
        let kept = self.kept_result(&cursor).ok_or(Error::CursorExpired)?;
        let (mut pack, snapshot) = (kept.pack, self.snapshot());
        let Some(section) = pack.sections.get_mut(usize::from(cursor.section)) else {
            return Err(Error::CursorExpired);
        };
        for entry in &mut section.entries {
            verify_entry(&snapshot, entry);
        }
        section.status = section.status.max(SectionStatus::of(&section.entries));
        let strict = kept.freshness == FreshnessMode::Strict;
        let is_stale = strict && section.status.breaks_strict();
        if pack.status == PackStatus::Ok && assemble::is_stale(section.status) {
            pack.status = PackStatus::Stale;
        }
        let policy = Policy {
            noise_permille: kept.noise_permille,
            limit: kept.limit,
            response_mode: kept.response_mode,
            ..Policy::default()
        };
        let options = ViewOptions {
            from: Some(cursor),
            text: text_policy(kept.freshness),
            ..view_options(&request.view, &policy)
        };
        pack.calls.root = self.root_name().cloned();
        let (_, printed) = view(&pack.as_called(), &snapshot, &options)?;
        Ok(Page { printed, is_stale })
    }
}
