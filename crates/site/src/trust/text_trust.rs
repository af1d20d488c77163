use serde_json::Map;
use windlass_base::Digest;

use super::trust_file::TrustFile;
use super::trust_record::TrustRecord;
use crate::{Error, Site};

impl TrustRecord {
    /// Returns the trusted texts of `site`, in order.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or cannot be shown to belong to this repository.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.runbooks)
    }

    /// Returns true if the text with `digest` is trusted.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read.
    pub fn covers(site: &Site, digest: &Digest) -> Result<bool, Error> {
        let records = TrustFile::read_proven(site)?.runbooks;
        Ok(records.iter().any(|record| record.digest == *digest))
    }

    /// Trusts the text with `digest`. `name` and `file` identify it to users.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
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

    /// Revokes trust in every text with the name or file `name`. Returns the number of removed
    /// records.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn revoke(site: &Site, name: &str) -> Result<usize, Error> {
        TrustFile::edit(site, |list| {
            let before = list.runbooks.len();
            list.runbooks
                .retain(|record| record.name != name && record.file.as_deref() != Some(name));
            before - list.runbooks.len()
        })
    }
}
