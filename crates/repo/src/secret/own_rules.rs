use std::io;
use std::path::Path;

use windlass_redact::{OwnRuleError, OwnRules};

use super::secret_policy::read_own_file;

/// File with the repository's own rules for secret values, relative to its root; parsed by
/// [`OwnRules::parse`].
const RULES_FILE: &str = ".windlass/redactions";

/// Reason why a repository's own rules cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnRulesError {
    /// Unreadable file.
    #[error(
        "cannot read `{RULES_FILE}`: {cause}; no output is possible without these rules: correct or remove the file"
    )]
    Io {
        /// Error of the operating system.
        #[source]
        cause: io::Error,
    },
    /// Invalid line.
    #[error("{RULES_FILE}:{0}; no output is possible without these rules: correct the line")]
    Rule(OwnRuleError),
}

/// Reads the rules of the repository at `root`; empty if there is no file.
pub(crate) fn load_redactions(root: &Path) -> Result<OwnRules, OwnRulesError> {
    let read = read_own_file(root, RULES_FILE).map_err(|(_, cause)| OwnRulesError::Io { cause })?;
    match read {
        Some(bytes) => OwnRules::parse(&bytes).map_err(OwnRulesError::Rule),
        None => Ok(OwnRules::default()),
    }
}
