use windlass_base::PluginDigest;
use windlass_site::{ErrorKind, Explain};

/// Reasons why a plugin can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginUseError {
    /// The plugin doesn't exist or can't be used.
    #[error("{message}")]
    Unusable {
        /// The problem, as one sentence.
        message: String,
        /// Advice on how to solve the problem, if any.
        help: Option<String>,
        /// True if the plugin doesn't exist.
        missing: bool,
    },
    /// The plugin differs from the one that was reviewed.
    #[error(
        "the plugin `{name}` has the digest {found}, expected {expected}: it changed since your review"
    )]
    Other {
        /// The plugin's name.
        name: String,
        /// The reviewed plugin's digest.
        expected: PluginDigest,
        /// The current file's digest.
        found: PluginDigest,
    },
}

impl Explain for PluginUseError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unusable { missing: true, .. } => ErrorKind::NotFound,
            Self::Unusable { .. } => ErrorKind::Invalid,
            Self::Other { .. } => ErrorKind::Conflict,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Unusable { help, .. } => help.clone(),
            Self::Other { name, .. } => Some(format!(
                "review it again with `windlass trust plugin:{name} --dry-run`"
            )),
        }
    }
}
