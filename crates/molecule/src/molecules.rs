//! Inspects, changes, squashes and burns the molecules of a ledger.
//!
//! Deadlines such as timers and leases do not write themselves into the ledger. Instead, the next
//! command that looks at a molecule settles it, i.e. writes the events that have become due
//! ([`Molecules::settle_if_due`]). Views that must not write anything show the state without these
//! events.

use std::path::Path;

use windlass_formula::CookedFormula;
use windlass_ledger::event::{
    BondKind, ClockObserved, MolBonded, MolBurned, MolChanged, MolSquashed,
};
use windlass_ledger::{Draft, Due, LedgerError, LedgerSession, Molecule, Stamp, State};
use windlass_plan::{DurationText, Status};
use windlass_site::Error;

use crate::document_formula::FormulaNow;
use crate::molecule_error::MoleculeError;
use crate::molecule_service::MoleculeService;

/// The molecules of an open ledger.
#[derive(Debug)]
pub struct Molecules<'a> {
    pub(crate) session: &'a mut LedgerSession,
    pub(crate) service: &'a MoleculeService,
}

impl MoleculeService {
    /// Returns the molecules in `session`. All changes go through the session.
    #[must_use]
    pub fn on<'a>(&'a self, session: &'a mut LedgerSession) -> Molecules<'a> {
        Molecules {
            session,
            service: self,
        }
    }
}

impl Molecules<'_> {
    /// Borrows the molecules again, for helpers that own their handle.
    pub(crate) fn reborrowed(&mut self) -> Molecules<'_> {
        self.service.on(self.session)
    }

    /// Returns the session, for anything in the ledger that is not a molecule.
    #[must_use]
    pub fn session(&mut self) -> &mut LedgerSession {
        self.session
    }

    /// Returns the ID of the molecule to use, which defaults to the only open one.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist. Without `id`, also returns an error unless
    /// exactly one molecule is open.
    pub fn id(&self, id: Option<&str>) -> Result<String, Error> {
        let molecules = &self.session.state().molecules;
        if let Some(id) = id {
            if molecules.contains(id) {
                return Ok(id.to_owned());
            }
            return Err(LedgerError::no_molecule(self.session.state(), id).into());
        }
        let mut open = molecules.iter().filter_map(|(id, found)| {
            let is_open = found.head().is_some_and(|head| head.is_open());
            is_open.then_some(id)
        });
        match (open.next(), open.next()) {
            (Some(one), None) => Ok(one.to_owned()),
            (None, _) => Err(LedgerError::NoOpenMolecule.into()),
            (Some(_), Some(_)) => Err(LedgerError::Invalid(
                "several molecules are open: pass an ID, see `windlass mol list`".to_owned(),
            )
            .into()),
        }
    }

    /// Returns a molecule in its current state, or at the time `at`.
    ///
    /// Without `id`, this is the only open molecule or, if none is open, the last active one that
    /// has not been closed. To show the current state, we first write the events that are due,
    /// provided that the caller has an actor name.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist or, without `id`, is ambiguous.
    pub fn get(&mut self, id: Option<&str>, at: Option<Stamp>) -> Result<Molecule, Error> {
        let missing = |id: &str| Error::from(LedgerError::missing("molecule", id, []));
        if let (Some(at), Some(id)) = (at, id) {
            let state = self.session.state_at(Some(at))?;
            return state.molecules.get(id).ok_or_else(|| missing(id));
        }
        let is_none = |error: &LedgerError| matches!(error, LedgerError::NoOpenMolecule);
        let id = match self.id(id) {
            Err(error) if error.is(is_none) => last_finished(self.session.state()).ok_or(error)?,
            found => found?,
        };
        self.settle_if_due(&id)?;
        let found = self.session.state().molecules.get(&id);
        found.ok_or_else(|| missing(&id))
    }

    /// Records the caller's clock if a deadline has passed on that clock, but not in the log's
    /// time.
    ///
    /// The record remains even if the caller's request is refused afterwards. Otherwise, a caller
    /// who is refused could never confirm the deadline, however often they try.
    pub(crate) fn note_clock(&mut self, id: Option<&str>) -> Result<(), Error> {
        let clock = self.session.now().to_millis();
        let actor = self.session.actor()?;
        if self.session.state().clock().is_worth_noting(actor, clock) {
            for id in self.open(id)? {
                self.settle_if_due(&id)?;
            }
        }
        Ok(())
    }

    /// Writes the events of a molecule that have become due. A caller without an actor name cannot
    /// write, and leaves them to the next caller.
    pub(crate) fn settle_if_due(&mut self, id: &str) -> Result<(), Error> {
        let world = self.session.world();
        let now = self.session.log_now();
        let due = Due::of(self.session.state(), &world).next(id, now);
        let Ok(actor) = self.session.actor().map(str::to_owned) else {
            return Ok(());
        };
        if due.is_some() {
            return self.session.decide(|draft| draft.settle(id, &world));
        }
        // An unconfirmed clock can't end anything. It's recorded, so that a second clock can
        // confirm it.
        let clock = self.session.now().to_millis();
        let state = self.session.state();
        let is_noted = !state.clock().is_worth_noting(&actor, clock);
        if is_noted || clock <= now || Due::of(state, &world).next(id, clock).is_none() {
            return Ok(());
        }
        let ahead_ms = clock.since(now) / 1000;
        self.session.decide(|draft| {
            draft.emit(ClockObserved { ahead_ms })?;
            draft.settle(id, &world)
        })
    }

    /// Returns the molecule's formula as it was at the time of pouring.
    ///
    /// # Errors
    /// Returns an error if the molecule was burned.
    pub fn formula_of(&self, id: &str) -> Result<CookedFormula, Error> {
        let plan = self.session.state().plans.get(id);
        let cooked = plan.and_then(|plan| plan.cooked());
        cooked.ok_or_else(|| {
            LedgerError::Invalid(format!("`{id}` was burned and has no formula any more")).into()
        })
    }

    /// Compares a molecule's formula with the current files. A relative path starts at `start`.
    #[must_use]
    pub fn formula_now(&self, cooked: &CookedFormula, start: &Path) -> FormulaNow {
        self.service.formula_now(cooked, start)
    }

    /// Changes a molecule's options.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist or was closed.
    pub fn change(&mut self, change: &MolChanged) -> Result<Molecule, Error> {
        let id = self.id(Some(&change.mol_id))?;
        self.session.decide(|draft| {
            draft.emit(change.clone())?;
            draft.molecule(&id)
        })
    }

    /// Makes the molecule `second` wait for `first`.
    ///
    /// # Errors
    /// Returns an error if `second` has already begun, or if the molecules would end up waiting for
    /// each other.
    pub fn bond(&mut self, first: &str, second: &str, kind: BondKind) -> Result<Molecule, Error> {
        let after = self.id(Some(first))?;
        let id = self.id(Some(second))?;
        let world = self.session.world();
        self.session.decide(|draft| {
            draft.emit(MolBonded {
                mol_id: id.clone(),
                after: after.clone(),
                kind,
            })?;
            draft.settle(&id, &world)?;
            draft.molecule(&id)
        })
    }

    /// Squashes a molecule to a digest. The outcome of each step remains in `mols/ID.archive.json`.
    /// Without `summary`, the molecule keeps the summary that it has.
    ///
    /// # Errors
    /// Returns an error if a step is claimed or the molecule is not finished, unless `force` is
    /// set.
    pub fn squash(
        &mut self,
        id: &str,
        summary: Option<&str>,
        force: bool,
    ) -> Result<Molecule, Error> {
        let id = self.id(Some(id))?;
        self.session.decide(|draft| {
            let molecule = draft.molecule(&id)?;
            check_idle(draft, &molecule, force)?;
            if molecule.outcome.is_none() && !force {
                let reason = format!(
                    "`{id}` is not finished; squash it with `--force`, or discard it with `mol burn`"
                );
                return Err(LedgerError::Invalid(reason));
            }
            let own = || molecule.summary.clone().unwrap_or_default();
            let summary = summary.map_or_else(own, str::to_owned);
            draft.emit(MolSquashed {
                mol_id: id.clone(),
                summary,
            })?;
            draft.molecule(&id)
        })
    }

    /// Burns all the molecules, or none of them in case of an error. Only their events remain.
    ///
    /// # Errors
    /// Returns an error if a step is claimed and `force` is not set.
    pub fn burn(
        &mut self,
        ids: &[String],
        reason: &str,
        force: bool,
    ) -> Result<Vec<Molecule>, Error> {
        for id in ids {
            self.id(Some(id))?;
        }
        self.session.decide(|draft| {
            for id in ids {
                check_idle(draft, &draft.molecule(id)?, force)?;
                draft.emit(MolBurned {
                    mol_id: id.clone(),
                    reason: reason.to_owned(),
                    due_at: None,
                })?;
            }
            ids.iter().map(|id| draft.molecule(id)).collect()
        })
    }
}

/// Parses a duration such as `1h30m` into milliseconds.
///
/// # Errors
/// Returns an error if `text` is not a duration.
pub fn millis(text: &str) -> Result<u64, Error> {
    let duration = DurationText::new(text).parse();
    let duration = duration.map_err(|error| LedgerError::Invalid(error.to_string()))?;
    Ok(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

fn last_finished(state: &State) -> Option<String> {
    let finished = state.molecules.iter().filter_map(|(id, found)| {
        let head = found.head().filter(|head| head.put_away.is_none())?;
        Some((head.touched, head.created, id))
    });
    finished.max().map(|(_, _, id)| id.to_owned())
}

/// Refuses to put a molecule away while someone works on it. Claims with an expired lease do not
/// count, because their holder has probably given up.
fn check_idle(draft: &Draft<'_>, molecule: &Molecule, force: bool) -> Result<(), LedgerError> {
    let mut steps = molecule.steps.iter();
    let now = draft.log_now();
    let busy = steps.find(|step| step.shown() == Status::InProgress && !step.is_overdue(now));
    match busy.filter(|_| !force) {
        Some(step) => {
            let holder = step.holder.as_deref().unwrap_or("another actor");
            let reason = format!(
                "{holder} works on `{}` of `{}`; override with `--force`",
                step.id, molecule.id
            );
            draft.refuse(reason, Some(step.by.clone()))
        }
        None => Ok(()),
    }
}

/// Checks that a formula can be poured: it must have a bead if it requires one, and all of its
/// conditions must be decided, since there is no way to decide them later.
pub(crate) fn check_pourable(cooked: &CookedFormula, bead: Option<&str>) -> Result<(), Error> {
    let refuse = |why: String| Err(Error::from(LedgerError::Invalid(why)));
    if cooked.target_required && bead.is_none() {
        return Err(MoleculeError::NoBead(cooked.formula.clone()).into());
    }
    if let Some(hook) = cooked.open_hooks.first() {
        return refuse(format!(
            "the aspects at `{}` depend on the subject: describe it with `--for-label`, `--for-type` or \
             `--for-priority`",
            hook.trigger
        ));
    }
    for step in &cooked.steps {
        if let Some(condition) = step.undecided.first() {
            return refuse(format!(
                "the condition of step `{}` depends on variables without a value: {condition}",
                step.id
            ));
        }
    }
    Ok(())
}
