//! Anchors with their text, as a run shows them.

use windlass_base::{Entry, Ident, Limit, ResponseMode};
use windlass_pack::{
    Pack, PackSection, PackStatus, RunbookRef, SectionStatus, Styled, recaptures, view,
};
use windlass_plan::{FreshnessMode, Policy};

use crate::anchors::as_item;
use crate::refresh::view_options;
use crate::{AnchorReport, Error, NotKept, ViewRequest, Workspace};

/// How much `anchor show` prints when the caller does not say.
const SHOW_LIMIT: Limit = Limit::Chars(200_000);

/// Anchors with their text.
#[derive(Debug)]
pub struct ShownAnchors {
    /// What is printed.
    pub printed: Styled,
    /// Why what was cut is not kept, so that its cursors lead nowhere.
    pub cursors_lost: Option<NotKept>,
}

impl Workspace {
    /// Shows anchors with their text, as a run would; `view` names no mode that matters here.
    ///
    /// # Errors
    /// When a name is not there, the notebook cannot be read, or the budget is too small.
    pub fn show_anchors(
        &self,
        ids: &[String],
        request: &ViewRequest,
    ) -> Result<ShownAnchors, Error> {
        let snapshot = self.snapshot();
        let pack = as_pack(&self.check_anchors(ids, &snapshot)?)?;
        let policy = Policy {
            freshness: FreshnessMode::Repair,
            limit: Some(SHOW_LIMIT),
            response_mode: Some(ResponseMode::Full),
            ..Policy::default()
        };
        let (shown, printed) = view(&pack, &snapshot, &view_options(request, &policy))?;
        let cursors_lost = self.keep_rest(&shown, &pack, &policy);
        Ok(ShownAnchors {
            printed,
            cursors_lost,
        })
    }
}

/// Anchors as a pack of one section, so that they look as they do in a run.
fn as_pack(reports: &[AnchorReport]) -> Result<Pack, Error> {
    let section = as_section(reports)?;
    let status = match section.status {
        SectionStatus::Fresh => PackStatus::Ok,
        _ => PackStatus::Stale,
    };
    let runbook = RunbookRef {
        id: section.id.clone(),
        title: "Anchors".to_owned(),
        purpose: String::new(),
    };
    let mut pack = Pack::new(runbook, status, vec![section], Vec::new())
        .map_err(|error| Error::Internal(error.to_string()))?;
    pack.next_actions = recaptures(&pack.sections);
    Ok(pack)
}

pub(super) fn as_section<'a>(
    reports: impl IntoIterator<Item = &'a AnchorReport>,
) -> Result<PackSection, Error> {
    let entries: Vec<Entry> = reports
        .into_iter()
        .map(|report| Entry::Item(as_item(report)))
        .collect();
    Ok(PackSection {
        id: Ident::parse("anchors").map_err(|error| Error::Internal(error.to_string()))?,
        title: "Anchors".to_owned(),
        step: "anchors".to_owned(),
        status: SectionStatus::of(&entries),
        reason: None,
        help: None,
        refused: false,
        next_action: None,
        limit: usize::MAX,
        entries,
        notes: Vec::new(),
    })
}
