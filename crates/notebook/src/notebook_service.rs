//! Entry point of the notebook.

use std::path::Path;
use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Source};
use windlass_evidence::{CaptureError, Captured, capture};
use windlass_packs::ViewRequest;
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::anchor_lines::{AnchorLine, read_anchor_lines};
use crate::anchor_place::{AnchorPlace, AnchorRequest, capture_place, place_named};
use crate::anchor_reports::{AnchorReport, ExplainedAnchor, check_anchors, steps_of};
use crate::edit_request::{EditRequest, edit_notebook};
use crate::handover::{self, HandOverRequest, HandedOver};
use crate::listing::{self, AnchorList, ListRequest, ShownAnchors};
use crate::repair_anchors::{RepairRequest, Repaired, repair_anchors};
use crate::suggestions::SuggestionService;
use crate::transact::{Transactor, Work};
use crate::{
    Anchor, AnchorDraft, AnchorFreshness, EditMode, Edited, HistoryLimits, Notebook,
    NotebookChange, NotebookDesk, NotebookEdit, NotebookFile, Operation, Revision, Runner,
};

/// Notebook of a repository: its anchors, and the operations on it.
#[derive(Clone)]
pub struct NotebookService {
    transactor: Transactor,
}

impl NotebookService {
    /// Creates the service for the repository of `site`, whose runbooks `runner` runs.
    #[must_use]
    pub fn new(site: &Site, runner: Arc<dyn Runner>) -> Self {
        Self::at(NotebookDesk::new(site), runner)
    }

    /// Creates the service for `desk`, whose runbooks `runner` runs.
    #[must_use]
    pub fn at(desk: NotebookDesk, runner: Arc<dyn Runner>) -> Self {
        Self {
            transactor: Transactor { desk, runner },
        }
    }

    /// Returns the notebook session of this job.
    #[must_use]
    pub fn desk(&self) -> &NotebookDesk {
        &self.transactor.desk
    }

    /// Returns the notebook file; switched off if there is no data folder.
    #[must_use]
    pub fn file(&self) -> NotebookFile {
        self.desk().file()
    }

    /// Reads the notebook and notes its damaged parts.
    ///
    /// # Errors
    /// If the notebook is switched off, or there is no data folder; see [`NotebookFile::read`].
    pub fn read(&self) -> Result<Notebook, Error> {
        self.desk().read()
    }

    /// Returns the service for suggested anchors.
    #[must_use]
    pub fn suggestions(&self) -> SuggestionService {
        SuggestionService::new(self.transactor.clone())
    }

    fn site(&self) -> &Site {
        self.desk().site()
    }

    /// Applies `work`, then evaluates `answer` on the edited notebook.
    ///
    /// # Errors
    /// If the notebook cannot be read or written, or an operation fails. Nothing is saved then.
    pub fn transact<T>(
        &self,
        work: Work,
        answer: impl FnOnce(&NotebookEdit<'_>) -> T,
    ) -> Result<Edited<T>, Error> {
        self.transactor.transact(work, answer)
    }

    /// Captures and saves one anchor.
    ///
    /// # Errors
    /// If a location cannot be captured, the name is taken and `replace` is false, or the notebook cannot be
    /// written. Nothing is saved then.
    pub fn add_anchor(&self, request: AnchorRequest, replace: bool) -> Result<Anchor, Error> {
        let snapshot = self.site().snapshot();
        let (mut evidence, mut locator) = (Vec::new(), None);
        for place in &request.places {
            let (captured, symbol) = capture_place(&snapshot, place)?;
            evidence.push(captured.into());
            locator = locator.or(symbol);
        }
        let id = request.id.clone();
        // An absent argument never clears a list.
        let given = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
        let draft = AnchorDraft {
            id: request.id,
            kind: request.kind,
            label: request.label,
            evidence,
            locator,
            zone: given(request.zone),
            tags: given(request.tags),
            freshness: self.desk().freshness(),
            must_be_new: !replace,
            is_suggestion: false,
        };
        let operation = Operation::UpsertAnchor(Box::new(draft));
        let edited = self.transact(Work::new(vec![(operation, None)]), |edit| {
            edit.anchor(id.as_str())
        })?;
        edited
            .answer
            .ok_or_else(|| Error::internal(format!("anchor `{id}` was not saved")))
    }

    /// Captures and saves many anchors, given as JSON Lines from the source `name`; all or none.
    ///
    /// # Errors
    /// See [`NotebookService::add_anchor`]; every invalid line is reported.
    pub fn add_anchors(&self, name: &str, text: &str, replace: bool) -> Result<usize, Error> {
        let source = Source::new(name, text);
        let lines = read_anchor_lines(&source).map_err(Error::document)?;
        let snapshot = self.site().snapshot();
        let freshness = self.desk().freshness();
        let total = lines.len();
        let (mut operations, mut found) = (Vec::with_capacity(total), Diagnostics::default());
        for line in lines {
            match capture(&snapshot, &line.file, line.span) {
                Ok(captured) => {
                    let place = line.place.clone();
                    let draft = draft_of(line, captured, freshness.clone(), !replace);
                    let operation = Operation::UpsertAnchor(Box::new(draft));
                    operations.push((operation, Some(place)));
                }
                Err(error) => found.push(uncapturable(&line, &error)),
            }
        }
        if !found.is_empty() {
            return Err(Error::document(found));
        }
        self.transact(Work::new(operations), |_| ())?;
        Ok(total)
    }

    /// Deletes anchors; all or none.
    ///
    /// # Errors
    /// If an id is unknown, a runbook uses the anchor, or the notebook cannot be written.
    pub fn remove_anchors(&self, ids: &[String]) -> Result<(), Error> {
        let operations = ids
            .iter()
            .map(|id| (Operation::DeleteAnchor(id.clone()), None));
        self.transact(Work::new(operations.collect()), |_| ())?;
        Ok(())
    }

    /// Returns the anchor `id`.
    ///
    /// # Errors
    /// If there is none, or the notebook cannot be read.
    pub fn anchor(&self, id: &str) -> Result<Anchor, Error> {
        Ok(self.desk().read()?.anchor(id)?.clone())
    }

    /// Judges the anchors `ids` in `snapshot`, in the given order; all anchors in the order of saving if `ids`
    /// is empty.
    ///
    /// # Errors
    /// If an id is unknown, or the notebook cannot be read.
    pub fn check_anchors(
        &self,
        ids: &[String],
        snapshot: &Snapshot,
    ) -> Result<Vec<AnchorReport>, Error> {
        check_anchors(&self.desk().read()?, ids, snapshot, self.site().cancel())
    }

    /// Judges anchors like [`NotebookService::check_anchors`] and adds the redacted search steps for each piece
    /// of evidence.
    ///
    /// # Errors
    /// See [`NotebookService::check_anchors`].
    pub fn explain_anchors(
        &self,
        ids: &[String],
        snapshot: &Snapshot,
    ) -> Result<Vec<ExplainedAnchor>, Error> {
        let reports = self.check_anchors(ids, snapshot)?;
        let notebook = self.desk().read()?;
        let explained = |report: AnchorReport| {
            let anchor = notebook.anchor(report.id.as_str())?;
            let claims = anchor
                .evidence
                .iter()
                .filter_map(|evidence| anchor.claim_here(evidence, snapshot));
            let steps = claims.map(|claim| steps_of(&claim, snapshot)).collect();
            Ok(ExplainedAnchor { report, steps })
        };
        reports.into_iter().map(explained).collect()
    }

    /// Applies the whole transaction, or nothing.
    ///
    /// # Errors
    /// [`crate::NotebookError::Transaction`] with every error and its position; the notebook is at another
    /// revision, or cannot be read or written.
    pub fn edit(&self, request: &EditRequest<'_>) -> Result<NotebookChange, Error> {
        edit_notebook(&self.transactor, request)
    }

    /// Returns the retained revisions and the current one, newest first.
    ///
    /// # Errors
    /// If the folder cannot be read, or belongs to another repository.
    pub fn history(&self) -> Result<Vec<Revision>, Error> {
        let file = self.desk().usable()?;
        let history = file.history()?;
        self.desk().note_damage(&file.strangers()?);
        Ok(history)
    }

    /// Restores the notebook of `revision` as a new revision.
    ///
    /// # Errors
    /// If the revision is not retained, or the notebook cannot be written.
    pub fn roll_back(&self, revision: u64, mode: EditMode) -> Result<NotebookChange, Error> {
        let file = self.desk().usable()?;
        let look = |edit: &NotebookEdit<'_>| {
            self.transactor
                .uses_of_removed(edit, &self.site().snapshot())
        };
        let edited = file.rollback_and(&self.desk().writer(), mode, revision, look)?;
        self.desk().note_damage(&edited.set_aside);
        for (name, users) in edited.answer {
            let users = users.join(", ");
            self.site().note_trouble(format!(
                "{name} is not in revision {revision}, but is used by {users}"
            ));
        }
        Ok(NotebookChange::new(
            edited.before,
            edited.revision,
            edited.changes,
            mode,
        ))
    }

    /// Deletes superseded revisions beyond `limits` and returns their numbers.
    ///
    /// # Errors
    /// If they cannot be listed, or another process is writing.
    pub fn collect_garbage(
        &self,
        limits: HistoryLimits,
        mode: EditMode,
    ) -> Result<Vec<u64>, Error> {
        let file = self.desk().usable()?;
        Ok(file.collect_garbage(&self.desk().writer(), mode, limits)?)
    }

    /// Adopts the notebook of the repository at `from`, or the only candidate that shares this history. The
    /// source notebook is unchanged; its trusted entries are not trusted here.
    ///
    /// # Errors
    /// If there is no such notebook, there are several, or this repository has one.
    pub fn adopt(
        &self,
        from: Option<&Path>,
        mode: EditMode,
    ) -> Result<(String, NotebookChange), Error> {
        self.desk().adopt_from(from, mode)
    }

    /// Parses a location: `src/main.rs:10-24` or `src/main.rs#Type::method`. A relative file is resolved from
    /// `start`, then from the root. The last `:` counts, and the last `#` that follows an existing file.
    ///
    /// # Errors
    /// If `text` is not a location.
    pub fn anchor_place(&self, text: &str, start: &Path) -> Result<AnchorPlace, Error> {
        place_named(self.site(), text, start)
    }

    /// Moves evidence of anchors to its proven current location, in one transaction.
    ///
    /// # Errors
    /// If an id is unknown, or the notebook cannot be read or written. Nothing is saved then.
    pub fn repair_anchors(&self, request: &RepairRequest) -> Result<Repaired, Error> {
        repair_anchors(&self.transactor, request)
    }

    /// Exports the anchors of the notebook to `.windlass/anchors.json`, and its runbooks to `runbooks/`.
    ///
    /// Changes of others there stay, unless `replace` lets the notebook win. Entries are skipped if they hold a
    /// secret value, are grounded in a secret file, or name a folder of this machine.
    ///
    /// # Errors
    /// If a name is unknown, the file is damaged or newer, the notebook cannot be read, or files cannot be
    /// written.
    pub fn export(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::export(&self.transactor, request)
    }

    /// Imports the shared anchors of `.windlass/anchors.json`.
    ///
    /// Entries of the notebook stay, unless they are unchanged since the last export or import, or `replace`
    /// lets the repository win. Runbooks are run from the repository; a notebook runbook of the same name is
    /// removed under the same conditions. An import trusts nothing.
    ///
    /// # Errors
    /// If there is no such file, it is damaged or newer, a name is not in it, or the notebook cannot be read or
    /// written. Nothing has changed then.
    pub fn import(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::import(&self.transactor, request)
    }

    /// Lists anchors with their verdicts, within a budget.
    ///
    /// # Errors
    /// If a name is unknown, the notebook cannot be read, the budget is too small, or the cursor does not
    /// belong to the current list.
    pub fn list(&self, request: &ListRequest) -> Result<AnchorList, Error> {
        listing::list_anchors(&self.transactor, request)
    }

    /// Renders anchors with their text, like a run; ignores the mode of `view`.
    ///
    /// # Errors
    /// If a name is unknown, the notebook cannot be read, or the budget is too small.
    pub fn show(&self, ids: &[String], view: &ViewRequest) -> Result<ShownAnchors, Error> {
        listing::show_anchors(self.desk(), ids, view)
    }
}

/// Validates anchors given as JSON Lines like [`NotebookService::add_anchors`], without saving.
///
/// # Errors
/// See [`NotebookService::add_anchors`].
pub fn check_anchor_lines(name: &str, text: &str) -> Result<usize, Error> {
    let lines = read_anchor_lines(&Source::new(name, text)).map_err(Error::document)?;
    Ok(lines.len())
}

fn uncapturable(line: &AnchorLine, error: &CaptureError) -> Diagnostic {
    Diagnostic::error("anchor-capture", format!("`{}`: {error}", line.id))
        .at(line.place.clone())
        .help("no anchor of this file was saved")
}

fn draft_of(
    line: AnchorLine,
    captured: Captured,
    freshness: AnchorFreshness,
    must_be_new: bool,
) -> AnchorDraft {
    AnchorDraft {
        id: line.id,
        kind: line.kind,
        label: line.label,
        evidence: vec![captured.into()],
        locator: line.locator,
        zone: line.zone,
        tags: line.tags,
        freshness,
        must_be_new,
        is_suggestion: false,
    }
}
