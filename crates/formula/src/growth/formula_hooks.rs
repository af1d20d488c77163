//! Hooks attach other formulas at bond points if the subject of the molecule matches their trigger.

use std::collections::BTreeMap;
use std::rc::Rc;

use windlass_base::Diagnostic;
use windlass_plan::quote::{cut, listed, near};

use super::composer::Composer;
use super::steps::Steps;
use super::{Around, Growth, Here, spot};
use crate::document::{BondPointDoc, HookDoc};
use crate::draft::{ByFinalId, Spot, UnitId};
use crate::merge::{Merged, Part};
use crate::placeholders::Names;
use crate::{FormulaKind, NeedKind, OpenHook, SourceRole, Subject, Via};

/// The bond point at the end of every formula.
///
/// It exists even if the formula does not declare it.
const END: &str = "end";

struct BondPlace {
    unit: UnitId,
    before: bool,
    parallel: bool,
}

pub(super) struct Hooks<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Hooks<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    /// Returns the units at a bond point, and whether the attached formulas come before them.
    fn bond_point(&mut self, part: &Part<BondPointDoc>) -> Option<(bool, Vec<UnitId>)> {
        let here = self.here;
        let doc = &part.item;
        let (step, before) = match doc.step() {
            Ok(step) => step,
            Err(wrong) => {
                self.growth.report(spot(part.source, doc.as_ref()), wrong);
                return None;
            }
        };
        let all = ByFinalId::of(&self.growth.draft);
        let name = here.names.fill_id(step);
        let at = spot(part.source, step);
        let units = Composer::new(self.growth, here).units_called(&name, at, &all);
        Some((before, units))
    }

    /// Attaches the formulas of all hooks that match.
    ///
    /// Without a subject we cannot tell if a hook matches. We return such hooks as open ones.
    pub(super) fn hooks(&mut self, top: UnitId, subject: Option<&Subject>) -> Vec<OpenHook> {
        let mut open = Vec::new();
        for hook in &self.here.compose.hooks {
            let Some(fits) = self.triggered(hook, subject) else {
                continue;
            };
            let Some(place) = self.bond_place(top, hook) else {
                continue;
            };
            match fits {
                Triggered::Yes => self.attach_formula(&place, hook),
                Triggered::No => {}
                Triggered::NotKnown => {
                    // The formula isn't attached, but we report its errors now rather than when
                    // there is a subject.
                    self.hooked_formula(hook);
                    open.push(OpenHook {
                        trigger: hook.item.trigger.value.clone(),
                        attach: hook.item.attach.value.clone(),
                        at: hook.item.at.as_ref().map(|at| at.value.clone()),
                    });
                }
            }
        }
        open
    }

    /// Decides if a hook fires.
    ///
    /// Returns `None` after reporting an invalid trigger.
    fn triggered(&mut self, hook: &Part<HookDoc>, subject: Option<&Subject>) -> Option<Triggered> {
        let text = &hook.item.trigger;
        let trigger = match text.split_once(':') {
            Some(("label", label)) if !label.is_empty() => {
                subject.map(|subject| subject.labels.iter().any(|own| own == label))
            }
            Some(("type", kind)) if !kind.is_empty() => {
                subject.map(|subject| subject.kind.as_deref() == Some(kind))
            }
            Some(("priority", range)) => {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                match (first.parse::<u8>(), last.parse::<u8>()) {
                    (Ok(first), Ok(last)) if first <= last => subject.map(|subject| {
                        let own = subject.priority;
                        own.is_some_and(|own| (first..=last).contains(&own))
                    }),
                    _ => return self.no_trigger(hook),
                }
            }
            _ => return self.no_trigger(hook),
        };
        Some(match trigger {
            Some(true) => Triggered::Yes,
            Some(false) => Triggered::No,
            None => Triggered::NotKnown,
        })
    }

    fn no_trigger<T>(&mut self, hook: &Part<HookDoc>) -> Option<T> {
        let text = &hook.item.trigger;
        let message = format!("`{}` is not a hook trigger", cut(text));
        let help = "write `label:NAME`, `type:NAME`, `priority:N` or `priority:N-M`";
        self.growth
            .wrong(spot(hook.source, text), "hook", message, help);
        None
    }

    fn bond_place(&mut self, top: UnitId, hook: &Part<HookDoc>) -> Option<BondPlace> {
        let at = hook.item.at.as_ref();
        let points = &self.here.compose.bond_points;
        let named = at.and_then(|at| points.iter().find(|point| point.item.id.value == at.value));
        if let Some(point) = named {
            let (before, units) = self.bond_point(point)?;
            let parallel = point.item.parallel == Some(true);
            return units.first().map(|unit| BondPlace {
                unit: *unit,
                before,
                parallel,
            });
        }
        match at {
            Some(at) if at.value != END => {
                let names = || points.iter().map(|point| point.item.id.value.as_str());
                let message = format!("there is no bond point `{}`", cut(at));
                let help = match near(at, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if points.is_empty() => {
                        "the formula has no bond points: remove `at` to attach at its end"
                            .to_owned()
                    }
                    None => format!("known bond points: {}", listed(names())),
                };
                self.growth
                    .wrong(spot(hook.source, at), "unknown-bond-point", message, help);
                None
            }
            _ => Some(BondPlace {
                unit: top,
                before: false,
                parallel: false,
            }),
        }
    }

    fn hooked_formula(&mut self, hook: &Part<HookDoc>) -> Option<(Rc<Merged>, Spot)> {
        let at = spot(hook.source, &hook.item.attach);
        let place = self.growth.place(at);
        let formula = self
            .growth
            .formula(&hook.item.attach, SourceRole::Hook, place)?;
        // We don't apply the hooks, aspects or advice of an attached formula, so it may not have
        // any.
        if formula.kind == FormulaKind::Workflow
            && formula.compose.hooks.is_empty()
            && formula.compose.aspects.is_empty()
            && formula.advice.is_empty()
        {
            return Some((formula, at));
        }
        let message = format!(
            "`{}` cannot be attached: expected a workflow without hooks, aspects or advice",
            cut(&formula.name)
        );
        self.growth
            .report(at, Diagnostic::error("wrong-formula", message));
        None
    }

    fn attach_formula(&mut self, place: &BondPlace, hook: &Part<HookDoc>) {
        let here = self.here;
        let Some((formula, at)) = self.hooked_formula(hook) else {
            return;
        };
        let vars: BTreeMap<String, String> = hook
            .item
            .vars
            .iter()
            .flatten()
            .map(|(name, value)| (name.clone(), here.names.fill(&value.0)))
            .collect();
        let values = self.growth.bound(&formula, &vars, at);
        // The attached formula is on its own. Its texts only see its own variables, and below, its
        // steps get a new scope without an outer one.
        let names = Names {
            vars: &values,
            in_braces: false,
            local: &[],
            outer: None,
            room: here.names.room,
        };
        let group = self
            .growth
            .draft
            .group(formula.name.clone(), at, NeedKind::Hook);
        let scope = self.growth.draft.scope(None);
        let point = hook.item.at.as_ref().map_or(END, |at| at.value.as_str());
        let mut via = here.via.to_vec();
        via.push(Via::Hook {
            formula: formula.name.clone(),
            at: point.to_owned(),
        });
        let inside = Here {
            names: &names,
            prefix: &format!("{}.", formula.name),
            scope,
            via: &via,
            around: &Around::default().within(&formula),
            compose: &formula.compose,
            depth: here.depth + 1,
            ..*here
        };
        Steps::new(self.growth, &inside).steps(group, &formula.steps);
        let mut composer = Composer::new(self.growth, &inside);
        composer.branches();
        composer.gates_by_rule();
        // The units before, after and beside the one at the bond point, as `weave` expects them.
        let mut parts: [Vec<UnitId>; 3] = Default::default();
        let which = match (place.parallel, place.before) {
            (true, _) => 2,
            (false, true) => 0,
            (false, false) => 1,
        };
        parts[which].push(group);
        self.growth.draft.weave(place.unit, parts, NeedKind::Hook);
    }
}

/// The result of a hook's trigger, which is `NotKnown` as long as there is no subject.
enum Triggered {
    Yes,
    No,
    NotKnown,
}
