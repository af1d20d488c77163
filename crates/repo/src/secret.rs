//! Decides which files are secret, by name, path or contents, or by the repository's own list.

mod built_in_secrets;
mod own_rules;
mod secret_contents;
mod secret_pattern;
mod secret_policy;

pub(crate) use own_rules::load_redactions;
pub use own_rules::{GITLEAKS_FILE, OwnRulesError};
pub(crate) use secret_contents::secret_contents;
pub use secret_policy::{NarrowingLine, SecretPolicy, SecretPolicyError};
