use windlass_base::PluginDigest;
use windlass_site::{ErrorKind, Explain};

/// Why a plugin cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginUseError {
    /// A plugin that is not there, or that cannot be used.
    #[error("{message}")]
    Unusable {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
        /// Whether there is none.
        missing: bool,
    },
    /// A plugin that is not the one that was looked at.
    #[error(
        "the plugin `{name}` has the digest {found}, not {expected}: it is not as it was when you looked at it"
    )]
    Other {
        /// Its name.
        name: String,
        /// What was looked at.
        expected: PluginDigest,
        /// What is there.
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
                "look at it again: `windlass trust plugin:{name} --dry-run`"
            )),
        }
    }
}
