//! Reviews a runbook together with everything it can start.
//!
//! Trust in a runbook would mean little if a script it starts could be edited afterwards. The user
//! therefore trusts a digest of the runbook, its nested runbooks, and the files of the repository
//! they start. Suppose that `release.yaml` nests `test.yaml`, which starts `scripts/test.sh`. An
//! edit to any of the three ends the trust.
//!
//! Some things can't be part of the digest, such as a nested runbook whose name is only known at
//! run time. The report for the user lists the steps in question.

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
use windlass_steps::{ReviewedStep, ReviewedSteps, loaders_reason, review_program};

use super::trust_service::TrustService;

/// Maximum number of nested runbooks reviewed together. Any beyond that aren't trusted.
const MAX_MEMBERS: usize = 512;

/// The permissions a runbook gets when the user trusts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustReport {
    /// The runbook's file.
    pub file: String,
    /// The digest to trust.
    pub digest: Digest,
    /// Programs started by the runbook and its nested runbooks.
    pub commands: Vec<StartedProgram>,
    /// The repository's files that are started or loaded. If any of them changes, the trust ends.
    pub programs: Vec<ProgramFile>,
    /// Steps that may start or load further files of the repository. Trust doesn't cover those
    /// files.
    pub open_programs: Vec<String>,
    /// Reasons for listing a step in `open_programs`, by step.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub open_reasons: BTreeMap<String, Vec<String>>,
    /// Paths excluded from the review, by the step that excludes them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unpinned: BTreeMap<String, Value>,
    /// Conditions a molecule evaluates by reading environment variables, and runs of other
    /// repositories' runbooks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
    /// Steps whose nested runbook is only known at run time. Trust doesn't cover that runbook.
    pub open_ended: Vec<String>,
}

/// A program started by a step, as written in the runbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StartedProgram {
    /// Name of the step's runbook.
    pub runbook: String,
    /// Id of the step that starts the program.
    pub step: String,
    /// The program and its arguments.
    pub argv: Value,
    /// The program's working folder, or `None` for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Value>,
    /// Environment variables set by the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Value>,
    /// Environment variables passed through by the step.
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

/// A file of the repository started or loaded by a step, such as a program, a script or a library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ProgramFile {
    /// The file's path, relative to the root.
    pub file: RepoPath,
    /// Digest of the contents, or `None` if the file doesn't exist.
    pub digest: Option<Digest>,
}

/// A runbook and all its nested runbooks, which are trusted together.
pub(super) struct Family {
    pub(super) digest: Digest,
    pub(super) members: Vec<(String, RunbookFile)>,
    /// The steps of each member that start programs, in member order.
    pub(super) steps: Vec<ReviewedSteps>,
    programs: BTreeMap<RepoPath, Option<Digest>>,
    /// Reasons why steps may start further files, by step.
    open: BTreeMap<String, Vec<String>>,
}

impl TrustService {
    /// Reports what `runbook` may do once the user trusts it.
    ///
    /// # Errors
    /// Returns an error if a file started by the runbook may not be read.
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

    /// Collects `runbook` and its nested runbooks. Their digest covers all their texts and every
    /// file of the repository they start. Missing and invalid runbooks or files are part of the
    /// digest too. It would otherwise stay the same when one of them appears.
    pub(super) fn family(
        &self,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<Family, Error> {
        let mut members = vec![(runbook.plan.id().to_string(), runbook.clone())];
        // A runbook can have several names, so we recognise visited ones by file.
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
        digests[1..].sort();
        // Files that are started aren't evidence of the run and may change during it, so read them
        // from a new snapshot.
        let now = self.site.snapshot();
        let path = self.site.environment().variables.get("PATH");
        let (mut reviewed, mut open) = (Vec::new(), BTreeMap::new());
        let mut loaders = Loaders::default();
        for (name, member) in &members {
            let mut of_steps = ReviewedSteps::new();
            let steps = member.plan.steps().iter();
            for step in steps.filter(|step| starts_programs(step, catalog)) {
                let review = review_program(&step.with, path.map(OsString::as_os_str), &now);
                let review = review.map_err(|unknown| RunbookError::UnknownProgram {
                    file: unknown.file.to_string(),
                    refusal: unknown.refusal,
                })?;
                let reasons = review.reasons();
                if !reasons.is_empty() {
                    open.insert(format!("{name}/{}", step.id), reasons);
                }
                loaders.note(step, reviewed.len(), review.loaders);
                let one = ReviewedStep {
                    with: step.with.clone(),
                    files: review.files,
                    open: review.open,
                    loaders: None,
                };
                of_steps.insert(step.id.to_string(), one);
            }
            reviewed.push(of_steps);
        }
        loaders.assign(&mut reviewed);
        let steps = reviewed.iter().flat_map(ReviewedSteps::values);
        let programs: BTreeMap<RepoPath, Option<Digest>> = steps
            .flat_map(|step| &step.files)
            .map(|one| (one.file.clone(), one.digest))
            .collect();
        // Including the purpose keeps other kinds of trusted text from having the same digest.
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

/// Files that may load other files, collected from all steps, and the step that reports them.
#[derive(Default)]
struct Loaders {
    files: BTreeSet<RepoPath>,
    /// The member's index, the reporting step's id, and true if that step may be skipped.
    reporter: Option<(usize, String, bool)>,
}

impl Loaders {
    /// Adds the `loaders` of a step of the member `member`. A single step reports all files: the
    /// first one that always runs, if possible, since a skipped step reports nothing.
    fn note(&mut self, step: &PlannedStep, member: usize, loaders: Vec<RepoPath>) {
        let may_be_skipped = step.condition.is_some() || step.for_each.is_some();
        let is_better = match &self.reporter {
            None => true,
            Some((_, _, skipped)) => *skipped && !may_be_skipped,
        };
        if is_better && !loaders.is_empty() {
            self.reporter = Some((member, step.id.to_string(), may_be_skipped));
        }
        self.files.extend(loaders);
    }

    fn assign(self, reviewed: &mut [ReviewedSteps]) {
        let files: Vec<RepoPath> = self.files.into_iter().collect();
        let step = self
            .reporter
            .and_then(|(member, step, _)| reviewed.get_mut(member)?.get_mut(&step));
        if let Some(step) = step {
            step.loaders = loaders_reason(&files);
        }
    }
}

fn starts_programs(step: &PlannedStep, catalog: &Catalog) -> bool {
    catalog
        .get(&step.uses)
        .is_some_and(|kind| kind.effects.runs_processes)
}

#[cfg(test)]
mod tests {
    use windlass_base::Ident;

    use super::*;

    #[test]
    fn loaders_are_reported_by_one_step() {
        let step = |id: &str| PlannedStep::new(Ident::parse(id).unwrap(), "command");
        let mut repeated = step("a");
        repeated.for_each = Some(Value::Array(Vec::new()));
        let file = |path: &str| vec![RepoPath::parse(path).unwrap()];
        let mut loaders = Loaders::default();
        loaders.note(&repeated, 0, file("a.sh"));
        loaders.note(&step("b"), 0, Vec::new());
        loaders.note(&step("c"), 0, file("c.sh"));
        loaders.note(&step("d"), 0, file("a.sh"));
        let steps = ["a", "b", "c", "d"].map(|id| (id.to_owned(), ReviewedStep::default()));
        let mut reviewed = [ReviewedSteps::from(steps)];
        loaders.assign(&mut reviewed);
        let told = reviewed[0]
            .iter()
            .filter_map(|(id, step)| Some((id, step.loaders.as_ref()?)));
        let told: Vec<_> = told.map(|(id, why)| format!("{id}: {why}")).collect();
        assert_eq!(
            told,
            ["c: `a.sh`, `c.sh` may load files that they name themselves"]
        );
    }
}
