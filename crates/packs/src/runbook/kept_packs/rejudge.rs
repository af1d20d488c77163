//! Decides if a pack is still valid. Runs, pages and replayed runs all follow the same rule, so
//! that a page never contradicts its run.

use windlass_base::Entry;
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::Snapshot;

use super::ending::Ending;
use super::kept_result::KeptResult;
use crate::{Pack, PackSection, PackStatus, SectionStatus, verify_entry};

/// A stored pack, verified against the current files.
#[derive(Debug)]
pub struct Rejudged {
    /// The pack with new verdicts.
    pub pack: Pack,
    /// The runbook's options for showing the pack.
    pub policy: Policy,
    /// The outcome: `Done`, or `Stale` if the policy is strict and some evidence isn't valid.
    pub ending: Ending,
}

impl KeptResult {
    /// Verifies the pack again. If `only` is given, we just verify that section, since the caller
    /// doesn't show any other.
    #[must_use]
    pub fn rejudged(self, snapshot: &Snapshot, only: Option<usize>) -> Rejudged {
        let (mut pack, mut sections) = (self.pack, 0..usize::MAX);
        if let Some(only) = only {
            sections = only..only + 1;
        }
        sections.end = sections.end.min(pack.sections.len());
        let judged = &mut pack.sections[sections];
        let mut broke_since = false;
        for section in judged.iter_mut() {
            for entry in &mut section.entries {
                let stood = is_strictly_valid(entry);
                verify_entry(snapshot, entry);
                broke_since |= stood && !is_strictly_valid(entry);
            }
            // A status can only get worse here. For example, a failed section stays failed.
            section.status = section.status.max(SectionStatus::of(&section.entries));
        }
        // A strict nested runbook has verified its evidence during the run. Only evidence that was
        // valid at that time can break the rule now.
        let strict = self.freshness == FreshnessMode::Strict || pack.strict_inside && broke_since;
        pack.status = judged_status(pack.status, judged, strict);
        Rejudged {
            ending: judged_ending(judged, strict),
            pack,
            policy: Policy {
                noise_permille: self.noise_permille,
                limit: self.limit,
                response_mode: self.response_mode,
                freshness: self.freshness,
                ..Policy::default()
            },
        }
    }
}

/// True if the entry would pass in a strict runbook.
fn is_strictly_valid(entry: &Entry) -> bool {
    !SectionStatus::of(std::slice::from_ref(entry)).breaks_strict()
}

/// The status of a pack after verifying the evidence again. `before` is the status until then.
#[must_use]
pub fn judged_status(before: PackStatus, sections: &[PackSection], strict: bool) -> PackStatus {
    let stale =
        |section: &PackSection| is_stale(section.status) || strict && section.breaks_strict();
    match before {
        PackStatus::Ok if sections.iter().any(stale) => PackStatus::Stale,
        before => before,
    }
}

/// The outcome of a run whose steps have all succeeded.
#[must_use]
pub fn judged_ending(sections: &[PackSection], strict: bool) -> Ending {
    if strict && sections.iter().any(PackSection::breaks_strict) {
        Ending::Stale
    } else {
        Ending::Done
    }
}

/// True for a section with evidence that is stale or can't be verified.
#[must_use]
pub fn is_stale(status: SectionStatus) -> bool {
    matches!(status, SectionStatus::Stale | SectionStatus::Unknown)
}
