use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::Digest;

use super::trust_file::TrustFile;
use crate::{Error, Site};

/// Runbook that may start programs, as long as it, its nested runbooks, and the files they start do not change; or the
/// list of secret paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The name it was trusted by.
    pub name: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of its text, of its nested runbooks, and of the files they start.
    pub digest: Digest,
    /// The time, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl TrustRecord {
    /// Returns the trusted texts of `site`, in order.
    ///
    /// # Errors
    /// If the list cannot be read, or its owner cannot be determined.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.runbooks)
    }

    /// True if the text with `digest` is trusted.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn covers(site: &Site, digest: &Digest) -> Result<bool, Error> {
        let records = TrustFile::read_proven(site)?.runbooks;
        Ok(records.iter().any(|record| record.digest == *digest))
    }

    /// Trusts the text with `digest`, known by `name` and in `file`.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn add(site: &Site, name: &str, file: Option<String>, digest: Digest) -> Result<(), Error> {
        let record = Self {
            name: name.to_owned(),
            file,
            digest,
            trusted_at: site.environment().timestamp(),
            other: Map::new(),
        };
        TrustFile::edit(site, |list| {
            list.runbooks.retain(|other| other.digest != record.digest);
            list.runbooks.push(record);
        })
    }

    /// Revokes trust in every text with the name or file `name`; returns their number.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub fn revoke(site: &Site, name: &str) -> Result<usize, Error> {
        TrustFile::edit(site, |list| {
            let before = list.runbooks.len();
            list.runbooks
                .retain(|record| record.name != name && record.file.as_deref() != Some(name));
            before - list.runbooks.len()
        })
    }
}
