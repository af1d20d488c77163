//! What is done before the graph is known: what is waited for gets its name, what is looked at its edge.

use std::collections::BTreeSet;

use windlass_base::Diagnostic;
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use crate::NeedKind;
use crate::draft::{ByFinalId, Draft, Spot, UnitId, What};
use crate::library::Library;
use crate::run_condition::SELF;

/// What is done before the graph is known.
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

    /// `all-children` means those of the step that makes some among what the step needs, else of the first.
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
                    makers.contains(unit) || self.draft.units[*unit].kind == NeedKind::Parent
                })
            };
            *of = needs.iter().find(makes).or(needs.first()).cloned();
            if of.is_none() {
                let id = cut(&self.draft.units[one.unit].id);
                let message = format!(
                    "step `{id}` waits for children, and for nobody's: it needs no step that could have any"
                );
                let help = "name the step in `needs`, or write `waits_for = \"children-of(STEP)\"`";
                self.report(one.spot, Diagnostic::error("waits-for", message).help(help));
            }
        }
        self.draft.attached = attached;
    }

    /// A condition of a step is looked at once, when the steps it names have ended; a gate is looked at again and again.
    pub(super) fn need_what_conditions_look_at(&mut self) {
        let mut needs = Vec::new();
        for one in &self.draft.attached {
            if let What::RunIf { condition, .. } = &one.what {
                for name in condition
                    .looks_at
                    .names()
                    .iter()
                    .filter(|name| *name != SELF)
                {
                    // What a loop looks at lies in the time before, which it needs as a whole.
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

    /// A step whose condition looks at steps that are left out is left out as well.
    pub(super) fn leave_out_what_follows(&mut self) {
        loop {
            let mut changed = Vec::new();
            for one in &self.draft.attached {
                let What::RunIf { condition, .. } = &one.what else {
                    continue;
                };
                let names = condition.looks_at.names();
                if names.is_empty() || self.draft.why_left_out(one.unit).is_some() {
                    continue;
                }
                let gone = |name: &String| {
                    let units = self.draft.find(one.scope, name, self.all);
                    !units.is_empty()
                        && units
                            .iter()
                            .all(|unit| self.draft.why_left_out(*unit).is_some())
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
