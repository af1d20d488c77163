use serde::Serialize;
use windlass::plan::Status;
use windlass::{BoardColumn, Error, MoleculeBoard};

use crate::paging::{Pages, ROWS};
use crate::view::{View, Visit};

/// Number of cards per column on a board of several columns. A single column is divided into pages
/// instead.
const CARDS: usize = 20;

#[derive(Serialize)]
pub(crate) struct Board {
    columns: Vec<BoardColumn>,
    #[serde(skip_serializing_if = "Option::is_none")]
    molecule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// Only a single column is divided into pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Pages>,
}

impl View for Board {
    const TEMPLATE: &'static str = "board.html";
    const FOLLOWS: &'static str = "work";
    const PARAMETERS: &'static [&'static str] = &["molecule", "page", "state"];

    fn title(&self) -> String {
        "Board".to_owned()
    }
}

pub(crate) fn board(visit: &Visit<'_>) -> Result<Board, Error> {
    let states = MoleculeBoard::COLUMNS.map(Status::as_str);
    let state = visit.query.one_of("state", states)?;
    let service = visit.workspace.molecules();
    visit.read_ledger(|session| {
        let molecules = service.on(session);
        let molecule = visit.query.get("molecule");
        let limit = match state {
            Some(_) => visit.query.skip() + ROWS,
            None => CARDS,
        };
        let mut columns = MoleculeBoard::of(&molecules).columns(molecule, limit)?;
        let mut pages = None;
        if let Some(state) = state {
            columns.retain(|column| column.status.as_str() == state);
            for column in &mut columns {
                pages = Some(visit.query.pages(column.total));
                column.cards = visit.query.rows(std::mem::take(&mut column.cards));
            }
        }
        Ok(Board {
            columns,
            molecule: molecule.map(str::to_owned),
            state: state.map(str::to_owned),
            pages,
        })
    })
}
