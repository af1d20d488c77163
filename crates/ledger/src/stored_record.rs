//! What states are made of: records that are kept by name, and why an event may not change them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What is kept by name, written as a line of JSON, with a short form of what is asked for most.
pub trait Record: Serialize + DeserializeOwned + Clone {
    /// What is known of it that is not written into its line.
    type Note: Clone + Default;
    /// The short form.
    type Head<'a>: Serialize + Deserialize<'a>;

    /// Its name.
    fn id(&self) -> &str;

    /// Its short form.
    fn head<'a>(&'a self, note: &'a Self::Note) -> Self::Head<'a>;

    /// What its short form says that its line does not.
    fn note(head: &Self::Head<'_>) -> Self::Note;
}

/// Why an event does not count.
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

/// Outcome of applying an event.
pub(crate) type Applied = Result<(), Refusal>;
