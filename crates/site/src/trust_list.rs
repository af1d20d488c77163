//! What the user trusts in this repository: texts, plugins and routes, by digest.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Digest, PluginDigest};
use windlass_repo::{Foreign, Owner};
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use crate::{Error, Site, SiteError};

const SCHEMA_VERSION: u32 = 1;
const MAX_BYTES: u64 = 8 << 20;
/// The repository's own list of secret paths, relative to its root.
pub const SECRETS_FILE: &str = ".windlass/secrets";

/// A runbook that may start programs, as long as neither it, nor those it runs, nor the files they start change; or
/// the list of secret paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The name it was trusted by.
    pub name: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The digest of its text, of those it runs, and of the files they start.
    pub digest: Digest,
    /// When, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// A plugin that was granted what it asked for, as long as its file does not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginTrust {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The digest of its file.
    pub digest: PluginDigest,
    /// What it was granted; words of later versions stay.
    pub grants: Vec<String>,
    /// When, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

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
    /// What trusting the route of `prefix` to `path` means now.
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
}

/// The file of what is trusted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TrustList {
    schema_version: u32,
    /// Whose it is; nobody else has any use for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// Runbooks, and the list of secret paths.
    #[serde(default)]
    pub runbooks: Vec<TrustRecord>,
    /// What plugins were granted, by the digests of their files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginTrust>,
    /// Routes to other ledgers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<RouteTrust>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl TrustList {
    /// What is trusted in `site`. What was trusted in another repository, in this place before, says nothing about this one.
    ///
    /// # Errors
    /// When the list cannot be read, or it cannot be said whose it is.
    pub fn read(site: &Site) -> Result<Self, Error> {
        let Ok(path) = Self::path(site) else {
            return Ok(Self::default());
        };
        let list: Self = read_document(&path, SCHEMA_VERSION, MAX_BYTES)?.unwrap_or_default();
        let owner = list.repo.as_ref();
        match owner.map_or(Ok(()), |owner| site.repo().check_owner(owner)) {
            Ok(()) => Ok(list),
            Err(Foreign::Unproven) => Err(SiteError::UnprovenTrust {
                path: path.path().to_owned(),
            }
            .into()),
            Err(Foreign::Elsewhere | Foreign::Replaced) => Ok(Self::default()),
        }
    }

    /// The same; nothing where it cannot be said whose the list is: nothing of it counts then, and who changes or shows it is
    /// told.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn read_proven(site: &Site) -> Result<Self, Error> {
        Self::read(site).or_else(|error| match error.get() {
            Some(SiteError::UnprovenTrust { .. }) => Ok(Self::default()),
            _ => Err(error),
        })
    }

    /// Changes what is trusted in `site`, under its lock.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn edit<T>(site: &Site, change: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        let path = Self::path(site)?;
        let _guard = Lock::acquire(
            &path.with_extension("lock"),
            site.lock_timeout(),
            &site.environment().holder,
        )?;
        let mut list = Self::read(site)?;
        let changed = change(&mut list);
        list.schema_version = SCHEMA_VERSION;
        list.repo = Some(site.repo().owner(list.repo.as_ref()));
        let text = serde_json::to_vec_pretty(&list).map_err(Error::internal)?;
        write_atomic(&path, &text, Durability::Fsync)?;
        Ok(changed)
    }

    /// Whether the text with `digest` is trusted.
    #[must_use]
    pub fn has_text(&self, digest: &Digest) -> bool {
        self.runbooks.iter().any(|record| record.digest == *digest)
    }

    /// Trusts the text with `digest`, known by `name` and in `file`.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn record_text(
        site: &Site,
        name: &str,
        file: Option<String>,
        digest: Digest,
    ) -> Result<(), Error> {
        let record = TrustRecord {
            name: name.to_owned(),
            file,
            digest,
            trusted_at: site.environment().timestamp(),
            other: Map::new(),
        };
        Self::edit(site, |list| {
            list.runbooks.retain(|other| other.digest != record.digest);
            list.runbooks.push(record);
        })
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

/// That `file`, of which the digest is `found`, is what was `reviewed`, where that is named.
///
/// # Errors
/// When it has another digest.
pub fn check_reviewed(file: &str, found: Digest, reviewed: Option<Digest>) -> Result<(), Error> {
    match reviewed {
        Some(expected) if expected != found => Err(SiteError::OtherDigest {
            file: file.to_owned(),
            expected,
            found,
        }
        .into()),
        _ => Ok(()),
    }
}
