//! Trust in routes: what a repository brings leads nowhere until the user has looked at it.

use windlass_base::Digest;
use windlass_ledger::{LedgerError, Route, Routes};
use windlass_site::{RouteTrust, TrustList, check_reviewed};

use crate::{Error, Workspace};

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
        Ok(RouteTrust::of(
            &route.prefix,
            &route.path,
            self.environment().timestamp(),
        ))
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
        self.record_route(RouteTrust::of(
            &route.prefix,
            &route.path,
            self.environment().timestamp(),
        ))
    }

    fn record_route(&self, trust: RouteTrust) -> Result<(), Error> {
        TrustList::edit(self, |list| {
            list.routes.retain(|other| other.prefix != trust.prefix);
            list.routes.push(trust);
        })
    }

    /// Takes trust back from the route of `prefix`; says from how many.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn revoke_route(&self, prefix: &str) -> Result<usize, Error> {
        let prefix = prefix.trim_end_matches('-');
        TrustList::edit(self, |list| {
            let before = list.routes.len();
            list.routes.retain(|route| route.prefix != prefix);
            before - list.routes.len()
        })
    }

    /// The routes that are trusted.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn trusted_routes(&self) -> Result<Vec<RouteTrust>, Error> {
        Ok(TrustList::read(self)?.routes)
    }

    /// True if `route` is trusted, and leads where it led then.
    #[must_use]
    pub fn is_trusted_route(&self, route: &Route) -> bool {
        self.check_route(route).is_ok()
    }

    /// That `route` is trusted, and leads where it led then.
    ///
    /// # Errors
    /// [`LedgerError::UntrustedRoute`]; when the list cannot be read.
    pub(crate) fn check_route(&self, route: &Route) -> Result<(), Error> {
        let now = RouteTrust::of(&route.prefix, &route.path, None).digest;
        let trusted = TrustList::read_proven(self)?.routes;
        match trusted.iter().any(|trusted| trusted.digest == now) {
            true => Ok(()),
            false => Err(LedgerError::UntrustedRoute {
                prefix: route.prefix.clone(),
                path: route.path.clone(),
            }
            .into()),
        }
    }
}
