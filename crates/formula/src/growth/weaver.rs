//! Weaves the steps of advice around those of a formula.
//!
//! We collect all matches before changing the draft. The steps made here therefore never match
//! other advice, and a pattern like `*` can't go on forever.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use windlass_base::Diagnostic;
use windlass_plan::quote::cut;

use super::{Growth, Here, spot};
use crate::document::{AdviceDoc, AdviceStepDoc, Located, PointcutDoc, Scalar};
use crate::draft::{Unit, UnitId};
use crate::glob::{fits, is_pattern};
use crate::merge::{Merged, Part};
use crate::placeholders::{Local, Names, Values};
use crate::{CookedStep, FormulaKind, NeedKind, SourceRole, Via};

struct Advice<'a> {
    formula: &'a str,
    rules: &'a [Part<AdviceDoc>],
    pointcuts: &'a [PointcutDoc],
    /// The values of the aspect's variables. This is empty for the formula's own advice, whose
    /// names are looked up in `here`.
    vars: Values,
}

/// The steps to weave before and after each unit.
type Woven = BTreeMap<UnitId, [Vec<UnitId>; 2]>;

pub(super) struct Weaver<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Weaver<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    pub(super) fn weave_all(&mut self, formula: &Merged) {
        let mut aspects = Vec::new();
        for part in &formula.compose.aspects {
            let at = spot(part.source, part.item.as_ref());
            let place = self.growth.place(at);
            let Some(aspect) = self.growth.formula(&part.item, SourceRole::Aspect, place) else {
                continue;
            };
            if aspect.kind != FormulaKind::Aspect {
                let message = format!(
                    "`{}` is {}, not an aspect",
                    cut(&aspect.name),
                    aspect.kind.described()
                );
                let help = "use a formula with `type = \"aspect\"` and `[[advice]]`";
                self.growth.wrong(at, "wrong-formula", message, help);
                continue;
            }
            let vars = self.growth.bound(&aspect, &BTreeMap::new(), at);
            aspects.push((aspect, vars));
        }
        let own = Advice {
            formula: &formula.name,
            rules: &formula.advice,
            pointcuts: &formula.pointcuts,
            vars: Values::new(),
        };
        let others = aspects.iter().map(|(aspect, vars)| Advice {
            formula: &aspect.name,
            rules: &aspect.advice,
            pointcuts: &aspect.pointcuts,
            vars: vars.clone(),
        });
        let all: Vec<Advice<'_>> = std::iter::once(own).chain(others).collect();
        let mut woven = Woven::new();
        // Steps made below have higher numbers. They don't get any advice themselves.
        let until = self.growth.draft.units.len();
        for advice in &all {
            for rule in advice.rules {
                let targets = self.targets(advice, &rule.item, until);
                if targets.is_empty() {
                    self.warn_of_no_target(rule);
                }
                for target in targets {
                    self.advise(advice, rule, target, &mut woven);
                }
            }
        }
        for (unit, [before, after]) in woven {
            self.growth
                .draft
                .weave(unit, [before, after, Vec::new()], NeedKind::Advice);
        }
    }

    fn warn_of_no_target(&mut self, rule: &Part<AdviceDoc>) {
        let (at, what) = match &rule.item.target {
            Some(target) => (
                spot(rule.source, target),
                format!("no step matches `{}`", cut(target)),
            ),
            None => (
                spot(rule.source, rule.item.as_ref()),
                "no step matches the pointcuts".to_owned(),
            ),
        };
        let message = format!("{what}, so this advice is unused");
        self.growth
            .report(at, Diagnostic::warning("no-match", message));
    }

    /// Finds the units that a rule matches.
    ///
    /// A pattern only matches steps, but an exact name may also be that of a whole unit, such as a
    /// loop.
    fn targets(&self, advice: &Advice<'_>, rule: &AdviceDoc, until: usize) -> Vec<UnitId> {
        let fitting = |at: &UnitId| {
            let unit = &self.growth.draft.units[*at];
            let exact = rule
                .target
                .as_ref()
                .is_some_and(|target| target.value == unit.id);
            let by_name = match &rule.target {
                Some(target) => unit.step.is_some() && fits(target, &unit.id) || exact,
                None => unit.step.is_some(),
            };
            let pointed = || match advice.pointcuts {
                [] => rule.target.is_some(),
                pointcuts => pointcuts.iter().any(|pointcut| points_at(pointcut, unit)),
            };
            by_name && pointed()
        };
        let found: Vec<UnitId> = (0..until).filter(fitting).collect();
        let exact = rule
            .target
            .as_ref()
            .is_some_and(|target| !is_pattern(target));
        if !exact {
            return found;
        }
        // Nested units may share the name, e.g. those of a step with children. Weave around the
        // outermost one only, or else the advice would appear twice.
        let outermost = |unit: &UnitId| {
            let mut others = found.iter().filter(|other| *other != unit);
            !others.any(|other| self.growth.draft.is_within(*unit, *other))
        };
        found.iter().copied().filter(outermost).collect()
    }

    fn advise(
        &mut self,
        advice: &Advice<'_>,
        rule: &Part<AdviceDoc>,
        target: UnitId,
        woven: &mut Woven,
    ) {
        let mut made: [Vec<UnitId>; 2] = Default::default();
        for step in rule.item.before() {
            made[0].extend(self.advice_step(advice, rule.source, step, target));
        }
        for step in rule.item.after() {
            made[1].extend(self.advice_step(advice, rule.source, step, target));
        }
        let around = woven.entry(target).or_default();
        for (all, new) in around.iter_mut().zip(made) {
            all.extend(new);
        }
    }

    fn advice_step(
        &mut self,
        advice: &Advice<'_>,
        source: u32,
        doc: &Located<AdviceStepDoc>,
        target: UnitId,
    ) -> Option<UnitId> {
        let here = self.here;
        let at = spot(source, doc);
        if !self.growth.room_for(1, at) {
            return None;
        }
        let unit = &self.growth.draft.units[target];
        let name = unit.id.clone();
        let title = unit
            .step
            .as_ref()
            .map_or(name.clone(), |step| step.title.clone());
        let local = [
            Local::new("step.id", name.clone()),
            Local::new("step.title", title),
        ];
        let names = Names {
            vars: &advice.vars,
            in_braces: false,
            local: &local,
            outer: Some(here.names),
            room: here.names.room,
        };
        let mut id = names.fill_id(&doc.id);
        if !doc.id.contains("{step.") {
            // The advice may match a step in each iteration of a loop. Give the woven step the
            // prefix of the iteration (`retry.iter2.`), because its ID would otherwise be the same
            // each time.
            let prefix = name.rfind(".iter").and_then(|at| {
                let end = name[at + 1..].find('.')? + at + 2;
                name.get(..end)
            });
            id.insert_str(0, prefix.unwrap_or_default());
        }
        if !self.growth.check_id(&id, spot(source, &doc.id)) {
            return None;
        }
        let via = [Via::Advice {
            formula: advice.formula.to_owned(),
            target: name,
        }];
        let via: Vec<Via> = here.via.iter().cloned().chain(via).collect();
        let mut step = CookedStep::new(id.clone(), self.growth.origin(at, &via));
        step.title = doc
            .title
            .as_deref()
            .map_or(id.clone(), |title| names.fill(title));
        step.description = names.fill(doc.description.as_deref().unwrap_or_default());
        step.kind = doc.kind.as_deref().map(|kind| names.fill(kind));
        for (field, values) in [("args", &doc.args), ("output", &doc.output)] {
            if let Some(values) = values {
                step.metadata
                    .insert(field.to_owned(), filled(&names, values));
            }
        }
        self.growth.count(&step);
        let unit = self.growth.draft.leaf(step, at);
        // The target and the woven step belong to the same container.
        self.growth.draft.units[unit].container = self.growth.draft.units[target].container;
        self.growth.draft.name(here.scope, &id, unit);
        Some(unit)
    }
}

fn points_at(pointcut: &PointcutDoc, unit: &Unit) -> bool {
    let step = unit.step.as_deref();
    let kind = pointcut.kind.as_ref();
    let label = pointcut.label.as_ref();
    let glob = pointcut.glob.as_ref();
    glob.is_none_or(|glob| fits(glob, &unit.id))
        && kind.is_none_or(|kind| step.is_some_and(|step| step.kind.as_ref() == Some(kind)))
        && label.is_none_or(|label| step.is_some_and(|step| step.labels.contains(label)))
}

fn filled(names: &Names<'_>, values: &BTreeMap<String, Scalar>) -> Value {
    let fields = values.iter();
    let fields: Map<String, Value> = fields
        .map(|(name, value)| (name.clone(), names.fill(&value.0).into()))
        .collect();
    Value::Object(fields)
}
