//! The one way in which the notebook is changed: operations, all or none, under the lock.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt;

use windlass_base::{Diagnostic, Diagnostics, Place};
use windlass_notebook::{EditMode, Edited, NotebookEdit, NotebookError, Operation};
use windlass_plan::Document;
use windlass_repo::Snapshot;
use windlass_steps::{ANCHORS_STEP, RUNBOOK_STEP};

use crate::runbooks::{RunbookPlace, read_and_compile};
use crate::{Error, ErrorKind, Workspace, upsert};
use windlass_notebook::DeskError;

/// What is to be done to the notebook.
pub(crate) struct Work {
    /// The operations, in order, each with the place where it is written.
    pub(crate) operations: Vec<(Operation, Option<Place>)>,
    /// The revision that the notebook must be at.
    pub(crate) if_revision: Option<u64>,
    pub(crate) mode: EditMode,
    /// What is known to be wrong already: it is told with what is found while the others are looked at.
    pub(crate) mistakes: Mistakes,
}

impl Work {
    /// These operations, done at once.
    pub(crate) fn new(operations: Vec<(Operation, Option<Place>)>) -> Self {
        Self {
            operations,
            if_revision: None,
            mode: EditMode::Write,
            mistakes: Mistakes::default(),
        }
    }
}

/// What is wrong with operations.
#[derive(Default)]
pub(crate) struct Mistakes {
    found: Diagnostics,
    /// What each means for who asked.
    kinds: Vec<ErrorKind>,
    /// The first that is written nowhere.
    first: Option<Error>,
}

impl Mistakes {
    /// What is wrong with a document.
    pub(crate) fn of(found: Diagnostics) -> Self {
        let kinds = found.iter().map(|_| ErrorKind::Invalid);
        Self {
            kinds: kinds.collect(),
            found,
            first: None,
        }
    }

    /// Adds `error`, about what is written at `place`.
    pub(crate) fn push(&mut self, error: Error, place: Option<&Place>) {
        self.kinds.push(error.kind());
        let Some(place) = place else {
            self.first.get_or_insert(error);
            return;
        };
        match error.found() {
            // It has places of its own.
            Some(found) => {
                let found = found.clone().into_iter();
                self.found
                    .extend(found.map(|one| one.see(place.clone(), "for this operation")));
            }
            None => {
                let finding = Diagnostic::error("transaction", error.to_string()).at(place.clone());
                self.found.push(match error.help() {
                    Some(help) => finding.help(help),
                    None => finding,
                });
            }
        }
    }

    /// Nothing where there are none.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        if let Some(error) = self.first {
            return Err(error);
        }
        let Some(first) = self.kinds.first() else {
            return Ok(());
        };
        self.found.sort();
        let same = self.kinds.iter().all(|kind| kind == first);
        let kind = if same { *first } else { ErrorKind::Invalid };
        Err(DeskError::Transaction {
            found: self.found,
            kind,
        }
        .into())
    }
}

impl Workspace {
    /// Does `work`, and asks `answer` of the notebook as it is then.
    pub(crate) fn transact<T>(
        &self,
        work: Work,
        answer: impl FnOnce(&NotebookEdit<'_>) -> T,
    ) -> Result<Edited<T>, Error> {
        let file = self.usable_notebook()?;
        let edited = file.edit(&self.writer(), work.mode, |edit| {
            if let Some(expected) = work.if_revision {
                file.check_revision(edit, expected)?;
            }
            let mut mistakes = work.mistakes;
            let mut written = Vec::with_capacity(work.operations.len());
            let snapshot = self.snapshot();
            for (operation, place) in work.operations {
                written.push((name_of(&operation), place.clone()));
                let done = upsert::completed(edit, operation, &snapshot)
                    .and_then(|operation| Ok(edit.apply(operation)?));
                if let Err(error) = done {
                    mistakes.push(error, place.as_ref());
                }
            }
            mistakes.finish()?;
            self.check_result(edit, &written)?;
            Ok::<_, Error>(answer(edit))
        })?;
        self.note_damage(&edited.set_aside);
        Ok(edited)
    }

    /// Checks what operations made of the notebook: its new runbooks, and who used what it no longer has.
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
        let workspace = self.with_saved(edit.runbooks());
        let snapshot = self.snapshot();
        let mut mistakes = Mistakes::default();
        workspace.check_saved(edit, written, &snapshot, &mut mistakes);
        workspace.check_uses(edit, written, &snapshot, &mut mistakes);
        mistakes.finish()
    }

    /// Checks the runbooks that were saved, as `windlass check` would.
    fn check_saved(
        &self,
        edit: &NotebookEdit<'_>,
        written: &[Written],
        snapshot: &Snapshot,
        mistakes: &mut Mistakes,
    ) {
        let catalog = self.step_catalog();
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
                    self.check_nested(file, &document, snapshot, &catalog, &all)
                })
                .and_then(|file| {
                    let all = all.get_or_init(|| self.runbooks(snapshot));
                    self.check_name(file, all, snapshot)
                });
            if let Err(error) = checked {
                let id = Name::Runbook(runbook.id.to_string());
                mistakes.push(error, place_of(written, &id));
            }
        }
    }

    /// Makes sure that nobody uses what was taken out.
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

    /// What was taken out and is used all the same, each with the runbooks that name it.
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
        let then = self.with_saved(edit.runbooks());
        let all = then.runbooks(snapshot);
        // A runbook of the repository that goes by the same name takes its place.
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

/// What an operation is about, or a runbook names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Anchor(String),
    Runbook(String),
}

impl fmt::Display for Name {
    /// As it stands in a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anchor(id) => write!(f, "anchor `{id}`"),
            Self::Runbook(id) => write!(f, "runbook `{id}`"),
        }
    }
}

/// What an operation was about, and where it is written.
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

/// Where the last operation about `name` is written.
fn place_of<'a>(written: &'a [Written], name: &Name) -> Option<&'a Place> {
    let mut about = written.iter().rev().filter(|(other, _)| other == name);
    about.next()?.1.as_ref()
}

/// The anchors that the steps of the runbook `text` name.
pub(crate) fn anchors_named_by(text: &str) -> Vec<String> {
    let names = names_in("runbook", text.as_bytes()).into_iter();
    names
        .filter_map(|name| match name {
            Name::Anchor(id) => Some(id),
            Name::Runbook(_) => None,
        })
        .collect()
}

/// The anchors and runbooks that the steps of a runbook name, as far as it can be read.
fn names_in(file: &str, text: &[u8]) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    let Ok(document) = Document::parse(file, text) else {
        return names;
    };
    let lists = ["steps", "finally"].into_iter();
    let steps = lists
        .filter_map(|list| document.value().get(list)?.as_array())
        .flatten();
    for step in steps {
        let with = step.get("with");
        match step.get("uses").and_then(|uses| uses.as_str()) {
            Some(ANCHORS_STEP) => {
                let ids = with.and_then(|with| with.get("ids")?.as_array());
                let ids = ids.into_iter().flatten().filter_map(|id| id.as_str());
                names.extend(ids.map(|id| Name::Anchor(id.to_owned())));
            }
            Some(RUNBOOK_STEP) => {
                let name = with.and_then(|with| with.get("name")?.as_str());
                names.extend(name.map(|name| Name::Runbook(name.to_owned())));
            }
            _ => {}
        }
    }
    names
}
