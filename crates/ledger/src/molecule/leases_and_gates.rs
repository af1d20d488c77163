//! Emits the events that time and the outside world cause: expired leases, due retries, conditions
//! and gates.
//!
//! There's no daemon that could watch the clock. Instead, every command that works on a molecule
//! first emits the events that are due by now. A claim may therefore last long after its lease has
//! expired, if nobody runs a command in the meantime.

use std::time::Duration;

use serde_json::Value;
use windlass_formula::{CookedFormula, CookedStep, Gate, GateKind, RunIf};
use windlass_plan::{Outcome, Status, format_duration};

use super::mol_scope::Scopes;
use super::scope_part::{SCOPE, ended_by_others};
use super::{Doer, MolStep, MolView, Molecule, StepOutput, World};
use crate::bead::BeadStatus;
use crate::event::{
    BondKind, MolBondMet, MolBurned, MolCompleted, MolGateClosed, MolGateOpened, MolSquashed,
    MolStepConditionHeld, MolStepFailed, MolStepLeaseExpired, MolStepRetryDue, MolStepSkipped,
    Outcome as Ending, Payload,
};
use crate::mail::MessageType;
use crate::state::State;
use crate::{Draft, LedgerError, Stamp};

impl Draft<'_> {
    /// Emits all due events of a molecule, then those of the molecules whose output it was made
    /// from.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist or an event can't be written.
    pub fn settle(&mut self, mol_id: &str, world: &dyn World) -> Result<(), LedgerError> {
        let mut next = Some(mol_id.to_owned());
        while let Some(id) = next.take() {
            while let Some(due) = Due::of(self.state(), world).next(&id, self.log_now()) {
                self.emit_next(due)?;
            }
            let molecule = self.state().molecule(&id);
            let from = molecule.as_ref().and_then(|molecule| molecule.from.clone());
            next = from.map(|from| from.mol_id);
        }
        Ok(())
    }
}

/// Looks for events that are due because of the time or the outside world, without emitting them.
/// [`Draft::settle`] does that.
#[derive(Clone, Copy)]
pub struct Due<'a> {
    state: &'a State,
    world: &'a dyn World,
}

impl<'a> Due<'a> {
    /// Looks in `state`, with `world` to answer conditions.
    #[must_use]
    pub fn of(state: &'a State, world: &'a dyn World) -> Self {
        Self { state, world }
    }

    fn view<'b>(&self, molecule: &'b Molecule, cooked: &'b CookedFormula) -> MolView<'b>
    where
        'a: 'b,
    {
        MolView {
            state: self.state,
            molecule,
            cooked,
            world: self.world,
            supposed: None,
        }
    }

    /// Checks that we can evaluate the conditions of all waiting steps.
    ///
    /// # Errors
    /// Returns [`LedgerError::Untrusted`] if a step needs permission to read an environment
    /// variable, or [`LedgerError::NoOutput`] if an output can't be loaded.
    pub(super) fn check_asked(&self, mol: &str) -> Result<(), LedgerError> {
        self.obstacle(mol).map_or(Ok(()), Err)
    }

    /// Explains why the step at index `at` has to fail although it produced `output`: one of its
    /// conditions on the output doesn't hold. `None` if it may complete.
    pub(super) fn broken(
        &self,
        molecule: &Molecule,
        at: usize,
        output: &Value,
    ) -> Result<Option<String>, LedgerError> {
        let plan = self.state.plans.get(&molecule.id);
        let Some(cooked) = plan.and_then(|plan| plan.cooked()) else {
            return Ok(None);
        };
        let asked = cooked.steps.get(at);
        let Some(condition) = asked.and_then(|asked| asked.must_hold.as_ref()) else {
            return Ok(None);
        };
        let output = StepOutput::Value(output.clone());
        let view = MolView {
            supposed: Some((&molecule.steps[at].id, &output)),
            ..self.view(molecule, &cooked)
        };
        if let Some(obstacle) = view.obstacle(&condition.looks_at) {
            return Err(obstacle);
        }
        let holds = view.holds(&condition.looks_at);
        Ok((!holds).then(|| not_held(&condition.text)))
    }

    fn obstacle(&self, id: &str) -> Option<LedgerError> {
        let molecule = self.state.molecule(id)?;
        let waits = |step: &MolStep| {
            let is_container = step.doer == Doer::Nobody && !step.is_scope();
            step.status == Status::Ready && (!step.is_startable() || is_container)
        };
        if !molecule.steps.iter().any(waits) {
            return None;
        }
        let cooked = self.state.plans.get(id)?.cooked()?;
        let view = self.view(&molecule, &cooked);
        let steps = molecule.steps.iter().zip(&cooked.steps);
        let mut steps = steps.filter(|(step, _)| waits(step));
        steps.find_map(|(step, asked)| {
            let conditions = asked.run_if.iter().map(|one| &one.condition);
            let conditions = conditions.filter(|_| step.is_undecided());
            let gates = asked.gates.iter().filter_map(|gate| match &gate.kind {
                GateKind::Condition { condition } => Some(condition),
                _ => None,
            });
            let ends = asked.must_hold.iter().filter(|_| step.is_startable());
            let mut all = conditions.chain(gates).chain(ends);
            all.find_map(|condition| view.obstacle(&condition.looks_at))
        })
    }

    /// Returns the molecule's next due event at the log's time `now`. The caller should apply it
    /// before asking again, since it may make others due.
    #[must_use]
    pub fn next(&self, id: &str, now: Stamp) -> Option<Payload> {
        let molecule = self.state.molecule(id)?;
        if molecule.closing.is_some() {
            return None;
        }
        // An expired molecule is burned, whatever else may be due.
        if molecule.is_expired(now) {
            let reason = "its lifetime passed without activity".to_owned();
            let mol_id = id.to_owned();
            let due_at = molecule.expiry(now);
            let burned = MolBurned {
                mol_id,
                reason,
                due_at,
            };
            return Some(burned.into());
        }
        // The steps of a molecule that waits for another one don't move at all.
        if molecule.is_waiting() {
            return self.moved_bond(&molecule);
        }
        // Parsing the formula is slow and most steps don't need it, so wait for the first one that
        // does.
        let mut cooked: Option<Option<CookedFormula>> = None;
        for (number, step) in molecule.steps.iter().enumerate() {
            let due = by_the_clock(&molecule, step, now);
            if let Some(due) = due.or_else(|| Scopes(&molecule).moved(step)) {
                return Some(due);
            }
            let has_moved = step.doer == Doer::Nobody && step.is_startable() && !step.is_scope();
            let is_waiting = step.status == Status::Ready && !step.is_startable();
            if !is_waiting && !has_moved {
                continue;
            }
            let cooked = cooked.get_or_insert_with(|| self.state.plans.get(id)?.cooked());
            let Some(asked) = cooked.as_ref().and_then(|cooked| cooked.steps.get(number)) else {
                continue;
            };
            let view = self.view(&molecule, cooked.as_ref()?);
            let due = if has_moved {
                contained(&view, asked)
            } else if step.is_undecided() {
                let mut conditions = asked.run_if.iter();
                let is_stuck = |one: &RunIf| view.obstacle(&one.condition.looks_at).is_some();
                (!conditions.any(is_stuck)).then(|| decided(&view, asked))
            } else {
                moved_gate(&view, step, asked, now)
            };
            if due.is_some() {
                return due;
            }
        }
        let is_done = matches!(
            molecule.outcome,
            Some(Outcome::Completed | Outcome::Partial)
        );
        let mol_id = id.to_owned();
        match &molecule.summary {
            None if is_done => {
                let summary = summary(&molecule);
                Some(MolCompleted { mol_id, summary }.into())
            }
            Some(summary) if is_done && molecule.squash.is_some() => {
                let summary = summary.clone();
                Some(MolSquashed { mol_id, summary }.into())
            }
            _ => None,
        }
    }

    fn moved_bond(&self, molecule: &Molecule) -> Option<Payload> {
        let mol_id = molecule.id.clone();
        molecule.open_bonds().find_map(|bond| {
            // If the other molecule was removed or hasn't ended, this bond stays open.
            let found = self.state.molecules.find(&bond.mol_id)?;
            let outcome = found.head()?.outcome?;
            let is_done = matches!(outcome, Outcome::Completed | Outcome::Partial);
            let after = bond.mol_id.clone();
            match (bond.kind, is_done) {
                (BondKind::Conditional, true) => {
                    let summary = format!("not needed: `{after}` did not fail");
                    let mol_id = mol_id.clone();
                    Some(MolSquashed { mol_id, summary }.into())
                }
                (BondKind::Conditional, false) | (_, true) => {
                    let mol_id = mol_id.clone();
                    Some(MolBondMet { mol_id, after }.into())
                }
                // A failed molecule may still be repaired, so keep those that follow it waiting.
                (_, false) => None,
            }
        })
    }
}

fn by_the_clock(molecule: &Molecule, step: &MolStep, now: Stamp) -> Option<Payload> {
    let (mol_id, step_id) = (molecule.id.clone(), step.id.clone());
    let timed_out = step.times_out_at(now).filter(|at| *at < now);
    match step.status {
        Status::InProgress if timed_out.is_some() => {
            let limit = Duration::from_millis(step.timeout_ms.unwrap_or_default());
            let failed = MolStepFailed {
                mol_id,
                step_id,
                token: step.token.clone(),
                reason: format!("it took longer than {}", format_duration(limit)),
                due_at: timed_out,
                ..MolStepFailed::default()
            };
            Some(failed.into())
        }
        Status::InProgress if step.is_overdue(now) => {
            let token = step.token.clone().unwrap_or_default();
            let expired = MolStepLeaseExpired {
                mol_id,
                step_id,
                token,
                due_at: step.lease_end(now),
            };
            Some(expired.into())
        }
        Status::Blocked => {
            let due_at = step.retry_due(now).filter(|at| *at <= now);
            due_at.map(|at| {
                let due_at = Some(at);
                MolStepRetryDue {
                    mol_id,
                    step_id,
                    due_at,
                }
                .into()
            })
        }
        _ => None,
    }
}

/// The event that ends a container, i.e. a step that only contains other steps. It ends once all of
/// them have, unless we can't evaluate its condition yet.
fn contained(view: &MolView<'_>, asked: &CookedStep) -> Option<Payload> {
    let broken = asked.must_hold.as_ref();
    if broken.is_some_and(|condition| view.obstacle(&condition.looks_at).is_some()) {
        return None;
    }
    let broken = broken.filter(|condition| !view.holds(&condition.looks_at));
    let failure = broken.map(|condition| not_held(&condition.text));
    Some(ended_by_others(view.molecule, &asked.id, failure))
}

/// Returns the reason for a failure because of a loop's condition, which has to hold after the last
/// iteration.
fn not_held(condition: &str) -> String {
    format!("the condition does not hold after the last iteration: {condition}")
}

fn decided(view: &MolView<'_>, asked: &CookedStep) -> Payload {
    let (mol_id, step_id) = (view.molecule.id.clone(), asked.id.clone());
    match view.left_out(&asked.run_if) {
        Some(reason) => MolStepSkipped {
            mol_id,
            step_id,
            reason,
            by_condition: true,
        }
        .into(),
        None => MolStepConditionHeld { mol_id, step_id }.into(),
    }
}

/// The event for the first of a step's gates that opens now, or that can't open anymore.
fn moved_gate(
    view: &MolView<'_>,
    step: &MolStep,
    asked: &CookedStep,
    now: Stamp,
) -> Option<Payload> {
    // A message counts by its place in the order of events, which may differ from the time shown.
    let order = step.moments.reached_order.or(step.reached_at)?;
    step.closed_gates().find_map(|number| {
        let found = match asked.gates.get(number) {
            Some(gate) => look(view, gate, step, order, now),
            None if step
                .gates
                .get(number)
                .is_some_and(|gate| gate.kind == SCOPE) =>
            // A scope isn't in the formula's list of gates. See `Scopes::moved` for its events.
            {
                None
            }
            None => {
                let waits = asked.waits_for.as_ref()?;
                view.is_waited_for(waits)
                    .then(|| GateMove::Open("the work that it waits for is done".to_owned(), None))
            }
        };
        let (mol_id, step_id) = (view.molecule.id.clone(), step.id.clone());
        let gate = u32::try_from(number).unwrap_or(u32::MAX);
        Some(match found? {
            GateMove::Open(reason, due_at) => MolGateOpened {
                mol_id,
                step_id,
                gate,
                reason: Some(reason),
                due_at,
                ..MolGateOpened::default()
            }
            .into(),
            GateMove::Never(reason, due_at) => MolGateClosed {
                mol_id,
                step_id,
                gate,
                reason,
                timed_out: due_at.is_some(),
                due_at,
            }
            .into(),
        })
    })
}

/// A change of a gate, with its reason. If time caused it, with the due time as well.
enum GateMove {
    /// The gate opens.
    Open(String, Option<Stamp>),
    /// The gate can never open.
    Never(String, Option<Stamp>),
}

fn look(
    view: &MolView<'_>,
    gate: &Gate,
    step: &MolStep,
    order: Stamp,
    now: Stamp,
) -> Option<GateMove> {
    let open = |reason: String| Some(GateMove::Open(reason, None));
    let found = match &gate.kind {
        GateKind::Timer { duration } => step
            .opens_after(duration, now)
            .filter(|at| *at <= now)
            .map(|at| GateMove::Open(format!("{duration} have passed"), Some(at))),
        GateKind::Bead { await_id } => {
            let here = view.state.beads.get(await_id);
            let here = here.map(|bead| (bead.status, bead.ending()));
            let bead = here.or_else(|| view.world.bead_elsewhere(await_id));
            let closed = bead.filter(|(status, _)| *status == BeadStatus::Closed);
            match closed.map(|(_, ending)| ending) {
                Some(Some(Ending::Failed)) => {
                    Some(GateMove::Never(format!("bead `{await_id}` failed"), None))
                }
                Some(_) => open(format!("bead `{await_id}` is closed")),
                None => None,
            }
        }
        GateKind::Mail { await_id } => arrived(view, await_id.as_deref(), &step.id, order)
            .and_then(|id| open(format!("message `{id}` arrived"))),
        GateKind::File { path } => view
            .world
            .file_exists(path)
            .then(|| GateMove::Open(format!("`{path}` exists"), None)),
        GateKind::Condition { condition } => view
            .holds(&condition.looks_at)
            .then(|| GateMove::Open(format!("the condition holds: {}", condition.text), None)),
        // Only a person or a trusted program opens these gates.
        GateKind::Human { .. }
        | GateKind::Command { .. }
        | GateKind::GithubRun { .. }
        | GateKind::GithubPr { .. } => None,
    };
    // Only look at the timeout of a gate that can't open by now. If nobody ran a command for a
    // while, a gate may have both a reason to open and a timeout in the past, and we prefer to open
    // it.
    found.or_else(|| {
        let timeout = gate.timeout.as_ref()?;
        let over = step.opens_after(timeout, now).filter(|at| *at <= now)?;
        let why = format!("its gate was not opened within {timeout}");
        Some(GateMove::Never(why, Some(over)))
    })
}

/// Finds a message that opens a gate, and returns its id.
///
/// A gate may await a certain message id, type, subject or sender. If it doesn't say, any message
/// about this molecule or step will do. A message from before the step was reached only counts if
/// the gate asks for its id.
fn arrived(
    view: &MolView<'_>,
    awaited: Option<&str>,
    step: &str,
    reached: Stamp,
) -> Option<String> {
    // An id identifies a single message, so its time doesn't matter.
    if let Some(message) = awaited.and_then(|id| view.state.messages.get(id)) {
        return Some(message.id);
    }
    let mut messages = view.state.messages.iter();
    messages.find_map(|(_, found)| {
        // Compare the times first, because the short form has them. Only newer messages have to be
        // read.
        let head = found.head()?;
        if head.order < reached.to_millis().micros() {
            return None;
        }
        let message = found.record()?;
        let is_meant = match awaited {
            Some(awaited) => {
                let kind = message.message_type.map(MessageType::as_str);
                let words = [
                    kind,
                    Some(message.subject.as_str()),
                    Some(message.from.as_str()),
                ];
                words.contains(&Some(awaited))
            }
            None => {
                let about = |field: &str| message.metadata.get(field).and_then(Value::as_str);
                about("mol_id") == Some(view.molecule.id.as_str())
                    && about("step_id").is_none_or(|about| about == step)
            }
        };
        is_meant.then_some(message.id)
    })
}

/// Sums up a molecule as the number of steps in each status, e.g. `2 ready, 1 completed`.
pub(crate) fn summary(molecule: &Molecule) -> String {
    let counts = molecule.counts();
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(status, count)| format!("{count} {}", status.as_str()))
        .collect();
    parts.join(", ")
}
