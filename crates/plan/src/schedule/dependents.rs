use std::ops::Range;

use super::NodeSpec;
use crate::StepIndex;

/// The dependents of all steps, in one flat list.
///
/// Separate lists would need one allocation per step. That adds up, since a plan with 100 layers of
/// 100 steps has 10,000 edges between two layers.
#[derive(Debug, Clone)]
pub(super) struct Dependents {
    starts: Vec<u32>,
    steps: Vec<StepIndex>,
}

impl Dependents {
    pub(super) fn of(specs: &[NodeSpec]) -> Self {
        let mut starts = vec![0_u32; specs.len() + 1];
        for need in specs.iter().flat_map(NodeSpec::waits_on) {
            starts[need.index() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let total = starts.last().copied().unwrap_or(0) as usize;
        let mut steps = vec![StepIndex::new(0); total];
        let mut next = starts.clone();
        for (at, spec) in specs.iter().enumerate() {
            for need in spec.waits_on() {
                let slot = &mut next[need.index()];
                steps[*slot as usize] = StepIndex::new(at);
                *slot += 1;
            }
        }
        Self { starts, steps }
    }

    /// Returns the range of the step's dependents.
    ///
    /// It is empty for the instances of a fan-out. They are added later, and nothing depends on
    /// them.
    pub(super) fn range(&self, step: StepIndex) -> Range<usize> {
        let at = step.index();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    pub(super) fn get(&self, at: usize) -> StepIndex {
        self.steps[at]
    }
}
