//! Texts, plugins and routes that the user trusts in this repository. We identify them by digests,
//! so any change ends the trust.

mod plugin_trust;
mod route_trust;
mod text_trust;
mod trust_file;
mod trust_record;

use windlass_base::Digest;

use crate::{Error, SiteError};

pub use windlass_repo::GITLEAKS_FILE;

pub use trust_record::{PluginTrust, RouteTrust, TrustRecord};

/// The file in which a repository lists secret paths of its own.
pub const SECRETS_FILE: &str = ".windlass/secrets";

/// Checks that `file` is the version that the user has reviewed. `found` is the present digest.
/// Without a review, any version will do.
///
/// # Errors
/// Returns [`SiteError::OtherDigest`] if it's another version.
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
