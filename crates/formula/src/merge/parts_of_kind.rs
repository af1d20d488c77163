//! Checks that a formula's parts fit its kind.

use std::collections::BTreeMap;

use windlass_base::Diagnostic;
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use super::Merged;
use crate::document::Located;
use crate::library::Loaded;
use crate::{Dialect, FormulaKind};

impl Merged {
    pub(super) fn check_unique(&self, loaded: &Loaded, found: &mut Findings) {
        if self.dialect != Dialect::Gastown {
            return;
        }
        // In other dialects, two steps may share a name, since a condition may remove one of them.
        let mut seen: BTreeMap<&str, &Located<String>> = BTreeMap::new();
        for step in self.steps.iter().filter(|step| step.from.is_none()) {
            if step.item.condition.is_some() {
                continue;
            }
            if let Some(first) = seen.insert(&step.item.id, &step.item.id) {
                let message = format!("duplicate step `{}`", cut(&step.item.id));
                found.push(
                    Diagnostic::error("duplicate-step", message)
                        .at(loaded.place(&step.item.id))
                        .see(loaded.place(first), "first step")
                        .help("give one of the two another id"),
                );
            }
        }
    }

    /// Reports parts that mean nothing in this kind of formula, and formulas without any work.
    pub(super) fn check_parts(&self, found: &mut Findings) {
        let is = |kinds: &[FormulaKind]| kinds.contains(&self.kind);
        use FormulaKind::{Analysis, Aspect, Convoy, Expansion, Workflow};
        let wrong = [
            ("steps", !self.steps.is_empty() && !is(&[Workflow])),
            ("template", !self.template.is_empty() && !is(&[Expansion])),
            ("legs", !self.legs.is_empty() && !is(&[Convoy])),
            ("aspects", !self.aspects.is_empty() && !is(&[Analysis])),
            (
                "synthesis",
                self.synthesis.is_some() && !is(&[Convoy, Analysis]),
            ),
            (
                "advice",
                !self.advice.is_empty() && !is(&[Aspect, Workflow]),
            ),
            (
                "pointcuts",
                !self.pointcuts.is_empty() && !is(&[Aspect, Workflow]),
            ),
            ("compose", !self.compose.is_empty() && !is(&[Workflow])),
            (
                "prompts",
                !self.prompts.is_empty() && !is(&[Convoy, Analysis]),
            ),
            (
                "presets",
                !self.presets.is_empty() && !is(&[Convoy, Analysis]),
            ),
            ("output", self.output.is_some() && !is(&[Convoy, Analysis])),
        ];
        for (part, _) in wrong.iter().filter(|(_, wrong)| *wrong) {
            let message = format!("`{part}` has no meaning in {}", self.kind.described());
            found.push(
                Diagnostic::error("unsupported", message)
                    .at(self.place.clone())
                    .help("change `type`, or move it to another formula"),
            );
        }
        if !self.pointcuts.is_empty() && self.advice.is_empty() {
            found.push(
                Diagnostic::error("unsupported", "`[[pointcuts]]` need `[[advice]]`")
                    .at(self.place.clone())
                    .help("add `[[advice]]`, or remove `[[pointcuts]]`"),
            );
        }
        let missing = match self.kind {
            Workflow if self.steps.is_empty() => "`[[steps]]`",
            Expansion if self.template.is_empty() => "`[[template]]`",
            Convoy if self.legs.is_empty() => "`[[legs]]`",
            Analysis if self.aspects.is_empty() => "`[[aspects]]`",
            Aspect if self.advice.is_empty() => "`[[advice]]`, or `[[aspects]]` with analyses",
            _ => return,
        };
        let message = format!("{} without any work", self.kind.described());
        found.push(
            Diagnostic::error("empty-formula", message)
                .at(self.place.clone())
                .help(format!("add {missing}")),
        );
    }
}
