use windlass_site::{ErrorKind, Explain};

/// Errors from installing an automatic impact check.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// Git hooks are outside of the git folder.
    #[error("git hooks are in `{0}` (`core.hooksPath`); nothing was written")]
    HooksElsewhere(String),
    /// The user has a hook of their own.
    #[error("`{0}` exists and does not call windlass; it was left unchanged")]
    ForeignHook(String),
    /// A hook calls this program, but it isn't the hook of this version.
    #[error(
        "`{0}` calls windlass already, but not as the hook of this version; it was left unchanged"
    )]
    OtherHook(String),
    /// There already is a hook from an earlier replacement.
    #[error(
        "`{0}` exists, so the present hook cannot be kept under this name; nothing was written"
    )]
    KeptBefore(String),
}

/// The line another hook needs to call this program.
const LINE: &str = "windlass impact --allow-moved || exit 1";

impl Explain for ImpactError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::HooksElsewhere(_) => ErrorKind::Failed,
            Self::ForeignHook(_) | Self::OtherHook(_) | Self::KeptBefore(_) => ErrorKind::Conflict,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::HooksElsewhere(folder) => format!(
                "add the line `{LINE}` to `{folder}/pre-commit`; `windlass init --hook --dry-run` prints a complete hook"
            ),
            Self::ForeignHook(file) => format!(
                "add the line `{LINE}` to `{file}`; or replace it by `windlass init --hook --force`, which keeps it as `pre-commit.before-windlass`"
            ),
            Self::OtherHook(_) => {
                "`windlass init --hook --force` replaces it and keeps it as `pre-commit.before-windlass`"
                    .to_owned()
            }
            Self::KeptBefore(_) => "move that file away, then repeat the command".to_owned(),
        })
    }
}
