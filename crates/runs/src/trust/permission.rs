use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::Digest;
use windlass_notebook::RunbookFile;
use windlass_steps::{CommandPermission, ReviewedSteps};

/// Runbooks of a run that may start programs.
#[derive(Debug, Clone)]
pub(crate) enum Permission {
    /// All of them, for this run.
    All,
    /// Runbooks with these texts: a trusted runbook and its nested ones, with the files that each starts.
    Texts(BTreeMap<Digest, Arc<ReviewedSteps>>),
    /// None of them, trusted or not.
    Forbidden,
}

impl Permission {
    pub(super) const NONE: Self = Self::Texts(BTreeMap::new());

    pub(crate) fn covers(&self, runbook: &RunbookFile) -> bool {
        match self {
            Self::All => true,
            Self::Forbidden => false,
            Self::Texts(texts) => texts.contains_key(&runbook.digest),
        }
    }

    /// Returns what the steps of `runbook` may start.
    pub(crate) fn of(&self, runbook: &RunbookFile) -> CommandPermission {
        let texts = match self {
            Self::All => return CommandPermission::Allowed,
            Self::Forbidden => return CommandPermission::Forbidden,
            Self::Texts(texts) => texts,
        };
        match texts.get(&runbook.digest) {
            Some(steps) => CommandPermission::Trusted(Arc::clone(steps)),
            None => CommandPermission::Refused,
        }
    }
}
