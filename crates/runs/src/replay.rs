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

/// A run that was told again.
#[derive(Debug)]
pub struct Replay {
    /// What is printed of its pack.
    pub printed: Styled,
    /// How the run ended; stale where it was done, its evidence no longer stands, and its runbook, or one inside of
    /// it, is strict.
    pub ending: Ending,
    /// The numbers of lines of the record that cannot be read.
    pub damaged: Vec<usize>,
    /// Why what was cut is not kept, so that there are no cursors.
    pub cursors_lost: Option<NotKept>,
}

impl RunService {
    /// Tells `observer` what happened in the run `id`, without waiting, and shows its pack. Nothing is run;
    /// what the entries point at is judged anew, so that nothing is shown that is no longer there.
    ///
    /// # Errors
    /// When the record cannot be read, has no pack, or the budget is too small.
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
        pack.next_actions = next_calls(&pack, call, &notebook, &snapshot);
        let options = view_options(request, &policy);
        let printed = self
            .packs()
            .print(&mut pack, &snapshot, &options, &policy, None)?;
        // A run that did not do its work has not done it when it is told again.
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
