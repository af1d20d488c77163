//! Plans with a checked graph.

use std::collections::BTreeMap;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use windlass_base::{Diagnostics, Ident};

use crate::graph::{self, Graph};
use crate::{
    Edge, EdgeReason, Findings, InputSpec, NodeSpec, OnFailure, Permissions, PlannedOutput,
    PlannedStep, PolicyDoc, StepIndex,
};

/// The parts of a plan, before checking its graph.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanParts {
    /// The document's name.
    pub id: Ident,
    /// Title for readers.
    pub title: String,
    /// The document's purpose, for readers.
    pub purpose: String,
    /// Declared inputs, sorted by name.
    pub inputs: Vec<InputSpec>,
    /// Output policy, with unresolved references to inputs.
    pub policy: PolicyDoc,
    /// Permissions granted by the runbook to its plugins.
    pub permissions: Permissions,
    /// Steps in document order, followed by the `finally` steps.
    pub steps: Vec<PlannedStep>,
    /// Dependencies with their reasons. The `needs` of each step are added with the reason
    /// [`EdgeReason::Needs`].
    pub edges: Vec<Edge>,
    /// Sections in display order.
    pub outputs: Vec<PlannedOutput>,
}

impl PlanParts {
    /// Creates a plan without steps.
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

/// A checked graph of steps. It has no cycles, its names are unique, and each edge has a reason.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The parts without their edges, which are in the graph.
    parts: PlanParts,
    by_id: BTreeMap<Ident, StepIndex>,
    graph: Graph,
}

impl Plan {
    /// Checks the graph and creates the plan.
    ///
    /// # Errors
    /// Returns an error for each duplicate step name, edge to a missing step, and cycle. Steps must
    /// not need themselves or a `finally` step either. A cycle is shown as a path back to its
    /// start.
    pub fn from_parts(parts: PlanParts) -> Result<Self, Diagnostics> {
        let mut found = Findings::default();
        let plan = Self::checked(parts, &mut found);
        let found = found.finish(None);
        found.unless_errors(plan).map(|(plan, _)| plan)
    }

    /// Creates the plan from `parts`. If this finds any errors, don't use the plan.
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

    /// Returns the document's name.
    #[must_use]
    pub fn id(&self) -> &Ident {
        &self.parts.id
    }

    /// Returns the title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.parts.title
    }

    /// Returns the purpose.
    #[must_use]
    pub fn purpose(&self) -> &str {
        &self.parts.purpose
    }

    /// Returns the declared inputs, sorted by name.
    #[must_use]
    pub fn inputs(&self) -> &[InputSpec] {
        &self.parts.inputs
    }

    /// Returns the output policy, with unresolved references to inputs.
    #[must_use]
    pub fn policy(&self) -> &PolicyDoc {
        &self.parts.policy
    }

    /// Returns the permissions granted by the runbook to its plugins.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.parts.permissions
    }

    /// Returns the steps in document order, followed by the `finally` steps.
    #[must_use]
    pub fn steps(&self) -> &[PlannedStep] {
        &self.parts.steps
    }

    /// Iterates over the steps with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (StepIndex, &PlannedStep)> {
        self.parts
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| (StepIndex::new(at), step))
    }

    /// Returns the step `index`.
    #[must_use]
    pub fn step(&self, index: StepIndex) -> Option<&PlannedStep> {
        self.parts.steps.get(index.index())
    }

    /// Returns the index of the step `id`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<StepIndex> {
        self.by_id.get(id).copied()
    }

    /// Returns the sections in display order.
    #[must_use]
    pub fn outputs(&self) -> &[PlannedOutput] {
        &self.parts.outputs
    }

    /// Returns the steps as used by the scheduler.
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

    /// Returns the steps that need the step `index`, sorted.
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

    /// Returns the reasons why `step` needs `needs`, in document order. Without any, returns an
    /// empty slice.
    #[must_use]
    pub fn reasons(&self, step: StepIndex, needs: StepIndex) -> &[EdgeReason] {
        let [step, needs] = [step, needs].map(|step| NodeIndex::new(step.index()));
        self.graph.reasons(step, needs)
    }

    /// Returns the steps in layers. A step's needs are all in earlier layers, and `finally` steps
    /// come after all others.
    #[must_use]
    pub fn layers(&self) -> Vec<Vec<StepIndex>> {
        graph::layers(&self.parts.steps, &self.graph)
    }
}
