//! What the user trusts in this repository: texts, plugins and routes, by digest.

mod plugin_trust;
mod route_trust;
mod text_trust;
mod trust_file;

use windlass_base::Digest;

use crate::{Error, SiteError};

pub use windlass_repo::GITLEAKS_FILE;

pub use plugin_trust::PluginTrust;
pub use route_trust::RouteTrust;
pub use text_trust::TrustRecord;

/// The repository's own list of secret paths, relative to its root.
pub const SECRETS_FILE: &str = ".windlass/secrets";

/// That `file`, of which the digest is `found`, is what was `reviewed`, where that is named.
///
/// # Errors
/// When it has another digest.
pub fn check_reviewed(file: &str, found: Digest, reviewed: Option<Digest>) -> Result<(), Error> {
    match reviewed {
        Some(expected) if expected != found => Err(SiteError::OtherDigest {
            file: file.to_owned(),
            expected,
            found,
        }
        .into()),
        _ => Ok(()),
    }
}
