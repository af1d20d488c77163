//! How far molecules are, written back into the documents that they are made of.
//!
//! The molecule decides how far its items are, from the moment on at which they were begun; what it never touched stays as
//! the document has it. Who writes looks at the ledger while they hold the document: of several at once, the last one
//! writes what all of them did.

use std::collections::BTreeMap;

use windlass_formula::CookedFormula;
use windlass_plan::{Outcome, Status};
use windlass_site::{Error, SiteError};
use windlass_vcontext::{
    Author, Container, Document, DocumentDraft, EditError, ItemStatus, Note, Object, PlanStatus,
    StepItem, Value, set_item, set_plan_status, work_items,
};

use super::LedgerSession;
use crate::journal::Journal;
use crate::{MolStep, Molecule};

/// Whether a formula is a document: it is called as its file.
#[must_use]
pub fn is_document(formula: &str) -> bool {
    [".json", ".tron"]
        .iter()
        .any(|ending| formula.ends_with(ending))
}

/// How many items of its document do not say how far the molecule is.
#[must_use]
pub fn untold_items(document: &Document, molecule: &Molecule, cooked: &CookedFormula) -> usize {
    wanted(document, molecule, cooked).len()
}

/// Writes how far the molecules are that changed since the session was opened, into the documents they are made of. What
/// cannot be written is told, and made good by the next change.
pub(super) fn tell(session: &mut LedgerSession) {
    if !session.has_decided && session.to_tell.is_empty() {
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
                && (is_changed || session.to_tell.contains(id));
            is_meant.then(|| (id.to_owned(), head.formula.to_owned()))
        })
        .collect();
    for (id, file) in changed {
        match tell_document(session, &id, &file) {
            Ok(kept) => session.warnings.extend(kept),
            Err(error) => session.warnings.push(format!(
                "how far `{id}` is could not be written into `{file}`: {error}"
            )),
        }
    }
}

/// What could not be changed in the document, each a text of one line.
fn tell_document(session: &LedgerSession, id: &str, file: &str) -> Result<Vec<String>, Error> {
    let author = session.service.documents().author(session.actor.as_deref());
    // The log, which others write too, names the file.
    let repo = session.site().repo();
    if repo.path_of(&repo.root().join(file)).is_none() {
        return Err(SiteError::Outside(file.to_owned()).into());
    }
    session
        .service
        .documents()
        .change_vcontext(file, session.site().repo().root(), |document| {
            // Others may have gone on since this session was opened.
            let journal = Journal::open(session.service.places())?;
            let state = journal.state();
            let molecule = state.molecules.get(id);
            let cooked = state.plans.get(id).and_then(|plan| plan.cooked());
            let (Some(molecule), Some(cooked)) = (molecule, cooked) else {
                return Ok((None, Vec::new()));
            };
            let told = Told::of(document, &molecule, &cooked, &author)?;
            let draft = told.value.map(|value| DocumentDraft {
                value,
                author,
                note: Some(Note::update(format!("molecule `{id}`"))),
                dry_run: false,
            });
            Ok((draft, told.kept))
        })
}

/// A document with how far a molecule is.
struct Told {
    /// Nothing where it says so already.
    value: Option<Value<'static>>,
    /// What could not be changed.
    kept: Vec<String>,
}

impl Told {
    fn of(
        document: &Document,
        molecule: &Molecule,
        cooked: &CookedFormula,
        author: &Author,
    ) -> Result<Self, Error> {
        let mut told = Self {
            value: None,
            kept: Vec::new(),
        };
        let mut now = document.clone();
        for (item, status) in wanted(&now, molecule, cooked) {
            let mut fields = Object::new();
            fields.insert("status", status.as_str());
            match set_item(&now, &item, &fields, author, None) {
                Ok(edited) => now = told.put(&now, &edited.value)?,
                Err(
                    error @ (EditError::Locked { .. }
                    | EditError::NoItem { .. }
                    | EditError::SeveralItems(_)),
                ) => {
                    told.kept
                        .push(format!("`{}`: {error}", document.source().name()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(status) = plan_status(&now, molecule) {
            let value = set_plan_status(&now, status, author)?;
            told.put(&now, &value)?;
        }
        Ok(told)
    }

    fn put(&mut self, document: &Document, value: &Value<'static>) -> Result<Document, Error> {
        let text = document.rewritten(value);
        let read = Document::parse(document.source().name(), text.as_bytes());
        self.value = Some(value.clone());
        read.map_err(Error::document)
    }
}

/// The items that are to have another status, in the order of the steps.
fn wanted(
    document: &Document,
    molecule: &Molecule,
    cooked: &CookedFormula,
) -> Vec<(String, ItemStatus)> {
    let items = work_items(document).unwrap_or_default();
    // An `id` counts before a title that is the same.
    let titled = items.iter().filter(|item| item.id().is_none());
    let named = items.iter().filter(|item| item.id().is_some());
    let known: BTreeMap<&str, Option<ItemStatus>> = titled
        .chain(named)
        .map(|item| (item.name(), item.status()))
        .collect();
    let steps = molecule.steps.iter().map(|step| (step.id.as_str(), step));
    let steps: BTreeMap<&str, &MolStep> = steps.collect();
    let mut wanted = Vec::new();
    for step in &cooked.steps {
        let (Some(item), Some(stands)) = (StepItem::of(step), steps.get(step.id.as_str())) else {
            continue;
        };
        let has_begun = |id: &String| {
            let part = steps.get(id.as_str());
            part.is_some_and(|part| was_begun(part) || part.has_ended())
        };
        let is_under_way = step.children.iter().any(has_begun);
        let known = known.get(item.name.as_str()).copied().flatten();
        let status = status_of(stands, is_under_way, &item, known);
        // An item that is gone is told.
        if let Some(status) = status.filter(|status| known != Some(*status)) {
            wanted.push((item.name, status));
        }
    }
    wanted
}

fn was_begun(step: &MolStep) -> bool {
    step.attempt > 0 || step.generation > 0
}

/// How far an item is by its step; nothing where the step has nothing to say.
fn status_of(
    step: &MolStep,
    is_under_way: bool,
    item: &StepItem,
    known: Option<ItemStatus>,
) -> Option<ItemStatus> {
    match step.shown() {
        Status::InProgress => Some(ItemStatus::InProgress),
        Status::Completed => Some(ItemStatus::Completed),
        Status::Failed => Some(ItemStatus::Blocked),
        Status::Skipped => Some(ItemStatus::Cancelled),
        Status::Pending | Status::Ready | Status::Blocked if is_under_way => {
            Some(ItemStatus::InProgress)
        }
        Status::Blocked => Some(ItemStatus::Blocked),
        Status::Pending | Status::Ready if was_begun(step) => Some(ItemStatus::Pending),
        // It was held back, and is no longer.
        Status::Pending | Status::Ready => (known == Some(ItemStatus::Blocked)
            && item.status != ItemStatus::Blocked)
            .then_some(item.status),
    }
}

/// How far the whole is, where that is to be said.
fn plan_status(document: &Document, molecule: &Molecule) -> Option<PlanStatus> {
    let (_, plan) = document
        .container()
        .filter(|(container, _)| *container == Container::Plan)?;
    let now = PlanStatus::from_word(plan.text_of("status")?)?;
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
