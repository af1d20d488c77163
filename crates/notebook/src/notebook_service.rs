//! The front door of the notebook.

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

/// The notebook of a repository: its anchors, and what is done to it as a whole.
#[derive(Clone)]
pub struct NotebookService {
    transactor: Transactor,
}

impl NotebookService {
    /// That of the repository of `site`, whose runbooks `runner` runs.
    #[must_use]
    pub fn new(site: &Site, runner: Arc<dyn Runner>) -> Self {
        Self::at(NotebookDesk::new(site), runner)
    }

    /// That of `desk`, whose runbooks `runner` runs.
    #[must_use]
    pub fn at(desk: NotebookDesk, runner: Arc<dyn Runner>) -> Self {
        Self {
            transactor: Transactor { desk, runner },
        }
    }

    /// The notebook as one job sees it.
    #[must_use]
    pub fn desk(&self) -> &NotebookDesk {
        &self.transactor.desk
    }

    /// The file of the notebook. Where nothing can be kept it is switched off.
    #[must_use]
    pub fn file(&self) -> NotebookFile {
        self.desk().file()
    }

    /// What of the notebook is used, from its anchors to its runbooks. What cannot be used is noted.
    ///
    /// # Errors
    /// When it is switched off, or there is no folder to keep it in; see [`NotebookFile::read`].
    pub fn read(&self) -> Result<Notebook, Error> {
        self.desk().read()
    }

    /// What may be worth keeping, as a list, and saving it.
    #[must_use]
    pub fn suggestions(&self) -> SuggestionService {
        SuggestionService::new(self.transactor.clone())
    }

    fn site(&self) -> &Site {
        self.desk().site()
    }

    /// Does `work`, and asks `answer` of the notebook as it is then.
    ///
    /// # Errors
    /// When the notebook cannot be read or written, or something of it cannot be done. Nothing is saved then.
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
    /// When a place cannot be captured, the name is taken and `replace` is false, or the notebook cannot be
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
        // Nobody takes something away by not saying it.
        let said = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
        let draft = AnchorDraft {
            id: request.id,
            kind: request.kind,
            label: request.label,
            evidence,
            locator,
            zone: said(request.zone),
            tags: said(request.tags),
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

    /// Captures and saves many anchors, given as JSON Lines; `name` is where they come from. All or none.
    ///
    /// # Errors
    /// As [`NotebookService::add_anchor`], with every line that is at fault.
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

    /// Takes anchors out; all or none.
    ///
    /// # Errors
    /// When one of them is not there, a runbook uses it, or the notebook cannot be written.
    pub fn remove_anchors(&self, ids: &[String]) -> Result<(), Error> {
        let operations = ids
            .iter()
            .map(|id| (Operation::DeleteAnchor(id.clone()), None));
        self.transact(Work::new(operations.collect()), |_| ())?;
        Ok(())
    }

    /// The anchor called `id`.
    ///
    /// # Errors
    /// When there is none, or the notebook cannot be read.
    pub fn anchor(&self, id: &str) -> Result<Anchor, Error> {
        Ok(self.desk().read()?.anchor(id)?.clone())
    }

    /// The anchors with the given names, in that order, or all of them in the order in which they were
    /// saved, each judged in the state of the files that `snapshot` holds.
    ///
    /// # Errors
    /// When one of the names is not there, or the notebook cannot be read.
    pub fn check_anchors(
        &self,
        ids: &[String],
        snapshot: &Snapshot,
    ) -> Result<Vec<AnchorReport>, Error> {
        check_anchors(&self.desk().read()?, ids, snapshot, self.site().cancel())
    }

    /// As [`NotebookService::check_anchors`], and step by step how each piece of evidence was looked for; as it may be
    /// shown.
    ///
    /// # Errors
    /// As [`NotebookService::check_anchors`].
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

    /// Does all that a transaction asks for, or nothing.
    ///
    /// # Errors
    /// [`crate::NotebookError::Transaction`] with everything that is wrong with it and where; when the notebook is at another
    /// revision, or cannot be read or written.
    pub fn edit(&self, request: &EditRequest<'_>) -> Result<NotebookChange, Error> {
        edit_notebook(&self.transactor, request)
    }

    /// What is kept of what the notebook was, and what it is: the newest first.
    ///
    /// # Errors
    /// When the folder cannot be read, or belongs to another repository.
    pub fn history(&self) -> Result<Vec<Revision>, Error> {
        let file = self.desk().usable()?;
        let history = file.history()?;
        self.desk().note_damage(&file.strangers()?);
        Ok(history)
    }

    /// Makes the notebook what it was at `revision`, as a new revision.
    ///
    /// # Errors
    /// When that is not kept, or the notebook cannot be written.
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
                "{name} was not saved at revision {revision} yet, or no longer, and is used by {users}"
            ));
        }
        Ok(NotebookChange::new(
            edited.before,
            edited.revision,
            edited.changes,
            mode,
        ))
    }

    /// Lets go of superseded revisions of the notebook beyond `limits`; gives back which.
    ///
    /// # Errors
    /// When they cannot be listed, or somebody else is writing.
    pub fn collect_garbage(
        &self,
        limits: HistoryLimits,
        mode: EditMode,
    ) -> Result<Vec<u64>, Error> {
        let file = self.desk().usable()?;
        Ok(file.collect_garbage(&self.desk().writer(), mode, limits)?)
    }

    /// Takes over the notebook of the repository at `from`, or the only one there is that this one was moved or
    /// cloned from. That notebook is left as it is; what was trusted there is not trusted here.
    ///
    /// # Errors
    /// When there is no such notebook, there are several, or this repository has one.
    pub fn adopt(
        &self,
        from: Option<&Path>,
        mode: EditMode,
    ) -> Result<(String, NotebookChange), Error> {
        self.desk().adopt_from(from, mode)
    }

    /// The place that a text names: `src/main.rs:10-24`, or `src/main.rs#Type::method`. Files are meant from
    /// `start`, or from the root; from the root, if that was named. The last `:` counts, and the last `#` before which there is a file.
    ///
    /// # Errors
    /// When it names no place.
    pub fn anchor_place(&self, text: &str, start: &Path) -> Result<AnchorPlace, Error> {
        place_named(self.site(), text, start)
    }

    /// Gives anchors the places where their evidence is proven to stand now, all in one transaction.
    ///
    /// # Errors
    /// When one of the names is not there, or the notebook cannot be read or written. Nothing is saved then.
    pub fn repair_anchors(&self, request: &RepairRequest) -> Result<Repaired, Error> {
        repair_anchors(&self.transactor, request)
    }

    /// Hands the anchors of the notebook over to others, in `.windlass/anchors.json`, and its runbooks, in `runbooks/`.
    ///
    /// What others changed there stays, unless `replace` says that the notebook's counts. What holds a secret value, is
    /// grounded in a secret file, or names a folder of this machine is left out.
    ///
    /// # Errors
    /// When a name is nowhere, the file is damaged or newer, the notebook cannot be read, or files cannot be written.
    pub fn export(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::export(&self.transactor, request)
    }

    /// Takes over the anchors that others handed over in `.windlass/anchors.json`.
    ///
    /// What the notebook has stays, unless it is what was handed over or taken over before, or `replace` says that the
    /// repository's counts. Runbooks stay in the repository, where they are run; one of the notebook that goes by the
    /// same name gives way in the same cases. Nothing is trusted by it.
    ///
    /// # Errors
    /// When there is no such file, it is damaged or newer, a name is not in it, or the notebook cannot be read or
    /// written. Nothing has changed then.
    pub fn import(&self, request: &HandOverRequest) -> Result<HandedOver, Error> {
        handover::import(&self.transactor, request)
    }

    /// Lists anchors with what became of each, within a budget.
    ///
    /// # Errors
    /// When a name is not there, the notebook cannot be read, the budget is too small, or the cursor does
    /// not belong to this list as it is now.
    pub fn list(&self, request: &ListRequest) -> Result<AnchorList, Error> {
        listing::list_anchors(&self.transactor, request)
    }

    /// Shows anchors with their text, as a run would; `view` names no mode that matters here.
    ///
    /// # Errors
    /// When a name is not there, the notebook cannot be read, or the budget is too small.
    pub fn show(&self, ids: &[String], view: &ViewRequest) -> Result<ShownAnchors, Error> {
        listing::show_anchors(self.desk(), ids, view)
    }
}

/// Checks anchors given as JSON Lines, as [`NotebookService::add_anchors`] would, and saves nothing.
///
/// # Errors
/// As [`NotebookService::add_anchors`].
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
