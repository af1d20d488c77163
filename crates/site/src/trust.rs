//! Texts, plugins and routes of this repository trusted by the user. Each is identified by its
//! digest, so any change ends the trust.

mod plugin_trust;
mod route_trust;
mod text_trust;
mod trust_file;
mod trust_record;

use windlass_base::Digest;

use crate::{Error, SiteError};

pub use windlass_repo::GITLEAKS_FILE;

pub use trust_record::{PluginTrust, RouteTrust, TrustRecord};

/// Path of the repository's own list of secret paths, relative to the root.
pub const SECRETS_FILE: &str = ".windlass/secrets";

/// Checks that the digest `found` of `file` equals the `reviewed` one. Without a reviewed digest,
/// there's nothing to check.
///
/// # Errors
/// Returns [`SiteError::OtherDigest`] if the digests differ.
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
