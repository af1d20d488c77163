use windlass_engine::Observer;
use windlass_pack::{
    Pack, PackStatus, SectionStatus, Styled, ViewOptions, next_actions, verify_entry,
};
use windlass_plan::Policy;

use super::RunId;
use crate::assemble::is_stale;
use crate::refresh::{text_policy, typed_json_input, view_options};
use crate::results::StoredResult;
use crate::{Error, NotKept, ViewRequest, Workspace};

/// A run that was told again.
#[derive(Debug)]
pub struct Replay {
    /// What is printed of its pack.
    pub printed: Styled,
    /// The numbers of lines of the record that cannot be read.
    pub damaged: Vec<usize>,
    /// Why what was cut is not kept, so that there are no cursors.
    pub cursors_lost: Option<NotKept>,
}

impl Workspace {
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
        let record = self.run_record(id)?;
        for timed in &record.entries {
            observer.event(&timed.entry.event());
        }
        let kept = record.pack.and_then(StoredResult::open);
        let kept = kept.ok_or_else(|| Error::NoPack(id.to_string()))?;
        let (kept_pack, snapshot) = (kept.pack, self.snapshot());
        let mut sections = kept_pack.sections;
        for section in &mut sections {
            for entry in &mut section.entries {
                verify_entry(&snapshot, entry);
            }
            section.status = section.status.max(SectionStatus::of(&section.entries));
        }
        let is_stale = sections.iter().any(|section| is_stale(section.status));
        let status = match kept_pack.status {
            PackStatus::Ok if is_stale => PackStatus::Stale,
            status => status,
        };
        let mut pack = Pack::new(kept_pack.runbook, status, sections, kept_pack.notes)
            .map_err(|error| Error::Internal(error.to_string()))?;
        let head = &record.head;
        let inputs = head.inputs.iter();
        let inputs = inputs.filter_map(|(name, value)| typed_json_input(name, value));
        let inputs: Vec<String> = inputs.collect();
        let call = head.runbook.call.as_deref();
        pack.next_actions = next_actions(&pack, call.map(|call| (call, &inputs[..])));
        let policy = Policy {
            noise_permille: kept.noise_permille,
            limit: kept.limit,
            response_mode: kept.response_mode,
            freshness: kept.freshness,
            ..Policy::default()
        };
        let options = ViewOptions {
            text: text_policy(kept.freshness),
            ..view_options(request, &policy)
        };
        let (printed, cursors_lost) = self.print(&mut pack, &snapshot, &options, &policy)?;
        Ok(Replay {
            printed,
            damaged: record.damaged,
            cursors_lost,
        })
    }
}
