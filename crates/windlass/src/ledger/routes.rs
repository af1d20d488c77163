//! Routes to other ledgers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass_ledger::{Elsewhere, LedgerError, Route, Routes};

use super::LedgerDesk;
use crate::{Environment, Error, Workspace};

impl Workspace {
    /// The routes of this repository, in the order in which they are written.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn routes(&self) -> Result<Routes, Error> {
        Ok(Routes::read(&self.ledger_places())?)
    }

    /// Adds a route to the ledger of the folder `to`, which is that of a repository or its `.beads`; the one it
    /// replaces.
    ///
    /// # Errors
    /// When the folder is not there, or the route cannot be written.
    pub fn add_route(
        &self,
        prefix: &str,
        to: &Path,
        rig: Option<&str>,
    ) -> Result<(Route, Option<Route>), Error> {
        let missing = |_| LedgerError::Missing {
            what: "folder",
            id: to.display().to_string(),
            near: None,
        };
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
        self.ledger_places().check_own()?;
        let old = Routes::add(&self.ledger_places(), route.clone(), self.lock_timeout())?;
        // Who adds it has looked at it.
        self.trust_added_route(&route)?;
        Ok((route, old))
    }

    /// The ledger that `route` leads to.
    ///
    /// # Errors
    /// When the route is not trusted, or the ledger cannot be opened.
    pub(super) fn ledger_behind(
        &self,
        route: &Route,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<LedgerDesk, Error> {
        self.check_route(route)?;
        let folder = Path::new(&route.path);
        let root = folder.parent().unwrap_or(folder);
        Self::open(root, Environment::clone(self.environment()))?.ledger(actor, job)
    }
}

impl LedgerDesk {
    /// How those beads stand in other ledgers that some here depend on, as far as routes lead to them.
    pub(super) fn elsewhere(&self) -> Result<Elsewhere, Error> {
        let mut known = Elsewhere::default();
        let routes = Routes::read(self.ledger.places())?;
        if routes.iter().next().is_none() {
            return Ok(known);
        }
        let own = self.ledger.places().beads();
        let mut behind: BTreeMap<&str, (&Route, Vec<String>)> = BTreeMap::new();
        for id in self.ledger.state().missing() {
            let Some(route) = routes.resolve(&id) else {
                continue;
            };
            if Path::new(&route.path) != own.path() {
                let ids = behind.entry(&route.path).or_insert((route, Vec::new()));
                ids.1.push(id);
            }
        }
        for (route, ids) in behind.into_values() {
            // A ledger that cannot be read tells nothing of its beads: they are missing.
            let there = match self.workspace.ledger_behind(route, None, self.job) {
                Ok(there) => there,
                Err(error) => {
                    self.workspace.note_trouble(error.to_string());
                    continue;
                }
            };
            for id in ids {
                known.note(&id, there.ledger.state());
            }
        }
        Ok(known)
    }
}
