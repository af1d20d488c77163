//! Trust in routes: what a repository brings leads nowhere until the user has looked at it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::Digest;
use windlass_ledger::{LedgerError, Route, Routes};

use super::check_reviewed;
use crate::{Error, Workspace};

/// A route that beads are read and written by, as long as it leads to the same folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteTrust {
    /// Prefix of the ids of the beads.
    pub prefix: String,
    /// The `.beads` folder, as the route names it.
    pub path: String,
    /// The folder that the path leads to, without links.
    pub leads_to: String,
    /// Digest of prefix, path and folder.
    pub digest: Digest,
    /// When it was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl RouteTrust {
    fn of(route: &Route, trusted_at: Option<String>) -> Self {
        let real = Path::new(&route.path).canonicalize();
        let leads_to = real.map_or_else(
            |_| route.path.clone(),
            |real| real.to_string_lossy().into_owned(),
        );
        let parts = [&route.prefix, &route.path, &leads_to].map(|part| part.replace('\0', " "));
        Self {
            prefix: route.prefix.clone(),
            path: route.path.clone(),
            digest: Digest::of_bytes(parts.join("\0").as_bytes()),
            leads_to,
            trusted_at,
            other: Map::new(),
        }
    }
}

impl Workspace {
    /// Returns what trusting the route of `prefix` would allow.
    ///
    /// # Errors
    /// When there is no such route, or the routes cannot be read.
    pub fn route_trust_report(&self, prefix: &str) -> Result<RouteTrust, Error> {
        let routes = Routes::read(&self.ledger_places())?;
        let prefix = prefix.trim_end_matches('-');
        let route = routes.iter().find(|route| route.prefix == prefix);
        let missing = || LedgerError::Missing {
            what: "route",
            id: prefix.to_owned(),
            near: None,
        };
        let route = route.ok_or_else(missing)?;
        Ok(RouteTrust::of(route, self.environment().timestamp()))
    }

    /// Trusts the route of `prefix` as it is now; only with the digest `reviewed`, if one is named.
    ///
    /// # Errors
    /// When there is no such route, it has another digest, or the list of what is trusted cannot be read or written.
    pub fn trust_route(&self, prefix: &str, reviewed: Option<Digest>) -> Result<RouteTrust, Error> {
        let report = self.route_trust_report(prefix)?;
        check_reviewed(&format!("route:{prefix}"), report.digest, reviewed)?;
        self.record_route(report.clone())?;
        Ok(report)
    }

    /// Trusts `route`, which the user adds.
    pub(crate) fn trust_added_route(&self, route: &Route) -> Result<(), Error> {
        self.record_route(RouteTrust::of(route, self.environment().timestamp()))
    }

    fn record_route(&self, trust: RouteTrust) -> Result<(), Error> {
        self.edit_trust(|file| {
            file.routes.retain(|other| other.prefix != trust.prefix);
            file.routes.push(trust);
        })
    }

    /// Takes trust back from the route of `prefix`; says from how many.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn revoke_route(&self, prefix: &str) -> Result<usize, Error> {
        let prefix = prefix.trim_end_matches('-');
        let mut revoked = 0;
        self.edit_trust(|file| {
            let before = file.routes.len();
            file.routes.retain(|route| route.prefix != prefix);
            revoked = before - file.routes.len();
        })?;
        Ok(revoked)
    }

    /// The routes that are trusted.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn trusted_routes(&self) -> Result<Vec<RouteTrust>, Error> {
        Ok(self.read_trust()?.routes)
    }

    /// True if `route` is trusted, and leads where it led then.
    #[must_use]
    pub fn is_trusted_route(&self, route: &Route) -> bool {
        self.check_route(route).is_ok()
    }

    /// That `route` is trusted, and leads where it led then.
    ///
    /// # Errors
    /// [`Error::UntrustedRoute`]; when the list cannot be read.
    pub(crate) fn check_route(&self, route: &Route) -> Result<(), Error> {
        let now = RouteTrust::of(route, None).digest;
        let trusted = match self.read_trust() {
            Ok(file) => file.routes,
            // Nothing of it counts here; who changes or shows the list is told.
            Err(Error::UnprovenTrust { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        match trusted.iter().any(|trusted| trusted.digest == now) {
            true => Ok(()),
            false => Err(Error::UntrustedRoute {
                prefix: route.prefix.clone(),
                path: route.path.clone(),
            }),
        }
    }
}
