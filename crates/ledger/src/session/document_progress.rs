//! Writes the progress of molecules back into the documents they were made from.
//!
//! As soon as a step has begun, the molecule determines the status of its item. Until then, the
//! item keeps its own. We read the ledger while we hold the document's lock. If several processes
//! write at the same time, the last of them therefore includes everyone's progress.

use std::collections::{BTreeMap, BTreeSet};

use windlass_formula::CookedFormula;
use windlass_plan::{Outcome, Status};
use windlass_site::{Error, SiteError};
use windlass_vcontext::{
    Author, Container, Document, DocumentDraft, EditError, ItemStatus, Note, Object, PlanStatus,
    StepItem, Value, WorkItem, set_item, set_plan_status, work_items,
};

use super::LedgerSession;
use crate::journal::Journal;
use crate::{MolStep, Molecule};

/// True if a formula's name is a document's file name, e.g. `plan.json`.
#[must_use]
pub fn is_document(formula: &str) -> bool {
    [".json", ".tron"]
        .iter()
        .any(|ending| formula.ends_with(ending))
}

/// Number of items in the document whose status is outdated.
#[must_use]
pub fn outdated_items(document: &Document, molecule: &Molecule, cooked: &CookedFormula) -> usize {
    wanted(document, molecule, cooked).len()
}

/// Updates the documents of the molecules that have changed since the session was opened. If that
/// fails, we only warn, since the next change tries again.
pub(super) fn write(session: &mut LedgerSession) {
    if !session.has_decided && session.to_report.is_empty() {
        return;
    }
    let since = session.opened_at.unwrap_or_default().to_millis().micros();
    let molecules = session.state().molecules.iter();
    let changed: Vec<(String, String)> = molecules
        .filter_map(|(id, found)| {
            let head = found.head()?;
            let is_changed = session.has_decided && head.changed >= since;
            let is_meant = is_document(head.formula)
                && head.put_away.is_none()
                && (is_changed || session.to_report.contains(id));
            is_meant.then(|| (id.to_owned(), head.formula.to_owned()))
        })
        .collect();
    for (id, file) in changed {
        match write_document(session, &id, &file) {
            Ok(skipped) => session.warnings.extend(skipped),
            Err(error) => session.warnings.push(format!(
                "progress of `{id}` could not be written into `{file}`: {error}"
            )),
        }
    }
}

/// Writes one molecule's progress. Returns a message for each item that we could not change.
fn write_document(session: &LedgerSession, id: &str, file: &str) -> Result<Vec<String>, Error> {
    let author = session
        .service
        .documents()
        .author(super::known_actor(session));
    // The file name comes from the log, so anyone who can write to the log chooses it. Don't write
    // to a file outside the repository.
    let repo = session.site().repo();
    if repo.path_of(&repo.root().join(file)).is_none() {
        return Err(SiteError::Outside(file.to_owned()).into());
    }
    session
        .service
        .documents()
        .change_vcontext(file, session.site().repo().root(), |document| {
            // Read the ledger again. Other processes may have made progress since this session was
            // opened.
            let journal = Journal::open(session.service.places())?;
            let state = journal.state();
            let molecule = state.molecules.get(id);
            let cooked = state.plans.get(id).and_then(|plan| plan.cooked());
            let (Some(molecule), Some(cooked)) = (molecule, cooked) else {
                return Ok((None, Vec::new()));
            };
            let update = ProgressUpdate::of(document, &molecule, &cooked, &author)?;
            let draft = update.value.map(|value| DocumentDraft {
                value,
                author,
                note: Some(Note::update(format!("molecule `{id}`"))),
                dry_run: false,
            });
            Ok((draft, update.skipped))
        })
}

struct ProgressUpdate {
    value: Option<Value<'static>>,
    /// One message for each item that we could not change.
    skipped: Vec<String>,
}

impl ProgressUpdate {
    fn of(
        document: &Document,
        molecule: &Molecule,
        cooked: &CookedFormula,
        author: &Author,
    ) -> Result<Self, Error> {
        let mut update = Self {
            value: None,
            skipped: Vec::new(),
        };
        let mut now = document.clone();
        for (item, status) in wanted(&now, molecule, cooked) {
            let mut fields = Object::new();
            // Apply the edits one after the other, each to the result of the last one.
            fields.insert("status", status.as_str());
            match set_item(&now, &item, &fields, author, None) {
                Ok(edited) => now = update.put(&now, &edited.value)?,
                Err(
                    error @ (EditError::Locked { .. }
                    | EditError::NoItem { .. }
                    | EditError::SeveralItems(_)),
                ) => {
                    update
                        .skipped
                        .push(format!("`{}`: {error}", document.source().name()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(status) = plan_status(&now, molecule) {
            let value = set_plan_status(&now, status, author)?;
            update.put(&now, &value)?;
        }
        Ok(update)
    }

    fn put(&mut self, document: &Document, value: &Value<'static>) -> Result<Document, Error> {
        let text = document.rewritten(value);
        let read = Document::parse(document.source().name(), text.as_bytes());
        self.value = Some(value.clone());
        read.map_err(Error::document)
    }
}

fn wanted(
    document: &Document,
    molecule: &Molecule,
    cooked: &CookedFormula,
) -> Vec<(String, ItemStatus)> {
    let items = work_items(document).unwrap_or_default();
    // Items are known by their `id`, or by their title if they have none. If both lead to the same
    // name, the `id` takes precedence, so insert those last.
    let titled = items.iter().filter(|item| item.id().is_none());
    let named = items.iter().filter(|item| item.id().is_some());
    let known: BTreeMap<&str, Option<ItemStatus>> = titled
        .chain(named)
        .map(|item| (item.name(), item.status()))
        .collect();
    // These items derive their status from their parts, so don't write one.
    let derived = items
        .iter()
        .filter(|item| item.is_derived())
        .map(WorkItem::name);
    let derived: BTreeSet<&str> = derived.collect();
    let steps = molecule.steps.iter().map(|step| (step.id.as_str(), step));
    let steps: BTreeMap<&str, &MolStep> = steps.collect();
    let mut wanted = Vec::new();
    for step in &cooked.steps {
        let (Some(item), Some(progress)) = (StepItem::of(step), steps.get(step.id.as_str())) else {
            continue;
        };
        if derived.contains(item.name.as_str()) {
            continue;
        }
        let has_begun = |id: &String| {
            let part = steps.get(id.as_str());
            part.is_some_and(|part| was_begun(part) || part.has_ended())
        };
        let is_under_way = step.children.iter().any(has_begun);
        let known = known.get(item.name.as_str()).copied().flatten();
        let status = status_of(progress, is_under_way, &item, known);
        let status = status.map(|status| document.version().expressible(status));
        // If an item was deleted, `known` has no status for it. Keep it in the list, so that we
        // report it to the user.
        if let Some(status) = status.filter(|status| known != Some(*status)) {
            wanted.push((item.name, status));
        }
    }
    wanted
}

fn was_begun(step: &MolStep) -> bool {
    step.attempt > 0 || step.generation > 0
}

/// The item status that follows from a step, or `None` if the item may keep its own.
fn status_of(
    step: &MolStep,
    is_under_way: bool,
    item: &StepItem,
    known: Option<ItemStatus>,
) -> Option<ItemStatus> {
    match step.shown() {
        Status::InProgress => Some(ItemStatus::InProgress),
        Status::Completed => Some(ItemStatus::Completed),
        Status::Failed => Some(ItemStatus::Failed),
        Status::Skipped => Some(ItemStatus::Cancelled),
        Status::Pending | Status::Ready | Status::Blocked if is_under_way => {
            Some(ItemStatus::InProgress)
        }
        // A failed item keeps its status until a person decides about another attempt.
        Status::Blocked => (item.status != ItemStatus::Failed).then_some(ItemStatus::Blocked),
        Status::Pending | Status::Ready if was_begun(step) => Some(ItemStatus::Pending),
        // We set the item to blocked while the step was held back, so restore its original status.
        Status::Pending | Status::Ready => (known == Some(ItemStatus::Blocked)
            && item.status != ItemStatus::Blocked)
            .then_some(item.status),
    }
}

/// The new status of a Plan document, or `None` if it does not have to change.
fn plan_status(document: &Document, molecule: &Molecule) -> Option<PlanStatus> {
    let (_, plan) = document
        .container()
        .filter(|(container, _)| *container == Container::Plan)?;
    let now = document.version().plan_status(plan.text_of("status")?)?;
    let is_done = molecule.outcome == Some(Outcome::Completed);
    let wanted = match now {
        PlanStatus::Cancelled => return None,
        _ if is_done => PlanStatus::Completed,
        PlanStatus::Draft | PlanStatus::Proposed | PlanStatus::Approved | PlanStatus::Completed
            if molecule.steps.iter().any(was_begun) =>
        {
            PlanStatus::InProgress
        }
        same => same,
    };
    (wanted != now).then_some(wanted)
}
