//! Writes to a memory: records, successors, feedback, and the lists derived from them.
//!
//! Each operation returns a [`MemoryChange`] that lists the files. A dry run determines the same
//! changes, but doesn't write them.

use serde::Serialize;
use windlass_base::NextAction;
use windlass_site::Error;

use super::today;
use crate::service::MemoryService;
use crate::service::on_disk::{WrittenFile, all_is_seen};
use crate::{
    NewFeedback, NewRecord, Remembered, SUMMARY, Tuning, give_feedback, index_all, remember,
    supersede, update,
};

/// The kinds of writes.
#[derive(Debug, Clone)]
pub enum RememberWork {
    /// No write, because the work isn't worth recording.
    Skip,
    /// A new record, or an event.
    New,
    /// New contents for the record with this ID or path.
    Update(String),
    /// New contents for the summary.
    Summary,
}

/// A request for [`MemoryService::remember`].
#[derive(Debug, Clone)]
pub struct RememberRequest {
    /// The kind of write.
    pub work: RememberWork,
    /// The content to write.
    pub record: NewRecord,
    /// True to report the change without writing it.
    pub dry_run: bool,
}

/// An operation's result, and the changed files.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryChange<T> {
    /// The result of the operation itself.
    #[serde(flatten)]
    pub done: T,
    /// The written files. After a dry run, the files to write.
    pub written: Vec<WrittenFile>,
    /// True if nothing was written, as requested.
    pub dry_run: bool,
    /// Calls suggested for the caller's next step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// The recorded feedback, and the overall effect of all feedback.
#[derive(Debug, Clone, Serialize)]
pub struct FeedbackNoted {
    /// The action, always `append_feedback`.
    pub action: &'static str,
    /// Number of feedback lines, including the new one.
    pub lines: usize,
    /// The shift of the threshold for the level `weak`, in thousandths.
    pub weak_shift: i64,
    /// The shift of the threshold for the level `strong`, in thousandths.
    pub strong_shift: i64,
    /// The number of ties. Each one moves a record up or down for similar queries.
    pub ties: usize,
}

/// The result of [`MemoryService::index_memory`].
#[derive(Debug, Clone, Serialize)]
pub struct Indexed {
    /// False if both lists were already up to date.
    pub changed: bool,
}

impl MemoryService {
    /// Writes or updates a record along with its impression and links, as one change. This does
    /// nothing for [`RememberWork::Skip`].
    ///
    /// # Errors
    /// Returns an error if the memory is missing, if the content must not be shared, or if another
    /// process holds the lock for too long.
    pub fn remember(
        &self,
        request: &RememberRequest,
    ) -> Result<MemoryChange<Option<Remembered>>, Error> {
        if matches!(request.work, RememberWork::Skip) {
            return Ok(MemoryChange {
                done: None,
                written: Vec::new(),
                dry_run: request.dry_run,
                next_actions: Vec::new(),
            });
        }
        let day = today(&self.site)?;
        let (done, written) = self.folder.change(request.dry_run, |memory, draft| {
            let record = &request.record;
            Ok(match &request.work {
                RememberWork::Update(name) => update(memory, draft, name, record, &day)?,
                RememberWork::Summary => update(memory, draft, SUMMARY, record, &day)?,
                _ => remember(memory, draft, record, &day)?,
            })
        })?;
        // Suggest filling in the sections that the record still lacks. After a dry run, the record
        // doesn't exist yet, and such an update would fail.
        let to_say = done.to_say.iter().filter(|_| !request.dry_run);
        let say = to_say.map(|part| {
            NextAction::new("memory remember", format!("add its `{part}`"))
                .positional("update")
                .positional(done.id.as_str())
                .option("section", format!("{part}=TEXT"))
        });
        let next_actions = say
            .filter_map(|action| action.for_caller(self.site.caller()))
            .collect();
        Ok(MemoryChange {
            done: Some(done),
            written,
            dry_run: request.dry_run,
            next_actions,
        })
    }

    /// Marks `old` as superseded by `newer`, both in the two records and in every list.
    ///
    /// # Errors
    /// Returns an error if either record doesn't exist, or if they would close a cycle.
    pub fn supersede_memory(
        &self,
        old: &str,
        newer: &str,
        dry_run: bool,
    ) -> Result<MemoryChange<Remembered>, Error> {
        let day = today(&self.site)?;
        let (done, written) = self.folder.change(dry_run, |memory, draft| {
            Ok(supersede(memory, draft, old, newer, &day)?)
        })?;
        Ok(self.changed(done, written, dry_run))
    }

    /// Appends feedback on a recall. Later recalls learn from it.
    ///
    /// # Errors
    /// Returns an error if the query is too long, consists of stop words or must not be shared, or
    /// if the record doesn't exist.
    pub fn give_memory_feedback(
        &self,
        feedback: &NewFeedback,
        dry_run: bool,
    ) -> Result<MemoryChange<FeedbackNoted>, Error> {
        let day = today(&self.site)?;
        let (done, written) = self.folder.change(dry_run, |memory, draft| {
            let noted = give_feedback(memory, draft, feedback, &day)?;
            // The new line is only in the draft so far. Add it to the log, so that the reported
            // effect includes it.
            let mut log = memory.feedback.clone();
            log.push(noted);
            let learned = Tuning::learn(&log);
            Ok(FeedbackNoted {
                action: "append_feedback",
                lines: log.len(),
                weak_shift: learned.weak_shift,
                strong_shift: learned.strong_shift,
                ties: learned.ties.len(),
            })
        })?;
        Ok(self.changed(done, written, dry_run))
    }

    /// Updates the index and the summary from the records. Creates a missing index.
    ///
    /// # Errors
    /// Returns an error if the memory is missing or not writable.
    pub fn index_memory(&self, dry_run: bool) -> Result<MemoryChange<Indexed>, Error> {
        let day = today(&self.site)?;
        let (changed, written) = self.folder.change_whole(dry_run, |memory, draft| {
            // If we can't see a folder's records, we'd take the links to them for dead and remove
            // them.
            all_is_seen(memory)?;
            Ok::<_, Error>(index_all(memory, draft, &day)?)
        })?;
        let done = Indexed {
            changed: !changed.is_empty(),
        };
        Ok(self.changed(done, written, dry_run))
    }

    fn changed<T>(&self, done: T, written: Vec<WrittenFile>, dry_run: bool) -> MemoryChange<T> {
        let check =
            NextAction::new("memory check", "check the memory").for_caller(self.site.caller());
        MemoryChange {
            done,
            written,
            dry_run,
            next_actions: check.into_iter().collect(),
        }
    }
}
