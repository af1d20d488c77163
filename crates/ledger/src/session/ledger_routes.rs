//! Routes to other ledgers, and the user's trust in them.
//!
//! A route may come with a cloned repository and point to any folder of the user. That's why we
//! don't follow a route until the user trusts it. Trust covers a digest of the prefix and the path,
//! so a route that's changed afterwards has to be trusted again.

use std::path::{Path, PathBuf};

use windlass_base::Digest;
use windlass_site::{Error, RouteTrust, Site, check_reviewed};

use crate::{LedgerError, Places, Route, Routes};

/// A repository's routes to other ledgers.
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
    /// Returns an error if the file can't be read.
    pub fn read(&self) -> Result<Routes, Error> {
        Ok(Routes::read(&self.places)?)
    }

    /// Adds a trusted route to the ledger at `to`, a repository folder or its `.beads`. Returns the
    /// new route and the one it replaces.
    ///
    /// # Errors
    /// Returns an error if the folder doesn't exist or the route can't be written.
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
            // Users may type a prefix with its dash, since that's how it looks in an id.
            prefix: prefix.trim_end_matches('-').to_owned(),
            path: path.to_string_lossy().into_owned(),
            rig: rig.map(str::to_owned),
        };
        self.places.check_own()?;
        let old = Routes::add(&self.places, route.clone(), &self.site.lock_request())?;
        // The user typed this route, so it counts as reviewed.
        self.trust_in(&route).record(&self.site)?;
        Ok((route, old))
    }

    /// Removes the route for `prefix` and the trust in it. Returns the removed route, if there was
    /// one.
    ///
    /// # Errors
    /// Returns an error if the routes or the trust list can't be read or written.
    pub fn remove(&self, prefix: &str) -> Result<Option<Route>, Error> {
        let prefix = prefix.trim_end_matches('-');
        self.places.check_own()?;
        let removed = Routes::remove(&self.places, prefix, &self.site.lock_request())?;
        self.revoke(prefix)?;
        Ok(removed)
    }

    /// Describes what trusting the route for `prefix` would allow.
    ///
    /// # Errors
    /// Returns an error if there is no such route, or the routes can't be read.
    pub fn trust_report(&self, prefix: &str) -> Result<RouteTrust, Error> {
        let routes = Routes::read(&self.places)?;
        let prefix = prefix.trim_end_matches('-');
        let route = routes.iter().find(|route| route.prefix == prefix);
        let missing = || LedgerError::missing("route", prefix, []);
        let route = route.ok_or_else(missing)?;
        Ok(self.trust_in(route))
    }

    /// Trusts the route for `prefix` in its current form.
    ///
    /// With `reviewed`, this fails unless the route still has that digest, so that the user can't
    /// trust anything but what they have seen.
    ///
    /// # Errors
    /// Returns an error if the route doesn't exist, its digest differs, or the trust list can't be
    /// read or written.
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

    /// Revokes trust in the route for `prefix`. Returns the number of removed entries.
    ///
    /// # Errors
    /// Returns an error if the trust list can't be read or written.
    pub fn revoke(&self, prefix: &str) -> Result<usize, Error> {
        RouteTrust::revoke(&self.site, prefix.trim_end_matches('-'))
    }

    /// Returns the trusted routes.
    ///
    /// # Errors
    /// Returns an error if the trust list can't be read.
    pub fn trusted(&self) -> Result<Vec<RouteTrust>, Error> {
        RouteTrust::all(&self.site)
    }

    /// Returns true if `route` is trusted and has not changed since. If we can't read the trust
    /// list, it isn't trusted.
    #[must_use]
    pub fn is_trusted(&self, route: &Route) -> bool {
        self.check(route).is_ok()
    }

    /// Checks that `route` is trusted and that its target has not changed since.
    ///
    /// # Errors
    /// Returns [`LedgerError::UntrustedRoute`] if the check fails, or an I/O error if the trust
    /// list can't be read.
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
