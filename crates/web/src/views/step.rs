use serde::Serialize;
use windlass::ledger::{EventFilter, LedgerError};
use windlass::{Error, GateReport, MoleculeBoard, StepReport};

use super::events::EventRow;
use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Step {
    step: StepReport,
    gates: Vec<GateReport>,
    events: Vec<EventRow>,
}

impl View for Step {
    const TEMPLATE: &'static str = "step.html";
    const FOLLOWS: &'static str = "work";

    fn title(&self) -> String {
        self.step.title.clone()
    }
}

pub(crate) fn step(visit: &Visit<'_>) -> Result<Step, Error> {
    let service = visit.workspace.molecules();
    visit.read_ledger(|session| {
        let (id, step) = (visit.name("molecule"), visit.name("step"));
        let about = EventFilter {
            about: Some(id.to_owned()),
            ..EventFilter::default()
        };
        let events = session.events().find(&about)?;
        let mut events = EventRow::newest_first(&events);
        events.retain(|event| {
            event
                .data
                .get("step_id")
                .and_then(serde_json::Value::as_str)
                == Some(step)
        });
        let molecules = service.on(session);
        let board = MoleculeBoard::of(&molecules);
        let mut reports = board.step_reports(id)?.into_iter();
        let report = reports.find(|report| report.step_id == step);
        let report = report.ok_or_else(|| LedgerError::missing("step", step, []))?;
        let gates = board.closed_gates().into_iter();
        Ok(Step {
            step: report,
            gates: gates
                .filter(|gate| gate.mol_id == id && gate.step_id == step)
                .collect(),
            events,
        })
    })
}
