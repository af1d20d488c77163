use windlass_pack::{Cursor, Styled, ViewOptions};

use crate::RunError;
use crate::refresh::view_options;
use crate::results::Printed;
use crate::{Ending, Error, ViewRequest, Workspace};

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

impl Workspace {
    /// Shows more of a pack that was cut. Nothing is run again; what the entries point at is judged anew, so
    /// that a page never shows what is no longer there.
    ///
    /// # Errors
    /// When the text is no cursor, the pack is no longer kept, or the budget is too small.
    pub fn page(&self, request: &PageRequest) -> Result<Page, Error> {
        let cursor: Cursor = request.cursor.parse()?;
        let kept = self.kept_result(&cursor).ok_or(RunError::CursorExpired)?;
        let (section, snapshot) = (usize::from(cursor.section), self.snapshot());
        if kept.pack.sections.len() <= section {
            return Err(RunError::CursorExpired.into());
        }
        let judged = kept.rejudged(&snapshot, Some(section));
        let options = ViewOptions {
            from: Some(cursor),
            ..view_options(&request.view, &judged.policy)
        };
        let (mut pack, ending) = (judged.pack, judged.ending);
        pack.calls.caller = self.caller().cloned();
        let printed = Printed::of(&pack, &snapshot, &options, request.view.also)?;
        Ok(Page {
            printed: printed.main,
            also: printed.also,
            ending,
        })
    }
}
