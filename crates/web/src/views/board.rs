use serde::Serialize;
use windlass::plan::Status;
use windlass::{BoardColumn, Error, MoleculeBoard};

use crate::paging::{Pages, ROWS};
use crate::view::{View, Visit};

/// Maximum number of cards per column when several columns are shown.
const CARDS: usize = 20;

/// The steps of open molecules, in one column per state.
#[derive(Serialize)]
pub(crate) struct Board {
    columns: Vec<BoardColumn>,
    /// The molecule that the board is limited to.
    #[serde(skip_serializing_if = "Option::is_none")]
    molecule: Option<String>,
    /// The state that the board is limited to. It has only this column then.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// The position within that only column.
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
