use std::time::Duration;

use tokio::task::JoinHandle;
use windlass_base::did_you_mean;
use windlass_repo::Owner;
use windlass_store::{FolderFile, RootedPath, files_in, read_first_line, read_log, remove_log};

use windlass_site::{Error, Site};

use super::record_format::{RecordedRunbook, RunHead, RunRecord};
use super::run_id::RunId;
use crate::run_error::RunError;

/// What the name of a record ends in, behind the run's id.
pub(crate) const ENDING: &str = ".jsonl";

/// The largest record that is read, in bytes; those that are written are smaller.
const MAX_BYTES: u64 = 192 << 20;
/// The largest first line.
const MAX_HEAD: u64 = 4 << 20;

/// How many records are kept, how long, and how large they may be together.
const MAX_COUNT: usize = 100;
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const MAX_TOTAL: u64 = 256 << 20;
/// In one of how many runs the records are looked through: asking for the size of each takes as long as a small run.
const CLEANED_EVERY: u16 = 8;
/// How many records stay however old they are: a clock that is once far ahead must not empty the folder.
const KEPT_AT_ANY_AGE: usize = 10;

/// A run that began so much later than now was made while a clock was wrong.
const AHEAD: Duration = Duration::from_secs(10 * 60);

/// The records of the runs of a repository.
#[derive(Debug, Clone)]
pub struct RunRecords {
    site: Site,
}

impl RunRecords {
    /// Those of `site`.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self { site: site.clone() }
    }

    pub(crate) fn runs_folder(&self) -> Result<RootedPath, Error> {
        let repo = &self.site.repo().identity().repo_id;
        Ok(self
            .site
            .dirs()?
            .state
            .join("repos")
            .join(repo)
            .join("runs"))
    }

    /// The records of this repository, of all its working trees, the newest first; those of the future come
    /// last: when they were made nobody knows, but it was before now.
    fn run_files(&self) -> Result<Vec<(RunId, FolderFile)>, Error> {
        let mut logs = files_in(&self.runs_folder()?, |name| name.ends_with(ENDING))?;
        logs.reverse();
        let id = |log: &FolderFile| RunId::parse(log.name.strip_suffix(ENDING)?);
        let files = logs.into_iter().filter_map(|log| Some((id(&log)?, log)));
        let (future, past): (Vec<_>, Vec<_>) = files.partition(|(id, _)| self.is_future(id));
        Ok(past.into_iter().chain(future).collect())
    }

    /// Whether a run says that it began when the clock has not got to yet.
    fn is_future(&self, id: &RunId) -> bool {
        let limit = self.site.environment().now().checked_add(AHEAD);
        let limit = limit.and_then(|at| RunId::new(at, u16::MAX));
        limit.is_some_and(|limit| *id > limit)
    }

    /// The records of this working tree that can be read, the newest first.
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
            // Most records have the same owner, and git may have to be asked about it.
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
        // Ids tell the time to the second only.
        let age = |head: &RunHead| {
            let newest_first = std::cmp::Reverse((head.started_at.clone(), head.id.clone()));
            (self.is_future(&head.id), newest_first)
        };
        own.sort_by_cached_key(|(head, _)| age(head));
        Ok(own)
    }

    /// Records that cannot be told apart by what they say, since their first lines cannot be read; each with the reason.
    ///
    /// # Errors
    /// When their folder cannot be read.
    pub fn unreadable_runs(&self) -> Result<Vec<(RunId, Error)>, Error> {
        let wrong = |(id, log): (RunId, FolderFile)| {
            let line = read_first_line(&log.place, MAX_HEAD).map_err(Error::from);
            let head = line.and_then(|line| match line {
                Some(line) => RunHead::read(id.as_str(), &line).map(drop),
                // Its run has just begun, or was killed before it wrote anything.
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

    /// The run that `word` means: its id, the beginning of it, or `last`.
    ///
    /// # Errors
    /// When there is none, or there are several.
    pub fn find_run(&self, word: &str) -> Result<RunId, Error> {
        if let Some(id) = RunId::parse(word) {
            let own = self.own_run_files()?;
            if own.iter().any(|(head, _)| head.id == id) {
                return Ok(id);
            }
            // What is wrong with it, if it is there.
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
    /// When there is none, it cannot be read, or a newer Windlass wrote it.
    pub fn run_record(&self, id: &RunId) -> Result<RunRecord, Error> {
        let path = self.runs_folder()?.join(format!("{id}{ENDING}"));
        let text = read_log(&path, MAX_BYTES)?.ok_or_else(|| RunError::NoSuchRun {
            name: id.to_string(),
            similar: None,
            any: true,
        })?;
        RunRecord::read(id.as_str(), &text)
    }

    /// What was run in this working tree, the newest first. Records that cannot be read are left out.
    ///
    /// # Errors
    /// When their folder cannot be read.
    pub fn run_heads(&self) -> Result<Vec<RunHead>, Error> {
        let own = self.own_run_files()?.into_iter();
        Ok(own.map(|(head, _)| head).collect())
    }

    /// The newest run of `runbook`.
    pub(crate) fn newest_of(&self, runbook: &RecordedRunbook) -> Result<RunRecord, Error> {
        let of_it = |head: &RunHead| head.runbook.name() == runbook.name();
        let own = self.own_run_files()?.into_iter();
        let newest = own.map(|(head, _)| head).find(of_it);
        let newest = newest.ok_or_else(|| RunError::NoEarlierRun(runbook.name().to_owned()))?;
        self.run_record(&newest.id)
    }

    /// Removes records that are too old or too many, but for those that are still written; every now and then, on a
    /// thread of its own. What cannot be removed stays until another time.
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
            // The run that goes on is one of them.
            let too_old =
                at > KEPT_AT_ANY_AGE && oldest.as_ref().is_some_and(|oldest| id < *oldest);
            let fits = count < MAX_COUNT && total.saturating_add(log.bytes) <= MAX_TOTAL;
            if fits && !too_old || !remove_log(&log.place).unwrap_or(false) {
                count += 1;
                total = total.saturating_add(log.bytes);
            }
        }
    }
}
