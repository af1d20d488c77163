use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_repo::{Foreign, Owner};
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use super::trust_record::{PluginTrust, RouteTrust, TrustRecord};
use crate::{Error, Site, SiteError};

/// Raise this if an older version would misinterpret the list. It'll then refuse to read the list.
const SCHEMA_VERSION: u32 = 1;
const MAX_BYTES: u64 = 8 << 20;

/// The trust list of one repository, in the form that we store.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TrustFile {
    schema_version: u32,
    /// The repository that the list was written for. It has no effect in any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// Despite its name, this has lists of secret paths and other texts as well.
    #[serde(default)]
    pub(super) runbooks: Vec<TrustRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) plugins: Vec<PluginTrust>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) routes: Vec<RouteTrust>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl TrustFile {
    /// Reads the trust list of `site`. If it was written for another repository at this location,
    /// it has no effect, so we return an empty one.
    ///
    /// # Errors
    /// Returns an error if we can't read the list, or if we can't tell which repository it's for.
    pub(super) fn read(site: &Site) -> Result<Self, Error> {
        let Ok(path) = Self::path(site) else {
            return Ok(Self::default());
        };
        let list: Self = read_document(&path, SCHEMA_VERSION, MAX_BYTES)?.unwrap_or_default();
        let owner = list.repo.as_ref();
        match owner.map_or(Ok(()), |owner| owner.check(site.repo())) {
            Ok(()) => Ok(list),
            Err(Foreign::Unproven) => Err(SiteError::UnprovenTrust {
                path: path.path().to_owned(),
            }
            .into()),
            Err(Foreign::Elsewhere | Foreign::Replaced) => Ok(Self::default()),
        }
    }

    /// Like [`read`](Self::read), but if we can't tell which repository the list is for, returns an
    /// empty one. That's the safe choice for look-ups. Commands that show or change the list report
    /// the reason.
    ///
    /// # Errors
    /// Returns an error if the list can't be read.
    pub(super) fn read_proven(site: &Site) -> Result<Self, Error> {
        Self::read(site).or_else(|error| match error.get() {
            Some(SiteError::UnprovenTrust { .. }) => Ok(Self::default()),
            _ => Err(error),
        })
    }

    /// Changes the trust list of `site`. We hold the lock from reading to writing it.
    ///
    /// # Errors
    /// Returns an error if the list can't be read or written.
    pub(super) fn edit<T>(site: &Site, change: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        let path = Self::path(site)?;
        let _guard = Lock::acquire(&path.with_extension("lock"), &site.lock_request())?;
        let mut list = Self::read(site)?;
        let changed = change(&mut list);
        list.schema_version = SCHEMA_VERSION;
        list.repo = Some(Owner::of(site.repo(), list.repo.as_ref()));
        let text = serde_json::to_vec_pretty(&list).map_err(Error::internal)?;
        write_atomic(&path, &text, Durability::Fsync)?;
        Ok(changed)
    }

    fn path(site: &Site) -> Result<RootedPath, Error> {
        Ok(site
            .dirs()?
            .data
            .join("repos")
            .join(&site.repo().identity().repo_id)
            .join("trust.json"))
    }
}
