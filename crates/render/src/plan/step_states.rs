use std::collections::BTreeMap;

use windlass::ledger::{MolStep, Molecule};
use windlass::plan::{PlannedStep, Status};
use windlass::{RunState, StepSummary};

/// The live states of a plan's steps, by step name. Empty without a run or molecule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepStates(BTreeMap<String, StepState>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepState {
    status: Status,
    holder: Option<String>,
}

impl StepStates {
    /// The states in a molecule, where every step has one.
    #[must_use]
    pub fn of(molecule: &Molecule) -> Self {
        let state = |step: &MolStep| StepState {
            status: step.shown(),
            holder: step.holder.clone(),
        };
        let steps = molecule.steps.iter();
        Self(steps.map(|step| (step.id.clone(), state(step))).collect())
    }

    /// The states in a run. Once it is no longer active, the steps that it has not finished have no
    /// state.
    #[must_use]
    pub fn of_run(steps: &[StepSummary], run: RunState) -> Self {
        let active = (run == RunState::Running).then_some(Status::InProgress);
        let states = steps.iter().filter_map(|step| {
            let status = step.status.or(active)?;
            let holder = None;
            Some((step.step.clone(), StepState { status, holder }))
        });
        Self(states.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, step: &PlannedStep) -> Option<&StepState> {
        self.0.get(step.id.as_str())
    }

    /// Returns the class and the fill color for each status in use, in a fixed order.
    pub(super) fn classes(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let occurring: BTreeMap<&str, &str> = self
            .0
            .values()
            .map(|state| (state.class(), state.color()))
            .collect();
        occurring.into_iter()
    }
}

impl StepState {
    pub(super) fn class(&self) -> &'static str {
        self.status.as_str()
    }

    /// Returns the fill color for formats without a style sheet. The text on it is dark.
    pub(super) fn color(&self) -> &'static str {
        match self.status {
            Status::Pending => "#f6f8fa",
            Status::Blocked => "#e4e7eb",
            Status::Ready => "#d6e9ff",
            Status::InProgress => "#fff3c4",
            Status::Completed => "#d2f4d9",
            Status::Failed => "#ffd8d3",
            Status::Skipped => "#f0f0f0",
        }
    }

    pub(super) fn words(&self) -> String {
        let words = self.class().replace('_', " ");
        match (&self.holder, self.status) {
            (Some(holder), Status::InProgress) => format!("{words} by {holder}"),
            _ => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use windlass::base::Ident;
    use windlass::plan::{Plan, PlanParts, StepIndex};

    use super::*;
    use crate::plan::{plan_dot, plan_mermaid, plan_svg, plan_text};

    fn live() -> (Plan, StepStates) {
        let mut parts = PlanParts::new(Ident::parse("ship").unwrap());
        for (at, id) in ["build", "test", "ship"].into_iter().enumerate() {
            let mut step = PlannedStep::new(Ident::parse(id).unwrap(), "agent");
            step.needs = (0..at).map(StepIndex::new).rev().take(1).collect();
            parts.steps.push(step);
        }
        let states = [
            ("build", Status::Completed, None),
            ("test", Status::InProgress, Some("a\"<\u{1b}n".to_owned())),
            ("ship", Status::Blocked, None),
        ];
        let states =
            states.map(|(id, status, holder)| (id.to_owned(), StepState { status, holder }));
        (
            Plan::from_parts(parts).unwrap(),
            StepStates(BTreeMap::from(states)),
        )
    }

    #[test]
    fn live_text_names_state_of_each_step() {
        let (plan, states) = live();
        let text = plan_text(&plan, &states);
        assert!(text.contains("build  agent  [completed]"), "{text}");
        assert!(
            text.contains("test  agent  ← build  [in progress by a"),
            "{text}"
        );
        assert!(text.contains("ship  agent  ← test  [blocked]"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn live_graphs_color_states_that_occur() {
        let (plan, states) = live();
        let dot = plan_dot(&plan, &states);
        assert!(
            dot.contains("build\\nagent\\ncompleted\", style=filled"),
            "{dot}"
        );
        let mermaid = plan_mermaid(&plan, &states);
        assert!(mermaid.contains(":::in_progress\n"), "{mermaid}");
        assert!(mermaid.contains("classDef blocked fill:"), "{mermaid}");
        assert!(!mermaid.contains("classDef failed"), "{mermaid}");
    }

    #[test]
    fn live_drawing_has_state_classes() {
        let (plan, states) = live();
        let svg = plan_svg(&plan, &states, &|text| text.to_owned()).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let class = |id: &str| {
            let mut nodes = document.descendants();
            let step = nodes.find(|node| node.attribute("data-step") == Some(id));
            step.unwrap().attribute("class").unwrap().to_owned()
        };
        assert!(class("build").ends_with(" state-completed"));
        assert!(class("test").ends_with(" state-in_progress"));
        assert!(class("ship").ends_with(" state-blocked"));
    }
}
