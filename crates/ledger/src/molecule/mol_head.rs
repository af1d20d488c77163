use serde::{Deserialize, Serialize};
use windlass_plan::Outcome;

use super::{MolState, Molecule, PutAway};
use crate::Stamp;
use crate::state::Table;
use crate::stored_record::Record;

/// A molecule's short form, for queries that don't need the whole record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MolHead<'a> {
    /// See [`Molecule::formula`].
    pub formula: &'a str,
    /// See [`Molecule::state`].
    pub state: MolState,
    /// Outcome; absent while steps remain.
    pub outcome: Option<Outcome>,
    /// Squashed or burned; absent while the molecule isn't closed.
    pub put_away: Option<PutAway>,
    /// Time of pouring, in microseconds.
    pub created: i64,
    /// Time of the last activity, in microseconds.
    pub touched: i64,
    /// Position of the last event that changed the molecule, in the order of all events, in
    /// microseconds.
    pub changed: i64,
    /// See [`Molecule::expires_at`], in microseconds.
    pub expires: Option<i64>,
    /// The molecule and step whose output it was made from.
    #[serde(borrow)]
    pub from: Option<(&'a str, &'a str)>,
}

impl MolHead<'_> {
    /// True if the molecule is neither closed nor finished.
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
    /// Returns the ids of open molecules, oldest first.
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
