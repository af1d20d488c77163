//! Molecules of documents: a TodoList or Plan that is poured, and how far it is, written back into it.
//!
//! The molecule decides how far its items are, from the moment on at which they were begun; what it never touched stays as
//! the document has it. Who writes looks at the ledger while they hold the document: of several at once, the last one
//! writes what all of them did.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_base::Diagnostic;
use windlass_formula::{CookOptions, CookedFormula};
use windlass_ledger::{Ledger, LedgerError, MolStep, Molecule};
use windlass_plan::{Outcome, Status};
use windlass_repo::Snapshot;
use windlass_vcontext::{
    Author, Container, Document, EditError, ItemStatus, Note, Object, PlanStatus, StepItem, Value,
    as_formula, locked_items, set_item, set_plan_status, work_digest, work_items,
};

use super::super::LedgerDesk;
use super::FormulaNow;
use crate::{DocumentDraft, Error, FormulaFile, Workspace};
use windlass_site::SiteError;

/// Whether a formula is a document: it is called as its file.
pub(crate) fn is_document(formula: &str) -> bool {
    [".json", ".tron"]
        .iter()
        .any(|ending| formula.ends_with(ending))
}

impl Workspace {
    /// The formula that the vContext document in the file `name` is; nothing where it is another sort of document, or
    /// none.
    ///
    /// # Errors
    /// When it cannot be read, is not valid, lies outside of the repository, or has nothing left to be done; when values are
    /// given for variables, which it has none of.
    pub(crate) fn document_formula(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        options: &CookOptions<'_>,
    ) -> Result<Option<FormulaFile>, Error> {
        if !is_document(name) {
            return Ok(None);
        }
        let (file, bytes) = self.files().read_document(name, start, snapshot)?;
        if !Document::is_likely(&file, &bytes) {
            return Ok(None);
        }
        let document = Document::parse(&file, &bytes).map_err(Error::document)?;
        let refuse = |rule, message: String| {
            let finding = Diagnostic::error(rule, message).at(document.root().place());
            Err(Error::document(finding.into()))
        };
        if let Some(name) = options.vars.keys().next() {
            return refuse(
                "no-variables",
                format!("a document has no variables, so `{name}` says nothing"),
            );
        }
        if self.repo().path_of(&start.join(name)).is_none() {
            let message = "the document lies outside of the repository, so nobody else could write how far it is";
            return refuse("outside", message.to_owned());
        }
        let cooked = as_formula(&document, &file).map_err(Error::document)?;
        Ok(Some(FormulaFile {
            file,
            cooked,
            warnings: windlass_base::Diagnostics::default(),
        }))
    }
}

impl Workspace {
    /// Whether the work in the document that a molecule was made of is still the same, however far it is.
    pub(super) fn document_of_molecule(
        &self,
        cooked: &CookedFormula,
        snapshot: &Snapshot,
    ) -> FormulaNow {
        let document = self.vcontext(&cooked.formula, self.repo().root(), snapshot);
        let digest = document.and_then(|document| work_digest(&document).map_err(Error::document));
        match digest {
            Ok(digest) if digest == cooked.digest => FormulaNow::Same,
            Ok(_) => FormulaNow::Changed,
            Err(error) => FormulaNow::Broken(error.to_string()),
        }
    }
}

impl LedgerDesk {
    /// That no open molecule is of this document already: two would write into it by turns.
    pub(super) fn check_poured_once(&self, formula: &str) -> Result<(), Error> {
        if !is_document(formula) {
            return Ok(());
        }
        let molecules = self.ledger.state().molecules.iter();
        let mut open = molecules.filter(|(_, found)| {
            found
                .head()
                .is_some_and(|head| head.is_open() && head.formula == formula)
        });
        match open.next() {
            Some((id, _)) => Err(LedgerError::Invalid(format!(
                "`{id}` is made of `{formula}` and still open: go on with it, or put it away with `windlass mol squash {id} \
                 --force`"
            ))
            .into()),
            None => Ok(()),
        }
    }

    /// Says which items of the document that is poured are locked by others: how far these are cannot be written there.
    pub(super) fn warn_of_locks(&mut self, formula: &str) {
        if !is_document(formula) {
            return;
        }
        let root = self.workspace.repo().root();
        let document = self
            .workspace
            .vcontext(formula, root, &self.workspace.snapshot());
        let author = self.workspace.author(self.actor.as_deref());
        let locked = document.map(|document| locked_items(&document, &author));
        let told = locked.unwrap_or_default().into_iter().map(|error| {
            format!("{error}: how far it is cannot be written into `{formula}` meanwhile")
        });
        self.warnings.extend(told);
    }

    /// How many items of its document do not say how far the molecule is; nothing where it is not made of one.
    pub(super) fn untold_items(&self, molecule: &Molecule) -> Result<Option<usize>, Error> {
        if !is_document(&molecule.formula) {
            return Ok(None);
        }
        let cooked = self.formula_of(&molecule.id)?;
        let workspace = &self.workspace;
        let document = workspace.vcontext(
            &molecule.formula,
            workspace.repo().root(),
            &workspace.snapshot(),
        )?;
        Ok(Some(wanted(&document, molecule, &cooked).len()))
    }

    /// Lets the document of a molecule say how far it is when this is done, whether anything was decided or not.
    pub(super) fn tell_when_done(&mut self, id: &str) {
        self.to_tell.insert(id.to_owned());
    }

    /// Writes how far the molecules are that changed since the desk was opened, into the documents they are made of. What
    /// cannot be written is told, and made good by the next change.
    pub(in crate::ledger) fn tell_documents(&mut self) {
        if !self.has_decided && self.to_tell.is_empty() {
            return;
        }
        let since = self.opened_at.unwrap_or_default().to_millis().micros();
        let molecules = self.ledger.state().molecules.iter();
        let changed: Vec<(String, String)> = molecules
            .filter_map(|(id, found)| {
                let head = found.head()?;
                let is_changed = self.has_decided && head.changed >= since;
                let is_meant = is_document(head.formula)
                    && head.put_away.is_none()
                    && (is_changed || self.to_tell.contains(id));
                is_meant.then(|| (id.to_owned(), head.formula.to_owned()))
            })
            .collect();
        for (id, file) in changed {
            match self.tell_document(&id, &file) {
                Ok(kept) => self.warnings.extend(kept),
                Err(error) => self.warnings.push(format!(
                    "how far `{id}` is could not be written into `{file}`: {error}"
                )),
            }
        }
    }

    /// What could not be changed in the document, each a text of one line.
    fn tell_document(&self, id: &str, file: &str) -> Result<Vec<String>, Error> {
        let author = self.workspace.author(self.actor.as_deref());
        // The log, which others write too, names the file.
        let repo = self.workspace.repo();
        if repo.path_of(&repo.root().join(file)).is_none() {
            return Err(SiteError::Outside(file.to_owned()).into());
        }
        self.workspace
            .change_vcontext(file, self.workspace.repo().root(), |document| {
                // Others may have gone on since this desk was opened.
                let ledger = Ledger::open(self.workspace.ledger_places())?;
                let state = ledger.state();
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
