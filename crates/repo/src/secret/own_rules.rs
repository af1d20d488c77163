use std::io;
use std::path::Path;

use windlass_redact::{OwnRuleError, OwnRules};

use super::secret_policy::read_own_file;

/// The file with the repository's own rules for secret values, relative to the root. It's parsed by
/// [`OwnRules::parse`].
const RULES_FILE: &str = ".windlass/redactions";

/// The configuration file of gitleaks, relative to the root. We apply its rules as well.
pub const GITLEAKS_FILE: &str = ".gitleaks.toml";

/// The reason why a repository's own rules cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnRulesError {
    /// The file cannot be read.
    #[error(
        "cannot read `{file}`: {cause}; nothing is shown without these rules, so correct or remove it"
    )]
    Io {
        /// The file, relative to the root.
        file: &'static str,
        /// The error from the operating system.
        #[source]
        cause: io::Error,
    },
    /// A line is not a valid rule.
    #[error("{file}:{error}; nothing is shown without these rules, so correct the line")]
    Rule {
        /// The file, relative to the root.
        file: &'static str,
        /// The location and the problem.
        error: OwnRuleError,
    },
}

/// Reads the rules of the repository at `root`. Allowlists in a gitleaks configuration would make
/// values visible, so they apply only if the caller trusts that file.
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
