//! The documents that the user trusts, and whether they've changed since.

use serde::Serialize;
use windlass_base::Digest;
use windlass_notebook::RunbookFile;
use windlass_plan::Catalog;
use windlass_repo::Snapshot;
use windlass_site::{Error, SECRETS_FILE, TrustRecord};

use super::family::TrustReport;
use super::trust_given::SecretsReport;
use super::trust_service::TrustService;

/// Makes a runbook from a trusted document of another kind, e.g. a molecule. It's called with the
/// document's name, and returns `None` if that's the name of an ordinary runbook.
pub type MadeRunbooks<'a> = dyn Fn(&str) -> Option<Result<RunbookFile, Error>> + 'a;

/// A trusted document and its current state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrustState {
    /// The trusted version, and the time of the decision.
    #[serde(flatten)]
    pub record: TrustRecord,
    /// Comparison of the current document with that version.
    #[serde(flatten)]
    pub standing: Standing,
}

/// Current state of a trusted document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Standing {
    /// The document is still the trusted version.
    Current,
    /// This record is about an earlier version, but the user also trusts a later one.
    Earlier,
    /// The document has changed, and the user doesn't trust the current version.
    Changed {
        /// What the current version may do if the user trusts it.
        now: Asked,
    },
    /// The document no longer exists, or can't be reviewed.
    Unusable {
        /// Reason why the document can't be reviewed.
        why: String,
    },
}

/// Permissions of a document if the user trusts it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Asked {
    /// The programs that a runbook may start.
    Runbook(TrustReport),
    /// The paths that the list of secret paths makes readable.
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
    #[must_use]
    pub(crate) fn is_of_secrets(&self) -> bool {
        is_of_secrets(&self.record)
    }
}

impl TrustService {
    /// Lists all trusted documents in the order of the trust list, with their current states.
    /// `made` handles documents other than runbooks.
    ///
    /// # Errors
    /// Returns an error if the list can't be read.
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
                // Another record is about the current version, or at least about a later one. That
                // record reports the state, so don't bother the user twice.
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
