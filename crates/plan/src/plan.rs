use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use petgraph::Direction;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Diagnostics, Ident, Place};

use crate::{
    Condition, Findings, InputSpec, NodeSpec, Permissions, PolicyDoc, Selector, SortKey, StepIndex,
    graph,
};

/// What becomes of the steps that need this one when it fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// They are held back.
    #[default]
    Stop,
    /// They start, and the whole is `partial`.
    Continue,
}

/// Whether and how a failed attempt is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The most attempts, the first included: 1 to 20.
    pub max_attempts: u32,
    /// The wait before the second attempt; it doubles each time. Zero if there is none.
    pub backoff: Duration,
    /// The longest wait.
    pub max_backoff: Option<Duration>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max_attempts: 1,
            backoff: Duration::ZERO,
            max_backoff: None,
        }
    }
}

impl Retry {
    /// The longest wait where none is named.
    pub const MAX_BACKOFF: Duration = Duration::from_secs(60);

    /// The wait between failed attempt `attempt` (from 1) and the next.
    #[must_use]
    pub fn delay_after(&self, attempt: u32) -> Duration {
        let factor = 1_u32
            .checked_shl(attempt.saturating_sub(1))
            .unwrap_or(u32::MAX);
        self.backoff
            .saturating_mul(factor)
            .min(self.max_backoff.unwrap_or(Self::MAX_BACKOFF))
    }
}

/// One step of a plan, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    /// Its name, unique in the plan.
    pub id: Ident,
    /// The step kind.
    pub uses: String,
    /// The arguments, references still in them.
    pub with: Value,
    /// The steps that must have ended before it starts: sorted, each once.
    pub needs: Vec<StepIndex>,
    /// When it is false, the step is skipped.
    pub condition: Option<Condition>,
    /// A list, or a reference to one: the step runs once for each item, its output is the list of outputs.
    pub for_each: Option<Value>,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// How long all attempts may take together, waiting included.
    pub max_duration: Option<Duration>,
    /// Whether and how a failed attempt is made again.
    pub retry: Retry,
    /// What becomes of its dependents when it fails.
    pub on_failure: OnFailure,
    /// Whether it runs after all others have ended, whatever became of them.
    pub finally: bool,
    /// Where it stands in its document.
    pub place: Option<Place>,
}

impl PlannedStep {
    /// A step without arguments, needs or conditions.
    #[must_use]
    pub fn new(id: Ident, uses: impl Into<String>) -> Self {
        Self {
            id,
            uses: uses.into(),
            with: Value::Object(serde_json::Map::new()),
            needs: Vec::new(),
            condition: None,
            for_each: None,
            timeout: None,
            max_duration: None,
            retry: Retry::default(),
            on_failure: OnFailure::default(),
            finally: false,
            place: None,
        }
    }
}

/// One section to show.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedOutput {
    /// Its name, unique among the outputs.
    pub id: Ident,
    /// Its heading.
    pub title: String,
    /// The step whose output it shows.
    pub from: StepIndex,
    /// What it shows of the output; all of it if there is none.
    pub select: Option<Selector>,
    /// What its items are sorted by, where the document says so.
    pub sort: Option<SortKey>,
    /// The most items to show.
    pub limit: Option<u32>,
    /// Where it stands in its document.
    pub place: Option<Place>,
}

/// Why a step needs another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeReason {
    /// `needs` says so.
    Needs {
        /// Where.
        place: Option<Place>,
    },
    /// A `$ref` takes its output or status.
    Ref {
        /// Which.
        taken: Box<TakenBy>,
        /// Where.
        place: Option<Place>,
    },
    /// The condition mentions it.
    Condition {
        /// Where.
        place: Option<Place>,
    },
}

/// A `$ref` that makes one step need another. There may be many edges and few of these, hence the box around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBy {
    /// The JSON pointer, within the step, of the object that holds the `$ref`: `/with/files`.
    pub at: String,
    /// The reference: `#/steps/routes/output/files`.
    pub reference: String,
}

impl EdgeReason {
    /// Where the document says so.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Needs { place } | Self::Ref { place, .. } | Self::Condition { place } => {
                place.as_ref()
            }
        }
    }
}

/// One step needs another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The step that needs.
    pub step: StepIndex,
    /// The step it needs.
    pub needs: StepIndex,
    /// Why.
    pub reason: EdgeReason,
}

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

/// The graph of a plan: an edge leads from a step to each that needs it.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    /// An edge carries the range of its reasons.
    pub(crate) edges: DiGraph<(), Range<u32>, u32>,
    /// The reasons of all edges: one list for each edge would take more room and time than they do.
    pub(crate) reasons: Vec<EdgeReason>,
}

impl Graph {
    /// Why the step at the node `step` needs the one at `needs`; empty if it does not.
    pub(crate) fn reasons(&self, step: NodeIndex, needs: NodeIndex) -> &[EdgeReason] {
        let edge = self.edges.find_edge(needs, step);
        edge.map_or(&[], |edge| self.reasons_at(edge))
    }

    fn reasons_at(&self, edge: EdgeIndex) -> &[EdgeReason] {
        let range = &self.edges[edge];
        let range = range.start as usize..range.end as usize;
        self.reasons.get(range).unwrap_or_default()
    }
}

/// A graph of steps that can run: no cycles, unique names, every edge explained.
#[derive(Debug, Clone)]
pub struct Plan {
    id: Ident,
    title: String,
    purpose: String,
    inputs: Vec<InputSpec>,
    policy: PolicyDoc,
    permissions: Permissions,
    steps: Vec<PlannedStep>,
    outputs: Vec<PlannedOutput>,
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
    pub(crate) fn checked(parts: PlanParts, found: &mut Findings) -> Self {
        let PlanParts {
            id,
            title,
            purpose,
            inputs,
            policy,
            permissions,
            mut steps,
            edges,
            outputs,
        } = parts;
        let by_id = graph::index_ids(&steps, found);
        graph::check_outputs(&steps, &outputs, found);
        let graph = graph::build(&mut steps, edges, found);
        graph::report_cycles(&graph, &steps, found);
        Self {
            id,
            title,
            purpose,
            inputs,
            policy,
            permissions,
            steps,
            outputs,
            by_id,
            graph,
        }
    }

    /// The name of the document.
    #[must_use]
    pub fn id(&self) -> &Ident {
        &self.id
    }

    /// What a person calls it.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it is for.
    #[must_use]
    pub fn purpose(&self) -> &str {
        &self.purpose
    }

    /// What may be given, by name.
    #[must_use]
    pub fn inputs(&self) -> &[InputSpec] {
        &self.inputs
    }

    /// How much is shown, references to inputs still in it; see [`PolicyDoc::bind`].
    #[must_use]
    pub fn policy(&self) -> &PolicyDoc {
        &self.policy
    }

    /// What its plugins may do beyond working on their input.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// The steps in document order, those of `finally` last.
    #[must_use]
    pub fn steps(&self) -> &[PlannedStep] {
        &self.steps
    }

    /// The steps with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (StepIndex, &PlannedStep)> {
        self.steps
            .iter()
            .enumerate()
            .map(|(at, step)| (StepIndex::new(at), step))
    }

    /// The step number `index`.
    #[must_use]
    pub fn step(&self, index: StepIndex) -> Option<&PlannedStep> {
        self.steps.get(index.index())
    }

    /// The step called `id`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<StepIndex> {
        self.by_id.get(id).copied()
    }

    /// The sections, in the order they are shown.
    #[must_use]
    pub fn outputs(&self) -> &[PlannedOutput] {
        &self.outputs
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
        self.steps.iter().map(spec).collect()
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
        graph::layers(&self.steps, &self.graph)
    }

    /// The steps whose output somebody uses: a reference, a condition or a section.
    #[must_use]
    pub fn used_steps(&self) -> BTreeSet<StepIndex> {
        let mut used: BTreeSet<_> = self.outputs.iter().map(|output| output.from).collect();
        for edge in self.graph.edges.edge_indices() {
            let by_name = |reason: &EdgeReason| !matches!(reason, EdgeReason::Needs { .. });
            if self.graph.reasons_at(edge).iter().any(by_name)
                && let Some((needed, _)) = self.graph.edges.edge_endpoints(edge)
            {
                used.insert(StepIndex::new(needed.index()));
            }
        }
        used
    }
}
