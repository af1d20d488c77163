//! Templates that stand in for steps.

use std::collections::BTreeMap;
use std::rc::Rc;

use windlass_base::Diagnostic;
use windlass_plan::quote::{cut, near};

use super::{Builder, Here, NAME_BYTES, spot};
use crate::document::{Located, Scalar, StepDoc};
use crate::draft::{ByFinalId, Spot, UnitId};
use crate::glob::fits;
use crate::merge::{Compose, Merged};
use crate::placeholders::{Local, Names};
use crate::{FormulaKind, NeedKind, SourceRole, Via};

/// A template that is to stand in for a step.
pub(crate) struct Expansion {
    formula: String,
    vars: BTreeMap<String, String>,
    /// Where the formula is named.
    spot: Spot,
    /// The rule that says so; the step itself does if there is none.
    rule: Option<(u32, u32)>,
}

impl Builder<'_, '_> {
    /// The template that is to stand in for a step: its own, else that of the first rule which names it.
    pub(crate) fn expansion_of(
        &mut self,
        here: &Here<'_>,
        doc: &StepDoc,
        raw: &str,
        id: &str,
    ) -> Option<Expansion> {
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
        let is_applied = |rule: (u32, u32)| here.applied.contains(&rule);
        for part in &here.compose.expand {
            let (rule, key) = (&part.item, (part.source, part.item.start));
            if (rule.target.value == raw || rule.target.value == id) && !is_applied(key) {
                self.used_rules.insert(key);
                return Some(Expansion {
                    formula: here.names.fill(&rule.formula),
                    vars: fill_all(rule.vars.as_ref()),
                    spot: spot(part.source, &rule.formula),
                    rule: Some(key),
                });
            }
        }
        for part in &here.compose.map {
            let (rule, key) = (&part.item, (part.source, part.item.start));
            if (fits(&rule.select, raw) || fits(&rule.select, id)) && !is_applied(key) {
                self.used_rules.insert(key);
                return Some(Expansion {
                    formula: here.names.fill(&rule.formula),
                    vars: fill_all(rule.vars.as_ref()),
                    spot: spot(part.source, &rule.formula),
                    rule: Some(key),
                });
            }
        }
        None
    }

    /// The unit of the template that stands in for a step.
    pub(crate) fn expand(
        &mut self,
        here: &Here<'_>,
        doc: &Located<StepDoc>,
        raw: &str,
        id: &str,
        expansion: &Expansion,
    ) -> Option<UnitId> {
        self.refuse_own_work(here, doc, "is replaced by a template");
        let formula = self.expansion_formula(here, expansion)?;
        let at = spot(here.source, doc);
        let values = self.bound(&formula, &expansion.vars, expansion.spot);
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
        let around = self.around(here, doc).within(&formula);
        let group = self.draft.group(id.to_owned(), at, NeedKind::Expansion);
        let scope = self.draft.scope(Some(here.scope));
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
        self.steps(group, &formula.template, &inside);
        // Other steps may need a part of the template by its name; the step's own name stands for all of it.
        let bytes = self.draft.export(scope, here.scope, raw, NAME_BYTES);
        self.grow(bytes);
        Some(group)
    }

    fn expansion_formula(&mut self, here: &Here<'_>, expansion: &Expansion) -> Option<Rc<Merged>> {
        let place = self.place(expansion.spot);
        if here.expansions.contains(&expansion.formula.as_str()) && expansion.rule.is_none() {
            let mut names: Vec<_> = here.expansions.iter().map(|name| cut(name)).collect();
            names.push(cut(&expansion.formula));
            let message = format!(
                "the expansions stand in for each other in a circle: {}",
                names.join(" -> ")
            );
            let diagnostic = Diagnostic::error("expansion-cycle", message);
            self.report(
                expansion.spot,
                diagnostic.help("remove one of these `expand`"),
            );
            return None;
        }
        let formula = self.formula(&expansion.formula, SourceRole::Expansion, place)?;
        if formula.kind != FormulaKind::Expansion {
            let message = format!(
                "`{}` is {}, not an expansion",
                cut(&formula.name),
                formula.kind.described()
            );
            let diagnostic = Diagnostic::error("wrong-formula", message);
            let help = "name a formula with `type = \"expansion\"` and `[[template]]`";
            self.report(expansion.spot, diagnostic.help(help));
            return None;
        }
        Some(formula)
    }

    /// Reports rules that named no step.
    pub(crate) fn report_unused_rules(&mut self, compose: &Compose) {
        let all = ByFinalId::of(&self.draft);
        for part in &compose.expand {
            let target = &part.item.target;
            if self.used_rules.contains(&(part.source, part.item.start)) {
                continue;
            }
            let diagnostic = if !all.get(&self.draft, &target.value).is_empty() {
                let message = format!(
                    "step `{}` cannot be replaced: it is a loop, or another rule replaces it",
                    cut(target)
                );
                Diagnostic::error("unsupported", message).help("remove this rule")
            } else {
                let message = format!(
                    "there is no step `{}` for the template to stand in for",
                    cut(target)
                );
                let mut diagnostic = Diagnostic::error("unknown-step", message);
                let names = all.names(&self.draft).keys().map(String::as_str);
                diagnostic.help = near(target, names).map(|near| format!("did you mean `{near}`?"));
                diagnostic
            };
            self.report(spot(part.source, target), diagnostic);
        }
        for part in &compose.map {
            if !self.used_rules.contains(&(part.source, part.item.start)) {
                let select = &part.item.select;
                let message = format!(
                    "no step fits `{}`, so the template stands in for nothing",
                    cut(select)
                );
                self.report(
                    spot(part.source, select),
                    Diagnostic::warning("no-match", message),
                );
            }
        }
    }
}
