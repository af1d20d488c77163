use serde::Serialize;
use windlass::ledger::{EventFilter, WorkFilter};
use windlass::{ClaimReport, Error, GateReport, MolSummary, MoleculeBoard};

use super::events::EventRow;
use crate::paging::Pages;
use crate::view::{View, Visit};

const EVENTS: usize = 12;

#[derive(Serialize)]
pub(crate) struct Work {
    molecules: Vec<MolSummary>,
    pages: Pages,
    all: bool,
    claims: Vec<ClaimReport>,
    gates: Vec<GateReport>,
    ready_beads: usize,
    blocked_beads: usize,
    events: Vec<EventRow>,
}

impl View for Work {
    const TEMPLATE: &'static str = "work.html";
    const FOLLOWS: &'static str = "work";
    const PARAMETERS: &'static [&'static str] = &["all", "page"];

    fn title(&self) -> String {
        "Work".to_owned()
    }
}

pub(crate) fn work(visit: &Visit<'_>) -> Result<Work, Error> {
    let service = visit.workspace.molecules();
    visit.read_ledger(|session| {
        let all = WorkFilter::default();
        let ready_beads = session.beads().ready(&all, None, 0)?.total;
        let blocked_beads = session.beads().blocked(&all, None, 0)?.total;
        let newest = EventFilter {
            limit: Some(EVENTS),
            ..EventFilter::default()
        };
        let events = EventRow::newest_first(&session.events().find(&newest)?);
        let molecules = service.on(session);
        let board = MoleculeBoard::of(&molecules);
        let all = visit.query.one_of("all", ["1"])?.is_some();
        let mut list = molecules.list(all);
        list.reverse();
        Ok(Work {
            claims: board.claims(),
            gates: board.closed_gates(),
            pages: visit.query.pages(list.len()),
            molecules: visit.query.rows(list),
            all,
            ready_beads,
            blocked_beads,
            events,
        })
    })
}
