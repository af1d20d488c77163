use std::collections::BTreeSet;

use windlass_base::Diagnostic;

use super::Resolution;
use crate::PlanParts;

pub(super) struct Unused<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl Unused<'_, '_> {
    /// Warns about unused inputs and steps.
    ///
    /// Steps that run processes or other runbooks may do something useful besides their output, so
    /// they are exempt.
    pub(super) fn report(&mut self, parts: &PlanParts) {
        for name in self
            .0
            .runbook
            .inputs
            .iter()
            .flat_map(|inputs| inputs.keys())
        {
            if !self.0.used_inputs.contains(name.as_str()) {
                let warning =
                    Diagnostic::warning("unused-input", format!("nothing uses the input `{name}`"))
                        .help(format!(
                            "refer to it with `{{ $ref: '#/inputs/{name}' }}`, or remove it"
                        ));
                self.0
                    .report(self.0.places.root_key(&["inputs", name]), warning);
            }
        }
        // Without any outputs, most steps would be unused, so one warning is enough.
        if self.0.runbook.outputs.iter().flatten().next().is_none() {
            let warning = Diagnostic::warning("no-outputs", "this runbook shows nothing")
                .help("add `outputs` with the sections to show");
            self.0.report(self.0.places.root(&["id"]), warning);
            return;
        }
        let outputs = parts.outputs.iter().map(|output| output.from);
        let used: BTreeSet<_> = self
            .0
            .edges
            .iter()
            .map(|edge| edge.needs)
            .chain(outputs)
            .collect();
        for (at, (step, kind)) in self.0.steps.iter().enumerate() {
            let Some(kind) = kind else { continue };
            let acts = kind.effects.runs_processes || kind.effects.nested;
            if acts || at >= self.0.runbook.steps.len() || used.contains(&crate::StepIndex::new(at))
            {
                continue;
            }
            let warning = Diagnostic::warning(
                "unused-step",
                format!("nothing uses the output of step `{}`", step.id),
            )
            .help("show it in `outputs`, refer to it, or remove the step");
            self.0
                .found
                .push_at(self.0.places.step(at, &["id"]), warning);
        }
    }
}
