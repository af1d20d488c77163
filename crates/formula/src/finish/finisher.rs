//! Completes the draft before we compute its graph: adds the edges implied by scopes and
//! conditions, and finds the steps whose children are awaited.

use std::collections::BTreeSet;

use windlass_base::Diagnostic;
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use crate::NeedKind;
use crate::draft::{ByFinalId, Draft, Port, Spot, UnitId, What};
use crate::library::Library;
use crate::run_condition::SELF;

pub(super) struct Finisher<'a, 'l> {
    pub(super) draft: &'a mut Draft,
    pub(super) all: &'a ByFinalId,
    pub(super) library: &'a Library<'l>,
    pub(super) found: &'a mut Findings,
}

impl Finisher<'_, '_> {
    fn report(&mut self, spot: Spot, diagnostic: Diagnostic) {
        let place = self.library.place(spot.source, spot.start, spot.end);
        self.found.push_at(place, diagnostic);
    }

    /// Decides which step `all-children` refers to.
    ///
    /// This is the first need that may create children or, if none of them does, simply the first
    /// need.
    pub(super) fn find_spawners(&mut self) {
        let mut attached = std::mem::take(&mut self.draft.attached);
        let makers: BTreeSet<UnitId> = attached
            .iter()
            .filter(|one| matches!(one.what, What::FanOut(_)))
            .map(|one| one.unit)
            .collect();
        for one in &mut attached {
            let What::Waits { of: of @ None, .. } = &mut one.what else {
                continue;
            };
            let needs = self.draft.needs_by_name(one.unit);
            let makes = |name: &&String| {
                let units = self.draft.find(one.scope, name, self.all);
                units.iter().any(|unit| {
                    // A group of this kind is a step with children of its own.
                    makers.contains(unit) || self.draft.units[*unit].kind == NeedKind::Parent
                })
            };
            *of = needs.iter().find(makes).or(needs.first()).cloned();
            if of.is_none() {
                let id = cut(&self.draft.units[one.unit].id);
                let message = format!(
                    "step `{id}` waits for children, but needs no step that could have any"
                );
                let help = "name the step in `needs`, or write `waits_for = \"children-of(STEP)\"`";
                self.report(one.spot, Diagnostic::error("waits-for", message).help(help));
            }
        }
        self.draft.attached = attached;
    }

    pub(super) fn add_scope_needs(&mut self) {
        let mut links = Vec::new();
        for one in &self.draft.attached {
            let What::Scope { of, cleans_up, .. } = &one.what else {
                continue;
            };
            for body in self.draft.find(one.scope, of, self.all) {
                // The scope's own step ends after its members, and the clean-up follows.
                links.push(match cleans_up {
                    true => (one.unit, body, one.spot),
                    false => (body, one.unit, one.spot),
                });
            }
        }
        for (from, to, spot) in links.into_iter().filter(|(from, to, _)| from != to) {
            self.draft
                .link((from, Port::Start), (to, Port::End), NeedKind::Scope, spot);
        }
    }

    /// Makes steps need the steps mentioned in their conditions.
    ///
    /// A condition is evaluated only once, so those steps must have ended by then. Gates do not
    /// need such edges, since they are evaluated again and again until they open.
    pub(super) fn add_condition_needs(&mut self) {
        let mut needs = Vec::new();
        for one in &self.draft.attached {
            if let What::RunIf { condition, .. } = &one.what {
                for name in condition
                    .looks_at
                    .names()
                    .iter()
                    .filter(|name| *name != SELF)
                {
                    // The condition of a loop is about the previous iteration, which the step needs
                    // anyway.
                    if one.itself.is_none() {
                        needs.push((one.unit, one.scope, name.clone(), one.spot));
                    }
                }
            }
        }
        for (unit, scope, name, spot) in needs {
            self.draft
                .need(unit, scope, name, NeedKind::Condition, spot);
        }
    }

    /// Removes steps whose conditions only mention removed steps.
    ///
    /// Each removal may affect further conditions, so we repeat this until nothing changes.
    pub(super) fn remove_dependent_steps(&mut self) {
        loop {
            let mut changed = Vec::new();
            for one in &self.draft.attached {
                let What::RunIf { condition, .. } = &one.what else {
                    continue;
                };
                let names = condition.looks_at.names();
                if names.is_empty() || self.draft.removal_reason(one.unit).is_some() {
                    continue;
                }
                // An unknown name isn't a removed step. `named` reports it when the condition is
                // moved to its steps.
                let gone = |name: &String| {
                    let units = self.draft.find(one.scope, name, self.all);
                    !units.is_empty()
                        && units
                            .iter()
                            .all(|unit| self.draft.removal_reason(*unit).is_some())
                };
                if names.iter().all(gone) {
                    changed.push((one.unit, condition.text.clone()));
                }
            }
            if changed.is_empty() {
                return;
            }
            for (unit, text) in changed {
                self.draft.units[unit].left_out = Some(text);
            }
        }
    }
}
