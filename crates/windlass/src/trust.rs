use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::Digest;
use windlass_plan::Catalog;
use windlass_repo::{Owner, Snapshot};
use windlass_store::{Durability, Lock, read_document, write_atomic};

use crate::nested_check::nested_steps;
use crate::{Error, RunbookFile, Workspace};

const SCHEMA_VERSION: u32 = 1;
const MAX_BYTES: u64 = 8 << 20;
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The repository's own list of secret paths, relative to its root.
pub const SECRETS_FILE: &str = ".windlass/secrets";

/// How many runbooks are followed into those they run; what lies beyond is not trusted.
const MAX_MEMBERS: usize = 512;

/// A runbook that may start programs, as long as neither it nor those it runs change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The name it was trusted by.
    pub name: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The digest of its text and of those it runs.
    pub digest: Digest,
    /// When, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustFile {
    schema_version: u32,
    /// Whose it is; nobody else has any use for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    #[serde(default)]
    runbooks: Vec<TrustRecord>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// What trusting a runbook allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustReport {
    /// Its file.
    pub file: String,
    /// The digest that is trusted.
    pub digest: Digest,
    /// The programs that it and those it runs start: the runbook, the step, and `argv` as it is written.
    pub commands: Vec<(String, String, Value)>,
    /// Steps that run a runbook whose name is only known later; those are not covered.
    pub open_ended: Vec<String>,
}

/// Which runbooks of a run may start programs.
#[derive(Debug, Clone)]
pub(crate) enum Permission {
    /// All of them, for this run.
    All,
    /// Those with these texts: a trusted runbook and those it names.
    Texts(BTreeSet<Digest>),
}

impl Permission {
    pub(crate) fn covers(&self, runbook: &RunbookFile) -> bool {
        match self {
            Self::All => true,
            Self::Texts(digests) => digests.contains(&runbook.digest),
        }
    }
}

/// A runbook with all that it runs.
struct Family {
    digest: Digest,
    members: Vec<(String, RunbookFile)>,
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
            return Ok(Permission::Texts(BTreeSet::new()));
        }
        let family = self.family(runbook, snapshot, catalog);
        let trusted = self.is_trusted(&family.digest)?;
        let members = family.members.iter().filter(|_| trusted);
        Ok(Permission::Texts(
            members.map(|(_, member)| member.digest).collect(),
        ))
    }

    /// Trusts `runbook` and those it runs, as they are now; only with the digest `reviewed`, if one is named.
    ///
    /// # Errors
    /// When they have another digest, or the list cannot be read or written.
    pub fn trust(
        &self,
        runbook: &RunbookFile,
        catalog: &Catalog,
        reviewed: Option<Digest>,
    ) -> Result<TrustReport, Error> {
        let report = self.trust_report(runbook, catalog);
        check_reviewed(&report.file, report.digest, reviewed)?;
        let name = runbook
            .call
            .as_deref()
            .unwrap_or(runbook.plan.id().as_str());
        self.record_trust(name, Some(runbook.file.clone()), report.digest)?;
        Ok(report)
    }

    /// Trusts the repository's own list of secret paths as it is now, so that its `!` lines count. Gives
    /// back its digest; `None` when there is no list. Only with the digest `reviewed`, if one is named.
    ///
    /// # Errors
    /// When it has another digest, or the list of what is trusted cannot be read or written.
    pub fn trust_secrets(&self, reviewed: Option<Digest>) -> Result<Option<Digest>, Error> {
        let digest = self.repo().secrets().digest();
        if let Some(digest) = digest {
            check_reviewed(SECRETS_FILE, digest, reviewed)?;
            self.record_trust(SECRETS_FILE, None, digest)?;
        }
        Ok(digest)
    }

    /// Whether the text with `digest` is trusted.
    pub(crate) fn is_trusted(&self, digest: &Digest) -> Result<bool, Error> {
        Ok(self
            .read_trust()?
            .runbooks
            .iter()
            .any(|record| record.digest == *digest))
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

    /// What trusting `runbook` would allow.
    #[must_use]
    pub fn trust_report(&self, runbook: &RunbookFile, catalog: &Catalog) -> TrustReport {
        let family = self.family(runbook, &self.snapshot(), catalog);
        let mut report = TrustReport {
            file: runbook.file.clone(),
            digest: family.digest,
            commands: Vec::new(),
            open_ended: Vec::new(),
        };
        for (name, member) in &family.members {
            for step in member.plan.steps() {
                if catalog
                    .get(&step.uses)
                    .is_some_and(|kind| kind.effects.runs_processes)
                {
                    let argv = step.with.get("argv").cloned().unwrap_or_default();
                    report
                        .commands
                        .push((name.clone(), step.id.to_string(), argv));
                } else if step.uses == "runbook"
                    && !step.with.get("name").is_some_and(Value::is_string)
                {
                    report.open_ended.push(format!("{name}/{}", step.id));
                }
            }
        }
        report
    }

    /// The runbooks that are trusted.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn trusted(&self) -> Result<Vec<TrustRecord>, Error> {
        Ok(self.read_trust()?.runbooks)
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

    /// `runbook` and all it runs, with one digest of all their texts. One that is missing or broken counts
    /// as such: when it appears, the digest is another.
    fn family(&self, runbook: &RunbookFile, snapshot: &Snapshot, catalog: &Catalog) -> Family {
        let mut members = vec![(runbook.plan.id().to_string(), runbook.clone())];
        // A runbook may go by another name than its id says, so files tell which were met before.
        let mut seen = BTreeSet::new();
        let mut files = BTreeSet::from([runbook.file.clone()]);
        let mut digests = vec![(runbook.plan.id().to_string(), Some(runbook.digest))];
        let mut at = 0;
        while at < members.len() && members.len() < MAX_MEMBERS {
            let plan = members[at].1.plan.clone();
            let names: BTreeSet<&str> = nested_steps(&plan).map(|(_, name)| name).collect();
            for name in names {
                if !seen.insert(name.to_owned()) {
                    continue;
                }
                let found = self.nested_runbook(name, snapshot, catalog).ok();
                digests.push((name.to_owned(), found.as_ref().map(|found| found.digest)));
                let new = found.filter(|found| files.insert(found.file.clone()));
                members.extend(new.map(|found| (name.to_owned(), found)));
            }
            at += 1;
        }
        digests[1..].sort();
        // Said what it is of, so that no other text that is trusted can stand for it.
        let digest = Digest::of_json(&("runbooks", &digests)).unwrap_or(runbook.digest);
        Family { digest, members }
    }

    fn trust_path(&self) -> Result<PathBuf, Error> {
        Ok(self
            .dirs()?
            .data
            .join("repos")
            .join(&self.repo().identity().repo_id)
            .join("trust.json"))
    }

    fn read_trust(&self) -> Result<TrustFile, Error> {
        let Ok(path) = self.trust_path() else {
            return Ok(TrustFile::default());
        };
        let file: TrustFile = read_document(&path, SCHEMA_VERSION, MAX_BYTES)?.unwrap_or_default();
        let owner = file.repo.as_ref();
        if owner.is_some_and(|owner| self.repo().check_owner(owner).is_err()) {
            // What was trusted in another repository, in this place before, says nothing about this one.
            return Ok(TrustFile::default());
        }
        Ok(file)
    }

    fn edit_trust(&self, change: impl FnOnce(&mut TrustFile)) -> Result<(), Error> {
        let path = self.trust_path()?;
        let _guard = Lock::acquire(
            &path.with_extension("lock"),
            LOCK_TIMEOUT,
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
