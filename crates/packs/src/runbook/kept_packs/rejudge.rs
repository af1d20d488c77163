//! Whether a pack stands: one answer for a run that has just ended, a page of what it cut, and a run told again.

use windlass_base::Entry;
use windlass_plan::{FreshnessMode, Policy};
use windlass_repo::Snapshot;

use super::ending::Ending;
use super::kept_result::KeptResult;
use crate::{Pack, PackSection, PackStatus, SectionStatus, verify_entry};

/// A pack that was kept, judged by the files as they are now.
#[derive(Debug)]
pub struct Rejudged {
    /// The pack.
    pub pack: Pack,
    /// What its runbook says about showing it.
    pub policy: Policy,
    /// What its evidence makes of it: done, or stale under a strict policy.
    pub ending: Ending,
}

impl KeptResult {
    /// Judges the pack anew, or only the section `only` of it, where no other is shown.
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
                let stood = stands(entry);
                verify_entry(snapshot, entry);
                broke_since |= stood && !stands(entry);
            }
            section.status = section.status.max(SectionStatus::of(&section.entries));
        }
        // What a runbook inside was strict about stood then; of what did not, it made no claim.
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

/// Whether an entry has no evidence that a strict runbook would fail of.
fn stands(entry: &Entry) -> bool {
    !SectionStatus::of(std::slice::from_ref(entry)).breaks_strict()
}

/// The status of a pack that is `before` but for its evidence.
#[must_use]
pub fn judged_status(before: PackStatus, sections: &[PackSection], strict: bool) -> PackStatus {
    let stale =
        |section: &PackSection| is_stale(section.status) || strict && section.breaks_strict();
    match before {
        PackStatus::Ok if sections.iter().any(stale) => PackStatus::Stale,
        before => before,
    }
}

/// How a run ends whose steps ended well enough.
#[must_use]
pub fn judged_ending(sections: &[PackSection], strict: bool) -> Ending {
    if strict && sections.iter().any(PackSection::breaks_strict) {
        Ending::Stale
    } else {
        Ending::Done
    }
}

/// Whether evidence of such a section does not stand, or may not.
#[must_use]
pub fn is_stale(status: SectionStatus) -> bool {
    matches!(status, SectionStatus::Stale | SectionStatus::Unknown)
}
