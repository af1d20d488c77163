//! Routes to other ledgers and trust in them: a route that comes with a repository is not followed until the user
//! trusts it.

use std::path::{Path, PathBuf};

use windlass_base::Digest;
use windlass_site::{Error, RouteTrust, Site, check_reviewed};

use crate::{LedgerError, Places, Route, Routes};

/// Routes of a repository to other ledgers.
#[derive(Debug, Clone)]
pub struct LedgerRoutes {
    site: Site,
    places: Places,
}

impl LedgerRoutes {
    pub(super) fn new(site: &Site, places: Places) -> Self {
        Self {
            site: site.clone(),
            places,
        }
    }

    /// Reads the routes, in file order.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn read(&self) -> Result<Routes, Error> {
        Ok(Routes::read(&self.places)?)
    }

    /// Adds and trusts a route to the ledger of `to`, the folder of a repository or its `.beads`. Returns the route
    /// and the one it replaces.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist or the route cannot be written.
    pub fn add(
        &self,
        prefix: &str,
        to: &Path,
        rig: Option<&str>,
    ) -> Result<(Route, Option<Route>), Error> {
        let missing = |_| LedgerError::missing("folder", &to.to_string_lossy(), []);
        let folder: PathBuf = to.canonicalize().map_err(missing)?;
        let is_beads = folder.file_name().is_some_and(|name| name == ".beads");
        let path = if is_beads {
            folder
        } else {
            folder.join(".beads")
        };
        let route = Route {
            prefix: prefix.trim_end_matches('-').to_owned(),
            path: path.to_string_lossy().into_owned(),
            rig: rig.map(str::to_owned),
        };
        self.places.check_own()?;
        let old = Routes::add(&self.places, route.clone(), self.site.lock_timeout())?;
        // Adding a route counts as a review.
        self.trust_in(&route).record(&self.site)?;
        Ok((route, old))
    }

    /// Removes the route of `prefix` and the trust in it. Returns the route, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the routes or the trust list cannot be read or written.
    pub fn remove(&self, prefix: &str) -> Result<Option<Route>, Error> {
        let prefix = prefix.trim_end_matches('-');
        self.places.check_own()?;
        let removed = Routes::remove(&self.places, prefix, self.site.lock_timeout())?;
        self.revoke(prefix)?;
        Ok(removed)
    }

    /// Returns what trusting the route of `prefix` would allow.
    ///
    /// # Errors
    /// Returns an error if there is no such route, or the routes cannot be read.
    pub fn trust_report(&self, prefix: &str) -> Result<RouteTrust, Error> {
        let routes = Routes::read(&self.places)?;
        let prefix = prefix.trim_end_matches('-');
        let route = routes.iter().find(|route| route.prefix == prefix);
        let missing = || LedgerError::missing("route", prefix, []);
        let route = route.ok_or_else(missing)?;
        Ok(self.trust_in(route))
    }

    /// Trusts the route of `prefix` in its present form; with `reviewed`, only if its digest matches.
    ///
    /// # Errors
    /// Returns an error if the route does not exist, its digest differs, or the trust list cannot be read or
    /// written.
    pub fn trust(&self, prefix: &str, reviewed: Option<Digest>) -> Result<RouteTrust, Error> {
        let report = self.trust_report(prefix)?;
        check_reviewed(&format!("route:{prefix}"), report.digest, reviewed)?;
        report.clone().record(&self.site)?;
        Ok(report)
    }

    fn trust_in(&self, route: &Route) -> RouteTrust {
        let now = self.site.environment().timestamp();
        RouteTrust::of(&route.prefix, &route.path, now)
    }

    /// Revokes trust in the route of `prefix`. Returns the number of entries removed.
    ///
    /// # Errors
    /// Returns an error if the trust list cannot be read or written.
    pub fn revoke(&self, prefix: &str) -> Result<usize, Error> {
        RouteTrust::revoke(&self.site, prefix.trim_end_matches('-'))
    }

    /// Returns the trusted routes.
    ///
    /// # Errors
    /// Returns an error if the trust list cannot be read.
    pub fn trusted(&self) -> Result<Vec<RouteTrust>, Error> {
        RouteTrust::all(&self.site)
    }

    /// True if `route` is trusted and its target has not changed since.
    #[must_use]
    pub fn is_trusted(&self, route: &Route) -> bool {
        self.check(route).is_ok()
    }

    /// Checks that `route` is trusted and its target has not changed since.
    ///
    /// # Errors
    /// Returns [`LedgerError::UntrustedRoute`] if it is not, or an I/O error if the trust list cannot be read.
    pub(super) fn check(&self, route: &Route) -> Result<(), Error> {
        let now = RouteTrust::of(&route.prefix, &route.path, None).digest;
        match RouteTrust::covers(&self.site, &now)? {
            true => Ok(()),
            false => Err(LedgerError::UntrustedRoute {
                prefix: route.prefix.clone(),
                path: route.path.clone(),
            }
            .into()),
        }
    }
}
