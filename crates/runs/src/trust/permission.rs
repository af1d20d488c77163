use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::Digest;
use windlass_notebook::RunbookFile;
use windlass_steps::{CommandPermission, ReviewedSteps};

/// Says which runbooks of a run may start programs.
#[derive(Debug, Clone)]
pub(crate) enum Permission {
    /// Any runbook, since the user allows programs for this run.
    All,
    /// The trusted runbooks by the digest of their text, each with the files that its steps start.
    Texts(BTreeMap<Digest, Arc<ReviewedSteps>>),
    /// No runbook, not even a trusted one.
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
