use serde::Serialize;
use windlass::Error;
use windlass::ledger::EventFilter;

use super::events::EventRow;
use super::now::BlockedBead;
use crate::view::{View, Visit};

const EVENTS: usize = 50;

#[derive(Serialize)]
pub(crate) struct Bead {
    bead: BlockedBead,
    events: Vec<EventRow>,
    #[serde(skip)]
    title: String,
}

impl View for Bead {
    const TEMPLATE: &'static str = "bead.html";
    const FOLLOWS: &'static str = "work";

    fn title(&self) -> String {
        self.title.clone()
    }
}

pub(crate) fn bead(visit: &Visit<'_>) -> Result<Bead, Error> {
    visit.read_ledger(|session| {
        let id = visit.name("bead");
        let report = session.beads().get(id, None)?;
        let about = EventFilter {
            about: Some(id.to_owned()),
            limit: Some(EVENTS),
            ..EventFilter::default()
        };
        Ok(Bead {
            title: report.bead.title.clone(),
            events: EventRow::newest_first(&session.events().find(&about)?),
            bead: BlockedBead::of(report),
        })
    })
}
