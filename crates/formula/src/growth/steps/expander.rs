//! Replaces steps with templates.

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

/// A template that replaces a step.
pub(super) struct Expansion {
    formula: String,
    vars: BTreeMap<String, String>,
    /// The position at which the template's formula is named.
    spot: Spot,
    /// The position of the rule that applies the template, or `None` if the step itself names it.
    rule: Option<(u32, u32)>,
}

/// Builds the units of templates.
pub(super) struct Expander<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Expander<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    /// Returns the template that replaces a step. The step's own template takes precedence over
    /// that of the first matching rule.
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

    /// Builds the unit of the template that replaces a step.
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
        let values = self.growth.bound(&formula, &expansion.vars, expansion.spot);
        let fill = |text: &Option<String>| here.names.fill(text.as_deref().unwrap_or_default());
        let mut target = [Local::new("target", id), Local::new("target.id", id)];
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
        // Other steps may refer to parts of the template by name. The name of the replaced step
        // refers to the whole template.
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
