use std::path::Path;

use serde_json::Map;
use windlass_base::Digest;

use super::trust_file::TrustFile;
use super::trust_record::RouteTrust;
use crate::{Error, Site};

impl RouteTrust {
    /// Creates a record for the route from `prefix` to `path`. It includes the folder that `path`
    /// leads to at this moment, so that a link cannot be redirected later.
    #[must_use]
    pub fn of(prefix: &str, path: &str, trusted_at: Option<String>) -> Self {
        let real = Path::new(path).canonicalize();
        let leads_to = real.map_or_else(
            |_| path.to_owned(),
            |real| real.to_string_lossy().into_owned(),
        );
        let parts = [prefix, path, &leads_to].map(|part| part.replace('\0', " "));
        Self {
            prefix: prefix.to_owned(),
            path: path.to_owned(),
            digest: Digest::of_bytes(parts.join("\0").as_bytes()),
            leads_to,
            trusted_at,
            other: Map::new(),
        }
    }

    /// Lists the routes that the user trusts in this repository, in the order of the list.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read, or may belong to another repository.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.routes)
    }

    /// True if the user trusts the route with this digest.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read.
    pub fn covers(site: &Site, digest: &Digest) -> Result<bool, Error> {
        let routes = TrustFile::read_proven(site)?.routes;
        Ok(routes.iter().any(|route| route.digest == *digest))
    }

    /// Adds the route to the list. It replaces any other route for the same prefix.
    ///
    /// # Errors
    /// Returns an error if reading or writing the list fails.
    pub fn record(self, site: &Site) -> Result<(), Error> {
        TrustFile::edit(site, |list| {
            list.routes.retain(|other| other.prefix != self.prefix);
            list.routes.push(self);
        })
    }

    /// Revokes trust in the route for `prefix`. Returns the number of records that were removed.
    ///
    /// # Errors
    /// Returns an error if reading or writing the list fails.
    pub fn revoke(site: &Site, prefix: &str) -> Result<usize, Error> {
        TrustFile::edit(site, |list| {
            let before = list.routes.len();
            list.routes.retain(|route| route.prefix != prefix);
            before - list.routes.len()
        })
    }
}
