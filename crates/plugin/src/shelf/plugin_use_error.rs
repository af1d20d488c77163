use windlass_base::PluginDigest;
use windlass_site::{ErrorKind, Explain};

/// Reasons why a plugin cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginUseError {
    /// The plugin does not exist, or cannot be used.
    #[error("{message}")]
    Unusable {
        /// The problem, as one sentence.
        message: String,
        /// Advice for solving the problem, if there is any.
        help: Option<String>,
        /// True if the plugin does not exist.
        missing: bool,
    },
    /// The plugin is not the one that the user has reviewed.
    #[error(
        "the plugin `{name}` has the digest {found}, expected {expected}: it changed since your review"
    )]
    Other {
        /// The name in its description of itself.
        name: String,
        /// The digest that was reviewed.
        expected: PluginDigest,
        /// The file's current digest.
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
