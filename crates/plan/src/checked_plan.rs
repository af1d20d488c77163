//! A plan, checked.

use std::collections::BTreeMap;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use windlass_base::{Diagnostics, Ident};

use crate::graph::{self, Graph};
use crate::{
    Edge, EdgeReason, Findings, InputSpec, NodeSpec, OnFailure, Permissions, PlannedOutput,
    PlannedStep, PolicyDoc, StepIndex,
};

/// What a plan is made of, before its graph is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanParts {
    /// The name of the document.
    pub id: Ident,
    /// What a person calls it.
    pub title: String,
    /// What it is for.
    pub purpose: String,
    /// What may be given, by name.
    pub inputs: Vec<InputSpec>,
    /// How much is shown, references to inputs still in it.
    pub policy: PolicyDoc,
    /// What its plugins may do.
    pub permissions: Permissions,
    /// The steps in document order, those of `finally` last.
    pub steps: Vec<PlannedStep>,
    /// Why steps need each other. `needs` of the steps counts too, with the reason [`EdgeReason::Needs`].
    pub edges: Vec<Edge>,
    /// The sections, in the order they are shown.
    pub outputs: Vec<PlannedOutput>,
}

impl PlanParts {
    /// A plan without steps.
    #[must_use]
    pub fn new(id: Ident) -> Self {
        Self {
            title: id.to_string(),
            id,
            purpose: String::new(),
            inputs: Vec::new(),
            policy: PolicyDoc::default(),
            permissions: Permissions::default(),
            steps: Vec::new(),
            edges: Vec::new(),
            outputs: Vec::new(),
        }
    }
}

/// A graph of steps that can run: no cycles, unique names, every edge explained.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Without its edges, which the graph has.
    parts: PlanParts,
    by_id: BTreeMap<Ident, StepIndex>,
    graph: Graph,
}

impl Plan {
    /// Checks the graph and makes a plan of it.
    ///
    /// # Errors
    /// Duplicate step names, edges to no step, a step that needs itself, a step that needs one of `finally`,
    /// and cycles, each shown as the path that leads back to its start.
    pub fn from_parts(parts: PlanParts) -> Result<Self, Diagnostics> {
        let mut found = Findings::default();
        let plan = Self::checked(parts, &mut found);
        let found = found.finish(None);
        found.unless_errors(plan).map(|(plan, _)| plan)
    }

    /// The plan these parts make; no good where errors are found.
    pub(crate) fn checked(mut parts: PlanParts, found: &mut Findings) -> Self {
        let by_id = graph::index_ids(&parts.steps, found);
        graph::check_outputs(&parts.steps, &parts.outputs, found);
        let edges = std::mem::take(&mut parts.edges);
        let graph = graph::build(&mut parts.steps, edges, found);
        graph::report_cycles(&graph, &parts.steps, found);
        Self {
            parts,
            by_id,
            graph,
        }
    }

    /// The name of the document.
    #[must_use]
    pub fn id(&self) -> &Ident {
        &self.parts.id
    }

    /// What a person calls it.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.parts.title
    }

    /// What it is for.
    #[must_use]
    pub fn purpose(&self) -> &str {
        &self.parts.purpose
    }

    /// What may be given, by name.
    #[must_use]
    pub fn inputs(&self) -> &[InputSpec] {
        &self.parts.inputs
    }

    /// How much is shown, references to inputs still in it.
    #[must_use]
    pub fn policy(&self) -> &PolicyDoc {
        &self.parts.policy
    }

    /// What its plugins may do beyond working on their input.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.parts.permissions
    }

    /// The steps in document order, those of `finally` last.
    #[must_use]
    pub fn steps(&self) -> &[PlannedStep] {
        &self.parts.steps
    }

    /// The steps with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (StepIndex, &PlannedStep)> {
        self.parts
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| (StepIndex::new(at), step))
    }

    /// The step number `index`.
    #[must_use]
    pub fn step(&self, index: StepIndex) -> Option<&PlannedStep> {
        self.parts.steps.get(index.index())
    }

    /// The step called `id`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<StepIndex> {
        self.by_id.get(id).copied()
    }

    /// The sections, in the order they are shown.
    #[must_use]
    pub fn outputs(&self) -> &[PlannedOutput] {
        &self.parts.outputs
    }

    /// The steps as the scheduler sees them.
    #[must_use]
    pub fn node_specs(&self) -> Vec<NodeSpec> {
        let spec = |step: &PlannedStep| NodeSpec {
            needs: step.needs.clone(),
            after: Vec::new(),
            retry: step.retry,
            continue_on_failure: step.on_failure == OnFailure::Continue,
            finally: step.finally,
        };
        self.parts.steps.iter().map(spec).collect()
    }

    /// The steps that need the step number `index`, sorted.
    #[must_use]
    pub fn dependents(&self, index: StepIndex) -> Vec<StepIndex> {
        let node = NodeIndex::new(index.index());
        let mut dependents: Vec<_> = self
            .graph
            .edges
            .neighbors_directed(node, Direction::Outgoing)
            .map(|node| StepIndex::new(node.index()))
            .collect();
        dependents.sort_unstable();
        dependents
    }

    /// Why `step` needs `needs`, in document order; empty if it does not.
    #[must_use]
    pub fn reasons(&self, step: StepIndex, needs: StepIndex) -> &[EdgeReason] {
        let [step, needs] = [step, needs].map(|step| NodeIndex::new(step.index()));
        self.graph.reasons(step, needs)
    }

    /// The steps in layers: all that a step needs stands in earlier layers, and those of `finally` come
    /// after all others.
    #[must_use]
    pub fn layers(&self) -> Vec<Vec<StepIndex>> {
        graph::layers(&self.parts.steps, &self.graph)
    }
}
