//! The files with the records of runs.
//!
//! All working trees of a repository share a folder, with a file per run. We find the records of a
//! single working tree by their first lines. Nobody has to clean up: runs remove old records now
//! and then, and the newest ones are kept even if the limits say otherwise.

use std::time::Duration;

use tokio::task::JoinHandle;
use windlass_base::did_you_mean;
use windlass_repo::Owner;
use windlass_store::{FolderFile, RootedPath, files_in, read_first_line, read_log, remove_log};

use windlass_site::{Error, Site};

use super::record_format::{RecordedRunbook, RunHead, RunRecord};
use super::run_id::RunId;
use crate::run_error::RunError;

/// File extension of records. The rest of the file name is the ID of the run.
pub(crate) const ENDING: &str = ".jsonl";

/// Maximum size of a record in bytes. The recorder never writes a larger one.
const MAX_BYTES: u64 = 192 << 20;
/// Maximum size of the first line in bytes, which contains the inputs of the run.
const MAX_HEAD: u64 = 4 << 20;

/// Limits on the number, age and total size of records. Whichever is reached first applies.
const MAX_COUNT: usize = 100;
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const MAX_TOTAL: u64 = 256 << 20;
/// We only clean up after one in eight runs, because getting the sizes of all records takes as long
/// as a small run does.
const CLEANED_EVERY: u16 = 8;
/// Number of newest records to keep regardless of their age. Otherwise, a wrong clock could empty
/// the folder.
const MIN_KEPT: usize = 10;

/// How far the start of a run may be in the future. Beyond that, we assume that a clock was wrong
/// when the run was recorded.
const AHEAD: Duration = Duration::from_secs(10 * 60);

/// The records of a repository's runs. This is cheap to create, since records are only read on
/// demand.
#[derive(Debug, Clone)]
pub struct RunRecords {
    site: Site,
}

impl RunRecords {
    /// Returns access to the records. Nothing is read from disk yet.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    /// Returns the folder with the records of all working trees.
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

    /// Lists the records of all working trees, newest first. If a record's start is in the future,
    /// we do not know its true start, and it comes last.
    fn run_files(&self) -> Result<Vec<(RunId, FolderFile)>, Error> {
        let mut logs = files_in(&self.runs_folder()?, |name| name.ends_with(ENDING))?;
        logs.reverse();
        let id = |log: &FolderFile| RunId::parse(log.name.strip_suffix(ENDING)?);
        let files = logs.into_iter().filter_map(|log| Some((id(&log)?, log)));
        let (future, past): (Vec<_>, Vec<_>) = files.partition(|(id, _)| self.is_future(id));
        Ok(past.into_iter().chain(future).collect())
    }

    fn is_future(&self, id: &RunId) -> bool {
        let limit = self.site.environment().now().checked_add(AHEAD);
        let limit = limit.and_then(|at| RunId::new(at, u16::MAX));
        limit.is_some_and(|limit| *id > limit)
    }

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
            // Determining the owner may take a git call. Most records share one owner, so remember
            // the verdict.
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
        // IDs only resolve seconds, so use the precise start times to order runs within a second.
        let age = |head: &RunHead| {
            let newest_first = std::cmp::Reverse((head.started_at.clone(), head.id.clone()));
            (self.is_future(&head.id), newest_first)
        };
        own.sort_by_cached_key(|(head, _)| age(head));
        Ok(own)
    }

    /// Lists the records whose first line cannot be read, each with the reason.
    ///
    /// # Errors
    /// Returns an error if the folder of the records cannot be read.
    pub fn unreadable_runs(&self) -> Result<Vec<(RunId, Error)>, Error> {
        let wrong = |(id, log): (RunId, FolderFile)| {
            let line = read_first_line(&log.place, MAX_HEAD).map_err(Error::from);
            let head = line.and_then(|line| match line {
                Some(line) => RunHead::read(id.as_str(), &line).map(drop),
                // An empty record isn't damaged. Either the run has just started, or it was killed
                // right away.
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

    /// Finds the ID of a run by `word`, which can be a full ID, the start of one, or `last`.
    ///
    /// # Errors
    /// Returns an error if no run matches, or more than one.
    pub fn find_run(&self, word: &str) -> Result<RunId, Error> {
        if let Some(id) = RunId::parse(word) {
            let own = self.own_run_files()?;
            if own.iter().any(|(head, _)| head.id == id) {
                return Ok(id);
            }
            // If the record does exist but is damaged, say so instead of reporting an unknown ID.
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

    /// Reads the whole record of the run `id`.
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

    /// Describes the runs of this working tree, newest first. Unreadable records are skipped; see
    /// [`unreadable_runs`](Self::unreadable_runs) for these.
    ///
    /// # Errors
    /// Returns an error if the folder of the records cannot be read.
    pub fn run_heads(&self) -> Result<Vec<RunHead>, Error> {
        let own = self.own_run_files()?.into_iter();
        Ok(own.map(|(head, _)| head).collect())
    }

    pub(crate) fn newest_of(&self, runbook: &RecordedRunbook) -> Result<RunRecord, Error> {
        let of_it = |head: &RunHead| head.runbook.name() == runbook.name();
        let own = self.own_run_files()?.into_iter();
        let newest = own.map(|(head, _)| head).find(of_it);
        let newest = newest.ok_or_else(|| RunError::NoEarlierRun(runbook.name().to_owned()))?;
        self.run_record(&newest.id)
    }

    /// Removes records beyond the limits, on a blocking thread. Records that are still being
    /// written stay.
    ///
    /// The caller passes a random `seed`, and we only clean up for one in [`CLEANED_EVERY`] values.
    /// If this fails, a later run tries again, so the caller need not care about the result.
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
            // One of the newest records is from the current run, so exempt one more.
            let too_old = at > MIN_KEPT && oldest.as_ref().is_some_and(|oldest| id < *oldest);
            let fits = count < MAX_COUNT && total.saturating_add(log.bytes) <= MAX_TOTAL;
            // A record that we couldn't remove still takes up space.
            if fits && !too_old || !remove_log(&log.place).unwrap_or(false) {
                count += 1;
                total = total.saturating_add(log.bytes);
            }
        }
    }
}
