//! Plans: the parts of a document and their checked graph.
//!
//! A caller collects [`PlanParts`], whose graph may still be wrong, and turns them into a [`Plan`],
//! whose graph is known to be acyclic. Schedulers and renderers only ever see the latter.

use std::collections::BTreeMap;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use windlass_base::{Diagnostics, Ident};

use crate::graph::{self, Graph};
use crate::{
    Edge, EdgeReason, Findings, InputSpec, NodeSpec, OnFailure, Permissions, PlannedOutput,
    PlannedStep, PolicyDoc, StepIndex,
};

/// The parts of a plan, with an unchecked graph.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanParts {
    /// The document's name.
    pub id: Ident,
    /// The title for readers. In a new plan, it is the name.
    pub title: String,
    /// The document's purpose, for readers. Empty if it is not stated.
    pub purpose: String,
    /// Declared inputs, sorted by name.
    pub inputs: Vec<InputSpec>,
    /// The output policy. It may refer to inputs, whose values differ from run to run.
    pub policy: PolicyDoc,
    /// The runbook's permissions for plugins.
    pub permissions: Permissions,
    /// The steps in document order, followed by the `finally` steps.
    pub steps: Vec<PlannedStep>,
    /// Dependencies that have a particular reason.
    ///
    /// There is no need to add those in the `needs` of each step, because [`Plan::from_parts`] does
    /// that with the reason [`EdgeReason::Needs`].
    pub edges: Vec<Edge>,
    /// The sections, in display order.
    pub outputs: Vec<PlannedOutput>,
}

impl PlanParts {
    /// Creates a plan without steps. The title is the document's name.
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

/// An acyclic graph of steps. Their names are unique, and each edge states its reason.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The list of edges is empty here, since they have moved to `graph`.
    parts: PlanParts,
    by_id: BTreeMap<Ident, StepIndex>,
    graph: Graph,
}

impl Plan {
    /// Checks the graph and creates the plan.
    ///
    /// # Errors
    /// Returns an error for each duplicate step name, each edge to a missing step, and each cycle,
    /// shown as a path back to its start. Steps that need themselves are rejected as well, and so
    /// are main steps that need a `finally` step.
    pub fn from_parts(parts: PlanParts) -> Result<Self, Diagnostics> {
        let mut found = Findings::default();
        let plan = Self::checked(parts, &mut found);
        let found = found.finish(None);
        found.unless_errors(plan).map(|(plan, _)| plan)
    }

    /// Like [`from_parts`](Self::from_parts), but this returns a plan even if there are errors, so
    /// that more checks can run on it.
    ///
    /// The caller must discard the plan in that case.
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

    /// The document's name.
    #[must_use]
    pub fn id(&self) -> &Ident {
        &self.parts.id
    }

    /// See [`PlanParts::title`].
    #[must_use]
    pub fn title(&self) -> &str {
        &self.parts.title
    }

    /// See [`PlanParts::purpose`].
    #[must_use]
    pub fn purpose(&self) -> &str {
        &self.parts.purpose
    }

    /// Declared inputs, sorted by name.
    #[must_use]
    pub fn inputs(&self) -> &[InputSpec] {
        &self.parts.inputs
    }

    /// The output policy. Use [`PolicyDoc::bind`] to resolve its references to inputs.
    #[must_use]
    pub fn policy(&self) -> &PolicyDoc {
        &self.parts.policy
    }

    /// The runbook's permissions for plugins.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.parts.permissions
    }

    /// The steps in document order, followed by the `finally` steps.
    #[must_use]
    pub fn steps(&self) -> &[PlannedStep] {
        &self.parts.steps
    }

    /// Iterates over [`steps`](Self::steps) with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (StepIndex, &PlannedStep)> {
        self.parts
            .steps
            .iter()
            .enumerate()
            .map(|(at, step)| (StepIndex::new(at), step))
    }

    /// Returns the step at `index`, or `None` if the plan has fewer steps (e.g. for an index from
    /// another plan).
    #[must_use]
    pub fn step(&self, index: StepIndex) -> Option<&PlannedStep> {
        self.parts.steps.get(index.index())
    }

    /// Looks up a step by name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<StepIndex> {
        self.by_id.get(id).copied()
    }

    /// The sections, in display order.
    #[must_use]
    pub fn outputs(&self) -> &[PlannedOutput] {
        &self.parts.outputs
    }

    /// Describes the steps to the scheduler, in the order of [`steps`](Self::steps).
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

    /// Returns the steps that directly need the step `index`, sorted.
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

    /// Reasons why `step` directly needs `needs`, in document order. It is empty if there is no
    /// such need.
    #[must_use]
    pub fn reasons(&self, step: StepIndex, needs: StepIndex) -> &[EdgeReason] {
        let [step, needs] = [step, needs].map(|step| NodeIndex::new(step.index()));
        self.graph.reasons(step, needs)
    }

    /// Groups the steps into layers for display. Each step is in a later layer than all of its
    /// needs, with the `finally` steps at the end.
    #[must_use]
    pub fn layers(&self) -> Vec<Vec<StepIndex>> {
        graph::layers(&self.parts.steps, &self.graph)
    }
}
