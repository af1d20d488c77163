//! Reuses outputs of a recorded run for `runs resume` and `run --from`.
//!
//! A recorded output is as good as a new one if nothing it depends on has changed. So the step must
//! have the same path, kind and input digest, the output must come from the same version of
//! Windlass, and every query behind it must still give the same answer. Outputs that depend on a
//! program are never reused, since nobody knows what the program has read. The steps of nested
//! runbooks are compared one by one.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, Digest};
use windlass_engine::{Earlier, Produced, RunEvent, StepOutput};
use windlass_steps::Services;

use crate::records::RunRecord;

pub(crate) struct EarlierOutputs {
    /// The outputs by step path, each with the kind of its step.
    outputs: BTreeMap<String, (String, Produced)>,
    /// Steps of the outermost runbook that run again in any case.
    rerun: BTreeSet<String>,
    services: Services,
}

impl EarlierOutputs {
    /// Collects the outputs in `record`. If it is from another version of Windlass, we do not use
    /// any of them, because the steps may work differently.
    pub(crate) fn of(record: RunRecord, rerun: BTreeSet<String>, services: &Services) -> Self {
        let mut kinds: BTreeMap<String, String> = BTreeMap::new();
        let mut outputs = BTreeMap::new();
        let is_same_version = record.head.windlass == env!("CARGO_PKG_VERSION");
        let entries = record.entries.into_iter().map(|timed| timed.entry);
        for entry in entries.filter(|_| is_same_version) {
            match entry {
                RunEvent::StepStarted { step, uses, .. } => {
                    kinds.insert(step, uses);
                }
                RunEvent::StepEnded {
                    step,
                    produced: Some(produced),
                    ..
                } => {
                    if let Some(uses) = kinds.get(&step) {
                        outputs.insert(step, (uses.clone(), *produced));
                    }
                }
                _ => {}
            }
        }
        Self {
            outputs,
            rerun,
            services: services.clone(),
        }
    }
}

impl Earlier for EarlierOutputs {
    fn output(
        &self,
        path: &str,
        uses: &str,
        input: &Digest,
        cancel: &Cancel,
    ) -> Option<StepOutput> {
        // A path such as `a/b[2]` is a step of a nested runbook. If `a` runs again, so do all steps
        // inside.
        let outermost = path.split(['/', '[']).next().unwrap_or(path);
        if self.rerun.contains(outermost) {
            return None;
        }
        let (kind, produced) = self.outputs.get(path)?;
        let same = kind == uses && produced.input == *input;
        if !same || !self.services.still_hold(&produced.basis, cancel) {
            return None;
        }
        Some(StepOutput {
            value: produced.output.as_ref().clone(),
            notes: produced.notes.clone(),
            caveat: produced.caveat.clone(),
            basis: produced.basis.as_ref().clone(),
            kept: true,
        })
    }
}
