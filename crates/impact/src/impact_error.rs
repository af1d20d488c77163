use windlass_site::{ErrorKind, Explain};

/// An automatic check could not be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// Git uses the hooks of another folder, because `core.hooksPath` is set.
    #[error("git hooks are in `{0}` (`core.hooksPath`); nothing was written")]
    HooksElsewhere(String),
    /// There is a hook that has nothing to do with Windlass.
    #[error("`{0}` exists and does not call windlass; it was left unchanged")]
    ForeignHook(String),
    /// There is a hook that calls Windlass, but it is not the one of this version.
    #[error(
        "`{0}` calls windlass already, but not as the hook of this version; it was left unchanged"
    )]
    OtherHook(String),
    /// We cannot keep the present hook under another name, because we did that before and the name
    /// is taken.
    #[error(
        "`{0}` exists, so the present hook cannot be kept under this name; nothing was written"
    )]
    KeptBefore(String),
}

/// A line that users can add to a hook of their own.
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
