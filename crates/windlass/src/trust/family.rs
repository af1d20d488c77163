use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Digest, RepoPath};
use windlass_plan::{Catalog, PlannedStep};
use windlass_repo::{Refusal, Snapshot};
use windlass_steps::{ProgramFiles, ReviewedFile, ReviewedFiles, program_files};

use crate::nested_check::nested_steps;
use crate::{Error, RunbookFile, Workspace};

/// How many runbooks are followed into those they run; what lies beyond is not trusted.
const MAX_MEMBERS: usize = 512;

/// What trusting a runbook allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustReport {
    /// Its file.
    pub file: String,
    /// The digest that is trusted.
    pub digest: Digest,
    /// The programs that it and those it runs start.
    pub commands: Vec<StartedProgram>,
    /// The files of the repository that are started or loaded; trust ends when one changes.
    pub programs: Vec<ProgramFile>,
    /// Steps that may start or load files of the repository that are only known later; those are not covered.
    pub open_programs: Vec<String>,
    /// Steps that run a runbook whose name is only known later; those are not covered.
    pub open_ended: Vec<String>,
}

/// A program that a step starts, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StartedProgram {
    /// The runbook.
    pub runbook: String,
    /// The step.
    pub step: String,
    /// The program and its arguments.
    pub argv: Value,
    /// The folder, where it is not the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Value>,
    /// The variables that it sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Value>,
    /// The variables that it lets through.
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

/// A file of the repository that a step starts or loads: its program, the script of an interpreter, a library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ProgramFile {
    /// Where it is.
    pub file: RepoPath,
    /// The digest of its bytes; none when there is no such file.
    pub digest: Option<Digest>,
}

/// A runbook with all that it runs.
pub(super) struct Family {
    pub(super) digest: Digest,
    pub(super) members: Vec<(String, RunbookFile)>,
    /// The files that each member starts, in their order.
    pub(super) files: Vec<ReviewedFiles>,
    programs: BTreeMap<RepoPath, Option<Digest>>,
    /// Steps that may start files that are only known later.
    open: BTreeSet<String>,
}

impl Workspace {
    /// What trusting `runbook` would allow.
    ///
    /// # Errors
    /// When a file of the repository that it starts may not be read.
    pub fn trust_report(
        &self,
        runbook: &RunbookFile,
        catalog: &Catalog,
    ) -> Result<TrustReport, Error> {
        let family = self.family(runbook, &self.snapshot(), catalog)?;
        let mut report = TrustReport {
            file: runbook.file.clone(),
            digest: family.digest,
            commands: Vec::new(),
            programs: Vec::new(),
            open_programs: Vec::new(),
            open_ended: Vec::new(),
        };
        for (name, member) in &family.members {
            for step in member.plan.steps() {
                if starts_programs(step, catalog) {
                    report.commands.push(StartedProgram::of(name, step));
                } else if step.uses == "runbook"
                    && !step.with.get("name").is_some_and(Value::is_string)
                {
                    report.open_ended.push(format!("{name}/{}", step.id));
                }
            }
        }
        report.open_programs = family.open.into_iter().collect();
        let programs = family.programs.into_iter();
        report.programs = programs
            .map(|(file, digest)| ProgramFile { file, digest })
            .collect();
        Ok(report)
    }

    /// `runbook` and all it runs, with one digest of all their texts and of the files of the repository that they
    /// start. A runbook that is missing or broken counts as such, and so does a file that is missing: when it
    /// appears, the digest is another.
    pub(super) fn family(
        &self,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<Family, Error> {
        let mut members = vec![(runbook.plan.id().to_string(), runbook.clone())];
        // A runbook may go by another name than its id says, so files tell which were met before.
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
                let found = self.nested_runbook(name, snapshot, catalog, &all).ok();
                digests.push((name.to_owned(), found.as_ref().map(|found| found.digest)));
                let new = found.filter(|found| files.insert(found.file.clone()));
                members.extend(new.map(|found| (name.to_owned(), found)));
            }
            at += 1;
        }
        digests[1..].sort();
        // What is started is no evidence of the run, and may change in it.
        let now = self.snapshot();
        let (mut files, mut open) = (Vec::new(), BTreeSet::new());
        for (name, member) in &members {
            let mut of_steps = ReviewedFiles::new();
            let steps = member.plan.steps().iter();
            for step in steps.filter(|step| starts_programs(step, catalog)) {
                let (reviewed, is_open) = self.reviewed(&program_files(&step.with), &now)?;
                of_steps.insert(step.id.to_string(), reviewed);
                if is_open {
                    open.insert(format!("{name}/{}", step.id));
                }
            }
            files.push(of_steps);
        }
        let all = files.iter().flat_map(ReviewedFiles::values).flatten();
        let programs: BTreeMap<RepoPath, Option<Digest>> =
            all.map(|one| (one.file.clone(), one.digest)).collect();
        // Said what it is of, so that no other text that is trusted can stand for it.
        let digest = Digest::of_json(&("runbooks", &digests, programs.iter().collect::<Vec<_>>()));
        Ok(Family {
            digest: digest.map_err(|error| Error::Internal(error.to_string()))?,
            members,
            files,
            programs,
            open,
        })
    }

    /// Those of `files` that are the repository's, as they are in `snapshot`; and whether there may be others that are
    /// only known later.
    fn reviewed(
        &self,
        files: &ProgramFiles,
        snapshot: &Snapshot,
    ) -> Result<(Vec<ReviewedFile>, bool), Error> {
        let inside = |paths: &[String]| -> Vec<RepoPath> {
            paths.iter().filter_map(|path| self.inside(path)).collect()
        };
        let mut open = files.open_ended;
        let mut reviewed = Vec::new();
        if let Some(path) = files.program.as_deref().and_then(|path| self.inside(path)) {
            reviewed.push(look_at(path, snapshot)?);
        }
        // One that is not there yet counts as well: it is what would be run once it is.
        for path in inside(&files.modules) {
            reviewed.push(look_at(path, snapshot)?);
        }
        let scripts = inside(&files.scripts).into_iter();
        let scripts: Result<Vec<_>, _> = scripts.map(|path| look_at(path, snapshot)).collect();
        let (scripts, missing): (Vec<_>, Vec<_>) =
            scripts?.into_iter().partition(|one| one.digest.is_some());
        match scripts.is_empty() {
            true => reviewed.extend(missing.into_iter().next()),
            false => reviewed.extend(scripts),
        }
        for file in inside(&files.others) {
            match snapshot.read(&file) {
                Ok(source) if is_program(source.bytes()) => {
                    let digest = Some(Digest::of_bytes(source.bytes()));
                    reviewed.push(ReviewedFile { file, digest });
                }
                Ok(_) | Err(Refusal::Missing | Refusal::Directory) => {}
                // It cannot be said whether it is a program.
                Err(_) => open = true,
            }
        }
        for path in inside(&files.loaded) {
            match ReviewedFile::of(path.clone(), snapshot) {
                Ok(one) if one.digest.is_some() => reviewed.push(one),
                // Missing, or a folder to load from.
                Ok(_) => open |= matches!(snapshot.read(&path), Err(Refusal::Directory)),
                Err(_) => open = true,
            }
        }
        Ok((reviewed, open))
    }

    /// Where `path`, relative to the root or absolute, is in the repository; `None` when it is not. Links of folders
    /// are followed where that makes a difference: before `..`.
    fn inside(&self, path: &str) -> Option<RepoPath> {
        let plain = RepoPath::parse(path).ok();
        plain
            .or_else(|| self.repo().path_of(&self.repo().root().join(path)))
            .or_else(|| without_parents(path))
    }
}

/// Whether a file with these `bytes` can be started by itself: a script that names its interpreter, or machine code.
fn is_program(bytes: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 6] = [
        b"#!",
        b"\x7fELF",
        b"MZ",
        b"\xcf\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"\xce\xfa\xed\xfe",
    ];
    BEGINNINGS.iter().any(|begins| bytes.starts_with(begins))
}

/// `path` taken as it is written, for where there is no folder that could be followed yet.
fn without_parents(path: &str) -> Option<RepoPath> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    RepoPath::parse(&parts.join("/")).ok()
}

fn look_at(path: RepoPath, snapshot: &Snapshot) -> Result<ReviewedFile, Error> {
    let file = path.to_string();
    ReviewedFile::of(path, snapshot).map_err(|refusal| Error::UnknownProgram { file, refusal })
}

fn starts_programs(step: &PlannedStep, catalog: &Catalog) -> bool {
    catalog
        .get(&step.uses)
        .is_some_and(|kind| kind.effects.runs_processes)
}
