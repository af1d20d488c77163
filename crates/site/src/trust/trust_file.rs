use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_repo::{Foreign, Owner};
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use super::trust_record::{PluginTrust, RouteTrust, TrustRecord};
use crate::{Error, Site, SiteError};

const SCHEMA_VERSION: u32 = 1;
const MAX_BYTES: u64 = 8 << 20;

/// The file with a repository's trust list.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TrustFile {
    schema_version: u32,
    /// The repository the list belongs to. In any other repository, the list has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// Trusted runbooks, and the trusted list of secret paths.
    #[serde(default)]
    pub(super) runbooks: Vec<TrustRecord>,
    /// Trusted plugins and their permissions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) plugins: Vec<PluginTrust>,
    /// Trusted routes to the ledgers of other repositories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) routes: Vec<RouteTrust>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl TrustFile {
    /// Reads the trust list of `site`. If the list belongs to another repository that used to be at
    /// this location, it doesn't apply and the result is empty.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or cannot be shown to belong to this repository.
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

    /// Reads the trust list like [`TrustFile::read`], but returns an empty one if it can't be shown
    /// to belong to this repository. In that case no entry applies, and commands that show or
    /// change the list report why.
    ///
    /// # Errors
    ///
    /// Returns an error if the list cannot be read.
    pub(super) fn read_proven(site: &Site) -> Result<Self, Error> {
        Self::read(site).or_else(|error| match error.get() {
            Some(SiteError::UnprovenTrust { .. }) => Ok(Self::default()),
            _ => Err(error),
        })
    }

    /// Changes the trust list of `site` while holding its lock.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub(super) fn edit<T>(site: &Site, change: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        let path = Self::path(site)?;
        let _guard = Lock::acquire(
            &path.with_extension("lock"),
            site.lock_timeout(),
            &site.environment().holder,
        )?;
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
