use std::collections::BTreeMap;

use serde::Serialize;
use windlass::ledger::{LedgerError, MoleculeFile};
use windlass::{Error, GateReport, MoleculeBoard, StepReport};
use windlass_render::StepStates;

use super::graph::Graph;
use crate::escape::segment;
use crate::paging::Pages;
use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Molecule {
    molecule: MoleculeFile,
    counts: BTreeMap<&'static str, usize>,
    steps: Vec<StepReport>,
    pages: Pages,
    gates: Vec<GateReport>,
    graph: Graph,
}

impl View for Molecule {
    const TEMPLATE: &'static str = "molecule.html";
    const FOLLOWS: &'static str = "work";
    const PARAMETERS: &'static [&'static str] = &["page", "step"];

    fn title(&self) -> String {
        self.molecule.title.clone()
    }

    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::from([("drawing", &*self.graph.drawing)])
    }
}

pub(crate) fn molecule(visit: &Visit<'_>) -> Result<Molecule, Error> {
    let service = visit.workspace.molecules();
    visit.read_ledger(|session| {
        let id = visit.name("molecule");
        let found = session.state().molecules.get(id);
        let found = found.ok_or_else(|| LedgerError::no_molecule(session.state(), id))?;
        let molecules = service.on(session);
        let board = MoleculeBoard::of(&molecules);
        let address = format!("/work/molecules/{}/graph", segment(id));
        let graph = match board.plan(id) {
            Ok(plan) => Graph::within(&plan, &StepStates::of(&found), address),
            Err(error) => Graph::missing(error.to_string()),
        };
        let steps = board.step_reports(id)?;
        let query = visit.query_of_step(steps.iter().map(|step| &*step.step_id))?;
        let counts = found.counts().into_iter();
        Ok(Molecule {
            counts: counts
                .map(|(status, count)| (status.as_str(), count))
                .collect(),
            pages: query.pages(steps.len()),
            steps: query.rows(steps),
            gates: board
                .closed_gates()
                .into_iter()
                .filter(|gate| gate.mol_id == id)
                .collect(),
            molecule: found.to_file(),
            graph,
        })
    })
}
