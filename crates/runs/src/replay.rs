use windlass_engine::Observer;
use windlass_packs::{
    Ending, NotKept, Pack, Rejudged, StoredResult, Styled, ViewRequest, view_options,
};
use windlass_site::Error;
use windlass_steps::SharedNotebook;

use crate::next_calls::{next_calls, typed_json_input};
use crate::records::RunId;
use crate::run_error::RunError;
use crate::run_service::RunService;

/// Recorded run, shown again from its record.
#[derive(Debug)]
pub struct Replay {
    /// The pack of the record, in the requested format.
    pub printed: Styled,
    /// Outcome of the run; stale if it was done, its evidence is no longer valid, and its runbook or a nested one is
    /// strict.
    pub ending: Ending,
    /// Numbers of unreadable lines of the record.
    pub damaged: Vec<usize>,
    /// Reason why the rest of a cut pack is not stored, so that there are no cursors.
    pub cursors_lost: Option<NotKept>,
}

impl RunService {
    /// Sends the events of the run `id` to `observer` without delays, and shows its pack. Nothing is run; evidence is
    /// verified again, so that no outdated text is shown.
    ///
    /// # Errors
    /// If the record cannot be read, has no pack, or the budget is too small.
    pub fn replay(
        &self,
        id: &RunId,
        request: &ViewRequest,
        observer: &dyn Observer,
    ) -> Result<Replay, Error> {
        let record = self.records.run_record(id)?;
        for timed in &record.entries {
            observer.event(&timed.entry.event());
        }
        let kept = record.pack.and_then(StoredResult::open);
        let kept = kept.ok_or_else(|| RunError::NoPack(id.to_string()))?;
        let snapshot = self.site.snapshot();
        let Rejudged {
            pack: kept,
            policy,
            ending: judged,
        } = kept.rejudged(&snapshot, None);
        let strict_inside = kept.strict_inside;
        let mut pack = Pack::new(kept.runbook, kept.status, kept.sections, kept.notes)
            .map_err(Error::internal)?;
        pack.strict_inside = strict_inside;
        let head = &record.head;
        let inputs = head.inputs.iter();
        let inputs = inputs.filter_map(|(name, value)| typed_json_input(name, value));
        let inputs: Vec<String> = inputs.collect();
        let call = head.runbook.call.as_deref();
        let call = call.map(|call| (call, &inputs[..]));
        let notebook = SharedNotebook::new(self.desk.file());
        pack.next_actions = next_calls(&pack, call, &notebook, &snapshot, self.site.cancel());
        let options = view_options(request, &policy);
        let printed = self
            .packs()
            .print(&mut pack, &snapshot, &options, &policy, None)?;
        // A replay does not turn an unsuccessful run into a done one.
        let before = record.end.as_ref().map(|end| end.ending);
        let ending = before.filter(|before| *before != Ending::Done);
        Ok(Replay {
            printed: printed.main,
            ending: ending.unwrap_or(judged),
            damaged: record.damaged,
            cursors_lost: printed.cursors_lost,
        })
    }
}
