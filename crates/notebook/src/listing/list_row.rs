//! The entries of a list: anchors and runbooks.

use serde::Serialize;
use windlass_base::{Ident, NextAction};
use windlass_packs::Style;
use windlass_repo::Snapshot;
use windlass_site::Error;

use super::ListRequest;
use crate::transact::Transactor;
use crate::{
    AnchorReport, Notebook, RunbookEntry, RunbookPlace, RunbookShelf, Runner, SavedRunbook,
};

/// A notebook entry in a list. In JSON, both have a field `kind`, which is `runbook` for a runbook
/// and the kind of the anchor otherwise.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Row {
    Runbook(RunbookReport),
    Anchor(AnchorReport),
}

/// A runbook of the notebook, as shown in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunbookReport {
    /// The runbook's name.
    pub id: Ident,
    /// Always `runbook`. Anchors in the same list have their kind in this field.
    pub kind: &'static str,
    /// Human-readable title.
    pub label: String,
    /// The runbook's state, which says if it can be run.
    pub status: RunbookState,
    /// The reason why the runbook cannot be run, if that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

windlass_base::word_enum! {
    /// State of a runbook. Only valid ones can be run.
    RunbookState, "state of a runbook" {
        /// Ready to run.
        Valid = "valid",
        /// The text is not a valid runbook.
        Invalid = "invalid",
        /// The runbook starts programs, and the user does not trust it.
        Untrusted = "untrusted",
    }
}

impl RunbookState {
    pub(super) fn style(self) -> Style {
        match self {
            Self::Valid => Style::Good,
            Self::Untrusted => Style::Warn,
            Self::Invalid => Style::Bad,
        }
    }
}

impl Row {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Runbook(report) => report.id.as_str(),
            Self::Anchor(report) => report.id.as_str(),
        }
    }

    pub(super) fn kind(&self) -> &str {
        match self {
            Self::Runbook(report) => report.kind,
            Self::Anchor(report) => report.kind.as_str(),
        }
    }

    pub(super) fn anchor(&self) -> Option<&AnchorReport> {
        match self {
            Self::Runbook(_) => None,
            Self::Anchor(report) => Some(report),
        }
    }

    pub(super) fn runbook(&self) -> Option<&RunbookReport> {
        match self {
            Self::Runbook(report) => Some(report),
            Self::Anchor(_) => None,
        }
    }
}

impl RunbookReport {
    /// Suggests how to resolve the state. A valid runbook does not need an action.
    pub(super) fn action(&self) -> Option<NextAction> {
        let name = RunbookPlace::Notebook(self.id.clone()).to_string();
        match self.status {
            RunbookState::Valid => None,
            RunbookState::Invalid => {
                Some(NextAction::new("check", "see its problems").positional(name))
            }
            RunbookState::Untrusted => {
                let look =
                    NextAction::new("trust", "see the commands that it starts").positional(name);
                Some(look.option("dry_run", true))
            }
        }
    }
}

/// Reports on the notebook's runbooks selected by `request`.
///
/// Names, kinds, tags and zones only make sense for anchors. If the request has any of these, the
/// list has no runbooks.
pub(super) fn saved_reports(
    transactor: &Transactor,
    request: &ListRequest,
    notebook: &Notebook,
    snapshot: &Snapshot,
) -> Vec<RunbookReport> {
    let anchors_only = !(request.kinds.is_empty()
        && request.tags.is_empty()
        && request.zones.is_empty()
        && request.ids.is_empty());
    if anchors_only || notebook.runbooks().len() == 0 {
        return Vec::new();
    }
    let runbooks: Vec<SavedRunbook> = notebook.runbooks().cloned().collect();
    let shelf = transactor.shelf().with_saved(runbooks.clone());
    let all = shelf.all(snapshot);
    let reports = runbooks
        .iter()
        .map(|runbook| saved_report(&shelf, &*transactor.runner, runbook, &all, snapshot));
    reports
        .filter(|report| {
            let state = report.status.as_str();
            request.states.is_empty() || request.states.iter().any(|wanted| wanted == state)
        })
        .collect()
}

fn saved_report(
    shelf: &RunbookShelf,
    runner: &dyn Runner,
    runbook: &SavedRunbook,
    all: &[RunbookEntry],
    snapshot: &Snapshot,
) -> RunbookReport {
    let catalog = runner.catalog();
    let name = RunbookPlace::Notebook(runbook.id.clone()).to_string();
    let root = shelf.root();
    let checked = shelf
        .find(&name, root, snapshot, &catalog)
        .and_then(|file| shelf.check_name(file, all, snapshot));
    let report = |label: String, status, reason| RunbookReport {
        id: runbook.id.clone(),
        kind: "runbook",
        label,
        status,
        reason,
    };
    let file = match checked {
        Ok(file) => file,
        Err(error) => {
            let reason = in_one_line(&error);
            return report(runbook.id.to_string(), RunbookState::Invalid, Some(reason));
        }
    };
    let label = file.plan.title().to_owned();
    match runner.why_untrusted(shelf, &file, snapshot, &catalog) {
        Some(reason) => report(label, RunbookState::Untrusted, Some(reason)),
        None => report(label, RunbookState::Valid, None),
    }
}

fn in_one_line(error: &Error) -> String {
    let Some(found) = error.found() else {
        return error.to_string();
    };
    let first = found.iter().find(|one| one.place.is_some());
    first.map_or_else(
        || "it is not valid".to_owned(),
        |one| match &one.place {
            Some(place) => format!("{place}: {}", one.message),
            None => one.message.clone(),
        },
    )
}
