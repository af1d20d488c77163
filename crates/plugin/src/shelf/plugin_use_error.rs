use windlass_base::PluginDigest;
use windlass_site::{ErrorKind, Explain};

/// Reason why a plugin cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginUseError {
    /// The plugin does not exist or cannot be used.
    #[error("{message}")]
    Unusable {
        /// Problem, as one sentence.
        message: String,
        /// Advice on how to solve the problem, if there is any.
        help: Option<String>,
        /// True if the plugin does not exist.
        missing: bool,
    },
    /// The plugin differs from the one that was reviewed.
    #[error(
        "the plugin `{name}` has the digest {found}, expected {expected}: it changed since your review"
    )]
    Other {
        /// Name of the plugin.
        name: String,
        /// Digest of the reviewed plugin.
        expected: PluginDigest,
        /// Digest of the current file.
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
