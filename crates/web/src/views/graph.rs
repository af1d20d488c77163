use std::collections::BTreeMap;

use serde::Serialize;
use windlass::ledger::LedgerError;
use windlass::packs::harmless;
use windlass::plan::Plan;
use windlass::{Error, MoleculeBoard};
use windlass_render::{StepStates, plan_svg_part};

use crate::escape::segment;
use crate::view::{View, Visit};

/// Maximum number of steps in a graph drawn within another page. A larger graph is on a page of its
/// own, and a script loads it from there.
const INLINE_STEPS: usize = 60;

#[derive(Default, Serialize)]
pub(crate) struct Graph {
    steps: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
    /// Address of the graph's own page, if it isn't drawn here.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip)]
    pub(crate) drawing: String,
}

impl Graph {
    pub(crate) fn drawn(plan: &Plan, states: &StepStates) -> Self {
        let mut graph = Self {
            steps: plan.steps().len(),
            ..Self::default()
        };
        match plan_svg_part(plan, states, &harmless) {
            Ok(part) => {
                graph.drawing = part.head;
                for (at, (_, step)) in part.steps.iter().enumerate() {
                    // Make each step a part of the page. Otherwise, a step's change of state would
                    // send the whole graph.
                    let step = step.replacen("<g ", &format!("<g id=\"node-{at}\" "), 1);
                    graph
                        .drawing
                        .push_str(&format!("<part node-{at}>{step}</part>"));
                }
                graph.drawing.push_str(&part.tail);
            }
            Err(too_large) => graph.missing = Some(too_large.to_string()),
        }
        graph
    }

    pub(crate) fn within(plan: &Plan, states: &StepStates, address: String) -> Self {
        match plan.steps().len() {
            0..=INLINE_STEPS => Self::drawn(plan, states),
            steps => Self {
                steps,
                address: Some(address),
                ..Self::default()
            },
        }
    }

    pub(crate) fn missing(reason: impl Into<String>) -> Self {
        Self {
            missing: Some(reason.into()),
            ..Self::default()
        }
    }
}

#[derive(Serialize)]
pub(crate) struct GraphPage {
    name: String,
    of: String,
    graph: Graph,
}

impl View for GraphPage {
    const TEMPLATE: &'static str = "graph.html";
    const FOLLOWS: &'static str = "runs work";

    fn title(&self) -> String {
        format!("Graph of {}", self.name)
    }

    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::from([("drawing", &*self.graph.drawing)])
    }
}

pub(crate) fn run_graph(visit: &Visit<'_>) -> Result<GraphPage, Error> {
    let service = visit.workspace.runs();
    let records = service.records();
    let id = records.find_run(visit.name("run"))?;
    let record = records.run_record(&id)?;
    let states = StepStates::of_run(&record.steps(), record.summary().state);
    let plan = service.pages().plan_of(&record.head);
    Ok(GraphPage {
        name: format!("{} {id}", record.head.runbook.name()),
        of: format!("/runs/{id}"),
        graph: plan.map_or_else(
            || Graph::missing("the runbook is not there any more"),
            |found| Graph::drawn(&found.plan, &states),
        ),
    })
}

pub(crate) fn molecule_graph(visit: &Visit<'_>) -> Result<GraphPage, Error> {
    let service = visit.workspace.molecules();
    visit.read_ledger(|session| {
        let id = visit.name("molecule");
        let found = session.state().molecules.get(id);
        let found = found.ok_or_else(|| LedgerError::no_molecule(session.state(), id))?;
        let molecules = service.on(session);
        let plan = MoleculeBoard::of(&molecules).plan(id);
        Ok(GraphPage {
            name: found.title.clone(),
            of: format!("/work/molecules/{}", segment(id)),
            graph: match plan {
                Ok(plan) => Graph::drawn(&plan, &StepStates::of(&found)),
                Err(error) => Graph::missing(error.to_string()),
            },
        })
    })
}
