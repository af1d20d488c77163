//! Which runbooks may start programs, which routes lead to other ledgers, and whether the repository may make secret
//! paths readable: what the user looked at, by digest.

mod family;
mod routes;
mod standing;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::Digest;
use windlass_plan::Catalog;
use windlass_repo::{Foreign, NarrowingLine, Owner, Snapshot};
use windlass_steps::{CommandPermission, ReviewedSteps};
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use crate::nested_check::nested_steps;
use crate::plugins::PluginTrust;
use crate::{Error, RunbookFile, Workspace};

pub use family::{ProgramFile, StartedProgram, TrustReport};
pub use routes::RouteTrust;
pub use standing::{Asked, Standing, TrustState};

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

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct TrustFile {
    schema_version: u32,
    /// Whose it is; nobody else has any use for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    #[serde(default)]
    runbooks: Vec<TrustRecord>,
    /// What plugins were granted, by the digests of their files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) plugins: Vec<PluginTrust>,
    /// Routes to other ledgers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    routes: Vec<RouteTrust>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// What trusting the repository's own list of secret paths allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretsReport {
    /// Its file.
    pub file: &'static str,
    /// The digest of its text.
    pub digest: Digest,
    /// Its lines that make paths readable, with their numbers from 1.
    pub readable: Vec<NarrowingLine>,
}

/// Which runbooks of a run may start programs.
#[derive(Debug, Clone)]
pub(crate) enum Permission {
    /// All of them, for this run.
    All,
    /// Those with these texts: a trusted runbook and those it names, with the files that each starts.
    Texts(BTreeMap<Digest, Arc<ReviewedSteps>>),
    /// None of them, trusted or not.
    Forbidden,
}

impl Permission {
    const NONE: Self = Self::Texts(BTreeMap::new());

    pub(crate) fn covers(&self, runbook: &RunbookFile) -> bool {
        match self {
            Self::All => true,
            Self::Forbidden => false,
            Self::Texts(texts) => texts.contains_key(&runbook.digest),
        }
    }

    /// What the steps of `runbook` may start.
    pub(crate) fn of(&self, runbook: &RunbookFile) -> CommandPermission {
        let texts = match self {
            Self::All => return CommandPermission::Allowed,
            Self::Forbidden => return CommandPermission::Forbidden,
            Self::Texts(texts) => texts,
        };
        match texts.get(&runbook.digest) {
            Some(steps) => CommandPermission::Trusted(Arc::clone(steps)),
            None => CommandPermission::Refused,
        }
    }
}

impl Workspace {
    /// What `runbook` may do: everything if `allow_all`, else what was trusted.
    pub(crate) fn permission(
        &self,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
        allow_all: bool,
    ) -> Result<Permission, Error> {
        if self.starts_nothing() {
            return Ok(Permission::Forbidden);
        }
        if allow_all {
            return Ok(Permission::All);
        }
        let needs_trust = |file: &RunbookFile| {
            file.plan.steps().iter().any(|step| {
                catalog
                    .get(&step.uses)
                    .is_some_and(|kind| kind.effects.runs_processes)
            })
        };
        // Most runbooks start nothing, and reading the list of the trusted ones would be for nothing.
        if !needs_trust(runbook) && nested_steps(&runbook.plan).next().is_none() {
            return Ok(Permission::NONE);
        }
        // What cannot be looked at cannot have been trusted.
        let Ok(family) = self.family(runbook, snapshot, catalog) else {
            return Ok(Permission::NONE);
        };
        if !self.is_trusted(&family.digest)? {
            return Ok(Permission::NONE);
        }
        let members = family.members.into_iter().zip(family.steps);
        let texts = members.map(|((_, member), steps)| (member.digest, Arc::new(steps)));
        Ok(Permission::Texts(texts.collect()))
    }

    /// Trusts `runbook`, those it runs and the files of the repository that they start, as they are now; only with
    /// the digest `reviewed`, if one is named.
    ///
    /// # Errors
    /// When they have another digest, a file they start may not be read, or the list cannot be read or written.
    pub fn trust(
        &self,
        runbook: &RunbookFile,
        catalog: &Catalog,
        reviewed: Option<Digest>,
    ) -> Result<TrustReport, Error> {
        let report = self.trust_report(runbook, catalog)?;
        check_reviewed(&report.file, report.digest, reviewed)?;
        let name = runbook
            .call
            .as_deref()
            .unwrap_or(runbook.plan.id().as_str());
        self.record_trust(name, Some(runbook.file.clone()), report.digest)?;
        Ok(report)
    }

    /// Trusts the repository's own list of secret paths as it is now, so that its `!` lines count; `None` when there
    /// is no list. Only with the digest `reviewed`, if one is named.
    ///
    /// # Errors
    /// When it has another digest, or the list of what is trusted cannot be read or written.
    pub fn trust_secrets(&self, reviewed: Option<Digest>) -> Result<Option<SecretsReport>, Error> {
        let report = self.secrets_report();
        if let Some(report) = &report {
            check_reviewed(SECRETS_FILE, report.digest, reviewed)?;
            self.record_trust(SECRETS_FILE, None, report.digest)?;
        }
        Ok(report)
    }

    /// What trusting the repository's own list of secret paths would allow; `None` when there is no list.
    #[must_use]
    pub fn secrets_report(&self) -> Option<SecretsReport> {
        let secrets = self.repo().secrets();
        Some(SecretsReport {
            file: SECRETS_FILE,
            digest: secrets.digest()?,
            readable: secrets.narrowing_lines().to_vec(),
        })
    }

    /// True if `runbook`, with all that it starts and asks for, is trusted as it is now.
    pub(crate) fn is_runbook_trusted(&self, runbook: &RunbookFile) -> Result<bool, Error> {
        let family = self.family(runbook, &self.snapshot(), &self.step_catalog())?;
        self.is_trusted(&family.digest)
    }

    /// Whether the text with `digest` is trusted.
    pub(crate) fn is_trusted(&self, digest: &Digest) -> Result<bool, Error> {
        match self.read_trust() {
            Ok(file) => Ok(file.runbooks.iter().any(|record| record.digest == *digest)),
            // Nothing of it counts here; who changes or shows the list is told.
            Err(Error::UnprovenTrust { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn record_trust(&self, name: &str, file: Option<String>, digest: Digest) -> Result<(), Error> {
        let record = TrustRecord {
            name: name.to_owned(),
            file,
            digest,
            trusted_at: self.environment().timestamp(),
            other: Map::new(),
        };
        self.edit_trust(|file| {
            file.runbooks.retain(|other| other.digest != record.digest);
            file.runbooks.push(record);
        })
    }

    /// Takes trust back from every version of the runbook called `name`, or of the file `name`; says from
    /// how many.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn revoke_trust(&self, name: &str) -> Result<usize, Error> {
        let mut revoked = 0;
        self.edit_trust(|file| {
            let before = file.runbooks.len();
            file.runbooks
                .retain(|record| record.name != name && record.file.as_deref() != Some(name));
            revoked = before - file.runbooks.len();
        })?;
        Ok(revoked)
    }

    fn trust_path(&self) -> Result<RootedPath, Error> {
        Ok(self
            .dirs()?
            .data
            .join("repos")
            .join(&self.repo().identity().repo_id)
            .join("trust.json"))
    }

    /// What is trusted. What was trusted in another repository, in this place before, says nothing about this one.
    ///
    /// # Errors
    /// When the list cannot be read, or it cannot be said whose it is.
    pub(crate) fn read_trust(&self) -> Result<TrustFile, Error> {
        let Ok(path) = self.trust_path() else {
            return Ok(TrustFile::default());
        };
        let file: TrustFile = read_document(&path, SCHEMA_VERSION, MAX_BYTES)?.unwrap_or_default();
        let owner = file.repo.as_ref();
        match owner.map_or(Ok(()), |owner| self.repo().check_owner(owner)) {
            Ok(()) => Ok(file),
            Err(Foreign::Unproven) => Err(Error::UnprovenTrust {
                path: path.path().to_owned(),
            }),
            Err(Foreign::Elsewhere | Foreign::Replaced) => Ok(TrustFile::default()),
        }
    }

    pub(crate) fn edit_trust(&self, change: impl FnOnce(&mut TrustFile)) -> Result<(), Error> {
        let path = self.trust_path()?;
        let _guard = Lock::acquire(
            &path.with_extension("lock"),
            self.lock_timeout(),
            &self.environment().holder,
        )?;
        let mut file = self.read_trust()?;
        change(&mut file);
        file.schema_version = SCHEMA_VERSION;
        file.repo = Some(self.repo().owner(file.repo.as_ref()));
        let text =
            serde_json::to_vec_pretty(&file).map_err(|error| Error::Internal(error.to_string()))?;
        write_atomic(&path, &text, Durability::Fsync)?;
        Ok(())
    }
}

fn check_reviewed(file: &str, found: Digest, reviewed: Option<Digest>) -> Result<(), Error> {
    match reviewed {
        Some(expected) if expected != found => Err(Error::OtherDigest {
            file: file.to_owned(),
            expected,
            found,
        }),
        _ => Ok(()),
    }
}
