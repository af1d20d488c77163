//! Adds the branches and gates from `compose`, and reports the rules that match no step.

use windlass_base::Diagnostic;
use windlass_plan::quote::{cut, near};

use super::{Growth, Here, spot};
use crate::draft::{ByFinalId, Spot, UnitId, What};
use crate::run_condition::run_condition;
use crate::{Gate, GateKind, NeedKind};

pub(super) struct Composer<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Composer<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    /// Finds the units called `name`, and reports the name if there are none.
    pub(super) fn units_called(&mut self, name: &str, at: Spot, all: &ByFinalId) -> Vec<UnitId> {
        let here = self.here;
        let units = self.growth.draft.find(here.scope, name, all);
        if units.is_empty() {
            let diagnostic = self
                .growth
                .draft
                .unknown_step(here.scope, "the rule names", name);
            self.growth.report(at, diagnostic);
        }
        units
    }

    /// Adds the branches.
    ///
    /// Each parallel step needs the step before the branch (`from`), and the step after it (`join`)
    /// needs all of the parallel steps.
    pub(super) fn branches(&mut self) {
        let here = self.here;
        let all = ByFinalId::of(&self.growth.draft);
        for rule in &here.compose.branch {
            let named = |text: &str| here.names.fill_id(text);
            let (from, join) = (named(&rule.item.from), named(&rule.item.join));
            let from_at = spot(rule.source, &rule.item.from);
            let joins = self.units_called(&join, spot(rule.source, &rule.item.join), &all);
            self.units_called(&from, from_at, &all);
            for step in &rule.item.steps {
                let (name, at) = (named(step), spot(rule.source, step));
                for unit in self.units_called(&name, at, &all) {
                    self.growth.draft.need(
                        unit,
                        here.scope,
                        from.clone(),
                        NeedKind::Branch,
                        from_at,
                    );
                }
                for join in &joins {
                    self.growth
                        .draft
                        .need(*join, here.scope, name.clone(), NeedKind::Branch, at);
                }
            }
        }
    }

    pub(super) fn gates_by_rule(&mut self) {
        let here = self.here;
        let all = ByFinalId::of(&self.growth.draft);
        for rule in &here.compose.gate {
            let at = spot(rule.source, &rule.item.condition);
            let name = here.names.fill_id(&rule.item.before);
            let units = self.units_called(&name, spot(rule.source, &rule.item.before), &all);
            match run_condition(&here.names.fill(&rule.item.condition)) {
                Ok(condition) => {
                    for unit in units {
                        let kind = GateKind::Condition {
                            condition: condition.clone(),
                        };
                        let gate = Gate {
                            kind,
                            timeout: None,
                        };
                        self.growth
                            .attach(unit, What::Gate(gate), at, here.scope, None);
                    }
                }
                Err((why, help)) => {
                    let message = format!("invalid gate condition: {why}");
                    self.growth.wrong(at, "condition", message, help);
                }
            }
        }
    }

    /// Reports the rules that match no step, since they probably contain a typo.
    ///
    /// An `expand` rule names one step, so it is an error if there is no such step. A `map` rule
    /// selects steps by a pattern, and a pattern without a match is only a warning.
    pub(super) fn report_unused_rules(&mut self) {
        let compose = self.here.compose;
        let all = ByFinalId::of(&self.growth.draft);
        for part in &compose.expand {
            let target = &part.item.target;
            if self
                .growth
                .used_rules
                .contains(&(part.source, part.item.start))
            {
                continue;
            }
            let diagnostic = if !all.get(&self.growth.draft, &target.value).is_empty() {
                let message = format!(
                    "step `{}` cannot be replaced: it is a loop, or another rule replaces it",
                    cut(target)
                );
                Diagnostic::error("unsupported", message).help("remove this rule")
            } else {
                let message = format!(
                    "there is no step `{}` to replace by the template",
                    cut(target)
                );
                let mut diagnostic = Diagnostic::error("unknown-step", message);
                let names = all.names(&self.growth.draft).keys().map(String::as_str);
                diagnostic.help = near(target, names).map(|near| format!("did you mean `{near}`?"));
                diagnostic
            };
            self.growth.report(spot(part.source, target), diagnostic);
        }
        for part in &compose.map {
            if !self
                .growth
                .used_rules
                .contains(&(part.source, part.item.start))
            {
                let select = &part.item.select;
                let message = format!(
                    "no step matches `{}`, so the template is unused",
                    cut(select)
                );
                self.growth.report(
                    spot(part.source, select),
                    Diagnostic::warning("no-match", message),
                );
            }
        }
    }
}
