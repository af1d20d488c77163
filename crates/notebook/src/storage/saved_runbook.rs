use serde::{Deserialize, Serialize};
use windlass_base::Ident;

/// Runbook saved in the notebook.
///
/// The text is stored as its author wrote it, with comments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedRunbook {
    /// Name, equal to the id in the text.
    pub id: Ident,
    /// Document as YAML or JSON.
    pub text: String,
}
