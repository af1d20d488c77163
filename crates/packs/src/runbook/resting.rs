//! Finds the evidence behind observations.
//!
//! If a runbook only selects a value from a claim, e.g. `$.anchors[*].label`, the claim's evidence
//! is not part of the selection. But if that evidence is stale, the value cannot be trusted either.
//! So we look for evidence in the outputs that the value was computed from.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use windlass_evidence::Claim;
use windlass_plan::StepIndex;

use crate::SectionStatus;
use crate::runbook::pack_status::of_judgement;
use crate::runbook::selection::{Selection, used_by};

/// A step with stale evidence, along with the worst status of that evidence.
pub(crate) struct StaleBasis<'a> {
    pub(crate) step: &'a str,
    pub(crate) status: SectionStatus,
}

/// The worst state of the evidence behind the values of `step`. Returns `None` if all of it is
/// valid.
///
/// If the step's own output has no evidence, we search the outputs that it uses.
pub(crate) fn stale_basis<'a>(
    selection: &Selection<'a>,
    step: StepIndex,
) -> Option<StaleBasis<'a>> {
    let mut seen = BTreeSet::from([step]);
    let mut open = vec![step];
    let mut worst: Option<StaleBasis<'a>> = None;
    while let Some(step) = open.pop() {
        let result = &selection.result.steps[step.index()];
        let found = result.output.as_deref();
        match found.and_then(|value| worst_evidence(value, selection)) {
            Some(status) => {
                let is_worse = worst.as_ref().is_none_or(|worst| status > worst.status);
                if status.breaks_strict() && is_worse {
                    worst = Some(StaleBasis {
                        step: &result.id,
                        status,
                    });
                }
            }
            None => {
                let used = used_by(selection.plan, step);
                open.extend(used.into_iter().filter(|step| seen.insert(*step)));
            }
        }
    }
    worst
}

/// The worst state of any pointer in `value`. Returns `None` if there are not any pointers.
fn worst_evidence(value: &Value, selection: &Selection<'_>) -> Option<SectionStatus> {
    let within = |values: &mut dyn Iterator<Item = &Value>| {
        values
            .filter_map(|value| worst_evidence(value, selection))
            .max()
    };
    match value {
        Value::Array(list) => within(&mut list.iter()),
        Value::Object(map) => {
            let with_hash = || claim(value).filter(|claim| claim.pointer.source_hash.is_some());
            if let Some(claim) = with_hash() {
                return Some(status_of_claim(claim, selection));
            }
            // A pointer in `evidence` is a claim. If it has no hash, it's a claim that we can't
            // verify.
            let evidence = map.get("evidence").and_then(Value::as_array);
            let claimed = evidence
                .into_iter()
                .flatten()
                .filter_map(claim)
                .map(|claim| status_of_claim(claim, selection));
            claimed.max().max(within(&mut map.values()))
        }
        _ => None,
    }
}

fn claim(value: &Value) -> Option<Claim> {
    value.get("start_line")?;
    Claim::deserialize(value).ok()
}

fn status_of_claim(claim: Claim, selection: &Selection<'_>) -> SectionStatus {
    of_judgement(&claim.judged(selection.snapshot).judgement)
}
