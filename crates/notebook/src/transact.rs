//! Applies transactions to the notebook: all operations or none, under the lock.
//!
//! Changes of entries end up here, except for rollbacks, imports and adopted notebooks. An
//! operation that fails does not stop the others from being checked, so a single attempt shows the
//! user all mistakes.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::Place;
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::edit_mistakes::Mistakes;
use crate::named_by_steps::{Name, names_in};
use crate::shelf::read_and_compile;
use crate::upsert_anchor;
use crate::{
    EditMode, Edited, NotebookDesk, NotebookEdit, NotebookError, Operation, RunbookPlace,
    RunbookShelf, Runner,
};

/// Operations to apply together.
pub struct Work {
    /// Operations in order, each with its position in the document, if any.
    pub operations: Vec<(Operation, Option<Place>)>,
    /// Required revision of the notebook, or `None` for any.
    pub if_revision: Option<u64>,
    /// Decides if the operations are applied or only previewed.
    pub mode: EditMode,
    /// Errors found earlier, e.g. when reading the document. They are reported together with those
    /// of the operations.
    pub(crate) mistakes: Mistakes,
}

impl Work {
    /// A transaction with `operations`, at any revision.
    #[must_use]
    pub fn new(operations: Vec<(Operation, Option<Place>)>) -> Self {
        Self {
            operations,
            if_revision: None,
            mode: EditMode::Write,
            mistakes: Mistakes::default(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct Transactor {
    pub(crate) desk: NotebookDesk,
    pub(crate) runner: Arc<dyn Runner>,
}

impl Transactor {
    pub(crate) fn shelf(&self) -> RunbookShelf {
        RunbookShelf::at(self.desk.clone())
    }

    /// Takes a snapshot of the repository. If a file is read twice from a snapshot, it has the same
    /// contents both times.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.desk.site().snapshot()
    }

    pub(crate) fn transact<T>(
        &self,
        work: Work,
        answer: impl FnOnce(&NotebookEdit<'_>) -> T,
    ) -> Result<Edited<T>, Error> {
        let file = self.desk.usable()?;
        let edited = file.edit(&self.desk.writer(), work.mode, |edit| {
            if let Some(expected) = work.if_revision {
                file.check_revision(edit, expected)?;
            }
            let mut mistakes = work.mistakes;
            let mut written = Vec::with_capacity(work.operations.len());
            let snapshot = self.snapshot();
            for (operation, place) in work.operations {
                written.push((name_of(&operation), place.clone()));
                let done = upsert_anchor::completed(edit, operation, &snapshot)
                    .and_then(|operation| Ok(edit.apply(operation)?));
                if let Err(error) = done {
                    mistakes.push(error, place.as_ref());
                }
            }
            // Only check the result if all operations have succeeded. A missing runbook may just be
            // a consequence of an operation that failed.
            mistakes.finish()?;
            self.check_result(edit, &written)?;
            Ok::<_, Error>(answer(edit))
        })?;
        self.desk.note_damage(&edited.set_aside);
        Ok(edited)
    }

    /// Checks the result of the operations: new runbooks must be valid, and no runbook may use a
    /// deleted entry.
    ///
    /// We check the result rather than each operation, so that their order does not matter. For
    /// example, a transaction may delete an anchor first and then change the runbook that uses it.
    pub(crate) fn check_result(
        &self,
        edit: &NotebookEdit<'_>,
        written: &[Written],
    ) -> Result<(), Error> {
        let changes = edit.changes();
        let has_runbooks = !changes.runbooks.is_empty();
        let removes = changes.removed_anchors().chain(changes.removed_runbooks());
        if !has_runbooks && removes.count() == 0 {
            return Ok(());
        }
        let shelf = self.shelf().with_saved(edit.runbooks());
        let snapshot = self.snapshot();
        let mut mistakes = Mistakes::default();
        self.check_saved(&shelf, edit, written, &snapshot, &mut mistakes);
        self.check_uses(edit, written, &snapshot, &mut mistakes);
        mistakes.finish()
    }

    /// Checks the changed runbooks in the same way as `windlass check`. The unchanged ones may be
    /// invalid for other reasons, so we leave them alone.
    fn check_saved(
        &self,
        shelf: &RunbookShelf,
        edit: &NotebookEdit<'_>,
        written: &[Written],
        snapshot: &Snapshot,
        mistakes: &mut Mistakes,
    ) {
        let catalog = self.runner.catalog();
        let removed: BTreeSet<&str> = edit.changes().removed_runbooks().collect();
        let changed = edit.changes().runbooks.keys();
        let changed: BTreeSet<&str> = changed
            .map(String::as_str)
            .filter(|id| !removed.contains(id))
            .collect();
        if changed.is_empty() {
            return;
        }
        let all = OnceCell::new();
        for runbook in edit.runbooks() {
            if !changed.contains(runbook.id.as_str()) {
                continue;
            }
            let place = RunbookPlace::Notebook(runbook.id.clone()).to_string();
            let bytes = runbook.text.as_bytes();
            let call = Some(runbook.id.to_string());
            let checked = read_and_compile(&place, call, bytes, &catalog)
                .and_then(|(file, document)| {
                    shelf.check_nested(file, &document, snapshot, &catalog, &all)
                })
                .and_then(|file| {
                    let all = all.get_or_init(|| shelf.all(snapshot));
                    shelf.check_name(file, all, snapshot)
                });
            if let Err(error) = checked {
                let id = Name::Runbook(runbook.id.to_string());
                mistakes.push(error, place_of(written, &id));
            }
        }
    }

    fn check_uses(
        &self,
        edit: &NotebookEdit<'_>,
        written: &[Written],
        snapshot: &Snapshot,
        mistakes: &mut Mistakes,
    ) {
        for (name, users) in self.uses_of_removed(edit, snapshot) {
            let what = name.to_string();
            let error = NotebookError::Used { what, users };
            mistakes.push(error.into(), place_of(written, &name));
        }
    }

    /// The deleted entries that are still in use, each with the runbooks that use it.
    pub(crate) fn uses_of_removed(
        &self,
        edit: &NotebookEdit<'_>,
        snapshot: &Snapshot,
    ) -> Vec<(Name, Vec<String>)> {
        let anchors = edit.changes().removed_anchors();
        let runbooks = edit.changes().removed_runbooks();
        let mut removed: Vec<(Name, Vec<String>)> = anchors
            .map(|id| Name::Anchor(id.to_owned()))
            .chain(runbooks.map(|id| Name::Runbook(id.to_owned())))
            .map(|name| (name, Vec::new()))
            .collect();
        if removed.is_empty() {
            return removed;
        }
        let then = self.shelf().with_saved(edit.runbooks());
        let all = then.all(snapshot);
        // If the repository has a runbook of the same name, it takes the place of the deleted one.
        removed.retain(|(name, _)| match name {
            Name::Anchor(_) => true,
            Name::Runbook(id) => !all.iter().any(|entry| entry.name == *id),
        });
        for entry in all {
            let Ok(text) = then.text_of(&entry.place, snapshot) else {
                continue;
            };
            let used = names_in(&entry.place.to_string(), &text);
            for (name, users) in &mut removed {
                if used.contains(name) {
                    users.push(format!("`{}`", entry.place));
                }
            }
        }
        removed.retain(|(_, users)| !users.is_empty());
        removed
    }
}

/// The entry changed by an operation, and the position of the operation in its document.
pub(crate) type Written = (Name, Option<Place>);

fn name_of(operation: &Operation) -> Name {
    match operation {
        Operation::UpsertAnchor(draft) => Name::Anchor(draft.id.to_string()),
        Operation::Relocate(relocate) => Name::Anchor(relocate.id.to_string()),
        Operation::DeleteAnchor(id) => Name::Anchor(id.clone()),
        Operation::UpsertRunbook(runbook) => Name::Runbook(runbook.id.to_string()),
        Operation::DeleteRunbook(id) => Name::Runbook(id.clone()),
    }
}

fn place_of<'a>(written: &'a [Written], name: &Name) -> Option<&'a Place> {
    let mut about = written.iter().rev().filter(|(other, _)| other == name);
    about.next()?.1.as_ref()
}
