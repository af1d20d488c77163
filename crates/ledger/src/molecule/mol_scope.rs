//! Scopes group the steps of a molecule that succeed or fail together, with clean-up steps for
//! either case.
//!
//! For example, a scope may set up a server, run tests against it in several steps, and shut it
//! down at the end, whether the tests passed or not.

use windlass_formula::{CookedFormula, Scope};
use windlass_plan::{Status, StepIndex};

use super::scope_part::{MolScope, SCOPE, ended_by_others};
use super::{MolStep, Molecule};
use crate::event::{MolGateOpened, MolStepSkipped, Payload};

/// Determines each step's role in a scope. It is `None` for steps outside of scopes.
pub(super) fn scopes_of(cooked: &CookedFormula) -> Vec<Option<MolScope>> {
    let find = |id: &str| {
        let at = cooked.steps.iter().position(|step| step.id == id);
        at.map(StepIndex::new)
    };
    let parts = cooked.steps.iter().map(|step| match step.scope.as_ref()? {
        Scope::Body => {
            let steps = cooked.steps.iter().enumerate();
            let members = steps.filter(|(_, member)| {
                matches!(&member.scope, Some(Scope::Member { of, .. }) if *of == step.id)
            });
            let members = members.map(|(at, _)| StepIndex::new(at)).collect();
            Some(MolScope::Body { members })
        }
        Scope::Member { of, aborts } => Some(MolScope::Member {
            of: find(of)?,
            aborts: *aborts,
        }),
        Scope::Cleanup { of } => Some(MolScope::Cleanup { of: find(of)? }),
    });
    parts.collect()
}

pub(crate) struct Scopes<'m>(pub(crate) &'m Molecule);

impl<'m> Scopes<'m> {
    /// A step's role in its scope, with the ids of other steps instead of their indices.
    pub(super) fn part_of(&self, step: &MolStep) -> Option<Scope> {
        let name = |at: &StepIndex| Some(self.0.step(*at)?.id.clone());
        Some(match step.scope.as_ref()? {
            MolScope::Body { .. } => Scope::Body,
            MolScope::Member { of, aborts } => Scope::Member {
                of: name(of)?,
                aborts: *aborts,
            },
            MolScope::Cleanup { of } => Scope::Cleanup { of: name(of)? },
        })
    }

    pub(super) fn moved(&self, step: &MolStep) -> Option<Payload> {
        match step.scope.as_ref()? {
            MolScope::Member { of, .. } => self.skipped_member(step, *of),
            MolScope::Body { members } => self.ended_scope(step, members),
            MolScope::Cleanup { .. } => None,
        }
    }

    fn skipped_member(&self, step: &MolStep, scope: StepIndex) -> Option<Payload> {
        let is_open = matches!(
            step.status,
            Status::Pending | Status::Ready | Status::Blocked
        );
        let aborted_by = self.members_of(scope).find(|member| {
            let aborts = matches!(member.scope, Some(MolScope::Member { aborts: true, .. }));
            aborts && member.status == Status::Failed && !member.is_soft() && member.id != step.id
        });
        let by = aborted_by.filter(|_| is_open)?;
        let name = self.0.step(scope).map_or("", |scope| &scope.id);
        Some(
            MolStepSkipped {
                mol_id: self.0.id.clone(),
                step_id: step.id.clone(),
                reason: format!("`{}` failed, which aborts the scope `{name}`", by.id),
                by_condition: false,
            }
            .into(),
        )
    }

    /// Opens the gate of a scope once all members have ended or cannot start anymore. This only
    /// allows the scope to end; the next call then ends it.
    fn ended_scope(&self, step: &MolStep, members: &[StepIndex]) -> Option<Payload> {
        if step.status != Status::Ready || step.is_undecided() {
            return None;
        }
        let members = || members.iter().filter_map(|at| self.0.step(*at));
        // A member behind a failed step never starts, so don't wait for it.
        let is_over = |member: &MolStep| member.has_ended() || member.held_by.is_some();
        if !members().all(is_over) {
            return None;
        }
        let own = step.gates.iter().position(|gate| gate.kind == SCOPE);
        let mut closed = step.closed_gates();
        match (closed.next(), closed.next()) {
            (Some(gate), None) if Some(gate) == own => {
                let opened = MolGateOpened {
                    mol_id: self.0.id.clone(),
                    step_id: step.id.clone(),
                    gate: u32::try_from(gate).unwrap_or(u32::MAX),
                    reason: Some("its members have ended".to_owned()),
                    ..MolGateOpened::default()
                };
                return Some(opened.into());
            }
            // Some other gate still holds the scope back.
            (Some(_), _) => return None,
            (None, _) => {}
        }
        // A soft member may fail without holding back its dependents, so it doesn't fail the scope
        // either.
        let failed = members().find(|member| member.status == Status::Failed && !member.is_soft());
        let failed = failed.or_else(|| members().find(|member| member.held_by.is_some()));
        let failure = failed.map(|member| match member.status {
            Status::Failed => format!("`{}` failed", member.id),
            _ => format!("`{}` cannot start", member.id),
        });
        Some(ended_by_others(self.0, &step.id, failure))
    }

    fn members_of(&self, scope: StepIndex) -> impl Iterator<Item = &'m MolStep> {
        let steps = self.0.steps.iter();
        steps.filter(
            move |step| matches!(&step.scope, Some(MolScope::Member { of, .. }) if *of == scope),
        )
    }

    /// Lists the steps to repeat because members of an ended scope are repeated: the scope itself,
    /// and the members that were skipped when it was aborted.
    pub(crate) fn repeated(&self) -> Vec<StepIndex> {
        let mut repeated = Vec::new();
        for (at, step) in self.0.steps.iter().enumerate() {
            let Some(MolScope::Body { members }) = &step.scope else {
                continue;
            };
            let member = |at: &&StepIndex| self.0.step(**at);
            let is_over = |member: &MolStep| member.has_ended() || member.held_by.is_some();
            let mut all = members.iter().filter_map(|at| self.0.step(*at));
            if step.has_ended() && !all.all(is_over) {
                let is_skipped =
                    |at: &&StepIndex| member(at).is_some_and(|step| step.status == Status::Skipped);
                repeated.extend(members.iter().filter(is_skipped).copied());
                repeated.push(StepIndex::new(at));
            }
        }
        repeated
    }
}
