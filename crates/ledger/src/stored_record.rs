//! Records stored in the state by id, and the rejection of events that must not change them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A record stored by id as a line of JSON. Its short form ("head") has the most used fields, so
/// most reads don't have to parse the whole line.
pub trait Record: Serialize + DeserializeOwned + Clone {
    /// Kind of the rows with the short forms. The next kind holds the lines.
    const ROWS: u8;
    /// Data about the record that's in the head but not in the line.
    type Note: Clone + Default;
    /// The short form, borrowed from a line.
    type Head<'a>: Serialize + Deserialize<'a>;

    /// Returns the record's id.
    fn id(&self) -> &str;

    /// Returns the short form.
    fn head<'a>(&'a self, note: &'a Self::Note) -> Self::Head<'a>;

    /// Extracts the note from the short form.
    fn note(head: &Self::Head<'_>) -> Self::Note;
}

/// The reason for rejecting an event, with the id of the event that takes precedence, if there is
/// one.
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

/// Result of applying one event to the state.
pub(crate) type Applied = Result<(), Refusal>;
