use serde::Serialize;
use windlass_base::Digest;
use windlass_notebook::RunbookFile;
use windlass_plan::Catalog;
use windlass_repo::Snapshot;
use windlass_site::{Error, SECRETS_FILE, TrustRecord};

use super::family::TrustReport;
use super::trust_given::SecretsReport;
use super::trust_service::TrustService;

/// A function that makes a runbook of another kind of trusted document, such as a molecule. It
/// receives the document's name and returns `None` for ordinary runbooks.
pub type MadeRunbooks<'a> = dyn Fn(&str) -> Option<Result<RunbookFile, Error>> + 'a;

/// A trusted document and its current state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrustState {
    /// The record of trust.
    #[serde(flatten)]
    pub record: TrustRecord,
    /// The document's state compared with the trusted version.
    #[serde(flatten)]
    pub standing: Standing,
}

/// A document's state compared with the trusted version.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Standing {
    /// The document is unchanged.
    Current,
    /// The record is about an earlier version, but a later version is trusted as well.
    Earlier,
    /// The document has changed, and its current version isn't trusted.
    Changed {
        /// Permissions granted by trusting the current version.
        now: Asked,
    },
    /// The document doesn't exist or can't be reviewed.
    Unusable {
        /// The reason why the document can't be reviewed.
        why: String,
    },
}

/// Permissions requested by a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Asked {
    /// A runbook's permissions.
    Runbook(TrustReport),
    /// Permissions of the list of secret paths.
    Secrets(SecretsReport),
}

impl Asked {
    fn digest(&self) -> Digest {
        match self {
            Self::Runbook(report) => report.digest,
            Self::Secrets(report) => report.digest,
        }
    }
}

impl TrustState {
    /// Returns true if the record is about the list of secret paths.
    #[must_use]
    pub(crate) fn is_of_secrets(&self) -> bool {
        is_of_secrets(&self.record)
    }
}

impl TrustService {
    /// Returns all trusted documents in order, with their current states. `made` resolves documents
    /// that aren't runbooks themselves.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read.
    pub fn trusted(
        &self,
        catalog: &Catalog,
        made: &MadeRunbooks<'_>,
    ) -> Result<Vec<TrustState>, Error> {
        let records = TrustRecord::all(&self.site)?;
        let snapshot = self.site.snapshot();
        let same = |a: &TrustRecord, b: &TrustRecord| a.name == b.name && a.file == b.file;
        let states = records.iter().enumerate().map(|(at, record)| {
            let later = records[at + 1..].iter().any(|other| same(record, other));
            let trusted = |digest| {
                let mut others = records.iter().filter(|other| same(record, other));
                others.any(|other| other.digest == digest)
            };
            let standing = match self.asked(record, &snapshot, catalog, made) {
                Ok(now) if now.digest() == record.digest => Standing::Current,
                Ok(now) if trusted(now.digest()) => Standing::Earlier,
                _ if later => Standing::Earlier,
                Ok(now) => Standing::Changed { now },
                Err(error) => Standing::Unusable {
                    why: error.to_string(),
                },
            };
            TrustState {
                record: record.clone(),
                standing,
            }
        });
        Ok(states.collect())
    }

    /// Returns the permissions requested by the current version of the record's document.
    fn asked(
        &self,
        record: &TrustRecord,
        snapshot: &Snapshot,
        catalog: &Catalog,
        made: &MadeRunbooks<'_>,
    ) -> Result<Asked, Error> {
        if is_of_secrets(record) {
            return self
                .secrets_report()
                .map(Asked::Secrets)
                .ok_or_else(|| Error::missing(SECRETS_FILE));
        }
        let name = record.file.as_deref().unwrap_or(&record.name);
        let runbook = match made(name) {
            Some(made) => made?,
            None => {
                let root = self.site.repo().root();
                self.shelf.find(name, root, snapshot, catalog)?
            }
        };
        Ok(Asked::Runbook(self.trust_report(&runbook, catalog)?))
    }
}

fn is_of_secrets(record: &TrustRecord) -> bool {
    record.file.is_none() && record.name == SECRETS_FILE
}
