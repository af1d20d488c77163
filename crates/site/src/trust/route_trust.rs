use std::path::Path;

use serde_json::Map;
use windlass_base::Digest;

use super::trust_file::TrustFile;
use super::trust_record::RouteTrust;
use crate::{Error, Site};

impl RouteTrust {
    /// Returns a trust record for the route from `prefix` to `path`, with the folder `path`
    /// currently refers to.
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

    /// Returns the trusted routes of `site`, in order.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or cannot be shown to belong to this repository.
    pub fn all(site: &Site) -> Result<Vec<Self>, Error> {
        Ok(TrustFile::read(site)?.routes)
    }

    /// Returns true if the route with `digest` is trusted.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read.
    pub fn covers(site: &Site, digest: &Digest) -> Result<bool, Error> {
        let routes = TrustFile::read_proven(site)?.routes;
        Ok(routes.iter().any(|route| route.digest == *digest))
    }

    /// Trusts the route, replacing the record of any other route for the same prefix.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn record(self, site: &Site) -> Result<(), Error> {
        TrustFile::edit(site, |list| {
            list.routes.retain(|other| other.prefix != self.prefix);
            list.routes.push(self);
        })
    }

    /// Revokes trust in the route of `prefix`. Returns the number of removed records.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn revoke(site: &Site, prefix: &str) -> Result<usize, Error> {
        TrustFile::edit(site, |list| {
            let before = list.routes.len();
            list.routes.retain(|route| route.prefix != prefix);
            before - list.routes.len()
        })
    }
}
