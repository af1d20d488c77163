use serde::{Deserialize, Serialize};
use windlass_base::Ident;

/// A runbook saved in the notebook.
///
/// We keep the text as its author wrote it, including comments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedRunbook {
    /// The runbook's name, which equals the id in its text.
    pub id: Ident,
    /// The document, as YAML or JSON.
    pub text: String,
}
