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

/// What is done with what is to be remembered.
#[derive(Debug, Clone)]
pub enum RememberWork {
    /// Nothing: what was done is not worth keeping.
    Skip,
    /// A new record, or an event.
    New,
    /// More, or something else, in the record of this id or path.
    Update(String),
    /// Something else in the summary.
    Summary,
}

/// Something that is to be remembered.
#[derive(Debug, Clone)]
pub struct RememberRequest {
    /// What is done.
    pub work: RememberWork,
    /// What it says.
    pub record: NewRecord,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// A change of the memory.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryChange<T> {
    /// What was done.
    #[serde(flatten)]
    pub done: T,
    /// The files that were written.
    pub written: Vec<WrittenFile>,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// What to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// What feedback was noted, and what follows from all of it.
#[derive(Debug, Clone, Serialize)]
pub struct FeedbackNoted {
    /// Always `append_feedback`.
    pub action: &'static str,
    /// How many lines there are.
    pub lines: usize,
    /// How much higher the bound of weak lies than usual, in thousandths.
    pub weak_shift: i64,
    /// How much higher the bound of strong lies.
    pub strong_shift: i64,
    /// How many questions are tied to records, or kept away from them.
    pub ties: usize,
}

/// What brought the index and the summary in step.
#[derive(Debug, Clone, Serialize)]
pub struct Indexed {
    /// Whether anything was out of step.
    pub changed: bool,
}

impl MemoryService {
    /// Writes something down, with what leads to it, as one change. Nothing for [`RememberWork::Skip`].
    ///
    /// # Errors
    /// When there is no memory, when it holds what must not be shared, or when somebody else does not come to an end with it.
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
        // Of a record that was not written, nothing more can be said.
        let to_say = done.to_say.iter().filter(|_| !request.dry_run);
        let say = to_say.map(|part| {
            NextAction::new("memory remember", format!("say its `{part}`"))
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

    /// Says that a record takes the place of another, on both sides and wherever they are listed.
    ///
    /// # Errors
    /// When one of them is not there, or they would replace each other in a circle.
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

    /// Notes what became of a recall; what follows from it counts from the next one on.
    ///
    /// # Errors
    /// When the query is too long, says nothing or holds what must not be shared, or there is no such record.
    pub fn give_memory_feedback(
        &self,
        feedback: &NewFeedback,
        dry_run: bool,
    ) -> Result<MemoryChange<FeedbackNoted>, Error> {
        let day = today(&self.site)?;
        let (done, written) = self.folder.change(dry_run, |memory, draft| {
            let noted = give_feedback(memory, draft, feedback, &day)?;
            // As it will be learned when the line stands there.
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

    /// Brings the index and the summary in step with the records; begins an index where there is none.
    ///
    /// # Errors
    /// When there is no memory, or it cannot be written.
    pub fn index_memory(&self, dry_run: bool) -> Result<MemoryChange<Indexed>, Error> {
        let day = today(&self.site)?;
        let (changed, written) = self.folder.change_whole(dry_run, |memory, draft| {
            // Whether they are in step cannot be said of what is not seen.
            all_is_seen(memory)?;
            Ok::<_, Error>(index_all(memory, draft, &day)?)
        })?;
        let done = Indexed {
            changed: !changed.is_empty(),
        };
        Ok(self.changed(done, written, dry_run))
    }

    fn changed<T>(&self, done: T, written: Vec<WrittenFile>, dry_run: bool) -> MemoryChange<T> {
        let check = NextAction::new("memory check", "see whether all of it is right")
            .for_caller(self.site.caller());
        MemoryChange {
            done,
            written,
            dry_run,
            next_actions: check.into_iter().collect(),
        }
    }
}
