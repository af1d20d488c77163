//! Records that the state stores by id, and the rejection of events that must not change them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Record stored by id as a line of JSON. Its short form ("head") holds the fields used most, so that most reads need
/// not parse the whole line.
pub trait Record: Serialize + DeserializeOwned + Clone {
    /// Kind of the rows that hold the short forms. The next kind holds the lines.
    const ROWS: u8;
    /// Data about the record that the head stores but the line does not.
    type Note: Clone + Default;
    /// The short form, borrowed from a line.
    type Head<'a>: Serialize + Deserialize<'a>;

    /// Returns the id.
    fn id(&self) -> &str;

    /// Returns the short form.
    fn head<'a>(&'a self, note: &'a Self::Note) -> Self::Head<'a>;

    /// Extracts the note from the short form.
    fn note(head: &Self::Head<'_>) -> Self::Note;
}

/// Why an event was rejected: the reason, and the id of the event that takes precedence, if there is one.
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
