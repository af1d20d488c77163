use serde::Serialize;
use windlass_base::Digest;
use windlass_notebook::RunbookFile;
use windlass_plan::Catalog;
use windlass_repo::Snapshot;
use windlass_site::{Error, SECRETS_FILE, TrustRecord};

use super::family::TrustReport;
use super::trust_given::SecretsReport;
use super::trust_service::TrustService;

/// Function that returns the runbook made of something else that is trusted, such as a molecule, by its trusted name;
/// `None` for ordinary runbooks.
pub type MadeRunbooks<'a> = dyn Fn(&str) -> Option<Result<RunbookFile, Error>> + 'a;

/// Trusted document, and its current standing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrustState {
    /// Record of trust.
    #[serde(flatten)]
    pub record: TrustRecord,
    /// State of the document compared with the trusted one.
    #[serde(flatten)]
    pub standing: Standing,
}

/// Standing of a trusted document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Standing {
    /// It is unchanged.
    Current,
    /// An earlier version of a document that is also trusted in a later one.
    Earlier,
    /// It changed, and its current version is not trusted.
    Changed {
        /// Permissions that trusting the current version would grant.
        now: Asked,
    },
    /// It does not exist, or cannot be inspected.
    Unusable {
        /// Reason why it cannot be used.
        why: String,
    },
}

/// Permissions that a document requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Asked {
    /// Permissions of a runbook.
    Runbook(TrustReport),
    /// By the list of secret paths.
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
    /// True for the list of secret paths.
    #[must_use]
    pub(crate) fn is_of_secrets(&self) -> bool {
        is_of_secrets(&self.record)
    }
}

impl TrustService {
    /// Returns everything that is trusted, in order, with its current standing; `made` resolves documents that are not
    /// runbooks themselves.
    ///
    /// # Errors
    /// If the list cannot be read.
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

    /// Returns what trusting the current version of `record` would allow.
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
