use std::collections::BTreeMap;

use serde::Serialize;
use windlass::ledger::{LedgerError, MoleculeFile};
use windlass::packs::harmless;
use windlass::{Error, GateReport, MoleculeBoard, StepReport};
use windlass_render::{StepStates, plan_svg_part};

use crate::view::{View, Visit};

/// A molecule: its graph, its steps and the gates that wait.
#[derive(Serialize)]
pub(crate) struct Molecule {
    molecule: MoleculeFile,
    /// Number of steps by status.
    counts: BTreeMap<&'static str, usize>,
    steps: Vec<StepReport>,
    gates: Vec<GateReport>,
    /// Reason why there is no graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_graph: Option<String>,
    #[serde(skip)]
    drawing: String,
}

impl View for Molecule {
    const TEMPLATE: &'static str = "molecule.html";
    const FOLLOWS: &'static str = "work";

    fn title(&self) -> String {
        self.molecule.title.clone()
    }

    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::from([("drawing", &*self.drawing)])
    }
}

/// Loads the view.
pub(crate) fn molecule(visit: &Visit<'_>) -> Result<Molecule, Error> {
    let service = visit.workspace.molecules();
    let mut session = service.ledger().open(visit.actor(), "web")?;
    let id = visit.name("molecule");
    let found = session.state().molecules.get(id);
    let found = found.ok_or_else(|| LedgerError::no_molecule(session.state(), id))?;
    let molecules = service.on(&mut session);
    let board = MoleculeBoard::of(&molecules);
    let plan = molecules
        .formula_of(id)
        .and_then(|cooked| cooked.to_plan().map_err(Error::document));
    let states = StepStates::of(&found);
    let drawn = plan.map(|plan| plan_svg_part(&plan, &states, &harmless));
    let (drawing, no_graph) = match drawn {
        Ok(Ok(drawing)) => (drawing, None),
        Ok(Err(too_large)) => (String::new(), Some(too_large.to_string())),
        Err(error) => (String::new(), Some(error.to_string())),
    };
    let counts = found.counts().into_iter();
    Ok(Molecule {
        counts: counts
            .map(|(status, count)| (status.as_str(), count))
            .collect(),
        steps: board.step_reports(id)?,
        gates: board
            .closed_gates()
            .into_iter()
            .filter(|gate| gate.mol_id == id)
            .collect(),
        molecule: found.to_file(),
        no_graph,
        drawing,
    })
}
