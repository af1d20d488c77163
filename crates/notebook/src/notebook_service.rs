//! The entry point for notebook operations.
//!
//! Commands and MCP tools only talk to [`NotebookService`]. It holds a [`NotebookDesk`] for access
//! to the file, and a runner, since some edits have to know which steps of which runbooks use an
//! anchor. The work itself is done in the modules of the individual operations.

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

/// The operations on a repository's notebook for commands and tools.
#[derive(Clone)]
pub struct NotebookService {
    transactor: Transactor,
}

impl NotebookService {
    /// Creates the service for the repository of `site`.
    ///
    /// `runner` knows the step kinds, and decides whether the notebook's runbooks are trusted.
    #[must_use]
    pub fn new(site: &Site, runner: Arc<dyn Runner>) -> Self {
        Self::at(NotebookDesk::new(site), runner)
    }

    /// Like [`Self::new`], for an existing desk.
    #[must_use]
    pub fn at(desk: NotebookDesk, runner: Arc<dyn Runner>) -> Self {
        Self {
            transactor: Transactor { desk, runner },
        }
    }

    /// The access to the notebook's file.
    #[must_use]
    pub fn desk(&self) -> &NotebookDesk {
        &self.transactor.desk
    }

    /// The notebook's file.
    ///
    /// This always returns a file, but a disabled one if the user has turned the notebook off, or
    /// if we have no data folder to put the file in.
    #[must_use]
    pub fn file(&self) -> NotebookFile {
        self.desk().file()
    }

    /// Reads the notebook, and warns the user about damaged parts, which are skipped.
    ///
    /// # Errors
    /// Returns an error if the notebook is turned off, if the data folder is missing, or in the
    /// cases of [`NotebookFile::read`].
    pub fn read(&self) -> Result<Notebook, Error> {
        self.desk().read()
    }

    /// The service for suggested anchors in the same notebook.
    #[must_use]
    pub fn suggestions(&self) -> SuggestionService {
        SuggestionService::new(self.transactor.clone())
    }

    fn site(&self) -> &Site {
        self.desk().site()
    }

    /// Applies `work` and returns the result of `answer` for the edited notebook, along with the
    /// changes.
    ///
    /// # Errors
    /// Returns an error if an operation fails, or if we cannot read or write the notebook. Nothing
    /// is saved in that case.
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
    /// Returns an error if a capture fails, if the name is taken and `replace` is not set, or if
    /// writing the notebook fails. Nothing is saved in that case.
    pub fn add_anchor(&self, request: AnchorRequest, replace: bool) -> Result<Anchor, Error> {
        let snapshot = self.site().snapshot();
        let (mut evidence, mut locator) = (Vec::new(), None);
        // An anchor has several places but only one locator, so the first symbol wins.
        for place in &request.places {
            let (captured, symbol) = capture_place(&snapshot, place)?;
            evidence.push(captured.into());
            locator = locator.or(symbol);
        }
        let id = request.id.clone();
        // Callers pass an empty list for a missing argument. If the anchor is replaced, that
        // mustn't clear the list stored with the old one.
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

    /// Captures and saves many anchors at once: either all of them, or none.
    ///
    /// `text` contains one anchor per line, as JSON Lines. Messages refer to it as `name`, which is
    /// usually the name of a file.
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
        // Capture all lines before giving up, so that the user sees every bad line at once instead
        // of fixing them one by one.
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

    /// Deletes anchors: all of them, or none.
    ///
    /// # Errors
    /// Returns an error if an ID is unknown, if a runbook uses one of the anchors, or if writing
    /// the notebook fails.
    pub fn remove_anchors(&self, ids: &[String]) -> Result<(), Error> {
        let operations = ids
            .iter()
            .map(|id| (Operation::DeleteAnchor(id.clone()), None));
        self.transact(Work::new(operations.collect()), |_| ())?;
        Ok(())
    }

    /// Reads an anchor from the notebook.
    ///
    /// # Errors
    /// Returns an error if the anchor does not exist, or if reading the notebook fails.
    pub fn anchor(&self, id: &str) -> Result<Anchor, Error> {
        Ok(self.desk().read()?.anchor(id)?.clone())
    }

    /// Judges the anchors `ids` in `snapshot`, in that order. If `ids` is empty, this judges all
    /// anchors in the order in which they were saved.
    ///
    /// # Errors
    /// Returns an error if an id is unknown, or if reading the notebook fails.
    pub fn check_anchors(
        &self,
        ids: &[String],
        snapshot: &Snapshot,
    ) -> Result<Vec<AnchorReport>, Error> {
        check_anchors(&self.desk().read()?, ids, snapshot, self.site().cancel())
    }

    /// Like [`NotebookService::check_anchors`], but includes the steps of the search for each piece
    /// of evidence. Secret values in these steps are redacted.
    ///
    /// # Errors
    /// Returns an error in the cases of [`NotebookService::check_anchors`].
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
    /// operation is invalid. Returns other errors if the notebook is at another revision, or if
    /// reading or writing it fails.
    pub fn edit(&self, request: &EditRequest<'_>) -> Result<NotebookChange, Error> {
        edit_notebook(&self.transactor, request)
    }

    /// The current revision and all stored ones, newest first.
    ///
    /// # Errors
    /// Returns an error if the folder is unreadable, or belongs to another repository.
    pub fn history(&self) -> Result<Vec<Revision>, Error> {
        let file = self.desk().usable()?;
        let history = file.history()?;
        self.desk().note_damage(&file.strangers()?);
        Ok(history)
    }

    /// Makes a new revision with the contents of an earlier one.
    ///
    /// # Errors
    /// Returns an error if `revision` is not stored, or if writing the notebook fails.
    pub fn roll_back(&self, revision: u64, mode: EditMode) -> Result<NotebookChange, Error> {
        let file = self.desk().usable()?;
        // A rollback may remove an anchor or a runbook that others still use. We don't refuse it
        // for that reason, but find out who uses it before the write and warn below.
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

    /// Deletes stored revisions beyond `limits`. Returns their numbers.
    ///
    /// # Errors
    /// Returns an error if listing the revisions fails, or if another process holds the lock.
    pub fn collect_garbage(
        &self,
        limits: HistoryLimits,
        mode: EditMode,
    ) -> Result<Vec<u64>, Error> {
        let file = self.desk().usable()?;
        Ok(file.collect_garbage(&self.desk().writer(), mode, limits)?)
    }

    /// Adopts the notebook of the repository at `from`, usually an earlier location of this one.
    ///
    /// Without `from`, we look for a notebook of a repository with the same first commits, and
    /// adopt it if it is the only one. The source stays as it is. Trust in its runbooks is not
    /// adopted, so the user has to trust them again before they can run.
    ///
    /// # Errors
    /// Returns an error if no notebook or more than one qualifies, or if this repository already
    /// has a notebook.
    pub fn adopt(
        &self,
        from: Option<&Path>,
        mode: EditMode,
    ) -> Result<(String, NotebookChange), Error> {
        self.desk().adopt_from(from, mode)
    }

    /// Parses a location such as `src/main.rs:10-24` or `src/main.rs#Type::method`. Relative files
    /// are looked up in `start`, then in the root.
    ///
    /// Note that a file name may contain the separators. We therefore split off the lines at the
    /// last `:`, and a symbol at the last `#` that comes after an existing file.
    ///
    /// # Errors
    /// Returns an error if `text` is not a location.
    pub fn anchor_place(&self, text: &str, start: &Path) -> Result<AnchorPlace, Error> {
        place_named(self.site(), text, start)
    }

    /// Moves evidence to its current location, for several anchors in a single transaction. Only
    /// locations that have been proven are changed.
    /// # Errors
    /// Returns an error if an ID is unknown, or if reading or writing the notebook fails. Nothing
    /// is saved in that case.
    pub fn repair_anchors(&self, request: &RepairRequest) -> Result<Repaired, Error> {
        repair_anchors(&self.transactor, request)
    }

    /// Exports the notebook's anchors to `.windlass/anchors.json` and its runbooks to `runbooks/`.
    ///
    /// Other people's changes to these files are kept, unless `replace` is set. We skip entries
    /// that should not leave this machine: those with a secret value, a secret file, or the path of
    /// a local folder.
    ///
    /// # Errors
    /// Returns an error if a name is unknown, if the anchor file is damaged or newer, or if reading
    /// the notebook or writing the files fails.
    pub fn export(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::export(&self.transactor, request)
    }

    /// Imports the shared anchors from `.windlass/anchors.json` into the notebook.
    ///
    /// An entry of the notebook is only replaced if it has not changed since the last export or
    /// import, or if `replace` is set. Runbooks are not imported, since they can be run from the
    /// repository as they are. Instead, we remove the notebook's runbook of the same name under the
    /// same conditions, because two runbooks with one name would be ambiguous. An import never
    /// trusts anything.
    ///
    /// # Errors
    /// Returns an error if the file is missing, damaged or newer, if it lacks a name, or if reading
    /// or writing the notebook fails. Nothing has changed in that case.
    pub fn import(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::import(&self.transactor, request)
    }

    /// Lists anchors with their verdicts, within the budget of `request`.
    ///
    /// # Errors
    /// Returns an error if a name is unknown, if the budget is too small, if reading the notebook
    /// fails, or if the cursor belongs to another list.
    pub fn list(&self, request: &ListRequest) -> Result<AnchorList, Error> {
        listing::list_anchors(&self.transactor, request)
    }

    /// Renders anchors with their text, in the form of a run's pack. The mode of `view` is ignored.
    ///
    /// # Errors
    /// Returns an error if a name is unknown, if reading the notebook fails, or if the budget is
    /// too small.
    pub fn show(&self, ids: &[String], view: &ViewRequest) -> Result<ShownAnchors, Error> {
        listing::show_anchors(self.desk(), ids, view)
    }
}

/// Like [`NotebookService::add_anchors`], but only checks the lines (for dry runs). Nothing is
/// captured or saved.
///
/// Returns the number of anchors.
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
