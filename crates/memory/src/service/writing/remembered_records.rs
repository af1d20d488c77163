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

/// The kind of write requested.
#[derive(Debug, Clone)]
pub enum RememberWork {
    /// Writes nothing, because the work isn't worth recording.
    Skip,
    /// Writes a new record or an event.
    New,
    /// Updates the record with this id or path.
    Update(String),
    /// Updates the summary.
    Summary,
}

/// A request to remember something.
#[derive(Debug, Clone)]
pub struct RememberRequest {
    /// The operation to carry out.
    pub work: RememberWork,
    /// The record's content.
    pub record: NewRecord,
    /// True to report the change without writing it.
    pub dry_run: bool,
}

/// The result of a change to the memory.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryChange<T> {
    /// The operation's result.
    #[serde(flatten)]
    pub done: T,
    /// Files that were written.
    pub written: Vec<WrittenFile>,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Suggested next calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// The recorded feedback, and the adjustments learned from all feedback.
#[derive(Debug, Clone, Serialize)]
pub struct FeedbackNoted {
    /// Name of the action in the output, always `append_feedback`.
    pub action: &'static str,
    /// Number of feedback lines, including the new one.
    pub lines: usize,
    /// Shift of the bound for a weak level, in thousandths.
    pub weak_shift: i64,
    /// Shift of the bound for a strong level, in thousandths.
    pub strong_shift: i64,
    /// Number of learned associations, each of which moves one record for similar queries.
    pub ties: usize,
}

/// The result of updating the index and the summary.
#[derive(Debug, Clone, Serialize)]
pub struct Indexed {
    /// True if anything changed.
    pub changed: bool,
}

impl MemoryService {
    /// Writes or updates a record together with its impression and links, as one change. Does
    /// nothing for [`RememberWork::Skip`].
    ///
    /// # Errors
    /// Returns an error if there is no memory, if the content must not be shared, or if another
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
        // After a dry run the record doesn't exist, so a suggestion to update it would fail.
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

    /// Records that one record supersedes another, in both records and in every list.
    ///
    /// # Errors
    /// Returns an error if one of them does not exist or if the supersession would form a cycle.
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

    /// Appends feedback on a recall, which affects later recalls.
    ///
    /// # Errors Returns an error if the query is too long, has no word to search for or must not be
    /// shared. The record must exist.
    pub fn give_memory_feedback(
        &self,
        feedback: &NewFeedback,
        dry_run: bool,
    ) -> Result<MemoryChange<FeedbackNoted>, Error> {
        let day = today(&self.site)?;
        let (done, written) = self.folder.change(dry_run, |memory, draft| {
            let noted = give_feedback(memory, draft, feedback, &day)?;
            // Compute the adjustments as if the line were already in the log.
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

    /// Updates the index and the summary from the records, creating the index if it's missing.
    ///
    /// # Errors
    /// Returns an error if there is no memory or if it cannot be written.
    pub fn index_memory(&self, dry_run: bool) -> Result<MemoryChange<Indexed>, Error> {
        let day = today(&self.site)?;
        let (changed, written) = self.folder.change_whole(dry_run, |memory, draft| {
            // Records in a folder that can't be listed would lose their links.
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
