//! The entry point for notebook operations.

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

/// Operations on a repository's notebook.
#[derive(Clone)]
pub struct NotebookService {
    transactor: Transactor,
}

impl NotebookService {
    /// Creates the service for the repository of `site`. `runner` provides the step kinds and the
    /// trust decisions for the notebook's runbooks.
    #[must_use]
    pub fn new(site: &Site, runner: Arc<dyn Runner>) -> Self {
        Self::at(NotebookDesk::new(site), runner)
    }

    /// Creates the service on top of the notebook access `desk`.
    #[must_use]
    pub fn at(desk: NotebookDesk, runner: Arc<dyn Runner>) -> Self {
        Self {
            transactor: Transactor { desk, runner },
        }
    }

    /// Returns the access to the notebook.
    #[must_use]
    pub fn desk(&self) -> &NotebookDesk {
        &self.transactor.desk
    }

    /// Returns the notebook file. It's disabled if the user turned the notebook off or if there's
    /// no data folder.
    #[must_use]
    pub fn file(&self) -> NotebookFile {
        self.desk().file()
    }

    /// Reads the notebook and reports damaged parts to the user.
    ///
    /// # Errors
    /// Returns an error if the notebook is turned off, if there's no data folder, or in the cases
    /// of
    /// [`NotebookFile::read`].
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

    /// Applies `work`, then passes the edited notebook to `answer` and returns the answer.
    ///
    /// # Errors
    /// Returns an error if the notebook cannot be read or written, or if an operation fails.
    /// Nothing is saved then.
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
    /// Returns an error if a location cannot be captured, if the name is taken and `replace` is false, or if the
    /// notebook cannot be written. Nothing is saved then.
    pub fn add_anchor(&self, request: AnchorRequest, replace: bool) -> Result<Anchor, Error> {
        let snapshot = self.site().snapshot();
        let (mut evidence, mut locator) = (Vec::new(), None);
        for place in &request.places {
            let (captured, symbol) = capture_place(&snapshot, place)?;
            evidence.push(captured.into());
            locator = locator.or(symbol);
        }
        let id = request.id.clone();
        // An omitted argument arrives as an empty list, which must not clear the stored one.
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

    /// Captures and saves many anchors at once: either all are saved, or none. `text` contains them
    /// as JSON Lines, and messages call this source `name`.
    ///
    /// # Errors
    /// Returns an error in the cases of [`NotebookService::add_anchor`]. The error lists every
    /// invalid line.
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

    /// Deletes anchors, either all of them or none.
    ///
    /// # Errors
    /// Returns an error if an id is unknown, if a runbook uses one of the anchors, or if the
    /// notebook cannot be written.
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
    /// Returns an error if the anchor does not exist, or if the notebook cannot be read.
    pub fn anchor(&self, id: &str) -> Result<Anchor, Error> {
        Ok(self.desk().read()?.anchor(id)?.clone())
    }

    /// Judges the anchors `ids` in `snapshot`, in the given order. If `ids` is empty, judges all
    /// anchors in the order they were saved in.
    ///
    /// # Errors
    /// Returns an error if an id is unknown, or if the notebook cannot be read.
    pub fn check_anchors(
        &self,
        ids: &[String],
        snapshot: &Snapshot,
    ) -> Result<Vec<AnchorReport>, Error> {
        check_anchors(&self.desk().read()?, ids, snapshot, self.site().cancel())
    }

    /// Judges anchors like [`NotebookService::check_anchors`] and adds the search steps for each
    /// piece of evidence, with secret values replaced.
    ///
    /// # Errors
    /// Same as for [`NotebookService::check_anchors`].
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
    /// Returns [`crate::NotebookError::Transaction`] with the positions of all errors if an
    /// operation is invalid. Returns other errors if the notebook is at another revision, or if it
    /// cannot be read or written.
    pub fn edit(&self, request: &EditRequest<'_>) -> Result<NotebookChange, Error> {
        edit_notebook(&self.transactor, request)
    }

    /// Returns the stored revisions and the current one, newest first.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or if it belongs to another repository.
    pub fn history(&self) -> Result<Vec<Revision>, Error> {
        let file = self.desk().usable()?;
        let history = file.history()?;
        self.desk().note_damage(&file.strangers()?);
        Ok(history)
    }

    /// Restores the contents of `revision` as a new revision.
    ///
    /// # Errors
    /// Returns an error if the revision is not stored, or if the notebook cannot be written.
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

    /// Deletes stored revisions exceeding `limits` and returns their numbers.
    ///
    /// # Errors
    /// Returns an error if the revisions cannot be listed, or if another process holds the lock.
    pub fn collect_garbage(
        &self,
        limits: HistoryLimits,
        mode: EditMode,
    ) -> Result<Vec<u64>, Error> {
        let file = self.desk().usable()?;
        Ok(file.collect_garbage(&self.desk().writer(), mode, limits)?)
    }

    /// Adopts the notebook of the repository at `from`. Without `from`, adopts the only notebook
    /// belonging to a repository with the same first commits. The source is not changed. Its
    /// runbooks are not trusted here.
    ///
    /// # Errors
    /// Returns an error if no such notebook or more than one exists, or if this repository already
    /// has a notebook.
    pub fn adopt(
        &self,
        from: Option<&Path>,
        mode: EditMode,
    ) -> Result<(String, NotebookChange), Error> {
        self.desk().adopt_from(from, mode)
    }

    /// Parses a location such as `src/main.rs:10-24` or `src/main.rs#Type::method`. Relative files
    /// are resolved from `start`, then from the root. File names may contain the separators. Lines
    /// therefore start at the last `:`, and symbols at the last `#` that follows an existing file.
    ///
    /// # Errors
    /// Returns an error if `text` is not a location.
    pub fn anchor_place(&self, text: &str, start: &Path) -> Result<AnchorPlace, Error> {
        place_named(self.site(), text, start)
    }

    /// Moves evidence to its proven current location, for several anchors in a single transaction.
    ///
    /// # Errors
    /// Returns an error if an id is unknown, or if the notebook cannot be read or written. Nothing
    /// is saved then.
    pub fn repair_anchors(&self, request: &RepairRequest) -> Result<Repaired, Error> {
        repair_anchors(&self.transactor, request)
    }

    /// Exports the notebook's anchors to `.windlass/anchors.json` and its runbooks to `runbooks/`.
    ///
    /// Changes made there by others are kept, unless `replace` is set. An entry is skipped if it
    /// contains a secret value, points to a secret file, or contains the path of a folder on this
    /// machine.
    ///
    /// # Errors
    /// Returns an error if a name is unknown, or if the anchor file is damaged or newer. The
    /// notebook must be readable and the files writable.
    pub fn export(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::export(&self.transactor, request)
    }

    /// Imports the shared anchors from `.windlass/anchors.json` into the notebook.
    ///
    /// A notebook entry is replaced only if it hasn't changed since the last export or import, or
    /// if `replace` is set. Runbooks aren't imported, since they can be run from the repository.
    /// Under the same conditions, a runbook is removed from the notebook if the repository has one
    /// of the same name. An import never trusts anything.
    ///
    /// # Errors
    /// Returns an error if the file is missing, damaged or newer, if it lacks a name, or if the
    /// notebook cannot be read or written. Nothing changes then.
    pub fn import(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::import(&self.transactor, request)
    }

    /// Lists anchors with their verdicts, within the budget of `request`.
    ///
    /// # Errors
    /// Returns an error if a name is unknown, if the budget is too small, or if the notebook cannot
    /// be read. A cursor must belong to the current list.
    pub fn list(&self, request: &ListRequest) -> Result<AnchorList, Error> {
        listing::list_anchors(&self.transactor, request)
    }

    /// Renders anchors with their text, in the same form as a run's pack. Ignores the mode of
    /// `view`.
    ///
    /// # Errors
    /// Returns an error if a name is unknown, if the notebook cannot be read, or if the budget is
    /// too small.
    pub fn show(&self, ids: &[String], view: &ViewRequest) -> Result<ShownAnchors, Error> {
        listing::show_anchors(self.desk(), ids, view)
    }
}

/// Validates anchors in JSON Lines format and returns their number. Unlike
/// [`NotebookService::add_anchors`], doesn't capture or save them.
///
/// # Errors
/// Returns an error that lists every invalid line.
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
