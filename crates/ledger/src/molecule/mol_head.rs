//! The short form of molecules.

use serde::{Deserialize, Serialize};
use windlass_plan::Outcome;

use super::{MolState, Molecule, PutAway};
use crate::Stamp;
use crate::state::Table;
use crate::stored_record::Record;

/// A molecule's short form. Queries over all molecules read it without parsing the whole record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MolHead<'a> {
    /// See [`Molecule::formula`].
    pub formula: &'a str,
    /// See [`Molecule::state`].
    pub state: MolState,
    /// `None` while steps remain.
    pub outcome: Option<Outcome>,
    /// `None` while the molecule isn't closed.
    pub put_away: Option<PutAway>,
    /// Time of pouring, in microseconds.
    pub created: i64,
    /// Time of the last activity, in microseconds.
    pub touched: i64,
    /// Time by which the last event that changed the molecule is ordered, in microseconds but
    /// rounded to milliseconds.
    pub changed: i64,
    /// See [`Molecule::expires_at`], in microseconds.
    pub expires: Option<i64>,
    /// The molecule and the step whose output it was made from, if any.
    #[serde(borrow)]
    pub from: Option<(&'a str, &'a str)>,
}

impl MolHead<'_> {
    /// See [`Molecule::is_open`].
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.put_away.is_none() && self.outcome.is_none()
    }
}

impl Record for Molecule {
    const ROWS: u8 = crate::rows::key::MOLECULES;

    type Note = ();
    type Head<'a> = MolHead<'a>;

    fn id(&self) -> &str {
        &self.id
    }

    fn head<'a>(&'a self, (): &'a ()) -> MolHead<'a> {
        MolHead {
            formula: &self.formula,
            state: self.state,
            outcome: self.outcome,
            put_away: self.closing.as_ref().map(|closing| closing.how),
            created: self.created_at.micros(),
            touched: self.touched_at.micros(),
            changed: self.changed.to_millis().micros(),
            expires: self.expires_at().map(Stamp::micros),
            from: self
                .from
                .as_ref()
                .map(|from| (from.mol_id.as_str(), from.step_id.as_str())),
        }
    }

    fn note(_: &MolHead<'_>) {}
}

impl Table<Molecule> {
    /// Ids of the open molecules, oldest first.
    #[must_use]
    pub fn open(&self) -> Vec<String> {
        let open = self.iter().filter_map(|(id, found)| {
            let head = found.head().filter(MolHead::is_open)?;
            Some((head.created, id.to_owned()))
        });
        let mut open: Vec<(i64, String)> = open.collect();
        open.sort();
        open.into_iter().map(|(_, id)| id).collect()
    }
}
