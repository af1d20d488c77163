use std::time::Duration;

use tokio::task::JoinHandle;
use windlass_base::did_you_mean;
use windlass_repo::Owner;
use windlass_store::{FolderFile, RootedPath, files_in, read_first_line, read_log, remove_log};

use windlass_site::{Error, Site};

use super::record_format::{RecordedRunbook, RunHead, RunRecord};
use super::run_id::RunId;
use crate::run_error::RunError;

/// File extension of records. The rest of the file name is the run id.
pub(crate) const ENDING: &str = ".jsonl";

/// Maximum size of a record we read, in bytes. Windlass never writes larger ones.
const MAX_BYTES: u64 = 192 << 20;
/// Maximum size of the first line, in bytes.
const MAX_HEAD: u64 = 4 << 20;

/// Limits on the number, age and total size of retained records.
const MAX_COUNT: usize = 100;
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const MAX_TOTAL: u64 = 256 << 20;
/// Interval between clean-ups, in runs. We don't clean up after each run, because querying the size
/// of every record takes as long as a small run.
const CLEANED_EVERY: u16 = 8;
/// Number of newest records kept regardless of age, so that a wrong clock can't empty the folder.
const MIN_KEPT: usize = 10;

/// Maximum time by which a run may seem to start in the future. Anything later comes from a wrong
/// clock.
const AHEAD: Duration = Duration::from_secs(10 * 60);

/// Access to a repository's run records.
#[derive(Debug, Clone)]
pub struct RunRecords {
    site: Site,
}

impl RunRecords {
    /// Returns the records of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Returns the folder of the records.
    ///
    /// # Errors
    /// Returns an error if the environment names no state folder.
    pub fn runs_folder(&self) -> Result<RootedPath, Error> {
        let repo = &self.site.repo().identity().repo_id;
        Ok(self
            .site
            .dirs()?
            .state
            .join("repos")
            .join(repo)
            .join("runs"))
    }

    /// Returns the records of all working trees of this repository, newest first. Records with a
    /// start in the future come last, because we don't know when they really started.
    fn run_files(&self) -> Result<Vec<(RunId, FolderFile)>, Error> {
        let mut logs = files_in(&self.runs_folder()?, |name| name.ends_with(ENDING))?;
        logs.reverse();
        let id = |log: &FolderFile| RunId::parse(log.name.strip_suffix(ENDING)?);
        let files = logs.into_iter().filter_map(|log| Some((id(&log)?, log)));
        let (future, past): (Vec<_>, Vec<_>) = files.partition(|(id, _)| self.is_future(id));
        Ok(past.into_iter().chain(future).collect())
    }

    /// Returns true if the id's start time is in the future.
    fn is_future(&self, id: &RunId) -> bool {
        let limit = self.site.environment().now().checked_add(AHEAD);
        let limit = limit.and_then(|at| RunId::new(at, u16::MAX));
        limit.is_some_and(|limit| *id > limit)
    }

    /// Returns this working tree's readable records, newest first.
    fn own_run_files(&self) -> Result<Vec<(RunHead, FolderFile)>, Error> {
        let mut verdict: Option<(Owner, bool)> = None;
        let mut own = Vec::new();
        for (id, log) in self.run_files()? {
            let Ok(Some(line)) = read_first_line(&log.place, MAX_HEAD) else {
                continue;
            };
            let Ok(head) = RunHead::read(id.as_str(), &line) else {
                continue;
            };
            // Most records have the same owner. Cache the verdict, because finding it may start
            // git.
            let is_own = match &verdict {
                Some((owner, is_own)) if *owner == head.owner => *is_own,
                _ => {
                    let is_own = self.owns(&head.owner);
                    verdict = Some((head.owner.clone(), is_own));
                    is_own
                }
            };
            if is_own {
                own.push((head, log));
            }
        }
        // Ids only resolve seconds. Order runs within a second by their precise start times.
        let age = |head: &RunHead| {
            let newest_first = std::cmp::Reverse((head.started_at.clone(), head.id.clone()));
            (self.is_future(&head.id), newest_first)
        };
        own.sort_by_cached_key(|(head, _)| age(head));
        Ok(own)
    }

    /// Returns the records with an unreadable first line, along with their errors.
    ///
    /// # Errors
    /// Returns an error if the folder of the records cannot be read.
    pub fn unreadable_runs(&self) -> Result<Vec<(RunId, Error)>, Error> {
        let wrong = |(id, log): (RunId, FolderFile)| {
            let line = read_first_line(&log.place, MAX_HEAD).map_err(Error::from);
            let head = line.and_then(|line| match line {
                Some(line) => RunHead::read(id.as_str(), &line).map(drop),
                // The run has just started, or it was killed before it wrote anything. That's no
                // damage.
                None => Ok(()),
            });
            head.err().map(|error| (id, error))
        };
        Ok(self.run_files()?.into_iter().filter_map(wrong).collect())
    }

    fn owns(&self, owner: &Owner) -> bool {
        let root = &self.site.repo().identity().root_fingerprint;
        owner.root_fingerprint.as_ref() == Some(root) && owner.check(self.site.repo()).is_ok()
    }

    /// Returns the id of the run identified by `word`: a full id, the start of one, or `last`.
    ///
    /// # Errors
    /// Returns an error if no run matches, or more than one.
    pub fn find_run(&self, word: &str) -> Result<RunId, Error> {
        if let Some(id) = RunId::parse(word) {
            let own = self.own_run_files()?;
            if own.iter().any(|(head, _)| head.id == id) {
                return Ok(id);
            }
            // If the record exists but is damaged, an error about the damage is more useful than an
            // unknown id.
            let files = self.run_files()?;
            if let Some((_, log)) = files.iter().find(|(file, _)| *file == id) {
                let line = read_first_line(&log.place, MAX_HEAD)?;
                RunHead::read(id.as_str(), &line.unwrap_or_default())?;
            }
        }
        let ids = self.own_run_files()?.into_iter().map(|(head, _)| head.id);
        let ids: Vec<RunId> = ids.collect();
        if word == "last"
            && let Some(newest) = ids.first()
        {
            return Ok(newest.clone());
        }
        let fitting: Vec<&RunId> = ids
            .iter()
            .filter(|id| !word.is_empty() && id.as_str().starts_with(word))
            .collect();
        match fitting[..] {
            [one] => Ok(one.clone()),
            [] => Err(RunError::NoSuchRun {
                name: word.to_owned(),
                similar: did_you_mean(word, ids.iter().map(RunId::as_str)).map(str::to_owned),
                any: !ids.is_empty(),
            }
            .into()),
            [newest, .., oldest] => Err(RunError::AmbiguousRun {
                name: word.to_owned(),
                first: newest.to_string(),
                second: oldest.to_string(),
            }
            .into()),
        }
    }

    /// Reads the record of the run `id`.
    ///
    /// # Errors
    /// Returns an error if the record does not exist, cannot be read, or was written by a newer
    /// Windlass.
    pub fn run_record(&self, id: &RunId) -> Result<RunRecord, Error> {
        let path = self.runs_folder()?.join(format!("{id}{ENDING}"));
        let text = read_log(&path, MAX_BYTES)?.ok_or_else(|| RunError::NoSuchRun {
            name: id.to_string(),
            similar: None,
            any: true,
        })?;
        RunRecord::read(id.as_str(), &text)
    }

    /// Returns descriptions of this working tree's runs, newest first. Unreadable records are
    /// skipped.
    ///
    /// # Errors
    /// Returns an error if the folder of the records cannot be read.
    pub fn run_heads(&self) -> Result<Vec<RunHead>, Error> {
        let own = self.own_run_files()?.into_iter();
        Ok(own.map(|(head, _)| head).collect())
    }

    /// Returns the record of the newest run of `runbook`.
    pub(crate) fn newest_of(&self, runbook: &RecordedRunbook) -> Result<RunRecord, Error> {
        let of_it = |head: &RunHead| head.runbook.name() == runbook.name();
        let own = self.own_run_files()?.into_iter();
        let newest = own.map(|(head, _)| head).find(of_it);
        let newest = newest.ok_or_else(|| RunError::NoEarlierRun(runbook.name().to_owned()))?;
        self.run_record(&newest.id)
    }

    /// Removes records beyond the limits on a blocking thread, except open ones. Only one in
    /// [`CLEANED_EVERY`] values of `seed` starts a clean-up. If a record can't be removed, the next
    /// clean-up tries again.
    pub(crate) fn clean_runs(&self, seed: u16) -> Option<JoinHandle<()>> {
        seed.is_multiple_of(CLEANED_EVERY).then(|| {
            let records = self.clone();
            tokio::task::spawn_blocking(move || records.remove_old_runs())
        })
    }

    fn remove_old_runs(&self) {
        let Ok(files) = self.run_files() else {
            return;
        };
        let oldest = self.site.environment().now().checked_sub(MAX_AGE);
        let oldest = oldest.and_then(|at| RunId::new(at, 0));
        let (mut count, mut total) = (0, 0_u64);
        for (at, (id, log)) in files.into_iter().enumerate() {
            // The current run is one of the newest records, so exempt one more.
            let too_old = at > MIN_KEPT && oldest.as_ref().is_some_and(|oldest| id < *oldest);
            let fits = count < MAX_COUNT && total.saturating_add(log.bytes) <= MAX_TOTAL;
            if fits && !too_old || !remove_log(&log.place).unwrap_or(false) {
                count += 1;
                total = total.saturating_add(log.bytes);
            }
        }
    }
}
