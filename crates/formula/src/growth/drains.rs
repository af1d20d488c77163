//! Drains are steps with one molecule for each child of the molecule's bead.

use std::collections::BTreeMap;

use windlass_plan::quote::cut;

use super::{Growth, Here, spot};
use crate::document::{DrainContext, DrainDoc, ItemFailure, Located, MemberAccess, StepDoc};
use crate::late_names::BEAD_NAMES;
use crate::merge::Merged;
use crate::{Drain, FanOutOrder, SourceRole};

const USUAL_MAX: u32 = 100;

pub(super) struct Drains<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Drains<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    pub(super) fn drain(&mut self, doc: &Located<StepDoc>) -> Option<Drain> {
        let part = doc.drain.as_ref()?;
        self.refuse_own_work(doc, part);
        self.check_failure(part);
        let here = self.here;
        let formula = here.names.fill(&part.formula);
        let place = self.growth.place(spot(here.source, &part.formula));
        let item = self.growth.formula(&formula, SourceRole::FanOut, place)?;
        Some(Drain {
            formula,
            vars: self.passed_on(&item, part),
            order: match part.context.unwrap_or_default() {
                DrainContext::Separate => FanOutOrder::Parallel,
                DrainContext::Shared => FanOutOrder::Sequential,
            },
            exclusive: part.member_access == Some(MemberAccess::Exclusive),
            max_items: part.max_units.unwrap_or(USUAL_MAX),
            single_lane: part.item.as_ref().and_then(|item| item.single_lane) == Some(true),
        })
    }

    /// Picks the values to pass on to the drained formula.
    ///
    /// A variable of that formula gets the value of the variable with the same name here. If
    /// there is no such variable here, it gets the value that the caller gave. We leave out the
    /// names in [`BEAD_NAMES`], since each molecule works on its own bead.
    fn passed_on(&mut self, item: &Merged, part: &Located<DrainDoc>) -> BTreeMap<String, String> {
        let here = self.here;
        let is_own = |name: &&String| !BEAD_NAMES.contains(&name.as_str());
        let names = item.variables.keys().filter(is_own);
        let vars: BTreeMap<String, String> = names
            .filter_map(|name| {
                let late = || self.growth.room.late.given_value(name);
                let value = here.names.variable(name).unwrap_or_else(late)?;
                Some((name.clone(), value.to_owned()))
            })
            .collect();
        let at = spot(here.source, part);
        for (name, variable) in &item.variables {
            let is_required = variable.table.required == Some(true);
            let has_value = vars.contains_key(name) || variable.table.default.is_some();
            // If the formula is still open, the caller may give the missing value later.
            if is_required && !has_value && is_own(&name) && !self.growth.open {
                let (name, item) = (cut(name), cut(&item.name));
                let message = format!("variable `{name}` of `{item}` needs a value");
                let help = format!(
                    "declare it here: `[vars.{name}]`, which is passed on; or pass `--var {name}=…`"
                );
                self.growth.wrong(at, "missing-variable", message, help);
            }
        }
        vars
    }

    fn refuse_own_work(&mut self, doc: &Located<StepDoc>, part: &Located<DrainDoc>) {
        let own = [
            ("assignee", doc.assignee.is_some()),
            ("children", doc.children.is_some()),
            ("uses", doc.uses.is_some()),
            ("on_complete", doc.on_complete.is_some()),
            ("retry", doc.retry.is_some()),
            ("check", doc.check.is_some()),
            ("ralph", doc.ralph.is_some()),
            ("timeout", doc.timeout.is_some()),
            ("interactive", doc.interactive == Some(true)),
            ("acceptance", doc.acceptance.is_some()),
            ("pack", doc.pack.is_some()),
        ];
        for (field, _) in own.iter().filter(|(_, there)| *there) {
            let message = format!(
                "step `{}` drains the bead, so it cannot have `{field}`",
                cut(&doc.id)
            );
            let help = format!("move `{field}` to the steps of `{}`", cut(&part.formula));
            self.growth
                .refuse(spot(self.here.source, doc), message, help);
        }
    }

    /// Rejects an `on_item_failure` that contradicts `context`.
    ///
    /// The field has no effect of its own. It is only for readers and for Gas City.
    fn check_failure(&mut self, part: &Located<DrainDoc>) {
        let Some(failure) = &part.on_item_failure else {
            return;
        };
        let (why, other) = match (part.context.unwrap_or_default(), failure.value) {
            (DrainContext::Separate, ItemFailure::SkipRemaining) => (
                "of a `separate` drain start at the same time, so none remains to be skipped",
                "shared",
            ),
            (DrainContext::Shared, ItemFailure::Continue) => (
                "of a `shared` drain follow each other, so none starts after a failed one",
                "separate",
            ),
            _ => return,
        };
        self.growth.refuse(
            spot(self.here.source, failure),
            format!("the molecules {why}"),
            format!("remove `on_item_failure`, or write `context = \"{other}\"`"),
        );
    }
}
