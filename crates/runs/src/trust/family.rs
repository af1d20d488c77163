//! Reviews a runbook together with everything it can start.
//!
//! Trust in a runbook would not mean much if somebody could edit a script started by it. So the
//! user trusts a digest of the runbook, its nested runbooks, and the repository files that any of
//! them start. For example, if `release.yaml` nests `test.yaml`, which starts `scripts/test.sh`, an
//! edit to any of the three files invalidates the trust.
//!
//! Some things cannot be part of the digest, e.g. a nested runbook whose name is only known at run
//! time. The report for the user lists the steps concerned.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Digest, RepoPath};
use windlass_notebook::{RunbookError, RunbookFile, nested_steps};
use windlass_plan::{Catalog, PlannedStep};
use windlass_repo::Snapshot;
use windlass_site::Error;
use windlass_steps::{ReviewedStep, ReviewedSteps, review_program};

use super::trust_service::TrustService;

/// Maximum number of runbooks to review together. Runbooks beyond this limit are not trusted.
const MAX_MEMBERS: usize = 512;

/// Permissions of a runbook once the user trusts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustReport {
    /// File of the runbook.
    pub file: String,
    /// The digest to trust.
    pub digest: Digest,
    /// Programs started by the runbook and its nested runbooks.
    pub commands: Vec<StartedProgram>,
    /// Repository files started or loaded. A change to any of them invalidates the trust.
    pub programs: Vec<ProgramFile>,
    /// Steps that may start or load further files of the repository. The trust does not cover
    /// these.
    pub open_programs: Vec<String>,
    /// For each step in `open_programs`, the reasons.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub open_reasons: BTreeMap<String, Vec<String>>,
    /// Paths excluded from the review, by step.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unpinned: BTreeMap<String, Value>,
    /// For a molecule: its conditions on environment variables, and the runbooks that it runs in
    /// other repositories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
    /// Steps with a nested runbook that is only known at run time. The trust does not cover that
    /// runbook.
    pub open_ended: Vec<String>,
}

/// A program started by a step, as written in the runbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StartedProgram {
    /// Name of the step's runbook.
    pub runbook: String,
    /// ID of the step.
    pub step: String,
    /// The program and its arguments, which may contain references.
    pub argv: Value,
    /// Working directory, or `None` for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Value>,
    /// Environment variables set by the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Value>,
    /// Environment variables passed on by the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherit_env: Option<Value>,
}

impl StartedProgram {
    fn of(runbook: &str, step: &PlannedStep) -> Self {
        let field = |name: &str| step.with.get(name).cloned();
        Self {
            runbook: runbook.to_owned(),
            step: step.id.to_string(),
            argv: field("argv").unwrap_or_default(),
            cwd: field("cwd"),
            env: field("env"),
            inherit_env: field("inherit_env"),
        }
    }
}

/// A repository file started or loaded by a step, e.g. a program, a script or a library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ProgramFile {
    /// Path of the file, relative to the root of the repository.
    pub file: RepoPath,
    /// Digest of the contents, or `None` for a missing file.
    pub digest: Option<Digest>,
}

/// A runbook with all of its nested runbooks, which are trusted together.
pub(super) struct Family {
    pub(super) digest: Digest,
    pub(super) members: Vec<(String, RunbookFile)>,
    /// For each member, the steps that start programs.
    pub(super) steps: Vec<ReviewedSteps>,
    programs: BTreeMap<RepoPath, Option<Digest>>,
    /// Steps that may load files we do not know of, with the reasons.
    open: BTreeMap<String, Vec<String>>,
}

impl TrustService {
    /// Reports what `runbook` may do if the user trusts it.
    ///
    /// # Errors
    /// Returns an error if a file started by the runbook must not be read.
    pub fn trust_report(
        &self,
        runbook: &RunbookFile,
        catalog: &Catalog,
    ) -> Result<TrustReport, Error> {
        let family = self.family(runbook, &self.site.snapshot(), catalog)?;
        let mut report = TrustReport {
            file: runbook.file.clone(),
            digest: family.digest,
            commands: Vec::new(),
            programs: Vec::new(),
            open_programs: family.open.keys().cloned().collect(),
            open_reasons: family.open,
            unpinned: BTreeMap::new(),
            asks: runbook.asks.clone(),
            open_ended: Vec::new(),
        };
        for (name, member) in &family.members {
            for step in member.plan.steps() {
                if starts_programs(step, catalog) {
                    report.commands.push(StartedProgram::of(name, step));
                    if let Some(unpinned) = step.with.get("unpinned") {
                        let step = format!("{name}/{}", step.id);
                        report.unpinned.insert(step, unpinned.clone());
                    }
                } else if step.uses == "runbook"
                    && !step.with.get("name").is_some_and(Value::is_string)
                {
                    report.open_ended.push(format!("{name}/{}", step.id));
                }
            }
        }
        let programs = family.programs.into_iter();
        report.programs = programs
            .map(|(file, digest)| ProgramFile { file, digest })
            .collect();
        Ok(report)
    }

    /// Collects `runbook` and its nested runbooks.
    ///
    /// The digest covers all of their texts, and every repository file they start. A runbook or
    /// file that is missing is part of the digest as well, so that creating it later changes the
    /// digest.
    pub(super) fn family(
        &self,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<Family, Error> {
        let mut members = vec![(runbook.plan.id().to_string(), runbook.clone())];
        // A runbook can have several names, but only one file, so go by the file.
        let mut seen = BTreeSet::new();
        let mut files = BTreeSet::from([runbook.file.clone()]);
        let mut digests = vec![(runbook.plan.id().to_string(), Some(runbook.digest))];
        let (mut at, all) = (0, OnceCell::new());
        while at < members.len() && members.len() < MAX_MEMBERS {
            let plan = members[at].1.plan.clone();
            let names: BTreeSet<&str> = nested_steps(&plan).map(|(_, name)| name).collect();
            for name in names {
                if !seen.insert(name.to_owned()) {
                    continue;
                }
                let found = self.shelf.nested(name, snapshot, catalog, &all).ok();
                digests.push((name.to_owned(), found.as_ref().map(|found| found.digest)));
                let new = found.filter(|found| files.insert(found.file.clone()));
                members.extend(new.map(|found| (name.to_owned(), found)));
            }
            at += 1;
        }
        // The order in which we found the nested runbooks doesn't matter, but the first one has to
        // remain the runbook that the user asked about.
        digests[1..].sort();
        // Started files aren't evidence of the run, so they may change in the meantime. Read them
        // from a new snapshot.
        let now = self.site.snapshot();
        let path = self.site.environment().variables.get("PATH");
        let (mut reviewed, mut open) = (Vec::new(), BTreeMap::new());
        for (name, member) in &members {
            let mut of_steps = ReviewedSteps::new();
            let steps = member.plan.steps().iter();
            for step in steps.filter(|step| starts_programs(step, catalog)) {
                let review = review_program(&step.with, path.map(OsString::as_os_str), &now);
                let review = review.map_err(|unknown| RunbookError::UnknownProgram {
                    file: unknown.file.to_string(),
                    refusal: unknown.refusal,
                })?;
                if !review.open.is_empty() {
                    open.insert(format!("{name}/{}", step.id), review.open.clone());
                }
                let one = ReviewedStep {
                    with: step.with.clone(),
                    files: review.files,
                    open: review.open,
                };
                of_steps.insert(step.id.to_string(), one);
            }
            reviewed.push(of_steps);
        }
        let steps = reviewed.iter().flat_map(ReviewedSteps::values);
        let programs: BTreeMap<RepoPath, Option<Digest>> = steps
            .flat_map(|step| &step.files)
            .map(|one| (one.file.clone(), one.digest))
            .collect();
        // Include the purpose, so that no other kind of trusted text can have the same digest.
        let digest = Digest::of_json(&("runbooks", &digests, programs.iter().collect::<Vec<_>>()));
        Ok(Family {
            digest: digest.map_err(Error::internal)?,
            members,
            steps: reviewed,
            programs,
            open,
        })
    }
}

fn starts_programs(step: &PlannedStep, catalog: &Catalog) -> bool {
    catalog
        .get(&step.uses)
        .is_some_and(|kind| kind.effects.runs_processes)
}
