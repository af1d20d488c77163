use std::collections::BTreeSet;

use windlass_base::Diagnostic;

use super::Resolver;
use crate::PlanParts;

impl Resolver<'_> {
    /// Warns of inputs and steps nobody uses.
    pub(super) fn usage(&mut self, parts: &PlanParts) {
        for name in self.runbook.inputs.iter().flat_map(|inputs| inputs.keys()) {
            if !self.used_inputs.contains(name.as_str()) {
                let warning =
                    Diagnostic::warning("unused-input", format!("nothing uses the input `{name}`"))
                        .help(format!(
                            "refer to it with `{{ $ref: '#/inputs/{name}' }}`, or remove it"
                        ));
                self.found
                    .push_at(self.places.root_key(&["inputs", name]), warning);
            }
        }
        if self.runbook.outputs.iter().flatten().next().is_none() {
            let warning = Diagnostic::warning("no-outputs", "this runbook shows nothing")
                .help("add `outputs` with the sections to show");
            self.found.push_at(self.places.root(&["id"]), warning);
            return;
        }
        let outputs = parts.outputs.iter().map(|output| output.from);
        let used: BTreeSet<_> = self
            .edges
            .iter()
            .map(|edge| edge.needs)
            .chain(outputs)
            .collect();
        for (at, (step, kind)) in self.steps.iter().enumerate() {
            let Some(kind) = kind else { continue };
            let acts = kind.effects.runs_processes || kind.effects.nested;
            if acts || at >= self.runbook.steps.len() || used.contains(&crate::StepIndex::new(at)) {
                continue;
            }
            let warning = Diagnostic::warning(
                "unused-step",
                format!("nothing uses the output of step `{}`", step.id),
            )
            .help("show it in `outputs`, refer to it, or remove the step");
            self.found.push_at(self.places.step(at, &["id"]), warning);
        }
    }
}
