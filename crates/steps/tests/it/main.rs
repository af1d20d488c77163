//! Tests of what's known about steps before a run (checks and descriptions of their inputs), and of
//! the dependencies of outputs.

#![cfg(test)]

mod checks;
mod programs;
mod recorded;
mod words;

use windlass_base::Diagnostics;
use windlass_plan::{Plan, load_runbook};

/// Loads a runbook in which the step `it` has the given fields. The steps `before` and `found` are
/// there for references.
fn load(step: &str) -> Result<Plan, Diagnostics> {
    let text = format!(
        "schema_version: 1\nid: r\ninputs:\n  focus: {{ default: src }}\n  open: {{ type: array, required: true }}\n\
         \x20 yes: {{ type: boolean, default: true }}\nsteps:\n\
         - {{ id: before, uses: files }}\n- id: it\n  {}\n\
         - {{ id: found, uses: search, with: {{ pattern: x }} }}\n",
        step.replace('\n', "\n  ")
    );
    let catalog = windlass_steps::catalog();
    load_runbook("r.yaml", text.as_bytes(), &catalog).map(|(plan, _)| plan)
}
