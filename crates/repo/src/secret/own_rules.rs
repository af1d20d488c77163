//! A repository's own rules for secret values.

use std::io;
use std::path::Path;

use windlass_redact::{OwnRuleError, OwnRules};

use super::secret_policy::read_own_file;

/// The file with these rules, relative to the root. See [`OwnRules::parse`] for the format.
const RULES_FILE: &str = ".windlass/redactions";

/// The configuration of gitleaks, relative to the root. Many repositories already have one, so we
/// apply its rules too.
pub const GITLEAKS_FILE: &str = ".gitleaks.toml";

/// Reason why a repository's own rules cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnRulesError {
    /// The file of rules exists but cannot be read.
    #[error(
        "cannot read `{file}`: {cause}; nothing is shown without these rules, so correct or remove it"
    )]
    Io {
        /// Relative to the root.
        file: &'static str,
        /// The error from the operating system.
        #[source]
        cause: io::Error,
    },
    /// A line is not a valid rule.
    #[error("{file}:{error}; nothing is shown without these rules, so correct the line")]
    Rule {
        /// Relative to the root.
        file: &'static str,
        /// Names the location and the problem.
        error: OwnRuleError,
    },
}

/// Reads the rules of the repository at `root`. The allowlists in a gitleaks configuration only
/// apply if the caller trusts that file, because they expose values.
pub(crate) fn load_redactions(
    root: &Path,
    trusts_gitleaks: bool,
) -> Result<OwnRules, OwnRulesError> {
    let mut rules = match read(root, RULES_FILE)? {
        Some(bytes) => OwnRules::parse(&bytes).map_err(|error| wrong(RULES_FILE, error))?,
        None => OwnRules::default(),
    };
    if let Some(bytes) = read(root, GITLEAKS_FILE)? {
        let added = rules.add_gitleaks(&bytes, trusts_gitleaks);
        added.map_err(|error| wrong(GITLEAKS_FILE, error))?;
    }
    Ok(rules)
}

fn read(root: &Path, file: &'static str) -> Result<Option<Vec<u8>>, OwnRulesError> {
    read_own_file(root, file).map_err(|(_, cause)| OwnRulesError::Io { file, cause })
}

fn wrong(file: &'static str, error: OwnRuleError) -> OwnRulesError {
    OwnRulesError::Rule { file, error }
}
