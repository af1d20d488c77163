use serde::Serialize;
use windlass_base::Digest;
use windlass_notebook::{RunbookFile, nested_steps};
use windlass_plan::Catalog;
use windlass_repo::{NarrowingLine, Snapshot};
use windlass_site::{Error, GITLEAKS_FILE, SECRETS_FILE, TrustRecord, check_reviewed};

use std::sync::Arc;

use super::family::TrustReport;
use super::permission::Permission;
use super::trust_service::TrustService;
use crate::run_catalog::step_catalog;

/// The effects of trusting the repository's own list of secret paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretsReport {
    /// The list's path.
    pub file: &'static str,
    /// The list's digest.
    pub digest: Digest,
    /// Lines that make paths readable, with their line numbers.
    pub readable: Vec<NarrowingLine>,
}

impl TrustService {
    /// Returns the permissions of `runbook`: everything if `allow_all` is true, and otherwise as
    /// trusted by the user.
    pub(crate) fn permission(
        &self,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
        allow_all: bool,
    ) -> Result<Permission, Error> {
        if self.site.starts_nothing() {
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
        // Most runbooks start no programs, so we don't even have to read the trust list.
        if !needs_trust(runbook) && nested_steps(&runbook.plan).next().is_none() {
            return Ok(Permission::NONE);
        }
        // Nobody can have trusted a runbook that can't be reviewed.
        let Ok(family) = self.family(runbook, snapshot, catalog) else {
            return Ok(Permission::NONE);
        };
        if !TrustRecord::covers(&self.site, &family.digest)? {
            return Ok(Permission::NONE);
        }
        let members = family.members.into_iter().zip(family.steps);
        let texts = members.map(|((_, member), steps)| (member.digest, Arc::new(steps)));
        Ok(Permission::Texts(texts.collect()))
    }

    /// Trusts the current version of `runbook`, its nested runbooks, and every file of the
    /// repository they start. If `reviewed` is given, their digest must equal it.
    ///
    /// # Errors
    /// Returns an error if the digest differs, if a started file may not be read, or if the trust
    /// list cannot be read or written.
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
        TrustRecord::add(&self.site, name, Some(runbook.file.clone()), report.digest)?;
        Ok(report)
    }

    /// Trusts the current version of the repository's own list of secret paths, so that its `!`
    /// lines apply. Returns `None` if there is no list. If `reviewed` is given, the list's digest
    /// must equal it.
    ///
    /// # Errors
    /// Returns an error if the digest differs, or if the trust list cannot be read or written.
    pub fn trust_secrets(&self, reviewed: Option<Digest>) -> Result<Option<SecretsReport>, Error> {
        let report = self.secrets_report();
        if let Some(report) = &report {
            check_reviewed(SECRETS_FILE, report.digest, reviewed)?;
            TrustRecord::add(&self.site, SECRETS_FILE, None, report.digest)?;
        }
        Ok(report)
    }

    /// Reports which paths become readable if the user trusts the repository's own list of secret
    /// paths. Returns `None` if there is no list.
    #[must_use]
    pub fn secrets_report(&self) -> Option<SecretsReport> {
        let secrets = self.site.repo().secrets();
        Some(SecretsReport {
            file: SECRETS_FILE,
            digest: secrets.digest()?,
            readable: secrets.narrowing_lines().to_vec(),
        })
    }

    /// Trusts the allowlists in the repository's gitleaks configuration. Returns their digest, or
    /// `None` if there are no allowlists. If `reviewed` is given, the digest must equal it.
    ///
    /// # Errors
    /// Returns an error if the digest differs, or if the trust list cannot be read or written.
    pub fn trust_allowlists(&self, reviewed: Option<Digest>) -> Result<Option<Digest>, Error> {
        let digest = self.site.repo().own_rules().allowlists();
        if let Some(digest) = digest {
            check_reviewed(GITLEAKS_FILE, digest, reviewed)?;
            TrustRecord::add(&self.site, GITLEAKS_FILE, None, digest)?;
        }
        Ok(digest)
    }

    /// Returns true if the user trusts the current version of `runbook`, its nested runbooks, and
    /// everything they start.
    ///
    /// # Errors
    /// Returns an error if a started file may not be read, or if the trust list cannot be read.
    pub fn is_runbook_trusted(&self, runbook: &RunbookFile) -> Result<bool, Error> {
        let family = self.family(runbook, &self.site.snapshot(), &step_catalog(&self.site))?;
        TrustRecord::covers(&self.site, &family.digest)
    }

    /// Revokes trust in every version of the runbook or file `name`. Returns the number of removed
    /// records.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn revoke_trust(&self, name: &str) -> Result<usize, Error> {
        TrustRecord::revoke(&self.site, name)
    }
}
