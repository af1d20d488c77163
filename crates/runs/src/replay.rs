//! Shows a recorded run again.

use windlass_engine::Observer;
use windlass_packs::{
    Ending, NotKept, Pack, Rejudged, StoredResult, Styled, ViewRequest, view_options,
};
use windlass_repo::Snapshot;
use windlass_site::Error;
use windlass_steps::SharedNotebook;

use crate::next_calls::{next_calls, typed_json_input};
use crate::records::{RunId, RunRecord};
use crate::run_error::RunError;
use crate::run_service::RunService;

/// The result of [`RunService::replay`].
#[derive(Debug)]
pub struct Replay {
    /// The recorded pack in the requested format, but with current verdicts.
    pub printed: Styled,
    /// Outcome of the run. If the run was successful but its evidence is no longer valid, and the
    /// runbook or a nested one is strict, the outcome is now stale.
    pub ending: Ending,
    /// Numbers of the lines in the record that cannot be read.
    pub damaged: Vec<usize>,
    /// Reason why the rest of a cut pack could not be stored. The printed pack then has no cursors.
    pub cursors_lost: Option<NotKept>,
}

impl RunService {
    /// Sends the events of the run `id` to `observer`, all at once, and returns its pack. No step
    /// runs, but we verify the evidence again in order to mark outdated text.
    ///
    /// # Errors
    /// Returns an error if the record cannot be read, contains no pack, or if the budget is too
    /// small.
    pub fn replay(
        &self,
        id: &RunId,
        request: &ViewRequest,
        observer: &dyn Observer,
    ) -> Result<Replay, Error> {
        let record = self.records.run_record(id)?;
        for timed in &record.entries {
            observer.event(&timed.entry);
        }
        let (before, damaged) = (
            record.end.as_ref().map(|end| end.ending),
            record.damaged.clone(),
        );
        let snapshot = self.site.snapshot();
        let Rejudged {
            mut pack,
            policy,
            ending: judged,
        } = self.rejudged(record, &snapshot)?;
        let options = view_options(request, &policy);
        let printed = self
            .packs()
            .print(&mut pack, &snapshot, &options, &policy, None)?;
        // A run that failed stays failed, even if its evidence happens to be valid now.
        let ending = before.filter(|before| *before != Ending::Done);
        Ok(Replay {
            printed: printed.main,
            ending: ending.unwrap_or(judged),
            damaged,
            cursors_lost: printed.cursors_lost,
        })
    }

    /// Opens the recorded pack, and replaces its verdicts and next actions with current ones.
    pub(crate) fn rejudged(
        &self,
        record: RunRecord,
        snapshot: &Snapshot,
    ) -> Result<Rejudged, Error> {
        let kept = record.pack.and_then(StoredResult::open);
        let head = &record.head;
        let kept = kept.ok_or_else(|| RunError::NoPack(head.id.to_string()))?;
        let judged = kept.rejudged(snapshot, None);
        let kept = judged.pack;
        let strict_inside = kept.strict_inside;
        let mut pack = Pack::new(kept.runbook, kept.status, kept.sections, kept.notes)
            .map_err(Error::internal)?;
        pack.strict_inside = strict_inside;
        let inputs = head.inputs.iter();
        let inputs = inputs.filter_map(|(name, value)| typed_json_input(name, value));
        let inputs: Vec<String> = inputs.collect();
        let call = head.runbook.call.as_deref();
        let call = call.map(|call| (call, &inputs[..]));
        let notebook = SharedNotebook::new(self.desk.file());
        pack.next_actions = next_calls(&pack, call, &notebook, snapshot);
        Ok(Rejudged { pack, ..judged })
    }
}
