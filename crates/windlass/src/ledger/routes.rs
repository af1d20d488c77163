//! Routes to other ledgers.

use std::path::{Path, PathBuf};

use windlass_ledger::{LedgerError, Route, Routes};

use crate::{Error, Workspace};

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
        if let Some(sign) = self.ledger_places().foreign_sign()? {
            let folder = ".beads".to_owned();
            return Err(LedgerError::Foreign { folder, sign }.into());
        }
        let old = Routes::add(&self.ledger_places(), route.clone(), self.lock_timeout())?;
        Ok((route, old))
    }
}
