use serde::Serialize;
use windlass_base::Digest;
use windlass_notebook::RunbookFile;
use windlass_plan::Catalog;
use windlass_repo::Snapshot;
use windlass_site::{Error, SECRETS_FILE, TrustRecord};

use super::family::TrustReport;
use super::trust_given::SecretsReport;
use super::trust_service::TrustService;

/// The runbook that something else is for those who trust it, such as a molecule: of the name it is trusted by; nothing where
/// that is a runbook's own.
pub type MadeRunbooks<'a> = dyn Fn(&str) -> Option<Result<RunbookFile, Error>> + 'a;

/// Something that was trusted, and whether it still is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrustState {
    /// What was trusted.
    #[serde(flatten)]
    pub record: TrustRecord,
    /// What became of it.
    #[serde(flatten)]
    pub standing: Standing,
}

/// What became of something that was trusted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Standing {
    /// It is as it was.
    Current,
    /// An earlier version of what is also trusted by a later one.
    Earlier,
    /// It changed, and is not trusted as it is.
    Changed {
        /// What trusting it anew would allow.
        now: Asked,
    },
    /// It is not there, or nothing can be said of it.
    Unusable {
        /// Why.
        why: String,
    },
}

/// What trust is asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Asked {
    /// By a runbook.
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
    /// Whether it is about the list of secret paths, and not about a runbook.
    #[must_use]
    pub(crate) fn is_of_secrets(&self) -> bool {
        is_of_secrets(&self.record)
    }
}

impl TrustService {
    /// What is trusted, in the order in which it was, and what became of it; what is no runbook of its own is `made` one.
    ///
    /// # Errors
    /// When the list cannot be read.
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

    /// What trusting anew would allow what `record` is of.
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
