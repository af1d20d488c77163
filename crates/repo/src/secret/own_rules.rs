use std::io;
use std::path::Path;

use windlass_redact::{OwnRuleError, OwnRules};

use super::secret_policy::read_own_file;

/// Where a repository says which values are secret, relative to its root: what [`OwnRules::parse`] takes.
const RULES_FILE: &str = ".windlass/redactions";

/// The reason why a repository's own rules cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnRulesError {
    /// The file cannot be read.
    #[error(
        "cannot read `{RULES_FILE}`: {cause}; nothing is shown without these rules, so correct or remove it"
    )]
    Io {
        /// What the operating system said.
        #[source]
        cause: io::Error,
    },
    /// A line is no rule.
    #[error("{RULES_FILE}:{0}; nothing is shown without these rules, so correct the line")]
    Rule(OwnRuleError),
}

/// Reads the rules of the repository at `root`; none where there is no file.
pub(crate) fn load_redactions(root: &Path) -> Result<OwnRules, OwnRulesError> {
    let read = read_own_file(root, RULES_FILE).map_err(|(_, cause)| OwnRulesError::Io { cause })?;
    match read {
        Some(bytes) => OwnRules::parse(&bytes).map_err(OwnRulesError::Rule),
        None => Ok(OwnRules::default()),
    }
}
