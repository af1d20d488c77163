use std::collections::BTreeMap;

use windlass::ledger::{MolStep, Molecule};
use windlass::plan::{PlannedStep, Status};
use windlass::{RunState, StepSummary};

/// Live states of a plan's steps, by step name. Empty for a plan without a run or molecule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepStates(BTreeMap<String, StepState>);

/// Live state of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StepState {
    /// The step succeeded.
    Done,
    /// The step was skipped, and its dependents inherit its needs.
    Skipped,
    /// Claimed by this actor.
    Claimed(String),
    /// The step is in progress in a run.
    Running,
    /// The step can be claimed.
    Ready,
    /// The step waits for its needs, a gate or another step.
    Blocked,
    /// The step failed and won't be retried.
    Failed,
}

impl StepStates {
    /// Returns the states of the steps of `molecule`.
    #[must_use]
    pub fn of(molecule: &Molecule) -> Self {
        let steps = molecule.steps.iter();
        Self(
            steps
                .map(|step| (step.id.clone(), state_of(molecule, step)))
                .collect(),
        )
    }

    /// Returns the states of a run's steps. If the run is no longer active, steps that haven't
    /// ended have no state.
    #[must_use]
    pub fn of_run(steps: &[StepSummary], run: RunState) -> Self {
        let state = |step: &StepSummary| match step.status {
            Some(Status::Completed) => Some(StepState::Done),
            Some(Status::Skipped) => Some(StepState::Skipped),
            Some(Status::Failed) => Some(StepState::Failed),
            Some(_) => Some(StepState::Blocked),
            None => (run == RunState::Running).then_some(StepState::Running),
        };
        let states = steps.iter();
        Self(
            states
                .filter_map(|step| Some((step.step.clone(), state(step)?)))
                .collect(),
        )
    }

    /// Returns true if no step has a state.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the state of `step`, if it has one.
    pub(super) fn get(&self, step: &PlannedStep) -> Option<&StepState> {
        self.0.get(step.id.as_str())
    }

    /// Returns the occurring states, in a fixed order and without actors.
    pub(super) fn classes(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        let occurs = |class: &str| self.0.values().any(|state| state.class() == class);
        COLORS.into_iter().filter(move |(class, _)| occurs(class))
    }
}

/// Fill colours for formats without a style sheet, by state. They go with dark text.
const COLORS: [(&str, &str); 7] = [
    ("done", "#d2f4d9"),
    ("skipped", "#f0f0f0"),
    ("claimed", "#fff3c4"),
    ("running", "#fff3c4"),
    ("ready", "#d6e9ff"),
    ("blocked", "#e4e7eb"),
    ("failed", "#ffd8d3"),
];

impl StepState {
    /// Returns the state's name, without its actor.
    pub(super) fn class(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Claimed(_) => "claimed",
            Self::Running => "running",
            Self::Ready => "ready",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
        }
    }

    /// Returns the state's fill colour.
    pub(super) fn color(&self) -> &'static str {
        let class = self.class();
        let found = COLORS.iter().find(|(name, _)| *name == class);
        found.map_or("#ffffff", |(_, color)| color)
    }

    /// Returns the state in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Claimed(actor) => format!("claimed by {actor}"),
            state => state.class().to_owned(),
        }
    }
}

fn state_of(molecule: &Molecule, step: &MolStep) -> StepState {
    match step.shown() {
        Status::Completed => StepState::Done,
        Status::Skipped => StepState::Skipped,
        Status::Failed => StepState::Failed,
        Status::InProgress => StepState::Claimed(
            step.holder
                .clone()
                .unwrap_or_else(|| "the machine".to_owned()),
        ),
        Status::Ready if molecule.may_begin(step) => StepState::Ready,
        Status::Ready | Status::Blocked | Status::Pending => StepState::Blocked,
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
            ("build", StepState::Done),
            ("test", StepState::Claimed("a\"<\u{1b}n".to_owned())),
            ("ship", StepState::Blocked),
        ];
        let states = states.map(|(id, state)| (id.to_owned(), state));
        (
            Plan::from_parts(parts).unwrap(),
            StepStates(BTreeMap::from(states)),
        )
    }

    #[test]
    fn live_text_names_state_of_each_step() {
        let (plan, states) = live();
        let text = plan_text(&plan, &states);
        assert!(text.contains("build  agent  [done]"), "{text}");
        assert!(
            text.contains("test  agent  ← build  [claimed by a"),
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
            dot.contains("build\\nagent\\ndone\", style=filled"),
            "{dot}"
        );
        let mermaid = plan_mermaid(&plan, &states);
        assert!(mermaid.contains(":::claimed\n"), "{mermaid}");
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
        assert!(class("build").ends_with(" state-done"));
        assert!(class("test").ends_with(" state-claimed"));
        assert!(class("ship").ends_with(" state-blocked"));
    }
}
