use serde_json::Map;
use windlass_base::Digest;

use super::trust_file::TrustFile;
use super::trust_record::TrustRecord;
use crate::{Error, Site};

impl TrustRecord {
    /// Lists the texts that the user trusts in this repository, in the order of the list.
    ///
    /// # Errors
    /// Returns an error if the list can't be read, or may belong to another repository.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.runbooks)
    }

    /// True if the user trusts the text with this digest.
    ///
    /// # Errors
    /// Returns an error if the list can't be read.
    pub fn covers(site: &Site, digest: &Digest) -> Result<bool, Error> {
        let records = TrustFile::read_proven(site)?.runbooks;
        Ok(records.iter().any(|record| record.digest == *digest))
    }

    /// Adds a text to the list. Only the digest matters; `name` and `file` are there so that the
    /// user recognizes the text.
    ///
    /// # Errors
    /// Returns an error if reading or writing the list fails.
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

    /// Revokes trust in all texts with this name or file. Returns the number of records that were
    /// removed.
    ///
    /// # Errors
    /// Returns an error if reading or writing the list fails.
    pub fn revoke(site: &Site, name: &str) -> Result<usize, Error> {
        TrustFile::edit(site, |list| {
            let before = list.runbooks.len();
            list.runbooks
                .retain(|record| record.name != name && record.file.as_deref() != Some(name));
            before - list.runbooks.len()
        })
    }
}
