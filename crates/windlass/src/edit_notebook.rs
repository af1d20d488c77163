use std::path::Path;

use serde::Serialize;
use windlass_base::{Caller, RepoPath};
use windlass_evidence::Captured;
use windlass_notebook::{
    AnchorDraft, AnchorFreshness, Asked, AskedAnchor, AskedPlace, AskedRunbook, Changes, EditMode,
    HistoryLimits, Locator, NotebookEdit, Operation, Revision, SavedRunbook, Transaction,
};
use windlass_repo::Snapshot;

use crate::anchors::capture_place;
use crate::runbooks::compile;
use crate::transact::{Mistakes, Work};
use crate::{AnchorPlace, Error, Workspace};
use windlass_notebook::DeskError;

/// A transaction on the notebook.
#[derive(Debug, Clone)]
pub struct EditRequest<'a> {
    /// Where it comes from, as the user knows it.
    pub name: &'a str,
    /// Its text: JSON or YAML.
    pub text: &'a [u8],
    /// The folder that files it names are meant from, beside the root.
    pub start: &'a Path,
    /// The revision that the notebook must be at; counts beside the one that it says itself.
    pub if_revision: Option<u64>,
    /// Whether it is done, or only looked at.
    pub mode: EditMode,
}

/// What was done to the notebook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotebookChange {
    /// The revision before.
    pub before: u64,
    /// The revision now; the same where nothing changed.
    pub revision: u64,
    /// Whether it was only looked at.
    pub dry_run: bool,
    /// What changed, or would.
    #[serde(flatten)]
    pub changes: Changes,
}

impl Workspace {
    /// Does all that a transaction asks for, or nothing.
    ///
    /// # Errors
    /// [`DeskError::Transaction`] with everything that is wrong with it and where; when the notebook is at another
    /// revision, or cannot be read or written.
    pub fn edit_notebook(&self, request: &EditRequest<'_>) -> Result<NotebookChange, Error> {
        let read = Transaction::read_in_part(request.name, request.text);
        let (transaction, found) = read.map_err(Error::document)?;
        let snapshot = self.snapshot();
        let mut mistakes = Mistakes::of(found);
        let mut operations = Vec::with_capacity(transaction.operations.len());
        let freshness = self.freshness();
        for one in transaction.operations {
            let operation = match one.what {
                Asked::UpsertAnchor(anchor) => {
                    let draft = self.draft(*anchor, &freshness, &snapshot, &mut mistakes);
                    draft.map(|draft| Operation::UpsertAnchor(Box::new(draft)))
                }
                Asked::DeleteAnchor(id) => Some(Operation::DeleteAnchor(id)),
                Asked::DeleteRunbook(id) => Some(Operation::DeleteRunbook(id)),
                Asked::UpsertRunbook(runbook) => self
                    .saved_runbook(runbook, request, &snapshot)
                    .map(Operation::UpsertRunbook)
                    .map_err(|error| mistakes.push(error, Some(&one.place)))
                    .ok(),
            };
            operations.extend(operation.map(|operation| (operation, Some(one.place))));
        }
        if let (Some(given), Some(written)) = (request.if_revision, transaction.if_revision)
            && given != written
        {
            return Err(DeskError::TwoRevisions { given, written }.into());
        }
        let work = Work {
            operations,
            if_revision: request.if_revision.or(transaction.if_revision),
            mode: request.mode,
            mistakes,
        };
        let edited = self.transact(work, |_| ())?;
        Ok(NotebookChange {
            before: edited.before,
            revision: edited.revision,
            dry_run: request.mode == EditMode::DryRun,
            changes: edited.changes,
        })
    }

    /// What is kept of what the notebook was, and what it is: the newest first.
    ///
    /// # Errors
    /// When the folder cannot be read, or belongs to another repository.
    pub fn notebook_history(&self) -> Result<Vec<Revision>, Error> {
        let file = self.usable_notebook()?;
        let history = file.history()?;
        self.note_damage(&file.strangers()?);
        Ok(history)
    }

    /// Makes the notebook what it was at `revision`, as a new revision.
    ///
    /// # Errors
    /// When that is not kept, or the notebook cannot be written.
    pub fn roll_notebook_back(
        &self,
        revision: u64,
        mode: EditMode,
    ) -> Result<NotebookChange, Error> {
        let file = self.usable_notebook()?;
        let look = |edit: &NotebookEdit<'_>| self.uses_of_removed(edit, &self.snapshot());
        let edited = file.rollback_and(&self.writer(), mode, revision, look)?;
        self.note_damage(&edited.set_aside);
        for (name, users) in edited.answer {
            let users = users.join(", ");
            self.note_trouble(format!(
                "{name} was not saved at revision {revision} yet, or no longer, and is used by {users}"
            ));
        }
        Ok(NotebookChange {
            before: edited.before,
            revision: edited.revision,
            dry_run: mode == EditMode::DryRun,
            changes: edited.changes,
        })
    }

    /// Lets go of superseded revisions of the notebook beyond `limits`; gives back which.
    ///
    /// # Errors
    /// When they cannot be listed, or somebody else is writing.
    pub fn collect_notebook_garbage(
        &self,
        limits: HistoryLimits,
        mode: EditMode,
    ) -> Result<Vec<u64>, Error> {
        let file = self.usable_notebook()?;
        Ok(file.collect_garbage(&self.writer(), mode, limits)?)
    }

    /// The place that a text names: `src/main.rs:10-24`, or `src/main.rs#Type::method`. Files are meant from
    /// `start`, or from the root; from the root, if that was named. The last `:` counts, and the last `#` before which there is a file.
    ///
    /// # Errors
    /// When it names no place.
    pub fn anchor_place(&self, text: &str, start: &Path) -> Result<AnchorPlace, Error> {
        let lines = text
            .rsplit_once(':')
            .map(|(file, lines)| (file, lines.parse()));
        if let Some((file, Ok(span))) = lines {
            return Ok(AnchorPlace::Lines(self.path_from(file, start)?, span));
        }
        let snapshot = self.snapshot();
        let is_file = |at: &usize| {
            let path = self.path_from(&text[..*at], start);
            path.is_ok_and(|path| snapshot.read(&path).is_ok())
        };
        let mut signs = text.rmatch_indices('#').map(|(at, _)| at);
        if let Some(at) = signs.find(is_file).or_else(|| text.find('#')) {
            let path = self.path_from(&text[..at], start)?;
            return Ok(AnchorPlace::Symbol(path, text[at + 1..].to_owned()));
        }
        Err(DeskError::NoPlace(match lines {
            Some((_, Err(error))) => error,
            _ => format!("`{text}` names no lines: write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`"),
        })
        .into())
    }

    /// The file called `file`, meant from `start`, or from the root; from the root, if that was named.
    ///
    /// # Errors
    /// When it is no path of the repository.
    pub fn path_from(&self, file: &str, start: &Path) -> Result<RepoPath, Error> {
        if self.caller().and_then(Caller::root).is_some()
            && let Ok(path) = RepoPath::parse(file)
        {
            // A name in another Unicode form leads to the file that is there.
            let whole = self.repo().root().join(path.as_str());
            let stored = match file.is_ascii() || whole.exists() {
                true => None,
                false => self.repo().path_of(&whole),
            };
            return Ok(stored.unwrap_or(path));
        }
        match self.repo().path_of(&start.join(file)) {
            Some(path) => Ok(path),
            None => Ok(RepoPath::parse(file)?),
        }
    }

    /// Captures an anchor that is asked for; nothing where one of its places cannot be.
    fn draft(
        &self,
        asked: AskedAnchor,
        freshness: &AnchorFreshness,
        snapshot: &Snapshot,
        mistakes: &mut Mistakes,
    ) -> Option<AnchorDraft> {
        let (mut evidence, mut locator) = (Vec::new(), asked.locator);
        for (place, at) in &asked.at {
            match self.captured(place, snapshot) {
                Ok((captured, symbol)) => {
                    evidence.push(captured.into());
                    locator = locator.or(symbol);
                }
                Err(error) => mistakes.push(error, Some(at)),
            }
        }
        (evidence.len() == asked.at.len()).then(|| AnchorDraft {
            id: asked.id,
            kind: asked.kind,
            label: asked.label,
            evidence,
            locator,
            zone: asked.zone,
            tags: asked.tags,
            freshness: freshness.clone(),
            must_be_new: false,
            is_suggestion: false,
        })
    }

    /// Documents name files from the root.
    fn captured(
        &self,
        place: &AskedPlace,
        snapshot: &Snapshot,
    ) -> Result<(Captured, Option<Locator>), Error> {
        let (place, hash) = match place {
            AskedPlace::Text(text) => (self.anchor_place(text, self.repo().root())?, None),
            AskedPlace::Lines(file, span, hash) => (AnchorPlace::Lines(file.clone(), *span), *hash),
        };
        let (captured, locator) = capture_place(snapshot, &place)?;
        match hash {
            Some(hash) if captured.pointer.source_hash != Some(hash) => {
                Err(DeskError::OtherLines(captured.pointer.to_string()).into())
            }
            _ => Ok((captured, locator)),
        }
    }

    /// The runbook that is asked for; its name is the one in its text.
    fn saved_runbook(
        &self,
        asked: AskedRunbook,
        request: &EditRequest<'_>,
        snapshot: &Snapshot,
    ) -> Result<SavedRunbook, Error> {
        let (name, bytes) = match asked {
            AskedRunbook::Text(text) => {
                (format!("runbook in `{}`", request.name), text.into_bytes())
            }
            AskedRunbook::File(file) => {
                self.files().read_document(&file, request.start, snapshot)?
            }
        };
        let id = compile(&name, None, &bytes, &self.step_catalog())?
            .plan
            .id()
            .clone();
        let text = String::from_utf8(bytes).map_err(|error| {
            Error::internal(format!("{name} was read, and is no text: {error}"))
        })?;
        Ok(SavedRunbook { id, text })
    }
}
