//! The trust of the user in runbooks, the list of secret paths, and allowlists for secret values.
//!
//! Trust always refers to a digest. All functions that add trust take the digest that the user has
//! reviewed, because the file may have changed between the review and the decision.

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
    /// Path of the list.
    pub file: &'static str,
    /// Digest of the list.
    pub digest: Digest,
    /// Lines that make paths readable, each with its number.
    pub readable: Vec<NarrowingLine>,
}

impl TrustService {
    /// Determines which programs `runbook` may start: all of them with `allow_all`, and only the
    /// trusted ones otherwise. If the site does not allow any programs, `allow_all` does not help.
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
        // Most runbooks don't start any programs, so we can skip the review and needn't read the
        // trust list.
        if !needs_trust(runbook) && nested_steps(&runbook.plan).next().is_none() {
            return Ok(Permission::NONE);
        }
        // If we can't review the runbook, it can't have been trusted either.
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

    /// Trusts the current version of `runbook`, of its nested runbooks, and of every repository
    /// file that they start. If the user has `reviewed` a digest, the current one must be the same.
    ///
    /// # Errors
    /// Returns an error if the digest differs, if a started file must not be read, or if the trust
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
    /// lines apply.
    ///
    /// Returns `None` if there is no such list. If the user has `reviewed` a digest, the current
    /// one must be the same.
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

    /// Reports which lines would make paths readable if the user trusted the repository's own list
    /// of secret paths. Returns `None` if there is no such list.
    #[must_use]
    pub fn secrets_report(&self) -> Option<SecretsReport> {
        let secrets = self.site.repo().secrets();
        Some(SecretsReport {
            file: SECRETS_FILE,
            digest: secrets.digest()?,
            readable: secrets.narrowing_lines().to_vec(),
        })
    }

    /// Trusts the allowlists in the repository's gitleaks configuration and returns their digest,
    /// or `None` if it has none.
    ///
    /// If the user has `reviewed` a digest, the current one must be the same.
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

    /// Returns true if the user trusts the current version of `runbook`, of its nested runbooks,
    /// and of everything that they start.
    ///
    /// # Errors
    /// Returns an error if a started file must not be read, or if the trust list cannot be read.
    pub fn is_runbook_trusted(&self, runbook: &RunbookFile) -> Result<bool, Error> {
        let family = self.family(runbook, &self.site.snapshot(), &step_catalog(&self.site))?;
        TrustRecord::covers(&self.site, &family.digest)
    }

    /// Revokes trust in all versions of the runbook or file `name`. Returns the number of removed
    /// records.
    ///
    /// # Errors
    /// Returns an error if the list cannot be read or written.
    pub fn revoke_trust(&self, name: &str) -> Result<usize, Error> {
        TrustRecord::revoke(&self.site, name)
    }
}
