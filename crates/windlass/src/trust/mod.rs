//! Which runbooks may start programs, which routes lead to other ledgers, and whether the repository may make secret
//! paths readable: what the user looked at, by digest.

mod family;
mod routes;
mod standing;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use windlass_base::Digest;
use windlass_plan::Catalog;
use windlass_repo::{NarrowingLine, Snapshot};
use windlass_site::{SECRETS_FILE, TrustList, check_reviewed};
use windlass_steps::{CommandPermission, ReviewedSteps};

use crate::nested_check::nested_steps;
use crate::{Error, RunbookFile, Workspace};

pub use family::{ProgramFile, StartedProgram, TrustReport};
pub use standing::{Asked, Standing, TrustState};

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
        if !TrustList::read_proven(self)?.has_text(&family.digest) {
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
        TrustList::record_text(self, name, Some(runbook.file.clone()), report.digest)?;
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
            TrustList::record_text(self, SECRETS_FILE, None, report.digest)?;
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
        Ok(TrustList::read_proven(self)?.has_text(&family.digest))
    }

    /// Takes trust back from every version of the runbook called `name`, or of the file `name`; says from
    /// how many.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn revoke_trust(&self, name: &str) -> Result<usize, Error> {
        TrustList::edit(self, |list| {
            let before = list.runbooks.len();
            list.runbooks
                .retain(|record| record.name != name && record.file.as_deref() != Some(name));
            before - list.runbooks.len()
        })
    }
}
