use windlass_site::{ErrorKind, Explain};

/// Error of installing an automatic impact check.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// Git hooks are outside of the git folder.
    #[error("git hooks are in `{0}` (`core.hooksPath`); nothing was written")]
    HooksElsewhere(String),
}

impl Explain for ImpactError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Failed
    }

    fn help(&self) -> Option<String> {
        let Self::HooksElsewhere(folder) = self;
        Some(format!(
            "add the line `windlass impact` to `{folder}/pre-commit`; `windlass init --hook --dry-run` prints a complete hook"
        ))
    }
}
