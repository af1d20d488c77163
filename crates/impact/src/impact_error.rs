use windlass_site::{ErrorKind, Explain};

/// Why nothing could be offered to git.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// Git's hooks are not in its own folder.
    #[error("git takes its hooks from `{0}` here (`core.hooksPath`), so nothing was written")]
    HooksElsewhere(String),
}

impl Explain for ImpactError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Failed
    }

    fn help(&self) -> Option<String> {
        let Self::HooksElsewhere(folder) = self;
        Some(format!(
            "add the line `windlass impact` to `{folder}/pre-commit`; `windlass init --hook --dry-run` prints a whole hook"
        ))
    }
}
