use windlass_base::PluginDigest;
use windlass_site::{ErrorKind, Explain};

/// Reason why a plugin cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginUseError {
    /// Missing or unusable plugin.
    #[error("{message}")]
    Unusable {
        /// Description of the problem, in one sentence.
        message: String,
        /// Advice for making it usable, if any.
        help: Option<String>,
        /// True if it does not exist.
        missing: bool,
    },
    /// Plugin that differs from the reviewed one.
    #[error(
        "the plugin `{name}` has the digest {found}, expected {expected}: it changed since your review"
    )]
    Other {
        /// Name of the plugin.
        name: String,
        /// Digest that was reviewed and trusted.
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
