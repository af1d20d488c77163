//! Outputs of a recorded run, for reuse by `runs resume` and `run --from`.
//!
//! A recorded output is as good as a new one if nothing it depends on has changed. The step must
//! have the same path, kind and input digest, and the output must come from the same version of
//! Windlass. In addition, every query it depends on must still have the same answer. We never reuse
//! an output that depends on a program. The steps of nested runbooks are compared individually.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, Digest};
use windlass_engine::{Earlier, Produced, StepOutput};
use windlass_steps::Services;

use crate::records::{RunEntry, RunRecord};

/// Outputs of a recorded run, reused as long as their dependencies are unchanged.
pub(crate) struct EarlierOutputs {
    /// Step kind and output, by step path.
    outputs: BTreeMap<String, (String, Produced)>,
    /// Ids of the outermost runbook's steps that run again in any case.
    rerun: BTreeSet<String>,
    services: Services,
}

impl EarlierOutputs {
    /// Collects the outputs of `record`, except those of the steps `rerun`. If another version of
    /// Windlass recorded them, none are reused, since its steps may work differently.
    pub(crate) fn of(record: RunRecord, rerun: BTreeSet<String>, services: &Services) -> Self {
        let mut kinds: BTreeMap<String, String> = BTreeMap::new();
        let mut outputs = BTreeMap::new();
        let is_same_version = record.head.windlass == env!("CARGO_PKG_VERSION");
        let entries = record.entries.into_iter().map(|timed| timed.entry);
        for entry in entries.filter(|_| is_same_version) {
            match entry {
                RunEntry::StepStarted { step, uses, .. } => {
                    kinds.insert(step, uses);
                }
                RunEntry::StepEnded {
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
