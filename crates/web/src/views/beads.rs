use serde::Serialize;
use windlass::Error;
use windlass::ledger::WorkFilter;

use super::now::BlockedBead;
use crate::paging::{Pages, ROWS};
use crate::view::{View, Visit};

const STATES: [&str; 4] = ["ready", "blocked", "open", "all"];

/// A list of beads: ready (the default), blocked with the reasons, open, or all.
#[derive(Serialize)]
pub(crate) struct Beads {
    beads: Vec<BlockedBead>,
    pages: Pages,
    state: String,
    /// The search words. They replace the list of the selected state with matching beads.
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<String>,
}

impl View for Beads {
    const TEMPLATE: &'static str = "beads.html";
    const FOLLOWS: &'static str = "work";
    const PARAMETERS: &'static [&'static str] = &["page", "q", "state"];

    fn title(&self) -> String {
        "Beads".to_owned()
    }
}

pub(crate) fn beads(visit: &Visit<'_>) -> Result<Beads, Error> {
    visit.read_ledger(|session| {
        let state = visit.query.one_of("state", STATES)?;
        let state = state.unwrap_or(STATES[0]).to_owned();
        let words = visit.query.get("q");
        let filter = WorkFilter {
            all: state == "all",
            skip: visit.query.skip(),
            ..WorkFilter::default()
        };
        let until = visit.query.skip() + ROWS;
        let list = match (state.as_str(), words) {
            (_, Some(words)) => session.beads().search(words, &filter, None, until)?,
            ("ready", None) => session.beads().ready(&filter, None, until)?,
            ("blocked", None) => session.beads().blocked(&filter, None, until)?,
            _ => session.beads().list(&filter, None, until)?,
        };
        Ok(Beads {
            pages: visit.query.pages(list.total),
            beads: list.beads.into_iter().map(BlockedBead::of).collect(),
            q: words.map(str::to_owned),
            state,
        })
    })
}
