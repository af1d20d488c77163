//! Records that the state has by id, and the rejection of events that must not change them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A record with an id.
///
/// We store each record twice: as a line of JSON, and in a short form (the "head") with the fields
/// that most queries need. Most reads get by with the head and do not parse the line.
pub trait Record: Serialize + DeserializeOwned + Clone {
    /// Kind of the rows with the short forms. The next number is the kind of the lines.
    const ROWS: u8;
    /// Facts about the record that only the head has.
    type Note: Clone + Default;
    /// The short form. It borrows from its row.
    type Head<'a>: Serialize + Deserialize<'a>;

    /// Returns the record's id.
    fn id(&self) -> &str;

    /// Makes the short form.
    fn head<'a>(&'a self, note: &'a Self::Note) -> Self::Head<'a>;

    /// Gets the note back from the short form, when a record from the checkpoint is about to
    /// change.
    fn note(head: &Self::Head<'_>) -> Self::Note;
}

/// The reason for rejecting an event. If another event takes precedence, `won` is its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: String,
    pub(crate) won: Option<String>,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            won: None,
        }
    }

    pub(crate) fn won_by(self, event: &str) -> Self {
        Self {
            won: (!event.is_empty()).then(|| event.to_owned()),
            ..self
        }
    }
}

pub(crate) type Applied = Result<(), Refusal>;
