//! What a formula of each sort is made of.

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
        // The others may have two steps of one name, of which conditions leave one out.
        let mut seen: BTreeMap<&str, &Located<String>> = BTreeMap::new();
        for step in self.steps.iter().filter(|step| step.from.is_none()) {
            if step.item.condition.is_some() {
                continue;
            }
            if let Some(first) = seen.insert(&step.item.id, &step.item.id) {
                let message = format!("there are two steps called `{}`", cut(&step.item.id));
                found.push(
                    Diagnostic::error("duplicate-step", message)
                        .at(loaded.place(&step.item.id))
                        .see(loaded.place(first), "the first one")
                        .help("give one of them another id"),
                );
            }
        }
    }

    /// Reports parts that formulas of its kind do not have: nothing would be done with them.
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
            let message = format!(
                "nothing is done with the `{part}` of {}",
                self.kind.described()
            );
            found.push(
                Diagnostic::error("unsupported", message)
                    .at(self.place.clone())
                    .help("say another `type`, or move it to a formula of its own"),
            );
        }
        if !self.pointcuts.is_empty() && self.advice.is_empty() {
            found.push(
                Diagnostic::error(
                    "unsupported",
                    "there are pointcuts, and no advice to weave around them",
                )
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
        let message = format!("{} without any work in it", self.kind.described());
        found.push(
            Diagnostic::error("empty-formula", message)
                .at(self.place.clone())
                .help(format!("add {missing}")),
        );
    }
}
