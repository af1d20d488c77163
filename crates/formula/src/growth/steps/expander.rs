//! Replaces steps with templates, which either the step itself or a rule in `compose` asks for.

use std::collections::BTreeMap;
use std::rc::Rc;

use windlass_plan::quote::cut;

use super::Steps;
use crate::document::{Located, Scalar, StepDoc};
use crate::draft::{Spot, UnitId};
use crate::glob::fits;
use crate::growth::{Growth, Here, NAME_BYTES, spot};
use crate::merge::Merged;
use crate::placeholders::{Local, Names};
use crate::{FormulaKind, NeedKind, SourceRole, Via};

/// A template in place of a step, and the values of its variables.
pub(super) struct Expansion {
    formula: String,
    vars: BTreeMap<String, String>,
    /// The position of the formula's name, for messages.
    spot: Spot,
    /// The position of the `compose` rule, or `None` if the step names the template itself.
    rule: Option<(u32, u32)>,
}

pub(super) struct Expander<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Expander<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    /// Finds the template for a step. The step's own `expand` takes precedence over any rule, and
    /// the first matching rule over those after it.
    pub(super) fn expansion_of(&mut self, doc: &StepDoc, raw: &str, id: &str) -> Option<Expansion> {
        let here = self.here;
        let fill_all = |vars: Option<&BTreeMap<String, Scalar>>| -> BTreeMap<String, String> {
            let vars = vars.into_iter().flatten();
            vars.map(|(name, value)| (name.clone(), here.names.fill(&value.0)))
                .collect()
        };
        if let Some(formula) = &doc.expand {
            return Some(Expansion {
                formula: here.names.fill(formula),
                vars: fill_all(doc.expand_vars.as_ref()),
                spot: spot(here.source, formula),
                rule: None,
            });
        }
        // Rules may name a step of a loop either as in the document (`build`) or in full
        // (`retry.iter2.build`).
        let expand = here.compose.expand.iter().map(|part| {
            let rule = &part.item;
            let is_meant = [raw, id].contains(&rule.target.as_str());
            (part.source, rule.start, is_meant, &rule.formula, &rule.vars)
        });
        let map = here.compose.map.iter().map(|part| {
            let rule = &part.item;
            let is_meant = [raw, id].iter().any(|name| fits(&rule.select, name));
            (part.source, rule.start, is_meant, &rule.formula, &rule.vars)
        });
        let mut rules = expand.chain(map);
        let (source, start, _, formula, vars) = rules.find(|(source, start, is_meant, ..)| {
            *is_meant && !here.applied.contains(&(*source, *start))
        })?;
        self.growth.used_rules.insert((source, start));
        Some(Expansion {
            formula: here.names.fill(formula),
            vars: fill_all(vars.as_ref()),
            spot: spot(source, formula),
            rule: Some((source, start)),
        })
    }

    pub(super) fn expand(
        &mut self,
        doc: &Located<StepDoc>,
        raw: &str,
        id: &str,
        expansion: &Expansion,
    ) -> Option<UnitId> {
        let here = self.here;
        Steps::new(self.growth, here).refuse_own_work(doc, "is replaced by a template");
        let formula = self.expansion_formula(expansion)?;
        let at = spot(here.source, doc);
        // If the smallest possible result doesn't fit, don't even begin.
        let least = self.growth.least_of_template(0, &formula);
        if !self.growth.room_for(least, at) {
            return None;
        }
        let values = self.growth.bound(&formula, &expansion.vars, expansion.spot);
        let fill = |text: &Option<String>| here.names.fill(text.as_deref().unwrap_or_default());
        let mut target = [Local::new("target", id), Local::new("target.id", id)];
        // The ID gets the prefix of the loops around it later. If we filled in the full ID here,
        // the prefix would be there twice.
        for name in &mut target {
            name.in_ids = Some(raw.to_owned());
        }
        let [name, same] = target;
        let local = [
            name,
            same,
            Local::new("target.title", fill(&doc.title)),
            Local::new("target.description", fill(&doc.description)),
        ];
        let names = Names {
            vars: &values,
            in_braces: true,
            local: &local,
            outer: Some(here.names),
            room: here.names.room,
        };
        let around = here.around(doc).within(&formula);
        let group = self
            .growth
            .draft
            .group(id.to_owned(), at, NeedKind::Expansion);
        let scope = self.growth.draft.scope(Some(here.scope));
        let mut via = here.via.to_vec();
        via.push(Via::Expansion {
            formula: formula.name.clone(),
            target: id.to_owned(),
        });
        let applied: Vec<_> = here.applied.iter().copied().chain(expansion.rule).collect();
        let mut expansions = here.expansions.to_vec();
        expansions.push(&formula.name);
        let inside = Here {
            names: &names,
            scope,
            via: &via,
            around: &around,
            applied: &applied,
            expansions: &expansions,
            depth: here.depth + 1,
            ..*here
        };
        Steps::new(self.growth, &inside).steps(group, &formula.template);
        // Other steps may refer to parts of the template by name. The name of the replaced step is
        // an exception, since it stands for the template as a whole.
        let bytes = self.growth.draft.export(scope, here.scope, raw, NAME_BYTES);
        self.growth.grow(bytes);
        Some(group)
    }

    fn expansion_formula(&mut self, expansion: &Expansion) -> Option<Rc<Merged>> {
        let here = self.here;
        let place = self.growth.place(expansion.spot);
        if here.expansions.contains(&expansion.formula.as_str()) && expansion.rule.is_none() {
            let mut names: Vec<_> = here.expansions.iter().map(|name| cut(name)).collect();
            names.push(cut(&expansion.formula));
            let message = format!("the expansions form a cycle: {}", names.join(" -> "));
            let help = "remove one of these `expand` fields";
            self.growth
                .wrong(expansion.spot, "expansion-cycle", message, help);
            return None;
        }
        let formula = self
            .growth
            .formula(&expansion.formula, SourceRole::Expansion, place)?;
        if formula.kind != FormulaKind::Expansion {
            let message = format!(
                "`{}` is {}, not an expansion",
                cut(&formula.name),
                formula.kind.described()
            );
            let help = "use a formula with `type = \"expansion\"` and `[[template]]`";
            self.growth
                .wrong(expansion.spot, "wrong-formula", message, help);
            return None;
        }
        Some(formula)
    }
}
