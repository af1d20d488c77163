use serde::{Deserialize, Serialize};
use windlass_base::Ident;

/// A runbook that is kept in the notebook.
///
/// It is kept as its author wrote it, comments and all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedRunbook {
    /// Its name, the same as in its text.
    pub id: Ident,
    /// The document: YAML, or JSON.
    pub text: String,
}
