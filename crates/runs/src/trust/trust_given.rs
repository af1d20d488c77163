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

/// Permissions granted by trusting the repository's own list of secret paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretsReport {
    /// Path of the list.
    pub file: &'static str,
    /// The digest of its text.
    pub digest: Digest,
    /// Lines that make paths readable, with their numbers from 1.
    pub readable: Vec<NarrowingLine>,
}

impl TrustService {
    /// Returns the permissions of `runbook`: everything if `allow_all`, else what is trusted.
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
        // Most runbooks start nothing and need no look at the trust list.
        if !needs_trust(runbook) && nested_steps(&runbook.plan).next().is_none() {
            return Ok(Permission::NONE);
        }
        // A runbook that cannot be reviewed cannot have been trusted.
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

    /// Trusts `runbook`, its nested runbooks and the files of the repository that they start, in their current version;
    /// if `reviewed` is given, only with that digest.
    ///
    /// # Errors
    /// If the digest differs, a started file may not be read, or the list cannot be read or written.
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

    /// Trusts the current version of the repository's own list of secret paths, so that its `!` lines apply; `None`
    /// without a list. If `reviewed` is given, only with that digest.
    ///
    /// # Errors
    /// If the digest differs, or the trust list cannot be read or written.
    pub fn trust_secrets(&self, reviewed: Option<Digest>) -> Result<Option<SecretsReport>, Error> {
        let report = self.secrets_report();
        if let Some(report) = &report {
            check_reviewed(SECRETS_FILE, report.digest, reviewed)?;
            TrustRecord::add(&self.site, SECRETS_FILE, None, report.digest)?;
        }
        Ok(report)
    }

    /// Reports what trusting the repository's own list of secret paths would allow; `None` without a list.
    #[must_use]
    pub fn secrets_report(&self) -> Option<SecretsReport> {
        let secrets = self.site.repo().secrets();
        Some(SecretsReport {
            file: SECRETS_FILE,
            digest: secrets.digest()?,
            readable: secrets.narrowing_lines().to_vec(),
        })
    }

    /// Trusts the allowlists of the repository's configuration of gitleaks, by its digest; `None` when it has none. Only with the
    /// digest `reviewed`, if one is named.
    ///
    /// # Errors
    /// When it has another digest, or the list of trusted documents cannot be read or written.
    pub fn trust_allowlists(&self, reviewed: Option<Digest>) -> Result<Option<Digest>, Error> {
        let digest = self.site.repo().own_rules().allowlists();
        if let Some(digest) = digest {
            check_reviewed(GITLEAKS_FILE, digest, reviewed)?;
            TrustRecord::add(&self.site, GITLEAKS_FILE, None, digest)?;
        }
        Ok(digest)
    }

    /// True if `runbook` is trusted in its current version, with everything it starts and requests.
    ///
    /// # Errors
    /// If a started file may not be read, or the trust list cannot be read.
    pub fn is_runbook_trusted(&self, runbook: &RunbookFile) -> Result<bool, Error> {
        let family = self.family(runbook, &self.site.snapshot(), &step_catalog(&self.site))?;
        TrustRecord::covers(&self.site, &family.digest)
    }

    /// Revokes trust in every version of the runbook or file `name`; returns the number of versions.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub fn revoke_trust(&self, name: &str) -> Result<usize, Error> {
        TrustRecord::revoke(&self.site, name)
    }
}
